// The tab of the race: its sentence, its bars and columns, and what its rows say under the mouse.
#include <utility>

#include "app/output/race_view.h"
#include "app/tests/ui/controls_test.h"
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

TEST_F(RaceTabTest, TheSentenceNamesTheWinner) {
  EXPECT_TRUE(shown("host_parallel wins: 1.5 times the bound", "dock"));
  EXPECT_TRUE(shown("memset, the bound", "dock"));
  state_.race.finished = false;
  state_.race.runs = 12;
  draw(2);
  EXPECT_TRUE(shown("Racing: 12 of 75 runs, host_parallel leads", "dock"));
  state_.race.on = false;
  draw(2);
  EXPECT_TRUE(shown("Stopped: 12 of 75 runs", "dock"));
  state_.race.rows[1].problem = "it is wrong";
  state_.race.on = state_.race.finished = true;
  draw(2);
  EXPECT_TRUE(shown("host_serial wins", "dock")) << "what is wrong does not win";
  state_.race = {};
  draw(2);
  EXPECT_TRUE(shown("Which algorithm is the fastest here?", "dock"));
}

TEST_F(RaceTabTest, ItIsStartedStoppedAndExtended) {
  state_.race = {};
  draw(2);
  EXPECT_EQ(click_text("Start", "dock"), std::vector{Action::start_race});
  state_.race = example_race();
  draw(2);
  EXPECT_EQ(click_text("Again", "dock"), std::vector{Action::start_race});
  state_.race.finished = false;
  draw(2);
  EXPECT_EQ(click_text("Stop", "dock"), std::vector{Action::stop_race});
  settings_.keys = {{"Ctrl+J", "toggle race_parameters"}};
  click_text("...", "dock/tab_");
  EXPECT_LT(middle_of("All parameters", "##Popup").x, middle_of("Ctrl+J", "##Popup").x) << "a key of the user's own";
  click_text("All parameters", "##Popup");
  EXPECT_TRUE(settings_.race_parameters);
}

TEST_F(RaceTabTest, AClickOnARowChoosesItsAlgorithm) {
  settings_.host_algorithm = "host_parallel";
  click_text("host_serial", "dock/tab_");
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  click_text("memset", "dock/tab_");
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  EXPECT_TRUE(refusals_.empty());
}

TEST_F(RaceTabTest, AClickOnATitleSortsTheRows) {
  const auto first = [this](const char* a, const char* b) {
    return middle_of(a, "dock/tab_").y < middle_of(b, "dock/tab_").y;
  };
  EXPECT_TRUE(first("memset", "host_serial"));
  click_text("µs", "dock/tab_");  // it was sorted by it
  EXPECT_TRUE(first("host_serial", "memset"));
  click_text("Algorithm", "dock/tab_");
  EXPECT_TRUE(first("host_parallel", "host_serial"));
  EXPECT_TRUE(first("host_serial", "memset"));
}

// They are settings of the program, which are kept between starts.
TEST_F(RaceTabTest, OrderAndHiddenColumnsAreKept) {
  const auto parallel_is_first = [] {
    return middle_of("host_parallel", "dock/tab_").y < middle_of("host_serial", "dock/tab_").y;
  };
  click_text("Algorithm", "dock/tab_");
  click_text("Algorithm", "dock/tab_");
  EXPECT_FALSE(parallel_is_first());
  ImGui::GetIO().MousePos = middle_of("× bound", "dock/tab_");
  for (const bool down : {false, true, false, false}) {
    ImGui::GetIO().MouseDown[1] = down;
    draw(2);
  }
  click_text("× bound", "##Popup");
  press(KeyCode::escape);
  rest();
  EXPECT_FALSE(shown("× bound", "dock/tab_"));
  const auto kept = std::exchange(settings_.columns, {});
  EXPECT_TRUE(kept.starts_with("[Table]")) << kept;
  EXPECT_EQ(kept.find('\n'), kept.npos);
  draw(3);
  EXPECT_TRUE(parallel_is_first()) << "everything is reset";
  EXPECT_TRUE(shown("× bound", "dock/tab_"));
  EXPECT_EQ(settings_.columns, "");
  settings_.columns = kept;
  draw(3);
  EXPECT_FALSE(parallel_is_first()) << "as after the next start";
  EXPECT_FALSE(shown("× bound", "dock/tab_"));
}

