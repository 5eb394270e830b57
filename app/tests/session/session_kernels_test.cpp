// A session with users' kernels, here effects that nothing compiles: chosen once they work, refused with a message, and waited for by
// a script.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <deque>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

constexpr auto an_effect = "Pixel effect(Boxes boxes, int x, int y) { return 0; }\n";

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// An effect that ends on some pictures, and does not on others.
std::atomic<bool> hangs_now = false, is_stopped = false;
std::atomic<int> stops = 0;
void hang_or_draw(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                  const gpu::Arguments& arguments) {
  while (hangs_now && !is_stopped) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (is_stopped) throw std::runtime_error("stopped: the program ends");
  gpu::find_effect("none")->run(context, input, output, arguments);
}

KernelFiles::Steps steps_of_effects() {
  KernelFiles::Steps steps;
  steps.find_tools = [] { return gpu::KernelTools(); };
  steps.compile = [](const gpu::KernelSource& source, int number, const gpu::KernelTools&, const auto& folder,
                     const std::atomic<bool>& stop, gpu::KernelTypes) {
    gpu::CompiledKernel compiled;
    compiled.source = source;
    compiled.number = number;
    const auto text = text_of_file(source.file);
    while (text.find("endless") != text.npos && !stop) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (text.find("error") != text.npos)
      compiled.messages.push_back({gpu::SourceMessage::Severity::error, source.file, 2, 1, "expected ';'"});
    else
      compiled.plain = compiled.observed = folder / "library.so";
    return compiled;
  };
  steps.judge = [](auto&&...) { return gpu::Verdict(); };
  steps.load = [](const gpu::CompiledKernel& compiled) -> const gpu::KernelVersion& {
    static std::deque<gpu::KernelVersion> versions;
    static std::deque<gpu::Effect> effects;
    auto& version = versions.emplace_back();
    version.file = compiled.source.file;
    version.name = compiled.source.name;
    version.number = compiled.number;
    for (auto** each : {&version.effect, &version.simulated_effect[0]}) {
      auto& effect = effects.emplace_back(*gpu::find_effect("none"));
      effect.name = version.name;
      if (text_of_file(version.file).find("hangs") != std::string::npos) effect.run = hang_or_draw;
      if (each == &version.effect) effect.version = &version;
      *each = &effect;
    }
    return version;
  };
  return steps;
}

class SessionKernelsTest : public ::testing::Test {
 protected:
  SessionKernelsTest() { run_.kernels = std::make_shared<KernelFiles>(steps_of_effects()); }

  std::string file(const std::string& name, const std::string& text) const {
    const auto path = folder_.path() / name;
    std::ofstream(path) << text;
    return path.string();
  }
  // Its end.
  ExitCode run_script(const std::string& lines, Settings& settings) {
    run_.offscreen = true;
    run_.script = file("s.jsonl", lines);
    Session session(host_settings("synthetic:64x48"), {{}, "no driver"}, run_, false, [](auto&, auto&) {});
    EXPECT_TRUE(step_until(session, [&] { return session.done(); }));
    session.finish();
    settings = session.settings();
    return session.exit_code();
  }

  TemporaryFolder folder_;
  app::Run run_;
};

TEST_F(SessionKernelsTest, WhatIsLoadedIsChosenOnceItWorks) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  session.change({"kernel", file("loaded_here.cu", an_effect)});
  EXPECT_NE(session.settings().effect, "loaded_here");
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "loaded_here"; }));
  EXPECT_EQ(session.settings().effect, "loaded_here");
  const auto* first = session.engine().selection().effect;
  file("loaded_here.cu", std::string("// Two.\n") + an_effect);
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect != first; }));
  EXPECT_EQ(session.engine().selection().effect->name, "loaded_here");
  session.change({"effect", "none"});
  session.perform(parse_command("open " + (folder_.path() / "loaded_here.cu").string()));
  EXPECT_EQ(session.settings().effect, "loaded_here") << "it is there already";
}

TEST_F(SessionKernelsTest, WhatIsRefusedIsSaidAndWhatIsChosenStays) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  session.change({"source", file("refused_here.cu", std::string(an_effect) + "error")});
  ASSERT_TRUE(
      step_until(session, [&] { return said(session, "refused_here.cu: it does not compile, line 2: expected ';'"); }));
  EXPECT_EQ(session.settings().effect, Settings().effect);
  EXPECT_EQ(session.settings().source, "synthetic:64x48");
  file("refused_here.cu", an_effect);
  ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "refused_here"; }));
}

