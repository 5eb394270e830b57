// TakenNames: which files a run will write, as other runs of the program see it.
#pragma once

#include <filesystem>
#include <utility>
#include <vector>

namespace app {

// While it lives, no other satscope takes these files for its results, whatever name it gives them: one program would replace
// what the other writes. Hard links are files of their own here; programs on other machines and in other containers are not seen.
class TakenNames {
 public:
  TakenNames() = default;
  // Throws ExitError (usage) where another one has taken a file. Empty paths are none.
  explicit TakenNames(const std::vector<std::filesystem::path>& paths);
  ~TakenNames() { release(); }
  TakenNames(TakenNames&& other) noexcept : sockets_(std::exchange(other.sockets_, {})) {}
  TakenNames& operator=(TakenNames&& other) noexcept {
    release();
    sockets_ = std::exchange(other.sockets_, {});
    return *this;
  }

 private:
  void release();

  std::vector<int> sockets_;
};

}  // namespace app