TEST_F(RaceTabTest, ADamagedTextOfTheTablesIsAsNone) {
  for (const std::string damaged :
       {"[Table][0x1234ABCD,2];Column 0  Visible=0;nonsense;", "[Table][0x1234ABCD,0];", "[Table][0x1234ABCD,65];",
        "[Table][0x1234ABCD,2];Column 0  Order=64;", "[Table][0x1234ABCD,2];Column 0  Sort=64^;"}) {
    settings_.columns = damaged;
    draw(2);
    EXPECT_FALSE(ImGui::TableSettingsFindByID(0x1234ABCD)) << damaged;
  }
  settings_.columns = "[Table][0x1234ABCD,2];Column 0  Visible=0 Sort=0^;";
  draw(2);
  EXPECT_TRUE(ImGui::TableSettingsFindByID(0x1234ABCD));
}

TEST_F(RaceTabTest, WhatCannotRunIsFoldedAndSaysWhy) {
  EXPECT_TRUE(shown("1 cannot run on the CPU: 2r1w", "dock"));
  EXPECT_FALSE(shown("runs on a GPU", "dock"));
  click_text("1 cannot run", "dock");
  EXPECT_TRUE(shown("2r1w: runs on a GPU, or on the simulated GPU", "dock"));
}

TEST_F(RaceTabTest, OnTheCpuThoseOfAGpuAreAddedByTheirBytes) {
  state_.race.absent = {
      {"2r2w", "only on a GPU, or on the simulated GPU", 13}, {"2r1w", "likewise", 9.1}, {"npp", "only on a GPU"}};
  draw(2);
  EXPECT_FALSE(shown("9.10", "dock/tab_"));
  click_text("Add 2 on the simulated GPU", "dock/tab_");
  ASSERT_TRUE(shown("9.10", "dock/tab_"));
  EXPECT_LT(middle_of("9.10", "dock/tab_").y, middle_of("13.00", "dock/tab_").y) << "the fewest first";
  EXPECT_TRUE(shown("host_serial", "dock/tab_")) << "the race stays";
  EXPECT_EQ(click_text("Run them", "dock/tab_"), std::vector{Action::start_race});
  EXPECT_EQ(settings_.device, DeviceChoice::simulated);
  click_text("Remove", "dock/tab_");
  EXPECT_FALSE(shown("9.10", "dock/tab_"));
}

