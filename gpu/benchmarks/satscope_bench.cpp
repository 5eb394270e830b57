// satscope-bench: every summed area table algorithm, verified and measured side by side.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "gpu/benchmarks/bench_options.h"
#include "gpu/benchmarks/reports.h"
#include "gpu/benchmarks/satscope_bench.h"

namespace {

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

bool write_reports(const gpu::benchmarks::Options& options, const gpu::benchmarks::Results& results) {
  using namespace gpu::benchmarks;
  bool written = write(options.markdown, markdown_text(results));
  written = write(options.csv, csv_text(results)) && written;
  written = write(options.json, json_text(results)) && written;
  return write(options.svg, svg_text(results)) && written;
}

int run_latencies(const gpu::benchmarks::Options& options) {
  using namespace gpu::benchmarks;
  const auto gpu = measure_latencies(cudaStreamPerThread);
  std::fputs(latencies_text(gpu).c_str(), stdout);
  return write(options.json, latencies_json(gpu)) ? 0 : 1;
}

int run_traffic(const gpu::benchmarks::Options& options) {
  using namespace gpu::benchmarks;
  std::fputs(traffic_text(options).c_str(), stdout);
  return write(options.markdown, traffic_markdown(options)) ? 0 : 1;
}

int run_frame(const gpu::benchmarks::Options& options) {
  using namespace gpu::benchmarks;
  const auto frames = measure_frames(options, stop);
  std::fputs(frames_text(frames).c_str(), stdout);
  bool right = write(options.markdown, frames_markdown(frames));
  right = write(options.json, frames_json(frames)) && right;
  for (const auto& cost : frames) right = right && cost.failure.empty();
  return right ? 0 : 1;
}

int run_detections(const gpu::benchmarks::Options& options) {
  using namespace gpu::benchmarks;
  const auto costs = measure_detections(options, stop);
  std::fputs(detections_text(costs).c_str(), stdout);
  bool right = write(options.markdown, detections_markdown(costs));
  for (const auto& cost : costs) right = right && cost.failure.empty();
  return right ? 0 : 1;
}

int run(int count, char** words) {
  using namespace gpu::benchmarks;
  const auto options = parse_options(count, words);
  if (options.help) {
    std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  if (options.latencies) return run_latencies(options);
  if (options.traffic) return run_traffic(options);
  std::signal(SIGINT, on_interrupt);
  if (options.frame) return run_frame(options);
  if (options.detect) return run_detections(options);
  const auto results = run_suite(options, stop);
  std::fputs((header_text(results) + terminal_text(results)).c_str(), stdout);
  bool right = write_reports(options, results);
  for (const auto& cell : results.cells) right = right && cell.failure.empty();
  return right && !results.cells.empty() ? 0 : 1;
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
  } catch (const gpu::benchmarks::UsageError& error) {
    return fail(error.what(), exit_usage);
  } catch (const gpu::Interrupted&) {
    return fail("interrupted: a frame's figures are complete or not there", 1);
  } catch (const gpu::ArgumentError& error) {
    return fail(error.what(), exit_usage);
  } catch (const gpu::benchmarks::NoGpuError& error) {
    return fail(error.what(), exit_no_gpu);
  } catch (const std::exception& error) {
    return fail(error.what(), 1);
  }
}
