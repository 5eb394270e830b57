// Changes of settings by path, and the table of fields.
#include "app/control/change.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/tests/control/settings_example.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using Changes = std::vector<Change>;

Settings changed(const Changes& changes, Settings settings = {}, const ChangeContext& context = {}) {
  apply(settings, changes, context);
  return settings;
}

// The message of a refusal, which must change nothing.
std::string refusal(const Changes& changes, const ChangeContext& context = {}, Settings settings = {}) {
  const auto before = settings;
  const auto why = gpu::test::refusal_of([&] { apply(settings, changes, context); });
  EXPECT_EQ(settings, before);
  return why;
}

// Settings files, scripts and command lines of users have them.
TEST(ChangeTest, TabsAndSettingsOfEarlierVersionsAreRead) {
  for (const auto& [before, now] : {std::pair("kernels", Dock::frame),
                                    {"timeline", Dock::frame},
                                    {"trace", Dock::tiles},
                                    {"cascade", Dock::detector},
                                    {"features", Dock::detector},
                                    {"race", Dock::race}})
    EXPECT_EQ(changed({{"dock", before}}).dock, now) << before;
  EXPECT_EQ(changed({{"left_width", "300"},
                     {"cards_search", "on"},
                     {"dock_height", "200"},
                     {"simple", "on"},
                     {"graph_scale", "log"},
                     {"graph_axis", "frames"}}),
            Settings());
  EXPECT_NE(refusal({{"dock", "chess"}}).find("frame, race, tiles, detector, kernel or study"), std::string::npos);
}

// Scripts and command lines from when the dock was always there name a tab alone, too.
TEST(ChangeTest, ATabThatIsNamedIsSeenUnlessTheDockIsClosedWithIt) {
  EXPECT_TRUE(changed({{"dock", "race"}}).dock_open);
  EXPECT_TRUE(changed({{"dock", "cascade"}}).dock_open);
  EXPECT_FALSE(changed({{"dock", "race"}, {"dock_open", "off"}}).dock_open);
  EXPECT_FALSE(changed({{"theme", "light"}}).dock_open);
}

TEST(ChangeTest, AnEffectThatMarksWhatItFindsBeginsWithoutAComparison) {
  Settings settings;
  settings.compare.on = true;
  ChangeContext script;
  script.running = true;
  auto window = script;
  window.by_hand = true;
  for (const char* effect : {"faces", "haar"}) EXPECT_FALSE(changed({{"effect", effect}}, settings, window).compare.on);
  EXPECT_TRUE(changed({{"effect", "sat_view"}}, settings, window).compare.on);
  EXPECT_TRUE(changed({{"effect", "faces"}, {"compare", "original,result"}}, settings, window).compare.on);
  EXPECT_TRUE(changed({{"effect", "haar"}}, settings, script).compare.on);
  settings.effect = "faces";
  EXPECT_TRUE(changed({{"effect", "faces"}}, settings, window).compare.on) << "it was chosen already";
  EXPECT_TRUE(changed({{"effect", "haar"}}, settings, window).compare.on) << "switched on beside Faces";
}

TEST(ChangeTest, AComparisonThatAnEffectSwitchedOffComesBackWithTheNextEffect) {
  ChangeContext window;
  window.running = window.by_hand = true;
  Settings compared;
  compared.compare.on = true;
  const auto after = [&](Settings settings, std::initializer_list<Change> changes) {
    for (const auto& change : changes) apply(settings, change, window);
    return settings.compare.on;
  };
  const Change haar{"effect", "haar"}, faces{"effect", "faces"}, other{"effect", "sat_view"};
  EXPECT_TRUE(after(compared, {haar, other}));
  EXPECT_TRUE(after(compared, {haar, faces, other}));
  EXPECT_FALSE(after(compared, {haar, faces}));
  EXPECT_FALSE(after(compared, {haar, {"compare", "off"}, other})) << "somebody has switched it off";
  EXPECT_FALSE(after(compared, {haar, {"compare", "original,result"}, {"compare", "off"}, other}));
  EXPECT_FALSE(after({}, {haar, other})) << "nothing was compared";
}

TEST(ChangeTest, TheBundledClipThatIsChosenInTheWindowBeginsWithLoop) {
  ChangeContext script;
  script.running = true;
  auto window = script;
  window.by_hand = true;
  Settings photo;
  photo.source = "photo.png";
  EXPECT_TRUE(changed({{"source", ""}}, photo, window).loop);
  EXPECT_FALSE(changed({{"source", ""}, {"loop", "off"}}, photo, window).loop);
  EXPECT_FALSE(changed({{"source", "other.mp4"}}, photo, window).loop);
  EXPECT_FALSE(changed({{"source", ""}}, photo, script).loop) << "a line of a script says what it wants";
}

