// What is saved of pictures and of a matrix: the saver and the parts that it is built with, without a session.
#include "app/session/saver.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/videoio.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/control/change.h"
#include "app/output/video_encoder.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/files.h"
#include "app/tests/pipeline/frames.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class SaverTest : public testing::Test {
 protected:
  static Settings small_matrix() {
    auto settings = host_settings("matrix:3x2");
    settings.effect = "none";
    settings.matrix = "1,2,3;4,5,6";
    return settings;
  }
  // What its file says then.
  std::string saved_matrix(SessionParts& parts, const char* name) {
    parts.saver.save_matrix(folder_.path() / name);
    parts.finish_files();
    std::ifstream file(folder_.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // What is saved of the picture that is shown.
  cv::Mat saved_picture(SessionParts& parts, const char* name) {
    const auto path = folder_.path() / name;
    parts.saver.save({path});
    parts.finish_files();
    return cv::imread(path.string());
  }

  TemporaryFolder folder_;
};

TEST_F(SaverTest, AMatrixIsSavedAndRecordedAsItIsReadWithItsRectangle) {
  auto settings = host_settings("matrix:8x8");
  settings.effect = "none";
  settings.matrix_editor = false;
  SessionParts parts(settings);
  ASSERT_TRUE(parts.shows_source());
  const auto saved = [&](const char* name) { return saved_picture(parts, name); };
  const auto plain = saved("plain.png");
  EXPECT_EQ(plain.size(), cv::Size(512, 512));
  double least = 0, most = 0;
  cv::minMaxLoc(plain.reshape(1), &least, &most);
  EXPECT_EQ(most, 255) << "no dark dot";
  parts.change({"rectangle", "2,1,3x2"});
  const cv::Mat different = plain != saved("marked.png");
  EXPECT_GT(cv::countNonZero(different.reshape(1)), 100);

  const auto video = folder_.path() / "video.mp4";
  parts.outputs.start_recording(video);
  EXPECT_TRUE(parts.show_until([&] { return parts.outputs.recorded_seconds() > 0; }));
  parts.outputs.stop_recording();
  parts.finish_files();
  EXPECT_EQ(cv::VideoCapture(video.string(), cv::CAP_FFMPEG).get(cv::CAP_PROP_FRAME_WIDTH), 512);
}

// What covers the picture is what is saved: as often as it is asked for, and after it is shown or hidden.
TEST_F(SaverTest, AMatrixBesideItsTableIsSavedAsItIsShown) {
  auto settings = small_matrix();
  settings.effect = "box_blur";
  settings.compare.on = true;
  SessionParts parts(settings);
  ASSERT_TRUE(parts.shows_source());
  const auto saved = [&](const char* name) { return saved_picture(parts, name); };
  const auto both = [](std::vector<std::uint8_t> levels) {
    std::vector<gpu::Bgr> pixels;
    for (const auto level : levels) pixels.push_back({level, level, level});
    const auto drawn = matrix_and_table({pixels.data(), 3, 2, 3});
    const auto view = drawn.view();
    cv::Mat bgr;
    cv::cvtColor(cv::Mat(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * 4), bgr,
                 cv::COLOR_RGBA2BGR);
    return bgr;
  };
  const auto same = [](const cv::Mat& a, const cv::Mat& b) { return a.size() == b.size() && cv::norm(a, b) == 0; };
  EXPECT_TRUE(same(saved("1.png"), both({1, 2, 3, 4, 5, 6})));
  parts.change({"matrix", "1,2,3;4,5,200"});
  ASSERT_TRUE(parts.shows_source());
  EXPECT_TRUE(same(saved("2.png"), both({1, 2, 3, 4, 5, 200})));
  parts.change({"matrix_editor", "off"});
  ASSERT_TRUE(parts.shows_source());
  EXPECT_EQ(saved("3.png").size(), cv::Size(3 * 64, 2 * 64)) << "the picture in squares";
  parts.change({"matrix_editor", "on"});
  EXPECT_TRUE(same(saved("4.png"), both({1, 2, 3, 4, 5, 200})));
}

// With a program in place of wl-copy, which keeps what it gets.
class SaverClipboardTest : public SaverTest {
 protected:
  void SetUp() override {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "PATH"}) {
      const char* value = std::getenv(name);
      before_.emplace_back(name, value ? value : "");
    }
    ::unsetenv("DISPLAY");
    ::setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    const auto program = folder_.path() / "wl-copy";
    std::ofstream(program) << "#!/bin/sh\nexec cat >'" << pasted().string() << "'\n";
    std::filesystem::permissions(program, std::filesystem::perms(0755));
    ::setenv("PATH", (folder_.path().string() + ':' + std::getenv("PATH")).c_str(), 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) value.empty() ? ::unsetenv(name) : ::setenv(name, value.c_str(), 1);
  }
  std::filesystem::path pasted() const { return folder_.path() / "pasted.png"; }
  // Whether what is pasted is what a file would have.
  void expect_same_as_saved(SessionParts& parts, const char* what) {
    parts.saver.save({folder_.path() / "saved.png"});
    parts.saver.save({.to_copy = true});
    parts.finish_files();
    const auto saved = cv::imread((folder_.path() / "saved.png").string()), copied = cv::imread(pasted().string());
    ASSERT_FALSE(copied.empty()) << what;
    EXPECT_EQ(copied.size(), saved.size()) << what;
    EXPECT_EQ(cv::norm(copied, saved), 0) << what;
    EXPECT_TRUE(said(parts.messages, "Copied the picture")) << what;
  }

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(SaverClipboardTest, TheCopyIsWhatAFileWouldHave) {
  SessionParts parts(small_matrix());
  ASSERT_TRUE(parts.shows_source());
  expect_same_as_saved(parts, "beside its table");
  parts.change({"matrix", "1,2,3;4,5,200"});
  parts.change({"rectangle", "1,0,2x2"});
  ASSERT_TRUE(parts.shows_source());
  expect_same_as_saved(parts, "with a rectangle");
  parts.change({"matrix_editor", "off"});
  ASSERT_TRUE(parts.shows_source());
  expect_same_as_saved(parts, "as a picture");
  for (int i = 0; i < 3; ++i) parts.saver.save({.to_copy = true});  // in quick succession
  expect_same_as_saved(parts, "after these");
  EXPECT_TRUE(parts.outputs.all_written());
}

