// The check of a script before it runs: what is wrong whatever comes, and nothing that lines before make right.
#include "app/session/script_check.h"

#include <gtest/gtest.h>

#include <fstream>

#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

class ScriptCheckTest : public ::testing::Test {
 protected:
  // On a machine without a GPU, and with a simulated one.
  CheckedScript check(const std::string& text, const Settings& start = {}) {
    const auto path = (folder_.path() / "s.jsonl").string();
    std::ofstream(path) << text;
    ChangeContext machine;
    machine.no_cuda = "no driver";
    return check_script(path, start, machine);
  }
  // What is wrong in the first wrong line: "2: why".
  std::string fault(const std::string& text) {
    const auto checked = check(text);
    return checked.faults.empty() ? "" : std::to_string(checked.faults[0].line) + ": " + checked.faults[0].why;
  }

  // A line that writes this file of the folder.
  std::string writes(const char* action, const std::string& name) const {
    return std::string(R"({"do": ")") + action + R"(", "to": ")" + (folder_.path() / name).string() + "\"}\n";
  }

  TemporaryFolder folder_;
};

TEST_F(ScriptCheckTest, WhatIsWrongIsKnownAhead) {
  const std::pair<std::string, const char*> table[] = {
      {"hello", "1: it is not JSON"},
      {"{\"frames\": 1}\n\n{\"frames\": 0}", "3: frames takes a whole number from 1"},
      {R"({"set": {"efect": "haar"}})", "1: no setting 'efect'"},
      {R"({"set": {"effect": "har"}})", "did you mean 'haar'?"},
      {R"({"set": {"wipe": 2}})", "1: wipe"},
      {R"({"set": {"haar.width": "wide"}})", "1: haar: "},
      {R"({"set": {"viewer": "highgui"}})", "1: viewer is read when the program starts"},
      {R"({"set": {"algorithm": "cub"}})", "1: cub needs a GPU"},
      {R"({"do": "screenshot", "to": "a.gif"})", "must end in .png"},
      {R"({"do": "set efect haar"})", "1: no setting 'efect'"},
      {R"({"do": "add theme 1"})", "1: theme is not a number"},
      {R"({"do": "swap_sides"})", "1: nothing is compared"},
      {R"({"get": ["fsp"]})", "1: no value 'fsp' (did you mean 'fps'?)"},
      {R"({"get": ["source.nam"]})", "1: no value 'source.nam' (did you mean 'source.name'?)"},
      {R"({"get": ["race.-1.us"]})", "1: no value 'race.-1.us'"},
      {R"({"get": ["kernels.2r1w.p51"]})", "1: no value 'kernels.2r1w.p51'"},
      {R"({"get": ["settings.efect"]})", "1: no setting 'efect'"},
      // After what may have gone another way, values and names are still known.
      {"{\"do\": \"undo\"}\n{\"set\": {\"effect\": \"har\"}}", "2: "},
      {"{\"do\": \"undo\"}\n{\"set\": {\"haar.width\": \"wide\"}}", "2: haar: "},
  };
  for (const auto& [text, says] : table) EXPECT_NE(fault(text).find(says), std::string::npos) << text << ": " << fault(text);
}

// Each would be refused without the lines before it.
TEST_F(ScriptCheckTest, WhatALineBeforeMakesRightIsNotWrong) {
  const char* scripts[] = {
      "{\"set\": {\"effect\": \"haar\"}}\n{\"set\": {\"type\": \"type-2-x\"}}",
      "{\"do\": \"set effect haar\"}\n{\"do\": \"add width 3\"}",
      "{\"do\": \"show_feature\"}\n{\"get\": [\"type\"]}\n{\"do\": \"set type type-2-x\"}",
      "{\"do\": \"toggle_compare\"}\n{\"do\": \"swap_sides\"}",
      "{\"do\": \"open matrix:4x4\"}\n{\"set\": {\"matrix\": \"1,2;3,4\"}}",
      "{\"set\": {\"effect\": \"haar\"}}\n{\"do\": \"undo\"}\n{\"do\": \"redo\"}\n{\"set\": {\"type\": \"type-2-x\"}}",
      "{\"do\": \"undo\"}\n{\"do\": \"swap_sides\"}\n{\"set\": {\"type\": \"type-2-x\"}}\n{\"get\": [\"type\"]}",
      "{\"do\": \"quit\"}\nhello",
  };
  for (const auto* text : scripts) EXPECT_EQ(fault(text), "") << text;
  Settings matrix;
  matrix.source = "matrix:4x4";
  EXPECT_EQ(check("{\"set\": {\"source\": \"missing.mp4\"}}\n{\"set\": {\"matrix\": \"1,2;3,4\"}}", matrix).wrong, 0u)
      << "a source that does not open leaves the matrix";
}

