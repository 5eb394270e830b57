// The settings file: what is written is read back, and whatever else may stand there is set aside in one line.
#include "app/control/settings_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/support/files.h"

namespace app {
namespace {

namespace fs = std::filesystem;

class SettingsFile : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "satscope-settings-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ / "satscope" / "settings.json";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& text) {
    fs::create_directories(path_.parent_path());
    std::ofstream(path_, std::ios::binary) << text;
  }
  fs::path broken() const { return path_.string() + ".broken"; }

  // What is there is not read: one line says so, it is moved away, and defaults take its place.
  void expect_set_aside(const std::string& says) {
    const auto loaded = load_settings(path_);
    EXPECT_EQ(loaded.settings, Settings{});
    EXPECT_NE(loaded.problem.find(says), std::string::npos) << loaded.problem;
    EXPECT_EQ(loaded.problem.find('\n'), std::string::npos) << loaded.problem;
    EXPECT_LT(loaded.problem.size(), 600u);
    EXPECT_FALSE(fs::exists(fs::symlink_status(path_)));
    EXPECT_TRUE(fs::exists(fs::symlink_status(broken())));
    EXPECT_NO_THROW(save_settings(path_, Settings{}));
    EXPECT_EQ(load_settings(path_).problem, "");
  }

  fs::path folder_, path_;
};

Settings unusual() {
  Settings s;
  s.size = {1280, 720};
  s.fps = 29.97;
  s.loop = s.max_speed = s.every_kernel = true;
  s.device = DeviceChoice::host;
  s.cuda_algorithm = "2r1w";
  s.host_algorithm = "host_serial";
  s.effect = "none";
  s.effect_values["box_blur"]["window"] = "9x5";
  s.algorithm_values["host_parallel"]["threads"] = "1";
  s.interop = InteropChoice::off;
  s.viewer = Viewer::highgui;
  s.vsync = s.panels = false;
  s.window_width = 1000;
  s.window_height = 700;
  s.zoom = 2.5;
  s.centre_x = 0.25;
  s.centre_y = 0.75;
  s.target_ms = 8;
  return s;
}

TEST_F(SettingsFile, WhatIsSavedIsReadBack) {
  save_settings(path_, unusual());
  const auto loaded = load_settings(path_);
  EXPECT_EQ(loaded.problem, "");
  EXPECT_EQ(loaded.settings, unusual());
}

TEST(SettingsJson, EveryDeviceIsReadBack) {
  for (const auto device : {DeviceChoice::automatic, DeviceChoice::cuda, DeviceChoice::host, DeviceChoice::simulated}) {
    Settings settings;
    settings.device = device;
    const auto parsed = parse_settings(settings_to_json(settings).dump());
    EXPECT_TRUE(parsed.problems.empty());
    EXPECT_EQ(parsed.settings.device, device);
  }
}

TEST_F(SettingsFile, NoFileMeansDefaultsAndNoComplaint) {
  const auto loaded = load_settings(path_);
  EXPECT_EQ(loaded.problem, "");
  EXPECT_EQ(loaded.settings, Settings{});
}

TEST_F(SettingsFile, TheSourceIsNotSaved) {
  Settings settings;
  settings.source = "clip.mp4";
  save_settings(path_, settings);
  EXPECT_EQ(load_settings(path_).settings.source, "");
}

TEST_F(SettingsFile, SavingLeavesNothingElseBehind) {
  save_settings(path_, Settings{});
  save_settings(path_, unusual());
  EXPECT_EQ(std::distance(fs::directory_iterator(path_.parent_path()), fs::directory_iterator{}), 1);
}

TEST_F(SettingsFile, ALinkStaysALink) {
  const auto real = folder_ / "real.json";
  std::ofstream(real) << "{}";
  fs::create_directories(path_.parent_path());
  fs::create_symlink(real, path_);
  save_settings(path_, unusual());
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(load_settings(real).settings, unusual());
}

