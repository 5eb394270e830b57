// Whatever names are typed, by whoever: the program, its recording and a changed matrix survive, and every answer is one line.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <opencv2/videoio.hpp>
#include <random>
#include <string>
#include <vector>

#include "app/capture/folder_reader.h"
#include "app/control/actions.h"
#include "app/control/palette_entries.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

class HostileNamesTest : public testing::Test {
 protected:
  HostileNamesTest() {
    fs::create_directory(at("locked"));
    std::ofstream(at("locked/x.png")) << "x";
    fs::permissions(at("locked"), fs::perms::none);
    fs::create_directory(at("read-only"));
    fs::permissions(at("read-only"), fs::perms(0555));
    std::ofstream(at("precious.png")) << "precious";
    fs::permissions(at("precious.png"), fs::perms(0400));
    fs::create_symlink("two", at("one"));
    fs::create_symlink("one", at("two"));
    fs::create_symlink("nowhere/x", at("away"));
    std::string deep;
    for (int i = 0; i < 2500; ++i) deep += "/a";
    names_ = {"/root",
              "/root/x",
              "/root/a/b/x",
              "/proc/x",
              "/proc/self/mem",
              "/dev/full",
              "/dev/null",
              "/",
              ".",
              "..",
              "~",
              "~/x",
              "~root/x",
              "nowhere/x",
              "\xff",
              "/\xff/x",
              "caf\xe9 x",
              "file:///root",
              "file://h/x",
              "http://127.0.0.1:9/x",
              "rtsp://u:p@127.0.0.1:9/x",
              "'",
              "\"",
              "a\tb",
              "- -",
              "%00%ff",
              "/dev/video77",
              "matrix:/root/x",
              "77",
              deep,
              deep + "/x",
              std::string(300, 'n'),
              std::string(5000, 'n'),
              "/etc/passwd/x"};
    for (const char* name :
         {"locked", "locked/x", "locked/a/x", "read-only", "read-only/x", "precious", "one", "one/x", "two", "away", ""})
      names_.push_back(at(name).string());
  }
  ~HostileNamesTest() override {
    for (const char* name : {"locked", "read-only"}) fs::permissions(at(name), fs::perms(0755));
  }
  fs::path at(const char* name) const { return folder_.path() / name; }

  std::size_t below(std::size_t count) { return random_() % count; }
  std::string name() {
    auto text = names_[below(names_.size())];
    constexpr const char* ends[] = {"", "", ".png", ".csv", ".json", ".mp4", "/", "/x.png"};
    if (below(4) > 0) text += ends[below(std::size(ends))];
    return below(8) == 0 ? "'" + text + "'" : text;
  }
  // One that takes a name: of a file that it writes, or of one that is read.
  std::string line(bool may_open) {
    std::vector<const ActionInfo*> writing;
    for (const auto& action : actions())
      if (action.writes() && action.action != Action::toggle_record && action.action != Action::new_kernel)  // compiles
        writing.push_back(&action);
    const auto which = below(10);
    if (which == 0) return "set output_folder " + name();
    if (which == 1) return "set faces.cascade " + name();
    if (which == 2) return (below(2) ? "faces.cascade = " : "output_folder = ") + name();
    if (which == 3 && may_open) return (below(2) ? "open " : "source = ") + name();
    const auto& action = *writing[below(writing.size())];
    const auto ending = std::string(below(2) || action.other_ending.empty() ? action.ending : action.other_ending);
    return std::string(action.name) + " to " + name() + (below(8) ? ending : "");
  }
  // As the command palette does it; what it does not take, as a script or a key.
  static void type(Session& session, const std::string& line) {
    const auto entry = typed_change(line, session.settings(), session.context());
    if (entry && !entry->why_not.empty()) return;
    if (const auto* change = entry ? std::get_if<Change>(&entry->does) : nullptr) return session.change(*change);
    try {
      session.perform(parse_command(line));
    } catch (const std::invalid_argument& error) {
      EXPECT_FALSE(std::string(error.what()).empty());
    }
  }
  void type_many(Session& session, int count, bool may_open) {
    const auto end = std::chrono::steady_clock::now() + 20s;  // of a disk or a network that takes its time
    for (int i = 0; i < count && std::chrono::steady_clock::now() < end; ++i) {
      const auto text = line(may_open);
      SCOPED_TRACE(text.substr(0, 200));
      ASSERT_NO_THROW(type(session, text));
      if (may_open && below(8) == 0) {  // dropped on the window
        auto changed = session.settings();
        changed.source = name();
        ASSERT_NO_THROW(session.accept(changed));
      }
      if (below(8) == 0) {
        ASSERT_NO_THROW(capture::read_folder(name()));
      }
      ASSERT_NO_THROW(session.step(1ms));
      for (const auto& message : session.messages().age(1)) {
        EXPECT_EQ(message.text.find('\n'), std::string::npos) << message.text;
        EXPECT_EQ(message.text.find("u:p@"), std::string::npos) << message.text;
        answers_ += message.kind != Message::Kind::info;
      }
    }
  }
  static void finish(Session& session) {
    while (!session.outputs().finish(10ms)) continue;
  }

