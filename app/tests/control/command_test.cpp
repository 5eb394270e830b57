// Actions that change settings, and those that do not.
#include "app/control/command.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/control/cards.h"
#include "app/control/fields.h"
#include "app/control/settings_file.h"
#include "app/tests/control/settings_example.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using gpu::Device;

TEST(CommandTest, EveryActionAndLineHasItsRowAndNamesAreUnique) {
  std::set<std::string_view> names;
  std::set<Action> own;
  for (const auto& entry : actions()) {
    EXPECT_EQ(&info(command_of(entry)), &entry) << entry.name;
    EXPECT_EQ(command_of(entry).action, entry.action) << entry.name;
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_TRUE(entry.old_name.empty() || names.insert(entry.old_name).second) << entry.name;
    EXPECT_FALSE(entry.group.empty() || entry.description.empty()) << entry.name;
    if (entry.is_line()) {
      EXPECT_FALSE(info(entry.action).takes.empty()) << entry.name;
    } else {
      EXPECT_TRUE(own.insert(entry.action).second) << entry.name;
      EXPECT_EQ(&info(entry.action), &entry) << entry.name;
    }
  }
  EXPECT_EQ(own.size(), static_cast<std::size_t>(Action::quit) + 1);
  EXPECT_EQ(description("seek +5"), "5 seconds forward");
  EXPECT_EQ(description("seek +6"), description(Action::seek));
  EXPECT_EQ(description(Command(Action::record, "a.mp4")), "Start recording");
}

TEST(CommandTest, AnEditorIsOpenedAtALineOfAFile) {
  const auto edited = [](const char* line) {
    const auto command = parse_command(line);
    EXPECT_EQ(command.action, Action::edit_kernel);
    return std::pair(command.text, command.number.value_or(0));
  };
  EXPECT_EQ(edited("edit_kernel"), std::pair(std::string(), 0.0));
  EXPECT_EQ(edited("edit_kernel 30"), std::pair(std::string(), 30.0));
  EXPECT_EQ(edited("edit_kernel my files/mine.cu"), std::pair(std::string("my files/mine.cu"), 0.0));
  EXPECT_EQ(edited("edit_kernel mine.cu:30"), std::pair(std::string("mine.cu"), 30.0));
  EXPECT_EQ(parse_command("new_kernel to mine.cu").to, "mine.cu");
  const auto effect = parse_command("new_kernel effect to mine.cu");
  EXPECT_EQ(effect.to, "mine.cu");
  EXPECT_EQ(effect.text, "effect");
}

TEST(CommandTest, ALineNamesAnActionAndWhatItTakes) {
  const auto with_number = [](Action action, double number, bool relative = false) {
    Command command(action);
    command.number = number;
    command.relative = relative;
    return command;
  };
  const auto of_setting = [](Action action, std::string setting, std::string text) {
    Command command(action);
    command.setting = std::move(setting);
    command.text = std::move(text);
    return command;
  };
  Command opened(Action::open);
  opened.text = "my clip.mp4";
  const std::pair<const char*, Command> table[] = {
      {"seek 3.5", with_number(Action::seek, 3.5)},
      {"seek 1:30", with_number(Action::seek, 90)},
      {"seek -5", with_number(Action::seek, -5, true)},
      {"seek +0:05", with_number(Action::seek, 5, true)},
      {"seek 75:59.5", with_number(Action::seek, 4559.5)},
      {"step 10", with_number(Action::step, 10)},
      {"step -1", with_number(Action::step, -1)},
      {"set effect haar", of_setting(Action::set, "effect", "haar")},
      {"set matrix 1,2;3,4", of_setting(Action::set, "matrix", "1,2;3,4")},
      {"set rectangle", of_setting(Action::set, "rectangle", "")},
      {"  add  haar.x  -8 ", of_setting(Action::add, "haar.x", "-8")},
      {"multiply speed 2", of_setting(Action::multiply, "speed", "2")},
      {"speed *2", of_setting(Action::multiply, "speed", "2")},
      {"speed / 2", of_setting(Action::multiply, "speed", "0.5")},
      {"cycle device", of_setting(Action::cycle, "device", "")},
      {"cycle effect back", of_setting(Action::cycle, "effect", "back")},
      {"toggle graph_paused", of_setting(Action::toggle, "graph_paused", "")},
      {"toggle pause", Action::toggle_pause},
      {"toggle_pause", Action::toggle_pause},
      {"toggle loop", of_setting(Action::toggle, "loop", "")},
      {"reset speed", of_setting(Action::reset, "speed", "")},
      {"reset statistics", Action::reset_statistics},
      {"reset everything", Action::reset_everything},
      {"open my clip.mp4", opened},
      {"open 'my clip.mp4'", opened},
      {"race", Action::start_race},
      {"start_race", Action::start_race},
      {"export csv to my times.csv", {Action::export_csv, "my times.csv"}},
      {"export to t.json", {Action::export_timings, "t.json"}},
      {"save picture", Action::save_picture},
  };
  for (const auto& [line, command] : table) EXPECT_EQ(parse_command(line), command) << line;
}

