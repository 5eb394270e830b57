#include "app/control/palette_entries.h"

#include <gtest/gtest.h>
#include <tuple>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "app/control/fields.h"
#include "app/support/text.h"
#include "app/tests/control/settings_example.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

std::vector<PaletteEntry> found(std::string_view query, const Settings& settings = {}) {
  return matching(palette_entries(settings, nothing), query);
}

// One entry of each list says so, and again after another choice.
TEST(PaletteEntriesTest, WhatIsInUseSaysSo) {
  Settings settings;
  settings.effect = "sat_view";
  for (const bool other : {false, true, false}) {
    settings.host_algorithm = other ? "host_parallel" : "host_serial";
    settings.source = other ? "synthetic:960x540" : "matrix:4x4";
    settings.effect_values["sat_view"]["scale"] = other ? "modulo" : "linear";
    ChangeContext context;
    context.no_cuda = "no driver";
    std::map<std::string, std::vector<std::string>> in_use;
    for (const auto& entry : palette_entries(settings, context))
      if (const auto* change = std::get_if<Change>(&entry.does); change && entry.value == "in use")
        in_use[change->path].push_back(change->text);
    EXPECT_EQ(in_use["algorithm"], std::vector{settings.host_algorithm});
    EXPECT_EQ(in_use["source"], std::vector{settings.source});
    EXPECT_EQ(in_use["sat_view.scale"], std::vector{settings.effect_values["sat_view"]["scale"]});
  }
}

TEST(PaletteEntriesTest, HasEveryActionAlgorithmEffectAndSetting) {
  std::vector<Command> commands;
  std::set<std::string> paths;
  std::set<std::pair<std::string, std::string>> changes;
  for (const auto& entry : palette_entries({}, {})) {
    EXPECT_FALSE(entry.title.empty());
    EXPECT_FALSE(entry.help.empty()) << entry.title;
    if (const auto* command = std::get_if<Command>(&entry.does)) commands.push_back(*command);
    if (const auto* ask = std::get_if<PaletteEntry::Ask>(&entry.does)) paths.insert(ask->path);
    if (const auto* change = std::get_if<Change>(&entry.does)) {
      paths.insert(change->path);
      changes.insert({change->path, change->text});
    }
  }
  for (const auto& action : actions()) {
    const bool of_a_setting = action.action >= Action::set && action.action <= Action::reset && !action.is_line();
    if (!of_a_setting && action.name != "toggle palette" && action.action != Action::close) {
      EXPECT_TRUE(std::ranges::count(commands, command_of(action)) == 1 || paths.contains(std::string(action.name)))
          << action.name;
    }
  }
  for (const auto* algorithm : gpu::sat_algorithms())
    EXPECT_TRUE(changes.contains({"algorithm", std::string(algorithm->name)})) << algorithm->name;
  for (const auto* effect : gpu::all_effects())
    EXPECT_TRUE(changes.contains({"effect", std::string(effect->name)})) << effect->name;
  for (const auto& command : commands) try {  // what an action toggles has no entry of its own
      const auto toggled = changes_of(command, {}, {});
      if (toggled && toggled->size() == 1) paths.insert(toggled->front().path);
    } catch (const std::invalid_argument&) {}
  for (const auto& field : fields())
    if (field.path != "palette" && field.path != "hints") {
      EXPECT_TRUE(paths.contains(std::string(field.path))) << field.path;
    }
  const auto has_parameters_of = [&](const auto& item) {
    for (const auto& parameter : item.parameters) {
      const auto path = std::string(item.name) + "." + std::string(parameter.name);
      EXPECT_TRUE(paths.contains(path)) << path;
    }
  };
  for (const auto* algorithm : gpu::sat_algorithms()) has_parameters_of(*algorithm);
  for (const auto* effect : gpu::all_effects()) has_parameters_of(*effect);
  EXPECT_TRUE(changes.contains({"box_blur.border", "clip"}));
}