TEST_F(SaverClipboardTest, WhyThereIsNoneIsSaid) {
  SessionParts parts(small_matrix());
  EXPECT_THROW(parts.saver.save({.to_copy = true}), std::invalid_argument) << "no picture yet";
  ASSERT_TRUE(parts.shows_source());
  ::unsetenv("WAYLAND_DISPLAY");
  for (int turn = 0; turn < 2; ++turn) {
    parts.saver.save({.to_copy = true});
    parts.finish_files();
    EXPECT_TRUE(said(parts.messages, "cannot copy the picture: there is no desktop here"));
  }
  EXPECT_FALSE(said(parts.messages, "Copied"));
}

// All entries of the frame that is shown, as often as it is asked for.
TEST_F(SaverTest, TheTableIsSavedForNumpy) {
  SessionParts parts(small_matrix());
  ASSERT_TRUE(parts.shows_source());
  const auto saved = [&](const char* name) {
    parts.saver.save({.to = folder_.path() / name, .table = true});
    parts.saver.save({.to = folder_.path() / (std::string("b") + name), .table = true});
    parts.finish_files();
    std::ifstream file(folder_.path() / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_NE(bytes.find("'<u4'"), bytes.npos);
    EXPECT_NE(bytes.find("(2, 3)"), bytes.npos);
    std::vector<std::uint32_t> entries(6);
    if (bytes.size() < 24) return entries;
    std::memcpy(entries.data(), bytes.data() + bytes.size() - 24, 24);
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / (std::string("b") + name)));
    return entries;
  };
  EXPECT_EQ(saved("1.npy"), (std::vector<std::uint32_t>{1, 3, 6, 5, 12, 21}));
  parts.change({"matrix", "1,2,3;4,5,200"});
  ASSERT_TRUE(parts.shows_source());
  EXPECT_EQ(saved("2.npy"), (std::vector<std::uint32_t>{1, 3, 6, 5, 12, 215}));
}

