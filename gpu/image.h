// Images: ImageView (a view, host or device), Image (the owner), and AnyImageView (a view whose element type is known
// only at run time). Row-major; x to the right, y down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "gpu/cuda/memory.h"

namespace gpu {

struct Size {
  int width = 0, height = 0;
  friend constexpr bool operator==(Size, Size) = default;
  constexpr std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

// Colour pixels: Bgr as delivered by cameras and decoders, Rgba as shown by OpenGL.
struct Bgr {
  std::uint8_t b, g, r;
};
struct alignas(4) Rgba {
  std::uint8_t r, g, b, a;
};

// A rectangle of pixels in memory that it does not own. `stride` is the number of elements, not bytes, between the starts
// of two rows, so that a pitch that is not a multiple of the element's size cannot be expressed (but see BgrView). Trivially
// copyable: it is passed to kernels by value. The methods are constexpr so that device code may call them (nvcc
// --expt-relaxed-constexpr).
template <class T>
struct ImageView {
  T* data = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;

  constexpr T* row(int y) const { return data + y * stride; }
  constexpr T& operator()(int x, int y) const { return data[y * stride + x]; }
  constexpr Size size() const { return {width, height}; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
  template <class Const>
  requires(std::is_same_v<Const, const T> && !std::is_const_v<T>) constexpr operator ImageView<Const>() const {
    return {data, width, height, stride};
  }
};

// Colour pixels whose rows are `pitch` bytes apart, a number that need not be a multiple of a pixel's three bytes: memory of
// cudaMallocPitch(), frames of other libraries. An ImageView<Bgr> is one, too.
struct BgrView {
  const Bgr* data = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t pitch = 0;

  constexpr BgrView(const Bgr* data, int width, int height, std::ptrdiff_t pitch)
      : data(data), width(width), height(height), pitch(pitch) {}
  template <class T>
  requires std::is_same_v<std::remove_const_t<T>, Bgr>
  constexpr BgrView(ImageView<T> view)
      : BgrView(view.data, view.width, view.height, view.stride * std::ptrdiff_t{sizeof(Bgr)}) {}

  constexpr Size size() const { return {width, height}; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
};

// The stride of an Image's rows: the fewest elements that cover `width` and fill a multiple of 256 bytes.
constexpr std::ptrdiff_t pitched_stride(int width, std::size_t bytes_per_element) {
  const auto unit = static_cast<std::ptrdiff_t>(256 / std::gcd(std::size_t{256}, bytes_per_element));
  return (width + unit - 1) / unit * unit;
}

// The owner of a pitched image: rows start 256-byte aligned.
template <class T>
class Image {
 public:
  Image() = default;
  Image(Size size, Device device)
      : size_(size),
        stride_(pitched_stride(size.width, sizeof(T))),
        buffer_(static_cast<std::size_t>(stride_) * static_cast<std::size_t>(size.height), device) {}

  ImageView<T> view() const { return {buffer_.data(), size_.width, size_.height, stride_}; }
  Size size() const { return size_; }
  Device device() const { return buffer_.device(); }
  std::span<T> span() const { return buffer_.span(); }

