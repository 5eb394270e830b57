// Summed area tables for other programs: one header, without templates, threads or CUDA's headers.
//
//     satscope::Plan plan({1920, 1080}, satscope::u8_u32);
//     plan(image, image_pitch, table, table_pitch, stream);   // pitches in bytes
//
// table(x, y) = sum of image(i, j) for all i <= x, j <= y. Integer sums are exact modulo 2^32 (2^64), so that the sum of a box that
// fits is exact even where the table has wrapped around. A floating-point sum differs from the exact one by at most
// (width + height + 64) * epsilon * (the sum of the absolute values).
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct CUstream_st;  // a cudaStream_t points to one

namespace satscope {

// What is wrong, and what to do about it, in one line.
class __attribute__((visibility("default"))) Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Type of the pixels, then of the sums. u8_u64 sums the squares of the pixels.
enum Type { u8_u32, u8_f32, u32_u32, f32_f32, f64_f64, u8_u64 };

// automatic: the GPU where there is one, else the host.
enum Device { automatic, host, cuda };

struct Size {
  int width = 0, height = 0;
};

struct Options {
  std::string algorithm = {};   // one of algorithms(); empty: the one that is usually the fastest
  std::string parameters = {};  // of the algorithm, "W=64 rows=8"; those that are not named have their initial values
  Device device = automatic;
  // The table has a row and a column more, the first ones, of zeros, as OpenCV's integral() and NPP have them: then
  // table(x, y) = sum of image(i, j) for all i < x, j < y.
  bool padded = false;
  int threads = 0;  // of the host; 0: one per core
};

// The names of the algorithms of a device, which support the type.
__attribute__((visibility("default"))) std::vector<std::string> algorithms(Device device, Type type);

// One size and type, computed by one algorithm on one device. Making it takes all memory that it needs, and on a GPU runs the
// algorithm once, which loads its kernels: milliseconds, and as much memory as an image and its table for that time.
//
// One plan is used by one thread at a time, and its calls on a GPU belong to one stream, or follow each other by events: they share
// its memory. Different plans may be used at the same time.
class __attribute__((visibility("default"))) Plan {
 public:
  // The GPU is the thread's current one. Throws Error: no such device, algorithm or parameter, a size that it does not
  // support, or no memory.
  Plan(Size size, Type type, const Options& options = {});
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  // The image has `size` pixels, whose rows begin `image_pitch` bytes apart, the table as many sums, or a row and a column more.
  // Both are memory of the plan's device, begin at multiples of their elements' sizes, and do not overlap. On a GPU the work is
  // queued on `stream` and nothing waits; on the host it is done when the call returns. Nothing is allocated, and a call can be
  // captured into a CUDA graph. Throws Error for arguments that it refuses, before anything is queued, and for failed CUDA calls.
  void operator()(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch,
                  CUstream_st* stream = nullptr);

  Device device() const;           // host or cuda
  std::string algorithm() const;   // in use
  std::string parameters() const;  // in use, "W=64 rows=8"
  Size table_size() const;
  std::size_t memory_bytes() const;  // held by the plan

 private:
  struct __attribute__((visibility("hidden"))) State;
  std::unique_ptr<State> state_;
};

}  // namespace satscope
