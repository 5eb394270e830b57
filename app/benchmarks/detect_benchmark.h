// Cascades on the host compared with cv::CascadeClassifier.
#pragma once

#include <filesystem>
#include <string>

namespace app::benchmarks {

// Prints a row for each scene and cascade: processor time (of all threads) and elapsed time, the least of alternating runs, and how
// many times as long cv::CascadeClassifier takes. Scale factor 1.1, 3 neighbours, all cores. The scenes are made of the pictures in
// assets/; the cascades are those of opencv-data, or the bundled one alone where that is not installed. `csv`, unless empty: the
// medians also go there, for satscope-bench --detect --peer-times. Throws std::runtime_error if the detections differ, or the file
// cannot be written.
void compare_detectors(double seconds, const std::string& csv);
// The scenes as satscope-bench --detect --pictures FOLDER reads them. Throws std::runtime_error.
void write_scenes(const std::filesystem::path& folder);

}  // namespace app::benchmarks
