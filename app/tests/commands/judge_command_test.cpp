// satscope judge: its options, its limit, and its exit codes.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "app/commands/commands.h"
#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using Outcome = gpu::Verdict::Outcome;

Options judge_options(std::vector<std::string> words) {
  words.insert(words.begin(), "judge");
  return parse_options(words);
}
std::string refused_judge(const std::vector<std::string>& words) {
  return exit_refusal(ExitCode::usage, [&] { judge_options(words); });
}

TEST(JudgeCommandTest, OptionsAreParsed) {
  const auto options = judge_options({"a.cu", "b.cu", "--at-most", "1.5x", "2r1w", "--seconds", "2.5", "--memory", "1",
                                      "--seed", "7", "--device", "simulated", "--size", "960x540", "--json", "--junit",
                                      "r.xml"});
  EXPECT_EQ(options.command, Verb::judge);
  EXPECT_EQ(options.sources, (std::vector<std::string>{"a.cu", "b.cu"}));
  EXPECT_EQ(options.at_most->factor, 1.5);
  EXPECT_EQ(options.at_most->algorithm, "2r1w");
  EXPECT_EQ(options.seconds, 2.5);
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.judge_device, Options::JudgeDevice::simulated);
  EXPECT_EQ(options.size, (gpu::Size{960, 540}));
  EXPECT_TRUE(options.json);
  EXPECT_EQ(options.junit, "r.xml");
}

TEST(JudgeCommandTest, ALimitIsAFactorOrATime) {
  EXPECT_EQ(judge_options({"a.cu", "--at-most", "2x 1r1w"}).at_most->algorithm, "1r1w");
  EXPECT_EQ(judge_options({"--at-most", "2x", "1r1w", "a.cu"}).sources, std::vector<std::string>{"a.cu"});
  for (const std::string time : {"120us", "120 us", "120\u00b5s"})
    EXPECT_EQ(judge_options({"a.cu", "--at-most", time}).at_most->microseconds, 120) << time;
}

