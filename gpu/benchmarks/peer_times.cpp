#include "gpu/benchmarks/peer_times.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gpu::benchmarks {
namespace {

constexpr std::string_view detection_format =
    "scene,width,height,cascade,detections,our ms,our CPU ms,OpenCV's ms,OpenCV's CPU ms,OpenCV's version,CPU";

template <class T>
bool parse_all(const std::string& field, T& value) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc{} && end == field.data() + field.size();
}

PeerDetection parse_detection(const std::string& line) {
  const auto fields = split_fields(line, detection_format);
  PeerDetection detection;
  detection.picture = fields[0];
  detection.size = {whole_field(fields[1]), whole_field(fields[2])};
  detection.cascade = fields[3];
  detection.detections = whole_field(fields[4], 0);
  detection.ours = real_field(fields[5]), detection.ours_cpu = real_field(fields[6]);
  detection.opencv = real_field(fields[7]), detection.opencv_cpu = real_field(fields[8]);
  detection.version = fields[9], detection.processor = fields[10];
  return detection;
}

}  // namespace

std::vector<std::string> split_fields(const std::string& line, std::string_view format) {
  std::vector<std::string> fields{""};
  const auto count = static_cast<std::size_t>(std::ranges::count(format, ',')) + 1;
  for (const char letter : line)
    if (letter == ',' && fields.size() < count)
      fields.emplace_back();
    else
      fields.back() += letter;
  if (fields.size() < count) throw std::runtime_error("is not " + std::string(format));
  return fields;
}

double real_field(const std::string& field) {
  double value = 0;
  if (!parse_all(field, value) || !(value > 0) || !std::isfinite(value))
    throw std::runtime_error("has '" + field + "' instead of a number above 0");
  return value;
}

int whole_field(const std::string& field, int least) {
  int value = 0;
  if (!parse_all(field, value) || value < least)
    throw std::runtime_error("has '" + field + "' instead of a whole number from " + std::to_string(least));
  return value;
}

void read_peer_lines(const std::string& file, const std::function<void(const std::string& line)>& parse) {
  std::ifstream in(file);
  std::string line;
  int number = 0;
  while (std::getline(in, line)) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    try {
      parse(line);
    } catch (const std::exception& error) {
      throw std::runtime_error(file + ", line " + std::to_string(number) + " " + error.what());
    }
  }
  if (!in.is_open() || in.bad()) throw std::runtime_error("cannot read " + file);  // bad: a folder
}

std::string peer_detection_comment() { return "# " + std::string(detection_format); }

std::string line_of(const PeerDetection& detection) {
  std::ostringstream line;
  line << detection.picture << ',' << detection.size.width << ',' << detection.size.height << ',' << detection.cascade << ','
       << detection.detections << ',' << detection.ours << ',' << detection.ours_cpu << ',' << detection.opencv << ','
       << detection.opencv_cpu << ',' << detection.version << ',' << detection.processor;
  return line.str();
}

std::vector<PeerDetection> read_peer_detections(const std::string& file) {
  std::vector<PeerDetection> detections;
  read_peer_lines(file, [&](const std::string& line) { detections.push_back(parse_detection(line)); });
  return detections;
}

}  // namespace gpu::benchmarks
