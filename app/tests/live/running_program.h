// The program itself, in a window on the test's display, with input from keyboard and mouse (xdotool).
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/tests/support/temporary_folder.h"

namespace app::testing {

inline std::string read_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A program started in `folder`, with its output in `output`. Killed by the destructor if it still runs.
class Process {
 public:
  Process(std::vector<std::string> command, const std::filesystem::path& folder, const std::filesystem::path& output) {
    std::vector<char*> words;
    for (auto& word : command) words.push_back(word.data());
    words.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
    if (posix_spawnp(&id_, words[0], &actions, nullptr, words.data(), environ) != 0) id_ = -1;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Process() {
    if (id_ > 0 && !code_) {
      kill(id_, SIGKILL);
      waitpid(id_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Its exit code once it has ended; -1 after a signal, or if it could not be started.
  std::optional<int> code() {
    int status = 0;
    if (id_ < 0) return -1;
    if (!code_ && waitpid(id_, &status, WNOHANG) == id_) code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return code_;
  }

 private:
  pid_t id_ = -1;
  std::optional<int> code_;
};

// Waits until `there` returns true; false if that takes too long.
inline bool wait_for(const std::function<bool()>& there, std::chrono::seconds limit = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!there()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& arguments)
      : program_(with_program(arguments), folder_.path(), folder_.path() / "output") {}

  // Waits until the window is open, drawn once, and has the keyboard focus.
  bool ready() {
    if (!wait_for([&] { return !(window_ = tool({"search", "--onlyvisible", "--name", "^satscope$"})).empty(); }))
      return false;
    window_ = window_.substr(0, window_.find('\n'));
    // A window that was mapped just now may not have the focus yet, and a key sent then is lost.
    for (int i = 0; i < 10; ++i) {
      tool({"windowfocus", "--sync", window_});
      if (screenshot(std::chrono::seconds(2))) return true;
    }
    return false;
  }
  void key(const std::string& name) { tool({"key", name}); }
  void move(int x, int y) {
    tool({"mousemove", "--window", window_, std::to_string(x), std::to_string(y)});
    pause();
  }
  // At the speed of a hand: the program sees the mouse arrive, press and release in different frames.
  void click(int x, int y) {
    move(x, y);
    press();
    release();
  }
  void press() { tool({"mousedown", "1"}), pause(); }
  void release() { tool({"mouseup", "1"}), pause(); }
  void wheel_up() { tool({"click", "4"}), pause(); }

  // What the window shows now, taken with the program's own key.
  std::optional<cv::Mat> screenshot(std::chrono::seconds limit = std::chrono::seconds(20)) {
    const auto before = screenshots();
    key("s");
    std::string found;
    const bool there = wait_for(
        [&] {
          for (const auto& path : screenshots())
            if (!before.contains(path)) found = path;
          return !found.empty();
        },
        limit);
    if (!there) return {};
    return cv::imread(found);
  }
  std::optional<int> exit_code() {
    wait_for([&] { return program_.code().has_value(); });
    return program_.code();
  }
  bool ended() { return program_.code().has_value(); }
  std::filesystem::path file(const std::string& name) const { return folder_.path() / name; }
  std::string output() const { return read_text(folder_.path() / "output"); }

 private:
  static std::vector<std::string> with_program(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{SATSCOPE_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
  }
  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(150)); }
  // xdotool's answer.
  std::string tool(std::vector<std::string> words) {
    words.insert(words.begin(), "xdotool");
    const auto answer = folder_.path() / "answer";
    std::filesystem::remove(answer);
    Process process(words, folder_.path(), answer);
    wait_for([&] { return process.code().has_value(); });
    return process.code() == 0 ? read_text(answer) : std::string();
  }
  std::set<std::string> screenshots() const {
    std::set<std::string> all;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "satscope-out", ignored))
      if (entry.path().extension() == ".png") all.insert(entry.path().string());
    return all;
  }

  TemporaryFolder folder_;
  Process program_;
  std::string window_;
};

}  // namespace app::testing
