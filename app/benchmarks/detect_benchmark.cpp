#include "app/benchmarks/host_benchmarks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <opencv2/core/utility.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <opencv2/videoio.hpp>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/capture/image_file.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "gpu/choice/meter.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/vision/detector.h"

namespace app::benchmarks {
namespace {

using gpu::vision::Detection;

cv::Mat photograph() { return capture::read_gray(asset("astronaut.png")); }

cv::Mat tiled(const cv::Mat& picture, int width, int height) {
  cv::Mat result;
  cv::repeat(picture, (height + picture.rows - 1) / picture.rows, (width + picture.cols - 1) / picture.cols, result);
  return result({0, 0, width, height}).clone();
}

// The photograph, mirrored, reduced and enlarged, beside pictures of the clip.
cv::Mat mix() {
  cv::Mat scene(1080, 1920, CV_8U, cv::Scalar(0)), frame, gray;
  const auto file = asset("clip.mp4").string();
  cv::VideoCapture clip(file);
  for (int i = 0; i < 4; ++i) {
    for (int skipped = 0; skipped < 75; ++skipped)
      if (!clip.read(frame)) throw std::runtime_error("cannot read " + file);
    cv::cvtColor(frame, gray, cv::COLOR_BGR2GRAY);
    gray.copyTo(scene(cv::Rect(i % 2 * 960, i / 2 * 540, 960, 540)));
  }
  cv::Mat picture = photograph(), changed;
  picture.copyTo(scene(cv::Rect(0, 300, 512, 512)));
  cv::flip(picture, changed, 1);
  cv::resize(changed, changed, {320, 320}, 0, 0, cv::INTER_AREA);
  changed.copyTo(scene(cv::Rect(1500, 40, 320, 320)));
  cv::resize(picture, changed, {780, 780}, 0, 0, cv::INTER_CUBIC);
  changed(cv::Rect(0, 0, 780, 700)).copyTo(scene(cv::Rect(900, 380, 780, 700)));
  return scene;
}

// Faces of 75 pixels, enlarged from 25, one beside the other, each of another brightness and contrast.
cv::Mat crowd() {
  const cv::Mat face = photograph()(cv::Rect(164, 48, 128, 128));
  cv::Mat small, cell, scene(1080, 1920, CV_8U);
  cv::resize(face, small, {25, 25}, 0, 0, cv::INTER_AREA);
  for (int i = 0; i < 15 * 26; ++i) {
    cv::Mat one;
    small.convertTo(one, CV_8U, 0.5 + 0.05 * (i % 11), 20 + i % 7 * 5);
    if (i % 2) cv::flip(one, one, 1);
    cv::resize(one, cell, {75, 75});
    const cv::Rect place = cv::Rect(i % 26 * 75, i / 26 * 75, 75, 75) & cv::Rect(0, 0, 1920, 1080);
    cell(cv::Rect(0, 0, place.width, place.height)).copyTo(scene(place));
  }
  return scene;
}

struct Scene {
  std::string name;
  cv::Mat gray;
};

std::vector<Scene> scenes() {
  const cv::Mat mixed = mix();
  cv::Mat noise(1080, 1920, CV_8U), enlarged;
  cv::RNG(1).fill(noise, cv::RNG::UNIFORM, 0, 256);
  cv::resize(photograph(), enlarged, {1920, 1080});
  return {{"photo480", tiled(photograph(), 640, 480)},
          {"mix1080", mixed},
          {"crowd1080", crowd()},
          {"face1080", enlarged},
          {"noise1080", noise},
          {"mix2160", tiled(mixed, 3840, 2160)}};
}

std::string stem(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::vector<Scene> pictures(const std::vector<std::string>& files) {
  std::vector<Scene> found;
  for (const auto& file : files) found.push_back({stem(file), capture::read_gray(file)});
  return found;
}

std::vector<std::pair<std::string, std::string>> named(const std::vector<std::string>& files) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto& file : files) found.emplace_back(stem(file), file);
  return found;
}

// "frontalface_alt2" and its file.
std::vector<std::pair<std::string, std::string>> cascades() {
  const std::filesystem::path folder = "/usr/share/opencv4";
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](const std::string& name, const std::filesystem::path& file) {
    if (std::filesystem::exists(file)) found.emplace_back(name, file.string());
  };
  for (const std::string name : {"frontalface_alt2", "frontalface_default", "eye", "upperbody"})
    add(name, folder / "haarcascades" / ("haarcascade_" + name + ".xml"));
  add("lbp_frontalface", folder / "lbpcascades/lbpcascade_frontalface.xml");
  if (found.empty()) found.emplace_back("frontalface_alt2", asset("haarcascade_frontalface_alt2.xml").string());
  return found;
}

// The times of several runs, in milliseconds.
struct Times {
  std::vector<double> processor, elapsed;

