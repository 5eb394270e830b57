// HighguiWindow: OpenCV's own window. Compiled into a library of its own (satscope_highgui), because OpenCV's highgui brings
// a whole GUI toolkit along; open_highgui_window() loads it. And how the lines that it shows stand on the picture.
#pragma once

#include <algorithm>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/image.h"

namespace app {

class HighguiWindow {
 public:
  virtual ~HighguiWindow() = default;
  // `picture`: host memory, not needed any more when this returns. `lines`: ASCII, in the picture's corner. False once the user
  // has closed the window; nothing is shown then.
  virtual bool show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines) = 0;
  // What cv::waitKeyEx() gives (see from_highgui() in key_table.h), -1 for no key. The window is drawn and handles its events in
  // here: call it for every frame. Waits a millisecond.
  virtual int key() = 0;
};

// The library's one entry, of the type HighguiEntry. Null where `version` is not that of the library's build; throws
// std::runtime_error where OpenCV opens no window. The caller deletes the window.
using HighguiEntry = HighguiWindow*(const char* version, const char* title);
inline constexpr char highgui_entry_name[] = "satscope_open_highgui_window";

// Lines of text on a picture, in as many columns as they need, and how much the picture is enlarged for them. OpenCV's letters
// differ in width: a line may have a second cell, behind a tab, whose place is the same for all lines of a column.
struct TextColumns {
  static constexpr double smallest_letters = 0.45;

  struct Column {
    int first = 0, second = 0, whole = 0;  // widths of both cells, and of lines that have one
    int start = 0;                         // of the second cells
    int width = 0;
  };

  TextColumns(cv::Size picture, std::span<const std::string> lines)
      : letters(std::max(smallest_letters, picture.height / 1400.0)),
        advance(static_cast<int>(letters * 36)),
        rows(std::max(1, picture.height / advance - 1)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i % static_cast<std::size_t>(rows) == 0) columns.emplace_back();
      auto& column = columns.back();
      const auto [first, second] = cells(lines[i]);
      auto& of_first = second.empty() ? column.whole : column.first;
      of_first = std::max(of_first, width_of(first));
      column.second = std::max(column.second, width_of(second));
    }
    for (auto& column : columns) {
      column.start = column.first + advance / 2;
      column.width = std::max(column.whole, column.second > 0 ? column.start + column.second : 0) + advance;
    }
  }
  static std::pair<std::string, std::string> cells(const std::string& line) {
    const auto tab = line.find('\t');
    return {line.substr(0, tab), tab == line.npos ? std::string() : line.substr(tab + 1)};
  }
  int width_of(const std::string& text) const {
    return cv::getTextSize(text, cv::FONT_HERSHEY_SIMPLEX, letters, thickness(), nullptr).width;
  }
  // Where a second cell begins: times end at the same place.
  int place(const Column& column, const std::string& second) const {
    const bool time = second.ends_with(" ms");
    return column.start + (time ? column.second - width_of(second) : 0);
  }
  int thickness() const { return std::max(1, static_cast<int>(letters * 1.6)); }
  int width() const {
    return std::accumulate(columns.begin(), columns.end(), 0, [](int sum, const Column& c) { return sum + c.width; });
  }

  double letters;  // OpenCV's font scale
  int advance;     // pixels from line to line
  int rows;        // of a column
  std::vector<Column> columns;
};

// In whole steps, to at most 4096 pixels: so that the shorter side has 240 pixels, and all columns have room. Letters grow with
// high pictures, which would have no more room if they were larger.
inline int enlargement(cv::Size picture, std::span<const std::string> lines) {
  constexpr int smallest_side = 240, largest_side = 4096;
  const int shorter = std::min(picture.width, picture.height), longer = std::max(picture.width, picture.height);
  const int most = std::max(1, largest_side / longer);
  int times = std::clamp((smallest_side + shorter - 1) / shorter, 1, most);
  const auto has_room = [&] {
    const TextColumns columns(picture * times, lines);
    return columns.width() <= picture.width * times || columns.letters > TextColumns::smallest_letters;
  };
  while (times < most && !has_room()) ++times;
  return times;
}

}  // namespace app
