// The file browser under keyboard and mouse: the keys are its own while it is open.
#include <chrono>

#include "app/tests/ui/controls_test.h"

namespace app::ui {
namespace {

class FileBrowserTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    open();
    ASSERT_TRUE(settings_.browse);
    answer("/films/old", {{.name = "zoo", .folder = true},
                          {.name = "alien.mp4", .openable = true},
                          {.name = "brazil.mkv", .openable = true},
                          {.name = "notes.txt"}});
    browsed_.clear();
  }
  void open() {
    imgui::report_control(true);
    imgui::report(KeyCode::o, true);
    draw();
    imgui::report_control(false);
    imgui::report(KeyCode::o, false);
    draw(3);
  }
  void answer(const char* path, std::vector<capture::FolderEntry> entries) {
    state_.browser.folder = {path, std::move(entries), ""};
    ++state_.browser.version;
    draw(2);
  }
};

TEST_F(FileBrowserTest, ArrowsAndEnterOpenAFile) {
  press(KeyCode::down);
  press(KeyCode::down);
  press(KeyCode::up);
  EXPECT_TRUE(press(KeyCode::enter).empty());
  EXPECT_EQ(settings_.source, "/films/old/alien.mp4");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTest, LettersFindANameAndStartNoAction) {
  const auto effect = settings_.effect;
  for (const auto* letter : {"R", "a", "z"}) EXPECT_TRUE(type(letter).empty());
  draw(2);
  EXPECT_FALSE(shown("alien.mp4", "Open a file"));
  EXPECT_EQ(settings_.effect, effect);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
}

TEST_F(FileBrowserTest, EnterGoesIntoAFolderAndBackspaceUpToWhereOneCameFrom) {
  press(KeyCode::enter);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/zoo"});
  answer("/films/old/zoo", {{.name = "ape.png", .openable = true}});
  press(KeyCode::backspace);
  EXPECT_EQ(browsed_.back(), "/films/old");
  answer("/films/old", {{.name = "zoo", .folder = true}});
  press(KeyCode::backspace);
  EXPECT_EQ(browsed_.back(), "/films");
  answer("/films", {{.name = "new", .folder = true}, {.name = "old", .folder = true}});
  browsed_.clear();
  press(KeyCode::enter);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old"}) << "it was selected";
}

// A folder that happens to have an entry of that name, too.
TEST_F(FileBrowserTest, WhereOneCameFromIsForgottenOnTheWayDown) {
  press(KeyCode::backspace);
  answer("/films", {{.name = "new", .folder = true}, {.name = "old", .folder = true}});
  press(KeyCode::up);
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.back(), "/films/new");
  answer("/films/new", {{.name = "first", .folder = true}, {.name = "old", .folder = true}});
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.back(), "/films/new/first");
}

TEST_F(FileBrowserTest, AnotherFolderBeginsAtItsFirstEntry) {
  answer("/films", {{.name = "a", .folder = true}, {.name = "b", .folder = true}, {.name = "c", .folder = true}});
  for (int round = 0; round < 2; ++round) {
    press(KeyCode::down);
    press(KeyCode::down);
    press(KeyCode::enter);
    EXPECT_EQ(browsed_.back(), round == 0 ? "/films/c" : "/films/c/z");
    answer(browsed_.back().c_str(),
           {{.name = "x", .folder = true}, {.name = "y", .folder = true}, {.name = "z", .folder = true}});
  }
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.back(), "/films/c/z/x");
}

TEST_F(FileBrowserTest, WhatCannotBeOpenedIsNotListed) {
  for (int i = 0; i < 10; ++i) press(KeyCode::down);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
}

TEST_F(FileBrowserTest, EscapeClosesItAndNothingElse) {
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
  open();
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old"}) << "it shows the same folder, read anew";
}

TEST_F(FileBrowserTest, AnEmptyFolderHasNothingToOpen) {
  answer("/none", {});
  press(KeyCode::down);
  press(KeyCode::enter);
  EXPECT_TRUE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
}

TEST_F(FileBrowserTest, AClickOpensAFileAndGoesIntoAFolder) {
  click_text("zoo/", "Open a file");
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/zoo"});
  EXPECT_TRUE(settings_.browse);
  click_text("brazil.mkv", "Open a file");
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTest, TheSecondClickOfADoubleClickOpensNothing) {
  const auto at = middle_of("zoo/", "Open a file");
  click(at.x, at.y);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/zoo"});
  answer("/films/old/zoo", {{.name = "ape.mp4", .openable = true}});
  EXPECT_TRUE(TextCheck::place_of("ape.mp4", "Open a file")->Contains(at)) << "it lies there now";
  click(at.x, at.y);
  EXPECT_TRUE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
  rest();
  click(at.x, at.y);
  EXPECT_EQ(settings_.source, "/films/old/zoo/ape.mp4");
}

