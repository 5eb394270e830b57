// KernelFiles: users' files with kernels of their own while the program runs: watched, compiled and tried in the background, and taken
// into the tables of algorithms and effects where they work. Until then, and where they do not, the last version that works stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"
#include "gpu/user_kernels/judge.h"

namespace app {

// One file, as it is now.
struct KernelFile {
  enum class Phase { compiling, trying, idle };

  std::filesystem::path path;  // absolute
  std::string name;            // of its algorithm or effect
  bool is_effect = false;
  Phase phase = Phase::compiling;  // of the version that was saved last
  // The last version that was taken: 0: none yet. Its text, and what was found out about it: counts by line, races, the table.
  int version = 0;
  std::vector<std::string> lines;
  gpu::Verdict verdict;
  // The version that was saved last and was not taken: why, in one sentence, and the compiler's messages; empty where it was taken.
  std::string refusal;
  std::vector<gpu::SourceMessage> messages;
  std::vector<std::string> refused_lines;  // its text
  double compile_seconds = 0;              // of the last one that was compiled
};

class KernelFiles {
 public:
  // `say`: of the main thread, where something of interest has happened, one line.
  KernelFiles();
  ~KernelFiles();
  KernelFiles(const KernelFiles&) = delete;
  KernelFiles& operator=(const KernelFiles&) = delete;

  // Begins to watch it. Throws std::invalid_argument where that cannot be: no such file, another file has its name, no compiler.
  // Returns the name of its algorithm or effect, which is in the tables once the first version works.
  std::string open(const std::filesystem::path& file);
  std::span<const KernelFile> files() const;
  const KernelFile* find(std::string_view name) const;  // null: there is none
  // What has happened since the last call, on the main thread: versions that work are taken, others refused. True where something is
  // another than before. `frame`: the size on which versions are tried, too; empty: none is known.
  bool follow(gpu::Size frame);
  bool busy() const;  // something is compiled or tried
};

}  // namespace app
