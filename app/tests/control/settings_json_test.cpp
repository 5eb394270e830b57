// Settings as JSON: what is written is read back, a wrong field costs only itself, and only the user's changes are saved.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/control/settings_file.h"
#include "app/tests/control/settings_example.h"

namespace app {
namespace {

using examples::unusual_settings;

TEST(SettingsJsonTest, AWrongFieldIsReportedAndTheOthersAreKept) {
  for (const auto* json : {R"("effect": "no such")",
                           R"("effect": 3)",
                           R"("effect": null)",
                           R"("cuda_algorithm": "host_serial")",
                           R"("host_algorithm": "2r2w")",
                           R"("device": "gpu")",
                           R"("fps": -1)",
                           R"("fps": 1e999)",
                           R"("fps": "fast")",
                           R"("vsnc": true)",
                           R"("loop": 1)",
                           R"("size": "0x4")",
                           R"("size": [1, 2])",
                           R"("size": "99999999999x1")",
                           R"("window_width": 0)",
                           R"("output_folder": 5)",
                           R"("window_width": 1e300)",
                           R"("wipe": -1)",
                           R"("ui_scale": 1e9)",
                           R"("target_ms": -1)",
                           R"("nothing.W": 3)",
                           R"("box_blur.window": "x")",
                           R"("box_blur.nothing": "x")",
                           R"("box_blur.window": -1)"}) {
    const auto parsed = parse_settings(std::string(R"({"version": 1, "vsync": false, )") + json + "}");
    // The JSON parser itself refuses 1e999, and with it the whole file.
    EXPECT_EQ(parsed.problems.size(), 1u) << json;
    auto expected = Settings{};
    if (std::string(json).find("1e999") == std::string::npos) expected.vsync = false;
    EXPECT_EQ(parsed.settings, expected) << json;
  }
}

// Names of files are bytes. Another setting is saved with them, and they come back as they were.
TEST(SettingsJsonTest, ATextThatIsNotUtf8ComesBackByteForByteAndCostsNoOtherSetting) {
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  for (const std::string& name : {std::string("/films/caf\xe9.xml"), std::string("/100%41\xff"), all}) {
    Settings settings;
    settings.vsync = false;
    settings.output_folder = name;
    settings.effect_values["faces"]["cascade"] = name;
    settings.keys["Ctrl+R"] = "save_picture to " + name + ".png";
    const auto text = settings_to_json(settings).dump();
    EXPECT_EQ(text_from_json(text_as_json(name)), name);
    EXPECT_NE(text.find("\"escaped\""), std::string::npos);
    const auto file = nlohmann::json::parse(text);
    for (const char* path : {"output_folder", "faces.cascade"}) EXPECT_EQ(text_from_json(file[path]), name) << path;
    EXPECT_EQ(text_from_json(file["keys"]["Ctrl+R"]), settings.keys["Ctrl+R"]);
    EXPECT_FALSE(parse_settings(text).settings.vsync);
  }
  EXPECT_EQ(text_as_json("/100%41\u00fc.xml"), "/100%41\u00fc.xml") << "as it is";
  EXPECT_FALSE(text_from_json({{"escaped", 3}}));
  EXPECT_FALSE(text_from_json({{"escaped", "a"}, {"b", "c"}}));
}

// It may be there again at the next start: what the file has of it stays.
TEST(SettingsJsonTest, AnEscapedNameThatCannotBeUsedNowIsKept) {
  LoadedSettings loaded;
  const nlohmann::json escaped = {{"escaped", "/gone/caf%E9"}};
  loaded.unusable["output_folder"] = loaded.unusable["faces.cascade"] = escaped;
  auto current = loaded.settings;
  current.vsync = false;
  const auto saved = changes_to_save(loaded, loaded.settings, current);
  EXPECT_EQ(saved["output_folder"], escaped);
  EXPECT_EQ(saved["faces.cascade"], escaped);
  EXPECT_EQ(saved["vsync"], false);
}

TEST(SettingsJsonTest, ANameIsGivenTwiceInItsOwnObjectAlone) {
  for (const auto& [text, twice] : {std::pair{R"({"a": {"b": 1}, "a": 2})", true},
                                    {R"({"a": {"a": 1}, "b": {"a": 2}})", false},
                                    {R"([{"a": 1}, {"a": 2}])", false},
                                    {R"({"a": {"b": {"c": 1}}, "c": 1, "b": 1, "a": 1})", true},
                                    {R"({"a": {"b": 1, "b": 2}})", true}})
    if (twice)
      EXPECT_THROW(json_from<nlohmann::json>(text), std::invalid_argument) << text;
    else
      EXPECT_NO_THROW(json_from<nlohmann::json>(text)) << text;
}

TEST(SettingsJsonTest, OfTextThatIsNotJsonThePlaceIsSaid) {
  const auto problem = [](std::string_view text) { return parse_settings(text).problems.at(0); };
  const std::pair<const char*, const char*> table[] = {
      {"{\"version\": 1,\n \"effect\" 3}\n", "it is not JSON: wrong at line 2, column 11"},
      {"{\"version\": 1\n", "it is not JSON: wrong at line 2, column 1"},
      {"hello", "it is not JSON: wrong at character 1"},
      {"", "it is empty"},
      {" \n", "it is empty"},
      {R"({"version": 1, "fps": 1e999})", "a number in it is too large"}};
  for (const auto& [text, says] : table) EXPECT_EQ(problem(text), says) << text;
}

TEST(SettingsJsonTest, WhatASettingTakesIsSaidAlsoInPlaceOfAListOrNull) {
  const auto parsed = parse_settings(R"({"version": 1, "theme": null, "wipe": [0.5], "2r1w.W": null})");
  ASSERT_EQ(parsed.problems.size(), 3u);
  for (const auto& text : parsed.problems)
    EXPECT_TRUE(text.find(" takes ") != text.npos && text.find("'null'") + text.find("'[0.5]'") + 1 != text.npos) << text;
}

TEST(SettingsJsonTest, OfOwnKeysTheOneThatIsWrongIsNamed) {
  const auto parsed = parse_settings(R"({"version": 1, "keys": {"F5": "toggle wipe", "F7": "race", "F8": 3}})");
  ASSERT_EQ(parsed.problems.size(), 2u);
  EXPECT_TRUE(parsed.problems[0].starts_with("keys: F5: wipe is not a switch")) << parsed.problems[0];
  EXPECT_EQ(parsed.problems[1], "keys: F8: it takes a command, as \"race\"");
}

TEST(SettingsJsonTest, KeysOfSettingsOfAnEarlierVersionAreForgotten) {
  const auto parsed = parse_settings(
      R"({"version": 1, "keys": {"F5": "cycle graph_scale", "F7": "race", "F8": "toggle simple", "F9": "set race_a 2r1w"}})");
  EXPECT_EQ(parsed.problems, std::vector<std::string>());
  EXPECT_EQ(parsed.settings.keys, (OwnKeys{{"F7", "race"}, {"F8", "toggle simple"}}));  // F8 hides the panels
}

TEST(SettingsJsonTest, DefaultsOfAnEarlierVersionAreNotTheUsersChoice) {
  const auto old = parse_settings(
      R"({"version": 1, "dock_open": true, "kernels_sort": "run", "graph_histogram": true, "simple": false})");
  EXPECT_EQ(old.problems, std::vector<std::string>());
  EXPECT_EQ(old.settings, Settings());
  const auto now = parse_settings(
      R"({"version": 1, "dock_open": true, "kernels_sort": "name", "kernels_descending": false, "graph_histogram": true})");
  EXPECT_EQ(now.problems, std::vector<std::string>()) << "the order of kernels is no setting any more";
  EXPECT_TRUE(now.settings.dock_open && now.settings.graph_histogram);
}

TEST(SettingsJsonTest, AFieldGivenTwiceIsAProblem) {
  const auto parsed = parse_settings(R"({"version": 1, "effect": "haar", "vsync": false, "effect": "box_blur"})");
  EXPECT_EQ(parsed.problems, std::vector<std::string>{"effect is given twice"});
  auto expected = Settings{};
  expected.vsync = false;
  EXPECT_EQ(parsed.settings, expected);
}

TEST(SettingsJsonTest, DeepNestingIsAProblem) {
  constexpr std::size_t deep = 250'000;
  const auto value = std::string(deep, '[') + std::string(deep, ']');
  for (const auto& text : {value, R"({"version": 1, "zoom": )" + value + "}", R"({"version": )" + value + "}"}) {
    const auto parsed = parse_settings(text);
    EXPECT_EQ(parsed.problems, std::vector<std::string>{"it is nested too deeply"});
    EXPECT_FALSE(parsed.readable);
  }
}

TEST(SettingsJsonTest, ATextWithAZeroIsAProblemThatIsToldWhole) {
  for (const auto* json : {R"("a\u0000b": 1)", R"("effect": "a\u0000b")", R"("keys": {"a\u0000b": "race"})"})
    EXPECT_EQ(parse_settings(std::string(R"({"version": 1, )") + json + "}").problems,
              std::vector<std::string>{"a text in it contains the character \\u0000"})
        << json;
}

TEST(SettingsJsonTest, PathsOfAnOwnerAreAcceptedAndParametersAloneAreNot) {
  const auto parsed = parse_settings(R"({"version": 1, "2r1w.W": 32, "algorithm": "2r1w", "haar.type": "type-2-y",
      "effect": "haar", "window": "9x5", "type": "type-2-x", "vsync": "off"})");
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_NE(parsed.problems[0].find("no setting 'window'"), std::string::npos) << parsed.problems[0];
  EXPECT_EQ(parsed.settings.cuda_algorithm, "2r1w");
  EXPECT_FALSE(parsed.settings.vsync);
  EXPECT_EQ(settings_to_json(parsed.settings).at("2r1w.W"), "32");
}

TEST(SettingsJsonTest, AnAlgorithmAlsoChoosesTheDevice) {
  auto parsed = parse_settings(R"({"version": 1, "algorithm": "2r1w", "cuda_algorithm": "1r1w", "device": "auto"})");
  EXPECT_EQ(parsed.problems, std::vector<std::string>());
  EXPECT_EQ(parsed.settings.cuda_algorithm, "2r1w");
  ASSERT_TRUE(parsed.algorithm);
  EXPECT_EQ(parsed.algorithm->name, "2r1w");
  LoadedSettings loaded{parsed.settings};
  loaded.algorithm = parsed.algorithm;
  auto current = loaded.settings;
  current.vsync = !current.vsync;
  EXPECT_EQ(changes_to_save(loaded, loaded.settings, current).at("algorithm"), "2r1w");
  current.cuda_algorithm = "1r1w";
  EXPECT_FALSE(changes_to_save(loaded, loaded.settings, current).contains("algorithm"));
  for (const char* text : {R"({"version": 1, "algorithm": "2r1w", "device": "simulated"})",
                           R"({"version": 1, "algorithm": "host_serial"})", R"({"version": 1, "cuda_algorithm": "2r1w"})"})
    EXPECT_FALSE(parse_settings(text).algorithm) << text;
  parsed = parse_settings(R"({"version": 1, "algorithm": "2r1w", "device": "host"})");
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_NE(parsed.problems[0].find("2r1w runs on the GPU"), std::string::npos) << parsed.problems[0];
  EXPECT_EQ(parsed.settings.device, DeviceChoice::host);
  EXPECT_TRUE(parsed.unusable.contains("algorithm"));
}

TEST(SettingsJsonTest, ProblemsAreOneBoundedLine) {
  const nlohmann::json object{{"version", 1}, {"box_blur.a\nb" + std::string(5000, 'x'), "1"}};
  const auto parsed = parse_settings(object.dump());
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].find('\n'), std::string::npos);
  EXPECT_LT(parsed.problems[0].size(), 500u);
}

