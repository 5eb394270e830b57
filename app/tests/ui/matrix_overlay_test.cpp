// A matrix source is edited by mouse and keyboard.
#include <imgui_internal.h>

#include "app/tests/ui/controls_test.h"
#include "app/tests/ui/matrix_example.h"
#include "app/ui/matrix_overlay.h"

namespace app::ui {
namespace {

class MatrixOverlayTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    show_matrix(state_);
    settings_.source = "matrix:3x2";
    draw(3);
  }
  void enter(std::string_view number, KeyCode key) {
    EXPECT_TRUE(type(number).empty()) << "numbers start no actions";
    EXPECT_TRUE(press(key).empty());
    draw(2);
  }
};

// The first number is there to be replaced at once; until then all other characters are shortcuts.
TEST_F(MatrixOverlayTest, TheFirstNumberIsReplacedByWhatIsTyped) {
  EXPECT_TRUE(shown("Type a number in place of the first", "matrix"));
  const auto effect = settings_.effect;
  type("e");
  EXPECT_NE(settings_.effect, effect) << "a letter is a shortcut";
  enter("10", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "10,12,13;21,22,27");
  const auto now = settings_.effect;
  type("e");
  EXPECT_EQ(settings_.effect, now) << "now a number is selected";
  enter("9", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "10,12,13;9,22,27") << "and the next one is replaced";
}

TEST_F(MatrixOverlayTest, AClickedNumberIsReplacedAndEnterGoesOnBelow) {
  click_text("12", "matrix");
  enter("10", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "11,10,13;21,22,27");
  EXPECT_EQ(settings_.zoom, 0) << "1 was the number's";
  enter("9", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "11,10,13;21,9,27");
}

TEST_F(MatrixOverlayTest, LettersAreNoShortcutsWhileANumberIsSelected) {
  click_text("12", "matrix");
  const auto before = settings_;
  EXPECT_TRUE(type("abcEM").empty());
  EXPECT_EQ(settings_, before);
  EXPECT_FALSE(shown("Enter accepts", "matrix")) << "nor do they begin to edit";
  enter("5", KeyCode::enter);
  EXPECT_TRUE(type("e").empty());
  EXPECT_EQ(settings_.effect, before.effect) << "Enter selected the next one";
  for (const char* text : {"/", ",", ".", "{", "}", "[", "]", "=", "?", " "}) EXPECT_TRUE(type(text).empty()) << text;
  for (const auto key : {KeyCode::backspace, KeyCode::del}) EXPECT_TRUE(press(key).empty());
  auto expected = before;
  expected.matrix = settings_.matrix;
  EXPECT_EQ(settings_, expected) << "nor is any other character";
  press(KeyCode::escape);
  type("e");
  EXPECT_NE(settings_.effect, before.effect) << "no number is selected";
}

// As often as a number is selected, the line below names the keys that work then.
TEST_F(MatrixOverlayTest, TheLineBelowNamesTheKeysThatWork) {
  const auto *moves = "the arrows move on, Esc ends", *accepts = "Enter accepts";
  EXPECT_FALSE(shown(moves, "matrix"));
  click_text("12", "matrix");
  EXPECT_TRUE(shown(moves, "matrix"));
  press(KeyCode::f1);
  EXPECT_TRUE(settings_.help);
  press(KeyCode::f1);
  click_text("13", "matrix");
  type("5");
  draw();
  EXPECT_TRUE(shown(accepts, "matrix"));
  press(KeyCode::f1);
  EXPECT_FALSE(settings_.help) << "it is a key of the text";
  press(KeyCode::escape);
  EXPECT_TRUE(shown(moves, "matrix"));
  press(KeyCode::escape);
  draw(2);
  for (const auto* keys : {moves, accepts}) EXPECT_FALSE(shown(keys, "matrix")) << "no number is selected";
}

