#include "gpu/satscope.h"

#include <cuda_runtime_api.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/choice/tune.h"
#include "gpu/installed/satscope_backend.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/pictures/check_views.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/tables/tables.h"

namespace satscope {
namespace {

using namespace detail;

// The two enumerations are in one order.
gpu::SatType type_of(Type type) {
  if (type < u8_u32 || type > f32_f64_squares) throw Error("no such type of sums");
  return static_cast<gpu::SatType>(type);
}

bool computes(const gpu::SatAlgorithm& algorithm, gpu::Device device, gpu::SatType type) {
  return algorithm.device == device && gpu::why_unavailable(algorithm).empty() &&
         std::ranges::find(algorithm.types, type) != algorithm.types.end();
}

int tables_of(const Batch& batch) { return batch.count * batch.channels; }
// An image or a table of a batch.
gpu::ViewArgument at(gpu::ViewArgument view, std::size_t offset) {
  view.data = static_cast<const std::byte*>(view.data) + offset;
  return view;
}
std::size_t bytes_of(const gpu::ViewArgument& view) {
  return static_cast<std::size_t>(view.pitch) * static_cast<std::size_t>(view.size.height - 1) +
         static_cast<std::size_t>(view.size.width) * view.pixel_bytes;
}
// Whether one of the images shares a byte with one of the tables.
bool any_overlap(const gpu::ViewArgument& image, const gpu::ViewArgument& table, const Batch& batch) {
  const auto distance = static_cast<const std::byte*>(table.data) - static_cast<const std::byte*>(image.data);
  const auto image_bytes = static_cast<std::ptrdiff_t>(bytes_of(image)),
             table_bytes = static_cast<std::ptrdiff_t>(bytes_of(table)),
             stride = static_cast<std::ptrdiff_t>(batch.table_stride);
  for (std::ptrdiff_t i = 0; i < batch.count; ++i) {
    // The tables that begin before the image's end and end behind its begin.
    const auto begin = i * static_cast<std::ptrdiff_t>(batch.image_stride) - distance;  // from the first table's
    const auto first = begin < table_bytes ? 0 : (begin - table_bytes) / stride + 1;
    for (auto j = first; j < tables_of(batch) && j * stride < begin + image_bytes; ++j)
      if (gpu::overlap(at(image, static_cast<std::size_t>(i) * batch.image_stride),
                       at(table, static_cast<std::size_t>(j) * batch.table_stride)))
        return true;
  }
  return false;
}
// Whether one of the tables shares a byte with another one.
bool overlap_each_other(const gpu::ViewArgument& table, const Batch& batch) {
  const auto bytes = bytes_of(table);
  for (std::size_t i = 1; i < static_cast<std::size_t>(tables_of(batch)) && i * batch.table_stride < bytes; ++i)
    if (gpu::overlap(table, at(table, i * batch.table_stride))) return true;
  return false;
}

// The bytes of the last cache; on the host at most 64 MiB: virtual machines report the cache of the whole machine, of
// which their few cores get only a part.
std::size_t cache_bytes(const std::optional<gpu::GpuInfo>& gpu) {
  constexpr std::size_t usual_cache = std::size_t{32} << 20, most_cache = std::size_t{64} << 20;
  if (gpu) return gpu->l2_bytes;
  const auto found = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return found > 0 ? std::min(static_cast<std::size_t>(found), most_cache) : usual_cache;
}

}  // namespace

struct Plan::State {
  // On the host without `gpu` and `driver`.
  State(Size size, gpu::SatType type, const Options& options, const std::optional<gpu::GpuInfo>& gpu,
        const gpu::simulated::Driver* driver = nullptr)
      : State(size, type, options, gpu, driver, [&] {
          if (!options.tilted) return choice_of(options, gpu, {size.width, size.height}, type, driver);
          if (type != gpu::SatType::u8_u32) throw Error("tilted tables are of the type u8_u32");
          if (!options.algorithm.empty() || !options.parameters.empty())
            throw Error("tilted tables have an algorithm of their own: leave Options::algorithm and parameters empty");
          return Choice{nullptr, {}, "the only one of tilted tables"};
        }()) {}
  State(Size size, gpu::SatType type, const Options& options, const std::optional<gpu::GpuInfo>& gpu,
        const gpu::simulated::Driver* driver, Choice choice)
      : size{size.width, size.height},
        type(gpu::info(type)),
        options(options),
        gpu(gpu),
        choice(std::move(choice)),
        backend(gpu, options.threads, "the plan", driver) {
    if (this->choice.algorithm && !backend.on_host()) choose_batches();
    backend.reserve([&](gpu::Context& context) {
      const auto image = gpu::view_without_memory(this->size, this->type.input),
                 sums = gpu::view_without_memory(this->size, this->type.sum);
      compute(context, image, sums);
      for_each_batch([&](const BatchChoice& batch) {
        batch.algorithm->run_batch(context, image, sums, batch.arguments, {.count = 2});
      });
    });
  }