TEST(CommandTest, AWrongLineIsRefusedInOneLineThatSuggestsTheNearestWord) {
  const std::pair<const char*, const char*> table[] = {
      {"", "an empty line"},
      {"screenshoot", "no command 'screenshoot' (did you mean 'screenshot'?)"},
      {"seek", "seek takes a time"},
      {"seek soon", "seek takes a time"},
      {"seek +-3", "seek takes a time"},
      {"seek 1:75", "minutes and seconds below 60"},
      {"seek 1:60:00", "minutes and seconds below 60"},
      {"seek 1.5:30", "seek takes a time"},
      {"step 1.5", "step takes a whole number of frames"},
      {"step 0", "step takes a whole number of frames"},
      {"step nan", "step takes a whole number of frames"},
      {"step 9999999", "at most 1048576, not '9999999'"},
      {"set", "set needs SETTING VALUE"},
      {"add speed", "add needs more: add SETTING NUMBER"},
      {"cycle device twice", "cycle takes SETTING [back], not 'twice'"},
      {"toggle loop on", "toggle takes SETTING, not 'on' as well"},
      {"toggle check now", "toggle takes SETTING, not 'now'"},
      {"quit now", "quit takes no argument, not 'now'"},
      {"screenshot a.png", "screenshot takes \"to FILE\""},
      {"screenshot to a.jpg", "must end in .png"},
      {"speed *0", "multiplied by a factor"},
      {"speed *nan", "multiplied by a factor"},
      {"opne /tmp/x.mp4", "no command 'opne' (did you mean 'open'?)"},
      {"multiply speed -1", "multiplied by a factor"},
      {"speed 2", "'speed' is a setting: set speed VALUE"},
  };
  for (const auto& [line, says] : table) {
    const auto why = gpu::test::refusal_of([&] { parse_command(line); });
    EXPECT_NE(why.find(says), std::string::npos) << line << ": " << why;
  }
}

TEST(CommandTest, NumbersAreAddedToAndMultipliedWithinTheirRange) {
  Settings settings;
  settings.effect = "haar";
  const auto after = [&](const char* line, const char* path) {
    EXPECT_TRUE(apply(parse_command(line), settings, {})) << line;
    return find_setting(path, settings)->value;
  };
  EXPECT_EQ(after("add speed 0.25", "speed"), "1.25");
  EXPECT_EQ(after("add speed 100", "speed"), "4");
  EXPECT_EQ(after("speed /1000", "speed"), "0.25");
  EXPECT_EQ(after("add wipe 0.1", "wipe"), "0.6");
  EXPECT_EQ(after("add wipe 0.1", "wipe"), "0.7") << "no dust of binary fractions";
  EXPECT_EQ(after("set haar.width 40", "haar.width"), "40");
  EXPECT_EQ(after("add haar.width -8", "haar.width"), "32");
  EXPECT_EQ(after("multiply width 1.26", "width"), "40") << "a whole number, of the effect in use";
  EXPECT_EQ(after("reset haar.width", "haar.width"), find_setting("haar.width", Settings())->value);
  for (const char* line : {"add effect 1", "add speed much", "add speed inf", "add speed nan", "multiply theme 2",
                           "add haar.type 1", "add nothing 1"})
    EXPECT_THROW(apply(parse_command(line), settings, {}), std::invalid_argument) << line;
}