TEST_F(FileBrowserTest, AllFilesAreShownOnRequest) {
  EXPECT_FALSE(shown("notes.txt", "Open a file"));
  click_text("All files", "Open a file");
  EXPECT_TRUE(shown("notes.txt", "Open a file"));
}

TEST_F(FileBrowserTest, EntriesHaveTheirTimesByWhichTheyAreSorted) {
  constexpr std::time_t day = 24 * 3600, start = 1'700'000'000;
  answer("/films", {{.name = "a.mp4", .openable = true, .changed = start},
                    {.name = "b.mp4", .openable = true, .changed = start + day},
                    {.name = "new", .folder = true, .changed = start}});
  EXPECT_TRUE(shown(time_text(start + day, "%Y-%m-%d %H:%M"), "Open a file"));
  EXPECT_LT(middle_of("a.mp4", "Open a file").y, middle_of("b.mp4", "Open a file").y);
  click_text("Latest first", "Open a file");
  EXPECT_LT(middle_of("b.mp4", "Open a file").y, middle_of("a.mp4", "Open a file").y);
  EXPECT_LT(middle_of("new/", "Open a file").y, middle_of("b.mp4", "Open a file").y) << "folders stay first";
}

TEST_F(FileBrowserTest, NamesAreShownWholeAndOnOneLine) {
  answer("/odd", {{.name = "a##1.png", .openable = true}, {.name = "two\nlines.png", .openable = true}});
  EXPECT_TRUE(shown("a##1.png", "Open a file"));
  EXPECT_TRUE(shown("two lines.png", "Open a file"));
  state_.browser.places = {{"a##1", "/home/a##1"}, {"a##2", "/home/a##2"}};
  answer("/a\nb##1", {});
  EXPECT_TRUE(shown("a##1", "Open a file"));
  EXPECT_TRUE(shown("/a b##1", "Open a file"));
  click_text("a##2", "Open a file");
  EXPECT_EQ(browsed_.back(), "/home/a##2");
}

TEST_F(FileBrowserTest, TheFileOfAParameterIsNamedWhole) {
  settings_.browse = false;
  settings_.effect = "faces";
  settings_.effect_values["faces"]["cascade"] = "/x/my##1.xml";
  draw(3);
  open_parameters();
  EXPECT_TRUE(shown("my##1.xml", "##Popup"));
}

TEST_F(FileBrowserTest, PlacesUpAndThePathGoToFolders) {
  state_.browser.places = {{"Home", "/home/me"}};
  draw(2);
  click_text("Home", "Open a file");
  EXPECT_EQ(browsed_.back(), "/home/me");
  click_text("Up", "Open a file");
  EXPECT_EQ(browsed_.back(), "/films");
  type("/films/new");
  draw(2);
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.back(), "/films/new");
  EXPECT_TRUE(settings_.browse) << "Enter was the path's";
}

TEST_F(FileBrowserTest, TheFileThatPlaysIsReopened) {
  settings_.source = "/films/old/alien.mp4";
  press(KeyCode::down);
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
  EXPECT_FALSE(settings_.browse);
}

// It shows cascades then, and goes back to sources.
TEST_F(FileBrowserTest, AFileIsChosenForAParameter) {
  press(KeyCode::escape);
  settings_.effect = "faces";
  draw(2);
  open_parameters();
  click_control("Cascade");
  choose("Browse...");
  ASSERT_TRUE(settings_.browse);
  answer("/films/old", {{.name = "alien.mp4", .openable = true}, {.name = "mine.xml"}});
  EXPECT_FALSE(shown("alien.mp4", "Choose a cascade"));
  click_text("mine.xml", "Choose a cascade");
  EXPECT_FALSE(settings_.browse);
  EXPECT_EQ(settings_.effect_values["faces"]["cascade"], "/films/old/mine.xml");
  EXPECT_EQ(settings_.source, "lobby.mp4");
  open();
  EXPECT_TRUE(shown("alien.mp4", "Open a file"));
  EXPECT_FALSE(shown("mine.xml", "Open a file"));
}

TEST_F(FileBrowserTest, AfterAWrongPathTheArrowsChooseFromTheFolderThatIsShown) {
  type("/films/old/nosuch/");
  press(KeyCode::enter);
  state_.browser.folder.problem = "/films/old/nosuch cannot be read";
  draw(3);
  press(KeyCode::down);
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.size(), 1u);
  EXPECT_EQ(settings_.source, "/films/old/alien.mp4");
}

