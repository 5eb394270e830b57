// PictureAnnotations: what an effect says about one picture. A GPU's annotations reach the host some time after the picture
// was queued. Nobody needs to wait for them: whoever draws them shows picture and annotations together, once both are there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/annotation.h"

namespace app {

// Copies are handles of the same annotations. Until these have arrived, use all copies on the thread that uses the GPU.
class PictureAnnotations {
 public:
  using List = std::vector<gpu::Annotation>;
  // Returns the annotations, or nothing where they have not arrived; with `wait` it waits for them. Not called again once it
  // has returned them. Throws CudaError where the GPU failed.
  using Source = std::function<std::optional<List>(bool wait)>;

  PictureAnnotations() = default;  // none
  PictureAnnotations(List list);   // arrived already
  PictureAnnotations(Source source);

  // These, then `more`, which are there already.
  PictureAnnotations with(List more) const;

  bool none() const { return !state_; }  // there are none, and none will come
  // All throw what the source throws.
  bool arrived() const;                           // does not wait
  void wait() const;                              // until they have arrived
  std::span<const gpu::Annotation> list() const;  // likewise

 private:
  struct State {
    List list;
    Source source;  // null once they have arrived
  };
  bool take(bool wait) const;

  std::shared_ptr<State> state_;  // null: none
};

}  // namespace app