TEST_F(MatrixOverlayTest, ArrowsSelectAndEnterF2AndADoubleClickEdit) {
  click_text("11", "matrix");
  for (const auto key : {KeyCode::right, KeyCode::down, KeyCode::left, KeyCode::down, KeyCode::left})
    EXPECT_TRUE(press(key).empty()) << "nothing is sought";
  for (const auto key : {KeyCode::enter, KeyCode::f2}) {
    settings_.matrix = "11,12,13;21,22,27";
    EXPECT_TRUE(press(key).empty());
    enter("7", KeyCode::enter);
    EXPECT_EQ(settings_.matrix, "11,12,13;217,22,27") << "behind what is there";
  }
  settings_.speed = 2;
  press(KeyCode::enter);
  press(KeyCode::backspace);
  EXPECT_EQ(settings_.speed, 2) << "it is not normal_speed here";
  enter("", KeyCode::up);
  EXPECT_EQ(settings_.matrix, "11,12,13;21,22,27");
  EXPECT_FALSE(shown("Enter accepts", "matrix"));
  const auto at = middle_of("13", "matrix");
  click(at.x, at.y);
  click(at.x, at.y);
  EXPECT_TRUE(shown("Enter accepts", "matrix"));
  press(KeyCode::escape);
  EXPECT_FALSE(shown("Enter accepts", "matrix"));
}

TEST_F(MatrixOverlayTest, TabGoesOnToTheRightAndIntoTheNextRow) {
  click_text("13", "matrix");
  enter("1", KeyCode::tab);
  EXPECT_EQ(settings_.matrix, "11,12,1;21,22,27");
  enter("2", KeyCode::tab);
  EXPECT_EQ(settings_.matrix, "11,12,1;2,22,27");
  EXPECT_TRUE(settings_.panels) << "Tab hides nothing meanwhile";
}

TEST_F(MatrixOverlayTest, ANegativeNumberIsRefusedAndZoomsNothing) {
  click_text("12", "matrix");
  enter("-9", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "");
  EXPECT_TRUE(shown("-9' is not a whole number from 0 to 255: 12 stays", "matrix")) << texts_of("matrix");
  EXPECT_EQ(settings_.zoom, 0);
}

TEST_F(MatrixOverlayTest, EscapeKeepsTheNumberThenLeavesTheGridAndNeverQuits) {
  click_text("22", "matrix");
  enter("99", KeyCode::escape);
  EXPECT_EQ(settings_.matrix, "");
  EXPECT_TRUE(press(KeyCode::escape).empty());
  type("0");
  EXPECT_EQ(commands_, std::vector<Command>{"seek 0"}) << "no number is selected";
  EXPECT_TRUE(press(KeyCode::escape).empty());
}

TEST_F(MatrixOverlayTest, AClickElsewhereAcceptsTheNumber) {
  click_text("12", "matrix");
  type("5");
  const auto strip = places().strip;
  click(strip.x + strip.width / 2, strip.y + strip.height / 2);
  EXPECT_EQ(settings_.matrix, "11,5,13;21,22,27");
  type("1");
  EXPECT_EQ(settings_.zoom, 1) << "the keys are the window's again";
}

// The program may end while a number is typed.
TEST_F(MatrixOverlayTest, AValidNumberThatIsTypedCanBeAccepted) {
  click_text("12", "matrix");
  type("1");
  panels_.accept_typed(state_, settings_);
  EXPECT_EQ(settings_.matrix, "11,1,13;21,22,27");
  enter("300", KeyCode::home);
  panels_.accept_typed(state_, settings_);
  EXPECT_EQ(settings_.matrix, "11,1,13;21,22,27") << "it is not valid";
  EXPECT_TRUE(shown("300", "matrix")) << "and is still typed";
  settings_.source = "synthetic";
  panels_.accept_typed(state_, settings_);
  EXPECT_EQ(settings_.matrix, "11,1,13;21,22,27");
}

