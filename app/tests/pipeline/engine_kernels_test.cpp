// The engine and users' kernels, here effects on the CPU: it follows their versions, goes back from one that fails, and makes no
// picture with one that was not tried on its size.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "app/pipeline/engine.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

using Run = decltype(gpu::Effect::run);

const gpu::Effect& none() { return *gpu::find_effect("none"); }

// In the tables during its lifetime.
class OwnEffect {
 public:
  explicit OwnEffect(std::string name) : name_(std::move(name)) {}
  ~OwnEffect() { gpu::remove_user_kernel(name_); }
  OwnEffect(const OwnEffect&) = delete;
  OwnEffect& operator=(const OwnEffect&) = delete;

  const gpu::Effect* save(Run run = none().run) {
    static std::deque<gpu::KernelVersion> versions;
    static std::deque<gpu::Effect> effects;
    auto& version = versions.emplace_back();
    version.name = name_;
    version.file = "/home/me/" + name_ + ".cu";
    version.number = ++number_;
    version.kernels.label = name_ + '.' + std::to_string(number_);
    for (auto** each : {&version.effect, &version.simulated_effect[0]}) {
      auto& effect = effects.emplace_back(none());
      effect.name = version.name;
      effect.run = run;
      if (each == &version.effect) effect.version = &version;
      *each = &effect;
    }
    gpu::add_user_kernel(version);
    return version.effect;
  }
  Settings settings() const {
    Settings settings;
    settings.device = DeviceChoice::host;
    settings.host_algorithm = "host_serial";
    settings.effect = name_;
    return settings;
  }

 private:
  std::string name_;
  int number_ = 0;
};

struct HostEngineOfKernels : Engine {
  HostEngineOfKernels() : Engine({{}, "no driver"}) {}
};

void fault(gpu::Context&, const gpu::EffectInput&, const gpu::EffectOutput&, const gpu::Arguments&) {
  throw std::runtime_error("out of bounds");
}

TEST(EngineKernelsTest, EachVersionIsAnotherSelectionOfTheSameSettings) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_follows");
  const auto* first = own.save();
  const auto settings = own.settings();
  const auto frame = ramp_frame({16, 8});
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_EQ(engine.selection().effect, first);
  EXPECT_TRUE(engine.shows(settings));
  EXPECT_FALSE(engine.follow(settings));
  const auto* second = own.save();
  EXPECT_FALSE(engine.shows(settings));
  EXPECT_TRUE(engine.follow(settings));
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_EQ(engine.selection().effect, second);
}

TEST(EngineKernelsTest, AVersionThatFailsCostsAFrameAndTheOneBeforeGoesOn) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_goes_back");
  const auto* good = own.save();
  const auto settings = own.settings();
  const auto frame = ramp_frame({16, 8});
  ASSERT_TRUE(engine.process(frame, settings));
  own.save(fault);
  EXPECT_FALSE(engine.process(frame, settings));
  EXPECT_NE(engine.refusal().find("out of bounds"), std::string::npos);
  EXPECT_TRUE(engine.has_substitute());
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_EQ(engine.selection().effect, good);
  const auto* better = own.save();
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_EQ(engine.selection().effect, better);
  EXPECT_TRUE(engine.refusal().empty());
}

bool fails_now = false;
void fault_later(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                 const gpu::Arguments& arguments) {
  if (fails_now) fault(context, input, output, arguments);
  none().run(context, input, output, arguments);
}

TEST(EngineKernelsTest, OneThatFailsAfterItHasMadePicturesIsLeftOut) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_leaves_out");
  own.save(fault_later);
  const auto settings = own.settings();
  const auto frame = ramp_frame({16, 8});
  ASSERT_TRUE(engine.process(frame, settings));
  fails_now = true;
  EXPECT_FALSE(engine.process(frame, settings));
  ASSERT_TRUE(engine.process(frame, settings));
  EXPECT_EQ(engine.selection().effect, &none());
  EXPECT_NE(engine.refusal().find("out of bounds"), std::string::npos);
}

std::atomic<bool> hangs_now = false, is_stopped = false;
int stops = 0;
void hang_later(gpu::Context& context, const gpu::EffectInput& input, const gpu::EffectOutput& output,
                const gpu::Arguments& arguments) {
  using namespace std::chrono_literals;
  while (hangs_now && !is_stopped) std::this_thread::sleep_for(1ms);
  if (is_stopped) throw std::runtime_error("stopped: the program ends");
  none().run(context, input, output, arguments);
}
void stop_or_go_on(bool on) {
  stops += on;
  is_stopped = on;
}