TEST_F(RaceTabTest, InTheUsualWindowTwentyFourRowsAreInSight) {
  while (state_.race.rows.size() < 24) {
    auto row = state_.race.rows.at(1);
    row.label = row.name + " W=" + std::to_string(state_.race.rows.size());
    state_.race.rows.push_back(row);
  }
  state_.race.rows.back().us = 98'765;
  resize(1280, 800);
  EXPECT_TRUE(shown("98 765", "dock/tab_"));
  EXPECT_TRUE(shown("1 cannot run", "dock/tab_"));
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

TEST_F(RaceTabSimulatedTest, ItSaysSoWhateverRoomThereIs) {
  state_.race.finished = false;
  expect_at_widths("Simulated", 800);
}

TEST_F(RaceTabSimulatedTest, ItSaysInSmallWindowsTooThatItIsOfAnotherPicture) {
  state_.race.earlier = true;
  expect_at_widths("Simulated", 800);
  expect_at_widths("This race ran on an earlier picture", 800);
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
  const RaceScale scale(state_.race);
  EXPECT_EQ(scale.position(13), 1) << "bytes, not microseconds";
  for (const char* text : {"bytes", "sectors", "CPU µs", "5.10", "0.17", "83", "1r1w_skss_lb moves the fewest bytes: 5.10"})
    EXPECT_TRUE(shown(text, "dock")) << text;
  EXPECT_TRUE(shown("say nothing about a GPU", "dock")) << "why";
  EXPECT_FALSE(shown("GB/s", "dock"));
  const auto colour_of = [](const char* text) {
    const auto place = TextCheck::place_of(text, "dock/tab_");
    for (const auto* list : draw_lists())
      if (place && std::string_view(list->_OwnerName).starts_with("dock/tab_"))
        for (const auto& v : list->VtxBuffer)
          if (place->Contains({v.pos.x + 0.5f, v.pos.y + 0.5f})) return v.col;
    return ImU32(0);
  };
  EXPECT_EQ(colour_of("1355"), ImU32(colour::dim));
  EXPECT_EQ(colour_of("13.00"), ImU32(colour::text));
  state_.selection.algorithm = gpu::find_sat_algorithm("1r1w_skss_lb");
  state_.selection.algorithm_arguments = state_.race.rows[0].arguments;
  draw(2);
  const auto row = TextCheck::place_of("2r2w", "dock/tab_");
  ASSERT_TRUE(row);
  hover(row->GetCenter().x, row->GetCenter().y);
  for (const char* figure :
       {"13.00 bytes per pixel", "2.30 sectors per pixel", "of the CPU", "2.55 times that of 1r1w_skss_lb"})
    EXPECT_TRUE(shown(figure, "##Tooltip")) << figure;
  for (auto& counted : state_.race.rows) counted.sectors_per_pixel.reset();
  draw(2);
  EXPECT_FALSE(shown("sectors", "dock")) << "nobody has counted them";
}

TEST_F(RaceTabTest, AnotherLibrarysRowIsNotChosen) {
  settings_.host_algorithm = "host_serial";
  auto& row = state_.race.rows.at(1);
  row.name = row.label = "opencv";
  row.arguments = {};
  row.peer = true;
  draw(2);
  const auto place = TextCheck::place_of("opencv", "dock/tab_");
  ASSERT_TRUE(place);
  click(place->GetCenter().x, place->GetCenter().y);
  draw(2);
  EXPECT_EQ(settings_.host_algorithm, "host_serial");
  EXPECT_TRUE(refusals_.empty());
  EXPECT_TRUE(shown("cv::integral", "##Tooltip"));
  EXPECT_FALSE(shown("Click to use", "##Tooltip"));
}

TEST_F(RaceTabTest, RowsDoNotChangePlacesUnderTheMouse) {
  state_.race.finished = false;
  draw(2);
  const auto order = [this] {
    const auto parallel = TextCheck::place_of("host_parallel", "dock/tab_"),
               serial = TextCheck::place_of("host_serial", "dock/tab_");
    EXPECT_TRUE(parallel && serial);
    return parallel && serial && parallel->Min.y < serial->Min.y;
  };
  const auto place = TextCheck::place_of("host_parallel", "dock/tab_");
  ASSERT_TRUE(place);
  hover(place->GetCenter().x, place->GetCenter().y);
  std::swap(state_.race.rows[1].us, state_.race.rows[2].us);
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
    draw(2);
    EXPECT_TRUE(shown("medians", "dock")) << "the introduction";
    for (const auto* list : draw_lists())
      if (std::string_view(list->_OwnerName).starts_with("dock/tab_")) {
        EXPECT_FALSE(has(*list, colour::faint));
      }
  }
}

TEST_F(RaceTabTest, ItSaysThatTheDeviceIsAnotherOneNow) {
  state_.race.earlier = state_.race.earlier_device = true;
  draw(2);
  EXPECT_FALSE(shown("earlier picture", "dock"));
  EXPECT_TRUE(shown("This race ran on another device: Again races on the one in use.", "dock"));
}

