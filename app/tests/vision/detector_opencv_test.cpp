// The detector on the host against cv::CascadeClassifier as it is installed here, with the cascades of opencv-data: raw windows and
// grouped ones with their neighbours, as sets. The suites of the whole matrix are for app/test --full.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <opencv2/videoio.hpp>
#include <string>
#include <vector>

#include "app/support/files.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/detector.h"

namespace gpu::vision {
namespace {

const std::filesystem::path data_folder = "/usr/share/opencv4";
constexpr const char* not_installed = "opencv-data is not installed: there is no /usr/share/opencv4/haarcascades";

// "frontalface_alt2", for all files of Haar-like features; "lbp_frontalface", for those of local binary patterns.
std::vector<std::string> names_of(const std::string& folder, const std::string& file_prefix,
                                  const std::string& name_prefix) {
  std::vector<std::string> names;
  if (std::filesystem::exists(data_folder / folder))
    for (const auto& entry : std::filesystem::directory_iterator(data_folder / folder))
      if (const auto stem = entry.path().stem().string(); stem.starts_with(file_prefix))
        names.push_back(name_prefix + stem.substr(file_prefix.size()));
  std::ranges::sort(names);
  return names;
}
std::vector<std::string> haar_names() { return names_of("haarcascades", "haarcascade_", ""); }
std::vector<std::string> lbp_names() { return names_of("lbpcascades", "lbpcascade_", "lbp_"); }
std::vector<std::string> cascade_names() {
  auto names = haar_names();
  for (const auto& name : lbp_names()) names.push_back(name);
  return names;
}
std::filesystem::path file_of(const std::string& cascade) {
  return cascade.starts_with("lbp_") ? data_folder / "lbpcascades" / ("lbpcascade_" + cascade.substr(4) + ".xml")
                                     : data_folder / "haarcascades" / ("haarcascade_" + cascade + ".xml");
}

cv::Mat asset_picture(const char* name) {
  const cv::Mat picture = cv::imread(app::asset(name).string(), cv::IMREAD_GRAYSCALE);
  EXPECT_FALSE(picture.empty()) << name;
  return picture;
}
cv::Mat face(int width, int height) {
  cv::Mat picture;
  cv::resize(asset_picture("astronaut.png"), picture, {width, height});
  return picture;
}
cv::Mat noise(int width, int height) {
  cv::Mat picture(height, width, CV_8U);
  cv::RNG(1).fill(picture, cv::RNG::UNIFORM, 0, 256);
  return picture;
}
cv::Mat tiled(const cv::Mat& picture, int width, int height) {
  cv::Mat result;
  cv::repeat(picture, (height + picture.rows - 1) / picture.rows, (width + picture.cols - 1) / picture.cols, result);
  return result({0, 0, width, height}).clone();
}

using Pictures = std::map<std::string, cv::Mat>;

Pictures small_pictures() {
  Pictures pictures{{"one pixel", face(1, 1)},
                    {"a row", face(300, 1)},
                    {"a window", face(20, 20)},
                    {"a strip", face(25, 200)},
                    {"flat", face(200, 30)},
                    {"odd", face(157, 203)},
                    {"noise", noise(173, 131)},
                    {"one level", cv::Mat(90, 110, CV_8U, cv::Scalar(200))},
                    {"a crowd", tiled(face(64, 64), 230, 190)}};
  pictures["negative"] = 255 - face(160, 120);
  return pictures;
}
Pictures large_pictures() {
  cv::Mat blurred;
  cv::blur(face(320, 240), blurred, {5, 5});
  const cv::Mat mixed = tiled(asset_picture("astronaut.png"), 1920, 1080);
  asset_picture("window_compare.jpg")(cv::Rect(0, 0, 1280, 568)).copyTo(mixed(cv::Rect(600, 512, 1280, 568)));
  return {{"blurred", blurred},
          {"whole", asset_picture("astronaut.png")},
          {"640x480", tiled(face(512, 512), 640, 480)},
          {"a window's parts", asset_picture("window_race.jpg")},
          {"1080p", mixed},
          {"1080p enlarged", face(1920, 1080)},
          {"1080p noise", noise(1920, 1080)}};
}

struct Search {
  double scale_factor = 1.1;
  int min_neighbors = 3;
  Size least, most;
};

std::vector<Detection> found_by_opencv(cv::CascadeClassifier& classifier, const cv::Mat& picture, const Search& search) {
  std::vector<cv::Rect> windows;
  std::vector<int> neighbors;
  classifier.detectMultiScale(picture, windows, neighbors, search.scale_factor, search.min_neighbors, 0,
                              {search.least.width, search.least.height}, {search.most.width, search.most.height});
  std::vector<Detection> found;
  for (std::size_t i = 0; i < windows.size(); ++i)
    found.push_back({windows[i].x, windows[i].y, windows[i].width, windows[i].height, neighbors[i]});
  std::ranges::sort(found);
  return found;
}

class Comparison {
 public:
  explicit Comparison(const std::string& name) : name_(name), cascade_(read_cascade(file_of(name))) {
    EXPECT_TRUE(theirs_.load(file_of(name).string())) << name;
  }

