// Actions that change settings, and those that do not.
#include "app/control/actions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/control/settings_file.h"
#include "app/tests/control/change_contexts.h"
#include "app/tests/control/settings_example.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/sat_card.h"

namespace app {
namespace {

using gpu::Device;

TEST(ActionsTest, TheTableIsInTheOrderOfTheEnumerationAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto& entry : actions()) {
    EXPECT_EQ(&info(entry.action), &entry) << entry.name;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(action_named(entry.name), entry.action);
    EXPECT_FALSE(entry.group.empty() || entry.description.empty()) << entry.name;
  }
  EXPECT_EQ(actions().size(), static_cast<std::size_t>(Action::quit) + 1);
}

TEST(ActionsTest, AnUnknownNameIsRefusedWithTheNearestName) {
  try {
    action_named("screenshoot");
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no action 'screenshoot' (did you mean 'screenshot'?)");
  }
}

TEST(ActionsTest, TheNextAlgorithmIsTheNextOneOfTheList) {
  Settings settings;
  settings.device = DeviceChoice::cuda;
  std::vector<std::string> listed;
  for (const auto family : gpu::sat_families())
    for (const auto* algorithm : gpu::algorithms_of(family))
      if (algorithm->device == Device::cuda && gpu::why_unavailable(*algorithm).empty())
        listed.emplace_back(algorithm->name);
  settings.cuda_algorithm = listed.front();
  for (std::size_t i = 1; i < listed.size(); ++i) {
    apply(Action::next_algorithm, settings, {});
    EXPECT_EQ(settings.cuda_algorithm, listed[i]);
  }
}

TEST(ActionsTest, TheAlgorithmsOfTheCurrentDeviceFormACycle) {
  for (const auto device : {Device::host, Device::cuda}) {
    Settings settings;
    settings.device = device == Device::cuda ? DeviceChoice::cuda : DeviceChoice::host;
    auto& name = device == Device::cuda ? settings.cuda_algorithm : settings.host_algorithm;
    auto& other = device == Device::cuda ? settings.host_algorithm : settings.cuda_algorithm;
    const auto first = name, untouched = other;
    std::set<std::string> seen;
    do {
      EXPECT_EQ(gpu::find_sat_algorithm(name)->device, device);
      EXPECT_TRUE(seen.insert(name).second) << "no cycle";
      ASSERT_TRUE(apply(Action::next_algorithm, settings, {}));
    } while (name != first);
    EXPECT_GE(seen.size(), 2u);
    EXPECT_EQ(other, untouched);
    apply(Action::next_algorithm, settings, {});
    apply(Action::previous_algorithm, settings, {});
    EXPECT_EQ(name, first);
  }
}

TEST(ActionsTest, TheEffectsFormACycle) {
  Settings settings;
  std::set<std::string> seen;
  while (seen.insert(settings.effect).second) apply(Action::next_effect, settings, {});
  EXPECT_EQ(seen.size(), gpu::all_effects().size());
  const auto here = settings.effect;
  apply(Action::previous_effect, settings, {});
  EXPECT_NE(settings.effect, here);
  apply(Action::next_effect, settings, {});
  EXPECT_EQ(settings.effect, here);
}

TEST(ActionsTest, TextBecomesNoLargerThanTheWindowHasRoomFor) {
  ChangeContext small;
  small.most_scale = 1.5;
  Settings settings;
  for (const double scale : {1.25, 1.5}) {
    EXPECT_TRUE(apply(Action::ui_larger, settings, small));
    EXPECT_EQ(settings.ui_scale, scale);
  }
  EXPECT_THROW(apply(Action::ui_larger, settings, small), std::invalid_argument);
  EXPECT_EQ(settings.ui_scale, 1.5);
  settings.ui_scale = 4;  // chosen in a larger window: what is seen becomes smaller
  EXPECT_TRUE(apply(Action::ui_smaller, settings, small));
  EXPECT_EQ(settings.ui_scale, 1.25);
  settings.ui_scale = 4;
  EXPECT_TRUE(apply(Action::ui_larger, settings, {}));
  EXPECT_EQ(settings.ui_scale, 4);
}

TEST(ActionsTest, TheDeviceIsSwitchedOnlyIfThereAreTwo) {
  Settings settings;
  try {
    apply(Action::next_device, settings, nothing);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "no other device: no driver is loaded");
  }
  EXPECT_EQ(settings, Settings());
}

