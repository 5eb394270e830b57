#include "gpu/benchmarks/satscope_bench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <string>

#include "gpu/benchmarks/results.h"
#include "gpu/benchmarks/stage.h"
#include "gpu/choice/bounds.h"
#include "gpu/choice/meter.h"
#include "gpu/choice/tune.h"
#include "gpu/parameter.h"

namespace gpu::benchmarks {
namespace {

// A progress bar on a terminal's standard error, with an estimate of the time left.
class Progress {
 public:
  // `total` in any unit of work. Silent if standard error is not a terminal or `shown` is false.
  Progress(double total, bool shown) : total_(total), shown_(shown && isatty(STDERR_FILENO)) {}
  ~Progress() {  // removes the bar
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `what` begins; everything before it was `done` of the work.
  void show(double done, const std::string& what) {
    if (!shown_) return;
    constexpr int width = 30;
    const double part = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 0;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const int full = static_cast<int>(part * width);
    std::string line = "\r\033[K[" + std::string(static_cast<std::size_t>(full), '#') +
                       std::string(static_cast<std::size_t>(width - full), '.') + "] ";
    line += std::to_string(static_cast<int>(part * 100)) + "%";
    if (part > 0.02) line += ", about " + std::to_string(static_cast<int>(elapsed * (1 - part) / part) + 1) + " s left";
    std::fputs((line + "  " + what).c_str(), stderr);
    std::fflush(stderr);
  }

 private:
  double total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

constexpr int pilot_samples = 7;  // for the choice of parameters
constexpr int live_samples = 20;

std::vector<std::string> fixed_parameters(const Options& options) {
  std::vector<std::string> names;
  for (const auto& [key, value] : options.set) names.push_back(key);
  return names;
}

// Reports parameters that no chosen algorithm has before an hour of measuring.
void check_parameters(const Options& options) {
  for (const auto& [key, value] : options.set) {
    if (std::ranges::none_of(options.algorithms,
                             [&name = key](const auto* one) { return Arguments(one->parameters).has(name); }))
      throw ArgumentError("no chosen algorithm has a parameter '" + key + "'");
    for (const auto* algorithm : options.algorithms) options.arguments_of(*algorithm);  // throws for a wrong value
  }
}

double work_of(Size size) { return static_cast<double>(size.pixels()) + 2e6; }  // small sizes cost their overhead

class Suite {
 public:
  Suite(const Options& options, const std::atomic<bool>& stop)
      : options_(options), stop_(stop), meter_(options.device, stop), progress_(total_work(), options.progress) {
    results_.device = options.device;
    results_.hot = options.hot;
    results_.layout = options.layout;
    results_.batch = options.batch;
    results_.samples = options.samples;
    results_.machine = describe_machine(options.device, meter_.threads());
    if (options.device == Device::cuda) watch_ = std::make_unique<GpuWatch>();
    if (watch_) results_.machine.driver = watch_->driver();
    if (!options.device_note.empty()) results_.notes.push_back(options.device_note);
    results_.types = options.types;
    results_.sizes = options.sizes;
    for (const auto& bound : bounds(options.device)) results_.rows.emplace_back(bound.name);
    for (const auto* algorithm : options.algorithms)
      for (const auto& arguments : combinations(options.arguments_of(*algorithm), fixed_parameters(options))) {
        const auto row = row_name(*algorithm, arguments);
        if (std::find(results_.rows.begin(), results_.rows.end(), row) == results_.rows.end()) results_.rows.push_back(row);
      }
  }

  Results run() {
    try {
      // Sizes outermost, so that after an early end the measured columns are complete.
      for (const auto size : options_.sizes)
        for (const auto type : options_.types) measure_stage(type, size);
    } catch (const Interrupted&) {
      results_.notes.push_back("interrupted: only what was measured until then");
    }
    if (watch_) {
      results_.clocks = watch_->clocks();
      for (auto& warning : watch_->warnings()) results_.notes.push_back(std::move(warning));
    }
    return std::move(results_);
  }

 private:
  std::string row_name(const SatAlgorithm& algorithm, const Arguments& arguments) const {
    std::string row(algorithm.name);
    return options_.all_parameters && !arguments.parameters().empty() ? row + ' ' + text_of(arguments) : row;
  }

  double total_work() const {
    double work = 0;
    for (const auto size : options_.sizes)
      work += work_of(size) * static_cast<double>(options_.types.size() * options_.algorithms.size());
    return work;
  }

  bool out_of_time() const {
    return options_.seconds > 0 &&
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count() > options_.seconds;
  }

  std::size_t free_memory() const {
    if (options_.device == Device::host) return results_.machine.memory_bytes / 2;
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total));
    return free / 10 * 9;
  }

