// What a judge and its child say to each other, and what the judge makes of a child that ends before it has said all.
#include "gpu/user_kernels/judge_protocol.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <utility>

namespace gpu {
namespace {

using End = ChildResult::End;

// What the child writes, as the parent reads it.
template <class Say>
std::string said_by_child(const Say& say, const JudgeMark& mark = {}) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
  JudgeWriter writer(ends[1], mark);
  say(writer);
  ::close(ends[1]);
  std::string text;
  char piece[1024];
  for (ssize_t got; (got = ::read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<std::size_t>(got));
  ::close(ends[0]);
  return text;
}

void compare_one(JudgeWriter& writer) {
  writer.ready();
  writer.now("plain, 1x1");
  writer.compared({1, 1});
}

JudgeReport concluded(const std::string& text, ChildResult end = {End::exited, 0}) {
  JudgeReport report;
  read_judge_lines(text, report);
  conclude(report, end, {});
  return report;
}

TEST(JudgeProtocolTest, ATaskKeepsWhatItIs) {
  JudgeTask task;
  task.compiled.source.file = "/a folder/it's = \"mine\"\n.cu";
  task.compiled.source.name = "mine";
  task.compiled.source.form = KernelSource::Form::effect;
  task.compiled.number = 3;
  task.compiled.plain = "/a b/plain.so", task.compiled.observed = "/a b/observed.so", task.compiled.cubin = "c";
  task.request.depth = JudgeRequest::Depth::trial;
  task.request.sizes = {{960, 540}, {1, 7}};
  task.request.beside = "2r1w";
  task.request.seed = ~std::uint64_t{0};
  task.request.limits = {std::chrono::milliseconds(1234), std::size_t{5} << 30};
  task.libraries = "/li braries";
  task.on_gpu = task.request.timed = true;
  const auto words = words_of(task);
  const auto same = judge_task(words);
  EXPECT_EQ(same.compiled.source.file, task.compiled.source.file);
  EXPECT_EQ(same.compiled.source.form, task.compiled.source.form);
  EXPECT_EQ(same.request.depth, task.request.depth);
  EXPECT_EQ(same.request.sizes, task.request.sizes);
  EXPECT_EQ(same.request.seed, task.request.seed);
  EXPECT_EQ(same.request.limits.time, task.request.limits.time);
  EXPECT_EQ(words_of(same), words);
}

TEST(JudgeProtocolTest, RefusesOtherWords) {
  EXPECT_THROW(judge_task({}), std::invalid_argument);
  for (const char* word : {"mine.cu", "depth=deep", "form="})
    EXPECT_THROW(judge_task(std::vector<std::string>{word}), std::invalid_argument) << word;
}

TEST(JudgeProtocolTest, FindingsArrive) {
  simulated::Counts counts;
  counts.read = {1, 2, 3};
  counts.written.sectors = 7;
  counts.surface_bytes = 9;
  simulated::LineCounts line;
  line.file = "my\tfile.cu";
  line.line = 12;
  line.read.bytes = 40;
  line.atomics = 5;
  KernelTime time;
  time.microseconds = 12.5, time.beside_microseconds = 11, time.gpu = "a GPU";
  const auto text = said_by_child([&](JudgeWriter& writer) {
    writer.ready();
    writer.now("plain, 7x5");
    for (const Size size : {Size{7, 5}, Size{97, 65}, Size{3, 3}}) writer.compared(size);
    writer.observed();
    writer.varies();
    writer.counted({97, 65}, SatType::f32_f32, 2, counts);
    writer.counted_beside(counts);
    writer.line(line);
    writer.time(time);
    writer.end();
  });
  const auto verdict = concluded(text).verdict;
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::right);
  EXPECT_EQ(verdict.sentence, "right");
  EXPECT_EQ(verdict.tables, 3);
  EXPECT_EQ(verdict.largest, (Size{97, 65}));
  EXPECT_EQ(verdict.observed_runs, 1);
  EXPECT_FALSE(verdict.deterministic);
  EXPECT_EQ(verdict.type, SatType::f32_f32);
  EXPECT_EQ(verdict.launches, 2);
  EXPECT_EQ(verdict.counts.read.in_part, 3u);
  EXPECT_EQ(verdict.counts.written.sectors, 7u);
  EXPECT_EQ(verdict.counts.surface_bytes, 9u);
  ASSERT_TRUE(verdict.counts_beside);
  EXPECT_EQ(verdict.counts_beside->read.sectors, 2u);
  ASSERT_EQ(verdict.lines.size(), 1u);
  EXPECT_EQ(verdict.lines[0].file, line.file);
  EXPECT_EQ(verdict.lines[0].line, 12);
  EXPECT_EQ(verdict.lines[0].atomics, 5u);
  ASSERT_TRUE(verdict.time);
  EXPECT_EQ(verdict.time->microseconds, 12.5);
  EXPECT_EQ(verdict.time->gpu, "a GPU");
}

TEST(JudgeProtocolTest, TheFirstThingThatIsWrongIsTheVerdict) {
  WrongEntry entry;
  entry.x = 1, entry.expected = "3", entry.got = "nothing", entry.count = 2, entry.columns = 2;
  entry.around_got = {"1", "nothing"}, entry.around_expected = {"1", "3"};
  const KernelRace race{"shared write after read", "a.cu", "b.cu", 3, 4, 5};
  const auto text = said_by_child([&](JudgeWriter& writer) {
    writer.ready();
    writer.now("observed, 1x1");
    writer.race(race);
    writer.race(race);
    writer.wrong("wrong: a data race");
    writer.now("plain, 2x1");
    writer.entry(entry);
    writer.wrong("wrong: the table");
  });
  const auto verdict = concluded(text, {End::signalled, SIGSEGV}).verdict;
  EXPECT_EQ(verdict.sentence, "wrong: a data race");
  EXPECT_EQ(verdict.where, "observed, 1x1");
  ASSERT_EQ(verdict.races.size(), 1u);
  EXPECT_EQ(verdict.races[0].times, 10u);
  EXPECT_EQ(verdict.races[0].second_line, 4);
  ASSERT_TRUE(verdict.wrong);
  EXPECT_EQ(verdict.wrong->got, "nothing");
  EXPECT_EQ(verdict.wrong->where, "plain, 2x1");
  EXPECT_EQ(verdict.wrong->around_expected, entry.around_expected);
}

TEST(JudgeProtocolTest, AChildThatEndsTooSoonIsWrongWhereItWas) {
  const auto text = said_by_child(compare_one);
  for (const auto& [end, says] : std::initializer_list<std::pair<ChildResult, std::string>>{
           {{End::exited, 3}, "the program ended itself: exit(3)"},
           {{End::exited, 0}, "the program ended itself: exit(0)"},
           {{End::signalled, SIGSEGV}, "the program crashed: Segmentation fault"},
           {{End::timed_out, 0}, "does not end within 60 s"}}) {
    const auto verdict = concluded(text, end).verdict;
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong);
    EXPECT_EQ(verdict.sentence, says);
    EXPECT_EQ(verdict.where, "plain, 1x1");
  }
  EXPECT_EQ(concluded(text, {End::stopped, 0}).verdict.outcome, Verdict::Outcome::interrupted);
}

