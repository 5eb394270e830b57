// judge_in_this_process(): the child's side of a judge.
#include <fcntl.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "gpu/cuda/error.h"
#include "gpu/user_kernels/judge.h"
#include "gpu/user_kernels/judge_run.h"

namespace gpu {
namespace {

// Bytes of memory that the process has; 0: the system does not say it.
std::size_t resident_bytes() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

// How long the thread that runs everything was ready, and others ran. 0: the system does not say it.
std::chrono::nanoseconds waited_for_processor() {
  std::int64_t ran = 0, waited = 0;
  std::ifstream("/proc/self/schedstat") >> ran >> waited;
  return std::chrono::nanoseconds(waited);
}

// A little before the time is over, it stops the simulated GPU, which then says in which line its threads are. It ends the
// process where that takes too much memory, or goes on.
class Watch {
 public:
  explicit Watch(JudgeRun& run)
      : run_(run), before_(resident_bytes()), thread_([this](std::stop_token stop) { watch(stop); }) {}

 private:
  void watch(const std::stop_token& stop) {
    constexpr double nearly = 0.8;  // finding the line takes time, too
    const auto most = run_.task.request.limits.memory_bytes;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any end;
    while (!end.wait_for(lock, stop, std::chrono::milliseconds(10), [] { return false; }) && !stop.stop_requested()) {
      if (most > 0 && resident_bytes() > before_ + most) {
        run_.writer.wrong("needs more than " + gibibytes(most) + " of memory");
        ::_exit(1);
      }
      const auto part = run_.part();
      if (part >= 1) {
        run_.writer.wrong("does not end within " + run_.seconds());
        ::_exit(1);
      }
      if (part < nearly || run_.late.exchange(true)) continue;
      for (const auto* driver : {run_.plain, run_.observed})
        if (driver) driver->stop(true);
    }
  }

  JudgeRun& run_;
  std::size_t before_;  // of the program itself
  std::jthread thread_;
};

const simulated::Driver& driver_of(simulated::Build build, const std::filesystem::path& folder) {
  const auto loaded = simulated::load_driver(build, std::array{folder});
  if (!loaded.driver) throw std::runtime_error(loaded.reason);
  return *loaded.driver;
}

// The lines of what a fault says, at most some.
std::string first_lines(std::string_view text) {
  constexpr int most = 6;
  std::size_t end = 0;
  for (int i = 0; i < most && end != text.npos; ++i) end = text.find('\n', end + (i > 0));
  return std::string(text.substr(0, end));
}

// "out of bounds: a load ..." is named by what stands before the colon.
std::string sentence_of(const JudgeRun& run, std::string_view fault) {
  constexpr std::string_view kinds[] = {"out of bounds", "deadlock", "divergent barrier", "divergent warp", "not simulated"};
  if (run.late) return "does not end within " + run.seconds();
  for (const auto kind : kinds)
    if (fault.starts_with(kind)) return "wrong: " + std::string(kind);
  return fault.find("cudaError") == fault.npos ? "wrong: it cannot be run" : "wrong: an error on the GPU";
}

void judge_on_simulated_gpu(JudgeRun& run) {
  bool may_go_on = true;
  judge_observed(run, may_go_on);
  if (!may_go_on) return;
  run.version->effect ? judge_effect(run, Device::simulated) : judge_tables(run, Device::simulated);
  if (!run.has_faulted) judge_traffic(run);
}

void judge_on_cuda(JudgeRun& run) {
  if (!run.version->on_cuda) return run.writer.no_cuda(run.version->no_cuda);
  const bool right = run.version->effect ? judge_effect(run, Device::cuda) : judge_tables(run, Device::cuda);
  if (right && run.task.request.timed && !run.version->effect) judge_time(run);
}

}  // namespace

std::string JudgeRun::seconds() const {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(task.request.limits.time).count());
  return text;
}

