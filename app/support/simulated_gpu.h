// The simulated GPU as this program finds it: a library on disk, loaded when it is first asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/simulated/driver.h"

namespace app {

// The library of `build`, from the first of the folders below that has it. Loaded once per process. Where there is
// none, `reason` is one line: the cause and the next step; the next call looks again.
const gpu::simulated::LoadedDriver& find_simulated_gpu(gpu::simulated::Build build);
// The same; throws ExitError (no_gpu) with that line.
const gpu::simulated::Driver& simulated_gpu(gpu::simulated::Build build = gpu::simulated::Build::plain);
// Why find_simulated_gpu(plain) would fail, for all that can be told without loading the library; empty where it is there.
std::string why_no_simulated_gpu();
// Waits while the process that SATSCOPE_BUILDING names runs, as app/run's build of the library does.
void await_simulated_gpu();
std::filesystem::path library_of(const gpu::simulated::Driver& driver);  // the file

// $SATSCOPE_SIMULATED alone where it is set; else the installed lib/satscope (found from the program's own place, so that an
// installation can be moved) and the build tree: for a program at `executable`.
std::vector<std::filesystem::path> simulated_folders(const std::filesystem::path& executable);

}  // namespace app
