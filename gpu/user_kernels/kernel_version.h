// KernelVersion: one version of a user's file with kernels of his own, as it was compiled and loaded. It stands in the table
// of algorithms, or of effects, like those that are built in (gpu/sat.h, gpu/effect.h).
//
// The file changes while the program runs. Every change is another version: other libraries and another descriptor, under the
// same name. Nothing of an old one is ever freed, because pictures that are under way, selections, and source lines that are
// known by address point into it.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "gpu/effect.h"
#include "gpu/sat.h"

namespace gpu {

struct KernelVersion {
  std::filesystem::path file;
  int number = 1;    // of the file's versions in this process
  std::string name;  // "mine", after the file: of the algorithm or the effect
  std::string idea;  // the first sentence of the file's first comment

  // One of the two, with the names of this struct. Its `run` is the one below that the plain simulated GPU has.
  const SatAlgorithm* algorithm = nullptr;
  const Effect* effect = nullptr;

  // As the libraries have it, by simulated::Build; null: not compiled for that build.
  std::array<const SatAlgorithm*, 2> simulated_algorithm{};
  std::array<const Effect*, 2> simulated_effect{};

  // Its label is "mine.3", or "mine.3.first" (KernelTypes), which no other version has, nor anything that is built in. On CUDA
  // its host code is that of the plain build, and its kernels come from code for the GPU.
  LoadedKernels kernels;
  bool on_cuda = false;
  std::string no_cuda;  // why not, one line
};

// What a context runs is of this version during this object's lifetime; null: it stays what it is.
class LoadedScope {
 public:
  LoadedScope(Context& context, const KernelVersion* version) : context_(context), before_(context.loaded_kernels()) {
    if (version) context.set_loaded_kernels(&version->kernels);
  }
  ~LoadedScope() { context_.set_loaded_kernels(before_); }
  LoadedScope(const LoadedScope&) = delete;
  LoadedScope& operator=(const LoadedScope&) = delete;

 private:
  Context& context_;
  const LoadedKernels* before_;
};

// In place of the version that has the same name, if there is one. Throws std::invalid_argument for the name of an algorithm
// or an effect that is built in, or for that of another file. The version must outlive the process's use of gpu/: whoever
// makes one never frees it.
void add_user_kernel(const KernelVersion& version);
// Takes the version of that name out of the tables: whoever has it may use it on. Nothing happens where there is none.
void remove_user_kernel(std::string_view name);
// The version in the tables, by the name of its algorithm or effect; null: there is none.
const KernelVersion* find_user_kernel(std::string_view name);
// How often a version was added or taken out: who has looked a name up looks it up again once this differs.
std::uint64_t user_kernel_changes();

}  // namespace gpu
