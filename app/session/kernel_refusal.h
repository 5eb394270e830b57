// Why a version of a user's file is not taken: whether that is for its own sake, and what is said of it.
#pragma once

#include <filesystem>
#include <string>

#include "gpu/user_kernels/judge.h"

namespace app {

struct KernelFile;

// Whether a version was not compiled for what it contains: an error has a line, or was found by reading alone. Else a
// compiler may be one that cannot be started, was ended, or has no room on a disk.
bool is_of_text(const gpu::CompiledKernel& compiled);
// Whether a trial has ended for what the kernel did, and not for the machine's sake.
bool is_of_kernel(const gpu::Verdict& verdict);
// Whether the window may take it.
bool may_run(const gpu::Verdict& verdict);

// One line each.
std::string why_not_compiled(const std::filesystem::path& file, const gpu::CompiledKernel& compiled);
std::string why_not_run(const gpu::Verdict& verdict);

// What is wrong with a version that was not taken, for a terminal: its sentence, and a line per message of the compiler.
std::string text_of_refusal(const KernelFile& file);

}  // namespace app
