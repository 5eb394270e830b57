// Numbers as the panels show them, and the layout of the panels.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "app/tests/ui/ui_example.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

TEST(UiNumbersTextTest, ValuesAreWrittenSoThatTheParameterAcceptsThem) {
  const gpu::Parameter parameters[] = {gpu::real("t", "15", 0, 100, 0.5, ""), gpu::integer("passes", "1", 1, 4, ""),
                                       gpu::real("k", "0.2", -1, 1, 0.01, ""), gpu::size("window", "15x15", 1, 999, "")};
  for (const double value : {-1e300, -3.7, -0.004, 0.0, 0.26, 1.0, 2.5, 99.76, 1e300, std::nan("")})
    for (const auto& parameter : parameters) {
      gpu::Arguments arguments(std::span(&parameter, 1));
      if (parameter.kind == gpu::Parameter::Kind::size) continue;
      EXPECT_NO_THROW(arguments.set(parameter.name, number_text(parameter, value))) << number_text(parameter, value);
    }
  EXPECT_EQ(number_text(parameters[0], 15.26), "15.5");
  EXPECT_EQ(number_text(parameters[0], 15), "15");
  EXPECT_EQ(number_text(parameters[0], HUGE_VAL), "100");
  EXPECT_EQ(number_text(parameters[1], 2.4), "2");
  EXPECT_EQ(number_text(parameters[2], -0.004), "0");
  EXPECT_EQ(text_of_numbers(parameters[3], std::array{0.0, 5000.0}), "1x999");
  EXPECT_EQ(numbers_of(parameters[3], "31x9"), (std::vector{31.0, 9.0}));
}

TEST(UiNumbersTextTest, SlidersEndWhereThePictureDoes) {
  const auto* haar = gpu::find_effect("haar");
  gpu::Arguments arguments(haar->parameters);
  arguments.set("type", "type-3-x");
  const gpu::Size picture{640, 480};
  const Fit fit{haar->display, picture, haar->placement(arguments, picture)};
  const auto end = [&](std::string_view name) {
    for (const auto& parameter : haar->parameters)
      if (parameter.name == name) return slider_end(parameter, fit);
    return 0.0;
  };
  EXPECT_EQ(end("x"), 640 - 3 * 32);
  EXPECT_EQ(end("y"), 480 - 64);
  EXPECT_EQ(end("width"), 640 / 3);
  EXPECT_EQ(end("height"), 480);
  EXPECT_EQ(slider_end(gpu::size("window", "15x15", 1, 2047, ""), fit), 640);
  EXPECT_EQ(slider_end(gpu::size("window", "15x15", 1, 2047, ""), {}), 2047);
  EXPECT_EQ(short_slider_end(640, {}), 255);
  EXPECT_EQ(short_slider_end(100, {}), 100);
  EXPECT_EQ(short_slider_end(3840, gpu::Size{480, 0}), 480) << "what 0 stands for";
}

FrameFigures figures_of_milliseconds(int from, int to) {
  FrameFigures figures;
  for (int i = from; i >= to; --i) {
    FrameTimes frame;
    frame.work_us = i * 1000;
    frame.interval_us = i * 10'000;
    frame.timed = true;
    frame.device = {i * 100.0, 2, 1};
    figures.add(frame);
  }
  return figures;
}

TEST(UiNumbersFrameSummaryTest, PercentilesAreValuesThatWereMeasured) {
  const auto figures = figures_of_milliseconds(100, 1);
  const auto summary = summarise(figures, GraphShows::work, 90);
  EXPECT_EQ(summary.frames, 100u);
  EXPECT_EQ(summary.p50, 50);
  EXPECT_EQ(summary.p90, 90);
  EXPECT_EQ(summary.p99, 99);
  EXPECT_EQ(summary.max, 100);
  EXPECT_DOUBLE_EQ(summary.late, 0.88) << "intervals above 120 ms, whatever is shown";
  EXPECT_EQ(summarise(figures, GraphShows::interval, 90).p50, 500);
  EXPECT_EQ(summarise(figures, GraphShows::kernels, 90).p50, 5);
  EXPECT_EQ(summarise(figures, GraphShows::stages, 90).p50, 5);
  EXPECT_EQ(summarise({}, GraphShows::work, 16).max, 0);
}

TEST(UiNumbersFrameSummaryTest, LowsAreTheRateOfTheSlowestFrames) {
  const auto summary = summarise(figures_of_milliseconds(200, 1), GraphShows::work, 16);
  EXPECT_DOUBLE_EQ(summary.fps, 200 / (200 * 201 / 2 * 0.01));
  EXPECT_DOUBLE_EQ(summary.low_1, 2 / (2.00 + 1.99));
  EXPECT_DOUBLE_EQ(summary.low_01, 1 / 2.00) << "at least one frame";
}