// The entries are those that no action toggles.
TEST(PaletteEntriesTest, AnEntryOfAToggleTurnsItOver) {
  for (const bool on : {false, true}) {
    Settings settings;
    settings.trace_loop = settings.graph_histogram = settings.max_speed = on;
    int toggles = 0;
    for (const auto& entry : palette_entries(settings, nothing)) {
      const auto* change = std::get_if<Change>(&entry.does);
      if (!change || (change->path != "trace_loop" && change->path != "graph_histogram" && change->path != "max_speed"))
        continue;
      ++toggles;
      EXPECT_EQ(change->text, on ? "off" : "on") << entry.title;
      EXPECT_TRUE(entry.title.ends_with(on ? ": turn off" : ": turn on")) << entry.title;
      EXPECT_EQ(entry.value, on ? "on" : "off") << entry.title;
    }
    EXPECT_EQ(toggles, 3);
  }
}

// A switch that is left to the program has three entries, and says what the program chose.
TEST(PaletteEntriesTest, AnAutomaticSwitchHasAnEntryForEachChoice) {
  Settings settings;
  settings.device = DeviceChoice::simulated;
  auto simulated = nothing;
  simulated.no_simulated.clear();
  for (const auto* chosen : {"auto", "on", "off"}) {
    apply(settings, {"box_blur.colour", chosen});
    std::map<std::string, std::string> values;
    for (const auto& entry : palette_entries(settings, simulated))
      if (const auto* change = std::get_if<Change>(&entry.does); change && change->path == "box_blur.colour")
        values[change->text + ": " + entry.title] = entry.value;
    const auto value = [&](const std::string& of) { return of == chosen ? "in use" : ""; };
    const std::map<std::string, std::string> expected{{"auto: Box blur: Colour: Auto (off)", value("auto")},
                                                      {"on: Box blur: Colour: On", value("on")},
                                                      {"off: Box blur: Colour: Off", value("off")}};
    EXPECT_EQ(values, expected);
  }
}

TEST(PaletteEntriesTest, FindsWhatTheWindowAndTheDocumentationCallIt) {
  const std::pair<const char*, const char*> table[] = {{"All parameters", "race_parameters"},
                                                       {"Text size", "ui_scale"},
                                                       {"Amplify", "amplification"},
                                                       {"Interval between", "graph_shows"},
                                                       {"Usual zoom", "graph_frames"},
                                                       {"modulo", "sat_view.scale"},
                                                       {"mean_c", "adaptive_threshold.method"},
                                                       {"reflect101", "box_blur.border"},
                                                       {"type-2-y", "haar.type"},
                                                       {"Rate", "fps"}};
  for (const auto& [query, path] : table) {
    const auto entries = found(query);
    const auto is_it = [&](const PaletteEntry& entry) {
      const auto* change = std::get_if<Change>(&entry.does);
      const auto* ask = std::get_if<PaletteEntry::Ask>(&entry.does);
      return (change && change->path == path) || (ask && ask->path == path);
    };
    const auto at = std::ranges::find_if(entries, is_it);
    EXPECT_LT(at - entries.begin(), 5) << query;
    EXPECT_NE(at, entries.end()) << query;
  }
}

TEST(PaletteEntriesTest, EverythingThatIsNotDisabledCanBeDone) {
  for (const auto& entry : palette_entries({}, nothing)) {
    Settings settings;
    if (!entry.why_not.empty()) continue;
    if (const auto* change = std::get_if<Change>(&entry.does)) {
      EXPECT_NO_THROW(apply(settings, *change, nothing));
    } else if (const auto* command = std::get_if<Command>(&entry.does)) {
      EXPECT_NO_THROW(apply(*command, settings, nothing));
    } else if (const auto* ask = std::get_if<PaletteEntry::Ask>(&entry.does)) {
      const auto line = ask->command ? ask->path + " 3" : ask->path + " = " + ask->value;
      const auto typed = typed_change(line, settings, nothing);
      ASSERT_TRUE(typed) << ask->path;
      EXPECT_EQ(typed->why_not, "") << ask->path;
    }
  }
}