TEST(SettingsJsonTest, OnlyWhatTheUserChangedIsSaved) {
  auto saved = unusual_settings(), started = saved;
  started.effect = "box_blur";                        // the command line's
  started.effect_values["box_blur"]["passes"] = "3";  // the command line's
  auto current = started;
  current.vsync = true;                                  // the user's
  current.effect_values["box_blur"]["border"] = "clip";  // the user's
  auto expected = saved;
  expected.vsync = true;
  expected.effect_values["box_blur"]["border"] = "clip";
  EXPECT_EQ(changes_to_save({saved}, started, current), settings_to_json(expected));
  current.effect = "sat_view";  // the user's, over the command line's
  expected.effect = "sat_view";
  EXPECT_EQ(changes_to_save({saved}, started, current), settings_to_json(expected));
}

TEST(SettingsJsonTest, TheViewDoesNotSurviveTheRunAndEveryDeviceDoes) {
  for (const auto device : {DeviceChoice::automatic, DeviceChoice::cuda, DeviceChoice::host, DeviceChoice::simulated}) {
    Settings settings;
    settings.device = device;
    EXPECT_EQ(parse_settings(settings_to_json(settings).dump()).settings.device, device);
  }
  auto current = Settings{};
  current.zoom = 90.5;
  current.centre_x = 0.1;
  EXPECT_EQ(changes_to_save({}, {}, current), settings_to_json({}));
}

TEST(SettingsJsonTest, WhatAnEarlierRunLeftIsSaid) {
  EXPECT_EQ(left_by_earlier_run(Settings{}), "");
  EXPECT_EQ(left_by_earlier_run(first_settings()), "");
  auto settings = Settings{};
  settings.panels = false;
  settings.device = DeviceChoice::simulated;
  EXPECT_EQ(left_by_earlier_run(settings),
            "As you left it: the simulated GPU computes, the panels are hidden (Tab shows them); \"Reset everything\" in "
            "Ctrl+P restores the defaults");
}

TEST(SettingsJsonTest, AParameterSetBackToItsInitialValueIsSaved) {
  auto saved = Settings{};
  saved.effect_values["box_blur"]["passes"] = "3";
  saved.effect_values["box_blur"]["window"] = "31x31";
  auto current = saved;
  current.effect_values["box_blur"].erase("passes");  // as the panel does
  EXPECT_EQ(changes_to_save({saved}, saved, current), settings_to_json(current));
}

}  // namespace
}  // namespace app
