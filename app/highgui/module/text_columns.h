// Lines of text on a picture, in as many columns as they need, and how much the picture is enlarged for them.
#pragma once

#include <algorithm>
#include <numeric>
#include <opencv2/imgproc.hpp>
#include <span>
#include <string>
#include <vector>

namespace app {

struct TextColumns {
  static constexpr double smallest_letters = 0.45;

  TextColumns(cv::Size picture, std::span<const std::string> lines)
      : letters(std::max(smallest_letters, picture.height / 1400.0)),
        advance(static_cast<int>(letters * 36)),
        rows(std::max(1, picture.height / advance - 1)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i % static_cast<std::size_t>(rows) == 0) widths.push_back(0);
      const auto size = cv::getTextSize(lines[i], cv::FONT_HERSHEY_SIMPLEX, letters, thickness(), nullptr);
      widths.back() = std::max(widths.back(), size.width + advance);
    }
  }
  int thickness() const { return std::max(1, static_cast<int>(letters * 1.6)); }
  int width() const { return std::accumulate(widths.begin(), widths.end(), 0); }

  double letters;  // OpenCV's font scale
  int advance;     // pixels from line to line
  int rows;        // of a column
  std::vector<int> widths;
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