TEST(PaletteEntriesTest, DisabledEntriesSayWhy) {
  const auto first = [](std::string_view query) { return found(query).at(0); };
  EXPECT_NE(first("algorithm 1r1w_skss_lb").why_not.find("no driver is loaded"), std::string::npos);
  EXPECT_EQ(first("algorithm host_serial").why_not, "");
  EXPECT_NE(first("next device").why_not.find("no other device"), std::string::npos);
  EXPECT_NE(first("window width").why_not, "");
}

TEST(PaletteEntriesTest, AnActionThatCannotBeDoneNowIsDisabled) {
  const auto entries = palette_entries({}, nothing, [](const Command& command) -> std::string {
    return command == Action::stop_record || command == Action::seek || command == "cycle device" ? "not now" : "";
  });
  for (const auto& entry : entries) {
    if (entry.why_not.find("not now") == std::string::npos) continue;
    EXPECT_TRUE(entry.title == "Stop recording" || entry.title == "Seek: Go to a time...") << entry.title;
    EXPECT_EQ(entry.why_not, "not now");
  }
  EXPECT_EQ(std::ranges::count(entries, "not now", &PaletteEntry::why_not), 2) << "why a device is missing goes first";
}

TEST(PaletteEntriesTest, ShowsKeysAndValues) {
  EXPECT_EQ(found("pause or resume").at(0).keys, "Space, P");
  EXPECT_EQ(found("effect box blur").at(0).value, "in use");
  EXPECT_EQ(found("vsync turn").at(0).value, "on");
  EXPECT_EQ(found("vsync turn").at(0).title, "Toggle vsync");
  EXPECT_EQ(found("vsync turn").at(0).keys, "V");
}

TEST(PaletteEntriesTest, OfEqualMatchesTheUsableComeFirstThenTheShort) {
  std::vector<PaletteEntry> entries(3);
  entries[0].title = "Window";
  entries[0].why_not = "it is read when the program starts";
  entries[1].title = "Window: x and y";
  entries[2].title = "Window: x";
  std::vector<std::string> titles;
  for (const auto& entry : matching(entries, "window")) titles.push_back(entry.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"Window: x", "Window: x and y", "Window"}));
  EXPECT_EQ(found("window").at(0).why_not, "");
  EXPECT_EQ(found("stop rec").at(0).title, "Stop recording") << "not the one that starts it";
  EXPECT_EQ(found("pause").at(0).title, "Pause");
  EXPECT_EQ(found("race").at(0).title, "Start the race") << "a command to the letter";
}

// Enter would start a recording where the command that stops it, which is disabled, does not come first.
TEST(PaletteEntriesTest, SpacesAtTheEndsOfAQueryMeanNothing) {
  const auto why_not = [](const Command& command) -> std::string {
    return command.action == Action::stop_record ? "nothing is recorded" : "";
  };
  for (const auto query : {"stop recording", " stop recording", "stop recording  "}) {
    const auto entry = matching(palette_entries({}, nothing, why_not), query).at(0);
    EXPECT_EQ(entry.title, "Stop recording") << "'" << query << "'";
    EXPECT_EQ(entry.why_not, "nothing is recorded");
  }
}

TEST(PaletteEntriesTest, ParametersThatAreNotInUseComeAfterThoseThatAre) {
  Settings settings;
  settings.effect = "adaptive_threshold";  // whose window has the longer title
  const auto windows = found("window", settings);
  const auto place = [&](std::string_view title) {
    return std::ranges::find(windows, title, &PaletteEntry::title) - windows.begin();
  };
  EXPECT_LT(place("Adaptive threshold: Window..."), place("Box blur: Window..."));
  EXPECT_LT(place("Box blur: Window..."), std::ssize(windows));
  const auto all = found("", settings);
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &PaletteEntry::out_of_use));
  EXPECT_TRUE(all.back().out_of_use);
  EXPECT_TRUE(found("2r1w: w").at(0).title.starts_with("2r1w: Tile (W)"));
}

