// satscope-bench-host: host tables and the steps of a frame compared with OpenCV's, the host pipeline, and the blur over its
// windows; cascades compared with OpenCV's; users' kernels from a save to the picture. All cores, and the steps also with one
// thread; OpenCV with its defaults.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <opencv2/core/utility.hpp>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "app/benchmarks/host_benchmarks.h"
#include "app/commands/options.h"
#include "app/support/exit_code.h"
#include "app/support/text.h"
#include "gpu/choice/meter.h"
#include "gpu/user_kernels/judge.h"

namespace app::benchmarks {

double Contender::median() const {
  auto values = microseconds;
  return gpu::percentile(values, 50);
}

double Contender::minimum() const { return *std::min_element(microseconds.begin(), microseconds.end()); }

void alternate(std::vector<Contender>& contenders, double seconds) {
  for (auto& contender : contenders) contender.run();  // warm-up: pages, caches, threads
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  constexpr int fewest_rounds = 15;
  for (int round = 0; round < fewest_rounds || Clock::now() - start < std::chrono::duration<double>(seconds); ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      auto& contender = contenders[(i + static_cast<std::size_t>(round)) % contenders.size()];
      contender.run();  // not counted: wakes the contender's threads, which slept while others ran
      const auto before = Clock::now();
      contender.run();
      contender.microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
    }
}

}  // namespace app::benchmarks

namespace {

constexpr const char* usage =
    "usage: satscope-bench-host [--seconds N] [--csv F | --kernels | --detect [--csv F] [--scenes FOLDER] [--cascade F] "
    "[--pictures F]]\n"
    "  --seconds N       duration of each comparison (default 4)\n"
    "  --csv F           instead: write the times of cv::integral to F, for satscope-bench-report --peer-times F\n"
    "  --kernels         instead: kernels of one's own, from a save to the picture, and what a loaded one costs\n"
    "  --detect          instead: cascades compared with cv::CascadeClassifier\n"
    "  --detect --csv F  also write these times to F, for satscope-bench-report --peer-times F\n"
    "  --scenes FOLDER   with --detect: also write the scenes there, for satscope-bench --detect --pictures FOLDER\n"
    "  --cascade F       with --detect: this cascade instead of those of opencv-data; may be repeated\n"
    "  --pictures F      with --detect: this picture instead of the scenes; may be repeated\n";
constexpr std::string_view known_options[] = {"--seconds", "--kernels", "--detect",   "--csv",
                                              "--scenes",  "--cascade", "--pictures", "--help"};

struct Options : app::benchmarks::DetectorComparison {
  std::string scenes;
  bool detect = false, kernels = false, help = false;
};

[[noreturn]] void refuse(const std::string& message) { throw app::ExitError(app::ExitCode::usage, message); }

[[noreturn]] void refuse_option(const std::string& word) {
  const auto near = app::did_you_mean(word, known_options);
  refuse("no option '" + word + "'" + (near.empty() ? "; see --help" : near));
}

double positive(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !(value > 0) || !std::isfinite(value))
    refuse("--seconds takes a number above 0, not '" + word + "'");
  return value;
}

Options parse(std::span<char* const> words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string word = words[i];
    const auto equals = word.starts_with("--") ? word.find('=') : word.npos;
    const auto value = [&, given = equals == word.npos ? "" : word.substr(equals + 1)] {
      if (equals != std::string::npos) return given;
      if (i + 1 == words.size()) refuse(word + " needs a value; see --help");
      return std::string(words[++i]);
    };
    word = word.substr(0, equals);
    if (word == "--seconds")
      options.seconds = positive(value());
    else if (word == "--csv")
      options.csv = value();
    else if (word == "--scenes")
      options.scenes = value();
    else if (word == "--cascade")
      options.cascades.push_back(value());
    else if (word == "--pictures")
      options.pictures.push_back(value());
    else if (word == "--detect")
      options.detect = true;
    else if (word == "--kernels")
      options.kernels = true;
    else if (word == "--help" || word == "-h")
      options.help = true;
    else
      refuse_option(word);
  }
  for (const auto& [given, word] : {std::pair(!options.scenes.empty(), "--scenes"),
                                    {!options.cascades.empty(), "--cascade"},
                                    {!options.pictures.empty(), "--pictures"}})
    if (given && !options.detect) refuse(std::string(word) + " needs --detect");
  if (options.kernels && (options.detect || !options.csv.empty())) refuse("--kernels measures nothing else: give it alone");
  return options;
}

int run(const Options& options) {
  using namespace app::benchmarks;
  const double seconds = options.seconds;
  std::printf("%s; OpenCV %s with %s\n\n", app::counted(std::thread::hardware_concurrency(), "core").c_str(),
              cv::getVersionString().c_str(),
              app::counted(static_cast<std::uint64_t>(cv::getNumThreads()), "thread").c_str());
  if (options.detect) {
    if (!options.scenes.empty()) write_scenes(options.scenes);
    return compare_detectors(options), 0;
  }
  if (options.kernels) return time_kernels(seconds), 0;
  for (const gpu::Size size : {gpu::Size{1920, 1080}, {3840, 2160}, {8192, 8192}}) {
    compare_tables(size, seconds);
    std::fflush(stdout);
  }
  std::printf("\n");
  compare_steps({1920, 1080}, seconds);
  std::printf("\n");
  time_pipeline({1920, 1080}, seconds);
  time_frame_graph(seconds);
  std::printf("\n");
  time_blur({1920, 1080}, seconds);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  // A kernel that is tried on behalf of --kernels.
  if (count > 1 && words[1] == app::judge_child_word)
    return gpu::judge_in_this_process(std::vector<std::string>(words + 2, words + count));
  try {
    const auto options = parse({words + 1, words + count});
    if (options.help) return std::fputs(usage, stdout) < 0;
    if (options.csv.empty() || options.detect) return run(options);
    app::benchmarks::write_opencv_times(options.csv);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "satscope-bench-host: %s\n", error.what());
    const auto* exit = dynamic_cast<const app::ExitError*>(&error);
    return static_cast<int>(exit ? exit->code() : app::ExitCode::failed);
  }
}
