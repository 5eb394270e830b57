// The race's tab: its bars, its note, and what its rows say under the mouse.
#include <set>
#include <utility>

#include "app/tests/ui/controls_test.h"
#include "app/ui/race_scale.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class RaceTabTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    settings_.dock = Dock::race;
    state_.race = example_race();
    draw(2);
  }
  void resize(float width, float height) {
    ImGui::GetIO().DisplaySize = {width, height};
    draw(3);
  }
  void hover(float x, float y) {
    ImGui::GetIO().MousePos = {x, y};
    draw(3);
  }
};

RaceFigures race_of(std::initializer_list<double> times) {
  RaceFigures race;
  for (const auto us : times) {
    RaceRow row;
    row.name = row.label = "row " + std::to_string(race.rows.size());
    row.runs = 25;
    row.us = us;
    race.rows.push_back(row);
  }
  return race;
}

TEST_F(RaceTabTest, TheScaleHoldsAllBarsButAFewThatAreMuchLonger) {
  EXPECT_EQ(race_scale(race_of({10, 100, 110, 120})).full, 120) << "the first is much faster than the rest";
  EXPECT_EQ(race_scale(race_of({10, 20, 30, 40, 59})).full, 59);
  const auto race = race_of({10, 11, 12, 13, 14, 15, 16, 5000});
  const auto scale = race_scale(race);
  EXPECT_EQ(scale.full, 60);
  for (const auto& row : race.rows) EXPECT_EQ(scale.clips(row.us), row.us == 5000) << row.us;
  EXPECT_GT(race_scale({}).full, 0);
}

TEST_F(RaceTabTest, ABarThatIsClippedSaysItsTime) {
  auto& rows = state_.race.rows;
  for (int i = 0; i < 6; ++i) {
    rows.insert(rows.end() - 1, rows[1]);
    (rows.end() - 2)->label += " W=" + std::to_string(i);
  }
  rows.back().us = 5432;
  draw(2);
  EXPECT_TRUE(shown("5432 µs", "dock"));
  EXPECT_FALSE(shown("150.0 µs", "dock"));
}

// They are read before the mouse is on them: nothing else says that rows can be pinned.
TEST_F(RaceTabTest, TheLettersThatPinARowAreNotFainterThanOtherText) {
  const auto name = TextCheck::place_of("host_serial", "dock/race");
  ASSERT_TRUE(name);
  std::set<ImU32> colours;  // left of the name
  for (const auto* list : draw_lists())
    if (std::string_view(list->_OwnerName).starts_with("dock/race"))
      for (const auto& v : list->VtxBuffer)
        if (v.pos.x < name->Min.x && v.pos.y > name->Min.y && v.pos.y < name->Max.y) colours.insert(v.col);
  EXPECT_TRUE(colours.contains(ImU32(colour::dim)));
  EXPECT_FALSE(colours.contains(ImU32(colour::faint)));
}

class RaceTabSimulatedTest : public RaceTabTest {
 protected:
  void SetUp() override {
    RaceTabTest::SetUp();
    state_.race.device = gpu::Device::simulated;
    state_.race.bound.clear();
  }
  void expect_at_widths(const std::string& words, float least) {
    for (float width = least; width <= 1600; width += 50) {
      resize(width, 600);
      EXPECT_TRUE(shown(words, "dock")) << width;
    }
  }
};

TEST_F(RaceTabSimulatedTest, TheNoteSaysSoWhateverRoomThereIs) {
  state_.race.finished = false;
  expect_at_widths("simulated", 800);
}

// In the smallest windows its colour alone says that it is of another picture.
TEST_F(RaceTabSimulatedTest, TheNoteSaysInSmallWindowsTooThatItIsOfAnotherPicture) {
  state_.race.earlier = true;
  expect_at_widths("simulated", 800);
  expect_at_widths("earlier", 900);
}

// The slow baseline is the fastest on the CPU that simulates.
void measure_traffic(RaceFigures& race) {
  race.rows.erase(race.rows.begin());
  for (auto& row : race.rows) row.over_bound.reset();
  auto &slow = race.rows.at(0), &fast = race.rows.at(1);
  slow.name = slow.label = "1r1w_skss_lb";
  slow.us = 83'247;
  slow.bytes_per_pixel = 5.1;
  slow.sectors_per_pixel = 0.17;
  fast.name = fast.label = "2r2w";
  fast.us = 1355;
  fast.bytes_per_pixel = 13;
  fast.sectors_per_pixel = 2.3;
}