TEST(JudgeCommandTest, WhatIsWrongCostsOneLine) {
  for (const auto& [words, says] : std::initializer_list<std::pair<std::vector<std::string>, std::string>>{
           {{}, "judge needs FILE"},
           {{""}, "an empty text"},
           {{"a.cu", "--at-most", "fast"}, "not 'fast'"},
           {{"a.cu", "--at-most", "0x 2r1w"}, "not '0x 2r1w'"},
           {{"a.cu", "--at-most", "2x 2r1v"}, "did you mean '2r1w'"},
           {{"a.cu", "--at-most", "2x host_serial"}, "runs on the CPU"},
           {{"a.cu", "--at-most", "9us", "--device", "simulated"}, "needs a GPU"},
           {{"a.cu", "--seconds", "0"}, "from 1 to 3600"},
           {{"a.cu", "--memory", "none"}, "from 0.1 to 1024"},
           {{"a.cu", "--device", "host"}, "--device takes auto, simulated or cuda"},
           {{"a.cu", "--junit", "r.txt"}, "must end in .xml"}}) {
    const auto line = refused_judge(words);
    EXPECT_NE(line.find(says), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

JudgedFile judged_with(Outcome outcome) {
  JudgedFile judged{"mine.cu", {}, {}};
  judged.verdict.outcome = outcome;
  judged.verdict.counted = {100, 100};
  judged.verdict.counts.read.sectors = judged.verdict.counts.written.sectors = 1000;
  judged.verdict.counts_beside.emplace().read.sectors = 1000;
  return judged;
}

TEST(JudgeCommandTest, WithoutAGpuSectorsAreCompared) {
  auto judged = judged_with(Outcome::right);
  apply_limit(judged, {2.5, 0, "2r1w"});
  EXPECT_EQ(judged.verdict.outcome, Outcome::right);
  EXPECT_NE(judged.compared.find("moves 2.00 times the sectors of 2r1w, of at most 2.50"), std::string::npos)
      << judged.compared;
  EXPECT_NE(judged.compared.find("no GPU"), std::string::npos);
  apply_limit(judged, {1.5, 0, "2r1w"});
  EXPECT_EQ(judged.verdict.outcome, Outcome::too_slow);
}

TEST(JudgeCommandTest, OnAGpuTimesAreCompared) {
  for (const auto& [most, outcome] :
       std::initializer_list<std::pair<Options::AtMost, Outcome>>{{{1.5, 0, "2r1w"}, Outcome::right},
                                                                  {{1.1, 0, "2r1w"}, Outcome::too_slow},
                                                                  {{0, 13, ""}, Outcome::right},
                                                                  {{0, 11, ""}, Outcome::too_slow}}) {
    auto judged = judged_with(Outcome::right);
    judged.verdict.time.emplace().microseconds = 12;
    judged.verdict.time->beside_microseconds = 10;
    apply_limit(judged, most);
    EXPECT_EQ(judged.verdict.outcome, outcome) << judged.compared;
  }
}

TEST(JudgeCommandTest, WhatCannotBeComparedDoesNotPass) {
  auto judged = judged_with(Outcome::right);
  judged.verdict.counts_beside.reset();
  apply_limit(judged, {1.5, 0, "2r1w"});
  EXPECT_EQ(judged.verdict.outcome, Outcome::too_slow);
  auto wrong = judged_with(Outcome::wrong);
  apply_limit(wrong, {1.5, 0, "2r1w"});
  EXPECT_EQ(wrong.verdict.outcome, Outcome::wrong);
}

TEST(JudgeCommandTest, TheGravestOutcomeIsTheExitCode) {
  const auto code = [](std::initializer_list<Outcome> outcomes) {
    std::vector<JudgedFile> files;
    for (const auto outcome : outcomes) files.push_back(judged_with(outcome));
    return exit_code_of(files);
  };
  EXPECT_EQ(code({Outcome::right, Outcome::right}), ExitCode::ok);
  EXPECT_EQ(code({Outcome::right, Outcome::too_slow}), ExitCode::too_slow);
  EXPECT_EQ(code({Outcome::too_slow, Outcome::wrong}), ExitCode::failed);
  EXPECT_EQ(code({Outcome::wrong, Outcome::does_not_compile}), ExitCode::does_not_compile);
  EXPECT_EQ(code({Outcome::right, Outcome::interrupted}), ExitCode::failed);
}

// Judges by what a file is called; what happens in between is the test's.
class JudgeAllTest : public testing::Test {
 protected:
  std::string junit() const {
    std::ifstream stream(junit_);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static std::size_t count(const std::string& text, std::string_view part) {
    std::size_t times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++times;
    return times;
  }
  // What is printed.
  std::string printed_by(const std::function<void()>& work) {
    testing::internal::CaptureStdout();
    work();
    std::fflush(stdout);
    return testing::internal::GetCapturedStdout();
  }
  Options options(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"a.cu", "b.cu", "c.cu", "--junit", junit_.string()};
    words.insert(words.end(), more.begin(), more.end());
    return judge_options(words);
  }

  TemporaryFolder folder_;
  std::filesystem::path junit_ = folder_.path() / "r.xml";
  std::atomic<bool> stop_ = false;
};

TEST_F(JudgeAllTest, TheReportIsWholeBeforeEachFileAndAtTheEnd) {
  std::ofstream(junit_) << "of a run before";
  for (int time = 0; time < 2; ++time) {
    std::size_t done = 0;
    printed_by([&] {
      EXPECT_EQ(judge_all(
                    options(),
                    [&](const std::string& name) {
                      const auto xml = junit();
                      EXPECT_TRUE(xml.ends_with("</testsuites>\n")) << xml;
                      EXPECT_EQ(count(xml, "<testcase"), 3u);
                      EXPECT_EQ(count(xml, "<skipped"), 3 - done) << xml;
                      ++done;
                      auto judged = judged_with(Outcome::right);
                      judged.file = name;
                      return judged;
                    },
                    stop_),
                ExitCode::ok);
    });
    EXPECT_EQ(count(junit(), "<skipped"), 0u);
    EXPECT_EQ(count(junit(), "skipped=\"0\""), 1u);
  }
}

TEST_F(JudgeAllTest, AnInterruptionLeavesWhatWasJudged) {
  for (const bool json : {true, false}) {
    stop_ = false;
    const auto text = printed_by([&] {
      const auto code = judge_all(
          options(json ? std::vector<std::string>{"--json"} : std::vector<std::string>()),
          [&](const std::string& name) {
            stop_ = name == "b.cu";
            return judged_with(stop_ ? Outcome::interrupted : Outcome::right);
          },
          stop_);
      EXPECT_EQ(code, ExitCode::failed);
    });
    if (json) {
      const auto files = nlohmann::json::parse(text)["files"];
      ASSERT_EQ(files.size(), 2u);
      EXPECT_EQ(files[0]["outcome"], "right");
      EXPECT_EQ(files[1]["outcome"], "not judged");
    }
    EXPECT_EQ(count(junit(), "<skipped message=\"not judged\"/>"), 1u) << junit();
    EXPECT_EQ(count(junit(), "<error"), 1u);
    EXPECT_EQ(count(junit(), "<failure"), 0u);
  }
}

TEST_F(JudgeAllTest, AFileThatCannotBeJudgedLeavesTheOthersTheirVerdicts) {
  const auto text = printed_by([&] {
    EXPECT_EQ(judge_all(
                  options({"--json"}),
                  [](const std::string& name) {
                    auto judged = judged_with(name == "b.cu" ? Outcome::interrupted : Outcome::right);
                    if (name == "b.cu") judged.verdict.sentence = "cannot be judged: memory is exhausted";
                    return judged;
                  },
                  stop_),
              ExitCode::failed);
  });
  const auto files = nlohmann::json::parse(text)["files"];
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files[1]["outcome"], "not judged");
  EXPECT_EQ(files[2]["outcome"], "right");
  EXPECT_EQ(count(junit(), "<error"), 1u);
}

TEST_F(JudgeAllTest, AnErrorLeavesWhatWasJudged) {
  const auto text = printed_by([&] {
    EXPECT_THROW(judge_all(
                     options({"--json"}),
                     [](const std::string& name) {
                       if (name == "c.cu") throw std::runtime_error("the disk is full");
                       return judged_with(Outcome::wrong);
                     },
                     stop_),
                 std::runtime_error);
  });
  EXPECT_EQ(nlohmann::json::parse(text)["files"].size(), 2u);
  EXPECT_EQ(count(junit(), "<failure"), 2u);
  EXPECT_EQ(count(junit(), "<skipped"), 1u);
}

}  // namespace
}  // namespace app