TEST_F(SessionKernelsTest, AWindowBeginsWithTheOneThatWasInUse) {
  auto settings = host_settings("synthetic:64x48");
  settings.kernels = {file("first_kept.cu", an_effect), file("second_kept.cu", an_effect)};
  settings.effect = "first_kept";
  ShownSession session(settings, run_);
  ASSERT_TRUE(step_until(session, [&] { return !session.kernels()->busy(); }));
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "first_kept"; }));
  EXPECT_EQ(session.settings().effect, "first_kept");
}

// Two effects; one of them, saved again, may be compiled before the other.
TEST_F(SessionKernelsTest, OfSeveralFilesTheLastOneIsChosenWhicheverWorksFirst) {
  for (const bool last_is_first : {false, true}) {
    const std::string number = last_is_first ? "2" : "1";
    ShownSession session(host_settings("synthetic:64x48"), run_);
    const auto first = file("several_first" + number + ".cu", std::string(an_effect) + (last_is_first ? "error" : ""));
    const auto last = file("several_last" + number + ".cu", an_effect);
    session.change({"kernel", first + '\n' + last});
    ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "several_last" + number; }));
    file("several_first" + number + ".cu", std::string("// Saved.\n") + an_effect);
    ASSERT_TRUE(step_until(session, [&] { return session.kernels()->find("several_first" + number)->version > 0; }));
    ASSERT_TRUE(step_until(session, [&] { return !session.kernels()->busy(); }));
    EXPECT_EQ(session.settings().effect, "several_last" + number);
  }
}

TEST_F(SessionKernelsTest, OneThatIsOpenAndRefusedIsChosenAfterAllWhereItIsOpenedAgain) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  const auto late = file("again_late.cu", std::string(an_effect) + "error"), soon = file("again_soon.cu", an_effect);
  session.change({"kernel", late + '\n' + soon});
  ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "again_soon" && !session.kernels()->busy(); }));
  for (int i = 0; i < 2; ++i) session.perform(parse_command("open " + late));
  EXPECT_EQ(session.settings().effect, "again_soon");
  file("again_late.cu", an_effect);
  ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "again_late"; }));
  session.perform(parse_command("open " + soon));
  EXPECT_EQ(session.settings().effect, "again_soon");
}

TEST_F(SessionKernelsTest, OneThatDoesNotEndOnAPictureIsLeftOutAndStaysSo) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  session.engine().stop_kernels_by(
      [](bool on) {
        stops += on;
        is_stopped = on;
      },
      std::chrono::milliseconds(50));
  const auto is_shown = [&] { return session.engine().selection().effect->name == "ends_or_not"; };
  session.change({"kernel", file("ends_or_not.cu", std::string("// It hangs.\n") + an_effect)});
  ASSERT_TRUE(step_until(session, is_shown));
  hangs_now = true;
  ASSERT_TRUE(step_until(session, [&] { return said(session, "ends_or_not.cu: does not end within"); }));
  ASSERT_TRUE(step_until(session, [&] { return !is_shown(); }));
  EXPECT_EQ(session.settings().effect, "ends_or_not") << "it may do on other pictures";
  for (int i = 0; i < 2; ++i) {  // where it is chosen again it is not begun
    session.change({"effect", "none"});
    show(session, 2, "none");
    session.change({"effect", "ends_or_not"});
    show(session, 3);
    EXPECT_FALSE(is_shown());
    EXPECT_EQ(stops, 1);
  }
  hangs_now = false;
  file("ends_or_not.cu", std::string("// It hangs no more.\n") + an_effect);
  ASSERT_TRUE(step_until(session, is_shown));
}

TEST_F(SessionKernelsTest, FilesThatAreNotSetAnyMoreAreClosed) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  const auto usual = session.settings().effect;
  const auto path = file("closed_here.cu", an_effect);
  for (int i = 0; i < 2; ++i) {
    session.set(std::array{Change{"kernel", path}});
    ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "closed_here"; }));
    session.set(std::array{Change{"kernel", ""}});
    EXPECT_EQ(session.settings().effect, usual);
    EXPECT_EQ(session.kernels()->find("closed_here"), nullptr);
    EXPECT_EQ(gpu::find_effect("closed_here"), nullptr);
    ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == usual; }));
    EXPECT_TRUE(session.engine().refusal().empty()) << session.engine().refusal();
  }
  session.perform(parse_command("undo"));
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "closed_here"; }));
  session.perform(parse_command("redo"));
  EXPECT_EQ(session.kernels()->find("closed_here"), nullptr);
  EXPECT_EQ(session.settings().effect, usual);
  session.perform(parse_command("undo"));
  session.perform(parse_command("reset_everything"));
  EXPECT_EQ(session.kernels()->find("closed_here"), nullptr);
}

