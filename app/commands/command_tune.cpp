// satscope tune: measures which algorithm is the fastest on this machine's GPU, and keeps it where the program and the library look.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "app/commands/commands.h"
#include "app/support/console.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/text.h"
#include "gpu/choice/meter.h"
#include "gpu/choice/tune.h"
#include "gpu/choice/tuned.h"
#include "gpu/cuda/device.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// While it exists, no other program that asks does the same in the folder. Where the file system has no locks there is none.
class LockedFolder {
 public:
  explicit LockedFolder(const fs::path& folder) : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0)
      while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {}
  }
  ~LockedFolder() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;

 private:
  int descriptor_;
};

std::string cell(const std::string& text, std::size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 1, ' ');
}

std::string words(const gpu::TunedSize::Fastest& fastest) {
  char time[32];
  std::snprintf(time, sizeof time, "%8.4g  ", fastest.microseconds);
  return time + fastest.algorithm;
}

std::string table_of(const gpu::TunedGpu& gpu) {
  auto text = gpu.name + ", " + gpu.date + ": the fastest algorithm, us per table\n" + cell("type", 8) + cell("size", 12) +
              cell("in a CUDA graph", 32) + "launched\n";
  for (const auto& [type, size, in_graph, launched] : gpu.sizes)
    text += cell(type, 8) + cell(text_of(size), 12) + cell(words(in_graph), 32) + words(launched) + '\n';
  return text;
}

const fs::path& named(const std::optional<fs::path>& path) {
  if (!path)
    throw ExitError(ExitCode::failed,
                    "neither XDG_CONFIG_HOME nor HOME names a folder for the measurements: set one of them");
  return *path;
}

void print_file(const fs::path& path) {
  const auto tuned = gpu::load_tuned(path);
  if (!tuned.problem.empty()) throw ExitError(ExitCode::failed, tuned.problem);
  if (tuned.gpus.empty()) return print("there are no measurements: satscope tune makes them\n"), void();
  for (const auto& gpu : tuned.gpus) print(table_of(gpu));
  print(path.string() + '\n');
}

void remove_file(const fs::path& path) {
  std::error_code error;
  const bool removed = fs::remove(path, error);
  if (error) throw ExitError(ExitCode::failed, "cannot remove " + path.string() + ": " + error.message());
  print(removed ? "removed " + path.string() + '\n' : std::string("there are no measurements\n"));
}

}  // namespace

std::string keep_tuned(const fs::path& path, const gpu::TunedGpu& gpu) {
  const auto folder = path.parent_path();
  make_folder(folder);
  const LockedFolder locked(folder);
  auto tuned = gpu::load_tuned(path);
  const auto aside = tuned.problem.empty() ? std::string() : set_aside(path);
  tuned.put(gpu);
  write_file(path, gpu::text_of(tuned));
  return aside;
}

ExitCode tune(const std::string& gpu, const std::optional<fs::path>& path, const gpu::TimeAlgorithm& time) {
  // Before a minute of measuring.
  if (const auto why = why_no_new_files(named(path).parent_path()); !why.empty()) throw ExitError(ExitCode::failed, why);
  gpu::TunedGpu tuned{gpu, present_time("%Y-%m-%d"), {}};
  Progress progress;
  try {
    tuned.sizes = gpu::tune(time, [&](double part, const std::string& what) {
      progress.show_part(part, what);
      return !interrupted();
    });
  } catch (const gpu::Interrupted&) {
    progress.erase();
    tell("interrupted: no measurement was saved");
    return ExitCode::failed;
  }
  progress.erase();
  if (tuned.sizes.empty())
    throw ExitError(ExitCode::failed, "no table could be measured: the GPU has too little free memory; end other programs");
  const auto aside = keep_tuned(*path, tuned);
  if (!aside.empty()) tell(path->string() + " was not a file of satscope tune: " + aside);
  print(table_of(tuned) + "kept in " + path->string() + '\n');
  return ExitCode::ok;
}

ExitCode run_tune(const Options& options) {
  const auto path = gpu::tuned_path();
  if (options.show) return print_file(named(path)), ExitCode::ok;
  if (options.remove) return remove_file(named(path)), ExitCode::ok;
  const auto probe = gpu::probe_gpu();
  if (!probe.gpu) throw ExitError(ExitCode::no_gpu, "no CUDA device: " + probe.reason + "; satscope tune measures GPUs");
  watch_interrupts();
  gpu::TimesOnGpu times(*probe.gpu);
  return tune(probe.gpu->name, path, [&](auto&&... of) { return times(of...); });
}

}  // namespace app