TEST_F(RaceTabSimulatedTest, BarsAndColumnsAreOfTrafficAndTimesAreGray) {
  measure_traffic(state_.race);
  resize(1600, 1000);
  const auto scale = race_scale(state_.race);
  EXPECT_EQ(scale.full, 13) << "bytes, not microseconds";
  for (const char* text : {"bytes", "sectors", "CPU µs", "5.10", "0.17", "83", "by traffic"})
    EXPECT_TRUE(shown(text, "dock")) << text;
  EXPECT_TRUE(shown("say nothing about a GPU", "dock")) << "why";
  EXPECT_FALSE(shown("GB/s", "dock"));
  const auto colour_of = [](const char* text) {
    const auto place = TextCheck::place_of(text, "dock/race");
    for (const auto* list : draw_lists())
      if (place && std::string_view(list->_OwnerName).starts_with("dock/race"))
        for (const auto& v : list->VtxBuffer)
          if (place->Contains({v.pos.x + 0.5f, v.pos.y + 0.5f})) return v.col;
    return ImU32(0);
  };
  EXPECT_EQ(colour_of("1355"), ImU32(colour::dim));
  EXPECT_EQ(colour_of("13.00"), ImU32(colour::text));
  settings_.race_a = "1r1w_skss_lb";
  resize(1600, 1000);
  EXPECT_TRUE(shown("2.55", "dock/race")) << "of bytes: 13 / 5.1";
  const auto row = TextCheck::place_of("2r2w", "dock/race");
  ASSERT_TRUE(row);
  hover(row->GetCenter().x, row->GetCenter().y);
  for (const char* figure : {"13.00 bytes per pixel", "2.30 sectors per pixel", "of the CPU", "2.55 times A"})
    EXPECT_TRUE(shown(figure, "##Tooltip")) << figure;
  for (auto& counted : state_.race.rows) counted.sectors_per_pixel.reset();
  draw(2);
  EXPECT_FALSE(shown("sectors", "dock")) << "nobody has counted them";
}

TEST_F(RaceTabTest, AnotherLibrarysRowIsPinnedAndNotChosen) {
  settings_.host_algorithm = "host_serial";
  auto& row = state_.race.rows.at(1);
  row.name = row.label = "opencv";
  row.arguments = {};
  row.peer = true;
  draw(2);
  const auto place = TextCheck::place_of("opencv", "dock/race");
  ASSERT_TRUE(place);
  click(place->GetCenter().x, place->GetCenter().y);
  draw(2);
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  EXPECT_TRUE(refusals_.empty());
  EXPECT_TRUE(shown("cv::integral", "##Tooltip"));
  EXPECT_FALSE(shown("Click to use", "##Tooltip"));
  settings_.race_a = "opencv";
  draw(2);
  EXPECT_TRUE(shown("6.00", "dock/race")) << "900 / 150";
}

TEST_F(RaceTabTest, RowsDoNotChangePlacesUnderTheMouse) {
  state_.race.finished = false;
  draw(2);
  const auto order = [this] {
    const auto parallel = TextCheck::place_of("host_parallel", "dock/race"),
               serial = TextCheck::place_of("host_serial", "dock/race");
    EXPECT_TRUE(parallel && serial);
    return parallel && serial && parallel->Min.y < serial->Min.y;
  };
  const auto place = TextCheck::place_of("host_parallel", "dock/race");
  ASSERT_TRUE(place);
  hover(place->GetCenter().x, place->GetCenter().y);
  std::swap(state_.race.rows[1], state_.race.rows[2]);
  draw(2);
  EXPECT_TRUE(order()) << "they stay";
  ImGui::GetIO().MouseDown[0] = true;  // also while a row is pressed
  draw(2);
  EXPECT_TRUE(order());
  ImGui::GetIO().MouseDown[0] = false;
  draw();
  EXPECT_EQ(settings_.host_algorithm, "host_parallel");
  hover(5, 5);
  EXPECT_FALSE(order()) << "the fastest first";
}

