// For the tests of effects: a frame with its gray image and table, and an effect run on it on the host; and drawn faces.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"

namespace gpu::test {

using Setting = std::pair<std::string_view, std::string_view>;

inline const Effect& effect_named(std::string_view name) {
  const auto* effect = find_effect(name);
  if (!effect) throw std::logic_error("no effect " + std::string(name));
  return *effect;
}

inline Arguments arguments_of(const Effect& effect, std::initializer_list<Setting> settings) {
  Arguments arguments(effect.parameters);
  for (const auto& [name, value] : settings) arguments.set(name, value);
  return arguments;
}

// An algorithm that runs everywhere.
inline const SatAlgorithm& host_algorithm() { return *find_sat_algorithm("host_serial"); }

// The same numbers on every machine (Lehmer's generator).
class Noise {
 public:
  explicit Noise(unsigned seed) : state_(seed * 2654435761u % 2147483646u + 1) {}
  unsigned next() { return static_cast<unsigned>(state_ = state_ * 48271u % 2147483647u); }
  std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 8); }

 private:
  std::uint64_t state_;
};

struct HostFrame {
  Image<Bgr> colour;
  Image<std::uint8_t> gray;
  Image<std::uint32_t> sat;

  // pixel(x, y) -> Bgr
  template <class Pixel>
  HostFrame(Size size, const Pixel& pixel) : colour(size, Device::host), gray(size, Device::host), sat(size, Device::host) {
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) colour.view()(x, y) = pixel(x, y);
    ThreadPool pool(1);
    auto context = Context::on_host(pool, {});
    luma(context, colour.view(), gray.view());
    sat::reference<std::uint8_t, std::uint32_t>(gray.view(), sat.view());
  }
  static HostFrame noise(Size size, unsigned seed) {
    Noise noise(seed);
    return HostFrame(size, [&](int, int) { return Bgr{noise.byte(), noise.byte(), noise.byte()}; });
  }
  Size size() const { return colour.size(); }
};

// The canvas afterwards: one or four bytes per pixel, dense rows.
struct Picture {
  Size size;
  int channels = 0;
  std::vector<std::uint8_t> bytes;

  std::uint8_t gray(int x, int y) const { return bytes[static_cast<std::size_t>(y) * size.width + x]; }
  Rgba rgba(int x, int y) const {
    const auto* p = &bytes[(static_cast<std::size_t>(y) * size.width + x) * 4];
    return {p[0], p[1], p[2], p[3]};
  }
  friend bool operator==(const Picture&, const Picture&) = default;
};

template <class T>
Picture tight(ImageView<const T> view) {
  Picture picture{view.size(), static_cast<int>(sizeof(T)), {}};
  for (int y = 0; y < view.height; ++y) {
    const auto* row = reinterpret_cast<const std::uint8_t*>(view.row(y));
    picture.bytes.insert(picture.bytes.end(), row, row + static_cast<std::size_t>(view.width) * sizeof(T));
  }
  return picture;
}

// The annotations that were written, as far as the list has room for them.
inline std::vector<Annotation> written(const AnnotationList& list) {
  return {list.items, list.items + std::clamp(*list.count, 0, list.capacity)};
}
inline bool same(const std::vector<Annotation>& a, const std::vector<Annotation>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Annotation)) == 0;
}

// Runs with exactly the workspace that a dry replay counted, and room for exactly the annotations that the effect asks for.
// `prepared`: of an earlier run; null: it is prepared anew.
inline Picture run_on_host(const Effect& effect, const Arguments& arguments, const HostFrame& frame, bool gray_canvas,
                           int threads = 2, std::vector<Annotation>* annotations = nullptr,
                           std::shared_ptr<const void> prepared = {}) {
  const Arguments none(host_algorithm().parameters);
  ThreadPool pool(threads);
  if (!prepared) {
    auto context = Context::on_host(pool, {});
    prepared = prepare_effect(context, effect, arguments, frame.size());
  }
  EffectInput input{frame.colour.view(), frame.gray.view(), {}, prepared.get(), &host_algorithm(), &none};
  input.tables.sum = frame.sat.view();
  Image<std::uint8_t> gray(frame.size(), Device::host);
  Image<Rgba> rgba(frame.size(), Device::host);
  const int capacity = effect.annotation_capacity(arguments);
  const Buffer<std::byte> list(annotation_bytes(capacity), Device::host);
  const EffectOutput output{gray_canvas ? Canvas{gray.view(), {}} : Canvas{{}, rgba.view()},
                            annotations_in(list.data(), capacity)};
  auto dry = Context::dry(Device::host);
  run_effect(dry, effect, input, output, arguments);
  Buffer<std::byte> workspace(dry.workspace_bytes(), Device::host);
  auto context = Context::on_host(pool, workspace.span());
  run_effect(context, effect, input, output, arguments);
  if (annotations) *annotations = capacity > 0 ? written(output.annotations) : std::vector<Annotation>();
  return gray_canvas ? tight<std::uint8_t>(gray.view()) : tight<Rgba>(rgba.view());
}

inline Picture run_on_host(const Effect& effect, const Arguments& arguments, const HostFrame& frame) {
  return run_on_host(effect, arguments, frame, effect.channels(arguments) == 1);
}

inline std::vector<Annotation> annotations_on_host(const Effect& effect, const Arguments& arguments,
                                                   const HostFrame& frame) {
  std::vector<Annotation> annotations;
  run_on_host(effect, arguments, frame, false, 2, &annotations);
  return annotations;
}

// A drawn face that the library's own cascade finds: an oval with hair, eyes, nose and mouth.
struct DrawnFace {
  int x, y, size;

  // Nothing outside of it.
  std::optional<int> level(int px, int py) const {
    const double u = static_cast<double>(px - x) / size, v = static_cast<double>(py - y) / size;
    if (u * u / 0.25 + v * v / 0.3844 >= 1) return {};
    if (std::abs(u) < 0.2 && v > 0.27 && v < 0.35) return 100;
    if (std::abs(u) < 0.12 && v > 0.1 && v < 0.15) return 140;
    if (std::abs(u) < 0.06 && v > -0.2 && v < 0.1) return 225;
    if (std::abs(std::abs(u) - 0.22) < 0.13 && v > -0.22 && v < -0.08) return 70;
    return v < -0.42 ? 60 : 200;
  }
};

inline HostFrame frame_with(std::initializer_list<DrawnFace> faces, Size size = {200, 160}) {
  return HostFrame(size, [&](int x, int y) {
    int level = 90;
    for (const auto& face : faces) level = face.level(x, y).value_or(level);
    const auto byte = static_cast<std::uint8_t>(level);
    return Bgr{byte, static_cast<std::uint8_t>(level * 3 / 4), byte};
  });
}

}  // namespace gpu::test
