// What a file with a kernel of one's own includes. It hides gpu/'s contexts and descriptors. A table:
//
//   void run(Image image, Table table)    8-bit pixels, 32-bit sums: image(x, y), table(x, y), .width, .height
//   template <class Image, class Table>   the same for all usual types: ValueOf<Table> is the type of a sum, and
//   void run(Image image, Table table)    term<ValueOf<Table>>(image(x, y)) what a pixel adds to it (8u64u: its square)
//   kernel<<<grid, block>>>(arguments)    as in CUDA, also with bytes of dynamic shared memory; kernels run one after another
//   scratch<T>(n)                         memory of the GPU for n elements, uninitialised, until the end of run()
//   blocks(n, block)                      how many blocks of `block` threads cover n threads
//
// Or an effect:
//
//   Pixel effect(Boxes boxes, int x, int y)    what is drawn at a pixel of the gray frame
//   boxes.mean(around(x, y, 15, 15))           the mean of 15 x 15 pixels: of those inside the frame
//   boxes.pattern({{1, {x, y, 8, 16}}, {-1, {x + 8, y, 8, 16}}})    weighted sums of boxes, as Haar-like features have them
//   signed_pixel(value, range)                 -range .. range as black .. white: zero is gray
//
// For more than this a file may include gpu/'s own headers and define a SatAlgorithm, like the files gpu/sat/sat_*.cu.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>
#include <utility>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/effects/colour_map.h"
#include "gpu/effects/window_sums.h"
#include "gpu/sat.h"

using Image = gpu::ImageView<const std::uint8_t>;
using Table = gpu::ImageView<std::uint32_t>;

// Of the elements of an image or a table.
template <class View>
using ValueOf = std::remove_cvref_t<decltype(std::declval<const View&>()(0, 0))>;
using gpu::term;

constexpr unsigned blocks(int threads, int block) { return static_cast<unsigned>(gpu::ceil_div(threads, block)); }

// Uninitialised memory of the GPU, until the end of run(), which calls it.
template <class T>
T* scratch(std::ptrdiff_t count, std::source_location where = std::source_location::current());

// A rectangle of pixels, by its top left corner.
struct Box {
  int x, y, width, height;
};
// The box of that size in which the pixel has index `side / 2`: odd ones are centred.
constexpr Box around(int x, int y, int width, int height) { return {x - width / 2, y - height / 2, width, height}; }

struct WeightedBox {
  int weight;
  Box box;
};

// The gray frame and its table. What lies outside the frame counts as nothing, as with the box blur's border "clip".
class Boxes {
 public:
  constexpr Boxes(gpu::effects::SatView table, Image gray) : table_(table), gray_(gray) {}

  constexpr int width() const { return table_.width; }
  constexpr int height() const { return table_.height; }
  constexpr gpu::Size size() const { return table_.size(); }
  // The pixel's level; outside the frame that of the nearest pixel.
  constexpr int gray(int x, int y) const { return gray_(std::clamp(x, 0, width() - 1), std::clamp(y, 0, height() - 1)); }

  // Of the pixels of the box that are inside the frame: their sum, modulo 2^32, how many they are, and the rounded mean (0 of
  // none).
  constexpr unsigned sum(const Box& box) const {
    const Ends x = inside(box.x, box.width, width()), y = inside(box.y, box.height, height());
    return gpu::effects::box_sum(table_, x.begin, y.begin, x.end, y.end);
  }
  constexpr int area(const Box& box) const {
    const Ends x = inside(box.x, box.width, width()), y = inside(box.y, box.height, height());
    return (x.end - x.begin) * (y.end - y.begin);
  }
  constexpr int mean(const Box& box) const {
    const auto area = static_cast<unsigned>(this->area(box));
    return area == 0 ? 0 : static_cast<int>((sum(box) + area / 2) / area);
  }
  // The sum of weight * sum over all boxes, which must fit an int.
  template <int count>
  constexpr int pattern(const WeightedBox (&boxes)[count]) const {
    unsigned total = 0;
    for (int i = 0; i < count; ++i) total += static_cast<unsigned>(boxes[i].weight) * sum(boxes[i].box);
    return static_cast<int>(total);
  }