void JudgeRun::start() {
  begin = Clock::now();
  waited_before = waited_for_processor();
  writer.ready();
}

double JudgeRun::part() const {
  const auto waited = waited_for_processor() - waited_before;
  return std::chrono::duration<double>(Clock::now() - begin - waited) /
         std::chrono::duration<double>(task.request.limits.time);
}

bool JudgeRun::attempt(const std::string& what, const std::function<void()>& work) {
  constexpr double enough_to_end = 0.3;  // of the time, for one case
  const double began = part();
  writer.now(what);
  std::string fault = "it throws something that is no std::exception";
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    fault = error.what();
  } catch (...) {}
  has_faulted = true;
  if (late && part() - began < enough_to_end) {
    writer.cannot_judge("it is not done after " + seconds() + ", with nothing wrong so far; --seconds gives it more time");
    return false;
  }
  writer.fault(first_lines(fault));
  writer.wrong(sentence_of(*this, fault));
  return false;
}

void JudgeRun::allow_scratch(std::size_t bytes, Size size) const {
  const auto most = task.request.limits.memory_bytes;
  if (most > 0 && bytes > most)
    throw std::runtime_error("it asks for " + std::to_string(bytes >> 20) + " MiB of scratch memory for " + text_of(size) +
                             " pixels");
}

void JudgeBudget::end(std::size_t pixels) {
  constexpr std::size_t enough = 2000;  // fewer say little about larger ones
  if (pixels >= enough) rate_ = std::max(rate_ / 2, (run_.part() - began_) / static_cast<double>(pixels));
}

KernelRace kernel_race(const simulated::Race& race) {
  const auto place = [](std::string_view text, std::string& file, int& line) {
    text = text.substr(0, text.find(' '));  // "mine.cu:12 in mine.cu:40": where the code is
    const auto colon = text.rfind(':');
    if (colon == text.npos) return;
    file = text.substr(0, colon);
    line = std::atoi(std::string(text.substr(colon + 1)).c_str());
  };
  KernelRace result{.what = race.what, .first_file = {}, .second_file = {}, .times = race.times};
  place(race.first, result.first_file, result.first_line);
  place(race.second, result.second_file, result.second_line);
  if (race.first_line.line > 0) result.first_file = race.first_line.file, result.first_line = race.first_line.line;
  if (race.second_line.line > 0) result.second_file = race.second_line.file, result.second_line = race.second_line.line;
  return result;
}

std::string text_of(const simulated::Schedule& schedule) {
  return schedule.kind == simulated::Schedule::Kind::in_order ? "in order" : "random:" + std::to_string(schedule.seed);
}

std::string not_initial(const Arguments& arguments) {
  const auto now = text(arguments);
  return now == text(Arguments(arguments.parameters())) ? std::string() : now;
}

int judge_in_this_process(std::span<const std::string> words) {
  // What the kernel prints goes to the standard error output: the other is the judge's.
  const int findings = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (findings < 0) return 1;
  const auto mark = JudgeMark::taken_from_environment();
  try {
    JudgeRun run{.task = judge_task(words), .writer = JudgeWriter(findings, mark)};
    run.plain = &driver_of(simulated::Build::plain, run.task.libraries);
    run.observed = &driver_of(simulated::Build::observed, run.task.libraries);
    if (run.task.on_gpu) check(cudaFree(nullptr));  // creates the context
    run.start();
    const Watch watch(run);
    if (!run.attempt("initialising its static variables", [&] { run.version = &load_kernel(run.task.compiled); })) return 0;
    if (run.task.on_gpu)
      judge_on_cuda(run);
    else
      judge_on_simulated_gpu(run);
    run.writer.now("destroying its static variables");  // by exit(), after this function
    if (!run.has_faulted) run.writer.end();
    return 0;
  } catch (const std::exception& error) {
    JudgeWriter(findings, mark).cannot_judge(error.what());
    return 1;
  }
}

}  // namespace gpu
