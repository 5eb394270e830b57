// A user's file that a test writes, as it is read and rewritten.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "gpu/user_kernels/kernel_source.h"

namespace gpu {

namespace files = std::filesystem;

inline const std::string run_function = "void run(Image image, Table table) {}\n";

class KernelSourceTest : public testing::Test {
 protected:
  KernelSourceTest() {
    auto pattern = (files::temp_directory_path() / "kernel_source_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    files::create_directories(out());
  }
  ~KernelSourceTest() override { files::remove_all(folder_); }

  files::path out() const { return folder_ / "out"; }
  files::path write(const std::string& name, std::string_view text) const {
    const auto path = folder_ / name;
    files::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  KernelSource read(std::string_view text) const { return read_kernel_source(write("mine.cu", text)); }
  // "3:5 what is wrong", of the first message; "right".
  static std::string said(const KernelSource& source) {
    if (source.messages.empty()) return "right";
    const auto& first = source.messages.front();
    EXPECT_EQ(first.text.find('\n'), std::string::npos) << first.text;
    return std::to_string(first.line) + ':' + std::to_string(first.column) + ' ' + first.text;
  }
  std::string said_of(std::string_view text) const { return said(read(text)); }
  void expect_said(const std::string& text, std::string_view begin) const {
    const auto all = said_of(text);
    EXPECT_TRUE(all.starts_with(begin)) << text << "\n" << all;
  }

  std::string written(const std::string& name) const {
    std::ifstream stream(out() / name, std::ios::binary);
    std::ostringstream all;
    all << stream.rdbuf();
    return all.str();
  }
  // What becomes of mine.cu, without what stands before and behind it.
  std::string rewritten(const std::string& text, const std::string& name) const {
    const auto source = read(text);
    EXPECT_EQ(said(source), "right") << text;
    write_kernel_source(source, out());
    const auto all = written(name), line = "#line 1 \"" + source.file.string() + "\"\n";
    const auto begin = all.find(line);
    if (begin == all.npos) return "no line directive: " + all;
    const auto user = all.substr(begin + line.size());
    const auto result = user.substr(0, user.find("\n\n#line 1 \"<satscope>\""));
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(result.begin(), result.end(), '\n')) << result;
    return result;
  }
  std::string between(const std::string& before, const std::string& code, const std::string& after,
                      const std::string& name = "simulated.cpp") const {
    const auto text = rewritten(before + code + after, name);
    if (!text.starts_with(before) || !text.ends_with(after)) return "all of: " + text;
    return text.substr(before.size(), text.size() - before.size() - after.size());
  }
  std::string in_kernel(const std::string& code) const {
    return between("__global__ void k() { ", code, " }\n" + run_function);
  }
  std::string in_run(const std::string& code) const {
    return between("__global__ void k(int*, int);\nvoid run(Image image, Table table) {", code, "}\n");
  }
  std::string at_file_scope(const std::string& code, const std::string& name = "simulated.cpp") const {
    return between("", code, "\n" + run_function, name);
  }

  files::path folder_;
};

}  // namespace gpu
