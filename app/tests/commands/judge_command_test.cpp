// satscope judge: its options, its limit, and its exit codes.
#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/tests/support/exit_refusal.h"

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

}  // namespace
}  // namespace app
