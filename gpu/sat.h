// The public interface of summed area tables: the algorithms, their descriptors, and how to run one.
//
// sat(x, y) = sum of image(i, j) for all i <= x, j <= y   (inclusive; the image's size; any size from 1x1 to 2^30 x 2^30, any
// stride from the width on)
//
// Integer sums are exact modulo 2^32 (2^64): a box sum that fits is exact even if the table has wrapped around, and all
// integer algorithms agree bit for bit. A floating-point entry differs from the exact sum by at most
// float_error_bound() below.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/parameter.h"

namespace gpu {

struct KernelVersion;

// Input bits and type, then sum bits and type, as in the literature. u8_u64 sums squares; where a pair has two terms, the second
// one's name says so.
enum class SatType {
  u8_u32,
  u8_f32,
  u32_u32,
  f32_f32,
  f64_f64,
  u8_u64,
  u16_u32,
  u16_u64,
  u8_f64,
  f32_f64,
  u8_u64_plain,
  u16_u64_squares,
  f32_f64_squares
};

struct SatTypeInfo {
  SatType type;
  std::string_view name;  // "8u32u"
  ElementType input, sum;
  Term term = Term::pixel;
};
inline constexpr SatTypeInfo sat_types[] = {
    {SatType::u8_u32, "8u32u", ElementType::u8, ElementType::u32},
    {SatType::u8_f32, "8u32f", ElementType::u8, ElementType::f32},
    {SatType::u32_u32, "32u32u", ElementType::u32, ElementType::u32},
    {SatType::f32_f32, "32f32f", ElementType::f32, ElementType::f32},
    {SatType::f64_f64, "64f64f", ElementType::f64, ElementType::f64},
    {SatType::u8_u64, "8u64u", ElementType::u8, ElementType::u64, Term::square},
    {SatType::u16_u32, "16u32u", ElementType::u16, ElementType::u32},
    {SatType::u16_u64, "16u64u", ElementType::u16, ElementType::u64},
    {SatType::u8_f64, "8u64f", ElementType::u8, ElementType::f64},
    {SatType::f32_f64, "32f64f", ElementType::f32, ElementType::f64},
    {SatType::u8_u64_plain, "8u64u_plain", ElementType::plain_u8, ElementType::u64},
    {SatType::u16_u64_squares, "16u64u_squares", ElementType::squared_u16, ElementType::u64, Term::square},
    {SatType::f32_f64_squares, "32f64f_squares", ElementType::squared_f32, ElementType::f64, Term::square},
};
// For the descriptors of algorithms: few have all types, because every type costs each of their kernels once more. All others have
// the usual ones.
inline constexpr auto all_sat_types = [] {
  std::array<SatType, std::size(sat_types)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = sat_types[i].type;
  return all;
}();
inline constexpr std::span<const SatType> usual_sat_types = std::span(all_sat_types).first<6>();
inline constexpr std::string_view usual_types_note =
    "decoupled_fallback, host_ehsan, host_parallel, host_serial and host_wavefront have all types";

const SatTypeInfo& info(SatType type);
// The pair that sums this term of 8-bit pixels without rounding.
constexpr SatType exact_type(Term term) { return term == Term::square ? SatType::u8_u64 : SatType::u8_u32; }
const SatTypeInfo* find_sat_type(std::string_view name);  // nullptr if there is none
// Aliases such as 8s32s have the same bits: the types of the views decide. Throws std::invalid_argument for other pairs.
SatType sat_type(ElementType input, ElementType sum);

// The global memory traffic of one computation: bytes that threads request, including scratch memory, flags and clearing;
// and its launches, where a clear counts as one.
struct Traffic {
  std::uint64_t read_bytes = 0, written_bytes = 0;
  int launches = 0;

  constexpr std::uint64_t bytes() const { return read_bytes + written_bytes; }
};
constexpr Traffic operator+(const Traffic& a, const Traffic& b) {
  return {a.read_bytes + b.read_bytes, a.written_bytes + b.written_bytes, a.launches + b.launches};
}
constexpr Traffic& operator+=(Traffic& a, const Traffic& b) { return a = a + b; }

// Images of one size: image i begins i * image_stride elements behind the first one. Where pixels have several channels, one beside
// another, each has a table: neighbouring pixels of a channel are so many elements apart, and its rows as far as the image's stride
// says. Table t, of channel t % channels of image t / channels, begins t * sat_stride elements behind the first table. No table
// overlaps another one or an image.
struct ImageBatch {
  int count = 1;  // there are at most most_images tables
  std::ptrdiff_t image_stride = 0, sat_stride = 0;
  int channels = 1;

