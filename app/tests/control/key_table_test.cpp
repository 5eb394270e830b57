#include "app/control/key_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "app/control/imgui_keys.h"
#include "app/tests/support/windowless_imgui.h"

namespace app {
namespace {

using Commands = std::vector<Command>;
using imgui::KeyCode;

TEST(KeyTableTest, KeysAreUniqueAndEveryCommandHasOneUnlessAKeyTogglesIt) {
  std::set<std::string> in_window, in_highgui;
  // What takes something has no key of its own; keys toggle; exports are in a menu; hints in the palette; what is seldom done has a button; Escape
  // clears the frames; the other form of a matrix is beside it.
  Commands found{Action::pause,         Action::resume,           Action::record,         Action::stop_record,
                 Action::save_matrix,   Action::save_wrong_frame, Action::export_timings, Action::export_csv,
                 Action::export_frames, Action::export_timeline,  Action::export_trace,   Action::start_race,
                 Action::stop_race,     Action::export_race,      Action::clear_frames,   Action::reset_everything,
                 Action::show_hints,    Action::start_study,      Action::stop_study,     Action::export_study,
                 Action::save_table,    Action::record_clip,      Action::new_kernel,     Action::edit_kernel,
                 "toggle matrix_editor"};
  for (const auto& key : keys()) {
    const auto name = label(key.press);
    EXPECT_TRUE((key.press.character != 0) != (key.press.named != KeyCode{})) << name;
    EXPECT_TRUE(key.where == Key::Where::highgui || in_window.insert(name).second) << name;
    EXPECT_TRUE(key.where == Key::Where::window || in_highgui.insert(name).second) << name;
    EXPECT_FALSE(key.description.empty()) << name;
    EXPECT_FALSE(info(key.command).group.empty()) << name;
    found.push_back(key.command);
  }
  for (const auto& entry : actions())
    EXPECT_TRUE(!entry.takes.empty() || std::ranges::count(found, command_of(entry)) > 0) << entry.name;
}

TEST(KeyTableTest, KeysAreNamedAsOnTheKeyboard) {
  EXPECT_EQ(labels(Action::toggle_pause), "Space, P");
  EXPECT_EQ(labels("cycle effect"), "E");
  EXPECT_EQ(labels("cycle effect back"), "Shift+E");
  EXPECT_EQ(labels("toggle help"), "H, ?, F1");
  EXPECT_EQ(labels("cycle algorithm"), "Page down");
  EXPECT_EQ(labels("seek -1"), "Shift+Left");
  EXPECT_EQ(labels(Action::quit), "Q, Ctrl+Q");
  EXPECT_EQ(labels(Action::close), "Esc");
}

TEST(KeyTableTest, TheUsersKeysReplaceThoseOfTheTable) {
  const OwnKeys own{{"Ctrl+R", "toggle_record"}, {"E", "seek -2.5"}, {"F1", "toggle pause"}};
  EXPECT_EQ(labels(Action::toggle_record, own), "R, Ctrl+R");
  EXPECT_EQ(labels("cycle effect", own), "");
  EXPECT_EQ(labels("toggle help", own), "H, ?");
  EXPECT_EQ(labels(Action::seek, own), "");
}

TEST(KeyTableTest, LabelsAreReadAsTheyAreWritten) {
  for (const auto& key : keys()) {
    if (key.command == Action::close) continue;
    EXPECT_EQ(parse_key(label(key.press)), key.press) << label(key.press);
  }
  EXPECT_EQ(label(parse_key("ctrl+shift+z")), "Ctrl+Shift+Z");
  EXPECT_EQ(label(parse_key("page UP")), "Page up");
  for (int i = 1; i <= 12; ++i) {
    EXPECT_EQ(label(parse_key("f" + std::to_string(i))), "F" + std::to_string(i));
  }
  EXPECT_EQ(parse_key("F11").named, KeyCode::f11);
  EXPECT_EQ(label(parse_key("r")), "R");
  EXPECT_EQ(parse_key("shift+r").character, 'R');
  EXPECT_EQ(parse_key("space").character, ' ');
  for (const char* wrong : {"", "Ctrl+", "Ctrl+Left", "Ctrl+!", "Shift+1", "Escape", "Esc", "F13", "\xc3\xa9", "ab"})
    EXPECT_THROW(parse_key(wrong), std::invalid_argument) << wrong;
}

// Pressed keys are read from ImGui's input, as the window's callbacks fill it.
class KeyTablePressedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    imgui::prepare_reports();
    next_frame();
  }
  ImGuiIO& io() { return ImGui::GetIO(); }
  void next_frame() {
    ImGui::NewFrame();
    in_frame_ = true;
  }
  void end_frame() {
    if (in_frame_) ImGui::EndFrame();
    in_frame_ = false;
  }
  // A key pressed between two frames is seen in the second.
  void press(KeyCode key) {
    end_frame();
    imgui::report(key, true);
  }
  void type(unsigned character) {
    end_frame();
    io().AddInputCharacter(character);
  }