  void choose_batches() {
    const auto initial = [&](const gpu::SatAlgorithm& of) {
      return computes(of, gpu::Device::cuda, type.type) ? BatchChoice{&of, gpu::Arguments(of.parameters)} : BatchChoice{};
    };
    if (options.algorithm.empty() && options.parameters.empty()) {
      if (const auto* images = gpu::fastest_batch(size)) batched_images = initial(*images);
      batched_channels = initial(gpu::fastest_of_channels(size));
    } else if (choice.algorithm->run_batch) {
      batched_images = batched_channels = {choice.algorithm, choice.arguments};
    }
  }

  void compute(gpu::Context& context, const gpu::AnyConstImageView& image, const gpu::AnyImageView& sums) const {
    if (choice.algorithm)
      gpu::compute_sat(context, *choice.algorithm, image, sums, choice.arguments);
    else
      gpu::compute_tilted(context, image.as<const std::uint8_t>(), sums.as<std::uint32_t>());
  }

  // Images and their tables, for runs whose result nobody wants.
  struct Trial {
    // As many as it takes for a cache of that size to hold nothing of one that is used again: with those of fastest_algorithm()
    // it was the same. 0: one.
    Trial(const State& state, std::size_t cache = 0)
        : size{state.size.width, state.size.height},
          image_pitch(pitch(state.type.input)),
          table_pitch(pitch(state.type.sum)),
          copies(1 + 2 * cache / ((image_pitch + table_pitch) * rows())),
          images(image_pitch * rows() * copies, state.backend.device()),
          tables(table_pitch * rows() * copies, state.backend.device()) {}
    void fill_with_random_pixels(const State& state, cudaStream_t stream) {
      gpu::fill_with_random_pixels(images.span(), state.type.input, state.backend.device(), stream);
      // The first access to every page takes longer.
      if (state.backend.on_host()) std::memset(tables.data(), 0xcd, tables.size());
    }
    std::size_t pitch(gpu::ElementType of) const {
      return static_cast<std::size_t>(gpu::pitched_stride(size.width + 1, gpu::size_of(of))) * gpu::size_of(of);
    }
    std::size_t rows() const { return static_cast<std::size_t>(size.height) + 1; }

    gpu::Size size;
    std::size_t image_pitch, table_pitch, copies, next = 0;
    gpu::Buffer<std::byte> images, tables;
  };
  void run(Trial& trial, cudaStream_t stream) {
    const auto copy = trial.next++ % trial.copies * trial.rows();
    run(trial.images.data() + copy * trial.image_pitch, trial.image_pitch, trial.tables.data() + copy * trial.table_pitch,
        trial.table_pitch, {}, stream);
  }
  // The first run clears what later ones leave to each other, and loads the kernels: it could not be captured.
  void run_once() {
    if (backend.on_host()) return;
    const gpu::Stream stream;
    Trial trial(*this);
    gpu::check(cudaMemsetAsync(trial.images.data(), 0, trial.images.size(), stream));
    run(trial, stream);
    run_others(trial, stream);
    gpu::check(cudaStreamSynchronize(stream));
  }
  // The same of what run(trial) has not started.
  void run_others(Trial& trial, cudaStream_t stream) {
    if (backend.on_host()) return;
    load_others();
    auto& context = backend.context(stream);
    const auto stride = [](std::size_t pitch, gpu::ElementType of) {
      return static_cast<std::ptrdiff_t>(pitch / gpu::size_of(of));
    };
    const gpu::AnyConstImageView image(trial.images.data(), size.width, size.height, stride(trial.image_pitch, type.input),
                                       type.input);
    const gpu::AnyImageView sums(trial.tables.data(), size.width, size.height, stride(trial.table_pitch, type.sum),
                                 type.sum);
    backend.run([&] {
      for_each_batch([&](const BatchChoice& batch) {
        batch.algorithm->run_batch(context, image, sums, batch.arguments, {.count = 1});
      });
    });
  }
  // The kernels that run(trial) has not started: they could not be loaded while a graph is captured.
  void load_others() {
    if (backend.on_host()) return;
    const auto image = gpu::view_without_memory(size, type.input), table = gpu::view_without_memory(table_size(), type.sum);
    backend.load_kernels([&](gpu::Context& context) {
      gpu::sum_boxes(context, table, options.padded, {.count = 1, .tilted = options.tilted},
                     gpu::view_without_memory({1, 1}, type.sum));
    });
    // Those of rows that are aligned, and of any.
    for_each_batch([&](const BatchChoice& batch) {
      for (const int channels : {1, 2})
        backend.load_kernels([&](gpu::Context& context) {
          batch.algorithm->run_batch(context, image, gpu::view_without_memory(size, type.sum), batch.arguments,
                                     {.count = 2, .channels = channels});
        });
    });
  }
  gpu::Size table_size() const { return {size.width + options.padded, size.height + options.padded}; }

