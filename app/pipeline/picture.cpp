#include "app/pipeline/picture.h"

#include <algorithm>
#include <utility>

namespace app {

PictureAnnotations PictureAnnotations::with(List more) const {
  if (more.empty()) return *this;
  if (none()) return more;
  return Source([own = *this, more = std::move(more)](bool wait) -> std::optional<List> {
    if (!wait && !own.arrived()) return {};
    List all(own.list().begin(), own.list().end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  });
}

std::span<const gpu::Annotation> PictureAnnotations::list() const {
  const auto* list = take(true);
  return list ? std::span(*list) : std::span<const gpu::Annotation>();
}

PictureCheck both(const PictureCheck& a, const PictureCheck& b) {
  if (a.none() || b.none()) return a.none() ? b : a;
  return PictureCheck::Source([a, b](bool wait) -> std::optional<CheckAnswer> {
    const auto *first = a.take(wait), *second = b.take(wait);
    if (!first || !second) return {};
    const auto& wrong = first->wrong ? first->wrong : second->wrong;
    return CheckAnswer{wrong, !wrong && (first->lost || second->lost)};
  });
}

void copy_on_host(const PicturePixels& from, gpu::Rgba* to, std::ptrdiff_t stride) {
  from.each_side([&](PicturePixels::View side, int x) {
    for (int y = 0; y < side.height; ++y) std::copy_n(side.row(y), side.width, to + y * stride + x);
  });
}

cudaError_t queue_copy_to_host(const PicturePixels& from, gpu::Rgba* to, std::ptrdiff_t stride, cudaStream_t stream) {
  constexpr auto bytes = [](std::ptrdiff_t pixels) { return static_cast<std::size_t>(pixels) * sizeof(gpu::Rgba); };
  auto result = cudaSuccess;
  from.each_side([&](PicturePixels::View side, int x) {
    if (result == cudaSuccess)
      result = cudaMemcpy2DAsync(to + x, bytes(stride), side.data, bytes(side.stride), bytes(side.width),
                                 static_cast<std::size_t>(side.height), cudaMemcpyDeviceToHost, stream);
  });
  return result;
}

gpu::Image<gpu::Rgba> download(const gpu::Context& context, const PicturePixels& from) {
  gpu::Image<gpu::Rgba> image(from.size(), gpu::Device::host);
  const auto to = image.view();
  if (context.device() == gpu::Device::cuda) {
    gpu::check(queue_copy_to_host(from, to.data, to.stride, context.stream()));
    gpu::check(cudaStreamSynchronize(context.stream()));
  } else {
    copy_on_host(from, to.data, to.stride);
  }
  return image;
}

}  // namespace app
