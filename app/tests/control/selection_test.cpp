// The choice of the device: what was requested against what is available.
#include "app/control/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "app/tests/support/exit_refusal.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

TEST(SelectionDeviceChoiceTest, AMissingGpuEndsTheProgramOnlyIfItWasRequested) {
  const gpu::GpuProbe none{{}, "no NVIDIA driver is installed"};
  Settings settings;
  EXPECT_EQ(choose_device(settings, none, false).device, gpu::Device::host);
  EXPECT_EQ(choose_device(settings, none, false).warning, "");
  settings.device = DeviceChoice::cuda;
  const auto fallback = choose_device(settings, none, false);
  EXPECT_EQ(fallback.device, gpu::Device::host);
  EXPECT_NE(fallback.warning.find(none.reason), std::string::npos);
  const auto why = exit_refusal(ExitCode::no_gpu, [&] { choose_device(settings, none, true); });
  for (const auto& part : {none.reason, std::string("--device simulated"), std::string("--device host")})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  const gpu::GpuProbe some{gpu::GpuInfo{}, {}};
  EXPECT_EQ(choose_device(settings, some, true).device, gpu::Device::cuda);
  settings.device = DeviceChoice::automatic;
  EXPECT_EQ(choose_device(settings, some, false).device, gpu::Device::cuda);
  EXPECT_EQ(choose_device(settings, none, true).device, gpu::Device::host) << "it may take what there is";
  settings.device = DeviceChoice::host;
  for (const auto& probe : {some, none})
    for (const bool required : {false, true}) {
      EXPECT_EQ(choose_device(settings, probe, required).device, gpu::Device::host);
      EXPECT_EQ(choose_device(settings, probe, required).warning, "");
    }
}

// The table of what was measured is tested beside it.
TEST(SelectionTest, TheFirstAlgorithmIsTheFastestForLaunchedFrames) {
  gpu::GpuInfo h100;
  h100.major = 9;
  const auto fastest = gpu::fastest_algorithm({1920, 1080}, gpu::SatType::u8_u32, h100, gpu::RunBy::launches);
  EXPECT_EQ(first_cuda_algorithm(h100, {}), fastest.algorithm->name);
  gpu::GpuInfo another;
  another.major = 8, another.minor = 6, another.multiprocessors = 84;
  another.l2_bytes = 6 << 20;
  EXPECT_EQ(first_cuda_algorithm(another, {}), "row_waves") << "a frame and its table have 10 MB";
  another.l2_bytes = 40 << 20;
  EXPECT_EQ(first_cuda_algorithm(another, {}), "one_wave");
  another.name = "Mine";
  const gpu::TunedSize size{"8u32u", {1024, 1024}, {"2r1w", 5}, {"1r1w_skss_lb", 6}};
  EXPECT_EQ(first_cuda_algorithm(another, {{{"Mine", "2026-05-31", {size}}}}), "1r1w_skss_lb") << "what the user measured";
  EXPECT_EQ(first_cuda_algorithm(another, {{{"Another", "2026-05-31", {size}}}}), "one_wave");
}

// Else the next run would begin with it, and might end at once.
TEST(SelectionTest, WhatWasRefusedIsNotRemembered) {
  Settings worked;
  worked.effect = "haar";
  worked.effect_values["haar"] = {{"width", "100"}, {"type", "type-2-y"}};
  worked.effect_values["box_blur"] = {{"window", "31x31"}};
  const auto used = make_selection(worked, gpu::Device::host);
  auto refused = worked;
  refused.effect_values["haar"] = {{"width", "2048"}, {"height", "3"}};
  EXPECT_EQ(without_refused(refused, used, {}), worked);
  auto initial = worked;
  initial.effect_values.erase("haar");
  EXPECT_EQ(without_refused(refused, make_selection(initial, gpu::Device::host), {}), initial);
  EXPECT_EQ(without_refused(refused, without_effect(used), worked), worked) << "it was never in use: as before";

  refused.compare = {true, "original", "haar"};
  refused.effect = "box_blur";
  auto expected = worked;
  expected.compare = refused.compare;
  expected.effect = "box_blur";
  EXPECT_EQ(without_refused(refused, make_selection(expected, gpu::Device::host), worked), expected) << "a side";
}

