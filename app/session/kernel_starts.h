// What a file with a kernel of one's own begins with.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace app {

enum class KernelStart { algorithm, effect };
// A file that works: naive, and commented.
std::string_view kernel_start(KernelStart what);
// The file of a built-in algorithm, which works as it is under another name. Throws ExitError (usage) for a name that is none,
// one that runs on the CPU, or one of a library; (failed) where the file is not installed.
std::string kernel_of(std::string_view algorithm);

// Throws ExitError: (usage) where the file is there already, or its name cannot be that of a kernel, (failed) where it cannot
// be written.
void write_kernel(const std::filesystem::path& file, std::string_view text);
// A start in a new file of `folder`, which has no name of `others`, files with kernels. Throws std::runtime_error with one
// line.
std::filesystem::path write_new_kernel(const std::filesystem::path& folder, KernelStart start,
                                       std::span<const std::string> others);

}  // namespace app
