// For tests: users' files with kernels that nothing compiles: what a file contains says what becomes of it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/session/kernel_files.h"
#include "app/tests/support/temporary_folder.h"

namespace app {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

inline constexpr auto run = "// Sums nothing.\nvoid run(Image image, Table table) {}\n";

inline std::string text_of_file(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

// As many editors save.
inline void replace(const fs::path& file, const std::string& text) {
  write(file.string() + "~", text);
  fs::rename(file.string() + "~", file);
}

class KernelFilesTest : public ::testing::Test {
 protected:
  KernelFiles::Steps steps() {
    KernelFiles::Steps all;
    all.find_tools = [this] {
      gpu::KernelTools tools;
      if (!has_compiler_) tools.problem = "there is no compiler: install g++";
      return tools;
    };
    all.compile = [this](const gpu::KernelSource& source, int number, const gpu::KernelTools&, const fs::path& folder,
                         const std::atomic<bool>& stop, gpu::KernelTypes types) {
      ++compiled_;
      gpu::CompiledKernel result;
      result.source = source;
      if (text_of_file(source.file).find("several types") != std::string::npos) result.types = types;
      result.number = number;
      std::string text;
      for (const auto& file : source.files) text += text_of_file(file);
      while (text.find("endless template") != text.npos && !stop) std::this_thread::sleep_for(1ms);
      if (const auto meanwhile = std::exchange(while_compiling_, {})) meanwhile();
      if (no_process_) {
        result.messages.push_back({gpu::SourceMessage::Severity::error, source.file, 0, 0, "g++ cannot be started"});
      } else if (text.find("error") != text.npos &&
                 (types == gpu::KernelTypes::all || text.find("error in others") == text.npos)) {
        result.messages.push_back({gpu::SourceMessage::Severity::error, source.file, 3, 1, "expected ';'"});
      } else if (!stop) {
        result.plain = folder / "plain.so";
        result.observed = folder / "observed.so";
        write(result.plain, text);
      }
      return result;
    };
    all.judge = [this](const gpu::CompiledKernel& compiled, std::span<const gpu::Size> sizes, const gpu::KernelTools&,
                       const std::atomic<bool>& stop) {
      const auto text = text_of_file(compiled.plain);
      gpu::Verdict verdict;
      const bool is_large = std::ranges::any_of(sizes, [](gpu::Size size) { return size.width > 100; });
      const bool is_narrow = std::ranges::any_of(sizes, [](gpu::Size size) { return size.width < 10; });
      const bool hangs = text.find("endless loop") != text.npos && (is_large || text.find("if large") == text.npos);
      while (hangs && !stop) std::this_thread::sleep_for(1ms);
      if (stop) verdict.outcome = gpu::Verdict::Outcome::interrupted;
      if (no_memory_) throw std::bad_alloc();
      if (no_trial_) {
        verdict.outcome = gpu::Verdict::Outcome::interrupted;
        verdict.sentence = "cannot be judged: the judge cannot be started";
        return verdict;
      }
      if (text.find("fault") != text.npos || (is_large && text.find("small") != text.npos)) {
        verdict.outcome = gpu::Verdict::Outcome::wrong;
        verdict.sentence = "wrong: a fault";
        verdict.fault = "out of bounds";
      } else if (text.find("sums wrongly") != text.npos || (is_narrow && text.find("wrong if narrow") != text.npos)) {
        verdict.outcome = gpu::Verdict::Outcome::wrong;
        verdict.sentence = "wrong: 3 entries";
        verdict.harmless = true;
      }
      return verdict;
    };
    all.load = [this](const gpu::CompiledKernel& compiled) -> const gpu::KernelVersion& {
      while (loads_long_) std::this_thread::sleep_for(1ms);
      if (fails_to_load_) throw std::runtime_error("mine.cu: the disk is full");
      auto& version = versions_.emplace_back();
      version.file = compiled.source.file;
      version.number = compiled.number;
      version.name = compiled.source.name;
      return version;
    };
    all.take = [](const gpu::KernelVersion&) {};
    all.prepare = [this](const gpu::KernelTools&, const std::atomic<bool>& stop) {
      ++prepared_;
      while (!stop) std::this_thread::sleep_for(1ms);
    };
    return all;
  }

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  fs::path saved(const std::string& name, const std::string& text) const {
    write(path(name), text);
    return path(name);
  }

  template <class Holds>
  bool until(const Holds& holds, gpu::Size frame = {}) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!holds() && std::chrono::steady_clock::now() < end) {
      for (auto& news : files_.follow(frame)) news_.push_back(std::move(news));
      files_.wait(2ms);
    }
    return holds();
  }
  bool until_idle(gpu::Size frame = {}) {
    files_.follow(frame);
    return until([&] { return !files_.busy(); }, frame);
  }
  const KernelFile& file(const std::string& name = "mine") { return *files_.find(name); }

  TemporaryFolder folder_;
  std::atomic<bool> has_compiler_ = true, no_process_ = false, no_memory_ = false, no_trial_ = false;
  std::atomic<int> compiled_ = 0, prepared_ = 0;
  std::atomic<bool> loads_long_ = false, fails_to_load_ = false;
  std::function<void()> while_compiling_;  // once, on the other thread, when the text was read
  std::deque<gpu::KernelVersion> versions_;
  std::vector<KernelFiles::News> news_;
  KernelFiles files_{steps()};
};

}  // namespace app
