// Files with times of other programs, which satscope-bench-host --csv F writes: a line per measurement, its fields separated by
// commas. Lines that are empty or begin with # are skipped.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace gpu::benchmarks {

// As many fields as `format` names ("name,type,width"); the last one may contain commas. Throws std::runtime_error.
std::vector<std::string> split_fields(const std::string& line, std::string_view format);
// The whole field as a number, by default above 0. Throws std::runtime_error.
double real_field(const std::string& field);
int whole_field(const std::string& field, int least = 1);
// Throws std::runtime_error that names the file and, for what `parse` throws, the line.
void read_peer_lines(const std::string& file, const std::function<void(const std::string& line)>& parse);

// Detection by a cascade on a CPU: scale factor 1.1, 3 neighbours. Milliseconds, medians. Ours and those of the CPU are for whoever
// reads the file.
struct PeerDetection {
  std::string picture, cascade;  // names of their files, without extension
  Size size;
  int detections = 0;
  double ours = 0, ours_cpu = 0, opencv = 0, opencv_cpu = 0;  // elapsed; of all threads
  std::string version;                                        // OpenCV's
  std::string processor;
};
std::string peer_detection_comment();  // names the fields
std::string line_of(const PeerDetection& detection);
std::vector<PeerDetection> read_peer_detections(const std::string& file);

}  // namespace gpu::benchmarks
