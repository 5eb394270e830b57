#include "app/session/kernel_starts.h"

#include <data.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "gpu/sat.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// False, and errno, where it cannot be made: EEXIST.
bool write_if_new(const fs::path& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  int error = 0;
  const bool written = write_bytes(descriptor, text, error) == text.size();
  ::close(descriptor);
  if (!written) ::unlink(file.c_str());
  errno = error;
  return written;
}

// Where files of algorithms are: beside the headers for users' kernels, and in the source tree that a build is of.
std::vector<fs::path> source_folders() {
  std::error_code ignored;
  const auto executable = fs::read_symlink("/proc/self/exe", ignored);
  std::vector<fs::path> folders;
  for (const auto& libraries : simulated_folders(executable)) folders.push_back(libraries / "user_kernels");
  for (const auto& assets : asset_folders(executable))
    folders.push_back(fs::weakly_canonical(assets, ignored).parent_path());
  return folders;
}

}  // namespace

std::string_view kernel_start(KernelStart what) {
  return what == KernelStart::algorithm ? data::kernel_start_cu : data::effect_start_cu;
}

std::string kernel_of(std::string_view algorithm) {
  const auto all = gpu::built_in_sat_algorithms();
  const auto at = std::ranges::find_if(all, [&](const auto* one) { return one->name == algorithm; });
  if (at == all.end()) throw ExitError(ExitCode::usage, no_such("algorithm", algorithm, algorithm_names()));
  if ((*at)->device == gpu::Device::host)
    throw ExitError(ExitCode::usage, std::string(algorithm) + " runs on the CPU: name an algorithm with kernels, as 2r1w");
  if (!(*at)->not_simulated.empty())
    throw ExitError(ExitCode::usage, std::string(algorithm) + " cannot be copied: " + std::string((*at)->not_simulated));
  const auto name = "gpu/sat/sat_" + std::string(algorithm) + ".cu";
  std::error_code ignored;
  for (const auto& folder : source_folders())
    if (fs::is_regular_file(folder / name, ignored)) {
      std::ifstream file(folder / name, std::ios::binary);
      return {std::istreambuf_iterator<char>(file), {}};
    }
  throw ExitError(ExitCode::failed, "the source of " + std::string(algorithm) + ", " + name +
                                        ", is not installed here: start from a checkout of satscope");
}

void write_kernel(const fs::path& file, std::string_view text) {
  const auto named = capture::in_quotes(file.string());
  try {
    check_kernel_name(file.string());
  } catch (const std::invalid_argument& error) {
    throw ExitError(ExitCode::usage, error.what());
  }
  if (write_if_new(file, text)) return;
  if (errno == EEXIST) throw ExitError(ExitCode::usage, named + " exists: name another file");
  throw ExitError(ExitCode::failed, "cannot write " + named + ": " + why_not_written(errno));
}

fs::path write_new_kernel(const fs::path& folder, KernelStart start, std::span<const std::string> others) {
  make_folder(folder);
  for (int number = 1;; ++number) {
    const auto name = "mine" + (number == 1 ? std::string() : '_' + std::to_string(number));
    if (std::ranges::find(others, name, [](const std::string& file) { return kernel_name(file); }) != others.end()) continue;
    const auto file = folder / (name + ".cu");
    if (write_if_new(file, kernel_start(start))) return file;
    if (errno != EEXIST)
      throw std::runtime_error("cannot write " + capture::in_quotes(file.string()) + ": " + why_not_written(errno));
  }
}

}  // namespace app
