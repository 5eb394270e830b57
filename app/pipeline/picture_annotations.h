// PictureAnnotations: what an effect says about a picture. On a GPU it comes to the host behind the picture's pixels, and
// nobody waits for it: whoever draws it over the picture shows the two together, once it has arrived.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/annotation.h"

namespace app {

// Copies share the annotations. Until these have arrived, all copies are used on one thread, the one that uses the device.
class PictureAnnotations {
 public:
  using List = std::vector<gpu::Annotation>;
  // What has arrived, or nothing yet; `wait`: waits for it. Asked until it has arrived. Throws CudaError where the GPU failed.
  using Source = std::function<std::optional<List>(bool wait)>;

  PictureAnnotations() = default;  // none
  PictureAnnotations(List there);  // arrived already
  PictureAnnotations(Source on_its_way);

  // Throw what the source throws.
  bool arrived() const;                           // never waits
  void wait() const;                              // until they have
  std::span<const gpu::Annotation> list() const;  // waits, too

 private:
  struct State {
    List list;
    Source source;  // null once they have arrived
  };
  bool take(bool wait) const;

  std::shared_ptr<State> state_;  // null: none
};

}  // namespace app