TEST(PaletteEntriesTest, WordsOfATitleComeBeforeOtherWordsForIt) {
  for (const auto& [query, title] : {std::pair("pixel", "Effect: Faces, pixelated"),
                                     {"pixelate", "Effect: Faces, pixelated"},
                                     {"pixelate faces", "Effect: Faces, pixelated"},
                                     {"blurred", "Effect: Faces, blurred"},
                                     {"blur", "Effect: Box blur"},
                                     {"face", "Effect: Faces"}})
    EXPECT_EQ(found(query).at(0).title, title) << query;
}

// Somebody who wants nobody to be recognised takes the first entry.
TEST(PaletteEntriesTest, WhatHidesFacesIsFoundAndHidesThem) {
  for (const auto query : {"privacy", "pixelate", "hide faces", "blur faces", "anonymous"}) {
    const auto entry = found(query).at(0);
    const auto* change = std::get_if<Change>(&entry.does);
    ASSERT_TRUE(change) << query << ": " << entry.title;
    EXPECT_EQ(change->path, "faces.show") << query;
    EXPECT_EQ(changes_with(change->path, nothing), (std::vector<Change>{{"effect", "faces"}}));
    Settings settings;
    apply(settings, *change, nothing);
    EXPECT_EQ(found(query, settings).at(0).value, "") << "the effect is another one";
    settings.effect = "faces";
    EXPECT_EQ(found(query, settings).at(0).value, "in use");
  }
}

TEST(PaletteEntriesTest, WordsBehindOpenAreLookedForAndNamesAreOpened) {
  for (const auto query : {"open photo", "open a file", "photo", "open video"}) {
    EXPECT_FALSE(typed_change(query, {}, nothing)) << query;
    const auto entry = found(query).at(0);
    EXPECT_EQ(entry.title, "Choose a file to open") << query;
  }
  for (const auto query : {"open clip.mp4", "open ./photo", "open 0", "open matrix", "open synthetic", "open xyzzy"})
    EXPECT_EQ(std::get<Command>(typed_change(query, {}, nothing).value().does).action, Action::open) << query;
}

TEST(PaletteEntriesTest, TheFastestAlgorithmIsFoundByTheRace) {
  for (const auto query : {"fastest", "fastest algorithm"}) EXPECT_EQ(found(query).at(0).title, "Start the race") << query;
}

TEST(PaletteEntriesTest, WordsAfterACommandThatNameNoSettingAreLookedFor) {
  for (const auto& [query, title] : {std::pair("reset every", "Reset everything: all settings as at the first start"),
                                     {"toggle looping", "Toggle looping of files"}}) {
    EXPECT_FALSE(typed_change(query, {}, nothing)) << query;
    EXPECT_EQ(found(query).at(0).title, title);
  }
  const auto unknown = typed_change("reset xyzzy", {}, nothing);
  ASSERT_TRUE(unknown) << "nothing has this word";
  EXPECT_NE(unknown->why_not.find("xyzzy"), std::string::npos);
  EXPECT_TRUE(typed_change("reset speed", {}, nothing)) << "a setting";
}

TEST(PaletteEntriesTest, ATimeIsAskedFor) {
  for (const auto query : {"seek", "go to a time"}) {
    const auto entry = found(query).at(0);
    EXPECT_EQ(entry.title, "Seek: Go to a time...");
    EXPECT_EQ(std::get<PaletteEntry::Ask>(entry.does).path, "seek");
  }
}

TEST(PaletteEntriesTest, LettersWithinANameFindItAndNothingSpeaksOfScripts) {
  EXPECT_EQ(found("thrsh").at(0).title, "Effect: Adaptive threshold");
  for (const auto& entry : found("start the race")) EXPECT_EQ(entry.title.find("script"), std::string::npos) << entry.title;
}