TEST_F(MatrixOverlayTest, KeysWithCtrlWorkWhileANumberIsTyped) {
  const auto press_with_control = [&](KeyCode key) {
    imgui::report_control(true);
    imgui::report(key, true);
    auto actions = draw();
    imgui::report_control(false);
    imgui::report(key, false);
    return actions;
  };
  click_text("12", "matrix");
  type("300");
  EXPECT_EQ(press_with_control(KeyCode::s), std::vector{Action::save_picture});
  EXPECT_TRUE(shown("300", "matrix")) << "it is still typed";
  EXPECT_TRUE(press_with_control(KeyCode::z).empty());
  draw();
  EXPECT_FALSE(shown("300", "matrix")) << "its typing is undone";
  EXPECT_EQ(press_with_control(KeyCode::z), std::vector{Action::undo});
  type("300");
  EXPECT_EQ(press_with_control(KeyCode::q), std::vector{Action::quit}) << "nothing is lost: that is no number";
  press(KeyCode::escape);
  type("7");
  EXPECT_TRUE(press_with_control(KeyCode::q).empty());
  EXPECT_EQ(settings_.matrix, "11,7,13;21,22,27");
  state_.matrix_unsaved = true;  // as the session finds
  EXPECT_TRUE(draw(2).empty());
  EXPECT_TRUE(shown("Save and quit", "Quit?"));
}

TEST_F(MatrixOverlayTest, WhatIsWrongWithANumberIsSaid) {
  click_text("11", "matrix");
  enter("999", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "");
  EXPECT_TRUE(shown("'999' is not a whole number from 0 to 255: 11 stays", "matrix"));
  enter("2x", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "");
  EXPECT_TRUE(shown("'2x' is not a whole number from 0 to 255: 11 stays", "matrix"));
  enter("8", KeyCode::enter);
  EXPECT_FALSE(shown("stays", "matrix"));
}

TEST_F(MatrixOverlayTest, ARefusedNumberStaysSelectedSoThatTheNextOneCorrectsIt) {
  for (const auto key : {KeyCode::enter, KeyCode::tab, KeyCode::right, KeyCode::down}) {
    settings_.matrix.clear();
    click_text("11", "matrix");
    for (const char* refused : {"-5", "999"}) {
      enter(refused, key);
      EXPECT_EQ(settings_.matrix, "") << refused;
    }
    enter("5", KeyCode::enter);
    EXPECT_EQ(settings_.matrix, "5,12,13;21,22,27");
    enter("6", KeyCode::enter);
    EXPECT_EQ(settings_.matrix, "5,12,13;6,22,27") << "accepted: on to the next one";
  }
  settings_.matrix.clear();
  click_text("11", "matrix");
  enter("999", KeyCode::enter);
  press(KeyCode::right);
  enter("7", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "11,7,13;21,22,27") << "an arrow leaves it as it was";
}

TEST_F(MatrixOverlayTest, WhatIsTypedIsNotForTheNextMatrix) {
  click_text("11", "matrix");
  type("5");
  settings_.source = "matrix:3x2+1";
  press(KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "");
}

TEST_F(MatrixOverlayTest, AKeyThatDoesNothingSaysSo) {
  click_text("11", "matrix");
  for (const char* key : {"A", "T"}) {
    EXPECT_TRUE(type(key).empty());
    draw();
    EXPECT_TRUE(shown("Escape leaves it", "matrix")) << key;
    type("5");
    draw();
    EXPECT_FALSE(shown("Escape leaves it", "matrix"));
    press(KeyCode::enter);
  }
  press(KeyCode::escape);
  EXPECT_EQ(type("A"), std::vector{Action::toggle_race});
}

TEST_F(MatrixOverlayTest, WhatComesBeforeANumberInTheSameFrameDoesNothing) {
  click_text("11", "matrix");
  const auto effect = settings_.effect;
  EXPECT_TRUE(type("e 5").empty());
  EXPECT_EQ(settings_.effect, effect);
  EXPECT_TRUE(shown("Enter accepts", "matrix"));
}

TEST_F(MatrixOverlayTest, ANumberThatTheMatrixHasNoMoreCannotBeEdited) {
  settings_.matrix = "1,2";  // chosen just now: the picture shown is still the one before
  click_text("27", "matrix");
  type("5");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "1,2");
  click_text("11", "matrix");
  enter("5", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "5,2");
}

TEST_F(MatrixOverlayTest, AnEntryOfTheTableShowsItsAddition) {
  ImGui::GetIO().MousePos = middle_of("106", "matrix");
  draw(2);
  EXPECT_TRUE(shown("table(2, 1) = 27 + 66 + 36 - 23 = 106", "matrix"));
}

