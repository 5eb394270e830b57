#include "gpu/benchmarks/satscope_bench.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

namespace gpu::benchmarks {
namespace {

// The options of satscope_bench_report.py.
constexpr std::string_view options_of_reports[] = {"--markdown", "--csv", "--svg", "--over", "--peer-times"};

[[noreturn]] void refuse(const std::string& what, std::string_view word, std::span<const std::string_view> candidates) {
  const auto best = nearest(word, candidates);
  throw ArgumentError("no " + what + " '" + std::string(word) + "'" +
                      (best.empty() ? "; see --help" : " (did you mean '" + std::string(best) + "'?)"));
}

template <class List, class Name>
std::vector<std::string_view> names_of(const List& list, Name name) {
  std::vector<std::string_view> names;
  for (const auto& each : list) names.push_back(each.*name);
  return names;
}

int whole(std::string_view text, std::string_view what, int least, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
    throw ArgumentError("'" + std::string(text) + "' is not a valid " + std::string(what) +
                        ": it takes a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Size parse_size(std::string_view text) {
  constexpr int most = 1 << 20;
  const auto cross = text.find('x');
  if (cross == text.npos) {
    const int side = whole(text, "size", 1, most);
    return {side, side};
  }
  return {whole(text.substr(0, cross), "width", 1, most), whole(text.substr(cross + 1), "height", 1, most)};
}

Layout parse_layout(std::string_view text) {
  const auto found = std::find(layout_names.begin(), layout_names.end(), text);
  if (found == layout_names.end()) refuse("layout", text, layout_names);
  return static_cast<Layout>(found - layout_names.begin());
}

std::vector<SatType> parse_types(std::string_view text) {
  std::vector<SatType> types;
  if (text == "all") return {usual_sat_types.begin(), usual_sat_types.end()};
  for (const auto word : split_choices(text)) {
    const auto* type = find_sat_type(word);
    if (!type) refuse("type", word, names_of(sat_types, &SatTypeInfo::name));
    types.push_back(type->type);
  }
  return types;
}

// `batch`: of all of a GPU, only those that take several images at once.
std::vector<const SatAlgorithm*> parse_algorithms(std::string_view text, Device device, const std::string& no_gpu,
                                                  bool batch) {
  std::vector<const SatAlgorithm*> chosen;
  std::vector<std::string_view> names;
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->device == device) {
      names.push_back(algorithm->name);
      const bool wanted = !batch || device == Device::host || algorithm->run_batch;
      if (text == "all" && wanted && why_unavailable(*algorithm).empty()) chosen.push_back(algorithm);
    }
  if (text == "all") return chosen;
  for (const auto word : split_choices(text)) {
    const auto* algorithm = find_sat_algorithm(word);
    if (!algorithm) refuse("algorithm", word, names);
    if (algorithm->device == Device::cuda && !no_gpu.empty()) throw NoGpuError(std::string(word) + " needs CUDA: " + no_gpu);
    if (algorithm->device != device)
      throw ArgumentError(std::string(word) + " runs on " + std::string(name(algorithm->device)) + ": add --device " +
                          std::string(name(algorithm->device)));
    if (const auto why = why_unavailable(*algorithm); !why.empty()) throw ArgumentError(std::string(word) + ": " + why);
    chosen.push_back(algorithm);
  }
  return chosen;
}

// Why there is no GPU, if one was looked for; otherwise empty.
std::string choose_device(Options& options, std::string_view asked) {
  constexpr std::string_view devices[] = {"auto", "cuda", "host"};
  if (std::find(std::begin(devices), std::end(devices), asked) == std::end(devices)) refuse("device", asked, devices);
  options.device = Device::host;
  if (asked == "host") return {};
  const auto probe = probe_gpu();
  if (!probe.gpu && asked == "cuda") throw NoGpuError(probe.reason + "; --device host measures the host algorithms");
  if (probe.gpu)
    options.device = Device::cuda;
  else
    options.device_note = probe.reason + ": measuring the host algorithms";
  return probe.reason;
}

std::vector<Size> default_sizes(Device device, bool quick) {
  if (quick && device == Device::cuda) return {{256, 256}, {1024, 1024}, {1920, 1080}, {4096, 4096}};
  if (quick) return {{256, 256}, {1024, 1024}, {1920, 1080}};
  std::vector<Size> sizes = {{256, 256},   {512, 512},   {1024, 1024}, {1920, 1080},
                             {2048, 2048}, {3840, 2160}, {4096, 4096}, {8192, 8192}};
  if (device == Device::cuda) sizes.insert(sizes.end(), {{16384, 16384}, {32768, 32768}});
  return sizes;
}

}  // namespace

Arguments Options::arguments_of(const SatAlgorithm& algorithm) const {
  Arguments arguments(algorithm.parameters);
  for (const auto& [key, value] : set)
    if (arguments.has(key)) arguments.set(key, value);
  return arguments;
}

Options parse_options(int count, const char* const* words) {
  Options options;
  std::string algorithms = "all", types = "8u32u,32f32f", sizes, device = "auto";
  bool quick = false;
  int i = 1;
  std::string_view word;                         // an option
  std::optional<std::string_view> inline_value;  // what follows it behind '='
  const auto value = [&]() -> std::string {
    if (inline_value) return std::string(*inline_value);
    if (i + 1 == count) throw ArgumentError(std::string(word) + " needs a value; see --help");
    return words[++i];
  };
  const auto set = [&] {
    const auto pair = value();
    const auto at = pair.find('=');
    if (at == pair.npos) throw ArgumentError("--set takes KEY=VALUE, not '" + pair + "'");
    options.set.emplace_back(pair.substr(0, at), pair.substr(at + 1));
  };
  using Known = std::pair<std::string_view, std::function<void()>>;
  const Known known[] = {{"--algorithms", [&] { algorithms = value(); }},
                         {"--types", [&] { types = value(); }},
                         {"--sizes", [&] { sizes = value(); }},
                         {"--device", [&] { device = value(); }},
                         {"--set", set},
                         {"--all-parameters", [&] { options.all_parameters = true; }},
                         {"--hot", [&] { options.hot = true; }},
                         {"--layout", [&] { options.layout = parse_layout(value()); }},
                         {"--latencies", [&] { options.latencies = true; }},
                         {"--traffic", [&] { options.traffic = true; }},
                         {"--frame", [&] { options.frame = true; }},
                         {"--detect", [&] { options.detect = true; }},
                         {"--cascade", [&] { options.cascades.push_back(value()); }},
                         {"--pictures", [&] { options.pictures.push_back(value()); }},
                         {"--batch", [&] { options.batch = whole(value(), "number of images", 1, 65536); }},
                         {"--quick", [&] { quick = true; }},
                         {"--samples", [&] { options.samples = whole(value(), "number of samples", 1, 100000); }},
                         {"--no-progress", [&] { options.progress = false; }},
                         {"--json", [&] { options.json = value(); }},
                         {"--help", [&] { options.help = true; }}};
  for (; i < count; ++i) {
    word = words[i];
    inline_value.reset();
    if (const auto equals = word.find('='); word.starts_with("--") && equals != word.npos) {
      inline_value = word.substr(equals + 1);
      word = word.substr(0, equals);
    }
    if (word == "-h") word = "--help";
    if (const auto found = std::ranges::find(known, word, &Known::first); found != std::end(known))
      found->second();
    else if (std::ranges::find(options_of_reports, word) != std::end(options_of_reports))
      throw ArgumentError(std::string(word) + " is an option of satscope-bench-report: take --json F here, then call " +
                          "satscope-bench-report F " + std::string(word));
    else
      refuse("option", word, names_of(known, &Known::first));
  }
  if (options.help) return options;
  options.types = parse_types(types);
  // Traffic is known for the GPU's algorithms only, but needs no GPU.
  if (options.traffic) options.device = Device::cuda;
  const auto no_gpu = options.traffic ? std::string() : choose_device(options, device);
  if (options.latencies && device == "host") throw ArgumentError("--latencies measures a GPU: leave out --device host");
  if (options.latencies && !no_gpu.empty()) throw NoGpuError("--latencies needs CUDA: " + no_gpu);
  if (options.frame && algorithms == "all")
    algorithms = options.device == Device::cuda ? "1r1w_skss_lb,one_wave" : "host_parallel,host_serial";
  if (options.frame && sizes.empty()) sizes = "1920x1080,3840x2160";
  if (options.batch > 1 && (options.frame || options.detect || options.traffic || options.latencies))
    throw ArgumentError("--batch measures tables: leave out --frame, --detect, --traffic and --latencies");
  if (options.batch > 1 && sizes.empty()) sizes = "256";
  if (options.detect && sizes.empty()) sizes = "640x480,1920x1080,3840x2160";
  options.algorithms = parse_algorithms(algorithms, options.device, no_gpu, options.batch > 1);
  for (const auto word : split_choices(sizes)) options.sizes.push_back(parse_size(word));
  if (options.sizes.empty()) options.sizes = default_sizes(options.device, quick);
  if (quick) options.seconds = 50;
  for (const auto size : options.sizes)
    if (std::int64_t{size.height} * options.batch > 1 << 30)
      throw ArgumentError("--batch " + std::to_string(options.batch) + " of " + std::to_string(size.height) +
                          " rows: together they have more than 2^30");
  return options;
}

std::string help_text() {
  std::string names;
  for (const auto* algorithm : sat_algorithms()) {
    const auto why = why_unavailable(*algorithm);
    names += "  " + std::string(algorithm->name) + (algorithm->device == Device::host ? " (host)" : "") +
             (why.empty() ? "" : ": " + why) + "\n";
  }
  return R"(satscope-bench: every summed area table algorithm, verified and measured side by side

usage: satscope-bench [options]
  --algorithms A,B,...   of those listed below (default: all of the device)
  --types T,U,...|all    all: 8u32u 8u32f 32u32u 32f32f 64f64f 8u64u; of a few algorithms also 16u32u 16u64u 8u64f 32f64f
                         8u64u_plain 16u64u_squares 32f64f_squares (default: 8u32u,32f32f)
  --sizes S,T,...        N or WIDTHxHEIGHT (default: 256 to 32768, 1920x1080, 3840x2160; the host stops at 8192)
  --device auto|cuda|host
  --set KEY=VALUE        hold a parameter fixed instead of choosing the fastest value; may be repeated
  --all-parameters       one row per combination of parameters, not only for the fastest
  --hot                  the same image and table in every run, so that small ones stay in the L2 cache
                         (default: copies used in turn, which together are larger than four times the L2 cache)
  --layout L             where rows of images and tables begin: pitched, at multiples of 256 bytes (the default); contiguous;
                         padded, the table within one of a row and a column more, both contiguous (cv::integral); offset, one
                         pixel behind pitched ones. Bounds are always of pitched rows
  --batch N              N images of each size in one run, one below another, times per image: by algorithms that take them at
                         once, and others that are named, for one image after another. Bounds are of all images at once
                         (default: --sizes 256 with it)
  --latencies            instead of the algorithms: clocks per shuffle, shared memory load and addition on this GPU, and
                         how many lanes of each a multiprocessor executes per clock
  --traffic              instead of times: bytes that threads read and write in global memory, per pixel, and launches;
                         with initial parameters or --set; needs no GPU
  --frame                instead of the tables: what one frame of the program costs, part by part (gray, table, box blur into
                         picture and texture; then the channels, their tables and the adaptive threshold of other frames), with
                         initial parameters or --set, and --layout
                         (default: the algorithms that the program starts with, 1920x1080 and 3840x2160)
  --detect               instead of the tables: what detection by a cascade costs, verified, and its parts
                         (default: of waves and noise of 640x480, 1920x1080, 3840x2160)
  --cascade F            with --detect: a cascade file; may be repeated
  --pictures F           with --detect: a gray picture (binary PGM) as the frame, or a folder of them, which satscope-bench-host
                         --detect --scenes FOLDER writes; may be repeated
  --quick                four sizes, less than a minute
  --samples N            at least N samples per cell (default: 50)
  --json F               also write the results there, of which satscope-bench-report makes more tables (GB/s, parts, speed-ups
                         over peers), Markdown, CSV and a chart; -: only print them, satscope-bench --json - | satscope-bench-report
  --no-progress          no progress bar
Times are medians. Overheads are over a bound measured in the same run: the fastest of `copy` (a memcpy of as many bytes),
`convert_copy` and `convert_words` (read the image, write the table's type, by few threads or by many); on the host
`memset` (all threads clear the table). Ctrl-C prints what was measured so far.

algorithms:
)" + names;
}

}  // namespace gpu::benchmarks
