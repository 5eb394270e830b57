#include "gpu/execution/driver.h"

#include <build_identity.h>
#include <dlfcn.h>

namespace gpu::simulated {

std::string_view library_name(Build build) {
  return build == Build::plain ? "libsatscope_simulated.so" : "libsatscope_observed.so";
}

LoadedDriver load_driver(Build build, std::span<const std::filesystem::path> folders) {
  const auto name = std::string(library_name(build));
  for (const auto& folder : folders) {
    const auto path = folder / name;
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    // Local: its symbols have the same names as the program's. Never unloaded: exceptions and descriptors point into it.
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return {nullptr, dlerror()};
    const auto entry = reinterpret_cast<const Driver* (*)()>(dlsym(library, "satscope_simulated_driver"));
    if (!entry) return {nullptr, path.string() + " is not a library of satscope"};
    const Driver* driver = entry();
    if (driver->identity != build_identity || driver->build != build)
      return {nullptr, path.string() + " belongs to another build of satscope: rebuild both"};
    return {driver, {}};
  }
  std::string searched;
  for (const auto& folder : folders) searched += (searched.empty() ? "" : " or ") + folder.string();
  return {nullptr, name + " is not in " + searched};
}

}  // namespace gpu::simulated