TEST(PaletteEntriesTest, WithoutAQueryEverythingIsInItsOrder) {
  const auto all = palette_entries({}, nothing);
  const auto same = matching(all, "");
  ASSERT_EQ(same.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(same[i].title, all[i].title);
}

TEST(PaletteEntriesTest, WhatPeopleCallItFindsItAndScatteredLettersNothing) {
  const std::vector<OfferedSource> cameras{{"HD Webcam  (/dev/video0)", "/dev/video0", {}, "camera webcam"}};
  const auto first = [&](std::string_view query) {
    const auto all = matching(palette_entries({}, nothing, {}, cameras), query);
    return all.empty() ? std::string() : all[0].title;
  };
  const std::pair<const char*, const char*> table[] = {{"camera", "Source: HD Webcam  (/dev/video0)"},
                                                       {"webcam", "Source: HD Webcam  (/dev/video0)"},
                                                       {"1920", "Source: Test scene 1920x1080"},
                                                       {"1080", "Video size: 1080p"},
                                                       {"matrix 8x8", "Source: Matrix 8x8"},
                                                       {"face", "Effect: Faces"},
                                                       {"viola", "Effect: Faces"},
                                                       {"haar", "Effect: Haar-like feature"},
                                                       {"figure", "Trace colour: As in the paper"},
                                                       {"reticule", ""}};
  for (const auto& [query, title] : table) EXPECT_EQ(first(query), title) << query;
  EXPECT_TRUE(first("plot").starts_with("Graph shows: ")) << first("plot");
  EXPECT_EQ(found("webcam").at(0).title, "Source: First camera, otherwise the bundled clip") << "no camera is there";
}

TEST(PaletteEntriesTest, AnActionIsFoundByTheNameThatScriptsUse) {
  for (const auto& [query, title] : {std::pair("export", "Save the timings"),
                                     {"export_frames", "Save a row per frame"},
                                     {"export_race", "Save the race"},
                                     {"export_study", "Save the study"}}) {
    const auto entries = found(query);
    EXPECT_NE(std::ranges::find(entries, title, &PaletteEntry::title), entries.end()) << query;
  }
}

TEST(PaletteEntriesTest, AnAlgorithmComesBeforeItsParameters) {
  for (const char* used : {"one_wave", "1r1w_skss_lb"}) {
    Settings settings;
    settings.cuda_algorithm = used;
    settings.device = DeviceChoice::cuda;
    EXPECT_EQ(matching(palette_entries(settings, {}), "skss_lb").at(0).title, "Algorithm: 1r1w_skss_lb") << used;
  }
}

TEST(PaletteEntriesTest, AToggleHasOneEntry) {
  for (const char* query : {"fullscreen", "vsync", "looping", "measure"}) {
    std::vector<std::string> titles;
    for (const auto& entry : found(query))
      if (std::holds_alternative<Command>(entry.does) || entry.title.find(": turn") != entry.title.npos)
        titles.push_back(entry.title);
    EXPECT_EQ(titles.size(), 1u) << query << ": " << ::testing::PrintToString(titles);
  }
}

TEST(PaletteEntriesTest, TitlesAreThoseOfTheMenus) {
  EXPECT_EQ(found("device host").at(0).title, "Device: CPU");
  EXPECT_EQ(found("record_size source").at(0).title, "Video size: As the picture");
  for (const auto& field : fields())
    for (const auto& entry : found(field.path)) {
      if (entry.title.starts_with("Algorithm: ") || entry.parameter) continue;  // whose names are what they are called
      EXPECT_EQ(entry.title.find('_'), entry.title.npos) << entry.title;
    }
  for (const auto& entry : palette_entries({}, nothing))
    for (const char* name : {"box_blur", "sat_view", "adaptive_threshold"})
      EXPECT_EQ(entry.title.find(name), entry.title.npos) << entry.title;
  for (const auto* algorithm : gpu::sat_algorithms())
    for (const auto& parameter : algorithm->parameters) EXPECT_GT(label_of(parameter.name).size(), 2u) << parameter.name;
  for (const auto* effect : gpu::all_effects())
    for (const auto& parameter : effect->parameters)
      if (parameter.name != "x" && parameter.name != "y") {
        EXPECT_GT(label_of(parameter.name).size(), 2u) << parameter.name;
      }
}

TEST(PaletteEntriesTest, WholeWordsComeBeforeThoseThatBeginSo) {
  std::vector<PaletteEntry> entries(2);
  entries[0].title = "Frames";
  entries[1].title = "A longer title with a frame in it";
  EXPECT_EQ(matching(entries, "frame").at(0).title, entries[1].title);
  EXPECT_EQ(matching(entries, "fra").at(0).title, entries[0].title);
}

// "path = value" in the palette.

std::optional<PaletteEntry> typed(std::string_view query) { return typed_change(query, {}, nothing); }

TEST(PaletteEntriesTypedTest, ASettingOfAnyKindIsChanged) {
  const std::pair<const char*, const char*> table[] = {{"target_ms", "8.5"},
                                                       {"loop", "on"},
                                                       {"effect", "haar"},
                                                       {"dock", "race"},
                                                       {"algorithm", "host_serial"},
                                                       {"host_algorithm", "host_serial"},
                                                       {"card", "2r1w"},
                                                       {"compare", "off"},
                                                       {"source", ""},
                                                       {"rectangle", "1,2,3x4"}};
  for (const auto& [path, value] : table) {
    const auto entry = typed(std::string(path) + " = " + value);
    ASSERT_TRUE(entry) << path;
    EXPECT_EQ(entry->why_not, "") << path;
    EXPECT_EQ(std::get<Change>(entry->does), (Change{path, value}));
    EXPECT_EQ(entry->help, find_field(path)->help);
  }
  EXPECT_EQ(typed("  loop=on ")->title, "loop = on");
  EXPECT_EQ(typed("loop = on")->value, "off") << "the current one";
}

TEST(PaletteEntriesTypedTest, SoAreParametersInUseOrNot) {
  const std::pair<const char*, const char*> table[] = {
      {"box_blur.window", "31x31"}, {"window", "31x31"}, {"effect.window", "31x31"},
      {"haar.type", "type-2-y"},    {"2r1w.W", "32"},    {"algorithm.threads", "1"}};
  for (const auto& [path, value] : table) {
    const auto entry = typed(std::string(path) + " = " + value);
    ASSERT_TRUE(entry) << path;
    EXPECT_EQ(entry->why_not, "") << path;
    Settings settings;
    EXPECT_NO_THROW(apply(settings, std::get<Change>(entry->does), nothing)) << path;
    EXPECT_NE(settings, Settings()) << path;
  }
}

TEST(PaletteEntriesTypedTest, AValueThatWouldBeRefusedIsDisabledWithTheReason) {
  EXPECT_NE(typed("loop = maybe")->why_not, "");
  EXPECT_NE(typed("effect = haaar")->why_not.find("did you mean 'haar'"), std::string::npos);
  EXPECT_NE(typed("haar.type = type-9")->why_not, "");
  EXPECT_NE(typed("device = cuda")->why_not.find("no driver is loaded"), std::string::npos);
  EXPECT_NE(typed("window_width = 900")->why_not.find("when the program starts"), std::string::npos);
}

TEST(PaletteEntriesTypedTest, ATimeIsGoneTo) {
  const std::pair<const char*, double> table[] = {{"seek = 12.5", 12.5}, {"seek 12.5", 12.5}, {" seek=12.5 ", 12.5},
                                                  {"seek 0", 0},         {"seek 1:30", 90},   {"seek = 1:02:03.5", 3723.5}};
  for (const auto& [query, seconds] : table) {
    const auto entry = typed(query);
    ASSERT_TRUE(entry) << query;
    EXPECT_EQ(entry->why_not, "") << query;
    EXPECT_EQ(std::get<Command>(entry->does).number, seconds) << query;
    EXPECT_EQ(entry->help, seconds == 0 ? "Back to the start" : "Go to a time");
  }
  EXPECT_EQ(typed("seek 12.5")->title, "seek 12.5");
  EXPECT_EQ(std::get<Command>(typed("seek -5")->does), parse_command("seek -5"));
}

TEST(PaletteEntriesTypedTest, WhatIsNoTimeIsDisabledWithTheReason) {
  for (const char* query : {"seek =", "seek = ", "seek soon", "seek 1:", "seek :5", "seek 1:2:3:4", "seek 12.5s", "seek nan",
                            "seek inf", "seek 1e7", "seek 999999:999999"}) {
    const auto entry = typed(query);
    ASSERT_TRUE(entry) << query;
    EXPECT_NE(entry->why_not.find("1:30"), std::string::npos) << query;
  }
}

TEST(PaletteEntriesTypedTest, ACommandIsTypedAsScriptsWriteIt) {
  for (const char* line : {"set effect haar", "add haar.width 8", "speed *2", "cycle theme", "toggle loop", "open clip.mp4",
                           "screenshot to a.png", "export csv to my times.csv"})
    EXPECT_EQ(std::get<Command>(typed(line)->does), parse_command(line)) << line;
  EXPECT_EQ(typed("add haar.width much")->why_not, "add takes a number, not 'much'");
  EXPECT_NE(typed("export csv to a.txt")->why_not.find("must end in .csv"), std::string::npos);
  EXPECT_EQ(typed("set")->why_not, "set needs SETTING VALUE");
  const auto unknown = typed("cycle themes");
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->why_not.find("did you mean 'theme'"), std::string::npos) << unknown->why_not;
}