// From what is used, which is then chosen: it stays within the picture's; an effect's never becomes automatic again.
TEST(CommandTest, AnAutomaticNumberIsChangedFromWhatIsUsed) {
  ChangeContext context;
  context.picture = {640, 480};
  context.zoom = 0.5;
  context.display_scale = 1.5;
  Settings start;
  start.effect = "haar";
  const auto after = [&](const char* line, const char* path) {
    auto settings = start;
    EXPECT_TRUE(apply(parse_command(line), settings, context)) << line;
    return find_setting(path, settings)->value;
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(after("add haar.width 8", "haar.width"), "40");
    EXPECT_EQ(after("add haar.height -8", "haar.height"), "56");
    EXPECT_EQ(after("multiply width 2", "haar.width"), "64") << "of the effect in use";
    EXPECT_EQ(after("haar.width *2", "haar.width"), "64");
    EXPECT_EQ(after("add haar.width -40", "haar.width"), "1");
    EXPECT_EQ(after("add haar.x 8", "haar.x"), "296") << "from the middle";
    EXPECT_EQ(after("add haar.y -300", "haar.y"), "0");
    EXPECT_EQ(after("add adaptive_threshold.window 2", "adaptive_threshold.window"), "13");
    EXPECT_EQ(after("add zoom 1", "zoom"), "1.5");
    EXPECT_EQ(after("ui_scale *2", "ui_scale"), "3");
  }
  context.picture = {40, 480};
  EXPECT_EQ(after("add haar.width 1", "haar.width"), "11") << "a smaller picture has a smaller one";
  EXPECT_TRUE(starts_from_picture(parse_command("add haar.width 8"), start, context));
  start.effect_values["haar"]["width"] = "12";
  EXPECT_EQ(after("add haar.width 8", "haar.width"), "20");
  EXPECT_FALSE(starts_from_picture(parse_command("add haar.width 8"), start, context));
  EXPECT_FALSE(starts_from_picture(parse_command("set haar.height 8"), start, context));
  context.picture = {};
  EXPECT_EQ(after("add haar.width 8", "haar.width"), "20") << "a chosen one needs no picture";
  EXPECT_EQ(gpu::test::refusal_of([&] {
              auto settings = start;
              apply(parse_command("add haar.height 8"), settings, context);
            }),
            "haar.height is automatic, and there is no picture yet that decides it: set haar.height VALUE");
}

// Likewise a switch: from what the device decided.
TEST(CommandTest, AnAutomaticSwitchIsSwitchedFromWhatIsUsed) {
  ChangeContext context;
  context.no_cuda = "no driver";
  Settings settings;
  settings.effect = "box_blur";
  const auto colour = [&] { return *find_setting("box_blur.colour", settings, context); };
  const auto after = [&](const char* line) {
    EXPECT_TRUE(apply(parse_command(line), settings, context)) << line;
    return colour().value;
  };
  for (const auto& [device, used, other] :
       {std::tuple(DeviceChoice::simulated, "off", "on"), {DeviceChoice::host, "on", "off"}}) {
    settings.device = device;
    EXPECT_EQ(colour().value, "auto");
    EXPECT_EQ(colour().used, used);
    EXPECT_EQ(after("toggle box_blur.colour"), other);
    EXPECT_EQ(colour().used, other);
    EXPECT_EQ(after("toggle colour"), used) << "chosen now";
    EXPECT_EQ(after("reset box_blur.colour"), "auto");
    EXPECT_TRUE(settings.effect_values.empty());
    EXPECT_EQ(after("cycle box_blur.colour"), "on");
    EXPECT_EQ(after("cycle box_blur.colour back"), "auto");
  }
}