TEST(ChangeTest, AMatrixIsCheckedWhereItIsSet) {
  const Change source{"source", "matrix"};
  EXPECT_EQ(changed({{"matrix", "1,2;3,4"}, source}).matrix, "1,2;3,4");
  EXPECT_EQ(changed({{"matrix", ""}}).matrix, "");
  EXPECT_EQ(refusal({source, {"matrix", "1,2;3"}}), "matrix: row 2 has 1 number, row 1 has 2; all rows need as many");
  EXPECT_NE(refusal({source, {"matrix", "1,300"}}).find("'300' in row 1, column 2"), std::string::npos);
}

TEST(ChangeTest, NumbersOfAMatrixNeedAMatrix) {
  EXPECT_EQ(changed({{"matrix", "1,2"}, {"source", "numbers.csv"}}).matrix, "1,2");
  EXPECT_EQ(
      refusal({{"source", "photo.png"}, {"matrix", "1,2"}}),
      "matrix holds the numbers of a matrix source, and the source is 'photo.png': set the source to matrix or to a CSV "
      "file, or leave matrix out");
  EXPECT_NE(refusal({{"matrix", "1,2"}}).find("no source is named"), std::string::npos);
  EXPECT_NE(refusal({{"source", "rtsp://admin:secret@camera/1"}, {"matrix", "1,2"}}).find("'rtsp://admin:***@camera/1'"),
            std::string::npos)
      << "without the password";
}

TEST(ChangeTest, AnAlgorithmAloneChangesTheDeviceAndWithOneMustRunThere) {
  Settings settings;
  settings.device = DeviceChoice::host;
  const Change algorithm{"algorithm", "2r1w"};
  ChangeContext context;
  EXPECT_EQ(changed({algorithm}, settings, context).device, DeviceChoice::cuda);
  EXPECT_NE(refusal({algorithm, {"device", "host"}}, context, settings).find(", not on the CPU: choose another device"),
            std::string::npos);
  context.no_cuda = "no driver";
  EXPECT_EQ(changed({algorithm}, settings, context).device, DeviceChoice::simulated);
  context.no_simulated = "not built";
  EXPECT_EQ(refusal({algorithm}, context, settings), "2r1w needs a GPU (no driver) or the simulated one (not built)");
}

TEST(ChangeTest, TheDeviceIsThatOfTheSettingsWhereItIsThere) {
  Settings settings;
  const struct {
    DeviceChoice choice;
    const char *no_cuda, *no_simulated;
    gpu::Device device;
  } cases[] = {
      {DeviceChoice::automatic, "", "", gpu::Device::cuda},       {DeviceChoice::automatic, "no", "", gpu::Device::host},
      {DeviceChoice::cuda, "no", "", gpu::Device::host},          {DeviceChoice::host, "", "", gpu::Device::host},
      {DeviceChoice::simulated, "", "", gpu::Device::simulated},  {DeviceChoice::simulated, "", "no", gpu::Device::host},
      {DeviceChoice::simulated, "no", "", gpu::Device::simulated}};
  for (const auto& [choice, no_cuda, no_simulated, device] : cases) {
    settings.device = choice;
    ChangeContext context;
    context.no_cuda = no_cuda;
    context.no_simulated = no_simulated;
    EXPECT_EQ(device_for(settings, context), device) << static_cast<int>(choice) << no_cuda << no_simulated;
  }
}

TEST(ChangeTest, WhatAParameterAloneMeansDependsOnTheMachine) {
  for (const auto* path : {"W", "algorithm.W", "effect.passes", "passes"})
    EXPECT_TRUE(depends_on_machine({path, "1"})) << path;
  for (const auto* path : {"2r1w.W", "box_blur.passes", "zoom", "device"})
    EXPECT_FALSE(depends_on_machine({path, "1"})) << path;
}

TEST(ChangeTest, ASettingKnowsItsKindAndItsRange) {
  Settings settings;
  settings.effect = "box_blur";
  const struct {
    const char* path;
    bool toggle;
    std::optional<bool> whole;  // of a number
  } cases[] = {{"loop", true, {}},     {"box_blur.colour", true, {}}, {"graph_frames", false, true},
               {"zoom", false, false}, {"effect", false, {}},         {"box_blur.passes", false, true},
               {"source", false, {}}};
  for (const auto& [path, toggle, whole] : cases) {
    const auto setting = find_setting(path, settings, {});
    ASSERT_TRUE(setting) << path;
    EXPECT_EQ(setting->is_toggle(), toggle) << path;
    ASSERT_EQ(setting->range().has_value(), whole.has_value()) << path;
    if (whole) {
      EXPECT_EQ(setting->range()->whole, *whole) << path;
    }
  }
}

