// From a KernelSource to a KernelVersion: finds compilers, compiles for both builds of the simulated GPU and for CUDA, and
// loads what came of it into the process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gpu/user_kernels/kernel_source.h"
#include "gpu/user_kernels/kernel_version.h"

namespace gpu {

struct KernelTools {
  std::string cxx;                  // g++, or what CXX names, of whose words one that is a GCC: absolute, without options
  std::string nvcc;                 // absolute; empty: there is none
  std::string gpu_architecture;     // "sm_90", of the GPU that is used; empty: there is none
  std::filesystem::path headers;    // a folder with gpu/ and satscope_kernel.cuh, of the same build as this program
  std::filesystem::path libraries;  // of the simulated GPU
  // Where precompiled headers are kept from one process to the next, below $XDG_CACHE_HOME; empty: nowhere.
  std::filesystem::path precompiled;
  std::string problem;  // why nothing can be compiled, and what to install, one line; else empty
  std::string no_cuda;  // why nothing can be compiled for CUDA, likewise
};
// `libraries`: where those of the simulated GPU may be (load_driver()); headers are looked for in `user_kernels` beside them.
// `gpu_architecture`: as above. It runs compilers for their version, once per process and compiler.
KernelTools find_kernel_tools(std::span<const std::filesystem::path> libraries, std::string gpu_architecture);

struct KernelLimits {
  // That a compiler computes, however busy the machine is: it is ended after five times as long. A judge: see judge.h.
  std::chrono::milliseconds time{60'000};
  std::size_t memory_bytes = std::size_t{4} << 30;  // of one process: see ChildLimits
};

// Precompiles the headers for both builds of the simulated GPU, unless that has been done: from then on compile_kernel() takes
// a third of the time for a short file. For a moment at which nothing else is to be done: it takes some seconds, at a low
// priority, and 150 MB of the disk. Those of some other builds of satscope stay, the ones that were used last; older ones are
// removed. Where it fails, everything goes on without.
void precompile_headers(const KernelTools& tools, const KernelLimits& limits, const std::atomic<bool>& stop);

struct CompiledKernel {
  KernelSource source;
  int number = 1;                         // of the file's versions in this process
  KernelTypes types = KernelTypes::all;   // first: others are to follow, under the same number
  std::filesystem::path plain, observed;  // libraries; empty: there were errors
  std::filesystem::path cubin;            // empty: not compiled for CUDA
  std::string no_cuda;                    // why not, one line
  std::vector<SourceMessage> messages;    // of all compilers, each once; errors first
  double seconds = 0;
  bool was_hindered =
      false;  // it does not work because a compiler could not start, or did not get to its end on this machine

  bool works() const { return !plain.empty() && !observed.empty(); }
};
// Compiles for all builds at once, each by a process of its own with `limits`, into new files of `folder`. Ends them early
// once `stop` is set: the result then does not work. Does not throw for what a file contains. With KernelTypes::first a file
// with several types is there sooner; CompiledKernel::types says whether that made a difference.
CompiledKernel compile_kernel(const KernelSource& source, int number, const KernelTools& tools, const KernelLimits& limits,
                              const std::filesystem::path& folder, const std::atomic<bool>& stop,
                              KernelTypes types = KernelTypes::all);

// Loads it for the rest of the process; one with the first type, and then one with all of them, are two versions of one
// number, which share no memory. The constructors of its static variables run here: whoever does not know the file tries it in
// a child process before (judge.h). Throws std::runtime_error.
const KernelVersion& load_kernel(const CompiledKernel& compiled);

}  // namespace gpu