  void measure_stage(SatType type, Size size) {
    const auto name = std::string(info(type).name) + " " + gpu::benchmarks::text(size);
    const auto skip = [&](const std::string& why) {
      results_.notes.push_back(name + " was left out: " + why);
      done_ += work_of(size) * static_cast<double>(options_.algorithms.size());
    };
    if (stop_) throw Interrupted();
    if (out_of_time()) return skip("the time limit was reached");
    const auto print = footprint(type, size, options_.hot ? 0 : results_.machine.cache_bytes, options_.batch);
    if (print.total() > free_memory()) return skip("it needs " + std::to_string(print.total() >> 20) + " MiB of memory");
    progress_.show(done_, name);
    Stage stage(options_.device, meter_.stream(), type, size, options_.layout, print, options_.batch);
    for (const auto& bound : bounds(options_.device)) {
      Cell cell{std::string(bound.name), {}, type, size, true, {}, {}};
      cell.timing = meter_.measure_bound(
          [&](Context& context, int copy) {
            bound.run(context, stage.image_in(Layout::pitched, copy), stage.table_in(Layout::pitched, copy));
          },
          stage.copies(), options_.samples);
      cell.timing.divide_by(options_.batch);
      results_.cells.push_back(std::move(cell));
    }
    for (const auto* algorithm : options_.algorithms) {
      if (out_of_time()) {
        results_.notes.push_back(name + " from " + std::string(algorithm->name) +
                                 " on was left out: the time limit was reached");
        return;
      }
      progress_.show(done_, name + " " + std::string(algorithm->name));
      if (size.height > algorithm->most_rows)
        results_.notes.push_back(name + " of " + std::string(algorithm->name) + " was left out: it takes at most " +
                                 std::to_string(algorithm->most_rows) + " rows");
      else
        measure_algorithm(stage, *algorithm);
      done_ += work_of(size);
      if (watch_) watch_->look();
    }
  }

  void measure_algorithm(Stage& stage, const SatAlgorithm& algorithm) {
    if (std::find(algorithm.types.begin(), algorithm.types.end(), stage.type()) == algorithm.types.end()) return;
    const auto measure = [&](const Arguments& arguments) {
      results_.cells.push_back(measure_cell(stage, algorithm, arguments, options_.samples));
    };
    const auto start = options_.arguments_of(algorithm);
    if (options_.all_parameters) {
      for (const auto& arguments : combinations(start, fixed_parameters(options_))) measure(arguments);
      return;
    }
    measure(find_fastest(start, fixed_parameters(options_), [&](const Arguments& arguments) {
      const auto pilot = measure_cell(stage, algorithm, arguments, pilot_samples);
      if (!pilot.failure.empty()) results_.cells.push_back(pilot);  // a wrong result is always reported
      return pilot.measured() ? pilot.timing.median : std::numeric_limits<double>::infinity();
    }));
  }

  Cell measure_cell(Stage& stage, const SatAlgorithm& algorithm, const Arguments& arguments, int samples) {
    Cell cell{row_name(algorithm, arguments), text_of(arguments), stage.type(), stage.size(), false, {}, {}};
    const bool at_once = options_.batch > 1 && algorithm.run_batch;
    if (algorithm.traffic && !at_once)
      cell.traffic = algorithm.traffic(stage.size(), stage.type(), arguments, current_gpu_limits());
    const MeasuredWork work = [&](Context& context, int copy) {
      const auto image = stage.image_of(copy, 0);
      const auto table = stage.table_of(copy, 0);
      if (at_once)
        return algorithm.run_batch(context, image, table, arguments,
                                   {options_.batch, image.stride * image.height, table.stride * table.height});
      for (int i = 0; i < stage.images(); ++i)
        compute_sat(context, algorithm, stage.image_of(copy, i), stage.table_of(copy, i), arguments);
    };
    const auto verify = [&](int copies, const char* when) {
      for (int copy = 0; copy < copies && cell.failure.empty(); ++copy)
        if (const auto wrong = stage.wrong(copy); !wrong.empty()) cell.failure = wrong + " (" + when + " it was timed)";
    };
    try {
      stage.spoil();
      meter_.run_all(work, stage.copies());
      verify(stage.copies(), "before");
      if (!cell.failure.empty()) return cell;
      // spoil(): afterwards only what the timed runs have written can be correct.
      cell.timing = meter_.measure(work, stage.copies(), samples, [&] { stage.spoil(); });
      if (options_.device == Device::cuda && samples > pilot_samples)
        cell.timing.live = meter_.measure_live(work, stage.copies(), live_samples);
      cell.timing.divide_by(options_.batch);
      verify(cell.timing.copies, "after");
    } catch (const CudaError& error) {
      // If this GPU refused a launch, only this cell fails; after worse errors the CUDA context is unusable.
      if (options_.device == Device::cuda && cudaDeviceSynchronize() != cudaSuccess) throw;
      cell.failure = error.what();
    } catch (const std::exception& error) {
      cell.failure = error.what();
    }
    return cell;
  }

  const Options& options_;
  const std::atomic<bool>& stop_;
  Meter meter_;
  Progress progress_;
  std::unique_ptr<GpuWatch> watch_;
  Results results_;
  double done_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Results run_suite(const Options& options, const std::atomic<bool>& stop) {
  check_parameters(options);
  return Suite(options, stop).run();
}

Results stated_traffic(const Options& options) {
  Results results;
  results.device = options.device;
  results.types = options.types;
  results.sizes = options.sizes;
  for (const auto* algorithm : options.algorithms) {
    if (!algorithm->traffic) continue;
    results.rows.emplace_back(algorithm->name);
    const auto arguments = options.arguments_of(*algorithm);
    for (const auto type : options.types)
      for (const auto size : options.sizes)
        results.cells.push_back({results.rows.back(),
                                 text_of(arguments),
                                 type,
                                 size,
                                 false,
                                 {},
                                 {},
                                 algorithm->traffic(size, type, arguments, GpuLimits{})});
  }
  return results;
}

}  // namespace gpu::benchmarks
