// Cascades on the host compared with cv::CascadeClassifier.
#pragma once

namespace app::benchmarks {

// Prints a row for each scene and cascade: processor time (of all threads) and elapsed time, the least of alternating runs, and how
// many times as long cv::CascadeClassifier takes. Scale factor 1.1, 3 neighbours, all cores. The scenes are made of the pictures in
// assets/; the cascades are those of opencv-data, or the bundled one alone where that is not installed. Throws std::runtime_error if
// the detections differ.
void compare_detectors(double seconds);

}  // namespace app::benchmarks
