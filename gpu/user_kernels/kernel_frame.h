// KernelFrame: the code that stands around a user's text, for one compiler: what it includes, and behind it the descriptor and
// what the library of a kernel exports.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "gpu/user_kernels/kernel_source.h"

namespace gpu {

struct KernelFrame {
  const KernelSource& source;
  std::string entry;  // run(), effect() or the descriptor, with its namespaces
  std::filesystem::path file;
  int line = 0;             // where that is defined
  bool first_type = false;  // tables of type 8u32u alone

  // For the simulated GPU, or for nvcc, to which it gives what makes templates of kernels into kernels.
  std::string before(bool simulated) const;
  std::string behind(bool simulated) const;
};

std::string string_literal(std::string_view text);
std::string line_directive(std::size_t line, std::string_view file);

}  // namespace gpu
