// The measurements, the machine on which they are made, and whether anything disturbs them: as data; as JSON, of which
// satscope_bench_report.py makes every other report; as tables for a terminal.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/benchmarks/stage.h"
#include "gpu/choice/meter.h"
#include "gpu/cuda/device.h"
#include "gpu/sat.h"

namespace gpu::benchmarks {

struct Machine {
  std::string name;    // "NVIDIA H200", or the processor
  std::string driver;  // "580.95.05"; empty on the host
  std::string cuda;    // of the driver, "13.0"
  std::size_t memory_bytes = 0;
  std::size_t cache_bytes = 0;  // of the last level
  int units = 0;                // multiprocessors, or threads
};
Machine describe_machine(Device device, int threads);

// Watches the GPU while it is measured: whether anything disturbed it. Its clocks come from NVML, which is part of the driver;
// without it they are omitted.
class GpuWatch {
 public:
  GpuWatch();
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  void look();  // takes a reading; does nothing without NVML
  std::string driver() const;
  // "SM clock 1980 MHz (limit 1980), memory clock 3201 MHz"; empty without NVML.
  std::string clocks() const;
  // What may have made the figures worse: other programs on the GPU, throttling.
  std::vector<std::string> warnings() const;

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;  // null if it is missing
  unsigned lowest_sm_ = ~0u, highest_sm_ = 0, limit_sm_ = 0, memory_ = 0, busy_before_ = 0;
  unsigned other_programs_ = 0;
  unsigned long long throttled_ = 0;
};

// One row of the table at one type and size.
struct Cell {
  std::string row;        // "2r1w", or "2r1w W=64" with --all-parameters; a bound's name
  std::string arguments;  // "W=64"
  SatType type;
  Size size;
  bool bound = false;
  Timing timing;                        // samples == 0: not measured
  std::string failure;                  // why not, or what was wrong with the result; empty if it is correct
  std::optional<Traffic> traffic = {};  // if the algorithm states it
  bool measured() const { return timing.samples > 0 && failure.empty(); }
};

struct Results {
  Device device;
  bool hot = false;
  Layout layout = Layout::pitched;
  int batch = 1;    // images per run; times are of one
  int samples = 0;  // at least as many per cell; 0: the cells have their traffic alone, for which nothing is run
  Machine machine;
  std::string clocks;
  std::vector<std::string> notes;  // warnings; what is missing, and why
  std::vector<SatType> types;
  std::vector<Size> sizes;
  std::vector<std::string> rows;  // bounds first
  std::vector<Cell> cells;

  const Cell* find(SatType type, Size size, const std::string& row) const;
  // The measured bound over which overheads of this type and size are stated: on the host the decisive one (bounds.h), on a GPU
  // the fastest of all. Null if none was measured.
  const Cell* bound(SatType type, Size size) const;
  std::string bound_name(SatType type) const;
  // Over that bound, in percent; NaN if one of the two was not measured.
  double overhead(const Cell& cell) const;
  // The time divided by that of a copy of as many bytes as the algorithm itself requests (Cell::traffic), at the speed of
  // `copy` of the same type and size: how much slower it is than its traffic requires. NaN if one of them is unknown.
  double over_own_traffic(const Cell& cell) const;
};

// "1920x1080"; squares: "4096²".
std::string text(Size size);
// 3 significant digits: "12.3", "0.65", "1242".
std::string number(double value);
std::string in_quotes(std::string_view text);  // of JSON, without control characters

// The first line holds the columns' names, the first column the rows'.
using TextTable = std::vector<std::vector<std::string>>;
std::string aligned(const TextTable& table);

// The machine, how the measurements were made, and warnings; then for each type median times and overheads, or the traffic; and
// what failed.
std::string results_text(const Results& results);
std::string results_json(const Results& results);

}  // namespace gpu::benchmarks
