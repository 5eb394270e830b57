// Finds the simulated GPU: a library on disk, loaded when it is first needed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/execution/driver.h"

namespace app {

// The library of `build`, from the first of the folders below that has it. Loaded once per process. If there is none,
// `reason` is one line: the cause and the next step; the next call searches again.
const gpu::simulated::LoadedDriver& find_simulated_gpu(gpu::simulated::Build build);
// The same; throws ExitError (no_gpu) with that line.
const gpu::simulated::Driver& simulated_gpu(gpu::simulated::Build build = gpu::simulated::Build::plain);
// find_simulated_gpu(plain) has succeeded: now it takes no time. Never waits.
bool simulated_gpu_is_loaded();
// Why find_simulated_gpu(plain) would fail, as far as known without loading the library; empty if the file exists.
std::string why_no_simulated_gpu();
// Whether the process named by SATSCOPE_BUILDING runs: the build of the library that app/run has started.
bool simulated_gpu_is_being_built();
// Waits until it has ended.
void await_simulated_gpu();
std::filesystem::path library_of(const gpu::simulated::Driver& driver);  // the file

// Only $SATSCOPE_SIMULATED if it is set; otherwise the installed lib/satscope (found from the program's path, so that an
// installation can be moved) and the build tree: for a program at `executable`.
std::vector<std::filesystem::path> simulated_folders(const std::filesystem::path& executable);
// Whether that program is in no build tree: app/run, which builds what is missing, is not there then.
bool is_installed(const std::filesystem::path& executable);

}  // namespace app