TEST(CommandTest, ValuesFormACycleInBothDirections) {
  Settings settings;
  const auto start = settings;
  for (const char* path : {"theme", "dock", "effect", "algorithm", "device", "check", "2r1w.W", "graph_shows"}) {
    const auto before = find_setting(path, settings)->value;
    const auto line = std::string("cycle ") + path;
    apply(parse_command(line), settings, {});
    EXPECT_NE(find_setting(path, settings)->value, before) << path;
    apply(parse_command(line + " back"), settings, {});
    const bool is_automatic = before == "auto";  // in use is another
    EXPECT_TRUE(is_automatic || find_setting(path, settings)->value == before) << path;
  }
  EXPECT_THROW(apply(parse_command("cycle speed"), settings, {}), std::invalid_argument);
  EXPECT_THROW(apply(parse_command("toggle speed"), settings, {}), std::invalid_argument);
}

TEST(CommandTest, TheNextAlgorithmIsTheNextOneOfTheList) {
  Settings settings;
  settings.device = DeviceChoice::cuda;
  std::vector<std::string> listed;
  for (const auto& family : sat_families())
    for (const auto* algorithm : family.algorithms())
      if (algorithm->device == Device::cuda && gpu::why_unavailable(*algorithm).empty())
        listed.emplace_back(algorithm->name);
  settings.cuda_algorithm = listed.front();
  for (std::size_t i = 1; i < listed.size(); ++i) {
    apply("cycle algorithm", settings, {});
    EXPECT_EQ(settings.cuda_algorithm, listed[i]);
  }
}

TEST(CommandTest, TheAlgorithmsOfTheCurrentDeviceFormACycle) {
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
      ASSERT_TRUE(apply("cycle algorithm", settings, {}));
    } while (name != first);
    EXPECT_GE(seen.size(), 2u);
    EXPECT_EQ(other, untouched);
    apply("cycle algorithm", settings, {});
    apply("cycle algorithm back", settings, {});
    EXPECT_EQ(name, first);
  }
}

TEST(CommandTest, TheEffectsFormACycle) {
  Settings settings;
  std::set<std::string> seen;
  while (seen.insert(settings.effect).second) apply("cycle effect", settings, {});
  EXPECT_EQ(seen.size(), gpu::all_effects().size());
  const auto here = settings.effect;
  apply("cycle effect back", settings, {});
  EXPECT_NE(settings.effect, here);
  apply("cycle effect", settings, {});
  EXPECT_EQ(settings.effect, here);
}