  void expect_equal(const std::string& title, const cv::Mat& picture, const Search& search, std::string_view code = {}) {
    Detector detector(cascade_,
                      {.levels = {search.scale_factor, search.least, search.most},
                       .min_neighbors = search.min_neighbors,
                       .depths = false,
                       .host_code = code},
                      {picture.cols, picture.rows});
    detector.run(context_, {picture.data, picture.cols, picture.rows, static_cast<std::ptrdiff_t>(picture.step)});
    std::vector<Detection> ours(detector.detections().begin(), detector.detections().end());
    std::ranges::sort(ours);
    found_ += ours.size();
    const auto theirs = found_by_opencv(theirs_, picture, search);
    EXPECT_EQ(ours.size(), theirs.size());
    EXPECT_TRUE(ours == theirs) << name_ << " on '" << title << "', scale factor " << search.scale_factor << ", neighbours "
                                << search.min_neighbors << ", " << detector.options().host_code;
  }
  // Raw and grouped.
  void expect_both_equal(const std::string& title, const cv::Mat& picture, Search search, std::string_view code = {}) {
    for (const int min_neighbors : {0, 3}) {
      search.min_neighbors = min_neighbors;
      expect_equal(title, picture, search, code);
    }
  }
  std::size_t found() const { return found_; }

