#include "gpu/satscope.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/box_sums.h"
#include "gpu/check_views.h"
#include "gpu/context.h"
#include "gpu/effect.h"
#include "gpu/event.h"
#include "gpu/fastest_algorithm.h"
#include "gpu/parameter_search.h"
#include "gpu/parameter_text.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"

namespace satscope {
namespace {

// The two enumerations are in one order.
gpu::SatType type_of(Type type) {
  if (type < u8_u32 || type > u8_u64) throw Error("no such type of sums");
  return static_cast<gpu::SatType>(type);
}

// The GPU that is meant; none for the host.
std::optional<gpu::GpuInfo> gpu_of(Device device) {
  if (device < automatic || device > cuda) throw Error("no such device: satscope::automatic, host or cuda");
  if (device == host) return {};
  int current = 0;
  if (cudaGetDevice(&current) != cudaSuccess) cudaGetLastError();
  auto probe = gpu::probe_gpu(current);
  if (device == cuda && !probe.gpu)
    throw Error("no GPU: " + probe.reason + "; Options::device = satscope::host computes without one");
  return probe.gpu;
}

struct Choice {
  const gpu::SatAlgorithm* algorithm;
  gpu::Arguments arguments;
  std::string origin;
};

bool computes(const gpu::SatAlgorithm& algorithm, gpu::Device device, gpu::SatType type) {
  return algorithm.device == device && gpu::why_unavailable(algorithm).empty() &&
         std::ranges::find(algorithm.types, type) != algorithm.types.end();
}

// What it computes is a picture alone.
bool is_filter(const gpu::Effect& effect) { return !effect.most_annotations && !effect.prepare; }

Choice choice_of(const Options& options, const std::optional<gpu::GpuInfo>& gpu, gpu::Size size, gpu::SatType type) {
  Choice choice{gpu::find_sat_algorithm(options.algorithm), {}, "named"};
  if (options.algorithm.empty()) {
    auto fastest = gpu::fastest_algorithm(size, type, gpu);
    choice = {fastest.algorithm, {}, std::move(fastest.origin)};
  }
  if (!choice.algorithm) throw Error("no algorithm '" + options.algorithm + "': satscope::algorithms() has their names");
  if ((choice.algorithm->device == gpu::Device::cuda) != gpu.has_value())
    throw Error(options.algorithm + " runs on " + (gpu ? "the host" : "a GPU") +
                ", and the plan is for the other: choose Options::device, or another algorithm");
  choice.arguments = gpu::Arguments(choice.algorithm->parameters);
  gpu::set_from_text(choice.arguments, options.parameters);
  return choice;
}

// What the library throws becomes Error. `size`: of what takes memory.
template <class F>
auto as_error(Size size, const F& f) {
  const auto no_memory = [&](const char* where) {
    return Error(std::string("not enough ") + where + " for " +
                 (size.width > 0 ? std::to_string(size.width) + 'x' + std::to_string(size.height) + " pixels" : "the call") +
                 ": release what is not needed, divide the image, or choose another algorithm");
  };
  try {
    return f();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw no_memory("memory");
  } catch (const gpu::CudaError& error) {
    throw error.out_of_memory() ? no_memory("GPU memory") : Error(error.what());
  } catch (const std::exception& error) {
    throw Error(error.what());
  }
}
template <class F>
auto as_error(const F& f) {
  return as_error(Size{}, f);
}

std::ptrdiff_t stride_of(std::size_t pitch, std::size_t bytes, std::string_view what) {
  if (pitch % bytes != 0)
    throw Error(std::string(what) + ", " + std::to_string(pitch) + " bytes, is no multiple of its elements' " +
                std::to_string(bytes));
  if (pitch > std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / gpu::most_side)
    throw Error(std::string(what) + ", " + std::to_string(pitch) + " bytes, is too large");
  return static_cast<std::ptrdiff_t>(pitch / bytes);
}

// Where a plan or a filter works.
class Place {
 public:
  // `what`: "the plan", for errors.
  Place(const std::optional<gpu::GpuInfo>& gpu, int threads, std::string_view what) : what_(what) {
    if (threads < 0)
      throw Error(std::to_string(threads) + " threads: Options::threads is 0, one per core, or a number of them");
    if (gpu) {
      index_ = gpu->index;
      runner_.emplace(gpu::SatRunner::on_stream(nullptr));
    } else {
      pool_.emplace(threads);
      runner_.emplace(gpu::SatRunner::on_host(*pool_));
    }
  }

