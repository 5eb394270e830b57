// What the tab of a user's kernel shows, and the colours of its text.
#include "app/session/kernel_view.h"

#include <gtest/gtest.h>

#include <chrono>

#include "app/tests/session/kernel_example.h"

namespace app {
namespace {

using Kind = KernelView::Row::Kind;

std::vector<std::string> tokens_in(std::string_view line, SourceToken::Kind kind, bool in_comment = false) {
  std::vector<std::string> all;
  for (const auto& token : source_tokens(line, in_comment))
    if (token.kind == kind) all.emplace_back(line.substr(token.begin, token.end - token.begin));
  return all;
}

std::string note_below(const KernelView& view, int line, Kind kind) {
  for (const auto& row : view.rows())
    if (row.kind == kind && row.line == line) return view.notes()[row.index].text;
  return "none";
}

TEST(SourceTokensTest, KeywordsCommentsAndLiteralsAreFound) {
  using enum SourceToken::Kind;
  const std::string_view line = R"(  const char* s = "a // \" b"; int n = 1'000; // the end)";
  EXPECT_EQ(tokens_in(line, keyword), (std::vector<std::string>{"const", "char", "int"}));
  EXPECT_EQ(tokens_in(line, literal), (std::vector<std::string>{R"("a // \" b")"})) << "1'000 begins no literal";
  EXPECT_EQ(tokens_in(line, comment), (std::vector<std::string>{"// the end"}));
  EXPECT_EQ(tokens_in("__global__ void interior(float4 x)", keyword), (std::vector<std::string>{"__global__", "void"}));
  EXPECT_EQ(tokens_in("  #include <x.cuh>", keyword), (std::vector<std::string>{"#include"}));
  EXPECT_TRUE(tokens_in("a # b", keyword).empty());
  EXPECT_EQ(tokens_in("'\\'' \"open", literal), (std::vector<std::string>{"'\\''", "\"open"}));
}

TEST(SourceTokensTest, ACommentGoesOnInTheNextLine) {
  bool in_comment = false;
  EXPECT_EQ(source_tokens("int a; /* one /* two", in_comment).size(), 2u);
  EXPECT_TRUE(in_comment);
  EXPECT_EQ(source_tokens("int", in_comment), (std::vector<SourceToken>{{SourceToken::Kind::comment, 0, 3}}));
  EXPECT_EQ(tokens_in("end */ int b;", SourceToken::Kind::keyword, true), (std::vector<std::string>{"int"}));
  EXPECT_TRUE(source_tokens("", in_comment).empty());
  EXPECT_TRUE(in_comment);
}

TEST(PlacesOfLinesTest, LinesAreFoundAgainInTheNextText) {
  const std::vector<std::string> before{"head", "first();", "second();", "third();", "tail"};
  EXPECT_EQ(places_of_lines(before, before), (std::vector{1, 2, 3, 4, 5}));
  EXPECT_EQ(places_of_lines(before, std::vector<std::string>{"head", "first();", "2", "third();", "tail"}),
            (std::vector{1, 2, 3, 4, 5}))
      << "a line that is changed in its place";
  EXPECT_EQ(places_of_lines(before, std::vector<std::string>{"head", "new", "first();", "second();", "third();", "tail"}),
            (std::vector{1, 3, 4, 5, 6}));
  EXPECT_EQ(places_of_lines(before, std::vector<std::string>{"head", "x", "y", "second();", "z", "w", "v", "tail"}),
            (std::vector{1, 0, 4, 0, 8}));
  EXPECT_EQ(places_of_lines(before, std::vector<std::string>{"head"}), (std::vector{1, 0, 0, 0, 0}));
  EXPECT_EQ(places_of_lines({}, before), std::vector<int>());
}

TEST(KernelViewTest, AWrongKernelSaysWhereAndWhichLinesRace) {
  const KernelView view(example_kernel());
  EXPECT_EQ(view.headline(), "race.cu is wrong: a data race");
  EXPECT_EQ(view.refused(), "");
  EXPECT_EQ(view.result(), "254 entries wrong, the first at (3, 0): expected 6, got 7");
  EXPECT_EQ(view.details(), "Found with 257x1, 8u32u, random:3\nFrom (2, 0) on\ngot\n3   7   11\nexpected\n3   6   10");
  EXPECT_EQ(view.state(), "Per pixel 5.00 bytes read, 8.00 written, 0.406 sectors; 2 launches");
  EXPECT_EQ(view.compiled(), "compiled in 0.54 s");
  EXPECT_TRUE(view.wrong());
  EXPECT_EQ(view.mark_of(14), Kind::race);
  EXPECT_EQ(view.mark_of(17), Kind::race);
  EXPECT_EQ(view.mark_of(15), Kind::source);
  EXPECT_EQ(
      note_below(view, 17, Kind::race),
      "Race with line 14, no barrier between: shared read after write, 1693 times; shared write after read, 100 times");
  EXPECT_EQ(note_below(view, 14, Kind::race), "none") << "it is said once";
}

TEST(KernelViewTest, CountsArePerPixelAndOfTheLineThatHasThem) {
  const KernelView view(example_kernel());
  ASSERT_TRUE(view.figures_of(30));
  EXPECT_EQ((*view.figures_of(30))[static_cast<std::size_t>(LineFigure::bytes)], 8);
  EXPECT_EQ((*view.figures_of(30))[static_cast<std::size_t>(LineFigure::loads)], 4);
  EXPECT_EQ((*view.figures_of(17))[static_cast<std::size_t>(LineFigure::shared)], 16);
  EXPECT_FALSE(view.figures_of(1));
  EXPECT_EQ(view.most(LineFigure::bytes), 8);
  EXPECT_EQ(view.most(LineFigure::shared), 16);
  EXPECT_EQ(view.rows().size(), example_kernel().lines.size() + 1);
}

// The text is the one that its author edits; what it costs is known of the one before.
TEST(KernelViewTest, ATextThatDoesNotCompileHasTheCountsOfTheVersionBefore) {
  auto file = refused_kernel();
  const KernelView view(file);
  EXPECT_EQ(view.headline(), "race.cu is wrong: a data race");
  EXPECT_EQ(view.refused(), "The last save does not compile, line 30.");
  EXPECT_EQ(view.state(), "The version before it runs on, its counts are shown.");
  EXPECT_EQ(view.text_of(29), "  unsigned sum = 0");
  EXPECT_TRUE(view.figures_of(30));
  EXPECT_EQ(view.mark_of(30), Kind::error);
  EXPECT_EQ(note_below(view, 30, Kind::error), "error: expected ',' or ';' before 'for'");
  file.refused_lines.insert(file.refused_lines.begin() + 5, {"// More", "// words"});
  file.messages[0].line = 32;
  const KernelView moved(file);
  EXPECT_TRUE(moved.figures_of(19)) << "where line 17 is now";
  EXPECT_EQ(moved.mark_of(19), Kind::race);
  EXPECT_EQ(note_below(moved, 19, Kind::race).substr(0, 17), "Race with line 16");
}

TEST(KernelViewTest, TheFirstVersionHasNoVerdictYet) {
  auto file = new_kernel(KernelFile::Phase::compiling);
  EXPECT_EQ(KernelView(file).headline(), "Compiling mine.cu...");
  EXPECT_TRUE(KernelView(file).rows().empty());
  file.phase = KernelFile::Phase::trying;
  EXPECT_EQ(KernelView(file).headline(), "Trying mine.cu...");
  file.phase = KernelFile::Phase::idle;
  file.refusal = "kernels of your own need a compiler: install g++";
  EXPECT_EQ(KernelView(file).headline(), "mine.cu: kernels of your own need a compiler: install g++");
  file.refusal = "mine.cu: wrong: out of bounds: a load of 4 bytes past the end (mine.cu:2)";
  file.refused_lines = {"void run()", "  x[1];"};
  const KernelView fault(file);
  EXPECT_EQ(fault.headline(), "mine.cu is wrong: out of bounds: a load of 4 bytes past the end (mine.cu:2)");
  EXPECT_EQ(fault.mark_of(2), Kind::fault);
  file.messages = {{gpu::SourceMessage::Severity::error, "/home/me/tile.cuh", 3, 1, "no such thing"}};
  const KernelView elsewhere(file);
  EXPECT_EQ(elsewhere.headline(), "mine.cu does not compile, tile.cuh, line 3");
  ASSERT_EQ(elsewhere.rows().size(), 3u);
  EXPECT_EQ(elsewhere.rows()[0].kind, Kind::error) << "before the first line";
  EXPECT_EQ(elsewhere.notes()[0].text, "tile.cuh, line 3: error: no such thing");
  EXPECT_EQ(elsewhere.notes()[0].file, "/home/me/tile.cuh");
}

// What lies elsewhere says nothing about the kernel.
TEST(KernelViewTest, AKernelThatWasNotJudgedIsNotWrong) {
  auto file = example_kernel();
  file.verdict = {};
  file.verdict.outcome = gpu::Verdict::Outcome::interrupted;
  EXPECT_FALSE(KernelView(file).wrong());
  EXPECT_EQ(KernelView(file).headline(), "race.cu is not judged");
  EXPECT_EQ(state_word(file), "not judged");
  file.verdict.sentence = "cannot be judged: memory is exhausted";
  EXPECT_EQ(KernelView(file).headline(), "race.cu cannot be judged: memory is exhausted");
  auto refused = new_kernel(KernelFile::Phase::idle);
  refused.refusal = file.verdict.sentence;
  EXPECT_EQ(KernelView(refused).headline(), "mine.cu cannot be judged: memory is exhausted");
  EXPECT_EQ(state_word(refused), "refused");
}

TEST(KernelViewTest, WhatGoesOnWithTheLastSaveIsSaid) {
  auto file = example_kernel();
  file.phase = KernelFile::Phase::compiling;
  EXPECT_EQ(KernelView(file).state(), "Compiling what was saved last...");
  file.phase = KernelFile::Phase::trying;
  EXPECT_EQ(KernelView(file).state(), "Trying what was saved last...");
  EXPECT_EQ(KernelView(file).headline(), "race.cu is wrong: a data race") << "of the version that runs";
  EXPECT_EQ(state_word(file), "trying...");
  EXPECT_EQ(state_word(example_kernel()), "wrong");
  EXPECT_EQ(state_word(refused_kernel()), "refused");
  EXPECT_EQ(state_word(example_effect()), "runs");
}

TEST(KernelViewTest, WhatLinesOfOtherFilesCostStandsBehindTheText) {
  auto file = example_kernel();
  auto counts = line_counts(57, 320'000, 0);
  counts.file = "tile.cuh";
  file.verdict.lines.push_back(line_counts(57, 10'000, 0));
  file.verdict.lines.back().file = "block.cuh";
  file.verdict.lines.push_back(counts);
  file.verdict.races = {{"global write after write", "tile.cuh", "race.cu", 57, 20, 1}};
  const KernelView view(file);
  const auto rows = view.rows();
  ASSERT_EQ(rows[rows.size() - 3].kind, Kind::title);
  EXPECT_EQ(view.notes()[rows[rows.size() - 2].index].text, "tile.cuh:57") << "what costs most comes first";
  EXPECT_EQ(view.notes()[rows.back().index].text, "block.cuh:57");
  EXPECT_EQ(note_below(view, 20, Kind::race),
            "Race with tile.cuh, line 57, no barrier between: global write after write, 1 time");
}

TEST(KernelViewTest, AViewIsMadeAnewOnceTheFileIsAnother) {
  auto file = example_kernel();
  const KernelView view(file);
  EXPECT_TRUE(view.is_of(file));
  EXPECT_FALSE(KernelView().is_of(file));
  file.phase = KernelFile::Phase::compiling;
  EXPECT_FALSE(view.is_of(file));
  EXPECT_FALSE(view.is_of(refused_kernel()));
  auto tried = example_kernel();  // on another size, with which it is wrong, too
  const KernelView before(tried);
  tried.verdict.where = "64x48";
  EXPECT_FALSE(before.is_of(tried));
}

TEST(KernelViewTest, AFileWithNothingOrWithAnythingIsShown) {
  auto file = example_kernel();
  file.lines = {std::string(5000, 'x'), "\tint\ttab;", std::string("a\0b\x01", 4), "\xff\xfe"};
  file.verdict.lines = {line_counts(-3, 1, 1), line_counts(1'000'000, 1, 1)};
  file.verdict.races = {{"shared read after write", "", "", 0, 99, 1}, {"", "race.cu", "race.cu", 1, 1, 2}};
  file.verdict.fault = "out of bounds (race.cu:99999999999)\nkernel rows";
  file.verdict.counted = {};
  const KernelView view(file);
  EXPECT_EQ(view.text_of(1).size(), 1000u);
  EXPECT_EQ(view.text_of(2), "    int tab;");
  EXPECT_EQ(view.text_of(3), "a b");
  EXPECT_EQ(note_below(view, 1, Kind::race), "Race of threads at this line, no barrier between: , 2 times");
  EXPECT_EQ(view.result(), "out of bounds (race.cu:99999999999)");
  file.lines.clear();
  EXPECT_EQ(KernelView(file).lines(), 0);
}

TEST(KernelViewTest, TenThousandLinesAreNoWaiting) {
  auto file = example_kernel();
  file.lines.assign(10'000, "  for (int i = 0; i < n; ++i) table(x, y) += \"text\"[i];  // comment");
  for (int line = 1; line <= 10'000; ++line) file.verdict.lines.push_back(line_counts(line, 100, 0));
  file.refused_lines = file.lines;
  file.refused_lines.insert(file.refused_lines.begin() + 5000, "int more;");
  file.refusal = "does not compile";
  const auto start = std::chrono::steady_clock::now();
  const KernelView view(file);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "even where tests are slow";
  EXPECT_EQ(view.lines(), 10'001);
}

TEST(KernelViewTest, WhatNoTextIsToBlameForIsSaidAsItIs) {
  auto file = refused_kernel();
  file.refusal = "it could not be compiled: g++ cannot be started";
  file.messages = {{gpu::SourceMessage::Severity::error, file.path, 0, 0, "g++ cannot be started"}};
  EXPECT_EQ(KernelView(file).refused(), "The last save: it could not be compiled: g++ cannot be started.");
  file.version = 0;
  EXPECT_EQ(KernelView(file).headline(), "race.cu: it could not be compiled: g++ cannot be started");
  file.refusal = "it does not compile: it is empty";
  EXPECT_EQ(KernelView(file).headline(), "race.cu does not compile");
}

}  // namespace
}  // namespace app
