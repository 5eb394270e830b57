// What `satscope tune` measured on this user's GPUs: for types and sizes the fastest algorithm. It is kept in a file of the user's
// folder, which the program and the library read.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace gpu {

// Algorithms and types by name: the file may be of a version that has others.
struct TunedSize {
  struct Fastest {
    std::string algorithm;
    double microseconds = 0;
  };
  std::string type;
  Size size;
  Fastest in_graph, launched;  // as RunBy has them (fastest_algorithm.h)
};
struct TunedGpu {
  std::string name;  // "NVIDIA H200"
  std::string date;  // "2026-05-31"
  std::vector<TunedSize> sizes;
};
struct Tuned {
  std::vector<TunedGpu> gpus = {};
  std::string problem = {};  // one line: why the file is not used; empty: it is, or there is none

  const TunedGpu* find(std::string_view gpu) const;  // null: it was not measured
  void put(TunedGpu gpu);                            // in place of what was measured on a GPU of that name before
};

// The folder of the user's files: $XDG_CONFIG_HOME/satscope, otherwise ~/.config/satscope; nullopt if there is no home.
std::optional<std::filesystem::path> user_folder();
// The file in it; nullopt likewise.
std::optional<std::filesystem::path> tuned_path();

// What the file has; nothing if there is none. Never waits for a file that is not regular.
Tuned load_tuned(const std::optional<std::filesystem::path>& path);

// The parts of it that touch no file. In the problem of a text, "line 3 is not a measurement".
Tuned parse_tuned(std::string_view text);
std::string text_of(const Tuned& tuned);

}  // namespace gpu