  void measure(const std::function<void()>& run) {
    const auto start = std::chrono::steady_clock::now();
    const auto used = std::clock();
    run();
    processor.push_back(1e3 * static_cast<double>(std::clock() - used) / CLOCKS_PER_SEC);
    elapsed.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
};

double least(const std::vector<double>& values) { return *std::ranges::min_element(values); }
double median(std::vector<double> values) { return gpu::percentile(values, 50); }

// A line of --csv F, the fields of which are named here; the last one may contain commas.
constexpr const char* csv_header =
    "# scene,width,height,cascade,detections,our ms,our CPU ms,OpenCV's ms,OpenCV's CPU ms,OpenCV's version,CPU\n";

std::string compare(const Scene& scene, const std::string& cascade, const std::string& file, gpu::ThreadPool& pool,
                    double seconds) {
  const auto& gray = scene.gray;
  cv::CascadeClassifier theirs;
  if (!theirs.load(file)) throw std::runtime_error("OpenCV cannot read " + file);
  gpu::vision::Detector ours(gpu::vision::read_cascade(file), {}, {gray.cols, gray.rows});
  auto context = gpu::Context::on_host(pool, {});
  std::vector<cv::Rect> windows;
  std::vector<int> neighbors;
  Times their_times, our_times;
  const auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 3 || std::chrono::steady_clock::now() - start < std::chrono::duration<double>(seconds);
       ++round) {
    our_times.measure([&] { ours.run(context, {gray.data, gray.cols, gray.rows, static_cast<std::ptrdiff_t>(gray.step)}); });
    their_times.measure([&] { theirs.detectMultiScale(gray, windows, neighbors, 1.1, 3); });
  }
  std::vector<Detection> found(ours.detections().begin(), ours.detections().end()), expected;
  for (std::size_t i = 0; i < windows.size(); ++i)
    expected.push_back({windows[i].x, windows[i].y, windows[i].width, windows[i].height, neighbors[i]});
  std::ranges::sort(found);
  std::ranges::sort(expected);
  if (found != expected)
    throw std::runtime_error("the detections of " + cascade + " in " + scene.name + " differ from OpenCV's");
  const double ours_cpu = least(our_times.processor), ours_elapsed = least(our_times.elapsed);
  const double theirs_cpu = least(their_times.processor), theirs_elapsed = least(their_times.elapsed);
  std::printf("  %-14s  %-20s %6zu %6zu %9.1f %9.1f %9.1f %9.1f %7.1fx %7.1fx\n", scene.name.c_str(), cascade.c_str(),
              ours.hits().size(), found.size(), ours_cpu, ours_elapsed, theirs_cpu, theirs_elapsed, theirs_cpu / ours_cpu,
              theirs_elapsed / ours_elapsed);
  std::fflush(stdout);
  std::ostringstream line;
  line << scene.name << ',' << gray.cols << ',' << gray.rows << ',' << stem(file) << ',' << found.size();
  for (const auto* times : {&our_times, &their_times})
    line << ',' << median(times->elapsed) << ',' << median(times->processor);
  line << ',' << cv::getVersionString() << ',' << processor_name() << ", "
       << counted(static_cast<std::uint64_t>(cv::getNumThreads()), "thread") << '\n';
  return line.str();
}

}  // namespace

void compare_detectors(const DetectorComparison& comparison) {
  if (!comparison.csv.empty()) check_result(comparison.csv, {});  // now, not after the measurement
  gpu::ThreadPool pool;
  const auto all = comparison.pictures.empty() ? scenes() : pictures(comparison.pictures);
  const auto files = comparison.cascades.empty() ? cascades() : named(comparison.cascades);
  const auto seconds = comparison.seconds / static_cast<double>(all.size() * files.size());
  std::string lines = csv_header;
  std::printf("cascades, least of alternating runs in ms; ours: %s, %s\n",
              std::string(gpu::vision::host_codes().back()).c_str(),
              counted(static_cast<std::uint64_t>(pool.threads()), "thread").c_str());
  std::printf("  %-14s  %-20s %6s %6s %9s %9s %9s %9s %8s %8s\n", "scene", "cascade", "hits", "found", "ours: CPU", "wall",
              "cv2: CPU", "wall", "CPU", "wall");
  for (const auto& scene : all)
    for (const auto& [name, file] : files) lines += compare(scene, name, file, pool, seconds);
  if (!comparison.csv.empty()) write_file(comparison.csv, lines);
}

void write_scenes(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);  // that it failed, the first picture says
  for (const auto& scene : scenes())
    if (const auto file = (folder / (scene.name + ".pgm")).string(); !cv::imwrite(file, scene.gray))
      throw std::runtime_error("cannot write " + file);
}

}  // namespace app::benchmarks
