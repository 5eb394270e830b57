// The file browser under keyboard and mouse: the keys are its own while it is open.
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
                          {.name = "alien.mp4", .openable = true, .bytes = 30},
                          {.name = "brazil.mkv", .openable = true, .bytes = 10},
                          {.name = "notes.txt", .bytes = 20}});
    browsed_.clear();
  }
  void open() {
    ImGui::GetIO().KeyCtrl = true;
    imgui::report(KeyCode::o, true);
    draw();
    ImGui::GetIO().KeyCtrl = false;
    imgui::report(KeyCode::o, false);
    draw();
  }
  void answer(const char* path, std::vector<capture::FolderEntry> entries) {
    state_.browser.folder = {path, std::move(entries), ""};
    ++state_.browser.version;
    draw(2);
  }
};

TEST_F(FileBrowserTest, arrows_and_enter_open_a_file) {
  press(KeyCode::down);
  press(KeyCode::down);
  press(KeyCode::up);
  EXPECT_TRUE(press(KeyCode::enter).empty());
  EXPECT_EQ(settings_.source, "/films/old/alien.mp4");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTest, letters_go_to_a_name_and_start_no_action) {
  const auto effect = settings_.effect;
  EXPECT_TRUE(type("b").empty());
  EXPECT_TRUE(type("r").empty());
  EXPECT_TRUE(type("e").empty());  // no name begins with bre
  EXPECT_EQ(settings_.effect, effect);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
}

TEST_F(FileBrowserTest, enter_goes_into_a_folder_and_backspace_up_to_where_one_came_from) {
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

TEST_F(FileBrowserTest, what_cannot_be_opened_is_not_listed) {
  for (int i = 0; i < 10; ++i) press(KeyCode::down);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
}

TEST_F(FileBrowserTest, escape_closes_it_and_nothing_else) {
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
  open();
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old"}) << "it shows the same folder, read anew";
}

TEST_F(FileBrowserTest, an_empty_folder_has_nothing_to_open) {
  answer("/none", {});
  press(KeyCode::down);
  press(KeyCode::enter);
  EXPECT_TRUE(settings_.browse);
  EXPECT_EQ(settings_.source, "lobby.mp4");
}

TEST_F(FileBrowserTest, a_click_selects_and_a_double_click_opens) {
  click_text("brazil.mkv", "browse");
  EXPECT_EQ(settings_.source, "lobby.mp4");
  const auto at = middle_of("brazil.mkv", "browse");
  click(at.x, at.y);
  click(at.x, at.y);
  EXPECT_EQ(settings_.source, "/films/old/brazil.mkv");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTest, a_double_click_on_a_folder_goes_into_it) {
  const auto at = middle_of("zoo/", "browse");
  click(at.x, at.y);
  click(at.x, at.y);
  EXPECT_EQ(browsed_, std::vector<std::string>{"/films/old/zoo"});
  EXPECT_TRUE(settings_.browse);
}

TEST_F(FileBrowserTest, open_and_cancel) {
  click_text("alien.mp4", "browse");
  click_text("Open", "browse");
  EXPECT_EQ(settings_.source, "/films/old/alien.mp4");
  open();
  click_text("Cancel", "browse");
  EXPECT_FALSE(settings_.browse);
}

TEST_F(FileBrowserTest, a_click_on_a_title_sorts_and_another_one_reverses) {
  const auto y = [](const char* name) { return middle_of(name, "browse").y; };
  EXPECT_LT(y("alien.mp4"), y("brazil.mkv"));
  click_text("Size", "browse");
  EXPECT_GT(y("alien.mp4"), y("brazil.mkv"));
  click_text("Size", "browse");
  EXPECT_LT(y("alien.mp4"), y("brazil.mkv"));
  EXPECT_LT(y("zoo/"), y("alien.mp4")) << "folders stay first";
}

TEST_F(FileBrowserTest, all_files_are_shown_on_request) {
  EXPECT_FALSE(shown("notes.txt", "browse"));
  click_text("All files", "browse");
  EXPECT_TRUE(shown("notes.txt", "browse"));
}

TEST_F(FileBrowserTest, places_up_and_the_path_go_to_folders) {
  state_.browser.places = {{"Home", "/home/me"}};
  draw(2);
  click_text("Home", "browse");
  EXPECT_EQ(browsed_.back(), "/home/me");
  click_text("Up", "browse");
  EXPECT_EQ(browsed_.back(), "/films");
  const auto path = middle_of("/films/old", "browse");
  click(path.x + 200, path.y);  // behind its end
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (int i = 0; i < 3; ++i) press(KeyCode::backspace);
  type("new");
  press(KeyCode::enter);
  EXPECT_EQ(browsed_.back(), "/films/new");
  EXPECT_TRUE(settings_.browse) << "Enter was the path's";
}

}  // namespace
}  // namespace app::ui
