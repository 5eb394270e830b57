// The frame graph under the mouse: ranges, pins, zoom.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

// The frame graph: a click pins a frame, dragging selects a range, Escape or a click outside of it ends that.
class FrameGraphPlotTest : public PanelsTest {
 protected:
  // A place in the plot, in fractions of its width; below its menu.
  ImVec2 at(float x) const {
    const auto dock = layout(settings_, 1280, 1000).dock;
    const auto menu = TextCheck::place_of("···", "dock/tab_");
    EXPECT_TRUE(menu);
    return {dock.x + 70 + (dock.width - 90) * x, (menu ? menu->Max.y : 0) + 200};
  }
  // What the tab of the dock has drawn.
  static const ImDrawList& drawn_in_tab() {
    for (const auto* list : draw_lists())
      if (std::string_view(list->_OwnerName).starts_with("dock/tab_")) return *list;
    ADD_FAILURE() << "no tab";
    return *draw_lists().front();
  }
  void move(float x, bool down) {
    auto& io = ImGui::GetIO();
    io.MousePos = at(x);
    io.MouseDown[0] = down;
    draw();
  }
  void drag(float from, float to) {
    move(from, false);
    move(from, true);
    move((from + to) / 2, true);
    move(to, true);
    move(to, false);
    draw();
  }
};

TEST_F(FrameGraphPlotTest, DraggingSelectsFramesAndEscapeEndsIt) {
  drag(0.9f, 0.4f);
  ASSERT_TRUE(settings_.graph_range);
  EXPECT_LT(settings_.graph_range->first, settings_.graph_range->last);
  EXPECT_GE(settings_.graph_range->first, 1000u);
  EXPECT_LE(settings_.graph_range->last, 1239u);
  EXPECT_EQ(settings_.graph_pinned, 0);
  EXPECT_TRUE(press(KeyCode::escape).empty());
  EXPECT_FALSE(settings_.graph_range);
  EXPECT_TRUE(press(KeyCode::escape).empty()) << "nothing quits";
}

TEST_F(FrameGraphPlotTest, TheEndsOfTheRangeAreWholeInEveryWindow) {
  settings_.graph_range = FrameRange{1150, 1219};
  state_.graph.of = state_.graph.summary_of = {70, 1150, 1219, true};
  for (const ImVec2 size : {ImVec2(1000, 700), ImVec2(1280, 800), ImVec2(1920, 1080)})
    for (const bool paused : {false, true}) {
      ImGui::GetIO().DisplaySize = size;
      settings_.graph_paused = paused;
      draw(2);
      EXPECT_TRUE(TextCheck::place_of("1150 to 1219", "dock/tab_")) << size.x << (paused ? ", paused" : "");
      EXPECT_TRUE(TextCheck::faults().empty()) << size.x;
    }
}

TEST_F(FrameGraphPlotTest, FramesWithoutKernelTimesHaveNoBarsAndNoFigures) {
  FrameHistory untimed;
  Work work;
  work.number = 1;
  untimed.begin(work);
  for (std::uint64_t id = 1; id <= 76; ++id) {
    FrameRecord frame;
    frame.id = id;
    frame.work_us = frame.interval_us = 5000;
    frame.work_number = work.number;
    frame.presented += std::chrono::milliseconds(5 * id);
    untimed.add(frame);
    std::vector<StageTime> stages;
    untimed.complete(frame_times(frame, stages));
  }
  state_.kernels = {};  // whose bars have the same colour
  state_.graph.history = &untimed;
  state_.graph.of = {76, 1, 76, false};
  const auto figures = untimed.figures({0, 76});
  const auto bars = [] { return std::ranges::count(drawn_in_tab().VtxBuffer, colour::good, &ImDrawVert::col); };
  for (const auto shows : {GraphShows::kernels, GraphShows::stages, GraphShows::work}) {
    settings_.graph_shows = shows;
    settings_.graph_histogram = false;
    summarise(figures, settings_, state_.graph);
    draw(2);
    const bool timed = shows == GraphShows::work;
    EXPECT_EQ(bars() > 0, timed);
    EXPECT_EQ(TextCheck::place_of("0.000", "dock/tab_").has_value(), false);
    EXPECT_EQ(TextCheck::place_of("none timed", "dock/tab_").has_value(), !timed);
    EXPECT_TRUE(TextCheck::faults().empty());
  }
}

