// Users' kernels: how long it takes from a save to the picture, and what a kernel that is loaded costs the program.
#include <stdlib.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/benchmarks/host_benchmarks.h"
#include "app/pipeline/pipeline.h"
#include "app/session/kernel_files.h"
#include "app/session/kernel_refusal.h"
#include "app/session/kernel_starts.h"
#include "app/support/files.h"
#include "gpu/choice/meter.h"
#include "gpu/execution/child_process.h"

namespace app::benchmarks {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr gpu::Size frame_size{960, 540};  // of the bundled clip
constexpr int fewest_saves = 3, fewest_starts = 3;
constexpr int frames_played = 200;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// Removed at the end with all that is in it.
class WorkFolder {
 public:
  WorkFolder() {
    auto name = (fs::temp_directory_path() / "satscope-bench-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a folder, " + name);
    path_ = name;
  }
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write(const fs::path& file, const std::string& text) {
  std::ofstream stream(file);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

// What the window does with one file, without a window: it is compiled, tried, taken and drawn with.
class SavedFile {
 public:
  SavedFile(fs::path file, std::string text) : file_(std::move(file)), text_(std::move(text)), files_(steps()) {
    write(file_, text_);
    frame_.resize(frame_size, false);
    settings_.effect = "none";
    settings_.cuda_algorithm = files_.open(file_);
    take();
  }

  void save() {
    const auto begin = Clock::now();
    write(file_, text_ + "// Save " + std::to_string(++saves_) + ".\n");
    take();
    pipeline_.process(frame_, make_selection(settings_, gpu::Device::simulated));
    const auto& now = files_.files().front();
    total_.push_back(seconds_since(begin));
    compiling_.push_back(now.compile_seconds);
    trying_.push_back(now.verdict.seconds);
  }
  void print(const std::string& name) {
    std::printf("  %-46s %7.2f   %7.2f   %7.2f   %7.2f\n", name.c_str(), gpu::percentile(total_, 50),
                gpu::percentile(total_, 0), gpu::percentile(compiling_, 50), gpu::percentile(trying_, 50));
    std::fflush(stdout);
  }

 private:
  static KernelFiles::Steps steps() {
    auto steps = KernelFiles::usual_steps({{}, "the CPU is measured"});
    steps.first_type_first = true;  // as a session
    steps.prepare = {};             // time_saves() does it, when it is to be done
    return steps;
  }
  void take() {
    for (;; files_.busy() ? files_.wait(1ms) : std::this_thread::sleep_for(1ms))
      for (const auto& news : files_.follow(frame_size)) {
        if (news.taken) return;
        throw std::runtime_error(text_of_refusal(files_.files().front()));
      }
  }

  fs::path file_;
  std::string text_;
  KernelFiles files_;
  Settings settings_;
  capture::Frame frame_;
  Pipeline pipeline_{gpu::Device::simulated};
  int saves_ = 0;
  std::vector<double> total_, compiling_, trying_;
};

// One after another: compilers take all cores.
void time_saves(const fs::path& folder, double seconds) {
  std::pair<const char*, std::string> texts[] = {{"satscope new", std::string(kernel_start(KernelStart::algorithm))},
                                                 {"satscope new --from 2r1w", kernel_of("2r1w")}};
  std::printf(
      "%dx%d, from a save to the picture on the simulated GPU, in s; compiled and tried: the medians of these parts\n"
      "  %-46s  median       min  compiled     tried\n",
      frame_size.width, frame_size.height, "");
  for (const bool precompiled : {false, true}) {
    if (precompiled) {
      const auto begin = Clock::now();
      const std::atomic<bool> stop = false;
      gpu::precompile_headers(KernelFiles::usual_steps({{}, "the CPU is measured"}).find_tools(), {}, stop);
      std::printf("  %-46s %7.2f\n", "precompiling the headers, once", seconds_since(begin));
    }
    for (const auto& [name, text] : texts) {
      SavedFile file(folder / "measured.cu", text);
      const auto begin = Clock::now();
      for (int i = 0; i < fewest_saves || seconds_since(begin) < seconds; ++i) file.save();
      file.print(std::string(name) + (precompiled ? ", with precompiled headers" : ""));
    }
  }
}

double seconds_of_run(const std::vector<std::string>& words) {
  std::string errors;
  const auto begin = Clock::now();
  const auto result = gpu::run_child({.words = words, .errors = [&](std::string_view piece) { errors += piece; }});
  if (!result.succeeded()) throw std::runtime_error(words.front() + ' ' + text_of(result, {}) + ": " + errors);
  return seconds_since(begin);
}

// The program on the bundled clip, as fast as it can, with the host's default algorithm and the box blur in both cases.
void time_program(const fs::path& folder, double seconds) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error).parent_path() / "satscope";
  if (!fs::exists(program, error)) throw std::runtime_error("there is no " + program.string() + ": build it, too");
  const auto kernel = folder / "loaded.cu";
  write(kernel, std::string(kernel_start(KernelStart::algorithm)));
  struct Case {
    std::vector<std::string> more;
    std::vector<double> start, frame;  // s; ms
  } cases[2];
  cases[1].more = {"--kernel", kernel.string()};
  const auto run = [&](const Case& one, int frames) {
    std::vector<std::string> words = {program.string(),
                                      asset("clip.mp4").string(),
                                      "--offscreen",
                                      "--no-config",
                                      "--device",
                                      "host",
                                      "--algorithm",
                                      "host_parallel",
                                      "--effect",
                                      "box_blur",
                                      "--max-speed",
                                      "--frames",
                                      std::to_string(frames)};
    words.insert(words.end(), one.more.begin(), one.more.end());
    return seconds_of_run(words);
  };
  const auto begin = Clock::now();
  for (int i = 0; i < fewest_starts || seconds_since(begin) < seconds; ++i)
    for (auto& one : cases) {
      const double start = run(one, 1);
      one.start.push_back(start);
      one.frame.push_back((run(one, 1 + frames_played) - start) / frames_played * 1000);
    }
  std::printf(
      "satscope --offscreen on the bundled clip, host_parallel and box_blur; medians\n"
      "  %-46s  without a kernel   with one loaded\n",
      "");
  const auto row = [&](const char* what, const char* unit, std::vector<double> Case::*of) {
    std::printf("  %-46s %14.3f %s %14.3f %s\n", what, gpu::percentile(cases[0].*of, 50), unit,
                gpu::percentile(cases[1].*of, 50), unit);
  };
  row("start, one picture, end", "s ", &Case::start);
  row("each frame after it", "ms", &Case::frame);
}

}  // namespace

void time_kernels(double seconds) {
  const WorkFolder folder;
  ::setenv("XDG_CACHE_HOME", (folder.path() / "cache").c_str(), 1);  // without what was precompiled before
  time_program(folder.path(), seconds);
  std::fflush(stdout);
  time_saves(folder.path(), seconds);
}

}  // namespace app::benchmarks
