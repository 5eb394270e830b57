#include "app/control/key_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "app/control/imgui_keys.h"

namespace app {
namespace {

using gpu::Device;

TEST(KeysTest, no_key_does_two_things_and_every_action_has_one) {
  std::set<std::pair<char, NamedKey>> seen;
  std::set<Action> found{Action::pause, Action::resume, Action::record, Action::stop_record};  // scripts' alone: keys toggle
  for (const auto& key : keys()) {
    EXPECT_TRUE((key.character != 0) != (key.named != NamedKey::none)) << label(key);
    EXPECT_TRUE(seen.insert({key.character, key.named}).second) << label(key);
    EXPECT_FALSE(key.description.empty()) << label(key);
    found.insert(key.action);
  }
  for (const auto& entry : actions()) EXPECT_TRUE(found.contains(entry.action)) << entry.name;
}

TEST(KeysTest, keys_are_named_as_on_the_keyboard) {
  EXPECT_EQ(labels(Action::toggle_pause), "Space");
  EXPECT_EQ(labels(Action::next_effect), "E");
  EXPECT_EQ(labels(Action::previous_effect), "Shift+E");
  EXPECT_EQ(labels(Action::toggle_help), "H, F1");
  EXPECT_EQ(labels(Action::next_algorithm), "], Page down");
}

// The README's list, a line for each action of a group, in the table's order.
std::vector<std::string> readme_lines() {
  std::vector<std::string> lines;
  for (const auto& key : keys()) {
    std::string caps;
    for (const auto& other : keys())
      if (other.action == key.action && other.description == key.description)
        caps += (caps.empty() ? "`" : ", `") + label(other) + "`";
    const auto line = "| " + caps + " | " + std::string(key.description) + " |";
    if (lines.empty() || lines.back() != line) lines.push_back(line);
  }
  return lines;
}

TEST(KeysTest, the_readme_lists_them) {
  std::ifstream file("README.md");
  if (!file) GTEST_SKIP() << "there is no README.md in the working directory";
  std::stringstream readme;
  readme << file.rdbuf();
  std::string all = "The README's list is:\n";
  for (const auto& line : readme_lines()) all += line + '\n';
  for (const auto& line : readme_lines()) EXPECT_NE(readme.str().find(line), std::string::npos) << line << "\n\n" << all;
}

// What is pressed is read from ImGui's input, as the window's callbacks fill it.
class PressedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ImGui::CreateContext();
    io().IniFilename = nullptr;
    io().DisplaySize = {100, 100};
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io().Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    imgui::prepare_reports();
    next_frame();
  }
  void TearDown() override { ImGui::DestroyContext(); }
  ImGuiIO& io() { return ImGui::GetIO(); }
  void next_frame() {
    ImGui::NewFrame();
    in_frame_ = true;
  }
  void end_frame() {
    if (in_frame_) ImGui::EndFrame();
    in_frame_ = false;
  }
  // What comes between two frames is seen in the next.
  void press(imgui::KeyCode key) {
    end_frame();
    imgui::report(key, true);
  }
  void type(unsigned character) {
    end_frame();
    io().AddInputCharacter(character);
  }

 private:
  bool in_frame_ = false;
};

TEST_F(PressedTest, nothing_on_a_quiet_keyboard) { EXPECT_TRUE(pressed(io()).empty()); }

TEST_F(PressedTest, characters_and_named_keys_in_order) {
  type('e');
  type('E');
  type(']');
  press(imgui::KeyCode::tab);
  next_frame();
  EXPECT_EQ(pressed(io()),
            (std::vector{Action::next_effect, Action::previous_effect, Action::next_algorithm, Action::toggle_panels}));
}