  void sum_boxes(const void* table, std::size_t table_pitch, const Box* boxes, int count, void* sums, cudaStream_t stream) {
    static_assert(sizeof(Box) == 4 * sizeof(std::int32_t));
    if (count < 0) throw Error(std::to_string(count) + " boxes");
    const auto stride = stride_of(table_pitch, gpu::size_of(type.sum), "the pitch of the table");
    auto& context = backend.context(stream);
    if (count == 0) return;
    backend.check_memory(table, "the table");
    backend.check_memory(boxes, "the list of boxes");
    backend.check_memory(sums, "the list of sums");
    const auto [width, height] = table_size();
    backend.in_order([&] {
      gpu::sum_boxes(context, {table, width, height, stride, type.sum}, options.padded,
                     {.data = boxes, .count = count, .tilted = options.tilted}, {sums, 1, count, 1, type.sum});
    });
  }

  void run(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
           cudaStream_t stream) {
    check_count(batch);
    auto& context = backend.context(stream);
    if (batch.count == 0) return;
    const auto sum_bytes = gpu::size_of(type.sum);
    const auto stride = stride_of(table_pitch, sum_bytes, "the pitch of the table");
    const auto image_stride = stride_of(image_pitch, gpu::size_of(type.input), "the pitch of the image");
    const gpu::ViewArgument image(
        "the image", gpu::AnyConstImageView(images, size.width * batch.channels, size.height, image_stride, type.input));
    const gpu::ViewArgument table("the table",
                                  gpu::AnyImageView(tables, table_size().width, table_size().height, stride, type.sum),
                                  gpu::ViewArgument::written);
    backend.check_memory(images, "the image");
    backend.check_memory(tables, "the table");
    // Checked up front, and for the whole table, because a run that fails forces its memory to be cleared again.
    gpu::check_views(context, "the plan", {image});
    gpu::check_views(context, "the plan", {table});
    check_batch(image, table, batch);
    const auto sums_at = [&](std::size_t number) { return static_cast<std::byte*>(tables) + number * batch.table_stride; };
    const auto view_of = [&](std::size_t number) {
      return gpu::AnyImageView(sums_at(number) + (options.padded ? table_pitch + sum_bytes : 0), size.width, size.height,
                               stride, type.sum);
    };
    const auto image_of = [&](std::size_t number) {
      return gpu::AnyConstImageView(static_cast<const std::byte*>(images) + number * batch.image_stride, size.width,
                                    size.height, image_stride, type.input);
    };
    // Likewise what the algorithm does not take of rows so far apart: a library may count bytes in an int.
    if (choice.algorithm && std::max(image_pitch, table_pitch) > std::size_t{std::numeric_limits<int>::max()})
      gpu::plan_sat(backend.device(), options.threads, *choice.algorithm, image_of(0), view_of(0), choice.arguments);
    gpu::ImageBatch all{.count = batch.count, .channels = batch.channels};
    if (batch.count > 1) all.image_stride = static_cast<std::ptrdiff_t>(batch.image_stride / gpu::size_of(type.input));
    if (all.tables() > 1) all.sat_stride = static_cast<std::ptrdiff_t>(batch.table_stride / sum_bytes);
    const auto clear = [&] {
      if (options.padded)
        gpu::clear_borders(context, {tables, table_size().width, table_size().height, stride, type.sum}, all);
    };
    const BatchChoice& batched = batch.channels > 1 ? batched_channels : batched_images;
    backend.run([&] {
      if (!backend.on_host()) clear();
      if (batched.algorithm && all.tables() > 1)
        return batched.algorithm->run_batch(context, image_of(0), view_of(0), batched.arguments, all);
      for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count); ++i) compute(context, image_of(i), view_of(i));
      // The first column is in every page of the table: the threads share the work to get new pages if they write there first.
      if (backend.on_host()) clear();
      if (!options.padded || !options.tilted) return;
      for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count); ++i) tilt_border(sums_at(i), table_pitch, stream);
    });
  }

  void check_count(const Batch& batch) const {
    if (batch.count < 0) throw Error("a batch of " + std::to_string(batch.count) + " images");
    if (batch.count > gpu::ImageBatch::most_images)
      throw Error("a batch of " + std::to_string(batch.count) + " images: at most " +
                  std::to_string(gpu::ImageBatch::most_images) + " are taken in one call");
    if (batch.channels == 1) return;
    if (batch.channels < 1) throw Error("pixels of " + std::to_string(batch.channels) + " channels");
    if (std::int64_t{batch.count} * batch.channels > gpu::ImageBatch::most_images ||
        std::int64_t{size.width} * batch.channels > gpu::most_side)
      throw Error(std::to_string(batch.channels) + " channels are too many for a batch of " + std::to_string(batch.count) +
                  " images that are " + std::to_string(size.width) + " pixels wide");
    if (batched_channels.algorithm) return;
    const auto separate = "; separate the channels first";
    if (backend.on_host()) throw Error(std::string("a plan for the host does not take interleaved channels") + separate);
    if (!choice.algorithm) throw Error(std::string("tilted tables are not of interleaved channels") + separate);
    if (!computes(*gpu::find_sat_algorithm("one_wave"), gpu::Device::cuda, type.type))
      throw Error("no algorithm takes interleaved channels of the type " + std::string(type.name) + separate);
    if (options.algorithm.empty() && options.parameters.empty())
      throw Error("interleaved channels are not taken for " + std::string(type.name) + separate);
    throw Error(std::string(choice.algorithm->name) +
                " does not take interleaved channels: leave Options::algorithm empty, or name one_wave");
  }

  void check_batch(const gpu::ViewArgument& image, const gpu::ViewArgument& table, const Batch& batch) {
    if (tables_of(batch) == 1) {
      if (gpu::overlap(image, table)) throw Error("the image and the table overlap");
      return;
    }
    const auto refuse_stride = [](const char* what, std::size_t stride, const std::string& why) {
      throw Error("the distance of two " + std::string(what) + ", " + std::to_string(stride) + " bytes, " + why);
    };
    const auto pixel = gpu::size_of(type.input), sum = gpu::size_of(type.sum);
    const auto most = std::size_t{std::numeric_limits<std::ptrdiff_t>::max()} / static_cast<std::size_t>(tables_of(batch)) /
                      2;
    if (batch.count > 1 && batch.image_stride % pixel != 0)
      refuse_stride("images", batch.image_stride, "is not a multiple of a pixel's " + std::to_string(pixel));
    if (batch.table_stride % sum != 0)
      refuse_stride("tables", batch.table_stride, "is not a multiple of a sum's " + std::to_string(sum));
    if (batch.count > 1 && batch.image_stride > most) refuse_stride("images", batch.image_stride, "is too large");
    if (batch.table_stride > most) refuse_stride("tables", batch.table_stride, "is too large");
    if (overlap_each_other(table, batch))
      refuse_stride("tables", batch.table_stride,
                    "makes them overlap: one has " + std::to_string(bytes_of(table)) + " bytes");
    if (any_overlap(image, table, batch)) throw Error("the images and the tables overlap");
    const auto last_image = static_cast<std::size_t>(batch.count - 1),
               last_table = static_cast<std::size_t>(tables_of(batch) - 1);
    backend.check_memory(at(image, last_image * batch.image_stride).data, "the last image");
    backend.check_memory(at(table, last_table * batch.table_stride).data, "the last table");
  }

  void tilt_border(std::byte* table, std::size_t pitch, cudaStream_t stream) const {
    if (backend.on_host()) return detail::tilt_border(table, pitch, size.height);
    const auto bytes = gpu::size_of(type.sum), rows = static_cast<std::size_t>(size.height);
    gpu::check(cudaMemcpy2DAsync(table + pitch, pitch, table + bytes, pitch, bytes, rows, cudaMemcpyDeviceToDevice, stream));
  }

  // The time of one run; the measurement is given up if it takes longer than `most`.
  double seconds(Trial& trial, cudaStream_t stream, double most) {
    constexpr double enough = 0.0005;
    constexpr int most_runs = 10;
    const auto time = [&](int runs) {
      const auto run_all = [&] {
        for (int i = 0; i < runs; ++i) run(trial, stream);
      };
      const auto wait = [](const gpu::Event& last) { last.wait(); };
      return times_of_runs(!backend.on_host(), stream, 1, run_all, wait).front() * 1e-6 / runs;
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
  Backend backend;
  // What takes batches at once, on a GPU: of images, and of interleaved channels. Null where nothing does.
  struct BatchChoice {
    const gpu::SatAlgorithm* algorithm = nullptr;
    gpu::Arguments arguments;
  };
  BatchChoice batched_images, batched_channels;
  template <class F>
  void for_each_batch(const F& f) const {
    if (batched_images.algorithm) f(batched_images);
    if (batched_channels.algorithm && batched_channels.algorithm != batched_images.algorithm) f(batched_channels);
  }
};

Plan::Plan(Size size, Type type, const Options& options) {
  as_error(size, [&] {
    const auto gpu = gpu_of(options.device);
    const BesideCaptures beside(gpu.has_value());
    state_ = std::make_unique<State>(size, type_of(type), options, gpu);
    state_->run_once();
  });
}
Plan::Plan(std::unique_ptr<State> state) : state_(std::move(state)) {}
Plan detail::Inside::plan_on_simulated(Size size, Type type, const Options& options, const gpu::simulated::Driver& driver) {
  return as_error(size,
                  [&] { return Plan(std::make_unique<Plan::State>(size, type_of(type), options, std::nullopt, &driver)); });
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
  (*this)(image, image_pitch, table, table_pitch, Batch{}, stream);
}
void Plan::operator()(const void* images, std::size_t image_pitch, void* tables, std::size_t table_pitch, const Batch& batch,
                      CUstream_st* stream) {
  as_error([&] {
    const auto lock = state().backend.lock();
    state().run(images, image_pitch, tables, table_pitch, batch, stream);
  });
}

void Plan::box_sums(const void* table, std::size_t table_pitch, const Box* boxes, int count, void* sums,
                    CUstream_st* stream) {
  as_error([&] {
    const auto lock = state().backend.lock();
    state().sum_boxes(table, table_pitch, boxes, count, sums, stream);
  });
}

void Plan::tune() {
  as_error(table_size(), [&] {
    auto& now = state();
    if (now.backend.device() == gpu::Device::simulated)
      throw Error("only plans for tables on the host or on a GPU can be tuned");
    if (!now.choice.algorithm) return;
    now.backend.check_gpu();
    const BesideCaptures beside(!now.backend.on_host());
    std::optional<gpu::Stream> own;
    if (!now.backend.on_host()) own.emplace();
    const cudaStream_t stream = own ? cudaStream_t{*own} : nullptr;
    State::Trial trial(now, cache_bytes(now.gpu));
    trial.fill_with_random_pixels(now, stream);
    std::unique_ptr<State> best;
    auto least = std::numeric_limits<double>::infinity();
    int tried = 0;
    std::exception_ptr error;  // the last one
    // In seconds; infinity where it does not run here.
    const auto measure = [&](const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments, double most) {
      try {
        auto state = std::make_unique<State>(Size{now.size.width, now.size.height}, now.type.type, now.options, now.gpu,
                                             nullptr, Choice{&algorithm, arguments, {}});
        const double seconds = state->seconds(trial, stream, most);
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
      if (!computes(*algorithm, now.backend.device(), now.type.type)) continue;
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
    best->run_others(trial, stream);
    if (stream) gpu::check(cudaStreamSynchronize(stream));
    state_ = std::move(best);
  });
}

Device Plan::device() const { return state().backend.on_host() ? host : cuda; }

std::string Plan::algorithm() const {
  return state().choice.algorithm ? std::string(state().choice.algorithm->name) : "tilted";
}

std::string Plan::parameters() const { return text_of(state().choice.arguments); }

std::string Plan::origin() const { return state().choice.origin; }

Size Plan::table_size() const { return {state().table_size().width, state().table_size().height}; }

bool Plan::takes_channels() const { return state().batched_channels.algorithm != nullptr; }

std::size_t Plan::memory_bytes() const { return state().backend.memory_bytes(); }

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

}  // namespace satscope