TEST(PaletteEntriesTypedTest, ARowHidesThePasswordThatIsTyped) {
  Settings settings;
  settings.source = "rtsp://a:SECRET@b/0";
  for (const auto& [line, title] : {std::pair("open rtsp://a:SECRET@b/1", "open rtsp://a:***@b/1"),
                                    {"open rtsp://a:SECRET", "open rtsp://a:***"},
                                    {"open rtsp://a:SECRET SECRET@b/1", "open rtsp://a:***@b/1"},
                                    {"set source rtsp://a:SECRET@b/1", "set source rtsp://a:***@b/1"},
                                    {"set source rtsp://a:SECRET SECRET@b/1", "set source rtsp://a:***@b/1"},
                                    {"source = rtsp://a:SECRET@b/1", "source = rtsp://a:***@b/1"}}) {
    const auto entry = typed_change(line, settings, {});
    ASSERT_TRUE(entry) << line;
    EXPECT_EQ(entry->title, title);
    EXPECT_EQ(entry->value.find("SECRET"), std::string::npos) << entry->value;
    auto changed = settings;
    if (const auto* command = std::get_if<Command>(&entry->does))
      apply(*command, changed, {});
    else
      apply(changed, std::get<Change>(entry->does), {});
    EXPECT_TRUE(changed.source.starts_with("rtsp://a:SECRET") && changed.source != settings.source)
        << "it is opened as typed";
  }
  const auto refused = typed_change("add speed rtsp://a:SECRET@b", settings, {});
  ASSERT_TRUE(refused);
  EXPECT_NE(refused->why_not.find("'rtsp://a:***@b'"), std::string::npos) << refused->why_not;
}

