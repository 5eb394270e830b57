// Cascades on the host compared with cv::CascadeClassifier.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace app::benchmarks {

struct DetectorComparison {
  double seconds = 4;                 // at least three runs of each
  std::vector<std::string> pictures;  // files; none: scenes made of the pictures in assets/
  std::vector<std::string>
      cascades;     // files; none: those of opencv-data, or the bundled one alone where that is not installed
  std::string csv;  // the medians also go there, for satscope-bench --detect --peer-times; empty: nowhere
};
// Prints a row for each picture and cascade: processor time (of all threads) and elapsed time, the least of alternating runs, and
// how many times as long cv::CascadeClassifier takes. Scale factor 1.1, 3 neighbours, all cores. Throws std::runtime_error if the
// detections differ, or a file cannot be read or written.
void compare_detectors(const DetectorComparison& comparison);
// The scenes as satscope-bench --detect --pictures FOLDER reads them. Throws std::runtime_error.
void write_scenes(const std::filesystem::path& folder);

}  // namespace app::benchmarks
