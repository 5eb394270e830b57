#include "gpu/pictures/pixel_values.h"

namespace gpu {
namespace {

constexpr int threads = 128;

__global__ void __launch_bounds__(threads) gather_kernel(PixelImages images, PixelPlaces places, PixelValues* values) {
  const int i = static_cast<int>(blockIdx.x) * threads + static_cast<int>(threadIdx.x);
  if (i < places.count()) values[i] = images.values(places.at(i));
}

}  // namespace

void gather_pixels(Context& context, const PixelImages& images, const PixelPlaces& places, PixelValues* values) {
  const auto blocks = static_cast<unsigned>(ceil_div(places.count(), threads));
  context.launch("probe", gather_kernel, {dim3(blocks), dim3(threads)}, images, places, values);
}

}  // namespace gpu
