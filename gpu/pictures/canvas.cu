// Each thread copies four neighbouring pixels of a row with one 16-byte store, so that a warp writes 512 bytes of a row. It
// is a kernel because it is faster than cudaMemcpy2DToArrayAsync.
#include "gpu/pictures/canvas.h"

namespace gpu {
namespace {

constexpr int pixels_per_thread = 4, block_width = 32, block_height = 8;

template <bool Aligned>  // rows of the picture are 16-byte aligned
__global__ void __launch_bounds__(block_width* block_height)
    surface_kernel(ImageView<const Rgba> picture, cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(blockIdx.x * block_width + threadIdx.x) * pixels_per_thread;
  const int y = static_cast<int>(blockIdx.y * block_height + threadIdx.y);
  if (x >= picture.width || y >= picture.height) return;
  const Rgba* from = picture.row(y) + x;
  constexpr int bytes = sizeof(Rgba);
  if (Aligned && x + pixels_per_thread <= picture.width) {
    surf2Dwrite(*reinterpret_cast<const uint4*>(from), surface, x * bytes, y);
    return;
  }
  for (int i = 0; i < pixels_per_thread && x + i < picture.width; ++i)
    surf2Dwrite(make_uchar4(from[i].r, from[i].g, from[i].b, from[i].a), surface, (x + i) * bytes, y);
}

__global__ void nothing_kernel() {}

}  // namespace

Surface::Surface(cudaArray_t array) : array_(array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  check(cudaCreateSurfaceObject(&object_, &resource));
}

Surface::~Surface() { cudaDestroySurfaceObject(object_); }

void copy_to_surface(Context& context, std::string_view name, ImageView<const Rgba> picture, const Surface& surface) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(picture.data) % 16 == 0 && picture.stride % pixels_per_thread == 0;
  const dim3 grid(static_cast<unsigned>(ceil_div(picture.width, block_width * pixels_per_thread)),
                  static_cast<unsigned>(ceil_div(picture.height, block_height)));
  context.launch({name, SpanKind::transfer}, aligned ? surface_kernel<true> : surface_kernel<false>,
                 {grid, dim3(block_width, block_height)}, picture, surface.object());
}

std::array<const void*, 2> surface_kernels() {
  return {kernel_address(surface_kernel<true>), kernel_address(surface_kernel<false>)};
}

void wait_for_gpu(Context& context, std::string_view name) {
  if (is_gpu(context.device())) context.launch({name, SpanKind::wait}, nothing_kernel, {dim3(1), dim3(1)});
}

}  // namespace gpu
