// satscope help: the sections of the manual.
#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/commands/options.h"
#include "app/tests/support/exit_refusal.h"

namespace app {
namespace {

std::string refused(const std::string& topic) {
  return exit_refusal(ExitCode::usage, [&] { help_text(topic); });
}

TEST(HelpTest, TheTopicMayBeLeftOut) {
  EXPECT_EQ(parse_options(std::vector<std::string>{"help"}).topic, "");
  const auto options = parse_options(std::vector<std::string>{"help", "keys"});
  EXPECT_EQ(options.command, Verb::help);
  EXPECT_EQ(options.topic, "keys");
}

TEST(HelpTest, EveryTopicOfTheListIsASection) {
  std::istringstream list(help_text(""));
  std::string line;
  std::getline(list, line);
  std::getline(list, line);
  int topics = 0;
  for (; std::getline(list, line) && !line.empty(); ++topics) {
    const auto topic = line.substr(2, line.find(' ', 2) - 2);
    EXPECT_GT(line.size(), topic.size() + 20) << "no summary: " << line;
    EXPECT_LE(line.size(), 80u) << line;
    const auto text = help_text(topic);
    EXPECT_GT(text.size(), 200u) << topic;
    EXPECT_EQ(text.find("\n# "), text.npos) << topic;
    EXPECT_EQ(text.find('\t'), text.npos) << topic;
    EXPECT_TRUE(text.ends_with('\n')) << topic;
  }
  EXPECT_GT(topics, 10);
}

TEST(HelpTest, SectionsSayWhatTheProgramIsAsked) {
  for (const auto& [topic, words] :
       std::map<std::string, std::vector<std::string>>{{"keys", {"toggle_pause", "Shift+T"}},
                                                       {"settings", {"output_folder", "2r1w.W"}},
                                                       {"exit-codes", {"130", "wrong usage"}},
                                                       {"command-line", {"satscope simulate", "--offscreen"}},
                                                       {"scripts", {"\"frames\": 30"}},
                                                       {"log", {"dropped_before"}}})
    for (const auto& word : words) EXPECT_NE(help_text(topic).find(word), std::string::npos) << topic << ": " << word;
}

TEST(HelpTest, AnUnknownTopicIsRefusedInOneLineWithThoseThatAre) {
  const auto line = refused("kyes");
  EXPECT_TRUE(line.starts_with("no topic 'kyes' (did you mean 'keys'?); topics: ")) << line;
  EXPECT_NE(line.find("exit-codes"), line.npos);
  EXPECT_EQ(line.find('\n'), line.npos);
}

TEST(HelpTest, TheBeginningOfATopicIsEnough) {
  EXPECT_EQ(help_text("bench"), help_text("benchmarks"));
  EXPECT_NE(help_text("python").find("import satscope"), std::string::npos);
  EXPECT_TRUE(refused("s").starts_with("no topic 's'")) << "of several";
}

TEST(HelpTest, AWordThatIsNoTopicIsSoughtInTheSections) {
  EXPECT_TRUE(refused("matrix").starts_with("no topic 'matrix'; it is mentioned in '")) << refused("matrix");
  EXPECT_NE(refused("matrix").find("'window'"), std::string::npos);
  EXPECT_NE(refused("Recording").find("'files'"), std::string::npos) << refused("Recording");
  EXPECT_TRUE(refused("xyzzy").starts_with("no topic 'xyzzy'; topics: "));
}

TEST(HelpTest, ACommandHasOptionsInsteadOfASection) {
  EXPECT_EQ(refused("sat"), "'sat' is a command: satscope sat --help lists its options");
}

}  // namespace
}  // namespace app
