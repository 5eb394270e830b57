// The settings file: what is saved is read back; anything else in its place is set aside and reported in one line.
#include "app/control/settings_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "app/support/files.h"
#include "app/tests/control/settings_example.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using examples::unusual_settings;

class SettingsFileTest : public ::testing::Test {
 protected:
  void put(const std::string& text) {
    fs::create_directories(path_.parent_path());
    std::ofstream(path_, std::ios::binary) << text;
  }
  std::string problem_of(const std::string& text) {
    put(text);
    return load_settings(path_).problem;
  }
  // As load_settings() reports it.
  std::string line(const std::string& problem) const { return "settings " + path_.string() + ": " + problem; }
  fs::path broken() const { return path_.string() + ".broken"; }

  // The file is not used: one line reports it, it is renamed, and defaults are used.
  void expect_set_aside(const std::string& says) {
    const auto loaded = load_settings(path_);
    EXPECT_EQ(loaded.settings, Settings{});
    EXPECT_NE(loaded.problem.find(says), std::string::npos) << loaded.problem;
    EXPECT_EQ(loaded.problem.find('\n'), std::string::npos) << loaded.problem;
    EXPECT_LT(loaded.problem.size(), 600u);
    EXPECT_FALSE(fs::exists(fs::symlink_status(path_)));
    EXPECT_TRUE(fs::exists(fs::symlink_status(broken())));
    EXPECT_NO_THROW(save_settings(path_, settings_to_json(Settings{})));
    EXPECT_TRUE(load_settings(path_).problem.empty());
  }

  const TemporaryFolder temporary_;
  const fs::path folder_ = temporary_.path(), path_ = folder_ / "satscope" / "settings.json";
};

TEST_F(SettingsFileTest, ACascadeWhoseNameIsNotUtf8IsSavedWithAllElseAndReadBack) {
  const auto cascade = (folder_ / "caf\xe9.xml").string();
  std::ofstream(cascade) << "<opencv_storage/>";
  Settings chosen;
  chosen.vsync = false;
  chosen.effect_values["faces"]["cascade"] = cascade;
  for (int round = 0; round < 2; ++round) {
    const auto loaded = load_settings(path_);
    save_settings(path_, changes_to_save(loaded, loaded.settings, chosen));
    EXPECT_EQ(load_settings(path_).settings, chosen) << load_settings(path_).problem;
  }
  fs::remove(cascade);
  const auto loaded = load_settings(path_);
  EXPECT_NE(loaded.problem, "");
  auto other = loaded.settings;
  other.loop = !other.loop;
  save_settings(path_, changes_to_save(loaded, loaded.settings, other));
  std::ofstream(cascade) << "<opencv_storage/>";
  chosen.loop = other.loop;
  EXPECT_EQ(load_settings(path_).settings, chosen) << "it is there again";
}

TEST_F(SettingsFileTest, WhatIsSavedIsReadBackAndTheSourceIsNotSaved) {
  EXPECT_EQ(load_settings(path_).problem, "") << "no file is no fault";
  EXPECT_EQ(load_settings(path_).settings, Settings{});
  auto settings = unusual_settings();
  settings.source = "clip.mp4";
  for (const auto& saved : {Settings{}, settings}) save_settings(path_, settings_to_json(saved));
  EXPECT_EQ(load_settings(path_).problem, "");
  EXPECT_EQ(load_settings(path_).settings, unusual_settings());
  EXPECT_EQ(std::distance(fs::directory_iterator(path_.parent_path()), fs::directory_iterator{}), 1)
      << "nothing else is left";
}

TEST_F(SettingsFileTest, ALinkStaysALink) {
  const auto real = folder_ / "real.json";
  std::ofstream(real) << "{}";
  fs::create_directories(path_.parent_path());
  fs::create_symlink(real, path_);
  save_settings(path_, settings_to_json(unusual_settings()));
  EXPECT_TRUE(fs::is_symlink(path_));
  EXPECT_EQ(load_settings(real).settings, unusual_settings());
}