  WithoutRoot nobody_;  // first: the folder is his
  TemporaryFolder folder_;
  capture::WaitForThreads wait_;
  std::vector<std::string> names_;
  std::mt19937 random_{20260102};
  int answers_ = 0;
};

TEST_F(HostileNamesTest, ARecordingSurvivesThem) {
  auto settings = host_settings("synthetic:64x48");
  settings.output_folder = folder_.path().string();
  const auto video = at("video.mp4");
  Session session(settings, {{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  session.perform({Action::record, video});
  ASSERT_TRUE(step_until(session, [&] { return session.outputs().recorded_seconds() > 0; }));
  type_many(session, 400, true);
  EXPECT_GT(answers_, 50);
  EXPECT_TRUE(session.outputs().recording());
  const auto seconds = session.outputs().recorded_seconds();
  session.change(Change{"source", "synthetic:64x48"});
  EXPECT_TRUE(step_until(session, [&] { return session.outputs().recorded_seconds() > seconds; }));
  session.perform(Action::stop_record);
  finish(session);
  EXPECT_GT(cv::VideoCapture(video.string(), cv::CAP_FFMPEG).get(cv::CAP_PROP_FRAME_COUNT), 0);
  EXPECT_EQ(fs::file_size(at("precious.png")), 8u);
}

TEST_F(HostileNamesTest, AChangedMatrixSurvivesThem) {
  auto settings = host_settings("matrix:3x2");
  settings.output_folder = folder_.path().string();
  ShownSession session(settings);
  const std::string numbers = "1,2,3;4,5,7";
  session.change(Change{"matrix", numbers});
  type_many(session, 400, false);
  EXPECT_GT(answers_, 50);
  EXPECT_EQ(session.settings().matrix, numbers);
  const auto file = at("saved.csv");
  session.perform({Action::save_matrix, file});
  finish(session);
  EXPECT_FALSE(session.saver().matrix_unsaved());
  EXPECT_EQ(fs::file_size(file), numbers.size() + 1);
  EXPECT_EQ(fs::file_size(at("precious.png")), 8u);
}

// No file stays open once it is written: a run of hours may name thousands.
TEST_F(HostileNamesTest, ManyNamedResultsUseUpNoDescriptors) {
  ShownSession session("synthetic:64x48");
  const auto open = static_cast<rlim_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit few{open + 30, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &few);
  int there = 0;
  for (int i = 0; i < 100; ++i) {
    const auto name = at(("r" + std::to_string(i) + ".png").c_str());
    session.perform({Action::save_picture, name});
    step_until(session, [&] { return session.outputs().all_written() && !session.saver().saves_pictures(); });
    there += fs::exists(name);
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(there, 100);
}

}  // namespace
}  // namespace app