  bool on_host() const { return pool_.has_value(); }
  gpu::Device device() const { return runner_->device(); }
  std::size_t memory_bytes() const { return runner_->workspace_bytes() + runner_->persistent_bytes(); }

  // Takes the memory that `work` needs.
  void reserve(const std::function<void(gpu::Context&)>& work) { runner_->reserve(runner_->plan(work).workspace_bytes); }
  gpu::Context& context(cudaStream_t stream) {
    check_gpu();
    return runner_->context(stream);
  }
  template <class Work>
  void run(const Work& work) {
    try {
      work();
    } catch (...) {
      runner_->distrust();
      throw;
    }
  }

  // The thread's current GPU is the plan's.
  void check_gpu() const {
    if (pool_) return;
    int current = 0;
    gpu::check(cudaGetDevice(&current));
    if (current != index_)
      throw Error(what_ + " is for GPU " + std::to_string(index_) + ", and the current one is " + std::to_string(current) +
                  ": call cudaSetDevice() before it is made and used");
  }
  void check_memory(const void* data, const char* what) const {
    if (!data) throw Error(std::string(what) + " has no memory");
    if (pool_) return;
    cudaPointerAttributes attributes{};
    gpu::check(cudaPointerGetAttributes(&attributes, data));
    if (attributes.type == cudaMemoryTypeUnregistered)
      throw Error(std::string(what) + " is in the host's memory, and " + what_ +
                  " is for a GPU: copy it there, or use satscope::host");
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != index_)
      throw Error(std::string(what) + " is in the memory of GPU " + std::to_string(attributes.device) + ", and " + what_ +
                  " is for GPU " + std::to_string(index_));
  }

