#include "gpu/benchmarks/results.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <utility>

#include "gpu/choice/bounds.h"

namespace gpu::benchmarks {
namespace {

// The value of the first line of `file` that begins with `key`, after its colon.
std::string field(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) {
      const auto colon = line.find(':');
      const auto start = line.find_first_not_of(" \t", colon + 1);
      if (colon != line.npos && start != line.npos) return line.substr(start);
    }
  return {};
}

Machine describe_host(int threads) {
  Machine machine;
  machine.name = field("/proc/cpuinfo", "model name");
  if (machine.name.empty()) machine.name = "processor of unknown name";
  machine.units = threads;
  machine.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // Virtual machines report the cache of the whole host, of which their few cores get only a part.
  const auto cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  constexpr std::size_t usual_cache = 32u << 20, most_cache = 64u << 20;
  machine.cache_bytes = cache > 0 ? std::min(static_cast<std::size_t>(cache), most_cache) : usual_cache;
  return machine;
}

struct ThrottleReason {
  unsigned long long bit;
  const char* text;
};
constexpr int sm_clock = 1, memory_clock = 2;  // nvmlClockType_t
constexpr int insufficient_size = 7;           // nvmlReturn_t: the count was written all the same
// NVML's clock event reasons that mean "slower than it could be". Idle clocks (1) and set clocks (2) do not.
constexpr ThrottleReason throttle_reasons[] = {
    {0x04, "the power limit"},
    {0x08, "a hardware slowdown"},
    {0x20, "its temperature (software)"},
    {0x40, "its temperature (hardware)"},
    {0x80, "the power supply's brake"},
};

}  // namespace

Machine describe_machine(Device device, int threads) {
  if (device == Device::host) return describe_host(threads);
  const auto gpu = probe_gpu().gpu.value();
  Machine machine;
  machine.name = gpu.name;
  machine.cuda = std::to_string(gpu.driver / 1000) + "." + std::to_string(gpu.driver % 1000 / 10);
  machine.memory_bytes = gpu.memory_bytes;
  machine.cache_bytes = gpu.l2_bytes;
  machine.units = gpu.multiprocessors;
  return machine;
}

// The few functions of NVML's C interface that are needed, by their names in libnvidia-ml.so.1.
struct GpuWatch::Nvml {
  using Handle = void*;
  struct Utilisation {
    unsigned gpu, memory;
  };
  void* library = nullptr;
  Handle device = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*clock)(Handle, int, unsigned*) = nullptr;
  int (*maximum_clock)(Handle, int, unsigned*) = nullptr;
  int (*throttle)(Handle, unsigned long long*) = nullptr;
  int (*utilisation)(Handle, Utilisation*) = nullptr;
  int (*processes)(Handle, unsigned*, void*) = nullptr;

  template <class F>
  bool find(F& function, const char* name) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
  }
  bool open() {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*start)() = nullptr;
    int (*handle)(const char*, Handle*) = nullptr;
    char bus[32];
    if (!library || !find(start, "nvmlInit_v2") || !find(shutdown, "nvmlShutdown") ||
        !find(handle, "nvmlDeviceGetHandleByPciBusId_v2") || !find(driver_version, "nvmlSystemGetDriverVersion") ||
        !find(clock, "nvmlDeviceGetClockInfo") || !find(maximum_clock, "nvmlDeviceGetMaxClockInfo") ||
        !find(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons") ||
        !find(utilisation, "nvmlDeviceGetUtilizationRates") || !find(processes, "nvmlDeviceGetComputeRunningProcesses_v3") ||
        start() != 0)
      return false;
    return cudaDeviceGetPCIBusId(bus, sizeof bus, 0) == cudaSuccess && handle(bus, &device) == 0;
  }
  ~Nvml() {
    if (device && shutdown) shutdown();
    if (library) dlclose(library);
  }
};

GpuWatch::GpuWatch() {
  auto nvml = std::make_unique<Nvml>();
  if (!nvml->open()) return;
  nvml_ = std::move(nvml);
  Nvml::Utilisation utilisation{};
  if (nvml_->utilisation(nvml_->device, &utilisation) == 0) busy_before_ = utilisation.gpu;
  nvml_->maximum_clock(nvml_->device, sm_clock, &limit_sm_);
}

