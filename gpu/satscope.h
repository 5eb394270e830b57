// Summed area tables for other programs: one header, without threads or CUDA's headers.
//
//     satscope::Plan plan({1920, 1080}, satscope::u8_u32);
//     plan(image, image_pitch, table, table_pitch, stream);   // pitches in bytes
//
// table(x, y) = sum of image(i, j) for all i <= x, j <= y. Integer sums are exact modulo 2^32 (2^64), so that the sum of a box that
// fits is exact even where the table has wrapped around. A floating-point sum differs from the exact one by at most
// (width + height + 64) * epsilon * (the sum of the absolute values).
//
// Making a plan or a filter takes all memory that it needs. On the host it starts threads (tens of microseconds), which all plans of
// the process share that use as many; on a GPU it runs once, which loads the kernels, and for that time takes as much memory again
// as its images. A call takes no memory for images and tables, and none of a GPU; on the heap short pieces, a few KB in all.
// gpu/examples/plan_cost.cpp measures the cost.
//
// What may happen at the same time: anything with different plans and filters, in one thread or several, on one stream or several.
// The calls of one of them follow one another, because they share its memory: a call waits for that of another thread, and on a GPU
// one on another stream than the one before waits for it there, and so does a launch of a graph. Tables at the same time need a plan
// for each stream. Tuning, moving and destroying is for one thread alone. Making and tuning one waits for its own runs; releasing
// memory, at the end of these and of a plan, waits for all that the GPU has been given. Neither disturbs streams that are captured.
//
// CUDA graphs: a call can be captured, the first one too. The graph has the addresses of image, table and the plan's own memory:
// the plan must outlive it and must not be tuned, and moving the plan changes nothing. Nodes of the graph wait for an event before
// its first call of the plan, and record the event behind each call: therefore it can neither be launched from the GPU nor be the
// body of a conditional node. After an Error of a call other than for its arguments, make and capture the plan again.
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

// Type of the pixels, then of the sums. u8_u64 sums the squares of the pixels, as do those whose names say so.
enum Type {
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

// automatic: the GPU where there is one, else the host.
enum Device { automatic, host, cuda };

struct Size {
  int width = 0, height = 0;
};

struct Options {
  // One of algorithms(); empty: the fastest where it was measured, by the user (`satscope tune`) or before (Plan::origin()). What the
  // user measured is read from $XDG_CONFIG_HOME/satscope/tuned.txt, or ~/.config/satscope/tuned.txt, for plans and filters on a GPU.
  std::string algorithm = {};
  std::string parameters = {};  // of the algorithm, "W=64 rows=8"; those that are not named have their initial values
  Device device = automatic;
  // The table has a row and a column more, the first ones, of zeros, as OpenCV's integral() and NPP have them: then
  // table(x, y) = sum of image(i, j) for all i < x, j < y.
  bool padded = false;
  // Sums of triangles instead, for features rotated by 45 degrees; u8_u32 only, by an algorithm of its own:
  // table(x, y) = sum of image(i, j) for j <= y, |i - x| <= y - j. Padded it is the third table of OpenCV's integral():
  // table(x, y) = sum of image(i, j) for j < y, |i - x + 1| <= y - j - 1, whose first column is not all zeros. (R. Lienhart and
  // J. Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002.)
  bool tilted = false;
  int threads = 0;  // of the host; 0: one per core
};

// The names of the algorithms of a device, which support the type.
__attribute__((visibility("default"))) std::vector<std::string> algorithms(Device device, Type type);

// Images of one size in one call: each begins `image_stride` bytes behind the one before it, each table `table_stride` bytes
// behind the table before it. They may lie one behind another, or side by side in one wide picture.
//
// If each pixel has several `channels`, one beside another as those of colour pixels, every channel gets a table of its own: first
// all of the first image, then all of the next. A row then has `width` times `channels` elements. Such pixels are taken as they are,
// not copied, by plans on a GPU that take batches at once.
struct Batch {
  int count = 1;
  std::size_t image_stride = 0, table_stride = 0;
  int channels = 1;
};

// Pixels x <= i < x + width, y <= j < y + height; of a tilted plan others: Plan::box_sums().
struct Box {
  int x = 0, y = 0, width = 0, height = 0;
};

namespace detail {
struct Inside;  // of this project alone
}

// One size and type, computed by one algorithm on one device.
class __attribute__((visibility("default"))) Plan {
 public:
  // The GPU is the thread's current one. Throws Error: no such device, algorithm or parameter, a size that it does not
  // support, or no memory.
  Plan(Size size, Type type, const Options& options = {});
  ~Plan();
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan&&) noexcept;

  // The image has `size` pixels, whose rows begin `image_pitch` bytes apart, the table as many sums, or a row and a column more.
  // Both are memory of the plan's device, begin at multiples of their elements' sizes, and do not overlap; rows of one may lie
  // between those of the other. On a GPU the work is queued on `stream` and nothing waits, and a call can be captured into a CUDA
  // graph; on the host it is done when the call returns. Throws Error for arguments that it refuses, before anything is queued, and
  // for failed CUDA calls. What it cannot see is memory that is too small.
  void operator()(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch,
                  CUstream_st* stream = nullptr);
  // Several images, whose tables neither overlap each other nor an image. On a GPU a plan takes all of them at once, in one launch or
  // in as many as its memory allows, if its algorithm can (one_wave, scanrow_column), or if it chose its algorithm itself, one_wave has
  // the type and the images have at most 2048x2048 pixels: then by one_wave. Floating-point tables can differ from those of single
  // calls, within the bound above. Otherwise the images follow one another; a graph saves the time between them.
  void operator()(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
                  CUstream_st* stream = nullptr);