 private:
  WindowlessImGui imgui_{{100, 100}};
  bool in_frame_ = false;
};

TEST_F(KeyTablePressedTest, CharactersAndKeyCodesInOrder) {
  EXPECT_TRUE(pressed(io()).empty()) << "no key is pressed";
  type('e');
  type('E');
  type(']');
  press(KeyCode::tab);
  next_frame();
  EXPECT_EQ(pressed(io()), (Commands{"cycle effect", "cycle effect back", "multiply speed 1.1", "toggle panels"}));
}

TEST_F(KeyTablePressedTest, EveryKeyWithShiftAndControlWhereTheyHaveAMeaning) {
  using enum KeyCode;
  const struct {
    bool control, shift;
    KeyCode key;
    Command command;
  } keys[] = {{false, false, tab, "toggle panels"},
              {false, false, escape, Action::close},
              {false, false, f1, "toggle help"},
              {false, false, f11, "toggle fullscreen"},
              {false, false, page_up, "cycle algorithm back"},
              {false, false, page_down, "cycle algorithm"},
              {false, false, home, Action::fit},
              {false, false, left, "seek -5"},
              {false, false, right, "seek +5"},
              {false, false, down, "seek -60"},
              {false, false, up, "seek +60"},
              {false, false, backspace, "reset speed"},
              {false, true, left, "seek -1"},
              {false, true, right, "seek +1"},
              {false, true, up, "seek +60"},
              {true, false, equal, Action::ui_larger},
              {true, false, pad_add, Action::ui_larger},
              {true, false, minus, Action::ui_smaller},
              {true, false, q, Action::quit},
              {true, false, s, Action::save_picture},
              {true, false, zero, "reset ui_scale"},
              {true, true, z, Action::redo},
              {true, true, s, Action::save_picture}};
  for (const auto& [control, shift, key, command] : keys) {
    press(key);
    next_frame();
    if (control) {
      EXPECT_TRUE(pressed(io()).empty()) << "a character follows, which counts";
    }
    io().KeyCtrl = control;
    io().KeyShift = shift;
    EXPECT_EQ(pressed(io()), Commands{command});
    io().KeyCtrl = io().KeyShift = false;  // as at the beginning of the frame
    imgui::report(key, false);
    end_frame();
    next_frame();
  }
}

TEST_F(KeyTablePressedTest, KeyCodesWithControlAltOrSuperAreTheDesktops) {
  for (bool ImGuiIO::*const held : {&ImGuiIO::KeyCtrl, &ImGuiIO::KeyAlt, &ImGuiIO::KeySuper})
    for (const auto key : {KeyCode::tab, KeyCode::f11, KeyCode::left}) {
      press(key);
      next_frame();
      io().*held = true;
      EXPECT_TRUE(pressed(io()).empty());
      io().*held = false;
      EXPECT_EQ(pressed(io()).size(), 1u);
      imgui::report(key, false);
      end_frame();
      next_frame();
    }
}

TEST_F(KeyTablePressedTest, SoAreThoseWithControlAndAnotherOfThem) {
  for (bool ImGuiIO::*const held : {&ImGuiIO::KeyAlt, &ImGuiIO::KeySuper}) {
    press(KeyCode::s);
    next_frame();
    io().KeyCtrl = io().*held = true;
    EXPECT_TRUE(pressed(io()).empty());
    io().*held = false;
    EXPECT_EQ(pressed(io()), std::vector<Command>{Action::save_picture});
    io().KeyCtrl = false;
    imgui::report(KeyCode::s, false);
    end_frame();
    next_frame();
  }
}

TEST_F(KeyTablePressedTest, TheUsersKeysReplaceThoseOfTheTable) {
  const OwnKeys own{{"E", "seek -2.5"}, {"Ctrl+R", "set effect haar"}, {"Shift+Left", "step -10"}, {"F5", "race"}};
  type('e');
  type('E');
  press(KeyCode::f5);
  next_frame();
  auto commands = pressed(io(), own);
  ASSERT_EQ(commands.size(), 3u);
  EXPECT_EQ(commands[0], parse_command("seek -2.5"));
  EXPECT_EQ(commands[1], Command("cycle effect back")) << "another key";
  EXPECT_EQ(commands[2].action, Action::start_race);
  press(KeyCode::left);
  next_frame();
  io().KeyShift = true;
  EXPECT_EQ(pressed(io(), own), std::vector{parse_command("step -10")});
  io().KeyShift = false;
  EXPECT_EQ(from_highgui('e', own), parse_command("seek -2.5"));
}