TEST_F(RaceTabTest, WhatIsToBeReadIsNotFaint) {
  for (const auto theme : {Theme::dark, Theme::light}) {
    apply_theme({.scale = 1, .theme = theme});
    for (const auto ground : {ImU32(colour::panel), ImU32(colour::raised)})
      for (const auto letters : {ImU32(colour::text), ImU32(colour::dim)}) EXPECT_GE(colour::contrast(letters, ground), 4.5);
    state_.race = {};
    state_.pixel.reset();
    draw(2);
    EXPECT_TRUE(shown("medians", "dock")) << "the introduction";
    EXPECT_TRUE(shown("Wheel: zoom", "status"));
    for (const char* window : {"dock", "status"})
      EXPECT_FALSE(has(*ImGui::FindWindowByName(window)->DrawList, colour::faint)) << window;
  }
}

TEST_F(RaceTabTest, TheNoteSaysThatTheDeviceIsAnotherOneNow) {
  state_.race.earlier = state_.race.earlier_device = true;
  draw(2);
  EXPECT_FALSE(shown("earlier picture", "dock"));
  const auto note = TextCheck::place_of("earlier device", "dock");
  ASSERT_TRUE(note);
  hover(note->GetCenter().x, note->GetCenter().y);
  EXPECT_TRUE(shown("The device has changed", "##Tooltip"));
}

TEST_F(RaceTabTest, TheNoteSaysThatWhatIsShownNowIsAnotherPicture) {
  EXPECT_FALSE(shown("earlier picture", "dock"));
  state_.race.earlier = true;
  state_.race.source = "harbour.mp4";
  draw(2);
  const auto note = TextCheck::place_of("earlier picture", "dock");
  ASSERT_TRUE(note);
  hover(note->GetCenter().x, note->GetCenter().y);
  EXPECT_TRUE(shown("Measured on harbour.mp4", "##Tooltip"));
  EXPECT_TRUE(shown("Again", "##Tooltip"));
}

// On a GPU, of the algorithms with the longest names: as many as a small window shows.
RaceFigures race_of_long_names() {
  auto race = example_race();
  race.device = gpu::Device::cuda;
  race.rows.resize(1);
  for (const char* name : {"prefix_tree_blocked", "scan_transpose_naive", "transpose_harris"}) {
    auto row = race.rows[0];
    row.name = row.label = name;
    row.bound = false;
    row.us = 1234.5;
    row.over_bound = row.us / 100;
    row.gb_per_s = 1234;
    race.rows.push_back(row);
  }
  return race;
}

// Adds an effect whose tables the algorithm computes.
void add_effect(RaceFigures& race) {
  race.effect = gpu::find_effect("faces");
  race.effect_arguments = gpu::Arguments(race.effect->parameters);
  for (auto& row : race.rows) {
    if (row.bound) continue;
    row.effect_runs = 25;
    row.effect_us = row.us + 4321;
    row.effect_least_us = row.us + 4000;
  }
}

TEST_F(RaceTabTest, InASmallWindowNamesAreWholeAndBarsLong) {
  const auto longest_bar = [] {
    float longest = 0;
    const ImU32 of_bars = colour::accent;
    for (const auto* list : draw_lists()) {
      if (!std::string_view(list->_OwnerName).starts_with("dock/race")) continue;
      const auto& vertices = list->VtxBuffer;
      for (int i = 0; i + 2 < vertices.Size; ++i)
        if (vertices[i].col == of_bars && vertices[i + 2].col == of_bars)
          longest = std::max(longest, vertices[i + 2].pos.x - vertices[i].pos.x);
    }
    return longest;
  };
  auto with_effect = race_of_long_names();
  add_effect(with_effect);
  for (const bool parameters : {false, true})
    for (const auto& race : {example_race(), race_of_long_names(), with_effect}) {
      state_.race = race;
      if (parameters)
        for (auto& row : state_.race.rows) row.label += row.bound ? "" : " W=64 threads=256 r=0.25";
      for (const bool pinned : {false, true}) {
        settings_.race_a = pinned ? state_.race.rows[1].label : "";
        resize(800, 600);
        for (const auto& row : state_.race.rows) EXPECT_TRUE(shown(row.name, "dock/race")) << row.name << parameters;
        EXPECT_GE(longest_bar(), 80) << race.rows[1].name << parameters << pinned;
      }
    }
}