// With few frames the left part is empty.
TEST_F(FrameGraphPlotTest, ADragThatBeginsOrEndsBesideTheFramesSelectsUpToTheNearest) {
  const auto few = example_frame_history(200);
  state_.graph.history = &few;
  draw();
  for (const bool begins_there : {false, true}) {
    settings_.graph_range.reset();
    begins_there ? drag(0.1f, 1) : drag(1, 0.1f);
    ASSERT_TRUE(settings_.graph_range) << begins_there;
    EXPECT_EQ(settings_.graph_range->first, 1200u);
    EXPECT_GT(settings_.graph_range->last, 1210u);
    EXPECT_LT(settings_.graph_range->last, 1239u);
  }
  drag(0.1f, 0.3f);
  EXPECT_FALSE(settings_.graph_range) << "it selects nothing, as a click outside of the selection";
  click(at(0.1f).x, at(0).y);
  EXPECT_EQ(settings_.graph_pinned, 0);
}

TEST_F(FrameGraphPlotTest, AClickOutsideOfTheSelectionEndsIt) {
  drag(0.9f, 0.6f);
  ASSERT_TRUE(settings_.graph_range);
  click(at(0.75f).x, at(0).y);
  EXPECT_TRUE(settings_.graph_range) << "inside";
  EXPECT_NE(settings_.graph_pinned, 0);
  click(at(0.2f).x, at(0).y);
  EXPECT_FALSE(settings_.graph_range);
}

TEST_F(FrameGraphPlotTest, AClickPinsAFrameAndAnotherOneUnpinsIt) {
  click(at(0.8f).x, at(0).y);
  ASSERT_GE(settings_.graph_pinned, 1000);
  ASSERT_LE(settings_.graph_pinned, 1239);
  draw(2);
  const auto* card = ImGui::FindWindowByName("pinned frame");
  ASSERT_NE(card, nullptr);
  EXPECT_TRUE(card->WasActive);
  EXPECT_LE(card->Pos.x + card->Size.x, layout(settings_, 1280, 1000).dock.x) << "it hides no bar";
  click(at(0.8f).x, at(0).y);
  EXPECT_EQ(settings_.graph_pinned, 0);
}

TEST_F(FrameGraphPlotTest, TheBarsStandStillWhileTheMouseIsThere) {
  auto history = example_frame_history();
  state_.graph.history = &history;
  const auto pin_at = [&](float x) {
    settings_.graph_pinned = 0;
    for (const bool down : {false, true, false}) move(x, down);
    draw();
    return settings_.graph_pinned;
  };
  const auto before = pin_at(0.8f);
  ASSERT_GE(before, 1000);
  auto frame = example_frames().back();
  std::vector<StageTime> stages;
  for (int i = 0; i < 30; ++i) {
    ++frame.id;
    history.add(frame);
    history.complete(frame_times(frame, stages));
    draw();
  }
  EXPECT_EQ(pin_at(0.8f), before) << "the bar that was aimed at";
  drag(0.8f, 0.7f);
  ASSERT_TRUE(settings_.graph_range);
  EXPECT_EQ(settings_.graph_range->last, static_cast<std::uint64_t>(before));
  settings_.graph_range.reset();
  ImGui::GetIO().MousePos = {300, 400};
  draw(2);
  EXPECT_EQ(pin_at(0.8f), before + 30) << "they have gone on";
}