// On the simulated GPU what nobody chose is gray, in a comparison too; what was chosen holds on every device.
TEST(SelectionTest, TheDeviceDecidesOnWhatIsLeftToIt) {
  Settings settings;
  settings.effect = "box_blur";
  settings.compare = {true, "box_blur", "none"};
  const auto used = [&](gpu::Device device) {
    const auto selection = make_selection(settings, device);
    const auto colour = selection.effect_arguments.text("colour");
    EXPECT_EQ(selection.sides.at(0).effect_arguments.text("colour"), colour);
    return colour;
  };
  for (int round = 0; round < 2; ++round) {
    settings.effect_values.clear();
    EXPECT_EQ(used(gpu::Device::host), "on");
    EXPECT_EQ(used(gpu::Device::simulated), "off");
    EXPECT_EQ(used(gpu::Device::cuda), "on");
    for (const auto* chosen : {"on", "off"}) {
      settings.effect_values["box_blur"]["colour"] = chosen;
      for (const auto device : {gpu::Device::host, gpu::Device::simulated, gpu::Device::cuda})
        EXPECT_EQ(used(device), chosen);
    }
  }
}

TEST(SelectionTest, WhatIsGrayBecauseNobodyChoseIsKnown) {
  Settings settings;
  settings.effect = "box_blur";
  const auto gray = [&](gpu::Device device = gpu::Device::simulated) {
    return draws_gray_for_speed(make_selection(settings, device), settings);
  };
  EXPECT_TRUE(gray());
  EXPECT_FALSE(gray(gpu::Device::host));
  for (const auto* chosen : {"on", "off"}) {
    settings.effect_values["box_blur"]["colour"] = chosen;
    EXPECT_FALSE(gray()) << chosen;
  }
  settings.effect_values["box_blur"]["colour"] = "auto";
  EXPECT_TRUE(gray());
  settings.effect = "none";
  EXPECT_FALSE(gray());
  settings.compare = {true, "original", "box_blur"};
  EXPECT_TRUE(gray()) << "a side";
}

// It stays left to the device where another value of the effect was refused; a choice that the device would make, too, stays one.
// `before` is what the program was started with: what was chosen or left to the device since then, and worked, counts.
TEST(SelectionTest, WhatIsLeftToTheDeviceIsNotRememberedAsChosenAndWhatWorkedIsKept) {
  for (const char* chosen : {"", "off", "on"})
    for (const char* chosen_before : {"", "on", "off"})
      for (const auto device : {gpu::Device::simulated, gpu::Device::host}) {
        const auto of = [](const char* colour, const char* window) {
          Settings settings;
          settings.effect = "box_blur";
          settings.effect_values["box_blur"]["window"] = window;
          if (*colour) settings.effect_values["box_blur"]["colour"] = colour;
          return settings;
        };
        const auto worked = of(chosen, "3x3");
        EXPECT_EQ(without_refused(of(chosen, "2047x2047"), make_selection(worked, device), of(chosen_before, "3x3")), worked)
            << chosen << ", before " << chosen_before;
      }
}

TEST(SelectionTest, AnEffectIsWhereTheMousePutItWhichIsNotRemembered) {
  Settings settings;
  settings.effect = "haar";
  settings.effect_values["haar"] = {{"x", "1"}, {"y", "2"}};
  const auto place = [&] {
    const auto selection = make_selection(settings, gpu::Device::host);
    return selection.effect_arguments.text("x") + ',' + selection.effect_arguments.text("y");
  };
  EXPECT_EQ(place(), "1,2");
  settings.pointer = Pointer{30, 40};
  EXPECT_EQ(place(), "30,40");
  auto refused = settings;
  refused.effect_values["haar"]["width"] = "2048";
  EXPECT_EQ(without_refused(refused, make_selection(settings, gpu::Device::host), {}), settings);
  settings.pointer.reset();
  EXPECT_EQ(place(), "1,2");
}