TEST_F(SettingsFile, NotJson) {
  put("hello");
  expect_set_aside("not JSON");
}
TEST_F(SettingsFile, Empty) {
  put("");
  expect_set_aside("not JSON");
}
TEST_F(SettingsFile, CutShort) {
  auto text = settings_to_json(unusual()).dump();
  put(text.substr(0, text.size() / 2));
  expect_set_aside("not JSON");
}
TEST_F(SettingsFile, Binary) {
  put(std::string("\xff\xfe\x00\x01{\x00", 6));
  expect_set_aside("not JSON");
}
TEST_F(SettingsFile, AnArray) {
  put("[1, 2]");
  expect_set_aside("not a JSON object");
}
TEST_F(SettingsFile, Huge) {
  put("\"" + std::string(2 << 20, 'a') + "\"");
  expect_set_aside("larger than 1 MiB");
}
TEST_F(SettingsFile, NestedWithoutEnd) {
  put(std::string(500'000, '['));
  expect_set_aside("not JSON");
}
TEST_F(SettingsFile, OfAnotherVersion) {
  put(R"({"version": 99})");
  expect_set_aside("another version");
}
TEST_F(SettingsFile, AWrongFieldCostsThatFieldAlone) {
  auto wrong = settings_to_json(unusual());
  wrong["fps"] = -1;
  put(wrong.dump());
  const auto loaded = load_settings(path_);
  EXPECT_NE(loaded.problem.find("fps takes a number from 0 to 1000, not '-1'; its default takes its place"),
            std::string::npos)
      << loaded.problem;
  auto expected = unusual();
  expected.fps = Settings{}.fps;
  EXPECT_EQ(loaded.settings, expected);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(broken()));
}
TEST_F(SettingsFile, AFolderInItsPlace) {
  fs::create_directories(path_ / "inside");
  expect_set_aside("not a file");
}
TEST_F(SettingsFile, APipeInItsPlaceDoesNotHang) {
  fs::create_directories(path_.parent_path());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  expect_set_aside("not a file");
}
TEST_F(SettingsFile, ADeviceWithoutEndInItsPlace) {
  fs::create_directories(path_.parent_path());
  fs::create_symlink("/dev/zero", path_);
  expect_set_aside("not a file");
}
TEST_F(SettingsFile, ASecondBrokenOneIsSetAsideToo) {
  fs::create_directories(broken() / "not empty");
  put("x");
  const auto loaded = load_settings(path_);
  EXPECT_NE(loaded.problem.find(".broken.2"), std::string::npos) << loaded.problem;
}
TEST_F(SettingsFile, AnOlderBrokenOneStaysWhatItIs) {
  put("first");
  load_settings(path_);
  put("second");
  load_settings(path_);
  std::string text;
  std::getline(std::ifstream(broken()), text);
  EXPECT_EQ(text, "first");
}
TEST_F(SettingsFile, OneThatSomebodyNamedIsLeftAlone) {
  put("x");
  const auto loaded = load_settings(path_, WhenBroken::leave);
  EXPECT_NE(loaded.problem.find("--config takes"), std::string::npos) << loaded.problem;
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(broken()));
}
TEST_F(SettingsFile, AFolderThatCannotBeMadeIsOneLine) {
  std::ofstream(folder_ / "satscope") << "a file where the folder should be";
  try {
    save_settings(path_, Settings{});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot write " + path_.string()), std::string::npos) << error.what();
  }
}

TEST(SettingsJson, AWrongFieldIsNamedAndTheOthersStay) {
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
                           R"("size": "0x0")",
                           R"("size": [1, 2])",
                           R"("size": "99999999999x1")",
                           R"("window_width": 0)",
                           R"("window_width": 1e300)",
                           R"("zoom": -1)",
                           R"("centre_x": 1e9)",
                           R"("target_ms": 0)",
                           R"("algorithm_values": [])",
                           R"("algorithm_values": {"nothing": {}})",
                           R"("effect_values": {"box_blur": 3})",
                           R"("effect_values": {"box_blur": {"window": "x"}})",
                           R"("effect_values": {"box_blur": {"nothing": "x"}})",
                           R"("effect_values": {"box_blur": {"window": 3}})"}) {
    const auto parsed = parse_settings(std::string(R"({"version": 1, "vsync": false, )") + json + "}");
    // 1e999 is a number that JSON's parser itself refuses.
    EXPECT_EQ(parsed.problems.size(), 1u) << json;
    auto expected = Settings{};
    if (std::string(json).find("1e999") == std::string::npos) expected.vsync = false;
    EXPECT_EQ(parsed.settings, expected) << json;
  }
}