 private:
  std::string what_;
  std::optional<gpu::ThreadPool> pool_;  // of the host
  int index_ = 0;                        // of the GPU
  std::optional<gpu::SatRunner> runner_;
};

// An image or a table of a batch.
gpu::ViewArgument at(gpu::ViewArgument view, std::size_t offset) {
  view.data = static_cast<const std::byte*>(view.data) + offset;
  return view;
}
std::size_t bytes_of(const gpu::ViewArgument& view) {
  return static_cast<std::size_t>(view.pitch) * static_cast<std::size_t>(view.size.height - 1) +
         static_cast<std::size_t>(view.size.width) * view.pixel_bytes;
}
// Whether one of `count` images shares a byte with one of as many tables.
bool any_overlap(const gpu::ViewArgument& image, const gpu::ViewArgument& table, const Batch& batch) {
  const auto distance = static_cast<const std::byte*>(table.data) - static_cast<const std::byte*>(image.data);
  const auto image_bytes = static_cast<std::ptrdiff_t>(bytes_of(image)),
             table_bytes = static_cast<std::ptrdiff_t>(bytes_of(table)),
             stride = static_cast<std::ptrdiff_t>(batch.table_stride);
  for (std::ptrdiff_t i = 0; i < batch.count; ++i) {
    // The tables that begin before the image's end and end behind its begin.
    const auto begin = i * static_cast<std::ptrdiff_t>(batch.image_stride) - distance;  // from the first table's
    const auto first = begin < table_bytes ? 0 : (begin - table_bytes) / stride + 1;
    for (auto j = first; j < batch.count && j * stride < begin + image_bytes; ++j)
      if (gpu::overlap(at(image, static_cast<std::size_t>(i) * batch.image_stride),
                       at(table, static_cast<std::size_t>(j) * batch.table_stride)))
        return true;
  }
  return false;
}
// Whether one of the tables shares a byte with another one.
bool overlap_each_other(const gpu::ViewArgument& table, const Batch& batch) {
  const auto bytes = bytes_of(table);
  for (std::size_t i = 1; i < static_cast<std::size_t>(batch.count) && i * batch.table_stride < bytes; ++i)
    if (gpu::overlap(table, at(table, i * batch.table_stride))) return true;
  return false;
}

class OwnStream {
 public:
  OwnStream() { gpu::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

struct Plan::State {
  State(Size size, gpu::SatType type, const Options& options, const std::optional<gpu::GpuInfo>& gpu)
      : State(size, type, options, gpu, [&] {
          if (!options.tilted) return choice_of(options, gpu, {size.width, size.height}, type);
          if (type != gpu::SatType::u8_u32) throw Error("tilted tables are of the type u8_u32");
          if (!options.algorithm.empty() || !options.parameters.empty())
            throw Error("tilted tables have an algorithm of their own: leave Options::algorithm and parameters empty");
          return Choice{nullptr, {}, "the only one of tilted tables"};
        }()) {}
  State(Size size, gpu::SatType type, const Options& options, const std::optional<gpu::GpuInfo>& gpu, Choice choice)
      : size{size.width, size.height},
        type(gpu::info(type)),
        options(options),
        gpu(gpu),
        choice(std::move(choice)),
        place(gpu, options.threads, "the plan") {
    place.reserve([&](gpu::Context& context) {
      compute(context, gpu::view_without_memory(this->size, this->type.input),
              gpu::view_without_memory(this->size, this->type.sum));
    });
  }

  void compute(gpu::Context& context, const gpu::AnyConstImageView& image, const gpu::AnyImageView& sums) const {
    if (choice.algorithm)
      gpu::compute_sat(context, *choice.algorithm, image, sums, choice.arguments);
    else
      gpu::compute_tilted(context, image.as<const std::uint8_t>(), sums.as<std::uint32_t>());
  }

  // An image and its table, for runs whose result nobody wants.
  struct Trial {
    explicit Trial(const State& state)
        : size{state.size.width, state.size.height},
          image_pitch(pitch(state.type.input)),
          table_pitch(pitch(state.type.sum)),
          image(image_pitch * rows(), state.place.device()),
          table(table_pitch * rows(), state.place.device()) {
      if (state.place.on_host())
        std::memset(image.data(), 0, image.size());
      else
        gpu::check(cudaMemset(image.data(), 0, image.size()));
    }
    std::size_t pitch(gpu::ElementType of) const {
      return static_cast<std::size_t>(gpu::pitched_stride(size.width + 1, gpu::size_of(of))) * gpu::size_of(of);
    }
    std::size_t rows() const { return static_cast<std::size_t>(size.height) + 1; }

    gpu::Size size;
    std::size_t image_pitch, table_pitch;
    gpu::Buffer<std::byte> image, table;
  };
  void run(const Trial& trial, cudaStream_t stream) {
    run(trial.image.data(), trial.image_pitch, trial.table.data(), trial.table_pitch, {}, stream);
  }
  // The first run clears what later ones leave to each other, and loads the kernels: it could not be captured.
  void run_once() {
    if (place.on_host()) return;
    const Trial trial(*this);
    run(trial, nullptr);
    if (choice.algorithm) {
      auto dry = gpu::Context::dry(place.device());
      gpu::sum_boxes(dry, gpu::view_without_memory(table_size(), type.sum), options.padded, {nullptr, 1},
                     gpu::view_without_memory({1, 1}, type.sum));
      cudaFuncAttributes loaded{};
      for (const auto& launch : dry.launches()) gpu::check(cudaFuncGetAttributes(&loaded, launch.kernel));
    }
    gpu::check(cudaStreamSynchronize(nullptr));
  }
  gpu::Size table_size() const { return {size.width + options.padded, size.height + options.padded}; }

  void sum_boxes(const void* table, std::size_t table_pitch, const Box* boxes, int count, void* sums, cudaStream_t stream) {
    static_assert(sizeof(Box) == 4 * sizeof(std::int32_t));
    if (!choice.algorithm) throw Error("a tilted table has sums of triangles, not of boxes: take one that is not tilted");
    if (count < 0) throw Error(std::to_string(count) + " boxes");
    const auto stride = stride_of(table_pitch, gpu::size_of(type.sum), "the pitch of the table");
    auto& context = place.context(stream);
    if (count == 0) return;
    place.check_memory(table, "the table");
    place.check_memory(boxes, "the list of boxes");
    place.check_memory(sums, "the list of sums");
    const auto [width, height] = table_size();
    gpu::sum_boxes(context, {table, width, height, stride, type.sum}, options.padded, {boxes, count},
                   {sums, 1, count, 1, type.sum});
  }

  void run(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
           cudaStream_t stream) {
    if (batch.count < 0) throw Error("a batch of " + std::to_string(batch.count) + " images");
    auto& context = place.context(stream);
    if (batch.count == 0) return;
    const auto sum_bytes = gpu::size_of(type.sum);
    const auto stride = stride_of(table_pitch, sum_bytes, "the pitch of the table");
    const auto image_stride = stride_of(image_pitch, gpu::size_of(type.input), "the pitch of the image");
    const gpu::ViewArgument image("the image",
                                  gpu::AnyConstImageView(images, size.width, size.height, image_stride, type.input));
    const gpu::ViewArgument table("the table",
                                  gpu::AnyImageView(tables, table_size().width, table_size().height, stride, type.sum),
                                  gpu::ViewArgument::written);
    place.check_memory(images, "the image");
    place.check_memory(tables, "the table");
    // All that compute_sat() would refuse, and of the whole table, so that it refuses nothing: a run that was begun is distrusted.
    gpu::check_views(context, "the plan", {image});
    gpu::check_views(context, "the plan", {table});
    check_batch(image, table, batch);
    auto* first = static_cast<std::byte*>(tables) + (options.padded ? table_pitch + sum_bytes : 0);
    place.run([&] {
      for (int i = 0; i < batch.count; ++i) {
        const auto number = static_cast<std::size_t>(i);
        const gpu::AnyConstImageView pixels(static_cast<const std::byte*>(images) + number * batch.image_stride, size.width,
                                            size.height, image_stride, type.input);
        const auto offset = number * batch.table_stride;
        if (options.padded) clear_border(static_cast<std::byte*>(tables) + offset, table_pitch, stream);
        compute(context, pixels, gpu::AnyImageView(first + offset, size.width, size.height, stride, type.sum));
        if (options.padded && options.tilted) tilt_border(static_cast<std::byte*>(tables) + offset, table_pitch, stream);
      }
    });
  }

  void check_batch(const gpu::ViewArgument& image, const gpu::ViewArgument& table, const Batch& batch) const {
    if (batch.count == 1) {
      if (gpu::overlap(image, table)) throw Error("the image and the table overlap");
      return;
    }
    const auto refuse_stride = [](const char* what, std::size_t stride, const std::string& why) {
      throw Error("the distance of two " + std::string(what) + ", " + std::to_string(stride) + " bytes, " + why);
    };
    const auto pixel = gpu::size_of(type.input), sum = gpu::size_of(type.sum);
    const auto most = std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / static_cast<std::size_t>(batch.count) / 2;
    if (batch.image_stride % pixel != 0)
      refuse_stride("images", batch.image_stride, "is no multiple of a pixel's " + std::to_string(pixel));
    if (batch.table_stride % sum != 0)
      refuse_stride("tables", batch.table_stride, "is no multiple of a sum's " + std::to_string(sum));
    if (batch.image_stride > most) refuse_stride("images", batch.image_stride, "is too large");
    if (batch.table_stride > most) refuse_stride("tables", batch.table_stride, "is too large");
    if (overlap_each_other(table, batch))
      refuse_stride("tables", batch.table_stride,
                    "makes them overlap: one has " + std::to_string(bytes_of(table)) + " bytes");
    if (any_overlap(image, table, batch)) throw Error("the images and the tables overlap");
    const auto last = static_cast<std::size_t>(batch.count - 1);
    place.check_memory(at(image, last * batch.image_stride).data, "the last image");
    place.check_memory(at(table, last * batch.table_stride).data, "the last table");
  }

  void clear_border(std::byte* table, std::size_t pitch, cudaStream_t stream) const {
    const auto bytes = gpu::size_of(type.sum), row = static_cast<std::size_t>(size.width + 1) * bytes;
    const auto rows = static_cast<std::size_t>(size.height);
    if (!place.on_host()) {
      gpu::check(cudaMemsetAsync(table, 0, row, stream));
      gpu::check(cudaMemset2DAsync(table + pitch, pitch, 0, bytes, rows, stream));
      return;
    }
    std::memset(table, 0, row);
    for (std::size_t y = 1; y <= rows; ++y) std::memset(table + y * pitch, 0, bytes);
  }
  // Left of the image a triangle is the one whose tip is in the first column, a row higher.
  void tilt_border(std::byte* table, std::size_t pitch, cudaStream_t stream) const {
    const auto bytes = gpu::size_of(type.sum), rows = static_cast<std::size_t>(size.height);
    if (!place.on_host())
      return gpu::check(
          cudaMemcpy2DAsync(table + pitch, pitch, table + bytes, pitch, bytes, rows, cudaMemcpyDeviceToDevice, stream));
    for (std::size_t y = 1; y <= rows; ++y) std::memcpy(table + y * pitch, table + (y - 1) * pitch + bytes, bytes);
  }

  // Of one run; given up where it takes longer than `most`.
  double seconds(const Trial& trial, cudaStream_t stream, double most) {
    constexpr double enough = 0.0005;
    constexpr int most_runs = 10;
    const auto time = [&](int runs) {
      if (place.on_host()) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < runs; ++i) run(trial, stream);
        return seconds_since(begin) / runs;
      }
      gpu::Event begin(gpu::Event::Timing::on), end(gpu::Event::Timing::on);
      begin.record(stream);
      for (int i = 0; i < runs; ++i) run(trial, stream);
      end.record(stream);
      end.wait();
      return end.microseconds_since(begin) * 1e-6 / runs;
    };
    time(1);
    auto least = time(1);
    if (least > most) return least;
    const int runs = std::clamp(static_cast<int>(enough / least), 1, most_runs);
    for (int i = 0; i < 3; ++i) least = std::min(least, time(runs));
    return least;
  }