TEST(UiNumbersLayoutTest, PanelsAreInsideTheWindowAndNeverOverThePicture) {
  Settings settings;
  for (const bool open : {false, true})
    for (const float scale : {1.f, 2.f})
      for (const auto& [width, height] : {std::pair{1280, 800}, {960, 600}, {3840, 2160}, {300, 200}, {40, 30}, {1, 1}}) {
        settings.dock_open = open;
        const auto all = layout(settings, width, height, scale);
        const auto w = static_cast<float>(width), h = static_cast<float>(height);
        for (const auto& rect : {all.bar, all.strip, all.picture, all.dock, all.playback}) {
          EXPECT_GE(rect.x, 0);
          EXPECT_GE(rect.y, 0);
          EXPECT_LE(rect.x + rect.width, w + 1) << width << 'x' << height;
          EXPECT_LE(rect.y + rect.height, h + 1) << width << 'x' << height;
          EXPECT_GE(rect.width, 0);
          EXPECT_GE(rect.height, 0);
        }
        EXPECT_EQ(all.bar.y + all.bar.height, all.strip.y);
        EXPECT_EQ(all.strip.y + all.strip.height, all.picture.y);
        EXPECT_LE(all.picture.y + all.picture.height, all.playback.y);
        EXPECT_EQ(all.dock.width > 0, open);
        if (!open) continue;
        EXPECT_EQ(all.dock.y + all.dock.height, all.playback.y);
        EXPECT_TRUE(all.dock.x == all.picture.width || all.dock.y == all.picture.y + all.picture.height);
      }
}

TEST(UiNumbersLayoutTest, TheDockIsAtTheRightAndInANarrowWindowBelowThePicture) {
  Settings settings;
  settings.dock_open = true;
  for (const auto tab : {Dock::frame, Dock::race, Dock::tiles, Dock::detector, Dock::kernel, Dock::study}) {
    settings.dock = tab;
    EXPECT_EQ(layout(settings, 1280, 800, 1).dock.width, 600) << "a tab stays under the mouse that chooses it";
  }
  const auto narrow = layout(settings, 900, 600, 1);
  EXPECT_EQ(narrow.dock.width, 900);
  EXPECT_EQ(narrow.picture.width, 900);
  EXPECT_NEAR(narrow.picture.height * 3, narrow.dock.height * 2, 5) << "its tabs have a few rows below their sentences";
  EXPECT_EQ(layout(settings, 1280, 800, 2).dock.width, 1280) << "narrow for its text";
}

TEST(UiNumbersLayoutTest, TextIsAsLargeAsThePanelsLeaveRoomForThePictureAndAsItsDisplayAsks) {
  for (const auto& [width, height, of_display, most] : {std::tuple{800, 600, 1.0, 1.5},
                                                        {1280, 800, 1.0, 2.0},
                                                        {1920, 600, 1.0, 1.5},
                                                        {800, 2000, 1.0, 1.5},
                                                        {800, 600, 2.0, 2.0},
                                                        {40, 30, 1.0, 1.0},
                                                        {0, 0, 1.0, 1.0}})
    EXPECT_EQ(most_scale(width, height, of_display), most) << width << 'x' << height;
  const auto picture = layout(Settings(), 800, 600, 1.5f).picture;
  EXPECT_GE(picture.width, 800 * 0.5f);
  EXPECT_GE(picture.height, 600 * 0.6f);
}

TEST(UiNumbersLayoutTest, MostOfAWindowIsThePicture) {
  for (const auto& [width, height] : {std::pair{1280, 800}, {960, 600}}) {
    const auto picture = layout(Settings(), width, height, 1).picture;
    EXPECT_EQ(picture.width, static_cast<float>(width));
    EXPECT_GT(picture.height, static_cast<float>(height) * 0.8f);
  }
}

TEST(UiNumbersLayoutTest, WithoutPanelsThePictureFillsTheWindow) {
  Settings settings;
  settings.panels = false;
  settings.dock_open = true;
  const auto all = layout(settings, 640, 480, 1);
  EXPECT_EQ(all.picture.width, 640);
  EXPECT_EQ(all.picture.height, 480);
  for (const auto& rect : {all.bar, all.strip, all.dock, all.playback}) EXPECT_EQ(rect.width, 0);
}

TEST(UiNumbersLayoutTest, AChosenWidthOfTheDockIsKeptWithinLimits) {
  Settings settings;
  settings.dock_open = true;
  settings.dock_width = 400;
  EXPECT_EQ(layout(settings, 1280, 800, 1).dock.width, 400);
  EXPECT_EQ(layout(settings, 2560, 1600, 2).dock.width, 800) << "in pixels of a display of scale 1";
  settings.dock_width = 5000;
  EXPECT_GT(layout(settings, 1280, 800, 1).picture.width, 300);
  settings.dock_width = 1;
  EXPECT_GE(layout(settings, 1280, 800, 1).dock.width, 280);
}

}  // namespace
}  // namespace app::ui
