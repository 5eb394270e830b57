// The panels under mouse and keyboard, without a display: ImGui gets the input, and the results are checked.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

#include "app/tests/ui/panels_test.h"
#include "app/ui/theme.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

using UiPanelsTest = PanelsTest;

TEST_F(UiPanelsTest, KeysChangeSettingsAndOtherActionsAreReturned) {
  EXPECT_TRUE(type("e").empty());
  EXPECT_NE(settings_.effect, "box_blur");
  EXPECT_TRUE(type("E").empty());
  EXPECT_EQ(settings_.effect, "box_blur");
  EXPECT_EQ(type(" sq"), (std::vector{Action::toggle_pause, Action::screenshot, Action::quit}));
}

TEST_F(UiPanelsTest, AnotherThemeKeepsTheFontsAndAnotherSizeMakesThemAnew) {
  apply_theme({1, Theme::light});
  EXPECT_TRUE(ImGui::GetIO().Fonts->IsBuilt());
  const auto usual = font(Font::regular)->FontSize;
  apply_theme({1.25f, Theme::light});
  EXPECT_GT(font(Font::regular)->FontSize, usual);
}

TEST_F(UiPanelsTest, LettersAreReadOnTheBarsOfBothThemes) {
  for (const auto theme : {Theme::dark, Theme::light}) {
    apply_theme({1, theme});
    std::vector<ImU32> fills{colour::active, colour::dim};
    fills.insert(fills.end(), colours().rows.begin(), colours().rows.end());
    for (const auto fill : fills)
      for (const unsigned alpha : {255u, 150u}) {  // as on the lanes of the GPU and of the CPU
        const auto seen = colour::translucent(fill, alpha);
        EXPECT_GE(colour::contrast(colour::letters_on(seen), colour::mixed(seen, colour::panel)), 4.5) << std::hex << seen;
      }
    EXPECT_GE(colour::contrast(colour::letters_on(colour::active), colour::active), 4.5) << "groups";
  }
}

TEST_F(UiPanelsTest, AMissingDeviceIsRefusedWithTheReason) {
  state_.context.no_simulated = "it is not built";
  EXPECT_TRUE(type("d").empty());
  EXPECT_EQ(refusals_, std::vector<std::string>{
                           "no other device; no simulated GPU: it is not built; no GPU: no NVIDIA driver is loaded"});
  EXPECT_EQ(settings_.device, DeviceChoice::automatic);
}

TEST_F(UiPanelsTest, IClosesTheDockAndNothingElse) {
  const auto with_dock = layout(settings_, 1280, 1000);
  type("i");
  EXPECT_TRUE(settings_.panels);
  const auto without = layout(settings_, 1280, 1000);
  EXPECT_EQ(without.dock.width, 0);
  EXPECT_EQ(without.picture.width, with_dock.picture.width + with_dock.dock.width);
  EXPECT_EQ(without.picture.height, with_dock.picture.height);
  draw(2);
  EXPECT_FALSE(ImGui::FindWindowByName("dock")->Active);
  EXPECT_TRUE(ImGui::FindWindowByName("strip")->Active);
  type("i");
  EXPECT_EQ(layout(settings_, 1280, 1000).dock.width, with_dock.dock.width);
}

TEST_F(UiPanelsTest, QQuitsFromTheHelpToo) {
  type("h");
  draw(2);
  EXPECT_EQ(type("q"), std::vector{Action::quit});
}

