// What compilers write, as messages by line of a user's file: those of g++, of the linker, and of nvcc with its assembler.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/user_kernels/kernel_source.h"

namespace gpu {

// Errors and warnings, each followed by its notes. One inside a header or in generated code stands at the line of the user's
// file that leads there: where a template is used, a macro is expanded, or a header is included; at line 0 where nothing names
// one. Warnings that are not about the user's lines are left out, and notes likewise. `output`: of a compiler in the locale C,
// without colours.
std::vector<SourceMessage> read_compiler_messages(std::string_view output, const KernelSource& source);

// Of several builds: the first error of each line, and the warnings about a line of one build. Errors come first, each followed
// by its notes; both in the order of lines, file by file, those of no line last. At most 20 in all.
std::vector<SourceMessage> merged(std::span<const std::vector<SourceMessage>> builds);

}  // namespace gpu