// What it does before it has said all, and as it ends.
TEST(JudgeProtocolTest, NothingIsRightThatDoesNotEndWell) {
  const auto text = said_by_child([](JudgeWriter& writer) {
    compare_one(writer);
    writer.now("at the end");
    writer.end();
  });
  EXPECT_EQ(concluded(text).verdict.outcome, Verdict::Outcome::right);
  for (const auto end :
       {ChildResult{End::exited, 3}, ChildResult{End::signalled, SIGSEGV}, ChildResult{End::timed_out, 0}}) {
    const auto verdict = concluded(text, end).verdict;
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong) << verdict.sentence;
    EXPECT_FALSE(verdict.harmless);
    EXPECT_EQ(verdict.where, "at the end");
  }
  const auto wrong = text + said_by_child([](JudgeWriter& writer) { writer.wrong("wrong: the table"); });
  EXPECT_TRUE(concluded(wrong).verdict.harmless);
  const auto crashed = concluded(wrong, {End::signalled, SIGSEGV}).verdict;
  EXPECT_FALSE(crashed.harmless);
  EXPECT_NE(crashed.fault.find("crashed"), std::string::npos);
}

TEST(JudgeProtocolTest, NothingIsRightWithoutATable) {
  const auto text = said_by_child([](JudgeWriter& writer) {
    writer.ready();
    writer.observed();
    writer.end();
  });
  const auto verdict = concluded(text).verdict;
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::wrong);
  EXPECT_EQ(verdict.sentence, "no table is there within 60 s");
}

TEST(JudgeProtocolTest, WhatIsNotTheKernelsFaultIsNoVerdict) {
  for (const auto end :
       {ChildResult{End::not_started, 0}, ChildResult{End::signalled, SIGKILL}, ChildResult{End::timed_out, 0}}) {
    const auto verdict = concluded("", end).verdict;
    EXPECT_EQ(verdict.outcome, Verdict::Outcome::interrupted);
    EXPECT_TRUE(verdict.sentence.starts_with("cannot be judged: the judge's process")) << verdict.sentence;
  }
  const auto text = said_by_child([](JudgeWriter& writer) {
    compare_one(writer);
    writer.cannot_judge("the disk is full");
  });
  const auto verdict = concluded(text, {End::exited, 1}).verdict;
  EXPECT_EQ(verdict.outcome, Verdict::Outcome::interrupted);
  EXPECT_EQ(verdict.sentence, "cannot be judged: the disk is full");
}

TEST(JudgeProtocolTest, EachJudgeHasAMarkOfItsOwn) {
  const auto mark = JudgeMark::random();
  EXPECT_NE(mark.text, JudgeMark::random().text);
  EXPECT_EQ(mark.text.find_first_of("\t\n"), std::string::npos);
  ::setenv(JudgeMark::variable, mark.text.c_str(), 1);
  EXPECT_EQ(JudgeMark::taken_from_environment().text, mark.text);
  EXPECT_EQ(::getenv(JudgeMark::variable), nullptr);

  const auto say_end = [](JudgeWriter& writer) { writer.end(); };
  JudgeReport report;
  report.mark = mark;
  read_judge_lines(said_by_child(say_end), report);
  EXPECT_FALSE(report.ended);
  read_judge_lines(said_by_child(say_end, mark), report);
  EXPECT_TRUE(report.ended);
}

TEST(JudgeProtocolTest, LinesOfOthersAndPartsOfLinesAreSkipped) {
  const auto text = said_by_child(compare_one);
  const auto others = "hello\njudge:\njudge:wrong\njudge:entry\t1\njudge:end\textra\n" + text + "judge:wrong\tit is cut o";
  const auto verdict = concluded(others).verdict;
  EXPECT_EQ(verdict.where, "plain, 1x1");
  EXPECT_EQ(verdict.sentence, "the program ended itself: exit(0)");
}

}  // namespace
}  // namespace gpu