TEST(ChangeFieldsTest, EveryFieldReadsItsOwnText) {
  std::set<std::string_view> paths;
  for (const auto& field : fields()) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_FALSE(field.help.empty() || placeholder(field).empty()) << field.path;
    const auto text = text_of(field, Settings());
    EXPECT_EQ(changed({{std::string(field.path), text}}, changed({{"device", "cuda"}})).source, "") << field.path;
    if (!std::holds_alternative<Field::Text>(field.value)) {
      EXPECT_NE(refusal({{std::string(field.path), "/~"}}).find("/~"), std::string::npos) << field.path;
    }
  }
}

TEST(ChangeFieldsTest, NoParameterHasTheNameOfASetting) {
  for (const auto* algorithm : gpu::sat_algorithms())
    for (const auto& parameter : algorithm->parameters)
      EXPECT_EQ(find_field(parameter.name), nullptr) << algorithm->name << '.' << parameter.name;
  for (const auto* effect : gpu::all_effects()) {
    for (const auto& parameter : effect->parameters)
      EXPECT_EQ(find_field(parameter.name), nullptr) << effect->name << '.' << parameter.name;
    EXPECT_EQ(gpu::find_sat_algorithm(effect->name), nullptr) << effect->name;
  }
}

TEST(ChangeTest, TheOrderOfABatchDoesNotMatter) {
  const Changes changes{{"window", "9x5"},     {"effect", "box_blur"}, {"haar.type", "type-2-y"},
                        {"algorithm", "2r1w"}, {"2r1w.W", "64"},       {"device", "simulated"}};
  const auto settings = changed(changes), backwards = changed(Changes(changes.rbegin(), changes.rend()));
  EXPECT_EQ(settings, backwards);
  EXPECT_EQ(settings.device, DeviceChoice::simulated);
  EXPECT_EQ(settings.cuda_algorithm, "2r1w");
  EXPECT_EQ(settings.effect_values.at("box_blur").at("window"), "9x5");
  EXPECT_EQ(settings.effect_values.at("haar").at("type"), "type-2-y");
}

TEST(ChangeTest, ARangeMayHaveOneFrameAndASizeOneNumber) {
  EXPECT_EQ(changed({{"graph_range", "5-5"}}).graph_range, (FrameRange{5, 5}));
  EXPECT_NE(refusal({{"graph_range", "6-5"}}), gpu::test::nothing_refused);
  EXPECT_EQ(changed({{"box_blur.window", "31"}}), changed({{"box_blur.window", "31x31"}}));
  EXPECT_EQ(changed({{"box_blur.window", "0"}}), Settings()) << "the initial value, which is not stored";
}

TEST(ChangeTest, AWindowOfValuesIsTwoNumbersOrNothing) {
  Settings settings;
  apply(settings, Change{"values", "500-4000"});
  EXPECT_EQ(settings.values, (capture::ValueWindow{500, 4000}));
  for (const char* wrong : {"4000-500", "500-500", "0-65536", "-1-500", "500", "500-", "auto"}) {
    EXPECT_EQ(refusal({{"values", wrong}}),
              std::string("values takes FROM-TO, whole numbers from 0 to 65535 of which TO is the greater, or nothing: the "
                          "automatic choice, not '") +
                  wrong + "'");
  }
  apply(settings, Change{"values", ""});
  EXPECT_FALSE(settings.values);
}

TEST(ChangeTest, ACardThatIsNotThereIsRefusedWithTheNamesOfThoseThatAre) {
  EXPECT_EQ(changed({{"study_beside", "h200"}}).study_beside, "h200");
  EXPECT_EQ(refusal({{"study_beside", "h300"}}), "study_beside takes none, h100 or h200, not 'h300'");
}