// Beside each other at any size: 1 everywhere, so that entry (x, y) of the table is (x + 1) * (y + 1).
class MatrixOverlayLargeTest : public MatrixOverlayTest {
 protected:
  void SetUp() override {
    MatrixOverlayTest::SetUp();
    settings_.dock_open = false;
  }
  void show(int side, ImVec2 window = {1280, 800}) {
    pixels_ = {};
    pixels_.picture = {side, side};
    pixels_.places.width = pixels_.places.height = side;
    for (int i = 0; i < side * side; ++i)
      pixels_.values.push_back({static_cast<unsigned>((i % side + 1) * (i / side + 1)), {}, 1});
    state_.capture.size = state_.picture = pixels_.picture;
    state_.probed = &pixels_;
    ImGui::GetIO().DisplaySize = window;
    draw(3);
  }
  static const ImGuiWindow* area(const char* name) {
    for (const auto* window : ImGui::GetCurrentContext()->Windows)
      if (window->WasActive && std::string_view(window->Name).find(std::string("/") + name) != std::string_view::npos)
        return window;
    return nullptr;
  }
  static GridPlaces places_of(gpu::Size size, ImVec2 room) {
    ImGui::NewFrame();
    const auto places = grid_places(size, "255", "9999", room, 0);
    ImGui::Render();
    return places;
  }
  void wheel(const ImGuiWindow& over, float down, float right) {
    auto& io = ImGui::GetIO();
    io.MousePos = {over.Pos.x + 20, over.Pos.y + 20};
    draw();
    io.MouseWheel = -down;
    io.MouseWheelH = -right;
    draw();
    io.MouseWheel = io.MouseWheelH = 0;
    draw(3);
  }
  ProbedPixels pixels_;
};

TEST_F(MatrixOverlayLargeTest, BothGridsAreInView) {
  const auto picture = layout(settings_, 1280, 800).picture;
  for (const int side : {2, 8, 16, 40, 64}) {
    show(side);
    const auto *numbers = area("numbers"), *table = area("table");
    ASSERT_TRUE(numbers && table) << side;
    EXPECT_LE(numbers->Pos.x + numbers->Size.x, table->Pos.x) << side;
    EXPECT_LE(table->Pos.x + table->Size.x, picture.x + picture.width) << side;
    EXPECT_EQ(table->ScrollMax.x + table->ScrollMax.y > 0, side >= 40) << side;
    EXPECT_GT(std::min(numbers->Size.x, table->Size.x), side >= 40 ? picture.width * 0.4f : 0) << side;
  }
}

TEST_F(MatrixOverlayLargeTest, RowsAreInSightWhereTextIsAsLargeAsTheWindowHasRoomFor) {
  for (const ImVec2 window : {ImVec2(800, 600), ImVec2(1024, 768), ImVec2(1280, 720), ImVec2(1920, 1080)}) {
    apply_theme({static_cast<float>(most_scale(static_cast<int>(window.x), static_cast<int>(window.y), 1))});
    imgui_.build_fonts();
    show(8, window);
    const auto* numbers = area("numbers");
    ASSERT_TRUE(numbers);
    EXPECT_GE(numbers->InnerRect.GetHeight(), 3 * 1.4f * ImGui::GetFontSize()) << window.x;
    EXPECT_GE(numbers->InnerRect.GetWidth(), 3 * 1.4f * ImGui::GetFontSize()) << window.x;
  }
}

TEST_F(MatrixOverlayLargeTest, SmallOnesFillTheirPaneWithLargerDigits) {
  const auto pane = layout(settings_, 1280, 800).picture;
  for (const auto size : {gpu::Size{5, 3}, {3, 3}, {8, 8}}) {
    const auto places = places_of(size, {pane.width - 24, pane.height - 120});
    const auto &matrix = places.matrix, &table = places.table;
    const auto width = static_cast<float>(size.width), height = static_cast<float>(size.height);
    EXPECT_GE(std::max((matrix.cell.x + table.cell.x) * width / pane.width, matrix.cell.y * height / pane.height), 0.7f);
    EXPECT_LE(table.at.x + table.size.x - matrix.at.x, pane.width);
    EXPECT_LE(matrix.cell.y * height, pane.height - 120);
    EXPECT_LE(matrix.cell.y, std::max(matrix.cell.x, ImGui::GetFontSize() * 2.6f)) << "squares at most";
    EXPECT_GT(places.digits->FontSize, ImGui::GetFontSize()) << size.width;
  }
}

