// satscope-bench: every summed area table algorithm, verified and measured side by side.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "gpu/benchmarks/satscope_bench.h"

namespace {

using namespace gpu::benchmarks;

constexpr int exit_usage = 2, exit_no_gpu = 5;

// Global, because a signal handler can access nothing else. The second Ctrl-C ends the program at once.
std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void on_interrupt(int) {
  stop = true;
  std::signal(SIGINT, SIG_DFL);
}

bool write(const std::string& file, const std::string& text) {
  if (file.empty()) return true;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  std::fprintf(stderr, "satscope-bench: cannot write %s: %s\n", file.c_str(), std::strerror(errno));
  return false;
}

// The tables, and the JSON where it is wanted. False: it could not be written.
bool print(const Options& options, const std::string& tables, const std::string& json) {
  const bool alone = options.json == "-";
  std::fputs((alone ? json : tables).c_str(), stdout);
  if (options.json.empty() && !options.latencies)
    std::fputs("\nOther reports, such as Markdown: --json F, then satscope-bench-report F\n", stdout);
  return alone || write(options.json, json);
}

template <class Costs>
bool all_right(const Costs& costs) {
  return std::ranges::all_of(costs, [](const auto& cost) { return cost.failure.empty(); });
}

template <class Costs>
int print_costs(const Options& options, const Costs& costs, std::string (*text)(const Costs&),
                std::string (*json)(const Costs&)) {
  return print(options, text(costs), json(costs)) && all_right(costs) ? 0 : 1;
}

int run_tables(const Options& options) {
  const auto results = options.traffic ? stated_traffic(options) : run_suite(options, stop);
  const bool printed = print(options, results_text(results), results_json(results));
  return printed && all_right(results.cells) && (options.traffic || !results.cells.empty()) ? 0 : 1;
}

int run(int count, char** words) {
  const auto options = parse_options(count, words);
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (options.latencies) {
    const auto gpu = measure_latencies(cudaStreamPerThread);
    return print(options, latencies_text(gpu), latencies_json(gpu)) ? 0 : 1;
  }
  if (options.traffic) return run_tables(options);
  std::signal(SIGINT, on_interrupt);
  if (options.frame) return print_costs(options, measure_frames(options, stop), frames_text, frames_json);
  if (options.detect) return print_costs(options, measure_detections(options, stop), detections_text, detections_json);
  return run_tables(options);
}

int fail(const char* why, int code) {
  std::fprintf(stderr, "satscope-bench: %s\n", why);
  return code;
}

int checked(int code) {
  const bool written = std::fflush(stdout) == 0 && !std::ferror(stdout);
  return written || code != 0 ? code : fail("cannot write to the standard output", 1);
}

}  // namespace

int main(int count, char** words) {
  try {
    return checked(run(count, words));
  } catch (const gpu::Interrupted&) {
    return fail("interrupted: a frame's figures are complete or not there", 1);
  } catch (const gpu::ArgumentError& error) {
    return fail(error.what(), exit_usage);
  } catch (const NoGpuError& error) {
    return fail(error.what(), exit_no_gpu);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
