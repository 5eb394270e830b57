// The tab of a user's kernel, and the lists with the user's own.
#include <chrono>

#include "app/tests/session/kernel_example.h"
#include "app/tests/ui/controls_test.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class KernelTabTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    apply_theme({1, Theme::dark, true});
    imgui_.build_fonts();
    settings_.dock = Dock::kernel;
    settings_.dock_open = true;
    show({example_kernel()});
  }
  void show(std::vector<KernelFile> files) {
    files_ = std::move(files);
    state_.own_kernels = files_;
    draw(3);
  }
  // Twice, on a line of the source.
  void double_click(const std::string& text) {
    const auto at = middle_of(text, "dock/tab");
    auto& io = ImGui::GetIO();
    io.MousePos = at;
    for (const bool down : {false, true, false, true, false}) {
      io.MouseDown[0] = down;
      draw();
    }
    rest();
  }

  std::vector<KernelFile> files_;
};

TEST_F(KernelTabTest, ItBeginsWithTheAnswerAndEndsWithWhatIsWrong) {
  EXPECT_TRUE(shown("race.cu is wrong: a data race", "dock"));
  EXPECT_TRUE(shown("254 entries wrong, the first at (3, 0): expected 6, got 7", "dock"));
  EXPECT_TRUE(shown("compiled in 0.54 s", "dock"));
  EXPECT_TRUE(shown("per pixel, on the simulated GPU", "dock"));
  EXPECT_TRUE(shown("Race with line 14", "dock"));
  EXPECT_TRUE(shown("row[t] += other;", "dock"));
  EXPECT_TRUE(shown("16.0", "dock")) << "bytes of shared memory";
  EXPECT_FALSE(shown("Loads", "dock")) << "until the menu of the titles shows it";
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(KernelTabTest, ARefusedSaveIsSaidAndMarkedAtItsLine) {
  show({refused_kernel()});
  EXPECT_TRUE(shown("The last save does not compile, line 30.", "dock"));
  EXPECT_TRUE(shown("The version before it runs on, its counts are shown.", "dock"));
  EXPECT_TRUE(shown("error: expected ',' or ';' before 'for'", "dock"));
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(KernelTabTest, AClickOnAnErrorAndADoubleClickOnALineOpenTheEditorThere) {
  show({refused_kernel()});
  click_text("error: expected", "dock");
  ASSERT_EQ(edited_.size(), 1u);
  EXPECT_EQ(edited_[0].file, "/home/me/race.cu");
  EXPECT_EQ(edited_[0].line, 30);
  click_text("columns(Table", "dock");
  EXPECT_EQ(edited_.size(), 1u) << "one click selects nothing and opens nothing";
  double_click("columns(Table");
  ASSERT_EQ(edited_.size(), 2u);
  EXPECT_EQ(edited_[1].line, 26);
  click_text("Open in editor", "dock");
  ASSERT_EQ(edited_.size(), 3u);
  EXPECT_EQ(edited_[2].line, 30) << "where something is to be done";
  state_.no_editor = "there is no desktop here";
  draw(2);
  click_text("Open in editor", "dock");
  EXPECT_EQ(edited_.size(), 3u);
}

TEST_F(KernelTabTest, WhatIsSavedFirstIsCompiledAndTried) {
  show({new_kernel(KernelFile::Phase::compiling)});
  EXPECT_TRUE(shown("Compiling mine.cu...", "dock"));
  show({new_kernel(KernelFile::Phase::trying)});
  EXPECT_TRUE(shown("Trying mine.cu...", "dock"));
  auto gone = new_kernel(KernelFile::Phase::idle);
  gone.refusal = "the file is gone";
  show({gone});
  EXPECT_TRUE(shown("mine.cu: the file is gone", "dock"));
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(KernelTabTest, TheOneThatIsOpenedOrChosenLastIsShownAndAnotherCanBeChosen) {
  show({example_kernel(), new_kernel(KernelFile::Phase::compiling)});
  EXPECT_TRUE(shown("Compiling mine.cu...", "dock")) << "a new one";
  settings_.cuda_algorithm = "race";
  draw(2);
  EXPECT_TRUE(shown("race.cu is wrong", "dock"));
  show({example_kernel(), new_kernel(KernelFile::Phase::compiling), example_effect()});
  EXPECT_TRUE(shown("tilt.cu runs", "dock"));
  click_text("tilt.cu", "dock/tab");
  choose("mine.cu");
  EXPECT_TRUE(shown("Compiling mine.cu...", "dock"));
}

TEST_F(KernelTabTest, TheTabIsThereWhileAKernelIs) {
  settings_.dock = Dock::frame;
  draw(2);
  EXPECT_TRUE(shown("Kernel", "dock/tabs"));
  show({});
  EXPECT_FALSE(shown("Kernel", "dock/tabs"));
  settings_.dock = Dock::kernel;
  draw(2);
  EXPECT_TRUE(shown("A kernel of your own", "dock")) << "by the palette or a script";
  EXPECT_TRUE(shown("New...", "dock"));
  EXPECT_TRUE(TextCheck::faults().empty());
}

TEST_F(KernelTabTest, ALongFileIsDrawnAsFarAsItIsInSight) {
  auto file = example_kernel();
  file.lines.assign(10'000, "  sum += table(x, y);");
  show({file});
  const auto begin = std::chrono::steady_clock::now();
  draw(20);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << "even where tests are slow";
  EXPECT_TRUE(shown("2", "dock"));
  EXPECT_FALSE(shown("9000", "dock"));
}

TEST_F(KernelTabTest, EveryThemeAndScaleHasTheFontOfItsText) {
  for (const bool asked : {true, false, true})
    for (const auto theme : {Theme::dark, Theme::light})
      for (const auto scale : {0.5f, 1.f, 1.25f, 1.5f, 2.f, 4.f}) {
        apply_theme({scale, theme, asked});
        imgui_.build_fonts();
        auto* face = font(Font::code);
        EXPECT_EQ(face != font(Font::regular), asked) << scale;
        if (asked) {
          EXPECT_EQ(face->GetCharAdvance('i'), face->GetCharAdvance('W')) << scale;
        }
      }
}

// Of any alphabet, or none; cut in the middle of a letter; with what an editor on another system leaves.
TEST_F(KernelTabTest, AnyTextIsDrawn) {
  auto file = example_kernel();
  std::string wide;
  for (int i = 0; i < 3000; ++i) wide += "\u7a4d";
  file.lines = {
      "// \u03a3\u03cd\u03bd\u03bf\u03bb\u03bf \u0441\u0443\u043c\u043c\u0430 \u7a4d\u7b97 \u05e1\u05da \U0001f600 e\u0301",
      "\xff\xfe\xc3( \xed\xa0\x80 \xf4\x90\x80\x80",
      "// " + wide,
      wide,
      "\tint\ttab;\r",
      std::string("a\0b\x1b[31m\x7f", 10),
      ""};
  for (int i = 0; i < 5000; ++i) file.lines.push_back(file.lines[static_cast<std::size_t>(i % 7)] + '\r');
  for (const int messages : {0, 1}) {
    file.refused_lines = messages > 0 ? file.lines : std::vector<std::string>();
    file.refusal = messages > 0 ? "it does not compile" : "";
    file.messages.clear();
    if (messages > 0) file.messages = {{gpu::SourceMessage::Severity::error, file.path, 5, 1, "\u7a4d \xff " + wide}};
    show({file});
    ImGui::GetIO().DisplaySize = {1200, 800};
    draw(3);
    EXPECT_EQ(shown("tab;", "dock"), messages > 0) << "it is below lines that fill the tab, unless it is scrolled to";
    ImGui::GetIO().DisplaySize = {2400, 1000};
    draw(3);
  }
}

// The first error of what was saved comes into sight; who scrolls on afterwards is left alone.
TEST_F(KernelTabTest, WhatHasBecomeWrongIsScrolledTo) {
  auto file = example_kernel();
  file.version = 2;
  file.verdict = {};
  file.verdict.sentence = "right";
  file.lines.assign(2'000, "  sum += table(x, y);");
  show({file});
  EXPECT_FALSE(shown("1500", "dock/tab"));
  file.refused_lines = file.lines;
  file.refusal = "does not compile";
  file.messages = {{gpu::SourceMessage::Severity::error, file.path, 1500, 1, "no such thing"}};
  show({file});
  draw(2);
  EXPECT_TRUE(shown("1500", "dock/tab"));
  EXPECT_TRUE(shown("error: no such thing", "dock")) << texts_of("dock");
}

TEST_F(KernelTabTest, TheListOfAlgorithmsHasThoseThatAreNotReadyAndMakesNewOnes) {
  auto refused = new_kernel(KernelFile::Phase::idle);
  refused.path = "/home/me/broken.cu";
  refused.name = "broken";
  refused.refusal = "does not compile";
  show({new_kernel(KernelFile::Phase::compiling), refused});
  settings_.dock_open = false;
  settings_.cards = true;
  draw(4);
  EXPECT_TRUE(shown("Your kernels", "##Popup"));
  EXPECT_TRUE(shown("compiling...", "##Popup"));
  EXPECT_TRUE(shown("refused", "##Popup"));
  click_text("broken.cu", "##Popup");
  EXPECT_FALSE(settings_.cards);
  EXPECT_TRUE(shows(settings_, Dock::kernel));
  EXPECT_TRUE(shown("broken.cu does not compile", "dock"));
}

TEST_F(KernelTabTest, ANewKernelIsMadeUnderTheNameThatIsTyped) {
  settings_.cards = true;
  draw(4);
  commands_.clear();
  click_text("New...", "##Popup");
  draw(3);
  EXPECT_EQ(click_text("Create", "##Popup"), std::vector{Action::new_kernel});
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].to.extension(), ".cu");
  EXPECT_EQ(commands_[0].text, "");
  state_.no_kernels = "There is no C++ compiler: install g++";
  settings_.cards = true;
  draw(4);
  EXPECT_TRUE(click_text("New...", "##Popup").empty());
  EXPECT_FALSE(shown("Create", "##Popup"));
}

TEST_F(KernelTabTest, EffectsOfTheUsersOwnStandBehindTheOthers) {
  show({example_effect()});
  click_text("Effect", "bar");
  draw(2);
  EXPECT_TRUE(shown("tilt.cu", "##Popup"));
  EXPECT_TRUE(shown("runs", "##Popup"));
  EXPECT_GT(middle_of("tilt.cu", "##Popup").y, middle_of("Faces, blurred", "##Popup").y);
  click_text("New...", "##Popup");
  draw(3);
  commands_.clear();
  click_text("Create", "##Popup");
  ASSERT_EQ(commands_.size(), 1u);
  EXPECT_EQ(commands_[0].text, "effect");
}

}  // namespace
}  // namespace app::ui