TEST_F(SaverTest, AMessageOfASavedFileKnowsIt) {
  auto settings = small_matrix();
  settings.output_folder = folder_.path().string();
  SessionParts parts(settings);
  ASSERT_TRUE(parts.shows_source());
  for (int turn = 0; turn < 2; ++turn) parts.saver.save({});
  parts.finish_files();
  int known = 0;
  for (const auto& message : parts.messages.age(0)) known += std::filesystem::exists(message.file);
  EXPECT_EQ(known, 2);
}

// A clip ends by itself, and is there: as often as one is asked for, while it plays and while nothing comes.
TEST_F(SaverTest, AClipIsAShortSmallAnimation) {
  auto settings = host_settings("synthetic:800x450");
  settings.effect = "none";
  settings.max_speed = true;
  settings.fps = 30;
  app::Run run;
  run.offscreen = true;  // the clip follows the source's clock alone
  SessionParts parts(settings, run);
  ASSERT_TRUE(parts.shows_source());
  for (const char* name : {"1.gif", "2.webp", "3.gif"}) {
    if (usual_animation() == VideoFormat::gif && std::string_view(name).ends_with(".webp")) continue;
    const auto path = folder_.path() / name;
    parts.outputs.record_clip(path);
    EXPECT_THROW(parts.outputs.record_clip(folder_.path() / "other.gif"), std::invalid_argument);
    ASSERT_TRUE(parts.show_until([&] { return parts.outputs.recorded_seconds() > 1; })) << name;
    ASSERT_TRUE(parts.show_until([&] { return !parts.outputs.recording(); })) << name << ": it stops by itself";
    parts.finish_files();
    EXPECT_FALSE(said(parts.messages, "faster")) << "its rate is lower than the source's, as it should be";
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    ASSERT_GT(bytes.size(), 1000u) << name;
    if (bytes.starts_with("RIFF")) {
      EXPECT_EQ(bytes.substr(8, 4), "WEBP");
      int frames = 0;
      for (auto at = bytes.find("ANMF"); at != bytes.npos; at = bytes.find("ANMF", at + 4)) ++frames;
      EXPECT_NEAR(frames, 75, 2);
      const auto loops = bytes.find("ANIM");
      ASSERT_NE(loops, bytes.npos);
      EXPECT_EQ(bytes.substr(loops + 12, 2), std::string(2, '\0')) << "for ever";
      continue;
    }
    cv::VideoCapture animation(path.string(), cv::CAP_FFMPEG);
    EXPECT_EQ(animation.get(cv::CAP_PROP_FRAME_WIDTH), 640);
    EXPECT_EQ(animation.get(cv::CAP_PROP_FRAME_HEIGHT), 360);
    int frames = 0;
    for (cv::Mat frame; animation.read(frame);) ++frames;
    EXPECT_NEAR(frames, 75, 2);
  }
}

TEST_F(SaverTest, AMatrixIsUnsavedFromAChangeUntilItsFileIsThere) {
  SessionParts parts(small_matrix());
  ASSERT_TRUE(parts.shows_source());
  EXPECT_FALSE(parts.saver.matrix_unsaved()) << "these numbers were given";
  parts.change({"matrix", "1,2,3;4,5,7"});
  EXPECT_TRUE(parts.saver.matrix_unsaved());
  parts.saver.save_matrix("/dev/full");
  parts.finish_files();
  EXPECT_TRUE(parts.saver.matrix_unsaved()) << "the disk was full";
  EXPECT_NE(parts.saver.matrix_problem(), "");
  EXPECT_EQ(saved_matrix(parts, "m.csv"), "1,2,3\n4,5,7\n") << "not what is shown";
  EXPECT_FALSE(parts.saver.matrix_unsaved());
  EXPECT_EQ(parts.saver.matrix_problem(), "");
  parts.change({"matrix", "1,2,3;4,5,8"});
  EXPECT_TRUE(parts.saver.matrix_unsaved());
}