  gpu::Size size;
  gpu::SatTypeInfo type;
  Options options;
  std::optional<gpu::GpuInfo> gpu;
  Choice choice;
  Place place;
};

Plan::Plan(Size size, Type type, const Options& options) {
  as_error(size, [&] {
    state_ = std::make_unique<State>(size, type_of(type), options, gpu_of(options.device));
    state_->run_once();
  });
}
Plan::State& Plan::state() const {
  if (!state_) throw Error("the plan was moved to another one");
  return *state_;
}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;

void Plan::operator()(const void* image, std::size_t image_pitch, void* table, std::size_t table_pitch,
                      CUstream_st* stream) {
  as_error([&] { state().run(image, image_pitch, table, table_pitch, {}, stream); });
}
void Plan::operator()(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
                      CUstream_st* stream) {
  as_error([&] { state().run(images, image_pitch, tables, table_pitch, batch, stream); });
}

void Plan::box_sums(const void* table, std::size_t table_pitch, const Box* boxes, int count, void* sums,
                    CUstream_st* stream) {
  as_error([&] { state().sum_boxes(table, table_pitch, boxes, count, sums, stream); });
}

void Plan::tune() {
  as_error(table_size(), [&] {
    auto& now = state();
    if (!now.choice.algorithm) return;
    now.place.check_gpu();
    const State::Trial trial(now);
    std::optional<OwnStream> stream;
    if (!now.place.on_host()) stream.emplace();
    std::unique_ptr<State> best;
    auto least = std::numeric_limits<double>::infinity();
    int tried = 0;
    std::exception_ptr error;  // the last one
    // In seconds; infinity where it does not run here.
    const auto measure = [&](const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, double most) {
      try {
        auto state = std::make_unique<State>(Size{now.size.width, now.size.height}, now.type.type, now.options, now.gpu,
                                             Choice{&algorithm, arguments, {}});
        const double seconds = state->seconds(trial, stream ? stream->get() : nullptr, most);
        if (seconds < least) {
          least = seconds;
          best = std::move(state);
        }
        return seconds;
      } catch (const std::exception&) {
        error = std::current_exception();
        return std::numeric_limits<double>::infinity();
      }
    };
    std::vector<std::pair<double, const gpu::SatAlgorithm*>> order;
    for (const auto* algorithm : gpu::sat_algorithms()) {
      if (!computes(*algorithm, now.place.device(), now.type.type)) continue;
      order.emplace_back(measure(*algorithm, gpu::Arguments(algorithm->parameters), 4 * least), algorithm);
      ++tried;
    }
    std::ranges::sort(order);
    for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i) {
      const auto& algorithm = *order[i].second;
      gpu::find_fastest(gpu::Arguments(algorithm.parameters), {},
                        [&](const gpu::Arguments& arguments) { return measure(algorithm, arguments, 2 * least); });
    }
    if (!best) std::rethrow_exception(error);
    char time[32];
    std::snprintf(time, sizeof time, "%.3g", least * 1e6);
    best->choice.origin = "the fastest of " + std::to_string(tried) + ", measured here: " + time + " us";
    state_ = std::move(best);
  });
}