TEST_F(RaceTabTest, ItSaysThatWhatIsShownNowIsAnotherPicture) {
  EXPECT_FALSE(shown("earlier picture", "dock"));
  state_.race.earlier = true;
  state_.race.source = "harbour.mp4";
  draw(2);
  EXPECT_TRUE(shown("This race ran on an earlier picture, harbour.mp4", "dock"));
  const auto sentence = middle_of("host_parallel wins", "dock");
  hover(sentence.x, sentence.y);
  for (const char* words : {"Measured on harbour.mp4", "960x540, 8u32u", "75 runs"}) EXPECT_TRUE(shown(words, "##Tooltip"));
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

TEST_F(RaceTabTest, InANarrowDockNamesAreWholeAndBarsLong) {
  const auto longest_bar = [] {
    float longest = 0;
    const ImU32 of_bars[] = {colour::accent, colour::translucent(colour::accent, 130)};
    for (const auto* list : draw_lists()) {
      if (!std::string_view(list->_OwnerName).starts_with("dock/tab_")) continue;
      const auto& vertices = list->VtxBuffer;
      for (int i = 0; i + 2 < vertices.Size; ++i)
        for (const auto fill : of_bars)
          if (vertices[i].col == fill && vertices[i + 2].col == fill)
            longest = std::max(longest, vertices[i + 2].pos.x - vertices[i].pos.x);
    }
    return longest;
  };
  auto with_effect = race_of_long_names();
  add_effect(with_effect);
  settings_.dock_width = 400;
  for (const bool parameters : {false, true})
    for (const auto& race : {example_race(), race_of_long_names(), with_effect}) {
      state_.race = race;
      if (parameters)
        for (auto& row : state_.race.rows) row.label += row.bound ? "" : " W=64 threads=256 r=0.25";
      draw(3);
      for (const auto& row : state_.race.rows) EXPECT_TRUE(shown(row.name, "dock/tab_")) << row.name << parameters;
      EXPECT_GE(longest_bar(), 70) << race.rows[1].name << parameters;
    }
}

// Those of the titles' menu are hidden at first.
TEST_F(RaceTabTest, TheUsualColumns) {
  state_.race = race_of_long_names();
  resize(1280, 800);
  for (const char* title : {"µs", "× bound"}) EXPECT_TRUE(shown(title, "dock/tab_")) << title;
  for (const char* title : {"GB/s", "× in use"}) EXPECT_FALSE(shown(title, "dock/tab_")) << title;
}

TEST_F(RaceTabTest, AnEffectWithTablesOfItsOwnHasAColumnAndALine) {
  EXPECT_FALSE(shown("Faces", "dock")) << "this one has none";
  add_effect(state_.race);
  resize(2400, 1000);
  for (const char* text : {"Faces", "4471", "5221", "from 4471 µs with host_parallel to 5221 µs with host_serial",
                           "the choice is worth 750 µs per frame"})
    EXPECT_TRUE(shown(text, "dock")) << text;
  EXPECT_FALSE(shown("4321", "dock")) << "the bound draws nothing";
  const auto row = TextCheck::place_of("host_serial", "dock/tab_");
  ASSERT_TRUE(row);
  hover(row->GetCenter().x, row->GetCenter().y);
  EXPECT_TRUE(shown("Faces: median 5221 µs, minimum 4900 µs, of 25 runs", "##Tooltip"));
}

TEST_F(RaceTabTest, TheEffectsLineIsBelowTheTable) {
  add_effect(state_.race);
  resize(2400, 1000);
  const auto row = TextCheck::place_of("host_serial", "dock/tab_"),
             line = TextCheck::place_of("the choice is worth", "dock");
  ASSERT_TRUE(row && line);
  EXPECT_GT(line->Min.y, row->Max.y);
  EXPECT_LT(line->Max.y, layout(settings_, 2400, 1000).dock.y + layout(settings_, 2400, 1000).dock.height);
}

TEST_F(RaceTabTest, ARaceSaysWhyItsEffectWasNotTimedAndThatItIsAnotherOneNow) {
  add_effect(state_.race);
  state_.race.earlier_effect = true;
  state_.race.effect_problem = "it needs 300 MB of scratch memory";
  resize(2400, 1000);
  EXPECT_TRUE(shown("Faces: not timed: it needs 300 MB of scratch memory", "dock"));
  EXPECT_TRUE(shown("This race ran with another effect", "dock"));
}

TEST_F(RaceTabTest, UnderTheMouseIsOneRow) {
  const auto first = TextCheck::place_of("memset", "dock"), last = TextCheck::place_of("host_serial", "dock");
  ASSERT_TRUE(first && last);
  int parallel = 0, serial = 0;
  for (float y = first->Min.y; y < last->Max.y; ++y) {
    hover(first->Min.x + 5, y);
    const auto said = TextCheck::texts_of("##Tooltip");  // further down a row may name the chosen one, too
    parallel += !said.empty() && said[0].starts_with("host_parallel");
    serial += !said.empty() && said[0].starts_with("host_serial");
  }
  EXPECT_GT(parallel, 10);
  EXPECT_GT(serial, 5);
}

TEST_F(RaceTabTest, EveryFigureOfARowIsUnderTheMouse) {
  state_.selection.algorithm = gpu::find_sat_algorithm("host_serial");
  state_.selection.algorithm_arguments = state_.race.rows[2].arguments;
  draw(2);
  const auto row = TextCheck::place_of("150.0", "dock");
  ASSERT_TRUE(row);
  const auto dock = places().dock;
  for (const float x : {row->Min.x + 3, dock.x + dock.width * 0.4f, dock.x + dock.width - 30}) {
    hover(x, row->GetCenter().y);
    for (const char* figure :
         {"host_parallel", "minimum 135.0 µs", "25 runs", "1.50 times the bound", "0.17 times that of host_serial"})
      EXPECT_TRUE(shown(figure, "##Tooltip")) << figure << " at " << x;
  }
}

}  // namespace
}  // namespace app::ui