GpuWatch::~GpuWatch() = default;

void GpuWatch::look() {
  if (!nvml_) return;
  unsigned value = 0, programs = 0;
  if (nvml_->clock(nvml_->device, sm_clock, &value) == 0) {
    lowest_sm_ = std::min(lowest_sm_, value);
    highest_sm_ = std::max(highest_sm_, value);
  }
  nvml_->clock(nvml_->device, memory_clock, &memory_);
  unsigned long long reasons = 0;
  if (nvml_->throttle(nvml_->device, &reasons) == 0) throttled_ |= reasons;
  const auto code = nvml_->processes(nvml_->device, &programs, nullptr);
  // One of them is this program.
  if ((code == 0 || code == insufficient_size) && programs > 1) other_programs_ = std::max(other_programs_, programs - 1);
}

std::string GpuWatch::driver() const {
  char text[96] = {};
  return nvml_ && nvml_->driver_version(text, sizeof text) == 0 ? text : "";
}

std::string GpuWatch::clocks() const {
  if (highest_sm_ == 0) return {};
  auto text = "SM clock " + std::to_string(lowest_sm_);
  if (highest_sm_ != lowest_sm_) text += " to " + std::to_string(highest_sm_);
  return text + " MHz (limit " + std::to_string(limit_sm_) + "), memory clock " + std::to_string(memory_) + " MHz";
}

std::vector<std::string> GpuWatch::warnings() const {
  std::vector<std::string> list;
  if (other_programs_ > 0)
    list.push_back(std::to_string(other_programs_) + " other program(s) used this GPU during the measurements");
  if (busy_before_ > 5)
    list.push_back("the GPU was " + std::to_string(busy_before_) + "% busy before the measurements began");
  for (const auto& reason : throttle_reasons)
    if (throttled_ & reason.bit) list.push_back(std::string("the GPU was slowed down by ") + reason.text);
  return list;
}

namespace {

// The bandwidth of the least possible traffic, the image read once and the table written once. GB/s.
double bandwidth(const Cell& cell) {
  const auto& types = info(cell.type);
  return static_cast<double>(cell.size.pixels()) * static_cast<double>(size_of(types.input) + size_of(types.sum)) /
         cell.timing.median / 1000;
}

// The bandwidth of the bytes that threads request; the cell must have traffic. Above the memory's own if caches serve a part. GB/s.
double requested_bandwidth(const Cell& cell) {
  return static_cast<double>(cell.traffic->read_bytes + cell.traffic->written_bytes) / cell.timing.median / 1000;
}

}  // namespace

const Cell* Results::find(SatType type, Size size, const std::string& row) const {
  for (const auto& cell : cells)
    if (cell.type == type && cell.size == size && cell.row == row) return &cell;
  return nullptr;
}

const Cell* Results::bound(SatType type, Size size) const {
  const Cell* least = nullptr;
  for (const auto& one : gpu::bounds(device)) {
    if (device == Device::host && one.name != decisive_bound(device, type)) continue;
    const auto* cell = find(type, size, std::string(one.name));
    if (cell && cell->measured() && (!least || cell->timing.median < least->timing.median)) least = cell;
  }
  return least;
}

std::string Results::bound_name(SatType type) const {
  return device == Device::host ? std::string(decisive_bound(device, type))
                                : "the fastest of copy, convert_copy and convert_words";
}

double Results::overhead(const Cell& cell) const {
  const auto* least = bound(cell.type, cell.size);
  if (!least || !cell.measured()) return std::numeric_limits<double>::quiet_NaN();
  return (cell.timing.median / least->timing.median - 1) * 100;
}

double Results::over_own_traffic(const Cell& cell) const {
  const auto* copy = find(cell.type, cell.size, "copy");
  if (!copy || !copy->measured() || !cell.measured() || !cell.traffic) return std::numeric_limits<double>::quiet_NaN();
  return bandwidth(*copy) / requested_bandwidth(cell);
}

std::string text(Size size) {
  if (size.width == size.height) return std::to_string(size.width) + "²";
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::string number(double value) {
  char digits[32];
  const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
  std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
  return digits;
}

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) result += c;
  }
  return result + '"';
}