TEST_F(SessionKernelsTest, AFileThatCannotBeOpenedLeavesThoseThatAreOpen) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  session.change({"kernel", file("stays_open.cu", an_effect)});
  ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "stays_open"; }));
  auto changed = session.settings();
  changed.kernels = {(folder_.path() / "not_there.cu").string()};
  EXPECT_THROW(session.use(changed), std::invalid_argument);
  EXPECT_EQ(session.settings().effect, "stays_open");
  ASSERT_TRUE(session.kernels()->find("stays_open"));
  ASSERT_TRUE(step_until(session, [&] { return session.engine().selection().effect->name == "stays_open"; }));
}

TEST_F(SessionKernelsTest, AScriptDoesNotWaitForFilesThatOthersHaveOpened) {
  const auto hangs = file("hangs_elsewhere.cu", std::string("// endless\n") + an_effect);
  const auto fails = file("fails_elsewhere.cu", std::string(an_effect) + "error");
  run_.kernels->open(fails);
  Settings settings;
  EXPECT_EQ(run_script(R"({"set": {"kernel": ")" + file("scripted_alone.cu", an_effect) + R"("}})" + "\n" +
                           R"({"set": {"effect": "scripted_alone"}})" + "\n" + R"({"frames": 1})" + "\n",
                       settings),
            ExitCode::ok);
  EXPECT_EQ(settings.effect, "scripted_alone");
  run_.kernels->open(hangs);
  EXPECT_EQ(run_script(R"({"set": {"kernel": ""}})" + std::string("\n") + R"({"frames": 1})" + "\n", settings),
            ExitCode::ok);
}

TEST_F(SessionKernelsTest, AnEffectInPlaceOfAnotherKindIsChosen) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  auto settings = session.settings();
  const auto path = file("other_kind.cu", an_effect);
  settings.kernels = {path};
  settings.cuda_algorithm = "other_kind";  // what it was the last time
  session.use(settings);
  ASSERT_TRUE(step_until(session, [&] { return session.settings().effect == "other_kind"; }));
  EXPECT_EQ(session.settings().cuda_algorithm, Settings().cuda_algorithm);
}

TEST_F(SessionKernelsTest, ARaceWaitsWhileAKernelIsCompiled) {
  ShownSession session(host_settings("synthetic:64x48"), run_);
  const auto runs = [&] { return session.race().figures().runs; };
  for (int i = 0; i < 2; ++i) {
    const auto text = "// " + std::to_string(i) + '\n' + an_effect;
    session.change({"kernel", file("raced_beside.cu", "// endless " + text)});
    ASSERT_TRUE(step_until(session, [&] { return session.kernels()->busy(); }));
    session.perform(parse_command("start_race"));
    ASSERT_TRUE(step_until(session, [&] { return said(session, "the race waits while a kernel of your own"); }));
    for (int steps = 0; steps < 50; ++steps) session.step(std::chrono::milliseconds(2));
    EXPECT_EQ(runs(), 0);
    EXPECT_TRUE(session.race().running());
    file("raced_beside.cu", text);
    ASSERT_TRUE(step_until(session, [&] { return runs() > 0; }));
    EXPECT_FALSE(session.kernels()->busy());
    session.perform(parse_command("stop_race"));
    show(session, 3);
    session.messages().age(1e9);
    session.change({"kernel", ""});
    ASSERT_TRUE(step_until(session, [&] { return !session.race_runner().busy(); }));
  }
}

TEST_F(SessionKernelsTest, ALineOfAScriptWaitsUntilItWorksOrIsRefused) {
  Settings settings;
  const auto works = file("scripted.cu", an_effect), fails = file("scripted_error.cu", std::string(an_effect) + "error");
  EXPECT_EQ(run_script(R"({"set": {"kernel": ")" + works + R"("}})" + "\n" + R"({"frames": 1})" + "\n", settings),
            ExitCode::ok);
  EXPECT_EQ(settings.effect, "scripted");
  EXPECT_EQ(
      run_script(R"({"do": "set kernel )" + fails + R"("})" + "\n" + R"({"set": {"effect": "none"}})" + "\n", settings),
      ExitCode::failed);
  EXPECT_NE(settings.effect, "none") << "the line after it is not done";
}

}  // namespace
}  // namespace app