 private:
  std::string name_;
  Cascade cascade_;
  cv::CascadeClassifier theirs_;
  ThreadPool pool_;
  Context context_ = Context::on_host(pool_, {});
  std::size_t found_ = 0;
};

TEST(DetectorOpencvTest, EveryCascadeOnSmallPictures) {
  const auto names = cascade_names();
  if (names.empty()) GTEST_SKIP() << not_installed;
  const auto pictures = small_pictures();
  std::size_t found = 0;
  for (const auto& name : names) {
    Comparison comparison(name);
    for (const auto& [title, picture] : pictures) comparison.expect_both_equal(title, picture, {});
    found += comparison.found();
  }
  EXPECT_GT(found, 200u);
}

TEST(DetectorOpencvTest, EveryCodeOfTheHost) {
  if (cascade_names().empty()) GTEST_SKIP() << not_installed;
  const auto picture = face(200, 160);
  for (const char* name : {"frontalface_alt2", "frontalface_default", "eye_tree_eyeglasses", "upperbody", "lbp_frontalface",
                           "lbp_profileface"}) {
    Comparison comparison(name);
    for (const auto code : host_codes())
      comparison.expect_both_equal("face", picture, {.scale_factor = 1.05, .least = {}, .most = {}}, code);
  }
}

TEST(DetectorOpencvTest, LimitsOfSize) {
  if (cascade_names().empty()) GTEST_SKIP() << not_installed;
  const auto picture = face(300, 280);
  const Search searches[] = {{1.1, 0, {40, 40}, {}},        {1.1, 0, {}, {70, 70}},       {1.1, 3, {30, 30}, {120, 110}},
                             {1.3, 0, {200, 1}, {1, 0}},    {1.1, 0, {60, 60}, {50, 50}}, {1.1, 0, {500, 500}, {}},
                             {1.05, 0, {20, 20}, {20, 20}}, {1.1, 1, {1, 90}, {290, 290}}};
  for (const char* name : {"frontalface_alt2", "fullbody", "russian_plate_number"}) {
    Comparison comparison(name);
    for (const auto& search : searches) comparison.expect_equal("face", picture, search);
  }
}

// Every file, by the factors that people use, raw and grouped, with and without limits.
TEST(DetectorOpencvTest, LocalBinaryPatterns) {
  if (lbp_names().empty()) GTEST_SKIP() << not_installed;
  const Pictures pictures{{"face", face(300, 280)},
                          {"a crowd", tiled(face(64, 64), 330, 190)},
                          {"noise", noise(240, 200)},
                          {"one level", cv::Mat(90, 110, CV_8U, cv::Scalar(200))}};
  std::size_t found = 0;
  for (const auto& name : lbp_names()) {
    Comparison comparison(name);
    for (const auto& [title, picture] : pictures)
      for (const double scale_factor : {1.1, 1.2})
        for (const int min_neighbors : {0, 1, 3}) {
          comparison.expect_equal(title, picture, {scale_factor, min_neighbors, {}, {}});
          comparison.expect_equal(title, picture, {scale_factor, min_neighbors, {30, 40}, {}});
          comparison.expect_equal(title, picture, {scale_factor, min_neighbors, {}, {60, 90}});
          comparison.expect_equal(title, picture, {scale_factor, min_neighbors, {60, 60}, {50, 50}});
        }
    found += comparison.found();
  }
  EXPECT_GT(found, 200u);
}

TEST(DetectorOpencvTest, LargePictures) {
  if (cascade_names().empty()) GTEST_SKIP() << not_installed;
  for (const char* name : {"frontalface_alt2", "lbp_frontalface"}) {
    Comparison comparison(name);
    for (const auto& [title, picture] : large_pictures()) comparison.expect_equal(title, picture, {});
    EXPECT_GT(comparison.found(), 5u) << name;
  }
}

void expect_equal_on_frames_of_the_clip(int step) {
  if (cascade_names().empty()) GTEST_SKIP() << not_installed;
  cv::VideoCapture clip(app::asset("clip.mp4").string());
  Comparison comparison("frontalface_alt2");
  cv::Mat frame, gray;
  int frames = 0;
  for (; frames < 480 && clip.grab(); ++frames) {
    if (frames % step != 0) continue;
    clip.retrieve(frame);
    cv::cvtColor(frame, gray, cv::COLOR_BGR2GRAY);
    comparison.expect_equal("frame " + std::to_string(frames), gray, {});
  }
  EXPECT_GE(frames, 360);
  EXPECT_GT(comparison.found(), static_cast<std::size_t>(80 / step));
}
TEST(DetectorOpencvTest, SomeFramesOfTheClip) { expect_equal_on_frames_of_the_clip(60); }

// A cascade of either format, written in the other one.
TEST(DetectorOpencvTest, TheOldFormatEqualsItsNewTwin) {
  if (cascade_names().empty()) GTEST_SKIP() << not_installed;
  const auto picture = face(220, 180);
  ThreadPool pool;
  auto context = Context::on_host(pool, {});
  const auto found = [&](const Cascade& cascade) {
    Detector detector(cascade, {.levels = {}, .min_neighbors = 0}, {picture.cols, picture.rows});
    detector.run(context, {picture.data, picture.cols, picture.rows, static_cast<std::ptrdiff_t>(picture.step)});
    return std::vector(detector.hits().begin(), detector.hits().end());
  };
  for (const auto& name : haar_names()) {
    const auto cascade = read_cascade(file_of(name));
    const auto old = parse_cascade(old_format_text(cascade)), twin = parse_cascade(new_format_text(cascade));
    EXPECT_TRUE(old.old_format && !twin.old_format);
    EXPECT_EQ(twin.stages, cascade.stages) << name;
    EXPECT_EQ(old.nodes(), cascade.nodes());
    const auto hits = found(cascade);
    EXPECT_EQ(found(old), hits) << name;
    EXPECT_EQ(found(twin), hits) << name;
  }
}

TEST(DetectorOpencvTest, RandomWindowsAreGroupedAlike) {
  cv::RNG random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Window> windows;
    std::vector<cv::Rect> theirs;
    const int count = random.uniform(1, 400), spread = random.uniform(30, 600);
    for (int i = 0; i < count; ++i) {
      const int side = cvRound(20 * std::pow(1.1, random.uniform(0, 12)));
      windows.push_back({random.uniform(0, spread), random.uniform(0, spread), side, side});
      theirs.emplace_back(windows.back().x, windows.back().y, side, side);
    }
    const int min_neighbors = random.uniform(1, 4);
    std::vector<int> neighbors;
    cv::groupRectangles(theirs, neighbors, min_neighbors, 0.2);
    std::vector<Detection> expected;
    for (std::size_t i = 0; i < theirs.size(); ++i)
      expected.push_back({theirs[i].x, theirs[i].y, theirs[i].width, theirs[i].height, neighbors[i]});
    std::ranges::sort(expected);
    auto ours = group_windows(windows, min_neighbors, {10000, 10000});
    std::ranges::sort(ours);
    EXPECT_EQ(ours, expected) << "round " << round;
  }
}

// Needs no opencv-data.
TEST(DetectorOpencvTest, TheBundledCascadeFindsAFace) {
  const auto file = app::asset("haarcascade_frontalface_alt2.xml");
  const auto picture = asset_picture("astronaut.png");
  cv::CascadeClassifier theirs(file.string());
  const auto expected = found_by_opencv(theirs, picture, {});
  ThreadPool pool;
  auto context = Context::on_host(pool, {});
  Detector detector(read_cascade(file), {}, {picture.cols, picture.rows});
  detector.run(context, {picture.data, picture.cols, picture.rows, static_cast<std::ptrdiff_t>(picture.step)});
  std::vector<Detection> ours(detector.detections().begin(), detector.detections().end());
  std::ranges::sort(ours);
  EXPECT_EQ(ours, expected);
  EXPECT_EQ(ours.size(), 1u);
}

class DetectorOpencvMatrixTest : public testing::TestWithParam<std::string> {};

TEST_P(DetectorOpencvMatrixTest, EveryPictureAndScaleFactor) {
  if (GetParam() == "none") GTEST_SKIP() << not_installed;
  Comparison comparison(GetParam());
  for (const auto& pictures : {small_pictures(), large_pictures()})
    for (const auto& [title, picture] : pictures)
      for (const double scale_factor : {1.05, 1.1, 1.3}) {
        const bool small = picture.total() < 500'000;
        comparison.expect_equal(title, picture, {scale_factor, 0, {}, {}});
        if (small || scale_factor == 1.1) comparison.expect_equal(title, picture, {scale_factor, 3, {}, {}});
        if (small) comparison.expect_both_equal(title, picture, {scale_factor, 0, {30, 35}, {150, 140}});
      }
}
TEST(DetectorOpencvClipMatrixTest, EveryFrameOfTheClip) { expect_equal_on_frames_of_the_clip(1); }

std::vector<std::string> cascade_names_or_none() {
  const auto names = cascade_names();
  return names.empty() ? std::vector<std::string>{"none"} : names;
}
INSTANTIATE_TEST_SUITE_P(Cascades, DetectorOpencvMatrixTest, testing::ValuesIn(cascade_names_or_none()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace gpu::vision
