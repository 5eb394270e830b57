#include "app/session/messages.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace app {
namespace {

class MessagesTest : public testing::Test {
 protected:
  // What was said since the last call.
  std::vector<std::string> said() {
    std::vector<std::string> texts;
    for (const auto& message : messages_.age(0)) texts.push_back(message.text);
    messages_.age(60);  // it is not on the screen any more
    return texts;
  }
  using Texts = std::vector<std::string>;
  static constexpr auto warning = Message::Kind::warning;

  Messages messages_;
};

TEST_F(MessagesTest, ACauseIsSaidOnceUntilItIsGone) {
  for (int step = 0; step < 3; ++step) {
    messages_.say_once("the device", warning, "no GPU");
    messages_.say_once("the tables", warning, "");
    EXPECT_EQ(said(), step == 0 ? Texts{"no GPU"} : Texts{});
  }
  messages_.say_once("the device", warning, "no driver");
  EXPECT_EQ(said(), Texts{"no driver"});
  messages_.say_once("the device", warning, "");
  messages_.say_once("the device", warning, "no driver");
  EXPECT_EQ(said(), Texts{"no driver"}) << "it came back";
  for (int step = 0; step < 2; ++step) {
    messages_.say_once("the device", warning, "no GPU");
    messages_.say_once("the comparison", warning, "nothing is compared");
    EXPECT_EQ(said(), step == 0 ? (Texts{"no GPU", "nothing is compared"}) : Texts{}) << "of each";
  }
}

// As long as one that is new.
TEST_F(MessagesTest, WhatIsSaidAgainStaysAnew) {
  const auto most = message_seconds(warning);
  for (int i = 0; i < 3; ++i) {
    messages_.show(warning, "twice");
    EXPECT_EQ(messages_.age(0.9 * most).size(), 1u) << i;
  }
  messages_.show(warning, "once");
  EXPECT_EQ(messages_.age(0.2 * most).size(), 1u) << "the other one is gone";
}

TEST_F(MessagesTest, WhatStderrHasIsOnlyShown) {
  testing::internal::CaptureStderr();
  EXPECT_TRUE(messages_.show(warning, "a wrong\nvalue"));
  EXPECT_FALSE(messages_.show(warning, "a wrong\nvalue"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(said(), Texts{"a wrong value"}) << "one line";
}

TEST_F(MessagesTest, TextsOfOneCauseMayDiffer) {
  messages_.say_once("the connection", warning, "lost: no answer", "source 1");
  messages_.say_once("the connection", warning, "lost: refused", "source 1");
  EXPECT_EQ(said(), Texts{"lost: no answer"});
  messages_.say_once("the connection", warning, "lost: refused", "source 2");
  EXPECT_EQ(said(), Texts{"lost: refused"});
}

TEST_F(MessagesTest, ACauseThatAScriptAnswersIsNotSaidAsWell) {
  EXPECT_TRUE(messages_.is_new("the picture", "it does not fit"));
  EXPECT_FALSE(messages_.say_once("the picture", warning, "it does not fit"));
  EXPECT_EQ(said(), Texts{});
  EXPECT_TRUE(messages_.knows("the picture", "it does not fit"));
  EXPECT_FALSE(messages_.is_new("the picture", ""));
  EXPECT_FALSE(messages_.knows("the picture", "it does not fit"));
}

TEST_F(MessagesTest, TheExitCodeIsTheFirstOfTheHighestRank) {
  using Rank = Messages::Rank;
  EXPECT_EQ(messages_.exit_code(), ExitCode::ok);
  messages_.fail(Rank::script, ExitCode::ok);
  messages_.fail(Rank::source, ExitCode::source);
  EXPECT_EQ(messages_.exit_code(), ExitCode::source);
  messages_.fail(Rank::result, ExitCode::failed);
  messages_.fail(Rank::source, ExitCode::source);
  EXPECT_EQ(messages_.exit_code(), ExitCode::failed);
  messages_.fail(Rank::script, ExitCode::usage);
  messages_.fail(Rank::script, ExitCode::no_gpu);
  EXPECT_EQ(messages_.exit_code(), ExitCode::usage);
}

// Where a device is demanded, the session gives the reason: the same is not said twice.
TEST_F(MessagesTest, WithoutAGpuTheNextStepIsSaidWhereTheDeviceIsTheProgramsChoice) {
  const gpu::GpuProbe none{{}, "no driver"}, gpu{gpu::GpuInfo{}, {}};
  Settings settings;
  say_if_no_gpu(messages_, settings, gpu);
  EXPECT_EQ(said(), Texts{});
  say_if_no_gpu(messages_, settings, none);
  EXPECT_EQ(said().size(), 1u);
  for (const auto demanded : {DeviceChoice::cuda, DeviceChoice::host, DeviceChoice::simulated}) {
    settings.device = demanded;
    say_if_no_gpu(messages_, settings, none);
    EXPECT_EQ(said(), Texts{});
  }
}

}  // namespace
}  // namespace app