TEST(ChangeTest, AFolderOfResultsMustBeOneThatCanBeWrittenTo) {
  const TemporaryFolder folder;
  const auto in_folder = [&](const char* name) { return (folder.path() / name).string(); };
  std::ofstream(in_folder("file")) << "text";
  EXPECT_EQ(changed({{"output_folder", in_folder("new/one")}}).output_folder, in_folder("new/one"));
  EXPECT_EQ(refusal({{"output_folder", in_folder("file/one")}}),
            "output_folder: " + in_folder("file") + " is not a folder; choose another place");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  {
    const WithoutRoot nobody;
    EXPECT_EQ(refusal({{"output_folder", in_folder("new")}}),
              "output_folder: cannot write to " + folder.path().string() + ": Permission denied; choose another place");
    EXPECT_EQ(changed({{"output_folder", Settings().output_folder}}), Settings()) << "is made where it is needed";
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  for (const char* nowhere : {"/proc", "/proc/x/y"}) {  // where root may write, and nobody can
    const auto says = refusal({{"output_folder", nowhere}});
    EXPECT_TRUE(says.starts_with("output_folder: cannot write to /proc: ")) << says;
    EXPECT_TRUE(says.ends_with("; choose another place")) << says;
    EXPECT_EQ(says.find("No such file"), says.npos) << "/proc exists";
  }
  EXPECT_NE(
      refusal({{"output_folder", in_folder(std::string(300, 'x').c_str())}}).find("File name too long; give a shorter name"),
      std::string::npos);
  EXPECT_NE(refusal({{"output_folder", std::string("a\0b", 3)}}).find("without NUL"), std::string::npos);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << "the file: a try leaves nothing";
  EXPECT_EQ(changed({{"output_folder", ""}}), Settings());
  const char* home = std::getenv("HOME");
  EXPECT_EQ(changed({{"output_folder", home ? "~/" : ""}}).output_folder, home ? home + std::string("/") : "satscope-out");
}

// Whoever types it: a field, the palette, a script.
TEST(ChangeTest, AShownSourceIsCompletedFromTheOneThatFailedAndFromTheOneInUse) {
  Settings settings;
  settings.source = "rtsp://u:secret@h/1";
  ChangeContext context;
  const auto source = [&](const char* text) { return changed({{"source", text}}, settings, context).source; };
  EXPECT_EQ(source("rtsp://u:***@h/2"), "rtsp://u:secret@h/2");
  EXPECT_EQ(source("rtsp://u:***@g/2"), "rtsp://u:***@g/2");
  context.failed_source = "rtsp://u:other@g/1";
  EXPECT_EQ(source("rtsp://u:***@h/2"), "rtsp://u:secret@h/2");
  EXPECT_EQ(source("rtsp://u:***@g/2"), "rtsp://u:other@g/2");
  context.failed_source = "rtsp://u:wrong@h/1";
  EXPECT_EQ(source("rtsp://u:***@h/1"), "rtsp://u:wrong@h/1") << "the latest one";
  EXPECT_EQ(source("clip.mp4"), "clip.mp4");
}

TEST(ChangeTest, ABatchIsAppliedAsAWholeOrNotAtAll) {
  EXPECT_EQ(refusal({{"vsync", "off"}, {"effect", "none"}, {"2r1w.W", "63"}}).substr(0, 11), "2r1w: '63' ");
  EXPECT_EQ(refusal({{"algorithm", "host_serial"}, {"device", "cuda"}}),
            "host_serial runs on the CPU, not on the GPU: choose another device, or another algorithm");
}

TEST(ChangeTest, RefusalsSuggestTheNearestPathOrValue) {
  for (const auto& [path, text, near] : {std::array<std::string, 3>{"vsnc", "on", "'vsync'"},
                                         {"interop", "fo", ""},
                                         {"interop", "of", "'off'"},
                                         {"device", "hots", "'host'"},
                                         {"effect", "box_blurr", "'box_blur'"},
                                         {"algorithm", "host_seriel", "'host_serial'"},
                                         {"windo", "3x3", "'window'"},
                                         {"haar.tpye", "type-2-x", "'type'"},
                                         {"harr.type", "type-2-x", "'haar'"},
                                         {"haar.type", "type2x", "'type-2-x'"}}) {
    const auto says = refusal({{path, text}});
    EXPECT_NE(says.find(near.empty() ? "auto, on or off" : "did you mean " + near), std::string::npos)
        << path << ": " << says;
    EXPECT_EQ(says.find('\n'), std::string::npos);
  }
}

TEST(ChangeTest, WithoutAGpuACudaAlgorithmChoosesTheSimulatedGpu) {
  const auto settings = changed({{"algorithm", "2r1w"}}, {}, no_gpu);
  EXPECT_EQ(settings.device, DeviceChoice::simulated);
  EXPECT_EQ(chosen_algorithm(settings, device_for(settings, no_gpu)).name, "2r1w");
  EXPECT_EQ(changed({{"algorithm", "host_serial"}}, settings, no_gpu).device, DeviceChoice::host);
  EXPECT_EQ(refusal({{"algorithm", "2r1w"}}, nothing),
            "2r1w needs a GPU (no driver is loaded) or the simulated one (it is not built)");
  const auto cub = refusal({{"algorithm", "cub"}}, no_gpu);
  EXPECT_TRUE(cub.starts_with("cub needs a GPU (no driver is loaded) and does not run on the simulated one (")) << cub;
  EXPECT_TRUE(cub.ends_with("; choose another algorithm")) << cub;
}

TEST(ChangeTest, AMissingDeviceIsRefused) {
  EXPECT_EQ(refusal({{"device", "cuda"}}, no_gpu), no_cuda_text("no driver is loaded"));
  EXPECT_EQ(refusal({{"device", "simulated"}}, nothing), "no simulated GPU: it is not built");
  Settings cub;
  cub.cuda_algorithm = "cub";
  EXPECT_EQ(refusal({{"device", "simulated"}}, {}, cub).substr(0, 5), "cub: ");
}

TEST(ChangeTest, AParameterNamedAloneGoesToItsOwnerAndItsInitialValueIsNotStored) {
  Settings settings;
  settings.device = DeviceChoice::host;
  settings = changed({{"threads", "2"}, {"passes", "3"}, {"algorithm.threads", "1"}}, settings);
  EXPECT_EQ(settings.algorithm_values.at("host_parallel").at("threads"), "1");
  EXPECT_EQ(settings.effect_values.at("box_blur").at("passes"), "3");
  apply(settings,
        Change{"box_blur.passes", std::string(gpu::Arguments(gpu::find_effect("box_blur")->parameters).text("passes"))});
  EXPECT_TRUE(settings.effect_values.empty());
}

TEST(ChangeTest, TheMouseMovesAnEffectAndIsNotSaved) {
  auto settings = changed({{"effect", "haar"}, {"haar.y", "20"}});
  const auto saved = settings_to_json(settings);
  apply(settings, Change{"pointer", "7,9"});
  const auto& haar = *gpu::find_effect("haar");
  EXPECT_EQ(arguments_of(haar, settings).integer("x"), 7);
  EXPECT_EQ(arguments_of(haar, settings).integer("y"), 9);
  EXPECT_EQ(settings_to_json(settings), saved);
  apply(settings, Change{"haar.x", "100"});  // explicit, not by the mouse
  EXPECT_EQ(arguments_of(haar, settings).integer("x"), 100);
  EXPECT_EQ(arguments_of(haar, settings).integer("y"), 9);
  EXPECT_EQ(settings_to_json(settings).at("haar.x"), "100");
  EXPECT_EQ(settings_to_json(settings).at("haar.y"), "20");
}

TEST(ChangeTest, NoughtIsTheSourcesOwnSizeAndRateAndAllSizesHaveTheSameLimit) {
  const auto settings = changed({{"size", "640x360"}, {"size", "0"}, {"fps", "30"}, {"fps", "0"}});
  EXPECT_EQ(settings.size, gpu::Size());
  EXPECT_EQ(settings.fps, 0);
  for (const auto* own : {"", "0", "0x0"})
    EXPECT_EQ(changed({{"size", own}}, changed({{"size", "640x360"}})).size, gpu::Size());
  EXPECT_EQ(changed({{"size", "8192x8192"}}).size, (gpu::Size{8192, 8192}));
  for (const auto& [path, text, says] : {std::array{"size", "0x4", "or 0, not '"},
                                         {"size", "4x0", "or 0, not '"},
                                         {"size", "8193x1", "to 8192"},
                                         {"window_width", "8193", "to 8192"}})
    EXPECT_NE(refusal({{path, text}}).find(says), std::string::npos) << text;
}

TEST(ChangeTest, WhatIsReadAtTheStartCannotChangeLaterAndIsAdvisedThereWhereItIsValid) {
  ChangeContext running;
  running.running = true;
  EXPECT_EQ(changed({{"viewer", "highgui"}}).viewer, Viewer::highgui);
  EXPECT_NE(refusal({{"viewer", "highgui"}}, no_gpu).find("when the program starts"), std::string::npos);
  EXPECT_EQ(refusal({{"window_width", "1"}}, running), "window_width takes a whole number from 64 to 8192, not '1'");
  EXPECT_TRUE(refusal({{"window_width", "900"}}, running).ends_with("give --set window_width=900 at the start"));
}

}  // namespace
}  // namespace app
