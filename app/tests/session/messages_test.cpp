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
}

TEST_F(MessagesTest, WhatIsWrongWithSeveralThingsIsSaidOfEach) {
  for (int step = 0; step < 2; ++step) {
    messages_.say_once("the device", warning, "no GPU");
    messages_.say_once("the comparison", warning, "nothing is compared");
    EXPECT_EQ(said(), step == 0 ? (Texts{"no GPU", "nothing is compared"}) : Texts{});
  }
}

TEST_F(MessagesTest, TextsOfOneCauseMayDiffer) {
  messages_.say_once("the connection", warning, "lost: no answer", "source 1");
  messages_.say_once("the connection", warning, "lost: refused", "source 1");
  EXPECT_EQ(said(), Texts{"lost: no answer"});
  messages_.say_once("the connection", warning, "lost: refused", "source 2");
  EXPECT_EQ(said(), Texts{"lost: refused"});
}

}  // namespace
}  // namespace app
