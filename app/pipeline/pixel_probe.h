// PixelProbe: values of a few pixels of the picture shown, on the host: those under the mouse, of a rectangle's corners, in
// the cells of an enlarged picture. Where pictures are in host memory they are read at once; a GPU gathers them, and they
// arrive some frames later. Nobody waits, and nothing is read back unless pixels are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "app/pipeline/picture.h"
#include "gpu/pixel_values.h"

namespace app {

struct ProbedPixels {
  gpu::Size picture;
  gpu::PixelPlaces places;
  std::vector<gpu::PixelValues> values;  // places.count() of them; none before the first

  const gpu::PixelValues* at(int x, int y) const;  // null if that pixel is not among them
};

class PixelProbe {
 public:
  PixelProbe();
  ~PixelProbe();  // waits for what is under way

  // Asks for the pixels `wanted` of `picture`, the number `number` in this run; places outside the picture are left out. Once
  // per frame that is drawn. Asks a GPU only for what has not been asked before, and not while two read-backs are under way.
  // Throws CudaError, std::bad_alloc.
  void update(gpu::Context& context, const Picture& picture, std::uint64_t number, const gpu::PixelPlaces& wanted);
  void wait();   // until all that was asked for has arrived (screenshots)
  void clear();  // nothing is asked for, or the GPU failed

  const ProbedPixels& pixels() const { return arrived_; }

 private:
  struct OnGpu;

  void take_arrived();

  ProbedPixels arrived_;
  gpu::PixelPlaces asked_;
  std::uint64_t asked_number_ = 0;
  const void* asked_of_ = nullptr;
  std::unique_ptr<OnGpu> on_gpu_;  // null until a GPU is asked
};

}  // namespace app