TEST_F(PressedTest, every_named_key) {
  const std::vector<std::pair<imgui::KeyCode, Action>> keys = {
      {imgui::KeyCode::tab, Action::toggle_panels},        {imgui::KeyCode::escape, Action::quit},
      {imgui::KeyCode::f1, Action::toggle_help},           {imgui::KeyCode::page_up, Action::previous_algorithm},
      {imgui::KeyCode::page_down, Action::next_algorithm}, {imgui::KeyCode::home, Action::fit}};
  for (const auto& [key, action] : keys) {
    press(key);
    next_frame();
    EXPECT_EQ(pressed(io()), std::vector{action});
  }
}

TEST_F(PressedTest, a_key_held_down_acts_once) {
  press(imgui::KeyCode::tab);
  next_frame();
  ASSERT_EQ(pressed(io()).size(), 1u);
  for (int i = 0; i < 100; ++i) {  // longer than it takes a key to repeat
    end_frame();
    next_frame();
    EXPECT_TRUE(pressed(io()).empty());
  }
}

TEST_F(PressedTest, text_being_typed_is_no_command) {
  type('q');
  press(imgui::KeyCode::escape);
  next_frame();
  io().WantTextInput = true;
  EXPECT_TRUE(pressed(io()).empty());
}

TEST_F(PressedTest, the_desktops_keys_and_foreign_letters_are_left_alone) {
  press(imgui::KeyCode::tab);
  type(0x161);  // s with caron: not s
  type(0x171);  // would be q, were it cut to 8 bits
  next_frame();
  io().KeyAlt = true;
  EXPECT_TRUE(pressed(io()).empty());
}

TEST(HighguiKeysTest, the_same_table) {
  EXPECT_EQ(from_highgui(-1), std::nullopt);
  EXPECT_EQ(from_highgui('e'), Action::next_effect);
  EXPECT_EQ(from_highgui('E'), Action::previous_effect);
  EXPECT_EQ(from_highgui(0x10000 | 'E'), Action::previous_effect);  // GTK adds the state of Shift
  EXPECT_EQ(from_highgui(0x100000 | ' '), Action::toggle_pause);    // and of Num lock
  EXPECT_EQ(from_highgui(27), Action::quit);
  EXPECT_EQ(from_highgui(9), Action::toggle_panels);
  EXPECT_EQ(from_highgui(0xff55), Action::previous_algorithm);  // X11's Page up
  EXPECT_EQ(from_highgui(0x1000017), Action::next_algorithm);   // Qt's Page down
  EXPECT_EQ(from_highgui(0xffe1), std::nullopt);                // Shift alone
  EXPECT_EQ(from_highgui('j'), std::nullopt);
}

// Its window has neither a view that zooms nor a swap that waits; whoever presses those keys is not kept waiting for
// something to happen.
TEST(HighguiKeysTest, the_help_lists_exactly_the_keys_that_do_something) {
  std::string help, caps = ", ";
  for (const auto& line : highgui_help()) {
    help += line + '\n';
    caps += line.substr(0, line.find("  ")) + ", ";
  }
  for (const auto& key : keys()) {
    const bool listed = caps.find(", " + label(key) + ", ") != caps.npos;
    const auto code = key.named == NamedKey::home ? 0xff50 : key.character;
    if (key.named != NamedKey::none && key.named != NamedKey::home) continue;
    EXPECT_EQ(listed, from_highgui(code).has_value()) << label(key) << " in\n" << help;
  }
  for (const auto code : {'f', '1', '+', '=', '-', 'v', char(0x50)}) EXPECT_EQ(from_highgui(code), std::nullopt) << code;
  EXPECT_EQ(from_highgui(0x1000010), std::nullopt);  // Qt's Home
  EXPECT_NE(help.find("], Page down  Next algorithm\n"), help.npos) << help;
  EXPECT_NE(help.find("Q, Esc  Quit\n"), help.npos) << help;
  EXPECT_EQ(help.find("oom"), help.npos) << help;
  EXPECT_EQ(help.find("list"), help.npos) << help;
}

}  // namespace
}  // namespace app