// Without the names of columns that its file has.
TEST_F(SaverTest, ASavedMatrixIsItsNumbersAlone) {
  const auto file = folder_.path() / "named.csv";
  for (const auto* text : {"left eye,\"a, b\"\n1,2\n", "a;b\r\n1;2\r\n", "a\tb\n1\t2\n", "1,2\n"}) {
    write_file(file, text);
    SessionParts parts(host_settings(file.string()));
    ASSERT_TRUE(parts.shows_source());
    parts.change({"matrix", "1,3"});
    EXPECT_EQ(saved_matrix(parts, "saved.csv"), "1,3\n") << text;
  }
}

// Nobody is there any more who could choose another place.
TEST_F(SaverTest, AtAnEndAChangedMatrixGoesWhereItCanBeSaved) {
  const auto file = folder_.path() / "file", config = folder_.path() / "config";
  write_file(file, "a file");
  const char* before = std::getenv("TMPDIR");
  const std::string temporary = before ? before : "";
  setenv("TMPDIR", file.c_str(), 1);
  for (const bool works : {true, false}) {
    auto settings = small_matrix();
    settings.output_folder = (file / "saved").string();
    app::Run run;
    run.config = (works ? config : file) / "settings.json";
    SessionParts parts(settings, run);
    ASSERT_TRUE(parts.shows_source());
    parts.change({"matrix", "1,2,3;4,5,7"});
    testing::internal::CaptureStderr();
    parts.saver.keep_matrix_at_end();
    parts.finish_files();
    const auto line = testing::internal::GetCapturedStderr();
    const auto why = "cannot make the folder " + settings.output_folder + ": Not a directory; choose another place";
    EXPECT_EQ(parts.messages.exit_code(), works ? ExitCode::ok : ExitCode::failed);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
    const auto saved = works ? ": saved the changed matrix: " + std::filesystem::directory_iterator(config)->path().string()
                             : std::string();
    EXPECT_NE(line.find(works ? why + saved : "the changed matrix is lost: " + why), std::string::npos) << line;
  }
  before ? setenv("TMPDIR", temporary.c_str(), 1) : unsetenv("TMPDIR");
}

// Undo brings back one that was left: it is in a file already.
TEST_F(SaverTest, AMatrixThatIsLeftAgainIsSavedOnce) {
  auto settings = small_matrix();
  settings.output_folder = folder_.path().string();
  SessionParts parts(settings);
  ASSERT_TRUE(parts.shows_source());
  const auto files = [&] { return std::distance(std::filesystem::directory_iterator(folder_.path()), {}); };
  testing::internal::CaptureStderr();
  for (const int number : {7, 8}) {
    parts.change({"matrix", "1,2,3;4,5," + std::to_string(number)});
    for (int time = 0; time < 2; ++time) {
      EXPECT_EQ(parts.saver.leave_matrix(), "");
      EXPECT_FALSE(parts.saver.matrix_unsaved());
      EXPECT_EQ(files(), number - 6) << time;
    }
  }
  testing::internal::GetCapturedStderr();
}

TEST_F(SaverTest, ParametersThatWereRefusedAreNotSaved) {
  auto settings = host_settings("synthetic:200x160");
  settings.effect = "haar";
  SessionParts parts(settings);
  parts.change({"haar.height", "20"});
  ASSERT_TRUE(parts.shows_source());
  const auto worked = parts.settings;
  EXPECT_EQ(parts.saver.settings_to_save(), worked);
  parts.change({"haar.width", "2048"});
  ASSERT_TRUE(parts.show_until([&] { return !parts.engine.refusal().empty(); }));
  EXPECT_NE(parts.settings, worked);
  EXPECT_EQ(parts.saver.settings_to_save(), worked);
}

