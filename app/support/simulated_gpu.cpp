#include "app/support/simulated_gpu.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "app/support/exit_code.h"

namespace app {
namespace {

using gpu::simulated::Build;
using gpu::simulated::LoadedDriver;

LoadedDriver load(Build build) {
  std::error_code ignored;
  auto loaded = gpu::simulated::load_driver(
      build, simulated_folders(std::filesystem::read_symlink("/proc/self/exe", ignored)));
  if (loaded.driver) return loaded;
  // app/run for the window builds neither.
  loaded.reason = build == Build::plain
                      ? "no simulated GPU: " + loaded.reason +
                            "; app/run sat, apply or info builds it, and SATSCOPE_SIMULATED names a folder that has it"
                      : "no observed simulated GPU: " + loaded.reason + "; app/run simulate builds it";
  return loaded;
}

}  // namespace

const LoadedDriver& find_simulated_gpu(Build build) {
  // Separate, because either library costs time and memory.
  if (build == Build::plain) {
    static const auto plain = load(Build::plain);
    return plain;
  }
  static const auto observed = load(Build::observed);
  return observed;
}

const gpu::simulated::Driver& simulated_gpu(Build build) {
  const auto& found = find_simulated_gpu(build);
  if (!found.driver) throw ExitError(ExitCode::no_gpu, found.reason);
  return *found.driver;
}

std::filesystem::path library_of(const gpu::simulated::Driver& driver) {
  Dl_info info{};
  return dladdr(&driver, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

std::vector<std::filesystem::path> simulated_folders(const std::filesystem::path& executable) {
  std::vector<std::filesystem::path> folders;
  // A folder that somebody named is the only one: a slip in it must not go unnoticed.
  if (const char* chosen = std::getenv("SATSCOPE_SIMULATED"); chosen && *chosen) return {chosen};
  if (executable.empty()) return folders;
  const auto here = executable.parent_path();
  folders.push_back((here / SATSCOPE_LIBRARIES_FROM_BIN).lexically_normal());
  folders.push_back((here / "../gpu/simulated").lexically_normal());
  return folders;
}

}  // namespace app