Device Plan::device() const { return state().place.on_host() ? host : cuda; }

std::string Plan::algorithm() const {
  return state().choice.algorithm ? std::string(state().choice.algorithm->name) : "tilted";
}

std::string Plan::parameters() const { return text_of(state().choice.arguments); }

std::string Plan::origin() const { return state().choice.origin; }

Size Plan::table_size() const { return {state().table_size().width, state().table_size().height}; }

std::size_t Plan::memory_bytes() const { return state().place.memory_bytes(); }

std::vector<std::string> algorithms(Device device, Type type) {
  return as_error([&] {
    const auto on = gpu_of(device) ? gpu::Device::cuda : gpu::Device::host;
    const auto wanted = type_of(type);
    std::vector<std::string> names;
    for (const auto* algorithm : gpu::sat_algorithms())
      if (computes(*algorithm, on, wanted)) names.emplace_back(algorithm->name);
    return names;
  });
}

struct Filter::State {
  State(Size size, Pixels pixels, const std::string& name, const std::string& parameters, const Options& options,
        const std::optional<gpu::GpuInfo>& gpu)
      : size{size.width, size.height},
        pixels(pixels),
        effect(effect_of(name)),
        arguments(effect.parameters),
        choice(choice_of(options, gpu, this->size, gpu::SatType::u8_u32)),
        place(gpu, options.threads, "the filter") {
    if (pixels != gray && pixels != bgr) throw Error("pixels are satscope::Filter::gray or satscope::Filter::bgr");
    if (options.padded || options.tilted) throw Error("a filter's table is its own: leave Options::padded and tilted off");
    if (pixels == gray && arguments.has("colour")) arguments.set("colour", "off");
    gpu::set_from_text(arguments, parameters);
    channels = effect.channels(arguments) == 1 ? 1 : 4;
    place.reserve([&](gpu::Context& context) {
      const auto canvas = gpu::view_without_memory<gpu::Rgba>(this->size);
      compute(context, nullptr, gpu::view_without_memory<gpu::Bgr>(this->size).stride * std::ptrdiff_t{sizeof(gpu::Bgr)},
              {{}, canvas});
    });
  }

