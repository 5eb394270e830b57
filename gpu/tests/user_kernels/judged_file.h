// A user's file, compiled and judged, for tests: in a folder of its own, on the simulated GPU of the build. GPU_FOLDER (the
// sources) and SIMULATED_FOLDER (its libraries) come from CMake.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gpu/user_kernels/judge.h"

namespace gpu {

// The program, started again, as a child of judge(): main() of these tests knows the word.
inline constexpr const char* child_word = "judge-child";

inline std::filesystem::path user_files() { return GPU_FOLDER "/tests/user_kernels/files"; }
inline std::filesystem::path course_files() { return GPU_FOLDER "/examples/course"; }

inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

// "error mine.cu:7:3: expected ';'", a line each.
inline std::string lines_of(const std::vector<SourceMessage>& messages) {
  constexpr const char* severities[] = {"error", "warning", "note"};
  std::string text;
  for (const auto& each : messages)
    text += std::string(severities[static_cast<int>(each.severity)]) + ' ' + each.file.filename().string() + ':' +
            std::to_string(each.line) + ':' + std::to_string(each.column) + ": " + each.text + '\n';
  return text;
}

// A folder in that of the system's temporary files, with nothing in it; removed with all that is in it.
class FolderOfTest {
 public:
  FolderOfTest() {
    auto name = (std::filesystem::temp_directory_path() / "satscope_test_XXXXXX").string();
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  ~FolderOfTest() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  FolderOfTest(const FolderOfTest&) = delete;
  FolderOfTest& operator=(const FolderOfTest&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline KernelTools tools_of_tests() {
  const std::filesystem::path folders[] = {SIMULATED_FOLDER};
  return find_kernel_tools(folders, {});
}

inline Verdict judged(const std::filesystem::path& file, const JudgeRequest& request,
                      const KernelLimits& of_compilers = {std::chrono::minutes(5), std::size_t{4} << 30}) {
  const FolderOfTest folder;
  const auto tools = tools_of_tests();
  const std::atomic<bool> stop = false;
  const auto compiled = compile_kernel(read_kernel_source(file), 1, tools, of_compilers, folder.path(), stop);
  return judge(compiled, request, {{"/proc/self/exe", child_word}}, tools, stop);
}

// All that it says, for failures and for searches.
inline std::string text_of(const Verdict& verdict) {
  std::string text = verdict.name + ": " + verdict.sentence + " (" + verdict.where + ")\n" + verdict.fault + '\n';
  for (const auto& message : verdict.messages)
    text += message.file.filename().string() + ':' + std::to_string(message.line) + ": " + message.text + '\n';
  for (const auto& race : verdict.races)
    text += race.what + " at lines " + std::to_string(race.first_line) + " and " + std::to_string(race.second_line) + '\n';
  if (const auto& wrong = verdict.wrong)
    text += '(' + std::to_string(wrong->x) + ", " + std::to_string(wrong->y) + "): expected " + wrong->expected + ", got " +
            wrong->got + '\n';
  return text;
}

}  // namespace gpu