 private:
  struct Ends {
    int begin, end;
  };
  static constexpr Ends inside(int begin, int side, int n) {
    const int first = std::clamp(begin, 0, n);
    return {first, std::clamp(begin + std::max(side, 0), first, n)};
  }

  gpu::effects::SatView table_;
  Image gray_;
};

// What an effect draws: a gray level, or red, green and blue, of 0 .. 255. Levels beyond are clamped, floating-point ones
// rounded; true is white.
struct Pixel {
  std::uint8_t r = 0, g = 0, b = 0;

  constexpr Pixel() = default;
  template <class Level>
  requires std::is_arithmetic_v<Level>
  constexpr Pixel(Level gray) : r(level(gray)), g(r), b(r) {}
  template <class Red, class Green, class Blue>
  constexpr Pixel(Red red, Green green, Blue blue) : r(level(red)), g(level(green)), b(level(blue)) {}

  template <class Level>
  static constexpr std::uint8_t level(Level value) {
    if constexpr (std::is_same_v<Level, bool>)
      return value ? 255 : 0;
    else if constexpr (std::is_floating_point_v<Level>)
      return !(value > 0) ? 0 : value >= 255 ? 255 : static_cast<std::uint8_t>(static_cast<int>(value + Level{0.5f}));
    else
      return value > 255 ? 255 : value < 0 ? 0 : static_cast<std::uint8_t>(value);
  }
};

// Zero as mid-gray, `range` as white and -range as black.
constexpr Pixel signed_pixel(float value, float range) {
  return Pixel(range > 0 ? 128.0f + 127.0f * gpu::effects::clamped(value / range, -1.0f, 1.0f) : 128.0f);
}

#ifndef __CUDACC__

#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <typeinfo>

// What the rewritten file calls: C++ has neither `<<<` nor a storage class for memory that a block shares
// (kernel_rewriting.h).
namespace satscope {

inline thread_local gpu::Context* context = nullptr;  // while run() runs

class Running {
 public:
  explicit Running(gpu::Context& of_run) : before_(std::exchange(context, &of_run)) {}
  ~Running() { context = before_; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  gpu::Context* before_;
};

// The kernel's name without its namespaces, template arguments and parameters, for times. Never freed: spans keep views of it.
inline std::string_view name_of(const void* kernel) {
  static auto* const names = new std::map<const void*, std::string_view>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& known = (*names)[kernel];
  if (!known.empty()) return known;
  Dl_info symbol;
  if (!dladdr(kernel, &symbol) || !symbol.dli_sname) return known = "kernel";
  const char* const demangled = abi::__cxa_demangle(symbol.dli_sname, nullptr, nullptr, nullptr);
  std::string_view all = demangled ? demangled : symbol.dli_sname;  // of a template "void ns::scan<(int)4>(int*)"
  all = all.substr(0, all.find_first_of("<("));
  return known = all.substr(all.find_last_of(": ") + 1);
}

// "mine.cu:12: "
inline std::string text_of(const std::source_location& where) {
  const std::string_view file = where.file_name();
  return std::string(file.substr(file.rfind('/') + 1)) + ':' + std::to_string(where.line()) + ": ";
}

// "mine.cu:12: scratch<float>(-5): the number of elements is negative"
[[noreturn]] inline void refuse_scratch(const std::type_info& type, std::ptrdiff_t count,
                                        const std::source_location& where) {
  char* const name = abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr);
  const std::string element = name ? name : type.name();
  std::free(name);
  throw std::invalid_argument(text_of(where) + "scratch<" + element + ">(" + std::to_string(count) +
                              "): " + (count < 0 ? "the number of elements is negative" : "no memory has that many bytes"));
}

// Throws std::invalid_argument where no GPU can start that: "mine.cu:12: 64 x 32 threads per block: a block has at most 1024".
inline void check_shape(const dim3& grid, const dim3& block, const std::source_location& where) {
  const auto refuse = [&](const dim3& shape, const char* of_what, const char* why) {
    std::string text = text_of(where) + std::to_string(shape.x);
    if (shape.y != 1 || shape.z != 1) text += " x " + std::to_string(shape.y);
    if (shape.z != 1) text += " x " + std::to_string(shape.z);
    throw std::invalid_argument(text + of_what + why);
  };
  constexpr auto threads = " threads per block: a block has ", all = " blocks: a grid has ";
  constexpr unsigned most_threads = 1024, most_layers = 64, most_rows = 65535, most_columns = 0x7fffffff;
  const auto is_none = [](const dim3& shape) { return shape.x == 0 || shape.y == 0 || shape.z == 0; };
  if (is_none(block)) refuse(block, threads, "at least one");
  if (block.x > most_threads || block.y > most_threads || block.z > most_threads ||
      std::size_t{block.x} * block.y * block.z > most_threads)
    refuse(block, threads, "at most 1024");
  if (block.z > most_layers) refuse(block, threads, "at most 64 in z");
  if (is_none(grid)) refuse(grid, all, "at least one; blocks(n, threads) rounds up");
  if (grid.x > most_columns) refuse(grid, all, "at most 2147483647 in x");
  if (grid.y > most_rows || grid.z > most_rows) refuse(grid, all, "at most 65535 in y and in z");
}

// A kernel that is to be started: the parameters are known, so that arguments are converted as in a call.
template <class... Parameters>
struct Launcher {
  void (*kernel)(Parameters...);
  gpu::Grid shape;

