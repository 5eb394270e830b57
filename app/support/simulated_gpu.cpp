#include "app/support/simulated_gpu.h"

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/interrupt.h"
#include "app/support/machine.h"

namespace app {
namespace {

using gpu::simulated::Build;
using gpu::simulated::LoadedDriver;

std::filesystem::path this_program() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/exe", ignored);
}

std::vector<std::filesystem::path> folders_here() { return simulated_folders(this_program()); }

// What brings a library that is missing.
std::string way_to_have_it(const std::string& in_build_tree) {
  return is_installed(this_program()) ? "install satscope again, which brings it" : in_build_tree;
}

constexpr const char* build_tree_folder = "../gpu/simulated";  // from that of the program

std::atomic<bool> plain_is_loaded = false;

LoadedDriver load(Build build) {
  auto loaded = gpu::simulated::load_driver(build, folders_here());
  if (loaded.driver) return loaded;
  loaded.reason = build == Build::plain
                      ? "no simulated GPU: " + loaded.reason + "; " +
                            way_to_have_it("app/run builds it while the window is open") +
                            "; SATSCOPE_SIMULATED can name a folder that has it"
                      : "no observed simulated GPU: " + loaded.reason + "; " + way_to_have_it("app/run simulate builds it");
  return loaded;
}

// Whether the process runs; a zombie does not.
bool runs(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  if (!std::getline(file, line)) return false;
  const auto name_end = line.rfind(')');
  return name_end != line.npos && name_end + 2 < line.size() && line[name_end + 2] != 'Z';
}

}  // namespace

const LoadedDriver& find_simulated_gpu(Build build) {
  // Separate, because each library costs time and memory.
  static std::mutex mutex;
  static LoadedDriver plain, observed;
  const std::lock_guard lock(mutex);
  auto& loaded = build == Build::plain ? plain : observed;
  if (!loaded.driver) loaded = load(build);
  plain_is_loaded = plain.driver != nullptr;
  return loaded;
}

bool simulated_gpu_is_loaded() { return plain_is_loaded; }

std::string why_no_simulated_gpu() {
  const auto folders = folders_here();
  const auto name = gpu::simulated::library_name(Build::plain);
  std::error_code ignored;
  for (const auto& folder : folders)
    if (std::filesystem::exists(folder / name, ignored)) return {};
  if (simulated_gpu_is_being_built()) return "it is being built: try again in some minutes";
  return is_installed(this_program()) ? "it is not there: " + way_to_have_it({})
                                      : "it is not built: start with app/run, which builds it";
}

const gpu::simulated::Driver& simulated_gpu(Build build) {
  const auto& found = find_simulated_gpu(build);
  if (!found.driver) throw ExitError(ExitCode::no_gpu, found.reason);
  return *found.driver;
}

bool simulated_gpu_is_being_built() {
  const auto builder = environment("SATSCOPE_BUILDING");
  return !builder.empty() && runs(builder);
}

void await_simulated_gpu() {
  bool said = false;
  while (!interrupted() && simulated_gpu_is_being_built()) {
    if (!std::exchange(said, true)) tell("waiting for the simulated GPU, which is being built");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

std::filesystem::path library_of(const gpu::simulated::Driver& driver) {
  Dl_info info{};
  return dladdr(&driver, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

std::vector<std::filesystem::path> simulated_folders(const std::filesystem::path& executable) {
  std::vector<std::filesystem::path> folders;
  // A folder named by the user is the only one: a typing error in it must not go unnoticed.
  if (const auto chosen = environment("SATSCOPE_SIMULATED"); !chosen.empty()) return {chosen};
  if (executable.empty()) return folders;
  const auto here = executable.parent_path();
  folders.push_back((here / SATSCOPE_LIBRARIES_FROM_BIN).lexically_normal());
  folders.push_back((here / build_tree_folder).lexically_normal());
  return folders;
}

bool is_installed(const std::filesystem::path& executable) {
  std::error_code ignored;
  return !executable.empty() && !std::filesystem::exists(executable.parent_path() / build_tree_folder, ignored);
}

}  // namespace app