TEST_F(SettingsFileTest, WhatIsNoSettingsFileIsSetAside) {
  const auto whole = settings_to_json(unusual_settings()).dump();
  const std::pair<std::string, const char*> cases[] = {{"hello", "not JSON"},
                                                       {"", "it is empty"},
                                                       {whole.substr(0, whole.size() / 2), "not JSON"},
                                                       {std::string("\xff\xfe\x00\x01{\x00", 6), "not JSON"},
                                                       {"[1, 2]", "not a JSON object"},
                                                       {'"' + std::string(2 << 20, 'a') + '"', "larger than 1 MiB"},
                                                       {std::string(500'000, '['), "nested too deeply"},
                                                       {R"({"version": 99})", "its version is not 1"},
                                                       {R"({"effect": "haar"})", "it has no \"version\": 1"}};
  for (const auto& [text, says] : cases) {
    SCOPED_TRACE(text.substr(0, 20));
    fs::remove_all(folder_ / "satscope");
    put(text);
    expect_set_aside(says);
  }
}
TEST_F(SettingsFileTest, AWrongFieldCostsOnlyThatField) {
  auto wrong = settings_to_json(unusual_settings());
  wrong["fps"] = -1;
  put(wrong.dump());
  const auto loaded = load_settings(path_);
  EXPECT_EQ(loaded.problem, line("fps takes a number from 0 to 1000, not '-1'; it is ignored"));
  auto expected = unusual_settings();
  expected.fps = Settings{}.fps;
  EXPECT_EQ(loaded.settings, expected);
  EXPECT_TRUE(fs::exists(path_));
  EXPECT_FALSE(fs::exists(broken()));
}
TEST_F(SettingsFileTest, ACascadeThatIsNotThereNowGetsTheDefaultAndStaysInTheFile) {
  put(R"({"version": 1, "effect": "faces", "faces.cascade": "nope", "faces.min_neighbors": 5})");
  const auto loaded = load_settings(path_);
  EXPECT_EQ(loaded.problem, line("faces.cascade: no cascade 'nope': name a file, or one that satscope list cascades prints; "
                                 "it is ignored"));
  EXPECT_EQ(loaded.settings.effect_values.at("faces"), (std::map<std::string, std::string>{{"min_neighbors", "5"}}));
  auto changed = loaded.settings;
  changed.vsync = !changed.vsync;
  const auto saved = changes_to_save(loaded, loaded.settings, changed);
  EXPECT_EQ(saved.at("faces.cascade"), "nope");
  save_settings(path_, saved);
  std::ofstream(folder_ / "nope") << "there again";
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const auto again = load_settings(path_);
  fs::current_path(before);
  EXPECT_EQ(again.problem, "");
  EXPECT_EQ(again.settings.effect_values.at("faces").at("cascade"), "nope");
}
// What has no default, too; what is long ends with what is wrong.
TEST_F(SettingsFileTest, AWrongValueOrNameIsNamed) {
  const auto unknown = problem_of(R"({"version": 1, "nosuch": 1})");
  EXPECT_NE(unknown.find("no setting 'nosuch'"), std::string::npos) << unknown;
  EXPECT_TRUE(unknown.ends_with("; it is ignored")) << unknown;
  const auto long_list = problem_of(R"({"version": 1, "cuda_algorithm": "host_serial"})");
  EXPECT_TRUE(long_list.ends_with(" or transpose_harris, not 'host_serial'; it is ignored")) << long_list;
  const auto problem = problem_of(R"({"version": 1, "cuda_algorithm": ")" + std::string(100'000, 'x') + R"("})");
  EXPECT_LT(problem.size(), 600u);
  EXPECT_NE(problem.find("xxx..."), std::string::npos) << problem;
  EXPECT_EQ(
      problem_of(R"({"version": 1, "host_algorithm": "1r1w"})"),
      line("host_algorithm takes host_ehsan, host_parallel, host_serial or host_wavefront, not '1r1w'; it is ignored"));
}

TEST_F(SettingsFileTest, WhatCouldNotBeUsedStaysUntilTheUserChangesIt) {
  put(R"({"version": 1, "fps": -1, "theme": "blue", "of_another_version": [1], "haar.type": "none"})");
  const auto loaded = load_settings(path_);
  auto changed = loaded.settings;
  changed.theme = Theme::light;
  const auto saved = changes_to_save(loaded, loaded.settings, changed);
  EXPECT_EQ(saved.at("fps"), -1);
  EXPECT_EQ(saved.at("theme"), "light");
  EXPECT_EQ(saved.at("of_another_version"), nlohmann::json::parse("[1]"));
  EXPECT_EQ(saved.at("haar.type"), "none");
}
// Whoever edits the file while a window is open keeps what that window has not changed.
TEST_F(SettingsFileTest, TheUsersKeysAreReadAndWrongOnesStayInTheFile) {
  put(R"({"version": 1, "keys": {"ctrl+r": "race", "F5": "set effect haar", "Esc": "quit", "X": "nonsense", "Y": 3,
          "F9": "set nonsense 3", "F10": "set speed 99", "F6": "add W 1",
          "F7": "set matrix 1,2;3,4", "F8": "set compare host_serial,host_parallel"}})");
  const auto loaded = load_settings(path_);
  EXPECT_EQ(loaded.settings.keys, (OwnKeys{{"Ctrl+R", "race"},
                                           {"F5", "set effect haar"},
                                           {"F6", "add W 1"},
                                           {"F7", "set matrix 1,2;3,4"},
                                           {"F8", "set compare host_serial,host_parallel"}}));
  EXPECT_NE(loaded.problem.find("keys: "), std::string::npos) << loaded.problem;
  auto changed = loaded.settings;
  changed.vsync = !changed.vsync;
  save_settings(path_, changes_to_save(loaded, loaded.settings, changed));
  const auto again = load_settings(path_);
  EXPECT_EQ(again.settings.keys, loaded.settings.keys);
  EXPECT_EQ(again.unusable, loaded.unusable);
  EXPECT_EQ(again.unusable.at("keys").size(), 5u);
  EXPECT_EQ(as_at_first_start(again.settings).keys, loaded.settings.keys);
  const auto no_list_is_named = problem_of(R"({"version": 1, "keys": "race"})");
  EXPECT_NE(no_list_is_named.find("keys is an object of keys and commands"), std::string::npos) << no_list_is_named;
  const auto no_list = load_settings(path_);
  EXPECT_EQ(changes_to_save(no_list, no_list.settings, no_list.settings).at("keys"), "race");
}

TEST_F(SettingsFileTest, WhatOthersWroteMeanwhileStays) {
  const auto loaded = load_settings(path_);
  auto theirs = loaded.settings, ours = loaded.settings;
  theirs.panels = false;
  theirs.wipe = 0.25;
  save_settings(path_, settings_to_json(theirs));
  ours.wipe = 0.75;
  save_settings(path_, changes_to_save(set_aside_if_broken(path_, loaded), loaded.settings, ours));
  EXPECT_FALSE(load_settings(path_).settings.panels);
  EXPECT_EQ(load_settings(path_).settings.wipe, 0.75);
  put("{");
  const auto now = set_aside_if_broken(path_, loaded);
  EXPECT_EQ(now.settings, loaded.settings) << "broken by now";
  EXPECT_EQ(now.problem, line("it is not JSON: wrong at character 2; it is now settings.json.broken"));
  EXPECT_EQ(fs::file_size(broken()), 1u) << "nothing of it is lost";
  EXPECT_EQ(set_aside_if_broken(path_, loaded).problem, "") << "there is none";
  put(R"({"version": 1, "wipe": 0.75, "fps": -1, "loop": true, "loop": false})");
  EXPECT_EQ(set_aside_if_broken(path_, loaded).settings.wipe, 0.75) << "it is one, but for its faults";
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(SettingsFileTest, OfManyFaultsTheFirstOnesAreNamedAndTheOthersAreCounted) {
  put(R"({"version": 1, "effect": "boxblur", "fps": -1, "theme": "blue", "loop": true, "loop": false})");
  EXPECT_EQ(
      load_settings(path_).problem,
      line("(1) loop is given twice; (2) no effect 'boxblur' (did you mean 'box_blur'?); "
           "(3) fps takes a number from 0 to 1000, not '-1'; (4) theme takes dark or light, not 'blue'; they are ignored"));
  nlohmann::json many{{"version", 1}};
  for (int i = 0; i < 11; ++i) many["nosuch" + std::to_string(i)] = std::string(5000, 'x');
  put(many.dump());
  const auto problem = load_settings(path_).problem;
  EXPECT_NE(problem.find("; (8) "), std::string::npos) << problem;
  EXPECT_TRUE(problem.ends_with("; and 3 more faults; they are ignored")) << problem;
  EXPECT_EQ(problem.find('\n'), std::string::npos);
  EXPECT_LT(problem.size(), 4000u);
}
// A pipe does not hang, a device does not end.
TEST_F(SettingsFileTest, WhatIsNoFileIsSetAside) {
  for (const std::function<void()>& make : {std::function<void()>([&] { fs::create_directories(path_ / "inside"); }),
                                            {[&] { ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0); }},
                                            {[&] { fs::create_symlink("/dev/zero", path_); }}}) {
    fs::remove_all(folder_ / "satscope");
    fs::create_directories(path_.parent_path());
    make();
    expect_set_aside("not a file");
  }
}
TEST_F(SettingsFileTest, ASecondBrokenFileIsSetAsideTooAndOverwritesNone) {
  problem_of("first");
  problem_of("second");
  std::string text;
  std::getline(std::ifstream(broken()), text);
  EXPECT_EQ(text, "first");
  fs::remove_all(folder_ / "satscope");
  fs::create_directories(broken() / "not empty");
  const auto problem = problem_of("x");
  EXPECT_TRUE(problem.ends_with(".broken.2")) << problem;
}

// One that the user named, and any in a run that saves none.
TEST_F(SettingsFileTest, ABrokenFileMayBeLeftAlone) {
  for (const auto& [when, says] :
       {std::pair(WhenBroken::refuse, "--config takes"), {WhenBroken::leave, "correct the file or remove it"}}) {
    put("x");
    const auto loaded = load_settings(path_, when);
    EXPECT_NE(loaded.problem.find(says), std::string::npos) << loaded.problem;
    EXPECT_EQ(loaded.settings, Settings());
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_FALSE(fs::exists(broken()));
  }
}

TEST_F(SettingsFileTest, AFolderThatCannotBeCreatedIsReportedInOneLine) {
  std::ofstream(folder_ / "satscope") << "a file where the folder should be";
  EXPECT_EQ(gpu::test::refusal_of<std::runtime_error>([&] { save_settings(path_, settings_to_json(Settings{})); }),
            "cannot make the folder " + path_.parent_path().string() + ": Not a directory; choose another place");
}

TEST_F(SettingsFileTest, WhereNoneCanBeWrittenThatIsSaidWithAWayOut) {
  EXPECT_EQ(why_not_kept(path_), "");
  EXPECT_FALSE(fs::exists(path_.parent_path())) << "nothing is made before there is something to save";
  EXPECT_EQ(why_not_kept(std::nullopt),
            "settings are not saved: neither XDG_CONFIG_HOME nor HOME names a folder; choose a place (--config FILE)");
  // Root may write everywhere, but no folder of /proc takes a file.
  const std::string why = ::geteuid() == 0 ? "no file can be created in it" : "Permission denied";
  EXPECT_EQ(why_not_kept("/proc/.config/satscope/settings.json"),
            "settings are not saved: cannot write to /proc: " + why + "; choose another place (--config FILE)");
  const auto home = folder_ / "home";
  std::ofstream(home) << "a file where a folder should be";
  EXPECT_EQ(why_not_kept(home / ".config" / "satscope" / "settings.json"),
            "settings are not saved: " + home.string() + " is not a folder; choose another place (--config FILE)");
  // What counts is where a link leads.
  put("{}");
  EXPECT_EQ(why_not_kept(path_), "");
  fs::remove(path_);
  fs::create_symlink("/proc/settings.json", path_);
  EXPECT_NE(why_not_kept(path_).find("cannot write to /proc"), std::string::npos) << why_not_kept(path_);
}

TEST(SettingsFilePathTest, FollowsTheXdgSpecification) {
  const auto set = [](const char* name, const char* value) { value ? setenv(name, value, 1) : unsetenv(name); };
  const char* home = getenv("HOME");
  const char* config = getenv("XDG_CONFIG_HOME");
  const std::string old_home = home ? home : "", old_config = config ? config : "";
  const std::optional<fs::path> in_home = "/home/me/.config/satscope/settings.json", none;
  for (const auto& [at_home, at_config, path] :
       {std::tuple<const char*, const char*, std::optional<fs::path>>(
            "/home/me", "/somewhere", std::optional<fs::path>("/somewhere/satscope/settings.json")),
        {"/home/me", "relative", in_home},
        {"/home/me", nullptr, in_home},
        {nullptr, nullptr, none}}) {
    set("HOME", at_home);
    set("XDG_CONFIG_HOME", at_config);
    EXPECT_EQ(default_settings_path(), path);
  }
  set("HOME", home ? old_home.c_str() : nullptr);
  set("XDG_CONFIG_HOME", config ? old_config.c_str() : nullptr);
}

}  // namespace
}  // namespace app