namespace {

std::vector<std::string> header_lines(const Results& results) {
  if (results.samples == 0)
    return {"bytes per pixel that threads read + write in global memory, launches; on a GPU with 132 multiprocessors"};
  const auto& machine = results.machine;
  std::vector<std::string> lines;
  auto line = machine.name + ", " + std::to_string(machine.units) +
              (results.device == Device::cuda ? " multiprocessor" : " thread") + (machine.units == 1 ? ", " : "s, ") +
              std::to_string((machine.memory_bytes + (1u << 29)) >> 30) + " GiB, " +
              std::to_string(machine.cache_bytes >> 20) + " MiB last cache";
  if (!machine.driver.empty()) line += ", driver " + machine.driver;
  if (!machine.cuda.empty()) line += " (CUDA " + machine.cuda + ")";
  lines.push_back(line);
  if (!results.clocks.empty()) lines.push_back(results.clocks);
  lines.push_back(results.hot ? "hot: one image and one table, used again in every run"
                              : "cold: images and tables rotated through more than four times the last cache");
  if (results.batch > 1)
    lines.push_back("batches of " + std::to_string(results.batch) +
                    " images; times per image, bounds of all images at once");
  if (results.layout != Layout::pitched)
    lines.push_back("rows: " + std::string(name(results.layout)) + " (bounds: " + std::string(name(Layout::pitched)) + ")");
  lines.push_back("every result verified before and after it was timed; random pixels; medians of at least " +
                  std::to_string(results.samples) + " samples");
  for (const auto& note : results.notes) lines.push_back("Note: " + note);
  return lines;
}

std::string entry(const Results& results, const Cell& cell) {
  if (!cell.failure.empty()) return "FAILED";
  if (results.samples == 0 && cell.traffic) {
    const auto pixels = static_cast<double>(cell.size.pixels());
    return number(static_cast<double>(cell.traffic->read_bytes) / pixels) + " + " +
           number(static_cast<double>(cell.traffic->written_bytes) / pixels) + ", " + std::to_string(cell.traffic->launches);
  }
  if (!cell.measured()) return "";
  const auto overhead = results.overhead(cell);
  if (std::isnan(overhead) || &cell == results.bound(cell.type, cell.size)) return number(cell.timing.median);
  return number(cell.timing.median) + " (" + std::to_string(std::lround(overhead)) + "%)";
}

// The first line holds the sizes, the first column the rows' names. Rows without a single entry are left out.
TextTable grid_of(const Results& results, SatType type) {
  TextTable grid{{results.samples == 0 ? std::string(info(type).name) : "us"}};
  for (const auto size : results.sizes) grid[0].push_back(text(size));
  for (const auto& row : results.rows) {
    std::vector<std::string> line{row};
    for (const auto size : results.sizes) {
      const auto* cell = results.find(type, size, row);
      line.push_back(cell ? entry(results, *cell) : "");
    }
    if (std::any_of(line.begin() + 1, line.end(), [](const auto& each) { return !each.empty(); })) grid.push_back(line);
  }
  return grid;
}

}  // namespace

// Columns on a terminal: continuation bytes of UTF-8 take none.
std::string aligned(const TextTable& table) {
  const auto width_of = [](const std::string& entry) {
    return static_cast<std::size_t>(std::ranges::count_if(entry, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths(table[0].size());
  for (const auto& line : table)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width_of(line[i]));
  std::string text;
  for (const auto& line : table) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string gap(widths[i] - width_of(line[i]), ' ');
      text += i == 0 ? line[i] + gap : "  " + gap + line[i];
    }
    text += '\n';
  }
  return text;
}

std::string results_text(const Results& results) {
  std::string text;
  for (const auto& line : header_lines(results)) text += line + '\n';
  for (const auto type : results.types) {
    const auto grid = grid_of(results, type);
    if (grid.size() < 2) continue;
    text += '\n';
    if (results.samples > 0)
      text += std::string(info(type).name) + ": median time in us (overhead over " + results.bound_name(type) + ")\n";
    text += aligned(grid);
  }
  for (const auto& cell : results.cells)
    if (!cell.failure.empty())
      text += "\nFAILED: " + cell.row + (cell.arguments.empty() ? "" : " (" + cell.arguments + ")") + ", " +
              std::string(info(cell.type).name) + ", " + gpu::benchmarks::text(cell.size) + ": " + cell.failure + '\n';
  return text;
}