TEST_F(SaverTest, WhatIsEmptyIsRefusedWithTheReason) {
  SessionParts parts(host_settings("synthetic:64x48"));
  auto& saver = parts.saver;
  const auto file = folder_.path() / "file";
  const std::pair<std::function<void()>, const char*> table[] = {
      {[&] { saver.save({file}); }, "there is no picture yet"},
      {[&] { saver.save_matrix(file); }, "the source is not a matrix"},
      {[&] { saver.save_wrong_frame(file); }, "no table was wrong"},
      {[&] { saver.export_timings(file, ".json"); }, "no frame is complete"},
      {[&] { saver.export_timings(file, ".csv"); }, "no frame is complete"},
      {[&] { saver.export_frames(file); }, "no frame is complete"},
      {[&] { saver.export_timeline(file); }, "no frame is complete"},
      {[&] { saver.export_race(file); }, "no race has run"},
      {[&] { saver.export_trace(file); }, "there is no tile trace yet"}};
  for (const auto& [save, why] : table) {
    const auto said = gpu::test::refusal_of(save);
    EXPECT_TRUE(said.starts_with(why)) << said;
  }
  parts.finish_files();
  EXPECT_FALSE(std::filesystem::exists(file));
}

// A frame that was copied, in colour, as often as there is one.
TEST_F(SaverTest, TheWrongFrameIsSavedInItsColours) {
  SessionParts parts(host_settings("synthetic:64x48"));
  for (const auto size : {gpu::Size{5, 3}, gpu::Size{2, 7}}) {
    const auto frame = noise_frame(size, static_cast<unsigned>(size.width));
    parts.maker.light().add(CheckAnswer{gpu::WrongTable{1, 0, 0, 1, 2}}, 1, frame);
    const auto path = folder_.path() / (std::to_string(size.width) + ".png");
    parts.saver.save_wrong_frame(path);
    parts.maker.reset_statistics();  // it is saved all the same
    parts.finish_files();
    const auto saved = cv::imread(path.string());
    ASSERT_EQ(saved.size(), cv::Size(size.width, size.height));
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const auto [b, g, r] = frame.view()(x, y);
        EXPECT_EQ(saved.at<cv::Vec3b>(y, x), (cv::Vec3b(b, g, r))) << x << ", " << y;
      }
  }
}