TEST(PaletteEntriesTypedTest, ANameWithoutAnEndingGetsOne) {
  for (const auto& [line, title] : {std::pair("record to aaa", "record to aaa.mp4"),
                                    {"save_picture to a b/c.d/e", "save_picture to a b/c.d/e.png"},
                                    {"export to t.csv", "export to t.csv"}}) {
    const auto entry = typed(line);
    ASSERT_TRUE(entry) << line;
    EXPECT_EQ(entry->title, title);
    EXPECT_EQ(entry->why_not, "");
  }
  EXPECT_NE(typed("record to aaa.")->why_not, "");
}

TEST(PaletteEntriesTypedTest, AProductSaysWhereItEndsAndARefusedFactorSaysWhichAreAllowed) {
  EXPECT_EQ(typed("speed *1000")->value, "1 becomes 4; 0.25 to 4 is possible");
  EXPECT_EQ(typed("speed /2")->value, "1 becomes 0.5; 0.25 to 4 is possible");
  for (const char* query : {"speed *0", "speed * -1", "speed *1e9", "speed /much", "box_blur.window *0", "speed *"}) {
    const auto entry = typed(query);
    ASSERT_TRUE(entry) << query;
    EXPECT_NE(entry->why_not.find("a factor from 0.000001 to 1000000"), std::string::npos)
        << query << ": " << entry->why_not;
  }
  EXPECT_EQ(typed("theme *2")->why_not, "theme is not a number: set theme VALUE");
}