TEST(EngineKernelsTest, OneThatDoesNotEndOnAPictureIsStoppedAndRefusedOnThatSize) {
  using namespace std::chrono_literals;
  HostEngineOfKernels engine;
  engine.stop_kernels_by(stop_or_go_on, 50ms);
  std::vector<std::pair<gpu::Size, std::string>> failures;
  engine.try_first([](auto&&...) { return std::optional<std::string>(""); },
                   [&](const Selection&, gpu::Size size, const std::string& why) { failures.emplace_back(size, why); });
  OwnEffect own("engine_stops");
  const auto settings = own.settings();
  const auto frame = ramp_frame({16, 8}), other = ramp_frame({32, 8});
  for (int version = 1; version <= 2; ++version) {
    const auto* effect = own.save(hang_later);
    hangs_now = false;
    ASSERT_TRUE(engine.process(frame, settings)) << "what is quick is left alone";
    EXPECT_EQ(engine.selection().effect, effect);
    hangs_now = true;
    EXPECT_FALSE(engine.process(frame, settings));
    EXPECT_FALSE(is_stopped) << "others may run";
    EXPECT_EQ(stops, version);
    EXPECT_NE(engine.refusal().find("does not end within"), std::string::npos) << engine.refusal();
    EXPECT_NE(engine.refusal().find("engine_stops.cu"), std::string::npos) << engine.refusal();
    ASSERT_TRUE(engine.process(frame, settings));
    EXPECT_EQ(engine.selection().effect, &none());
    ASSERT_EQ(failures.size(), static_cast<std::size_t>(version));
    EXPECT_EQ(failures.back().first, (gpu::Size{16, 8}));
    EXPECT_EQ(failures.back().second, engine.refusal());
    hangs_now = false;
    ASSERT_TRUE(engine.process(other, settings));
    EXPECT_EQ(engine.selection().effect, effect) << "it was refused on the other size alone";
  }
}

TEST(EngineKernelsTest, APictureOfAnotherSizeIsMadeWithoutItUntilItWasTried) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_tries");
  const auto* effect = own.save();
  const auto settings = own.settings();
  std::optional<std::string> answer = "";
  engine.try_first([&](const Selection&, gpu::Size size, auto) {
    return size == gpu::Size{16, 8} ? std::optional<std::string>("") : answer;
  });
  ASSERT_TRUE(engine.process(ramp_frame({16, 8}), settings));
  EXPECT_EQ(engine.selection().effect, effect);
  answer.reset();
  const auto large = ramp_frame({32, 8});
  ASSERT_TRUE(engine.process(large, settings));
  EXPECT_EQ(engine.selection().effect, &none());
  EXPECT_TRUE(engine.awaits_choice());
  EXPECT_TRUE(engine.refusal().empty());
  answer = "";
  EXPECT_TRUE(engine.follow(settings)) << "the same frame has another picture";
  ASSERT_TRUE(engine.process(large, settings));
  EXPECT_EQ(engine.selection().effect, effect);
  EXPECT_FALSE(engine.awaits_choice());
}

TEST(EngineKernelsTest, OneThatWasRefusedIsTriedAgainOnceItIsTakenAgain) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_tries_again");
  const auto* effect = own.save();
  const auto settings = own.settings();
  const auto frame = ramp_frame({16, 8});
  std::string answer;
  engine.try_first([&](auto&&...) { return std::optional(answer); });
  for (int i = 0; i < 2; ++i) {
    answer = "it could not be tried";
    gpu::add_user_kernel(*effect->version);
    ASSERT_TRUE(engine.process(ramp_frame({32, 8}), settings));
    EXPECT_EQ(engine.selection().effect, &none());
    answer.clear();
    ASSERT_TRUE(engine.process(ramp_frame({32, 8}), settings));
    EXPECT_EQ(engine.selection().effect, &none()) << "nobody has said that it is worth while";
    gpu::add_user_kernel(*effect->version);
    ASSERT_TRUE(engine.process(ramp_frame({32, 8}), settings));
    EXPECT_EQ(engine.selection().effect, effect);
    ASSERT_TRUE(engine.process(frame, settings));
    EXPECT_EQ(engine.selection().effect, effect);
  }
}

TEST(EngineKernelsTest, WhereItFailsOnAnotherSizeItIsRefusedThereAlone) {
  HostEngineOfKernels engine;
  OwnEffect own("engine_refuses");
  const auto* effect = own.save();
  const auto settings = own.settings();
  engine.try_first([&](const Selection&, gpu::Size size, auto) {
    return std::optional<std::string>(size.width == 16 ? "" : "mine.cu: out of bounds");
  });
  ASSERT_TRUE(engine.process(ramp_frame({16, 8}), settings));
  ASSERT_TRUE(engine.process(ramp_frame({32, 8}), settings));
  EXPECT_EQ(engine.selection().effect, &none());
  EXPECT_EQ(engine.refusal(), "mine.cu: out of bounds");
  ASSERT_TRUE(engine.failure());
  EXPECT_EQ(engine.failure()->text, "mine.cu: out of bounds");
  ASSERT_TRUE(engine.process(ramp_frame({16, 8}), settings));
  EXPECT_EQ(engine.selection().effect, effect);
  EXPECT_TRUE(engine.refusal().empty());
}

}  // namespace
}  // namespace app
