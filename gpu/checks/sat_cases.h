// The cases on which algorithms are tested, and users' kernels judged: sizes, contents, and memory layouts of image and table.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "gpu/sat.h"

namespace gpu {

struct Content {
  enum class Kind { ones, ramp, random, all_max, impulse, positive };
  Kind kind = Kind::ones;
  int x = 0, y = 0;  // of the impulse

  std::string text() const;
  // Whether a floating-point image with this content has only integers.
  bool whole_numbers() const { return kind != Kind::random && kind != Kind::positive; }
  // Whether table_entry() has a formula for its table: then a large image need not be added up.
  bool has_formula() const { return kind == Kind::ones || kind == Kind::all_max || kind == Kind::impulse; }
};

// Size and memory layout of one case, in elements.
struct Layout {
  Size size;
  std::ptrdiff_t image_stride, table_stride;
  int image_offset = 0, table_offset = 0;  // of the first pixel, and of the first entry, from a 256-byte boundary

  std::string text() const;
};

// The values of an algorithm's numeric choices up to 1024, or the usual ones: tile widths, block sizes. Errors are likely
// around each of them.
std::vector<int> edges(const SatAlgorithm& algorithm);
// Every combination of an algorithm's choices and of the ends of its ranges, the initial one first.
std::vector<Arguments> all_arguments(const SatAlgorithm& algorithm);
std::string text(const Arguments& arguments);

// 1x1, 1xN, Nx1, around every edge, 311x239 with stride 320, and so on; `most_pixels` excludes larger ones.
std::vector<Layout> layouts(const SatAlgorithm& algorithm, std::size_t most_pixels);
// Rows of the image and of the table begin at multiples of 1, 2, 4, 8 and 16 bytes and of no more, each with each, as far as
// elements allow: because of their stride, or of where the first one begins.
std::vector<Layout> aligned_layouts(SatType type, Size size);
// A few of layouts() for sanitizers, with whole and partial tiles of every width.
std::vector<Layout> reduced_layouts(const SatAlgorithm& algorithm);
// Longer than any grid has blocks in y, or as long as the algorithm accepts. Only bytes and one content, because an
// algorithm with one thread per row is slow here.
std::vector<Layout> thin_layouts(const SatAlgorithm& algorithm);
// Impulses in every corner and around the edges of the first and the last tile.
std::vector<Content> contents(const SatAlgorithm& algorithm, Size size);

template <class T>
requires(!std::is_class_v<T>) constexpr T pixel(const Content& content, int x, int y) {
  switch (content.kind) {
    case Content::Kind::ones: return T(1);
    case Content::Kind::ramp: return static_cast<T>((x + 3 * y) % 256);
    case Content::Kind::impulse: return static_cast<T>(x == content.x && y == content.y ? 1 : 0);
    case Content::Kind::all_max:
      // The byte 255, and for wider integers all bits: sums pass 2^32 after 16 843 009 bytes, or two words.
      return std::is_integral_v<T> ? std::numeric_limits<T>::max() : T(255);
    case Content::Kind::random:
    case Content::Kind::positive: break;
  }
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9e3779b1u ^ static_cast<std::uint32_t>(y) * 0x85ebca77u;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 13)) * 0x297a2d39u;
  h ^= h >> 16;
  if constexpr (std::is_floating_point_v<T>)
    return content.kind == Content::Kind::positive
               ? static_cast<T>(h) * static_cast<T>(0x1p-32)                              // [0, 1]
               : static_cast<T>(static_cast<std::int32_t>(h)) * static_cast<T>(0x1p-31);  // [-1, 1)
  else
    return static_cast<T>(h);
}

// Pixels that say their term (gpu/image.h).
template <class Pixel>
requires(std::is_class_v<Pixel>) constexpr Pixel pixel(const Content& content, int x, int y) {
  return {pixel<PixelValue<Pixel>>(content, x, y)};
}

// Entry (x, y) of the table of a content that has a formula. Ref: the type of the reference for an image of Input.
template <class Input, class Ref>
constexpr Ref table_entry(const Content& content, int x, int y) {
  if (content.kind == Content::Kind::impulse) return static_cast<Ref>(x >= content.x && y >= content.y ? 1 : 0);
  return static_cast<Ref>(x + 1) * static_cast<Ref>(y + 1) * term<Ref>(pixel<Input>(content, 0, 0));
}

// Calls f.template operator()<Input, Sum>() for a type.
template <class F>
void with_types(SatType type, F&& f) {
  switch (type) {
    case SatType::u8_u32: return f.template operator()<std::uint8_t, std::uint32_t>();
    case SatType::u8_f32: return f.template operator()<std::uint8_t, float>();
    case SatType::u32_u32: return f.template operator()<std::uint32_t, std::uint32_t>();
    case SatType::f32_f32: return f.template operator()<float, float>();
    case SatType::f64_f64: return f.template operator()<double, double>();
    case SatType::u8_u64: return f.template operator()<std::uint8_t, std::uint64_t>();
    case SatType::u16_u32: return f.template operator()<std::uint16_t, std::uint32_t>();
    case SatType::u16_u64: return f.template operator()<std::uint16_t, std::uint64_t>();
    case SatType::u8_f64: return f.template operator()<std::uint8_t, double>();
    case SatType::f32_f64: return f.template operator()<float, double>();
    case SatType::u8_u64_plain: return f.template operator()<Plain<std::uint8_t>, std::uint64_t>();
    case SatType::u16_u64_squares: return f.template operator()<Squared<std::uint16_t>, std::uint64_t>();
    case SatType::f32_f64_squares: return f.template operator()<Squared<float>, double>();
  }
}

// One test for each algorithm of a device and each type that it supports.
struct SatTestCase {
  const SatAlgorithm* algorithm;
  SatType type;
};
std::vector<SatTestCase> sat_test_cases(Device device);
std::vector<SatTestCase> sat_test_cases(Device device, std::initializer_list<SatType> types);
// What reduced_layouts() lacks: rows and columns so long that they take several steps of a scan, which start the kernels for tall
// images. One type with sums of 4 bytes and one with sums of 8 represent all, because their kernels come from the same source.
// Together they start every kernel of layouts() (a test replays them).
bool has_long_layouts(const SatAlgorithm& algorithm);
std::vector<Layout> reduced_long_layouts(const SatTestCase& test);
// Every kernel that the layouts start, with all choices of parameters, for this limit of shared memory per block.
std::set<const void*> kernels(const SatTestCase& test, const std::vector<Layout>& layouts,
                              std::size_t shared_bytes = shared_sizes[0]);
std::string name(const SatTestCase& test);  // "2r1w_8u32u"

}  // namespace gpu