TEST(SelectionTest, OfAnAlgorithmToo) {
  Settings worked;
  worked.host_algorithm = "host_parallel";
  worked.algorithm_values["host_parallel"] = {{"threads", "2"}};
  const auto used = make_selection(worked, gpu::Device::host);
  auto refused = worked;
  refused.algorithm_values["host_parallel"]["threads"] = "8";
  refused.algorithm_values["2r1w"]["W"] = "64";
  auto before = worked;
  before.algorithm_values["host_parallel"]["threads"] = "1";
  before.algorithm_values["2r1w"]["W"] = "16";
  auto expected = refused;
  expected.algorithm_values["host_parallel"]["threads"] = "2";
  expected.cuda_algorithm = refused.cuda_algorithm = "2r1w";
  expected.algorithm_values["2r1w"]["W"] = "16";
  EXPECT_EQ(without_refused(refused, used, before), expected) << "one of the other device: as before";
  expected.cuda_algorithm = refused.cuda_algorithm = "1r1w_skss";
  expected.algorithm_values["2r1w"]["W"] = "64";
  EXPECT_EQ(without_refused(refused, used, before), expected) << "it is not chosen";
}

// Each change of what is computed begins statistics anew; one of the place does not.
TEST(SelectionTest, EveryChangeOfTheWorkIsOther) {
  Settings settings;
  settings.effect = "haar";
  settings.pointer = Pointer{3, 4};
  const auto before = make_selection(settings, gpu::Device::host);
  const struct {
    const char *path, *text;
    bool same;
  } cases[] = {{"pointer", "30,4", true},
               {"pointer", "3,40", true},
               {"vsync", "off", true},
               {"wipe", "0.1", true},
               {"host_algorithm", "host_serial", false},
               {"host_parallel.threads", "2", false},
               {"haar.width", "50", false},
               {"haar.height", "50", false},
               {"haar.type", "type-4", false},
               {"effect", "box_blur", false},
               {"timing", "off", false},
               {"check", "on", false}};
  for (const auto& [path, text, same] : cases) {
    auto changed = settings;
    changed.host_algorithm = "host_parallel";
    const auto start = make_selection(changed, gpu::Device::host);
    apply(changed, Change{path, text});
    EXPECT_EQ(same_work(start, make_selection(changed, gpu::Device::host)), same) << path;
    EXPECT_EQ(same_work(make_selection(changed, gpu::Device::host), start), same) << path;
  }
  auto elsewhere = before;
  elsewhere.device = gpu::Device::cuda;
  EXPECT_FALSE(same_work(before, elsewhere));
}

TEST(SelectionTest, WhatASourceIsAskedForComesBackFromTheRequest) {
  Settings settings;
  settings.source = "a.mp4", settings.size = {64, 48}, settings.fps = 12, settings.loop = true, settings.matrix = "1,2";
  settings.memory_budget = 3;
  auto request = request_of(settings, true);
  EXPECT_EQ(request.size, (gpu::Size{64, 48}));
  EXPECT_TRUE(request.loop && !request.max_speed && request.page_locked);
  EXPECT_EQ(request.memory, 3'000'000u);
  EXPECT_FALSE(request_of(settings, false).page_locked);
  settings.loop = false, settings.max_speed = true;
  EXPECT_TRUE(!request_of(settings, true).loop && request_of(settings, true).max_speed);
  Settings other;
  put_request(request, other);
  EXPECT_EQ(other.source, "a.mp4");
  EXPECT_EQ(other.size, (gpu::Size{64, 48}));
  EXPECT_EQ(other.fps, 12);
  EXPECT_EQ(other.matrix, "1,2");
}