TEST_F(RaceTabTest, InAWideWindowEveryFigureHasAColumn) {
  state_.race = race_of_long_names();
  settings_.race_a = settings_.race_b = "transpose_harris";
  resize(1600, 1000);
  for (const char* title : {"µs", "/ bound", "GB/s", "/ A", "/ B"}) EXPECT_TRUE(shown(title, "dock/race")) << title;
}

TEST_F(RaceTabTest, AnEffectWithTablesOfItsOwnHasAColumnAndALine) {
  EXPECT_FALSE(shown("Faces", "dock")) << "this one has none";
  add_effect(state_.race);
  resize(1600, 1000);
  for (const char* text : {"Faces", "4471", "5221", "from 4471 µs with host_parallel to 5221 µs with host_serial",
                           "the choice is worth 750 µs per frame"})
    EXPECT_TRUE(shown(text, "dock")) << text;
  EXPECT_FALSE(shown("4321", "dock")) << "the bound draws nothing";
  const auto row = TextCheck::place_of("host_serial", "dock/race");
  ASSERT_TRUE(row);
  hover(row->GetCenter().x, row->GetCenter().y);
  EXPECT_TRUE(shown("Faces: median 5221 µs, minimum 4900 µs, of 25 runs", "##Tooltip"));
}

TEST_F(RaceTabTest, TheEffectsLineIsBelowTheTable) {
  add_effect(state_.race);
  resize(1600, 1000);
  const auto row = TextCheck::place_of("host_serial", "dock/race"),
             line = TextCheck::place_of("the choice is worth", "dock");
  ASSERT_TRUE(row && line);
  EXPECT_GT(line->Min.y, row->Max.y);
  EXPECT_LT(line->Max.y, layout(settings_, 1600, 1000).dock.y + layout(settings_, 1600, 1000).dock.height);
}

TEST_F(RaceTabTest, ARaceSaysWhyItsEffectWasNotTimedAndThatItIsAnotherOneNow) {
  add_effect(state_.race);
  state_.race.earlier_effect = true;
  state_.race.effect_problem = "it needs 300 MB of scratch memory";
  resize(1600, 1000);
  EXPECT_TRUE(shown("Faces: not timed: it needs 300 MB of scratch memory", "dock"));
  const auto note = TextCheck::place_of("earlier effect", "dock");
  ASSERT_TRUE(note);
  hover(note->GetCenter().x, note->GetCenter().y);
  EXPECT_TRUE(shown("The effect or its parameters have changed", "##Tooltip"));
}

TEST_F(RaceTabTest, UnderTheMouseIsOneRow) {
  const auto first = TextCheck::place_of("memset", "dock"), last = TextCheck::place_of("host_serial", "dock");
  ASSERT_TRUE(first && last);
  int parallel = 0, serial = 0;
  for (float y = first->Min.y; y < last->Max.y; ++y) {
    hover(first->Min.x + 5, y);
    const bool on_parallel = shown("host_parallel", "##Tooltip"), on_serial = shown("host_serial", "##Tooltip");
    EXPECT_FALSE(on_parallel && on_serial) << y;
    parallel += on_parallel;
    serial += on_serial;
  }
  EXPECT_GT(parallel, 10);
  EXPECT_GT(serial, 5);
}

TEST_F(RaceTabTest, EveryFigureOfARowIsUnderTheMouseInASmallWindow) {
  settings_.race_a = "host_serial";
  resize(800, 600);
  const auto row = TextCheck::place_of("150.0", "dock");  // its name may be shortened
  ASSERT_TRUE(row);
  const auto dock = layout(settings_, 800, 600).dock;
  for (const float x : {row->Min.x + 3, dock.x + dock.width * 0.4f, dock.x + dock.width - 30}) {
    hover(x, row->GetCenter().y);
    for (const char* figure : {"host_parallel", "minimum 135.0 µs", "25 runs", "1.50 times the bound", "0.17 times A"})
      EXPECT_TRUE(shown(figure, "##Tooltip")) << figure << " at " << x;
  }
}

}  // namespace
}  // namespace app::ui