namespace {

// With more digits than any report has, which are rounded once then.
std::string exact(double value) {
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.6f", value);
  return digits;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text = "[";
  for (const auto& word : words) text += (text.size() > 1 ? ", " : "") + in_quotes(word);
  return text + "]";
}

std::string timing_json(const Results& results, const Cell& cell) {
  const auto overhead = results.overhead(cell), ratio = results.over_own_traffic(cell);
  return ", \"median_us\": " + exact(cell.timing.median) + ", \"min_us\": " + exact(cell.timing.minimum) +
         ", \"p90_us\": " + exact(cell.timing.p90) + ", \"samples\": " + std::to_string(cell.timing.samples) +
         ", \"runs_per_sample\": " + std::to_string(cell.timing.runs_per_sample) +
         ", \"graph\": " + (cell.timing.graph ? "true" : "false") +
         ", \"live_us\": " + (cell.timing.live > 0 ? exact(cell.timing.live) : "null") +
         ", \"gb_s\": " + exact(bandwidth(cell)) +
         ", \"overhead_percent\": " + (std::isnan(overhead) ? "null" : exact(overhead)) +
         (cell.traffic ? ", \"requested_gb_s\": " + exact(requested_bandwidth(cell)) : "") +
         (std::isnan(ratio) ? "" : ", \"over_own_traffic\": " + exact(ratio));
}

std::string cell_json(const Results& results, const Cell& cell) {
  std::string text = "{\"row\": " + in_quotes(cell.row) + ", \"arguments\": " + in_quotes(cell.arguments) +
                     ", \"type\": " + in_quotes(info(cell.type).name) + ", \"width\": " + std::to_string(cell.size.width) +
                     ", \"height\": " + std::to_string(cell.size.height) + ", \"bound\": " + (cell.bound ? "true" : "false");
  if (!cell.failure.empty()) return text + ", \"failure\": " + in_quotes(cell.failure) + "}";
  if (cell.measured()) text += timing_json(results, cell);
  if (cell.traffic)
    text += ", \"read_bytes\": " + std::to_string(cell.traffic->read_bytes) +
            ", \"written_bytes\": " + std::to_string(cell.traffic->written_bytes) +
            ", \"launches\": " + std::to_string(cell.traffic->launches);
  return text + "}";
}

}  // namespace

std::string results_json(const Results& results) {
  const auto& machine = results.machine;
  std::string text = "{\n  \"device\": " + in_quotes(name(results.device)) + ",\n  \"machine\": " + in_quotes(machine.name) +
                     ",\n  \"units\": " + std::to_string(machine.units) +
                     ",\n  \"memory_bytes\": " + std::to_string(machine.memory_bytes) +
                     ",\n  \"cache_bytes\": " + std::to_string(machine.cache_bytes) +
                     ",\n  \"driver\": " + in_quotes(machine.driver) + ",\n  \"cuda\": " + in_quotes(machine.cuda) +
                     ",\n  \"clocks\": " + in_quotes(results.clocks) +
                     ",\n  \"buffers\": " + (results.hot ? "\"hot\"" : "\"cold\"") +
                     ",\n  \"layout\": " + in_quotes(name(results.layout)) +
                     ",\n  \"batch\": " + std::to_string(results.batch) + ",\n  \"notes\": " + list_of(results.notes) +
                     ",\n  \"header\": " + list_of(header_lines(results)) + ",\n  \"rows\": " + list_of(results.rows) +
                     ",\n  \"sizes\": [";
  for (std::size_t i = 0; i < results.sizes.size(); ++i)
    text += (i ? ", [" : "[") + std::to_string(results.sizes[i].width) + ", " + std::to_string(results.sizes[i].height) +
            "]";
  text += "],\n  \"decisive_bounds\": {";
  for (std::size_t i = 0; i < results.types.size(); ++i)
    text += (i ? ", " : "") + in_quotes(info(results.types[i]).name) + ": " +
            in_quotes(results.bound_name(results.types[i]));
  text += "},\n  \"cells\": [";
  for (std::size_t i = 0; i < results.cells.size(); ++i)
    text += (i ? ",\n    " : "\n    ") + cell_json(results, results.cells[i]);
  return text + "\n  ]\n}\n";
}

}  // namespace gpu::benchmarks
