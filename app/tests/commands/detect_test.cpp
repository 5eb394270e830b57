// satscope detect: signals during a search that takes long.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <opencv2/imgcodecs.hpp>
#include <thread>

#include "app/commands/commands.h"
#include "app/support/simulated_gpu.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

auto action_of(int signal) {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action.sa_handler;
}

template <class Holds>
void await(const Holds& holds) {
  while (!holds()) std::this_thread::sleep_for(10ms);
}

// Sends SIGTERM during the search, which takes much more of the processors' time than what comes before; and SIGINT once that
// has another effect than at first.
void send_signals() {
  await([start = std::clock()] { return std::clock() - start > CLOCKS_PER_SEC; });
  const auto first = action_of(SIGINT);
  ::kill(::getpid(), SIGTERM);
  await([first] { return action_of(SIGINT) != first; });
  ::kill(::getpid(), SIGINT);
}

[[noreturn]] void detect_with_signals(const Options& options) {
  std::signal(SIGINT, SIG_DFL);  // whoever started the tests may have it ignored
  std::thread(send_signals).detach();
  std::_Exit(static_cast<int>(run_detect(options)));
}

class DetectDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  Options search_of_noise(int side, const std::string& device) {
    const auto path = (folder_.path() / "noise.pgm").string();
    cv::Mat noise(side, side, CV_8UC1);
    cv::randu(noise, 0, 256);
    EXPECT_TRUE(cv::imwrite(path, noise));
    const std::string words[] = {"detect", path, "--device", device, "--scale-factor", "1.005"};
    return parse_options(words);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(DetectDeathTest, ASignalSaysWhatIsWaitedForAndASecondOneEndsAtOnce) {
  auto options = search_of_noise(3000, "host");
  options.detector.host_code = gpu::vision::host_codes().front();  // the slowest
  EXPECT_EXIT(detect_with_signals(options), testing::KilledBySignal(SIGINT),
              "satscope: finishing the picture that is being computed; Ctrl-C ends at once\n");
}

TEST_F(DetectDeathTest, ASignalStopsASimulatedGpu) {
  if (const auto why = why_no_simulated_gpu(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EXIT(detect_with_signals(search_of_noise(4000, "simulated")),
              testing::ExitedWithCode(static_cast<int>(ExitCode::failed)), "satscope: interrupted; 0 pictures searched\n");
}

}  // namespace
}  // namespace app