TEST_F(FrameGraphPlotTest, TheCardOfThePinnedFrameLeavesThePictureToTheMouse) {
  const auto shown = [] {
    const auto* card = ImGui::FindWindowByName("pinned frame");
    return card && card->WasActive;
  };
  const auto pin = [&] {
    click(at(0.8f).x, at(0).y);
    draw(2);
    EXPECT_NE(settings_.graph_pinned, 0);
    EXPECT_TRUE(shown());
  };
  pin();
  const auto& picture = layout(settings_, 1280, 1000).picture;
  ImGui::GetIO().MousePos = {picture.x + picture.width / 2, picture.y + picture.height / 2};
  draw(3);
  EXPECT_FALSE(shown());
  EXPECT_NE(settings_.graph_pinned, 0) << "it stays pinned";
  move(0.6f, false);
  draw(3);
  EXPECT_TRUE(shown());
  settings_.dock = Dock::race;
  draw(3);
  EXPECT_FALSE(shown()) << "another tab";
}

// With few frames the left part is empty.
TEST_F(FrameGraphPlotTest, AClickBesideTheFramesPinsNothing) {
  const auto few = example_frame_history(200);
  state_.graph.history = &few;
  settings_.graph_pinned = 1220;
  draw(2);
  click(at(0.1f).x, at(0).y);
  EXPECT_EQ(settings_.graph_pinned, 0);
}

TEST_F(FrameGraphPlotTest, AfterADragTheFrameUnderTheMouseHasItsCardAgain) {
  const auto shown = [] {
    const auto* card = ImGui::FindWindowByName("hovered frame");
    return card && card->WasActive;
  };
  move(0.6f, false);
  move(0.6f, true);
  move(0.8f, true);
  draw(2);
  EXPECT_FALSE(shown());
  move(0.8f, false);
  draw(2);
  EXPECT_TRUE(shown());
}

TEST_F(FrameGraphPlotTest, ThePinnedFrameHasOneCardAlthoughTheMouseIsThere) {
  const auto shown = [](const char* name) {
    const auto* card = ImGui::FindWindowByName(name);
    return card && card->WasActive;
  };
  click(at(0.8f).x, at(0).y);
  draw(2);
  EXPECT_TRUE(shown("pinned frame"));
  EXPECT_FALSE(shown("hovered frame"));
  move(0.6f, false);
  draw(2);
  EXPECT_TRUE(shown("pinned frame"));
  EXPECT_TRUE(shown("hovered frame"));
}

// Whichever was there first.
TEST_F(FrameGraphPlotTest, TheCardOfThePinnedFrameLiesOverPanelsAndBelowMenus) {
  const auto place = [](std::string_view name) {
    ImGuiWindow* window = nullptr;
    for (auto* each : ImGui::GetCurrentContext()->Windows)
      if (each->Active && !(each->Flags & ImGuiWindowFlags_ChildWindow) && std::string_view(each->Name).starts_with(name))
        window = each;
    EXPECT_NE(window, nullptr) << name;
    if (!window) return -1;
    EXPECT_EQ(window->Flags & ImGuiWindowFlags_Tooltip, 0) << "that would lie over everything";
    return ImGui::FindWindowDisplayIndex(window);
  };
  for (const bool menu_first : {true, false}) {
    settings_.export_menu = menu_first;
    settings_.graph_pinned = 0;
    draw(2);
    settings_.graph_pinned = 1200;
    draw(2);
    settings_.export_menu = true;
    draw(2);
    EXPECT_LT(place("pinned frame"), place("##Popup")) << menu_first;
    EXPECT_GT(place("pinned frame"), place("dock")) << menu_first;
    EXPECT_GT(place("pinned frame"), place("playback")) << menu_first;
  }
}

TEST_F(FrameGraphPlotTest, TheTargetIsOnTheAxisAlsoWhereAllBarsAreAboveIt) {
  state_.graph.target_ms = 1.23;
  draw(2);
  EXPECT_TRUE(TextCheck::place_of("1.2", "dock/tab_"));
}

