#include "app/pipeline/picture.h"

#include <algorithm>
#include <cstring>
#include <tuple>
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

namespace {

using gpu::Annotation;

// The columns of one side.
struct Columns {
  float first, past;
};

void clip_line(Annotation line, Columns side, PictureAnnotations::List& out) {
  if (line.x0 > line.x1) std::swap(line.x0, line.x1), std::swap(line.y0, line.y1);
  if (line.x1 < side.first || line.x0 > side.past) return;
  const float slope = line.x1 > line.x0 ? (line.y1 - line.y0) / (line.x1 - line.x0) : 0;
  const auto cut = [&](float& x, float& y, float to) {
    y += slope * (to - x);
    x = to;
  };
  if (line.x0 < side.first) cut(line.x0, line.y0, side.first);
  if (line.x1 > side.past) cut(line.x1, line.y1, side.past);
  out.push_back(line);
}

// Without the edge that is cut off: the rest of the outline is lines.
void clip_rectangle(const Annotation& rectangle, Columns side, PictureAnnotations::List& out) {
  auto [x0, x1] = std::minmax(rectangle.x0, rectangle.x1);
  if (x1 <= side.first || x0 >= side.past) return;
  if (x0 >= side.first && x1 <= side.past) return out.push_back(rectangle);
  auto inside = rectangle;
  inside.x0 = std::max(x0, side.first);
  inside.x1 = std::min(x1, side.past);
  inside.stroke.a = 0;
  if (inside.fill.a > 0) out.push_back(inside);
  if (rectangle.stroke.a == 0) return;
  const auto edge = [&](float from_x, float from_y, float to_x, float to_y) {
    auto line = rectangle;
    line.kind = Annotation::Kind::line;
    std::tie(line.x0, line.y0, line.x1, line.y1) = std::tie(from_x, from_y, to_x, to_y);
    out.push_back(line);
  };
  for (const float y : {rectangle.y0, rectangle.y1}) edge(inside.x0, y, inside.x1, y);
  for (const float x : {x0, x1})
    if (x >= side.first && x <= side.past) edge(x, rectangle.y0, x, rectangle.y1);
}

// On the side where most of its rectangle is; it begins there.
void clip_label(Annotation label, Columns side, PictureAnnotations::List& out) {
  const float middle = (label.x0 + label.x1) / 2;
  if (middle < side.first || middle >= side.past) return;
  label.x0 = std::max(label.x0, side.first);
  out.push_back(label);
}

void clip(std::span<const Annotation> list, Columns side, PictureAnnotations::List& out) {
  if (side.first >= side.past) return;
  for (const auto& annotation : list) switch (annotation.kind) {
      case Annotation::Kind::rectangle: clip_rectangle(annotation, side, out); break;
      case Annotation::Kind::line: clip_line(annotation, side, out); break;
      case Annotation::Kind::label: clip_label(annotation, side, out); break;
    }
}

bool same(const Annotation& a, const Annotation& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

// Adds to the picture what depends on the wipe.
Picture put_together(Picture picture, Compared compared) {
  const int width = picture.size().width;
  if (picture.pixels.wiped()) picture.pixels.edge = compared.composition.edge(width);
  const auto shared = picture.compared = std::make_shared<const Compared>(std::move(compared));
  if (shared->of_a.none() && shared->of_b.none()) return picture;
  picture.annotations = PictureAnnotations::Source([shared, width](bool wait) -> std::optional<PictureAnnotations::List> {
    const auto &a = shared->of_a, &b = shared->of_b;
    if (!wait && !(a.arrived() && b.arrived())) return {};
    // If only one side has annotations, they are drawn whole: a wipe cuts through what they mark.
    if (const auto whole = a.none() ? b.list() : a.list(); a.none() || b.none())
      return PictureAnnotations::List(whole.begin(), whole.end());
    return composed_annotations(a.list(), b.list(), shared->composition, width);
  });
  return picture;
}

}  // namespace

PictureAnnotations::List composed_annotations(std::span<const Annotation> a, std::span<const Annotation> b,
                                              const Composition& composition, int width) {
  PictureAnnotations::List all;
  if (composition.mode == Composition::Mode::wipe) {
    const auto edge = static_cast<float>(composition.edge(width));
    clip(a, {0, edge}, all);
    clip(b, {edge, static_cast<float>(width)}, all);
    return all;
  }
  all.assign(a.begin(), a.end());
  for (const auto& one : b)
    if (std::ranges::none_of(a, [&](const auto& other) { return same(one, other); })) all.push_back(one);
  return all;
}

Picture composed(const Selection& comparison, const Picture& a, const Picture& b,
                 gpu::ImageView<const gpu::Rgba> difference) {
  auto picture = b;
  if (b.sat.empty()) picture.sat = a.sat;
  picture.check = both(a.check, b.check);
  picture.pixels = is_wipe(comparison) ? PicturePixels(a.pixels.left, b.pixels.left, 0) : PicturePixels(difference);
  const auto& sides = comparison.sides;
  return put_together(picture, {sides[0].name, sides[1].name, comparison.composition, a.annotations, b.annotations});
}

Picture with_wipe(const Picture& picture, double wipe) {
  auto compared = *picture.compared;
  compared.composition.wipe = wipe;
  return put_together(picture, std::move(compared));
}

}  // namespace app