 private:
  Size size_;
  std::ptrdiff_t stride_ = 0;
  Buffer<T> buffer_;
};

// What one pixel contributes to a sum: its term.
enum class Term { pixel, square };

// The types of pixel and sum say it: bytes are squared for sums of u64, whose type 8u64u has always been that of squares, and all
// other pixels are summed as they are. Pixels of the following types say otherwise; in memory they are their values.
template <class T>
struct Plain {
  T value;
};
template <class T>
struct Squared {
  T value;
};

template <class Pixel>
struct ValueOf {
  using Type = Pixel;
  static constexpr bool squared = false;
};
template <class T>
struct ValueOf<Plain<T>> {
  using Type = T;
  static constexpr bool squared = false;
};
template <class T>
struct ValueOf<Squared<T>> {
  using Type = T;
  static constexpr bool squared = true;
};
template <class Pixel>
using PixelValue = typename ValueOf<Pixel>::Type;

template <class Pixel>
constexpr PixelValue<Pixel> value_of(Pixel pixel) {
  if constexpr (std::is_same_v<PixelValue<Pixel>, Pixel>)
    return pixel;
  else
    return pixel.value;
}

template <class Input, class Sum>
inline constexpr bool is_squared = ValueOf<Input>::squared ||
                                   (std::is_same_v<Input, std::uint8_t> && std::is_same_v<Sum, std::uint64_t>);

template <class Sum, class Input>
constexpr Sum term(Input pixel) {
  const auto value = static_cast<Sum>(value_of(pixel));
  if constexpr (is_squared<Input, Sum>)
    return value * value;
  else
    return value;
}

// The last three are types of pixels that imply their term: in memory they are elements of stored().
enum class ElementType { u8, u32, u64, f32, f64, u16, plain_u8, squared_u16, squared_f32 };

template <class T>
constexpr ElementType element_type() {
  if constexpr (std::is_same_v<T, std::uint8_t>)
    return ElementType::u8;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return ElementType::u32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return ElementType::u64;
  else if constexpr (std::is_same_v<T, float>)
    return ElementType::f32;
  else if constexpr (std::is_same_v<T, std::uint16_t>)
    return ElementType::u16;
  else if constexpr (std::is_same_v<T, Plain<std::uint8_t>>)
    return ElementType::plain_u8;
  else if constexpr (std::is_same_v<T, Squared<std::uint16_t>>)
    return ElementType::squared_u16;
  else if constexpr (std::is_same_v<T, Squared<float>>)
    return ElementType::squared_f32;
  else {
    static_assert(std::is_same_v<T, double>, "not an element type of a summed area table");
    return ElementType::f64;
  }
}

constexpr ElementType stored(ElementType type) {
  switch (type) {
    case ElementType::plain_u8: return ElementType::u8;
    case ElementType::squared_u16: return ElementType::u16;
    case ElementType::squared_f32: return ElementType::f32;
    default: return type;
  }
}
constexpr bool is_floating(ElementType type) { return stored(type) == ElementType::f32 || type == ElementType::f64; }

constexpr std::size_t size_of(ElementType type) {
  switch (stored(type)) {
    case ElementType::u8: return 1;
    case ElementType::u16: return 2;
    case ElementType::u32:
    case ElementType::f32: return 4;
    default: return 8;
  }
}

// A view whose element type is a value: passed from a program that chooses types at run time to the templates below. Void
// is `void` or `const void`.
template <class Void>
struct AnyView {
  Void* data = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;
  ElementType type{};

  AnyView() = default;
  AnyView(Void* data, int width, int height, std::ptrdiff_t stride, ElementType type)
      : data(data), width(width), height(height), stride(stride), type(type) {}
  template <class T>
  requires(std::is_const_v<Void> || !std::is_const_v<T>) AnyView(ImageView<T> view)
      : AnyView(view.data, view.width, view.height, view.stride, element_type<std::remove_const_t<T>>()) {}
  template <class Other>
  requires(std::is_const_v<Void>&& std::is_same_v<Other, void>) AnyView(const AnyView<Other>& view)
      : AnyView(view.data, view.width, view.height, view.stride, view.type) {}

  // The caller has checked `type` before.
  template <class T>
  ImageView<T> as() const {
    return {static_cast<T*>(data), width, height, stride};
  }
  Size size() const { return {width, height}; }
};
using AnyImageView = AnyView<void>;
using AnyConstImageView = AnyView<const void>;

// For dry replays: views as of an Image of that size, without memory.
template <class T>
ImageView<T> view_without_memory(Size size) {
  return {nullptr, size.width, size.height, pitched_stride(size.width, sizeof(T))};
}
inline AnyImageView view_without_memory(Size size, ElementType type) {
  return {nullptr, size.width, size.height, pitched_stride(size.width, size_of(type)), type};
}

}  // namespace gpu