// The scales differ where frames of before, which are not among those of the figures, were much slower.
TEST_F(FrameGraphPlotTest, EveryBarOfTheHistogramIsAtLeastAPixelHigh) {
  settings_.graph_histogram = true;
  const auto dock = layout(settings_, 1280, 1000).dock;
  const auto left = dock.x + dock.width - 12 - ImGui::GetFontSize() * 3.5f;  // where the plot ends
  for (const double top : {50.0, 5.0, 0.5, 0.05}) {
    state_.graph.histogram_top = top;
    state_.graph.histogram.assign(48, 1);
    draw(2);
    const auto& vertices = drawn_in_tab().VtxBuffer;
    float covered = 0;
    for (int i = 0; i + 3 < vertices.Size; ++i) {
      const auto &corner = vertices[i], &opposite = vertices[i + 2];
      if (corner.col != colour::good || corner.pos.x < left || opposite.pos.x - corner.pos.x < 1) continue;
      EXPECT_GE(opposite.pos.y - corner.pos.y, 1) << top;
      covered += opposite.pos.y - corner.pos.y;
      i += 3;
    }
    EXPECT_GE(covered, 1) << top;
  }
}

TEST_F(FrameGraphPlotTest, AFrameUnderTheMouseIsDescribedBesideTheGraph) {
  move(0.8f, false);
  draw(2);
  const auto* card = ImGui::FindWindowByName("hovered frame");
  ASSERT_NE(card, nullptr);
  EXPECT_TRUE(card->WasActive);
  EXPECT_LE(card->Pos.x + card->Size.x, layout(settings_, 1280, 1000).dock.x);
}

TEST_F(FrameGraphPlotTest, TheWheelZoomsAndTheRightButtonPans) {
  auto& io = ImGui::GetIO();
  move(0.5f, false);
  draw();
  io.MouseWheel = 2;
  draw();
  EXPECT_GT(settings_.graph_frames, 0);
  const auto few = settings_.graph_frames;
  io.MouseWheel = -5;
  draw();
  EXPECT_GT(settings_.graph_frames, few);
  settings_.graph_frames = 40;
  draw();
  io.MouseDown[1] = true;
  draw();
  io.MousePos.x += 100;
  draw();
  io.MouseDown[1] = false;
  draw();
  EXPECT_GT(settings_.graph_end, 1000);
  EXPECT_LT(settings_.graph_end, 1239);
}

// Frames that are computed in 5 ms, and come each so many milliseconds after the one before.
class FrameGraphPlotRateTest : public FrameGraphPlotTest {
 protected:
  template <class Interval>
  void show_frames(std::uint64_t count, Interval interval) {
    history_ = {};
    Work work;
    work.number = 1;
    history_.begin(work);
    std::vector<StageTime> stages;
    for (std::uint64_t id = 1; id <= count; ++id) {
      FrameRecord frame;
      frame.id = id;
      frame.work_number = work.number;
      frame.work_us = 5000;
      frame.interval_us = interval(id) * 1000.0;
      frame.times.timed = true;
      frame.times.paths = std::make_shared<std::vector<std::string>>(1, "luma");
      frame.times.spans = {{0, -1, 0, 0, 3100, true}};
      history_.add(frame);
      history_.complete(frame_times(frame, stages));
    }
    state_.graph.history = &history_;
    state_.graph.target_ms = 1000.0 / 30;
    state_.graph.of = {count, 1, count, false};
    summarise(history_.figures({0, count}), settings_, state_.graph);
    draw(2);
  }
  static bool drawn(std::string_view window, ImU32 colour) {
    return has(window.starts_with("dock") ? drawn_in_tab() : *ImGui::FindWindowByName(window.data())->DrawList, colour);
  }

 private:
  FrameHistory history_;
};

TEST_F(FrameGraphPlotRateTest, NothingIsGreenWhilePicturesComeTooSlowly) {
  for (const auto shows : {GraphShows::interval, GraphShows::work, GraphShows::kernels}) {
    settings_.graph_shows = shows;
    show_frames(60, [](auto) { return 550; });
    EXPECT_FALSE(drawn("dock/tab_", colour::good)) << static_cast<int>(shows);
    EXPECT_TRUE(drawn("dock/tab_", colour::bad)) << static_cast<int>(shows);
  }
}