TEST(SelectionTest, TheSourceItselfHasNothingOfAComparison) {
  Settings settings;
  apply(settings, Change{"compare", "original,haar"});
  settings.check = true;
  settings.wipe = 0.25;
  const auto compared = make_selection(settings, gpu::Device::host);
  ASSERT_EQ(compared.sides.size(), 2u);
  EXPECT_FALSE(shows_original(compared));
  const auto plain = without_effect(compared);
  EXPECT_TRUE(shows_original(plain));
  EXPECT_EQ(plain.composition, Composition());
  EXPECT_EQ(plain.algorithm, compared.algorithm);
  EXPECT_TRUE(plain.check) << "the table is the same";
  EXPECT_EQ(plain.effect_arguments, gpu::Arguments(plain.effect->parameters));
}

TEST(SelectionTest, ItsTextNamesTheWorkOfEachSide) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.effect = "none";
  const auto text = [&](const char* compare) {
    apply(settings, Change{"compare", compare});
    return text_of(make_selection(settings, gpu::Device::host), {640, 480});
  };
  EXPECT_EQ(text("off"), "host host_serial, none");
  const auto first = text("original,sat_view"), second = text("sat_view,original");
  EXPECT_TRUE(first.starts_with("host A: original; B: host_serial, sat_view") && first.ends_with("; wipe")) << first;
  EXPECT_TRUE(second.ends_with("; B: original; wipe")) << second;
}

// Its number is part of what a log says of a frame.
TEST(SelectionTest, ItsTextTellsVersionsOfAUsersKernelApart) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.effect = "none";
  auto selection = make_selection(settings, gpu::Device::host);
  gpu::KernelVersion version;
  version.name = "mine";
  auto algorithm = *selection.algorithm;
  auto effect = *selection.effect;
  algorithm.name = effect.name = version.name;
  algorithm.version = effect.version = &version;
  for (version.number = 3; version.number < 5; ++version.number) {
    const auto name = "mine." + std::to_string(version.number);
    EXPECT_EQ(numbered_name(algorithm), name);
    EXPECT_EQ(numbered_name(effect), name);
    selection.algorithm = &algorithm;
    EXPECT_EQ(text_of(selection, {640, 480}), "host " + name + ", none");
  }
  EXPECT_EQ(numbered_name(*gpu::find_sat_algorithm("2r1w")), "2r1w");
  EXPECT_EQ(numbered_name(*gpu::find_effect("none")), "none");
}

// The settings' other values stay; a path is shown, and stands in the timeline's, by its file.
TEST(SelectionTest, AnEffectOfASideMayHaveAValueOfItsOwn) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "mine.xml";
  std::ofstream(file) << "any";
  Settings settings;
  settings.effect = "faces";
  settings.effect_values["faces"]["min_neighbors"] = "5";
  apply(settings, Change{"compare", "result,faces.cascade=" + file.string()});
  EXPECT_EQ(text_of(settings.compare), "result,faces.cascade=" + file.string());
  const auto selection = make_selection(settings, gpu::Device::host);
  ASSERT_EQ(selection.sides.size(), 2u);
  const auto &a = selection.sides[0], &b = selection.sides[1];
  EXPECT_EQ(a.name, "faces");
  EXPECT_EQ(b.name, "faces.cascade=mine.xml");
  EXPECT_EQ(a.effect, b.effect);
  EXPECT_EQ(a.effect_arguments.text("cascade"), "frontalface_alt2");
  EXPECT_EQ(b.effect_arguments.text("cascade"), file.string());
  for (const auto* side : {&a, &b}) EXPECT_EQ(side->effect_arguments.text("min_neighbors"), "5");
  EXPECT_FALSE(same_work(a, b));
  EXPECT_EQ(title_of_side(b.name), "Faces: mine.xml");
  EXPECT_EQ(title_of_path("B: " + b.name + "/tiles"), "B: Faces: mine.xml/tiles");
  EXPECT_EQ(std::ranges::count(files_of(settings), file), 1) << "no result replaces it";
  apply(settings, Change{"compare", "box_blur.window=3x3,box_blur.window=9x9"});
  const auto blurs = make_selection(settings, gpu::Device::host);
  EXPECT_EQ(blurs.sides.at(0).effect_arguments.text("window"), "3x3");
  EXPECT_EQ(blurs.sides.at(1).effect_arguments.text("window"), "9x9");
  EXPECT_EQ(blurs.sides.at(1).effect->name, "box_blur") << "in place of the chosen one";
}