TEST(ActionsTest, TheDevicesFormACycle) {
  Settings settings;
  const auto next = [&](const ChangeContext& context) {
    EXPECT_TRUE(apply(Action::next_device, settings, context));
    return settings.device;
  };
  EXPECT_EQ(next({}), DeviceChoice::host);
  EXPECT_EQ(next({}), DeviceChoice::simulated);
  EXPECT_EQ(next({}), DeviceChoice::cuda);
  settings.device = DeviceChoice::automatic;
  EXPECT_EQ(next(no_gpu), DeviceChoice::simulated);
  EXPECT_EQ(next(no_gpu), DeviceChoice::host);
}

TEST(ActionsTest, TheSimulatedGpuHasCudasAlgorithms) {
  Settings settings;
  settings.device = DeviceChoice::simulated;
  settings.cuda_algorithm = "brlt_scanrow";
  apply(Action::next_algorithm, settings, no_gpu);
  EXPECT_NE(settings.cuda_algorithm, "brlt_scanrow");
  const auto* algorithm = gpu::find_sat_algorithm(settings.cuda_algorithm);
  ASSERT_TRUE(algorithm);
  EXPECT_TRUE(gpu::runs_on(*algorithm, Device::simulated));
}

TEST(ActionsTest, ZoomStepsReachPowersOfTwoAndAreLimited) {
  Settings settings;
  const auto zoom = [&](Action action, double drawn) {
    apply(action, settings, {{}, {}, drawn, true});
    return settings.zoom;
  };
  EXPECT_NEAR(zoom(Action::zoom_in, 0.97), 1, 1e-9);  // from a fit of almost 100%
  EXPECT_NEAR(zoom(Action::zoom_in, 1), std::sqrt(2), 1e-9);
  EXPECT_NEAR(zoom(Action::zoom_out, 1), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(zoom(Action::zoom_in, 1000), 128, 1e-9);
  EXPECT_NEAR(zoom(Action::zoom_out, 0.001), 1.0 / 32, 1e-9);
  EXPECT_EQ(zoom(Action::actual_size, 3), 1);
  EXPECT_EQ(zoom(Action::fit, 3), 0);
  for (const double before : {0.0, 4.0}) {  // a picture that fits is in the middle, whatever the centre was
    settings.zoom = before;
    settings.centre_x = settings.centre_y = 1;
    EXPECT_NEAR(zoom(Action::zoom_in, 1), std::sqrt(2), 1e-9);
    EXPECT_EQ(settings.centre_x, before == 0 ? 0.5 : 1);
    EXPECT_EQ(settings.centre_y, before == 0 ? 0.5 : 1);
  }
}

TEST(ActionsTest, TheSpeedIsHalvedDoubledOrChangedByATenth) {
  Settings settings;
  const auto speed = [&](Action action) {
    EXPECT_TRUE(apply(action, settings, {}));
    return settings.speed;
  };
  EXPECT_EQ(speed(Action::slightly_faster), 1.1);
  EXPECT_EQ(speed(Action::slightly_faster), 1.21);
  EXPECT_EQ(speed(Action::slightly_slower), 1.1);
  EXPECT_EQ(speed(Action::slightly_slower), 1);
  EXPECT_EQ(speed(Action::slightly_slower), 0.91);
  EXPECT_EQ(speed(Action::slightly_faster), 1);
  for (int i = 0; i < 14; ++i) speed(Action::slightly_faster);
  for (int i = 0; i < 14; ++i) speed(Action::slightly_slower);
  EXPECT_EQ(settings.speed, 1);
  EXPECT_EQ(speed(Action::faster), 2);
  EXPECT_EQ(speed(Action::faster), 4);
  EXPECT_EQ(speed(Action::slightly_faster), 4) << "the fastest";
  EXPECT_EQ(speed(Action::normal_speed), 1);
  for (int i = 0; i < 30; ++i) speed(Action::slightly_slower);
  EXPECT_EQ(speed(Action::slower), 0.25) << "the slowest";
}

TEST(ActionsTest, TheStatisticsAreShownWhateverThePanelsShowAndHidden) {
  Settings settings;
  settings.panels = false;
  settings.dock = Dock::race;
  const auto toggle = [&] { EXPECT_TRUE(apply(Action::toggle_statistics, settings, {})); };
  toggle();
  EXPECT_TRUE(settings.panels);
  EXPECT_EQ(settings.dock, Dock::kernels);
  EXPECT_TRUE(shows(settings, Dock::kernels));
  toggle();
  EXPECT_TRUE(settings.panels) << "only the dock is hidden";
  EXPECT_FALSE(settings.dock_open);
  settings.dock = Dock::timeline;
  toggle();
  EXPECT_TRUE(shows(settings, Dock::kernels)) << "another tab was chosen";
  EXPECT_EQ(settings.dock, Dock::kernels);
  settings.simple = true;
  toggle();
  EXPECT_TRUE(settings.panels && !settings.simple) << "the simple layout has none";
}

TEST(ActionsTest, TheSimpleLayoutIsSeenAlthoughThePanelsWereHidden) {
  Settings settings;
  settings.panels = false;
  const auto toggle = [&] { EXPECT_TRUE(apply(Action::toggle_simple, settings, {})); };
  toggle();
  EXPECT_TRUE(settings.panels && settings.simple);
  toggle();
  EXPECT_TRUE(settings.panels && !settings.simple);
}

TEST(ActionsTest, HintsComeWithThePanelsThatTheyPointAt) {
  Settings settings;
  settings.panels = false;
  settings.simple = true;
  EXPECT_TRUE(apply(Action::show_hints, settings, {}));
  EXPECT_TRUE(settings.hints && shows_all_panels(settings));
}

// What Escape does in every window.
TEST(ActionsTest, CloseClosesOneThingAtATimeFromTheTopDownAndEndsNothing) {
  Settings settings;
  settings.fullscreen = settings.help = settings.cards = settings.export_menu = settings.rectangle_tool = true;
  settings.rectangle = PixelBox{1, 2, 3, 4};
  settings.graph_pinned = 7;
  const auto open = [&] {
    return settings.fullscreen + settings.help + settings.cards + settings.export_menu + settings.rectangle_tool +
           settings.rectangle.has_value() + (settings.graph_pinned > 0);
  };
  for (int left = 6; left >= 0; --left) {
    ASSERT_TRUE(apply(Action::close, settings, {}));
    EXPECT_EQ(open(), left);
    EXPECT_EQ(settings.fullscreen, left > 0) << "at last";
  }
  EXPECT_TRUE(apply(Action::close, settings, {}));
  EXPECT_EQ(settings, Settings());
}

TEST(ActionsTest, EverythingIsResetToTheFirstStartButTheSource) {
  auto settings = testing::unusual_settings();
  settings.source = "matrix:8x8";
  settings.matrix = "1,2;3,4";
  settings.zoom = 3;
  settings.rectangle = PixelBox{1, 2, 3, 4};
  settings.hints = false;
  ASSERT_TRUE(apply(Action::reset_everything, settings, nothing));
  auto expected = first_settings();
  expected.source = "matrix:8x8";
  expected.matrix = "1,2;3,4";
  expected.viewer = settings.viewer;  // read at the start only
  expected.window_width = settings.window_width;
  expected.window_height = settings.window_height;
  EXPECT_EQ(settings, expected);
  EXPECT_TRUE(settings.hints) << "where to begin";
  settings.source.clear();
  apply(Action::reset_everything, settings, nothing);
  EXPECT_TRUE(settings.loop) << "as the clip does at every start";
}

TEST(ActionsTest, ActionsThatChangeNoSettingAreLeftToTheCaller) {
  for (const auto action :
       {Action::pause, Action::resume, Action::toggle_pause, Action::reopen, Action::screenshot, Action::record,
        Action::stop_record, Action::toggle_record, Action::export_timings, Action::reset_statistics, Action::quit}) {
    Settings settings;
    EXPECT_FALSE(apply(action, settings, {}));
    EXPECT_EQ(settings, Settings());
  }
}

}  // namespace
}  // namespace app