TEST_F(FrameGraphPlotRateTest, FramesOnTimeAreGreenByDefault) {
  state_.picture_fps = 30;
  show_frames(60, [](auto id) { return id % 2 == 0 ? 32 : 35; });
  EXPECT_EQ(settings_.graph_shows, GraphShows::interval);
  EXPECT_TRUE(drawn("dock/tab_", colour::good));
  EXPECT_FALSE(drawn("dock/tab_", colour::warning));
}

TEST_F(FrameGraphPlotRateTest, AColumnOfFramesHasTheColourOfItsMedianUpToItAndThatOfItsSlowestAbove) {
  settings_.graph_frames = 4000;
  settings_.graph_histogram = false;
  show_frames(4000, [](auto id) { return id % 10 == 0 ? 90 : 30; });
  EXPECT_TRUE(drawn("dock/tab_", colour::good)) << "the median";
  EXPECT_TRUE(drawn("dock/tab_", colour::translucent(colour::bad, 110))) << "the slowest";
  EXPECT_FALSE(drawn("dock/tab_", colour::bad));
}

TEST_F(FrameGraphPlotRateTest, TheGraphSaysWhatItsBarsAreAndInWhichUnit) {
  for (const auto& [shows, words] :
       {std::pair(GraphShows::interval, "Frames ms"), {GraphShows::work, "Work ms"}, {GraphShows::kernels, "Kernels ms"}}) {
    settings_.graph_shows = shows;
    for (const float width : {800.f, 1280.f}) {
      ImGui::GetIO().DisplaySize.x = width;
      show_frames(60, [](auto) { return 33; });
      EXPECT_TRUE(TextCheck::place_of(words, "dock/tab_")) << width;
    }
  }
}

TEST_F(FrameGraphPlotRateTest, TheMenuHasWhatTheGraphShows) {
  show_frames(60, [](auto) { return 33; });
  const auto click_text = [this](const char* text, const char* window) {
    const auto place = TextCheck::place_of(text, window);
    EXPECT_TRUE(place) << text;
    const auto actions = place ? click(place->GetCenter().x, place->GetCenter().y) : std::vector<Action>();
    draw(2);
    return actions;
  };
  click_text("···", "dock/tab_");
  click_text("Pause", "##Popup");
  EXPECT_TRUE(settings_.graph_paused);
  click_text("···", "dock/tab_");
  EXPECT_EQ(click_text("Reset all figures", "##Popup"), std::vector{Action::reset_statistics});
  click_text("···", "dock/tab_");
  click_text("Histogram", "##Popup");
  EXPECT_TRUE(settings_.graph_histogram);
}

TEST_F(FrameGraphPlotRateTest, EveryFigureIsUnderTheMouse) {
  show_frames(60, [](auto) { return 33; });
  const auto place = TextCheck::place_of("worst", "dock/tab_");
  ASSERT_TRUE(place);
  ImGui::GetIO().MousePos = place->GetCenter();
  draw(3);
  for (const char* figure : {"p50", "p90", "p99", "worst", "average", "1% low", "0.1% low", "late"})
    EXPECT_TRUE(TextCheck::place_of(figure, "##Tooltip")) << figure;
}

TEST_F(FrameGraphPlotRateTest, APictureThatStaysHasNoIntervalsAndTheGraphSaysSo) {
  show_frames(60, [](auto) { return 0; });
  for (const ImVec2 size : {ImVec2(1000, 700), ImVec2(1280, 800)}) {
    ImGui::GetIO().DisplaySize = size;
    draw(2);
    EXPECT_TRUE(TextCheck::place_of("no intervals", "dock/tab_")) << size.x;
    EXPECT_EQ(TextCheck::place_of("othing plays", "dock/tab_").has_value(),
              TextCheck::place_of("no intervals: nothing plays", "dock/tab_").has_value())
        << size.x;
  }
  settings_.graph_shows = GraphShows::work;
  draw(2);
  EXPECT_FALSE(TextCheck::place_of("no intervals", "dock/tab_"));
  EXPECT_FALSE(has(drawn_in_tab(), colour::good)) << "nobody knows whether they are on time";
}

}  // namespace
}  // namespace app::ui