// A range before the last change is saved with what its frames were made of, and alone; then all frames again.
TEST_F(SaverTest, OfARangeThatWhichItsFramesWereMadeOfIsSaved) {
  SessionParts parts(host_settings("synthetic:64x48"));
  auto& log = parts.maker.log();
  const auto drawn = [&] {
    log.drawn();
    parts.maker.update();
    return log.latest().back().id;
  };
  parts.change({"effect", "box_blur"});
  ASSERT_TRUE(parts.shows_source());
  const auto first = drawn();
  parts.change({"source", "matrix:3x2"});
  parts.change({"effect", "none"});
  ASSERT_TRUE(parts.shows_source());
  drawn();
  enum class Export { frames, timeline, figures };
  const auto exported = [&](Export what, const char* name) {
    const auto path = folder_.path() / name;
    if (what == Export::frames) parts.saver.export_frames(path);
    if (what == Export::timeline) parts.saver.export_timeline(path);
    if (what == Export::figures) parts.saver.export_timings(path, ".csv");
    parts.finish_files();
    std::ifstream file(folder_.path() / name);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const auto has = [](const std::string& text, const std::string& part) { return text.find(part) != text.npos; };
  for (const auto& range : {std::optional(FrameRange{first, first}), std::optional<FrameRange>()}) {
    parts.settings.graph_range = range;
    const auto report = parts.saver.report();
    EXPECT_EQ(report.is_range, range.has_value());
    EXPECT_EQ(report.figures.frames, 1u);
    EXPECT_EQ(report.size, (range ? gpu::Size{64, 48} : gpu::Size{3, 2}));
    EXPECT_EQ(report.selection.effect->name, range ? "box_blur" : "none");
    EXPECT_EQ(has(report.source, "matrix"), !range) << report.source;
    const auto rows = exported(Export::frames, "frames.csv"), times = exported(Export::timeline, "t.json"),
               figures = exported(Export::figures, "figures.csv");
    EXPECT_EQ(has(rows, "64x48") || has(rows, "64,48"), range.has_value()) << rows;
    EXPECT_EQ(has(rows, "matrix"), !range) << rows;
    EXPECT_EQ(has(rows, "box_blur"), range.has_value()) << rows;
    EXPECT_EQ(has(times, "box_blur"), range.has_value()) << times;
    EXPECT_EQ(has(figures, "box_blur"), range.has_value()) << figures;
  }
  for (const auto& [what, name] :
       {std::pair(Export::frames, "frames.csv"), {Export::timeline, "t.json"}, {Export::figures, "figures.csv"}})
    for (const auto& range : {std::optional(FrameRange{first, first}), std::optional<FrameRange>()}) {
      parts.settings.graph_range = range;  // which nothing else has followed yet
      const auto text = exported(what, name);
      EXPECT_EQ(has(text, "box_blur"), range.has_value()) << text;
    }
}

TEST_F(SaverTest, TheResultsOfARunAreWrittenAtItsEnd) {
  for (const bool of_no_frame : {false, true}) {
    const auto folder = folder_.path() / (of_no_frame ? "none" : "some");
    std::filesystem::create_directory(folder);
    app::Run run;
    run.export_file = folder / "figures.json";
    run.screenshot = folder / "screenshot.png";
    run.record = folder / "video.mp4";
    SessionParts parts(host_settings("synthetic:64x48"), run);
    parts.outputs.start_recording(*run.record);
    ASSERT_TRUE(parts.shows_source());
    parts.maker.log().drawn();
    parts.maker.update();
    if (of_no_frame) parts.settings.graph_range = FrameRange{900, 950};
    parts.saver.write_results([] { return [](const auto& path) { write_file(path, "a picture"); }; });
    EXPECT_FALSE(parts.outputs.recording());
    parts.finish_files();
    EXPECT_EQ(std::filesystem::file_size(*run.screenshot), 9u);
    EXPECT_TRUE(std::filesystem::exists(*run.record));
    EXPECT_EQ(std::filesystem::exists(*run.export_file), !of_no_frame);
    EXPECT_EQ(said(parts.messages, "figures.json: no frame of graph_range 900-950 can be saved"), of_no_frame);
    EXPECT_EQ(parts.messages.exit_code(), of_no_frame ? ExitCode::failed : ExitCode::ok);
  }
  SessionParts parts(host_settings("synthetic:64x48"));
  ASSERT_TRUE(parts.shows_source());
  parts.saver.write_results([] { return [](const auto&) { ADD_FAILURE() << "nobody asked for a screenshot"; }; });
  parts.finish_files();
  EXPECT_FALSE(parts.messages.any());
}

TEST_F(SaverTest, ARaceWithoutANameIsSavedAsJsonAndAsCsv) {
  SessionParts parts(host_settings("synthetic:64x48"));
  parts.settings.output_folder = folder_.path().string();
  ASSERT_TRUE(parts.shows_source());
  auto& race = parts.race.race();
  race.start();
  for (int i = 0; i < 10'000 && race.figures().runs == 0; ++i) {
    race.wait(1s);
    race.step(parts.engine, parts.settings, {1, "synthetic"});
  }
  parts.saver.export_race({});
  parts.saver.export_race(folder_.path() / "named.csv");
  parts.finish_files();
  std::multiset<std::string> endings;
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    endings.insert(entry.path().extension().string());
  EXPECT_EQ(endings, (std::multiset<std::string>{".csv", ".csv", ".json"}));
}

}  // namespace
}  // namespace app