  // The sums of many boxes, from a complete table of the plan: sums[i] is the sum of the pixels of boxes[i],
  // of the table's type, where those outside the image count as zeros. So no box is wrong: one that is empty, has a negative side or
  // lies outside has the sum 0. Boxes and sums, too, are memory of the plan's device, and the sums overlap nothing. For streams and
  // graphs the same holds as for a call, and Error is thrown for the same reasons.
  //
  // Those of a tilted plan are rotated by 45 degrees too, as those of OpenCV's cascades: a box has the 2 width height pixels (i, j)
  // with 0 <= (j - y) + (i - x + 1) < 2 width and 0 <= (j - y) - (i - x + 1) < 2 height, of which (x - 1, y) is the highest. If some
  // of them lie below the image, in one of its columns, then a tilted table does not have the sum, and sums[i] is 2^32 - 1.
  void box_sums(const void* table, std::size_t table_pitch, const Box* boxes, int count, void* sums,
                CUstream_st* stream = nullptr);

  // Measures every algorithm of the device for this size and type here and now, then the parameters of the three fastest, and
  // changes to the fastest of all. Each of them, with each combination of parameters, runs up to 32 times, fewer where it takes more
  // than 50 us or is slow beside others: hundreds to a few thousand runs. They use images and tables in turn that are together
  // larger than twice the last cache, so that none is still in it. Graphs that have captured the plan end here. Throws Error where
  // nothing can be measured.
  void tune();

  Device device() const;           // host or cuda
  std::string algorithm() const;   // in use
  std::string parameters() const;  // in use, "W=64 rows=8"
  // Why that algorithm: "the fastest at 4096x4096 on an NVIDIA H100"; and why the user's measurements are not used, if they cannot be.
  std::string origin() const;
  Size table_size() const;
  bool takes_channels() const;       // Batch::channels may be more than 1
  std::size_t memory_bytes() const;  // held by the plan

 private:
  friend struct detail::Inside;
  struct __attribute__((visibility("hidden"))) State;
  __attribute__((visibility("hidden"))) explicit Plan(std::unique_ptr<State> state);
  __attribute__((visibility("hidden"))) State& state() const;  // throws Error if it was moved to another one
  std::unique_ptr<State> state_;
};

// The names of what a Filter can compute.
__attribute__((visibility("default"))) std::vector<std::string> filters();

// A picture of 8-bit pixels computed from its tables, whatever the window at the same cost:
//
//     satscope::Filter blur({1920, 1080}, satscope::Filter::gray, "box_blur", "window=31x31");
//     satscope::Filter ink({1920, 1080}, satscope::Filter::bgr, "adaptive_threshold", "method=bradley t=15");
//
// The program's `satscope list effects` describes them, their papers and their parameters; parameters() has the names and the
// values of those that are in use, and an Error the values that one can have.
class __attribute__((visibility("default"))) Filter {
 public:
  enum Pixels { gray, bgr };  // one byte; blue, green and red

  // The tables are computed by options.algorithm. Throws Error as Plan does. A filter that can compute colours or gray
  // (`colour`) computes gray from gray pixels.
  Filter(Size size, Pixels pixels, const std::string& name, const std::string& parameters = {}, const Options& options = {});
  ~Filter();
  Filter(Filter&&) noexcept;
  Filter& operator=(Filter&&) noexcept;

  // The result has the image's size, and result_channels() bytes per pixel: 1, gray, or 4, red, green, blue and 255. For memory,
  // streams and graphs the same holds as for Plan.
  void operator()(const void* image, std::size_t image_pitch, void* result, std::size_t result_pitch,
                  CUstream_st* stream = nullptr);
  // Into a CUDA surface (a cudaSurfaceObject_t) of four bytes per pixel, such as a mapped OpenGL texture of the format GL_RGBA8;
  // it is at least as large as the image. On a GPU only.
  void draw(const void* image, std::size_t image_pitch, unsigned long long surface, CUstream_st* stream = nullptr);

  Device device() const;
  int result_channels() const;
  std::string parameters() const;  // in use, "window=31x31 border=reflect"
  std::size_t memory_bytes() const;

 private:
  struct __attribute__((visibility("hidden"))) State;
  __attribute__((visibility("hidden"))) State& state() const;  // throws Error if it was moved to another one
  std::unique_ptr<State> state_;
};

// The sum of one box that lies inside the image; 0 of an empty one. `table` is of a plan that is not tilted, in memory of whoever
// calls: on the host, or in a kernel. Plan::box_sums() has many in one call.
template <class Sum>
#ifdef __CUDACC__
__host__ __device__
#endif
    inline Sum
    box_sum(const Sum* table, std::size_t table_pitch, const Box& box, bool padded = false) {
  if (box.width <= 0 || box.height <= 0) return Sum(0);
  const auto* bytes = reinterpret_cast<const unsigned char*>(table);
  const std::ptrdiff_t pitch = static_cast<std::ptrdiff_t>(table_pitch);
  // The sum of the first x columns and y rows.
  const auto corner = [=](int x, int y) {
    if (!padded && (x == 0 || y == 0)) return Sum(0);
    const int border = padded ? 0 : 1;
    return reinterpret_cast<const Sum*>(bytes + (y - border) * pitch)[x - border];
  };
  const int right = box.x + box.width, below = box.y + box.height;
  return (corner(right, below) - corner(box.x, below)) - (corner(right, box.y) - corner(box.x, box.y));
}

}  // namespace satscope