  static constexpr int most_images = 1 << 30;  // kernels count their rows in an int

  constexpr int tables() const { return count * channels; }
  // Where the channel begins, and its table.
  constexpr std::ptrdiff_t image_at(int table) const { return table / channels * image_stride + table % channels; }
  constexpr std::ptrdiff_t sat_at(int table) const { return table * sat_stride; }
};

struct SatAlgorithm {
  std::string_view name;  // "1r1w_skss_lb", after its file sat/sat_<name>
  int year;
  std::string_view paper;  // authors, title, section
  std::string_view idea;   // one sentence
  Device device = Device::cuda;
  std::string_view reads, writes;  // of global memory per pixel, as the paper counts: "1", "1+r"
  // The exact figures for an image of `size`, of aligned rows, and arguments for `parameters` on a GPU with these limits if blocks
  // run one after another (gpu/sat/block/traffic.h), of every run but the first, which may also clear memory that persists. Null for
  // host algorithms and for kernels of libraries.
  Traffic (*traffic)(Size size, SatType type, const Arguments& arguments, const GpuLimits& limits) = nullptr;
  std::span<const Parameter> parameters = {};
  std::span<const SatType> types = usual_sat_types;
  std::string_view types_note = usual_types_note;  // why a type is missing; empty if none is
  // Whether a floating-point table is the same, bit for bit, in every run on one GPU. If not, the order of additions depends
  // on which blocks finish first, and runs differ within float_error_bound(). Integer tables are always the same.
  bool repeatable = true;
  bool records_tiles = false;           // on request, in tables of type 8u32u: see gpu/sat/block/tile_recorder.h
  std::string_view not_simulated = {};  // why the simulated GPU cannot run it; empty: it can, or it is a host algorithm
  int most_rows = std::numeric_limits<int>::max();  // of an image; taller ones are refused
  // Why it cannot run although its device exists: an optional library is missing. Empty, or no function: it can run.
  std::string (*unavailable)() = nullptr;
  // Queues (device) or does (host) the whole computation. Image and sat have the same size and a pair of types from `types`,
  // and do not overlap. Never allocates, waits or reads back: scratch memory comes from the context.
  void (*run)(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments);
  // The same for all images of a batch, by as few launches as its memory allows, which does not depend on how many images there are:
  // a plan need not know. Integer tables are those of `run`; the order in which floating-point numbers are added may be another one,
  // and is the same in every run if `repeatable`. Null: it is run once for each image.
  void (*run_batch)(Context& context, const AnyConstImageView& first_image, const AnyImageView& first_sat,
                    const Arguments& arguments, const ImageBatch& batch) = nullptr;
  const KernelVersion* version = nullptr;  // of a user's file (gpu/user_kernels/); null: it is built in
};

// Every algorithm: those that are built in, sorted by name, whose table is generated from the file names, then those of users'
// files. What was returned before stays valid when one is added.
std::span<const SatAlgorithm* const> sat_algorithms();
std::span<const SatAlgorithm* const> built_in_sat_algorithms();
const SatAlgorithm* find_sat_algorithm(std::string_view name);  // nullptr if there is none
std::string why_unavailable(const SatAlgorithm& algorithm);     // for other reasons than its device; empty if it can run
bool runs_on(const SatAlgorithm& algorithm, Device device);     // its own device or, for CUDA algorithms, the simulated GPU

// Throws std::invalid_argument, with the cause, unless the preconditions of `run` hold: those of check_views(), a supported type, its
// device.
void check_run(const Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat);
// Checks that and runs it; on the simulated GPU with the kernels of the context's driver.
void compute_sat(Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments);
// The same for all tables of a batch, whose images and tables lie as the first ones do, by an algorithm that has run_batch. The views
// of the first ones are checked, not those behind them.
void compute_sat_batch(Context& context, const SatAlgorithm& algorithm, const AnyConstImageView& first_image,
                       const AnyImageView& first_sat, const Arguments& arguments, const ImageBatch& batch);

// |entry - exact| <= this, where `absolute_sum` is the sum of |image(i, j)| over the entry's rectangle. Every entry is a
// sum of at most width * height terms in some order. Each term takes part in at most `width + height + 64` additions (rows
// serially, columns serially; or, in tiles, fewer than 64 inside a tile and fewer than two tile widths from one tile to the
// next), each of which rounds once (Higham, Accuracy and Stability of Numerical Algorithms, sec. 4.2). No algorithm here
// subtracts one floating-point sum from another. The bound is doubled, because the float64 reference of the tests also
// rounds.
template <class Sum>
constexpr double float_error_bound(Size size, double absolute_sum) {
  const double unit = static_cast<double>(std::numeric_limits<Sum>::epsilon()) / 2;
  return 2.0 * unit * (static_cast<double>(size.width) + static_cast<double>(size.height) + 64.0) * absolute_sum;
}

// Whether it is one of usual_sat_types.
constexpr bool is_usual(SatType type) {
  for (const auto usual : usual_sat_types)
    if (usual == type) return true;
  return false;
}
template <class Input, class Sum>
constexpr bool is_usual() {
  for (const auto& type : sat_types)
    if (type.input == element_type<Input>() && type.sum == element_type<Sum>()) return is_usual(type.type);
  return false;
}

// Calls f(ImageView<const Input>, ImageView<Sum>) with the static types of the views, which must be a pair of usual_sat_types.
template <class F>
void visit_usual_sat_type(AnyConstImageView image, AnyImageView sat, F&& f) {
  switch (sat_type(image.type, sat.type)) {
    case SatType::u8_u32: return f(image.as<const std::uint8_t>(), sat.as<std::uint32_t>());
    case SatType::u8_f32: return f(image.as<const std::uint8_t>(), sat.as<float>());
    case SatType::u32_u32: return f(image.as<const std::uint32_t>(), sat.as<std::uint32_t>());
    case SatType::f32_f32: return f(image.as<const float>(), sat.as<float>());
    case SatType::f64_f64: return f(image.as<const double>(), sat.as<double>());
    case SatType::u8_u64: return f(image.as<const std::uint8_t>(), sat.as<std::uint64_t>());
    default: throw std::invalid_argument("no usual pair of input and sum types");
  }
}
// As visit_usual_sat_type(), with every pair.
template <class F>
void visit_sat_type(AnyConstImageView image, AnyImageView sat, F&& f) {
  switch (sat_type(image.type, sat.type)) {
    case SatType::u16_u32: return f(image.as<const std::uint16_t>(), sat.as<std::uint32_t>());
    case SatType::u16_u64: return f(image.as<const std::uint16_t>(), sat.as<std::uint64_t>());
    case SatType::u8_f64: return f(image.as<const std::uint8_t>(), sat.as<double>());
    case SatType::f32_f64: return f(image.as<const float>(), sat.as<double>());
    case SatType::u8_u64_plain: return f(image.as<const Plain<std::uint8_t>>(), sat.as<std::uint64_t>());
    case SatType::u16_u64_squares: return f(image.as<const Squared<std::uint16_t>>(), sat.as<std::uint64_t>());
    case SatType::f32_f64_squares: return f(image.as<const Squared<float>>(), sat.as<double>());
    default: return visit_usual_sat_type(image, sat, f);
  }
}

namespace sat {
// The sequential summed area table on host views, the reference that every algorithm is tested against:
// sat(x, y) = term(image(x, y)) + row sum so far + sat(x, y - 1). Integers modulo 2^bits; floating point in the given
// Sum, rounding as written (call it with Sum = double for the float64 reference). Views are in host memory.
template <class Input, class Sum>
void reference(ImageView<const Input> image, ImageView<Sum> sat) {
  for (int y = 0; y < image.height; ++y) {
    Sum row_sum = 0;
    for (int x = 0; x < image.width; ++x) {
      row_sum += term<Sum>(image(x, y));
      sat(x, y) = y > 0 ? row_sum + sat(x, y - 1) : row_sum;
    }
  }
}
}  // namespace sat

}  // namespace gpu