TEST_F(FileBrowserTest, PagesGoToTheFirstAndTheLast) {
  press(KeyCode::page_down);
  press(KeyCode::page_up);
  press(KeyCode::enter);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/zoo"});
  draw(3);
  press(KeyCode::page_down);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
}

TEST_F(FileBrowserTest, TheDesktopsDialogIsAskedWhereThereIsOne) {
  press(KeyCode::escape);
  state_.browser.by_desktop = true;
  open();
  EXPECT_FALSE(settings_.browse);
  EXPECT_EQ(asked_, std::vector<std::string>{""});
  settings_.effect = "faces";
  draw(2);
  open_parameters();
  click_control("Cascade");
  choose("Browse...");
  EXPECT_FALSE(settings_.browse);
  EXPECT_EQ(asked_.back(), "faces.cascade");
}

// In place of a desktop's dialog that failed.
TEST_F(FileBrowserTest, ItCanBeOpenedForACascadeFromOutside) {
  press(KeyCode::escape);
  panels_.browse_next_for("faces.cascade");
  settings_.browse = true;
  answer("/cascades", {{.name = "cat.xml"}, {.name = "dog.png", .openable = true}});
  draw(3);
  EXPECT_TRUE(shown("cat.xml", "Choose a cascade"));
  EXPECT_FALSE(shown("dog.png", "Choose a cascade"));
  press(KeyCode::escape);
  open();
  EXPECT_TRUE(shown("dog.png", "Open a file")) << "the next one is for a source";
}

class FileBrowserTypedPathTest : public FileBrowserTest {
 protected:
  void type_path(std::string_view path) {
    draw(3);
    for (int i = 0; i < 40; ++i) press(KeyCode::backspace);
    browsed_.clear();  // the folder above: the line was empty
    type(path);
    draw(2);
    EXPECT_TRUE(press(KeyCode::enter).empty());
  }
  void answer_with_file(const char* path, const char* file) {
    state_.browser.folder = {path, {{.name = file, .openable = true}}, "", file};
    ++state_.browser.version;
    draw(2);
  }
};

TEST_F(FileBrowserTypedPathTest, ATypedFileIsOpenedOnceItIsKnownToBeOne) {
  type_path("./alien.mp4");
  ASSERT_EQ(browsed_, std::vector<std::string>{"/films/old/./alien.mp4"}) << "relative to the folder shown";
  EXPECT_TRUE(settings_.browse);
  answer_with_file("/films/old", "alien.mp4");
  EXPECT_EQ(settings_.source, "/films/old/alien.mp4");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTypedPathTest, APathThatWasWrongStaysToBeCorrected) {
  type_path("../none");
  state_.browser.folder = {"/films", {}, "/films/none cannot be read: No such file or directory"};
  ++state_.browser.version;
  draw(3);
  EXPECT_TRUE(shown("/films/old/../none", "Open a file"));
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  browsed_.clear();
  press(KeyCode::enter);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/../none"})
      << "as it was meant, although the folder is another one";
}

TEST_F(FileBrowserTypedPathTest, WholePathsAndTheHomeFolderStayAsTheyAre) {
  type_path("/films/new");
  EXPECT_EQ(browsed_.back(), "/films/new");
  type_path("~/films");
  EXPECT_EQ(browsed_.back(), "~/films");
}

TEST_F(FileBrowserTypedPathTest, QuotesAndUrlsAreTakenOffAsTerminalsAndFileManagersCopyThem) {
  type_path("'/films/a b' ");
  EXPECT_EQ(browsed_.back(), "/films/a b");
  type_path("\"file:///films/a%20b\"");
  EXPECT_EQ(browsed_.back(), "/films/a b");
}

TEST_F(FileBrowserTypedPathTest, AFileThatWasTypedBeforeTheBrowserWasClosedIsNotOpenedLater) {
  type_path("./alien.mp4");
  press(KeyCode::escape);
  ASSERT_FALSE(settings_.browse);
  answer_with_file("/films/old", "alien.mp4");
  open();
  EXPECT_TRUE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
}

// Relative to a small folder, so that it does not matter how fast the machine is.
TEST_F(FileBrowserTest, ALargeFolderIsDrawnAsFastAsASmallOne) {
  const auto drawn_in = [&](int files) {
    std::vector<capture::FolderEntry> entries;
    for (int i = 0; i < files; ++i) entries.push_back({.name = "film " + std::to_string(i) + ".mp4", .openable = true});
    answer("/films", std::move(entries));
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      draw();
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
    }
    return std::chrono::duration<double>(best).count();
  };
  const auto small = drawn_in(100);
  EXPECT_LT(drawn_in(20'000), 10 * small);
  for (int i = 0; i < 30; ++i) press(KeyCode::page_down);  // far below what is in view
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/film 300.mp4");
}

}  // namespace
}  // namespace app::ui