  static const gpu::Effect& effect_of(const std::string& name) {
    const auto* effect = gpu::find_effect(name);
    if (!effect) throw Error("no filter '" + name + "': satscope::filters() has their names");
    if (!is_filter(*effect)) throw Error(name + " does not only make a picture: satscope::filters() has those that do");
    return *effect;
  }

  void compute(gpu::Context& context, const void* image, std::ptrdiff_t pitch, const gpu::Canvas& canvas) const {
    const gpu::Context::ScratchScope scope(context);
    gpu::EffectInput input;
    input.algorithm = choice.algorithm;
    input.algorithm_arguments = &choice.arguments;
    if (pixels == gray) {
      input.gray = {static_cast<const std::uint8_t*>(image), size.width, size.height, pitch};
    } else {
      input.colour = {static_cast<const gpu::Bgr*>(image), size.width, size.height, pitch};
      const auto levels = context.scratch_image<std::uint8_t>(size);
      gpu::luma(context, input.colour, levels);
      input.gray = levels;
    }
    const auto table = context.scratch_image<std::uint32_t>(size);
    input.compute_sat(context, input.gray, table);
    input.tables.sum = table;
    gpu::run_effect(context, effect, input, canvas, arguments);
  }

  void run(const void* image, std::size_t image_pitch, const gpu::Canvas& canvas, cudaStream_t stream) {
    // A row of colours, too, may begin at any byte: cudaMallocPitch() knows of no three bytes.
    const auto pitch = stride_of(image_pitch, 1, "the pitch of the image");
    auto& context = place.context(stream);
    place.check_memory(image, "the image");
    // All that compute() would refuse, as for a plan.
    if (pixels == gray)
      gpu::check_canvas(context, "the filter", canvas,
                        {{"the image", gpu::ImageView<const std::uint8_t>{static_cast<const std::uint8_t*>(image),
                                                                          size.width, size.height, pitch}}});
    else
      gpu::check_canvas(context, "the filter", canvas,
                        {{"the image", gpu::BgrView(static_cast<const gpu::Bgr*>(image), size.width, size.height, pitch)}});
    place.run([&] { compute(context, image, pitch, canvas); });
  }
  void run(const void* image, std::size_t image_pitch, void* result, std::size_t result_pitch, cudaStream_t stream) {
    const auto pixel = static_cast<std::size_t>(channels);
    const auto stride = stride_of(result_pitch, pixel, "the pitch of the result");
    place.check_memory(result, "the result");
    gpu::Canvas canvas;
    if (channels == 1)
      canvas.gray = {static_cast<std::uint8_t*>(result), size.width, size.height, stride};
    else
      canvas.rgba = {static_cast<gpu::Rgba*>(result), size.width, size.height, stride};
    run(image, image_pitch, canvas, stream);
  }
  // A surface that is too small, or has other pixels, would end the GPU's context.
  void check_surface([[maybe_unused]] cudaSurfaceObject_t surface) const {
    if (place.on_host()) throw Error("only a GPU draws on a surface, and the filter is for the host: call it with memory");
#ifdef CUDART_VERSION
    cudaResourceDesc resource{};
    gpu::check(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    if (resource.resType != cudaResourceTypeArray) throw Error("the surface is not of an array, as those of textures are");
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    gpu::check(cudaArrayGetInfo(&format, &extent, &flags, resource.res.array.array));
    if (format.x + format.y + format.z + format.w != 32)
      throw Error("a pixel of the surface has " + std::to_string(format.x + format.y + format.z + format.w) +
                  " bits, and the filter draws 32: use the format GL_RGBA8");
    if (extent.width < static_cast<std::size_t>(size.width) || extent.height < static_cast<std::size_t>(size.height))
      throw Error("the surface has " + std::to_string(extent.width) + "x" + std::to_string(extent.height) +
                  " pixels, and the filter draws " + std::to_string(size.width) + "x" + std::to_string(size.height));
#endif
  }
  void run_once() {
    if (place.on_host()) return;
    const auto bytes = pixels == gray ? std::size_t{1} : sizeof(gpu::Bgr);
    const auto pitch = size.width * bytes, result_pitch = static_cast<std::size_t>(size.width * channels);
    const gpu::Buffer<std::byte> image(pitch * static_cast<std::size_t>(size.height), place.device()),
        result(result_pitch * static_cast<std::size_t>(size.height), place.device());
    gpu::check(cudaMemset(image.data(), 0, image.size()));
    run(image.data(), pitch, result.data(), result_pitch, nullptr);
    gpu::check(cudaStreamSynchronize(nullptr));
  }

  gpu::Size size;
  Pixels pixels;
  const gpu::Effect& effect;
  gpu::Arguments arguments;
  Choice choice;
  Place place;
  int channels = 1;
};

Filter::Filter(Size size, Pixels pixels, const std::string& name, const std::string& parameters, const Options& options) {
  as_error(size, [&] {
    state_ = std::make_unique<State>(size, pixels, name, parameters, options, gpu_of(options.device));
    state_->run_once();
  });
}
Filter::State& Filter::state() const {
  if (!state_) throw Error("the filter was moved to another one");
  return *state_;
}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

void Filter::operator()(const void* image, std::size_t image_pitch, void* result, std::size_t result_pitch,
                        CUstream_st* stream) {
  as_error([&] { state().run(image, image_pitch, result, result_pitch, stream); });
}

void Filter::draw(const void* image, std::size_t image_pitch, unsigned long long surface, CUstream_st* stream) {
  as_error([&] {
    state().check_surface(surface);
    state().run(image, image_pitch, gpu::Canvas::on_surface(surface, state().size), stream);
  });
}

Device Filter::device() const { return state().place.on_host() ? host : cuda; }

int Filter::result_channels() const { return state().channels; }

std::string Filter::parameters() const { return text_of(state().arguments); }

std::size_t Filter::memory_bytes() const { return state().place.memory_bytes(); }

std::vector<std::string> filters() {
  std::vector<std::string> names;
  for (const auto* effect : gpu::all_effects())
    if (is_filter(*effect)) names.emplace_back(effect->name);
  return names;
}

}  // namespace satscope
