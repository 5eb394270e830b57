// What satscope-bench-host measures, on all cores of the host unless it says otherwise; and what its files share.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gpu/image.h"

namespace app::benchmarks {

// The algorithms of the host compared with cv::integral, and all with the limit: all threads clearing the table. Prints one line per
// contender. Throws std::runtime_error if tables differ.
void compare_tables(gpu::Size size, double seconds);
// Times of cv::integral on this machine, for the tables of satscope-bench: the median for every type of cv::integral and every
// size of satscope-bench up to 8192 x 8192, as lines name,type,width,height,microseconds. Throws std::runtime_error if the file
// cannot be written.
void write_opencv_times(const std::string& file);

// Luma, table, blurs and threshold beside OpenCV's functions, with one thread on both sides and with all. Prints a row per step.
// Throws std::runtime_error if a result is not OpenCV's.
void compare_steps(gpu::Size size, double seconds);
// One frame through the program's pipeline: luma, table, box blur. Prints the median of a frame and of each of its steps.
void time_pipeline(gpu::Size size, double seconds);
// The box blur over windows from 3x3 to the largest: its cost should not depend on the window. Prints a row per window: the
// medians of box_blur (from a table that is there) and of cv::blur, and in how many pixels cv::blur, which multiplies by a rounded
// reciprocal, is not the exact mean. Throws std::runtime_error if box_blur is not exact.
void time_blur(gpu::Size size, double seconds);
// The frame graph's part of a drawing. Prints the median time of a drawing with all the frames that a history keeps, and one
// more for each drawing.
void time_frame_graph(double seconds);

// Users' kernels: the time from a save to the picture, for a short file and a long one, and what a kernel that is loaded costs
// the program at its start and per frame. Runs compilers, and satscope, which is to be beside this program. Throws
// std::runtime_error if something is missing.
void time_kernels(double seconds);

// Cascades compared with cv::CascadeClassifier.
struct DetectorComparison {
  double seconds = 4;                 // at least three runs of each
  std::vector<std::string> pictures;  // files; none: scenes made of the pictures in assets/
  std::vector<std::string>
      cascades;     // files; none: those of opencv-data, or the bundled one alone where that is not installed
  std::string csv;  // the medians also go there, for satscope-bench-report --peer-times; empty: nowhere
};
// Prints a row for each picture and cascade: processor time (of all threads) and elapsed time, the least of alternating runs, and
// how many times as long cv::CascadeClassifier takes. Scale factor 1.1, 3 neighbours, all cores. Throws std::runtime_error if the
// detections differ, or a file cannot be read or written.
void compare_detectors(const DetectorComparison& comparison);
// The scenes as satscope-bench --detect --pictures FOLDER reads them. Throws std::runtime_error.
void write_scenes(const std::filesystem::path& folder);

// Times of alternating runs: the contenders run in turns, so that a temporary slowdown of the machine affects all of them
// equally.
struct Contender {
  std::string name;
  std::function<void()> run;
  std::vector<double> microseconds = {};

  double median() const;
  double minimum() const;
};

// Runs every contender once per round, each round starting with another one, for `seconds` and at least 15 rounds.
void alternate(std::vector<Contender>& contenders, double seconds);

}  // namespace app::benchmarks
