// Verdicts of users' kernels as text, JSON and JUnit's XML.
#include "app/output/verdict_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace app {
namespace {

using nlohmann::json;
using Outcome = gpu::Verdict::Outcome;

JudgedFile right_file(const std::string& name, std::uint64_t sectors) {
  JudgedFile judged{name, {}, {}};
  auto& verdict = judged.verdict;
  verdict.name = "mine";
  verdict.sentence = "right";
  verdict.counted = {100, 100};
  verdict.launches = 2;
  verdict.counts.read = {50'000, sectors};
  verdict.counts.written = {80'000, sectors};
  verdict.tables = 51;
  verdict.largest = {1000, 1021};
  verdict.observed_runs = 35;
  return judged;
}

JudgedFile wrong_file() {
  JudgedFile judged{"w.cu", {}, {}};
  auto& verdict = judged.verdict;
  verdict.outcome = Outcome::wrong;
  verdict.sentence = "wrong: a data race";
  verdict.where = "observed, 97x65, 8u32u, random:3";
  verdict.races = {{"shared read after write", "w.cu", "w.cu", 17, 15, 1693}};
  verdict.wrong.emplace();
  auto& wrong = *verdict.wrong;
  wrong.x = 1, wrong.y = 0, wrong.expected = "6", wrong.got = "7", wrong.count = 254;
  wrong.where = "plain, 2x2, 8u32u";
  wrong.columns = 2;
  wrong.around_got = {"1", "7", "3", "12"}, wrong.around_expected = {"1", "6", "3", "11"};
  return judged;
}

JudgedFile broken_file() {
  JudgedFile judged{"b & <b>.cu", {}, {}};
  judged.verdict.outcome = Outcome::does_not_compile;
  judged.verdict.sentence = "does not compile";
  for (int i = 1; i <= 30; ++i)
    judged.verdict.messages.push_back(
        {gpu::SourceMessage::Severity::error, "/home/b.cu", i, 3, "expected ';' \x1b[31m\xff"});
  return judged;
}

void expect_parts(const std::string& text, std::initializer_list<std::string> parts) {
  for (const auto& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(VerdictTextTest, ARightKernelHasItsTrafficBesideTheLeast) {
  expect_parts(verdict_text(right_file("mine.cu", 11'250)),
               {"mine.cu: right\n", "5.00 read, 8.00 written", "a table needs 1.00 read, 4.00 written", "2 launches",
                "51 tables up to 1000x1021", "35 observed runs"});
}

TEST(VerdictTextTest, AWrongOneHasPlaceRaceAndEntry) {
  expect_parts(verdict_text(wrong_file()),
               {"w.cu: wrong: a data race\n", "observed, 97x65",
                "shared read after write at w.cu:17 and w.cu:15, 1693 times", "entry (1, 0): expected 6, got 7",
                "254 entries", "  its first wrong entry is in: plain, 2x2, 8u32u\n", "[7]", "[6]", "expected\n"});
}

TEST(VerdictTextTest, ALongFaultIsCutBetweenItsItems) {
  auto judged = wrong_file();
  std::string items = "block (0, 0, 0): threads 0 wait for their warp at shuffles.cu:15";
  for (int i = 1; i < 9; ++i) items += "; " + std::to_string(i) + " waits at __syncthreads(), shuffles.cu:17";
  std::string words = "no";
  for (int i = 100; i < 200; ++i) words += " w" + std::to_string(i);
  const std::string letters(300, 'x');
  judged.verdict.wrong.reset();
  judged.verdict.fault = items + '\n' + words + '\n' + letters + "\n" + std::string(160, 'y');
  expect_parts(verdict_text(judged),
               {"  block (0, 0, 0): threads 0 wait for their warp at shuffles.cu:15; ...; 8 waits at __syncthreads(), "
                "shuffles.cu:17\n",
                " w114 ... w184 w185 ", " w199\n", "  " + std::string(80, 'x') + "..." + std::string(80, 'x') + '\n',
                "  " + std::string(160, 'y') + '\n'});
}

TEST(VerdictTextTest, IsAScreenAtMostAndPlainText) {
  for (const auto& judged : {wrong_file(), broken_file()}) {
    const auto text = verdict_text(judged);
    EXPECT_LE(std::ranges::count(text, '\n'), 24) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
  expect_parts(verdict_text(broken_file()), {"b.cu:1:3: error: expected ';'", "22 more messages"});
}

TEST(VerdictTextTest, TheRankingHasTheBestFirst) {
  const std::vector<JudgedFile> files = {wrong_file(), right_file("slow.cu", 20'000), broken_file(),
                                         right_file("fast.cu", 2'000)};
  const auto text = ranking_text(files);
  EXPECT_LT(text.find("fast.cu"), text.find("slow.cu"));
  EXPECT_LT(text.find("slow.cu"), text.find("w.cu"));
  const auto object = json::parse(verdicts_json(files));
  EXPECT_EQ(object["ranking"], (json{"fast.cu", "slow.cu"}));
}

TEST(VerdictTextTest, Json) {
  const std::vector<JudgedFile> files = {right_file("mine.cu", 11'250), wrong_file(), broken_file()};
  const auto object = json::parse(verdicts_json(files));
  const auto& all = object["files"];
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["outcome"], "right");
  EXPECT_EQ(all[0]["per_pixel"]["read_bytes"], 5);
  EXPECT_EQ(all[0]["time"], nullptr);
  EXPECT_EQ(all[1]["races"][0]["first"], "w.cu:17");
  EXPECT_EQ(all[1]["wrong"]["around"]["got"], (json{"1", "7", "3", "12"}));
  EXPECT_EQ(all[2]["messages"][4]["line"], 5);
}

TEST(VerdictTextTest, Junit) {
  const std::vector<JudgedFile> files = {right_file("mine.cu", 11'250), wrong_file(), broken_file()};
  const auto xml = verdicts_junit(files);
  expect_parts(xml, {"tests=\"3\" failures=\"1\" errors=\"1\"", "name=\"b &amp; &lt;b&gt;.cu\"",
                     "<failure message=\"wrong: a data race\">", "<error message=\"does not compile\">", "</testsuites>\n"});
  EXPECT_EQ(xml.find('\x1b'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
}

TEST(VerdictTextTest, WhatWasNotJudgedIsNeitherRightNorWrong) {
  auto judged = right_file("mine.cu", 0);
  judged.verdict = {};
  judged.verdict.outcome = Outcome::interrupted;
  judged.verdict.sentence = "cannot be judged: memory is exhausted";
  const std::vector<JudgedFile> files = {judged, right_file("fast.cu", 2'000)};
  expect_parts(ranking_text(files), {"not judged", "right"});
  EXPECT_EQ(ranking_text(files).find("wrong"), std::string::npos);
  EXPECT_EQ(json::parse(verdicts_json(files))["ranking"], json::array({"fast.cu"}));
  const std::vector<std::string> left = {"c & d.cu"};
  expect_parts(verdicts_junit(files, left),
               {"tests=\"3\" failures=\"0\" errors=\"1\" skipped=\"1\"", "name=\"c &amp; d.cu\"",
                "<error message=\"cannot be judged: memory is exhausted\">", "<skipped message=\"not judged\"/>"});
}

}  // namespace
}  // namespace app