TEST(CommandTest, TextBecomesNoLargerThanTheWindowHasRoomFor) {
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

TEST(CommandTest, TheDeviceIsSwitchedOnlyIfThereAreTwo) {
  Settings settings;
  EXPECT_EQ(gpu::test::refusal_of([&] { apply("cycle device", settings, nothing); }),
            "no other device; no simulated GPU: it is not built; no GPU: no driver is loaded");
  EXPECT_EQ(settings, Settings());
}

TEST(CommandTest, TheDevicesFormACycle) {
  Settings settings;
  const auto next = [&](const ChangeContext& context) {
    EXPECT_TRUE(apply("cycle device", settings, context));
    return settings.device;
  };
  const DeviceChoice all[] = {DeviceChoice::host, DeviceChoice::simulated, DeviceChoice::cuda};
  for (const auto device : all) EXPECT_EQ(next({}), device);
  for (int i = 2; i > 0; --i) {
    ASSERT_TRUE(apply(parse_command("cycle device back"), settings, {}));
    EXPECT_EQ(settings.device, all[i - 1]) << "back";
  }
  settings.device = DeviceChoice::automatic;
  EXPECT_EQ(next(no_gpu), DeviceChoice::simulated);
  EXPECT_EQ(next(no_gpu), DeviceChoice::host);
}

TEST(CommandTest, TheSimulatedGpuHasCudasAlgorithms) {
  Settings settings;
  settings.device = DeviceChoice::simulated;
  settings.cuda_algorithm = "brlt_scanrow";
  apply("cycle algorithm", settings, no_gpu);
  EXPECT_NE(settings.cuda_algorithm, "brlt_scanrow");
  const auto* algorithm = gpu::find_sat_algorithm(settings.cuda_algorithm);
  ASSERT_TRUE(algorithm);
  EXPECT_TRUE(gpu::runs_on(*algorithm, Device::simulated));
}

TEST(CommandTest, ZoomStepsReachPowersOfTwoAndAreLimited) {
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

TEST(CommandTest, TheSpeedIsHalvedDoubledOrChangedByATenth) {
  Settings settings;
  const auto speed = [&](const char* line) {
    EXPECT_TRUE(apply(line, settings, {}));
    return settings.speed;
  };
  EXPECT_EQ(speed("multiply speed 1.1"), 1.1);
  EXPECT_EQ(speed("multiply speed 1.1"), 1.21);
  EXPECT_EQ(speed("speed /1.1"), 1.1);
  EXPECT_EQ(speed("speed /1.1"), 1);
  EXPECT_EQ(speed("speed /1.1"), 0.91);
  EXPECT_EQ(speed("multiply speed 1.1"), 1);
  for (const auto* line : {"multiply speed 1.1", "speed /1.1"})
    for (int i = 0; i < 14; ++i) speed(line);
  EXPECT_EQ(settings.speed, 1);
  for (const auto* line : {"multiply speed 1.1", "speed /1.1"})
    for (int i = 0; i < 9; ++i) apply(parse_command(line), settings, {});
  EXPECT_EQ(settings.speed, 1);
  EXPECT_EQ(speed("multiply speed 2"), 2);
  EXPECT_EQ(speed("multiply speed 2"), 4);
  EXPECT_EQ(speed("multiply speed 1.1"), 4) << "the fastest";
  EXPECT_EQ(speed("reset speed"), 1);
  for (int i = 0; i < 30; ++i) speed("speed /1.1");
  EXPECT_EQ(speed("multiply speed 0.5"), 0.25) << "the slowest";
}

TEST(CommandTest, MeasureOpensTheDockAtItsLastTabAndClosesIt) {
  Settings settings;
  settings.panels = false;
  settings.dock = Dock::race;
  const auto toggle = [&] { EXPECT_TRUE(apply(Action::measure, settings, {})); };
  toggle();
  EXPECT_TRUE(settings.panels);
  EXPECT_TRUE(shows(settings, Dock::race));
  toggle();
  EXPECT_TRUE(settings.panels) << "only the dock is closed";
  EXPECT_FALSE(settings.dock_open);
  settings.dock_open = true;
  settings.panels = false;
  toggle();
  EXPECT_TRUE(shows(settings, Dock::race)) << "it was not seen";
}

TEST(CommandTest, HintsComeWithThePanelsThatTheyPointAt) {
  Settings settings;
  settings.panels = false;
  EXPECT_TRUE(apply(Action::show_hints, settings, {}));
  EXPECT_TRUE(settings.hints && settings.panels);
}

// Keys and scripts of users have them.
TEST(CommandTest, NamesOfEarlierVersionsAreRead) {
  const std::pair<const char*, Command> table[] = {
      {"toggle statistics", Action::measure},
      {"start_race", Action::start_race},
      {"save_window to a.png", {Action::screenshot, "a.png"}},
      {"toggle_simple", "toggle panels"},
      {"toggle_panels", "toggle panels"},
      {"step_back", "step -1"},
      {"step_forward", "step 1"},
      {"seek_near_back", "seek -1"},
      {"seek_near_forward", "seek +1"},
      {"seek_back", "seek -5"},
      {"seek forward", "seek +5"},
      {"seek_far_back", "seek -60"},
      {"seek_far_forward", "seek +60"},
      {"to_start", "seek 0"},
      {"slower", "multiply speed 0.5"},
      {"faster", "multiply speed 2"},
      {"slightly_slower", "speed /1.1"},
      {"slightly_faster", "multiply speed 1.1"},
      {"normal_speed", "reset speed"},
      {"toggle_loop", "toggle loop"},
      {"browse", "toggle browse"},
      {"toggle_matrix", "toggle matrix_editor"},
      {"next_algorithm", "cycle algorithm"},
      {"previous_algorithm", "cycle algorithm back"},
      {"next_effect", "cycle effect"},
      {"previous_effect", "cycle effect back"},
      {"next_device", "cycle device"},
      {"toggle_check", "toggle check"},
      {"toggle_rectangle", "toggle rectangle_tool"},
      {"remove_rectangle", "reset rectangle"},
      {"presentation", "toggle presentation"},
      {"toggle_fullscreen", "toggle fullscreen"},
      {"toggle_theme", "cycle theme"},
      {"ui_default", "reset ui_scale"},
      {"export_menu", "toggle export_menu"},
      {"toggle_graph", "toggle graph_paused"},
      {"toggle_vsync", "toggle vsync"},
      {"toggle_palette", "toggle palette"},
      {"preferences", "toggle preferences"},
      {"toggle_help", "toggle help"},
  };
  for (const auto& [line, command] : table) EXPECT_EQ(parse_command(line), command) << line;
}

// What Escape does in every window.
TEST(CommandTest, CloseClosesOneThingAtATimeFromTheTopDownAndEndsNothing) {
  Settings settings;
  settings.fullscreen = settings.help = settings.cards = settings.export_menu = settings.rectangle_tool = true;
  settings.rectangle = PixelBox{1, 2, 3, 4};
  settings.graph_pinned = 7;
  const auto open = [&] {
    return settings.fullscreen + settings.help + settings.cards + settings.export_menu + settings.rectangle_tool +
           settings.rectangle.has_value() + (settings.graph_pinned > 0);
  };
  std::vector<std::string_view> overlays;  // from the top down
  for (const auto& overlay : overlay_settings)
    if (settings.*overlay.open) overlays.insert(overlays.begin(), overlay.path);
  EXPECT_EQ(overlays.size(), 3u);
  for (int left = 6; left >= 0; --left) {
    ASSERT_TRUE(apply(Action::close, settings, {}));
    EXPECT_EQ(open(), left);
    EXPECT_EQ(settings.fullscreen, left > 0) << "at last";
    if (!overlays.empty()) overlays.erase(overlays.begin());
    for (const auto& overlay : overlay_settings)
      EXPECT_EQ(settings.*overlay.open, std::ranges::count(overlays, overlay.path) > 0) << overlay.path;
  }
  EXPECT_TRUE(apply(Action::close, settings, {}));
  EXPECT_EQ(settings, Settings());
}

// What is not seen stays for when it is.
TEST(CommandTest, CloseTakesNoWindowOfACascadeThatIsNotShown) {
  Settings settings;
  settings.cascade_at = Pointer{3, 4};
  for (const auto tab : {Dock::race, Dock::detector}) {
    apply(settings, changes_to_show(tab), {});
    ASSERT_TRUE(apply(Action::close, settings, {}));
    EXPECT_EQ(settings.cascade_at.has_value(), tab == Dock::race);
  }
}

TEST(CommandTest, TheFramesThatWereChosenAreLetGoTogether) {
  Settings settings;
  settings.graph_range = FrameRange{3, 4};
  settings.graph_pinned = 7;
  ASSERT_TRUE(apply(Action::clear_frames, settings, {}));
  EXPECT_FALSE(settings.graph_range);
  EXPECT_EQ(settings.graph_pinned, 0);
}

TEST(CommandTest, EverythingIsResetToTheFirstStartButTheSource) {
  auto settings = examples::unusual_settings();
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

TEST(CommandTest, ActionsThatChangeNoSettingAreLeftToTheCaller) {
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
