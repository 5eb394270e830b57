// The lines of scripts: valid ones are parsed, all others refused in one line that suggests the nearest word.
#include "app/control/script.h"

#include <gtest/gtest.h>

#include <string>

#include "gpu/tests/refusal.h"

namespace app {
namespace {

std::string refused_line(std::string_view line) {
  const auto why = gpu::test::refusal_of([&] { script::parse(line); });
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  return why;
}

TEST(ScriptTest, ASetTakesTextNumbersAndBooleans) {
  const auto step = script::parse(R"({"set": {"algorithm": "2r1w", "2r1w.W": 64, "vsync": false, "zoom": 2.5}})");
  EXPECT_EQ(std::get<script::Set>(step).changes,
            (std::vector<Change>{{"2r1w.W", "64"}, {"algorithm", "2r1w"}, {"vsync", "off"}, {"zoom", "2.5"}}));
}

TEST(ScriptTest, WaitsAndActions) {
  EXPECT_EQ(std::get<script::Frames>(script::parse(R"({"frames": 30})")).count, 30u);
  EXPECT_EQ(std::get<script::Seconds>(script::parse(R"({"seconds": 1.5})")).time, 1.5);
  const auto shot = std::get<script::Do>(script::parse(R"({"do": "screenshot", "to": "a.png"})"));
  EXPECT_EQ(shot.action, Action::screenshot);
  EXPECT_EQ(shot.to, "a.png");
  for (const auto& entry : actions()) {
    if (!entry.takes.empty()) continue;
    const auto step = script::parse(R"({"do": ")" + std::string(entry.name) + "\"}");
    EXPECT_EQ(std::get<script::Do>(step), command_of(entry));
  }
  EXPECT_EQ(std::get<script::Do>(script::parse(R"({"do": "seek", "to": 3.5})")), parse_command("seek 3.5"));
  EXPECT_EQ(std::get<script::Do>(script::parse(R"({"do": "seek -5"})")), parse_command("seek -5"));
  EXPECT_EQ(std::get<script::Do>(script::parse(R"({"do": "export csv to a b.csv"})")).to, "a b.csv");
  EXPECT_EQ(std::get<script::Get>(script::parse(R"({"get": ["fps", "race.0.us"]})")).paths,
            (std::vector<std::string>{"fps", "race.0.us"}));
  EXPECT_EQ(std::get<script::Do>(script::parse(R"({"do": "export", "to": "a.csv"})")).to, "a.csv");
}

// As deep as a line can be: whatever goes through them by recursion would have no stack left.
TEST(ScriptTest, DeepNestingIsRefused) {
  constexpr std::size_t deep = 250'000;
  const auto arrays = std::string(deep, '[') + std::string(deep, ']');
  std::string objects;
  for (std::size_t i = 0; i < deep / 2; ++i) objects += R"({"a":)";
  objects += '1' + std::string(deep / 2, '}');
  for (const auto& value : {arrays, objects, std::string(deep, '[')})
    for (const std::string verb : {"frames", "seconds", "do", "set", "to"})
      EXPECT_TRUE(refused_line("{\"" + verb + "\": " + value + "}").starts_with("it is nested too deeply")) << verb;
  EXPECT_EQ(refused_line(R"({"frames": [[[[3]]]]})"), "frames takes a whole number from 1, not [[[[3]]]]");
}

TEST(ScriptTest, ALineThatIsTooLongIsNotCalledWrong) {
  const auto line = R"({"do": ")" + std::string(script::longest_line, 'a') + "\"}";
  EXPECT_TRUE(refused_line(std::string_view(line).substr(0, script::longest_line)).starts_with("it is longer than 1 MiB"));
}

TEST(ScriptTest, WrongLinesAreRefused) {
  const std::pair<std::string, const char*> table[] = {
      {"frames 3", "it is not JSON: wrong at character 2; a line is like {"},
      {std::string("{\"frames\": 3}\0{\"frames\": 4}", 28), "it is not JSON: wrong at character 14; a line is like {"},
      {R"({"frames": 3)", "wrong at character 13"},
      {R"({"seconds": 1e999})", "a number in it is too large"},
      {R"({"frames": "12345678901234567890123456789012345678901234567890123456789012345"})", "4567890123456789..."},
      {R"({"do": "seek"})", "seek takes a time from 0"},
      {R"({"do": "sn\nap"})", "no command 'sn ap'"},
      {R"({"do": "screenshot", "to": "a\nb.gif"})", "'a b.gif' must end in"},
      {R"({"set": {"a\nb": []}})", "a b takes one value"},
      {R"({"a\nb": 1})", "no 'a b' in scripts"},
      {R"({"do": "save picture to a.png", "to": "b.png"})", "named twice"},
      {R"({"get": "fps"})", "get takes a list of names"},
      {R"({"get": []})", "get takes a list of names"},
      {R"({"get": [3]})", "get takes a list of names"},
      {R"({"do": "seek", "to": "3"})", "a number of seconds from 0 to 1000000"},
      {R"({"set": {"effect": "haar", "effect": "none"}})", "it gives \"effect\" twice"},
      {"[1]", "it is not a JSON object; a line is like {"},
      {"{}", "an empty JSON object: a line has set, frames, seconds, do or get"},
      {R"({"to": "x.png"})", "\"to\" belongs to do: "},
      {R"({"do": "screenshot", "too": "x.png"})", "did you mean 'to'?"},
      {R"({"fames": 3})", "did you mean 'frames'?"},
      {R"({"frames": 0})", "whole number from 1"},
      {R"({"frames": -1})", "whole number from 1"},
      {R"({"frames": 1.5})", "whole number from 1"},
      {R"({"seconds": -1})", "from 0"},
      {R"({"seconds": "1"})", "from 0"},
      {R"({"set": 3})", "object of settings"},
      {R"({"set": {"effect": null}})", "one value"},
      {R"({"set": {"size": [1, 2]}})", "one value"},
      {R"({"frames": 1, "seconds": 1})", "not frames and seconds"},
      {R"({"do": "screenshoot"})", "did you mean 'screenshot'?"},
      {R"({"do": "zzzqqq"})", "no command 'zzzqqq'; satscope list commands prints them"},
      {R"({"do": 3})", "do takes a command"},
      {R"({"do": "quit", "to": "a.png"})", "writes no file"},
      {R"({"do": "screenshot", "to": ""})", "path of a file"},
      {R"({"do": "screenshot", "to": "a.jpg"})", "must end in .png"},
      {R"({"do": "export", "to": "a.txt"})", "must end in .json or .csv"},
      {R"({"frames": 1, "to": "a.png"})", "belongs to do"},
  };
  for (const auto& [line, says] : table)
    EXPECT_NE(refused_line(line).find(says), std::string::npos) << line << ": " << refused_line(line);
}

}  // namespace
}  // namespace app