TEST(PaletteEntriesTypedTest, ASettingAndANumberNeedNoSign) {
  EXPECT_EQ(std::get<Change>(typed("speed 2")->does), (Change{"speed", "2"}));
  EXPECT_EQ(typed("speed 2")->why_not, "");
  EXPECT_EQ(typed("speed 1000")->why_not, "speed takes a number from 0.25 to 4, not '1000'");
  for (const char* query : {"effect haar", "speed of the source", "loop on"}) EXPECT_FALSE(typed(query)) << query;
}

TEST(PaletteEntriesTypedTest, WhatNamesNothingIsNoChange) {
  for (const char* query :
       {"no such setting = 3", "haar.nothing = 3", "nobody.type = 3", "= 3", "loop", "seek", "seeking 3", ""})
    EXPECT_FALSE(typed(query)) << query;
}

// Letters in order, whatever their case; words in any order, of which all must match; not where letters only happen to follow.
TEST(PaletteEntriesFuzzyTest, LettersInOrderAndAllWordsMatch) {
  const std::tuple<const char*, const char*, bool> table[] = {
      {"bxbl", "Effect: Box blur", true},
      {"BLUR", "Effect: Box blur", true},
      {"", "anything", true},
      {"  ", "anything", true},
      {"bluxr", "Effect: Box blur", false},
      {"rulb", "Effect: Box blur", false},
      {"a", "", false},
      {"blur effect", "Effect: Box blur", true},
      {"blur algorithm", "Effect: Box blur", false},
      {"plot", "Method: Percent below the mean", false},
      {"camera", "Statistics of all frames again, no frame pinned", false},
      {"1080", "Source: Test scene 1920x1080", true}};
  for (const auto& [query, title, matches] : table)
    EXPECT_EQ(fuzzy_score(query, title).has_value(), matches) << query << ": " << title;
}

// Beginnings of words, whole words, letters of one word; a greedy search would take the first b, and find no adjacent letters.
TEST(PaletteEntriesFuzzyTest, WhatIsNearerComesFirst) {
  const std::tuple<const char*, const char*, const char*> table[] = {
      {"bb", "Effect: Box blur", "Effect: rubber"},
      {"loop", "Loop: turn on", "A long option p"},
      {"2r1w", "Algorithm: 2r1w", "Algorithm: 2r2w 1w"},
      {"thrsh", "Effect: Adaptive threshold", "Start the race; a script waits until it has finished"},
      {"blur", "Effect: a rather long name, at its end blur", "Back, or later up the road"},
      {"blur", "b box blur", "b box l u r"}};
  for (const auto& [query, first, second] : table) EXPECT_GT(fuzzy_score(query, first), fuzzy_score(query, second)) << query;
}

}  // namespace

}  // namespace app