TEST_F(UiPanelsTest, WhateverIsClickedTheSettingsStayValid) {
  state_.context.no_simulated = "it is not built";
  std::mt19937 random(7);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::set<std::string> effects, cards, values;
  auto& io = ImGui::GetIO();
  for (int i = 0; i < 9000; ++i) {
    // Mostly in the bar and the strip, where the choices are; every fourth click is a drag.
    io.MousePos = {static_cast<float>(below(1280)), static_cast<float>(below(i % 4 ? 82 : 1000))};
    // If a list is open, somewhere in the list.
    const auto& open = ImGui::GetCurrentContext()->OpenPopupStack;
    if (!open.empty() && open.back().Window) {
      const auto list = open.back().Window->InnerRect;
      io.MousePos = {
          list.Min.x + 10 + static_cast<float>(below(static_cast<int>(list.GetWidth()) + 1)) * (i % 2 ? 1.f : 0.f),
          list.Min.y + static_cast<float>(below(static_cast<int>(list.GetHeight()) + 1))};
    }
    draw();
    io.MouseDown[0] = true;
    draw();
    if (i % 4 == 0) io.MousePos.x += static_cast<float>(below(120) - 60);
    draw();
    io.MouseDown[0] = false;
    io.MouseWheel = static_cast<float>(below(9) == 0 ? below(3) - 1 : 0);
    draw();
    if (below(3) == 0) type(std::string(1, "0123456789-.x "[below(14)]));
    if (below(6) == 0) press(KeyCode::enter);
    ASSERT_NO_THROW(make_selection(settings_, gpu::Device::host)) << "after step " << i;
    settings_.panels = true;
    settings_.help = settings_.browse = settings_.palette = settings_.preferences = settings_.presentation = false;
    if (below(20) == 0) settings_.cards = false;
    effects.insert(settings_.effect);
    cards.insert(settings_.card);
    for (const auto& [effect, map] : settings_.effect_values)
      for (const auto& [name, value] : map) values.insert(effect + '.' + name + '=' + value);
  }
  // The clicks have reached the controls.
  EXPECT_EQ(effects.size(), gpu::all_effects().size());
  EXPECT_GE(cards.size(), 4u);
  EXPECT_GE(values.size(), 10u);
  EXPECT_TRUE(settings_.device == DeviceChoice::automatic || settings_.device == DeviceChoice::host)
      << "there is no other device";
}

TEST_F(UiPanelsTest, ExtremeValuesAreDrawn) {
  constexpr auto nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinity, -infinity, -1.0, 1e300}) {
    FrameRecord frame;
    frame.interval_us = frame.work_us = bad;
    const std::vector<FrameRecord> frames(50, frame);
    state_.frames = frames;
    state_.graph.target_ms = bad;
    state_.graph.summary = {50, bad, bad, bad, bad, bad, bad, bad, bad};
    auto row = example_row("kernel", bad, bad, bad);
    row.gb_per_s = row.of_bound = bad;
    state_.kernels.rows = {row, row};
    state_.kernels.total = row.stage;
    state_.kernels.computing = state_.kernels.transfers = state_.kernels.timing_us = bad;
    state_.kernels.bound = BoundTime{bad, "memset"};
    state_.timeline = example_timeline(state_.kernels, bad);
    state_.fps = state_.picture_fps = state_.context.zoom = state_.position = state_.frame_age_ms = bad;
    state_.capture.length = bad;
    settings_.effect_values["box_blur"]["window"] = "99999999999x-1";
    settings_.effect_values["box_blur"]["passes"] = "nan";
    for (const auto view : {FrameView::table, FrameView::one_frame}) {
      settings_.frame_view = view;
      EXPECT_NO_THROW(draw());
    }
  }
}

TEST_F(UiPanelsTest, LongTextsOfArbitraryBytesAreDrawn) {
  const std::string bytes = "%s%n \xff\xfe\xc3 \n\t" + std::string(5000, 'w');
  state_.capture.description = state_.capture.message = bytes;
  state_.staged_reason = state_.context.no_cuda = bytes;
  state_.cameras = {example_camera(0, bytes, bytes), example_camera(1, "")};
  state_.recent.assign(3, bytes);
  state_.kernels.rows[0].stage.name = bytes;
  state_.messages.assign(40, {Message::Kind::error, bytes, 0});
  settings_.source = settings_.effect = settings_.host_algorithm = bytes;
  EXPECT_NO_THROW(draw(3));
  click(100, 22);  // the list of sources
  draw(3);
}

TEST_F(UiPanelsTest, WindowsOfAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {20, 4000}, {4000, 20}, {200, 150}, {7680, 4320}}) {
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    for (const bool help : {false, true}) {
      settings_.help = help;
      EXPECT_NO_THROW(draw(2));
    }
  }
}

TEST_F(UiPanelsTest, TheInitialStateIsDrawn) {
  state_ = State();
  settings_ = Settings();
  EXPECT_TRUE(draw(3).empty());
  EXPECT_EQ(settings_, Settings());  // drawing changes nothing
}

TEST_F(UiPanelsTest, DrawingChangesNothing) {
  const auto before = settings_;
  for (const auto* effect : gpu::all_effects()) {
    settings_.effect = effect->name;
    draw(2);
    settings_.effect = before.effect;
    EXPECT_EQ(settings_, before) << effect->name;
  }
}

}  // namespace
}  // namespace app::ui
