// This machine: names of its components for reports, its memory, its environment, and its desktop, if there is one; and the
// simulated GPU, a library on disk that is loaded when it is first needed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/execution/driver.h"

namespace app {

std::string processor_name();         // "AMD EPYC 7B13 64-Core Processor"
std::string nvidia_driver_version();  // "580.65.06"; empty if there is none
std::string cuda_versions();          // "runtime 13.0, driver supports 13.0"

// Bytes of memory that this program may have in all: the machine's, or less where a control group limits it. `root`: where the
// system's files are.
std::uint64_t machine_memory(const std::filesystem::path& root = "/");
// The part of that memory that is available now, within the limits of this process (ulimit -v), where the system says so.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");
// Before the work: throws ExitError (failed), one line with the figures, where `what` ("the table of 'a.png'") takes more bytes than
// are available. `instead`: what to do then.
void require_memory(double needed, const std::string& what, const std::string& instead);

// The value of a variable of the environment, empty where it is not set.
std::string environment(const char* name);

// Why open_folder() cannot work here, one line; empty if it can.
std::string why_no_folder();
// Shows a folder in the desktop's file manager, in a process of its own, and does not wait for it. Makes the folder where it
// is missing. Throws std::invalid_argument with one line.
void open_folder(const std::filesystem::path& folder);

// The simulated GPU's library of `build`, from the first of the folders below that has it. Loaded once per process. If there is none,
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

}  // namespace app