TEST_F(ScriptCheckTest, WhatPicturesAndTimesDecideIsNotKnown) {
  for (const auto* line :
       {R"({"get": ["fps", "kernels.2r1w.p50", "groups.2r1w.mean", "race.0.us", "size.0", "compare.a", "race_bound.us"]})",
        R"({"get": ["algorithm_parameters.W", "effect_parameters.window", "source.position", "settings.device"]})",
        R"({"do": "seek 99"})", R"({"do": "stop_record"})", R"({"do": "next_stage"})", R"({"do": "export_race"})",
        R"({"do": "ui_larger"})", R"({"do": "step -3"})", R"({"set": {"source": "missing.mp4"}})"})
    EXPECT_EQ(fault(line), "") << line;
}

// As in a run: the same command may write its file anew, but for a recording.
TEST_F(ScriptCheckTest, TwoResultsOfOneNameAreKnownAhead) {
  const auto says = [&](const std::string& text) {
    return fault(text).find("is the file of another result: give") != text.npos;
  };
  EXPECT_TRUE(says(writes("export", "a.json") + writes("export_timeline", "a.json")));
  EXPECT_TRUE(says(writes("export", "a.json") + writes("export", "b.json") + writes("export_timeline", "./a.json")));
  const auto stop = std::string("{\"frames\": 2}\n{\"do\": \"stop_record\"}\n");
  EXPECT_TRUE(says(writes("record", "r.mp4") + stop + writes("record", "r.mp4")));
  EXPECT_EQ(fault(writes("record", "r.mp4") + stop + writes("record", "q.mp4")), "");
  EXPECT_EQ(fault(writes("export", "a.json") + writes("export", "a.json") + writes("export_timeline", "b.json")), "");

  const auto path = (folder_.path() / "t.jsonl").string();
  std::ofstream(path) << writes("export", "log.csv");
  EXPECT_EQ(check_script(path, {}, {}, {folder_.path() / "other.csv"}).wrong, 0u);
  EXPECT_EQ(check_script(path, {}, {}, {folder_.path() / "log.csv"}).wrong, 1u) << "of the run";
}

// Their names are resolved once: there may be thousands.
TEST_F(ScriptCheckTest, OneFileOfManyResultsIsKnownByItsPlaceAndByItsLinks) {
  std::ofstream(folder_.path() / "there.csv") << "1";
  std::filesystem::create_hard_link(folder_.path() / "there.csv", folder_.path() / "hard.csv");
  std::filesystem::create_symlink("to_come.csv", folder_.path() / "soft.csv");
  std::filesystem::create_directory(folder_.path() / "sub");
  std::filesystem::create_symlink("..", folder_.path() / "sub" / "up");
  std::string many;
  for (int i = 0; i < 300; ++i) many += writes("export_csv", "r" + std::to_string(i) + ".csv");
  const auto wrong = [&](const std::string& text) { return check(text).wrong; };
  EXPECT_EQ(wrong(many + many), 0u) << "the same action writes it anew";
  const std::pair<const char*, const char*> names_of_one[] = {{"there.csv", "hard.csv"},
                                                              {"hard.csv", "there.csv"},
                                                              {"soft.csv", "to_come.csv"},
                                                              {"to_come.csv", "soft.csv"},
                                                              {"to_come.csv", "sub/up/to_come.csv"}};
  for (const auto& [one, other] : names_of_one) {
    EXPECT_EQ(wrong(writes("export_csv", one) + many + writes("export_frames", other)), 1u) << one << ' ' << other;
    EXPECT_EQ(wrong(writes("export_csv", one) + many + writes("export_csv", other)), 0u) << one << ' ' << other;
  }
}

TEST_F(ScriptCheckTest, LinesAndFaultsAreCounted) {
  const auto right = check("{\"frames\": 1}\n\n  \n{\"do\": \"fit\"}");
  EXPECT_EQ(right.lines, 2u);
  EXPECT_EQ(right.wrong, 0u);
  std::string wrong;
  for (int i = 0; i < 30; ++i) wrong += "{\"do\": \"fitt\"}\n{\"do\": \"fit\"}\n";
  const auto checked = check(wrong);
  EXPECT_EQ(checked.lines, 60u);
  EXPECT_EQ(checked.wrong, 30u);
  ASSERT_EQ(checked.faults.size(), 20u);
  EXPECT_EQ(checked.faults[19].line, 39u);
  EXPECT_EQ(checked.faults[0].code, ExitCode::usage);
  EXPECT_EQ(check(R"({"set": {"device": "cuda"}})").faults.at(0).code, ExitCode::no_gpu);
}

}  // namespace
}  // namespace app