TEST(SelectionTest, AValueThatAnEffectCannotHaveIsNoSide) {
  const auto refusal = [](const char* sides) -> std::string {
    try {
      sides_from_text(sides);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_NE(refusal("result,box_blur.window=many").find("'many' is not a valid value of window"), std::string::npos);
  EXPECT_NE(refusal("result,faces.cascade=/nope.xml").find("there is no cascade file '/nope.xml'"), std::string::npos);
  EXPECT_NE(refusal("result,faces.cascde=eye").find("no side 'faces.cascde=eye'"), std::string::npos);
  EXPECT_NE(refusal("result,face.cascade=eye").find("no side 'face.cascade=eye'"), std::string::npos);
  EXPECT_NE(refusal("faces.show=depth,faces.show=depth").find("two sides that differ"), std::string::npos);
  EXPECT_EQ(refusal("faces.show=depth,faces.show=blurred"), "none");
}

// A file that turned out to be none: the comparison of before is what is remembered.
TEST(SelectionTest, ASideWhoseValueWasRefusedIsNotRemembered) {
  Settings worked;
  worked.effect = "faces";
  worked.compare = {true, "original", "result"};
  auto refused = worked;
  refused.compare = {true, "result", "faces.show=depth"};
  EXPECT_EQ(without_refused(refused, make_selection(worked, gpu::Device::host), worked).compare, worked.compare);
  EXPECT_EQ(without_refused(refused, make_selection(refused, gpu::Device::host), worked).compare, refused.compare);
}

// What is automatic is known with the frame; before it, that it is automatic.
TEST(SelectionTest, ItsEffectDrawsWithWhatTheFrameDecides) {
  Settings settings;
  settings.host_algorithm = "host_serial";
  settings.effect = "box_blur";
  settings.effect_values.clear();
  const auto selection = make_selection(settings, gpu::Device::host);
  EXPECT_EQ(used_effect_arguments(selection, {640, 480}).text("window"), "15x15");
  EXPECT_EQ(used_effect_arguments(selection, {640, 1}).text("window"), "15x1");
  EXPECT_EQ(used_effect_arguments(selection, {}).text("window"), "0x0");
  EXPECT_NE(text_of(selection, {}).find("box_blur window=0x0"), std::string::npos) << text_of(selection, {});
  EXPECT_NE(text_of(selection, {8, 8}).find("box_blur window=3x3"), std::string::npos);
  EXPECT_EQ(used_effect_arguments({}, {640, 480}), gpu::Arguments()) << "no effect";
}

TEST(SelectionTest, FilesAreThoseThatEffectsReadWhereTheyAre) {
  const auto* faces = gpu::find_effect("faces");
  Settings settings;
  EXPECT_EQ(files_of(arguments_of(*gpu::find_effect("box_blur"), settings)).size(), 0u);
  EXPECT_EQ(files_of(arguments_of(*faces, settings)).size(), 0u) << "the library's own is none";
  const TemporaryFolder folder;
  const auto file = folder.path() / "cascade.xml";
  std::ofstream(file) << "any";
  settings.effect_values["faces"]["cascade"] = file.string();
  EXPECT_EQ(files_of(arguments_of(*faces, settings)), std::vector{file});
  const auto all = files_of(settings);
  EXPECT_EQ(std::ranges::count(all, file), 1) << "also of effects that are not chosen";
}

}  // namespace
}  // namespace app
