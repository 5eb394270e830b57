// Measurements of the algorithms on cards that the program was measured on, which come with it: measured_times.json, made by
// assets/make_documents.py of the tables of satscope-bench in assets/benchmark-*.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace app {

struct MeasuredCard {
  struct Row {
    std::string algorithm;
    std::vector<std::optional<double>> us;  // of each size; none where it was not measured
  };
  std::string name;    // "h200"
  std::string title;   // "H200"
  std::string device;  // "NVIDIA H200, 132 multiprocessors, ..."
  std::string how;     // "cold: images and tables rotated ..."
  std::string source;  // the document
  std::vector<gpu::Size> sizes;
  std::vector<double> bound;  // microseconds of each size: the fastest of what sums nothing
  std::vector<Row> rows;

  // Of an algorithm at a size, in microseconds; none where it was not measured.
  std::optional<double> us(std::string_view algorithm, gpu::Size size) const;
  std::optional<double> bound_at(gpu::Size size) const;
};

// 8u32u.
const std::vector<MeasuredCard>& measured_cards();
const MeasuredCard* find_measured_card(std::string_view name);  // nullptr if there is none
std::vector<std::string_view> measured_names();                 // "none", and the cards'

}  // namespace app