TEST_F(KeyTablePressedTest, AKeyHeldDownActsOnceAndAnArrowAgain) {
  for (const auto key : {KeyCode::tab, KeyCode::right}) {
    press(key);
    next_frame();
    ASSERT_EQ(pressed(io()).size(), 1u);
    std::size_t more = 0;
    for (int i = 0; i < 100; ++i) {  // longer than it takes a key to repeat
      end_frame();
      next_frame();
      more += pressed(io()).size();
    }
    EXPECT_TRUE(key == KeyCode::tab ? more == 0 : more > 5) << more;
    imgui::report(key, false);
    end_frame();
    next_frame();
  }
}

TEST_F(KeyTablePressedTest, WhatAPanelOrAFieldUsesItselfStartsNoAction) {
  constexpr KeyCode taken[] = {KeyCode::down};
  type('e');
  press(KeyCode::down);
  next_frame();
  EXPECT_EQ(pressed(io(), {}, taken), Commands{"cycle effect"});
  type('q');
  press(KeyCode::escape);
  next_frame();
  io().WantTextInput = true;
  EXPECT_TRUE(pressed(io()).empty());
}

TEST_F(KeyTablePressedTest, KeysOfTheDesktopAndLettersBeyondAsciiAreIgnored) {
  press(KeyCode::tab);
  type(0x161);  // s with caron: not s
  type(0x171);  // truncated to 8 bits it would be q
  next_frame();
  io().KeyAlt = true;
  EXPECT_TRUE(pressed(io()).empty());
}

TEST(KeyTableHighguiTest, TheSameTable) {
  for (const int none : {-1, 0xffe1, int{'j'}}) EXPECT_EQ(from_highgui(none), std::nullopt) << none;  // 0xffe1: Shift alone
  // GTK adds the state of Shift and of Num lock; X11's Page up; Qt's Page down.
  const std::pair<int, Command> codes[] = {{'e', "cycle effect"},
                                           {'E', "cycle effect back"},
                                           {0x10000 | 'E', "cycle effect back"},
                                           {0x100000 | ' ', Action::toggle_pause},
                                           {27, Action::close},
                                           {9, "toggle panels"},
                                           {'x', Action::export_timings},
                                           {0xff55, "cycle algorithm back"},
                                           {0x10ff55, "cycle algorithm back"},
                                           {0x1000017, "cycle algorithm"}};
  for (const auto& [code, command] : codes) EXPECT_EQ(from_highgui(code), command) << code;
}

// highgui's window has no zoom and no vsync, so its help must not list keys for them.
TEST(KeyTableHighguiTest, TheHelpListsExactlyTheKeysThatDoSomething) {
  std::string help, caps = ", ";
  for (const auto& line : highgui_help()) {
    help += line + '\n';
    caps += line.substr(0, line.find('\t')) + ", ";
  }
  for (const auto& key : keys()) {
    const auto& press = key.press;
    if (press.control || press.shift) continue;  // none of them is listed: see below
    const bool listed = caps.find(", " + label(press) + ", ") != caps.npos;
    const auto code = press.named == KeyCode::home ? 0xff50 : press.character;
    if (press.named != KeyCode{} && press.named != KeyCode::home) continue;
    EXPECT_EQ(listed, from_highgui(code).has_value()) << label(press) << " in\n" << help;
  }
  for (const auto code : {'f', 'w', 'i', '1', '+', '=', '-', 'v'}) EXPECT_EQ(from_highgui(code), std::nullopt) << code;
  EXPECT_EQ(from_highgui(0x1000010), std::nullopt);  // Qt's Home
  EXPECT_NE(help.find("Page down\tNext algorithm\n"), help.npos) << help;
  EXPECT_NE(help.find("Q\tQuit\n"), help.npos) << help;
  EXPECT_NE(help.find("Esc\tClose the help\n"), help.npos) << help;
  EXPECT_NE(help.find("X\tSave the timings\n"), help.npos) << help;
  EXPECT_EQ(help.find("Ctrl"), help.npos) << help;
  EXPECT_EQ(help.find("Shift+Left"), help.npos) << help;
  EXPECT_EQ(help.find("oom"), help.npos) << help;
  EXPECT_EQ(help.find("list"), help.npos) << help;
}

}  // namespace
}  // namespace app
