// A session whose GPU is busy: nobody at its keys waits for it.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "app/tests/session/session_steps.h"
#include "app/tests/support/stream_gate.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class SessionOnGpuTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto probe = gpu::probe_gpu();
    if (!probe.gpu) GTEST_SKIP() << probe.reason;
    Settings settings;
    settings.source = "synthetic:640x360";
    settings.device = DeviceChoice::cuda;
    settings.effect = "haar";
    settings.max_speed = true;
    settings.timing = TimingChoice::every;  // a frame without times would be finished at once
    session_ = std::make_unique<Session>(settings, probe, run_, true, [](gpu::Context&, const Picture&) {});
  }
  void show(int pictures) { app::show(*session_, pictures); }
  // 20 pictures that the GPU has finished; `act` while it has another under way, for which it must not wait; 3 pictures.
  template <class Act>
  void show_around(const Act& act) {
    show(20);
    gpu::check(cudaStreamSynchronize(stream()));
    {
      StreamGate gate(stream());
      show(1);
      act();
      EXPECT_FALSE(gate.late()) << "it waited for the GPU";
    }
    show(3);
  }
  cudaStream_t stream() { return session_->engine().pipeline().context().stream(); }

  app::Run run_;
  TemporaryFolder folder_;
  std::unique_ptr<Session> session_;
};

TEST_F(SessionOnGpuTest, AnExportSpeaksOfTheFramesThatTheGpuHasFinished) {
  show_around([this] {
    EXPECT_EQ(session_->saver().report().figures.frames, 20u);
    session_->act({Action::export_timings, folder_.path() / "timings.json"});
  });
  session_->finish();
  EXPECT_EQ(session_->saver().report().figures.frames, 24u);
}

TEST_F(SessionOnGpuTest, AFrameUnderWayIsNotCountedAfterAReset) {
  show_around([this] { session_->act(Action::reset_statistics); });
  session_->finish();
  EXPECT_EQ(session_->saver().report().figures.frames, 3u);
}

// What a GPU was given is shown in the same turn, also in the one that shows the CPU's last picture.
TEST_F(SessionOnGpuTest, AfterASwitchFromTheCpuNoPictureIsLate) {
  const auto switch_to = [this](const char* name, gpu::Device device) {
    session_->change({"device", name});
    for (int turn = 0; turn < 100 && session_->engine().device() != device; ++turn) show(1);
    ASSERT_EQ(session_->engine().device(), device);
  };
  show(3);
  switch_to("host", gpu::Device::host);
  show(3);
  switch_to("cuda", gpu::Device::cuda);
  for (int turn = 0; turn < 5; ++turn) {
    show(1);
    EXPECT_FALSE(session_->engine().busy());
  }
}

// The upload of the frame shown last still waits: the change is made once it has passed.
TEST_F(SessionOnGpuTest, AChangeDuringAPauseIsMadeAfterTheUploadUnderWay) {
  show(5);
  session_->perform(Action::toggle_pause);
  const auto quiet_since = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - quiet_since < 500ms) session_->step(20ms);  // a frame on its way
  {
    StreamGate gate(stream());
    session_->maker().measure_again();
    session_->step(0ms);  // its upload is queued behind the gate
    session_->change({"effect", "sat_view"});
    for (int i = 0; i < 5; ++i) session_->step(1ms);
    EXPECT_EQ(session_->engine().selection().effect->name, "haar");
    EXPECT_FALSE(gate.late()) << "it waited for the GPU";
  }
  show(1);
  EXPECT_EQ(session_->engine().selection().effect->name, "sat_view");
}

}  // namespace
}  // namespace app