TEST_F(MatrixOverlayLargeTest, WhatScrollsDownLeavesRoomForItsBars) {
  const auto places = places_of({8, 60}, {900, 400});
  EXPECT_GE(places.matrix.size.x, places.matrix.cell.x * 8);
  EXPECT_GE(places.table.size.x, places.table.cell.x * 8);
}

TEST_F(MatrixOverlayLargeTest, WithoutPanelsItFillsTheWindow) {
  settings_.panels = false;
  for (const int side : {8, 64}) {
    show(side);
    const auto *numbers = area("numbers"), *table = area("table");
    ASSERT_TRUE(numbers && table) << side;
    EXPECT_GT(std::min(numbers->Size.x, table->Size.x), side == 8 ? 250 : 500) << side;
  }
}

TEST_F(MatrixOverlayLargeTest, TheyScrollTogether) {
  show(64);
  const auto *numbers = area("numbers"), *table = area("table");
  ASSERT_TRUE(numbers && table);
  const auto first_row = [](const ImGuiWindow& window) { return window.Scroll.y; };
  wheel(*numbers, 3, 0);
  EXPECT_GT(first_row(*numbers), 0);
  EXPECT_EQ(first_row(*table), first_row(*numbers)) << "rows are as high";
  wheel(*table, 4, 0);
  wheel(*table, 0, 2);  // not both at once: ImGui 1.90 scrolls along one axis
  EXPECT_EQ(first_row(*table), first_row(*numbers));
  const auto right = table->Scroll.x;
  EXPECT_GT(right, 0);
  EXPECT_GT(numbers->Scroll.x, 0);
  EXPECT_LT(numbers->Scroll.x, right) << "its cells are narrower";
  wheel(*table, 0, 200);
  EXPECT_EQ(table->Scroll.x, table->ScrollMax.x) << "to the end, also where the other one ends before";
}

TEST_F(MatrixOverlayLargeTest, TheNumberThatTheArrowsReachIsInSight) {
  show(64);
  click_text("1", "matrix/");
  for (int i = 0; i < 60; ++i) press(KeyCode::down);
  draw(3);
  const auto *numbers = area("numbers"), *table = area("table");
  ASSERT_TRUE(numbers && table);
  EXPECT_GT(numbers->Scroll.y, 0);
  EXPECT_EQ(table->Scroll.y, numbers->Scroll.y);
}

// A drag over the numbers draws it, its handles change it, and each time the four entries and the sum below follow.
TEST_F(MatrixOverlayTest, ARectangleOfNumbersIsWorkedOutFromFourEntries) {
  type("b");
  draw(2);
  ASSERT_TRUE(settings_.rectangle_tool);
  EXPECT_TRUE(refusals_.empty());
  EXPECT_TRUE(shown("Drag over numbers of the matrix", "matrix"));
  drag(middle_of("12", "matrix"), middle_of("27", "matrix"));
  ASSERT_TRUE(settings_.rectangle);
  EXPECT_EQ(*settings_.rectangle, (PixelBox{1, 0, 2, 2}));
  EXPECT_TRUE(shown("the sum of the 4 numbers in the rectangle, mean 18.50", "matrix"));
  for (const auto* part : {"106", "32", "  =  74"}) EXPECT_TRUE(shown(part, "matrix")) << part;
  EXPECT_TRUE(settings_.matrix.empty()) << "no number was changed";
  settings_.rectangle = PixelBox{1, 1, 1, 1};
  draw(2);
  EXPECT_TRUE(shown("the sum of the 1 number in the rectangle, mean 22.00", "matrix"));
  EXPECT_TRUE(shown("  =  22", "matrix"));
  type("b");
  draw(2);
  EXPECT_FALSE(settings_.rectangle_tool);
  click_text("11", "matrix");
  enter("10", KeyCode::enter);
  EXPECT_EQ(settings_.matrix, "10,12,13;21,22,27") << "without the tool numbers are changed again";
}

}  // namespace
}  // namespace app::ui