  void operator()(Parameters... arguments) const {
    context->launch(name_of(reinterpret_cast<const void*>(kernel)), kernel, shape, std::move(arguments)...);
  }
};

// What stands between <<< and >>>. All launches are of one stream.
struct Configuration {
  gpu::Grid shape;

  Configuration(dim3 grid, dim3 block, std::size_t shared_bytes = 0, [[maybe_unused]] cudaStream_t stream = nullptr,
                const std::source_location& where = std::source_location::current())
      : shape{grid, block, shared_bytes} {
    check_shape(grid, block, where);
  }
};
template <class... Parameters>
Launcher<Parameters...> operator|(void (*kernel)(Parameters...), const Configuration& configuration) {
  return {kernel, configuration.shape};
}

// A kernel whose template arguments follow from the arguments of the launch: Find(arguments...) returns a Kernel<its address>.
template <auto kernel>
struct Kernel {
  static constexpr auto address = kernel;
};
template <class Find>
struct Deduced {
  Find find;
};
template <class Find>
Deduced<Find> deduced(Find find) {
  return {find};
}
template <class Find>
auto operator|(const Deduced<Find>&, const Configuration& configuration) {
  return [configuration](const auto&... arguments) {
    (decltype(std::declval<Find>()(arguments...))::address | configuration)(arguments...);
  };
}

// cudaDeviceSynchronize() and the like. run() queues kernels, perhaps into a graph, where it cannot wait.
inline cudaError_t done([[maybe_unused]] cudaStream_t stream = nullptr) { return cudaSuccess; }

// extern __shared__ T name[]: a pointer to the first element.
template <class Array>
auto dynamic_shared() {
  return reinterpret_cast<std::remove_extent_t<Array>*>(gpu::dynamic_shared());
}
// The same for a variable outside a function.
template <class Array>
struct DynamicShared {
  using Element = std::remove_extent_t<Array>;

  operator Element*() const { return dynamic_shared<Array>(); }
  template <class Other>
  explicit operator Other*() const {
    return reinterpret_cast<Other*>(gpu::dynamic_shared());
  }
  template <class Index>
  Element& operator[](Index i) const {
    return dynamic_shared<Array>()[i];
  }
};

}  // namespace satscope

using $ = satscope::Configuration;  // as short as `<<<` leaves room for, so that columns stay

template <class T>
T* scratch(std::ptrdiff_t count, std::source_location where) {
  constexpr auto most = static_cast<std::ptrdiff_t>((std::size_t{1} << 47) / sizeof(T));  // bytes that a process can address
  if (count < 0 || count > most) satscope::refuse_scratch(typeid(T), count, where);
  return satscope::context->scratch<T>(static_cast<std::size_t>(count));
}

#endif