// As they were written before parameters had paths.
TEST(SettingsJson, OldFilesAreStillRead) {
  const auto parsed = parse_settings(R"({"version": 1, "algorithm_values": {"2r1w": {"W": "32"}}, "cuda_algorithm": "2r1w",
      "effect_values": {"box_blur": {"window": "9x5"}, "haar": {}}, "effect": "haar", "loop": true, "fps": 30,
      "size": "", "zoom": 0.5, "window_width": 1000, "target_ms": 16.666666666666668})");
  EXPECT_EQ(parsed.problems, std::vector<std::string>());
  Settings expected;
  expected.algorithm_values["2r1w"]["W"] = "32";
  expected.cuda_algorithm = "2r1w";
  expected.effect_values["box_blur"]["window"] = "9x5";
  expected.effect = "haar";
  expected.loop = true;
  expected.fps = 30;
  expected.zoom = 0.5;
  expected.window_width = 1000;
  EXPECT_EQ(parsed.settings, expected);
}

TEST(SettingsJson, EveryPathMayStandInAFile) {
  const auto parsed = parse_settings(R"({"version": 1, "2r1w.W": 32, "algorithm": "2r1w", "haar.type": "type-2-y",
      "effect": "haar", "window": "9x5", "type": "type-2-x", "vsync": "off"})");
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_NE(parsed.problems[0].find("no setting 'window'"), std::string::npos) << parsed.problems[0];
  EXPECT_EQ(parsed.settings.cuda_algorithm, "2r1w");
  EXPECT_FALSE(parsed.settings.vsync);
  EXPECT_EQ(settings_to_json(parsed.settings).at("2r1w.W"), "32");
}

TEST(SettingsJson, ProblemsAreOneBoundedLine) {
  const nlohmann::json object{{"version", 1}, {"effect_values", {{"box_blur", {{"a\nb" + std::string(5000, 'x'), "1"}}}}}};
  const auto parsed = parse_settings(object.dump());
  ASSERT_EQ(parsed.problems.size(), 1u);
  EXPECT_EQ(parsed.problems[0].find('\n'), std::string::npos);
  EXPECT_LT(parsed.problems[0].size(), 300u);
}

TEST(SettingsJson, OnlyWhatTheUserChangedIsSaved) {
  auto saved = unusual(), started = saved;
  started.effect = "box_blur";                        // the command line's
  started.effect_values["box_blur"]["passes"] = "3";  // the command line's
  auto current = started;
  current.vsync = true;                                  // the user's
  current.effect_values["box_blur"]["border"] = "clip";  // the user's
  auto expected = saved;
  expected.vsync = true;
  expected.effect_values["box_blur"]["border"] = "clip";
  EXPECT_EQ(changes_to_save(saved, started, current), expected);
  current.effect = "sat_view";  // the user's, over the command line's
  expected.effect = "sat_view";
  EXPECT_EQ(changes_to_save(saved, started, current), expected);
}

TEST(SettingsJson, AParameterThatIsInitialAgainIsSaved) {
  auto saved = Settings{};
  saved.effect_values["box_blur"]["passes"] = "3";
  saved.effect_values["box_blur"]["window"] = "31x31";
  auto current = saved;
  current.effect_values["box_blur"].erase("passes");  // as the panel does
  EXPECT_EQ(changes_to_save(saved, saved, current), current);
}

TEST(SettingsPath, FollowsTheXdgSpecification) {
  const auto set = [](const char* name, const char* value) { value ? setenv(name, value, 1) : unsetenv(name); };
  const char* home = getenv("HOME");
  const char* config = getenv("XDG_CONFIG_HOME");
  const std::string old_home = home ? home : "", old_config = config ? config : "";
  set("HOME", "/home/me");
  set("XDG_CONFIG_HOME", "/somewhere");
  EXPECT_EQ(default_settings_path(), fs::path("/somewhere/satscope/settings.json"));
  set("XDG_CONFIG_HOME", "relative");
  EXPECT_EQ(default_settings_path(), fs::path("/home/me/.config/satscope/settings.json"));
  set("XDG_CONFIG_HOME", nullptr);
  EXPECT_EQ(default_settings_path(), fs::path("/home/me/.config/satscope/settings.json"));
  set("HOME", nullptr);
  EXPECT_EQ(default_settings_path(), std::nullopt);
  set("HOME", home ? old_home.c_str() : nullptr);
  set("XDG_CONFIG_HOME", config ? old_config.c_str() : nullptr);
}

}  // namespace
}  // namespace app
