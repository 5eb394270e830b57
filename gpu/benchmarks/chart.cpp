#include "gpu/benchmarks/reports.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "gpu/choice/bounds.h"

namespace gpu::benchmarks {
namespace {

constexpr double width = 900, panel_height = 460, left = 80, right = 210, top = 56, bottom = 56;
// One per algorithm; rows of more parameters repeat them, with another dash.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#7f4fc9", "#444444",
                                   "#3f0df6", "#fd0663", "#21ad05", "#f903e8", "#6d0c03", "#6d7207", "#67034d",
                                   "#bf8a69", "#064812", "#6d9ea7", "#c62293", "#192d7a", "#0416ab", "#c45257",
                                   "#ee051a", "#6c491c", "#3f89fc", "#96b400", "#a5b478"};
constexpr int colours_per_dash = 12;
constexpr const char* dashes[] = {"", "6 3", "2 3"};

const char* colour_of(int index) { return colours[static_cast<std::size_t>(index) % std::size(colours)]; }
const char* dash_of(int index) { return dashes[static_cast<std::size_t>(index / colours_per_dash) % std::size(dashes)]; }

std::string at(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1f", value);
  return digits;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

std::string label(double x, double y, const char* anchor, const std::string& text, const std::string& more = {}) {
  return "<text x=\"" + at(x) + "\" y=\"" + at(y) + "\" text-anchor=\"" + anchor + "\" " + more + ">" + escaped(text) +
         "</text>\n";
}

std::string rule(double x1, double y1, double x2, double y2, const char* colour) {
  return "<line x1=\"" + at(x1) + "\" y1=\"" + at(y1) + "\" x2=\"" + at(x2) + "\" y2=\"" + at(y2) + "\" stroke=\"" + colour +
         "\"/>\n";
}

// Both axes are logarithmic. Overheads below 1% are drawn at 1%.
struct Panel {
  double offset;                                // of its top
  double least_x, most_x, least_y = 0, most_y;  // logarithms of the side and of the percentage

  double x(Size size) const {
    const double side = std::log2(static_cast<double>(size.pixels())) / 2;
    const double part = most_x > least_x ? (side - least_x) / (most_x - least_x) : 0.5;
    return left + part * (width - left - right);
  }
  double y(double percent) const {
    const double part = (std::log10(std::max(percent, 1.0)) - least_y) / (most_y - least_y);
    return offset + panel_height - bottom - part * (panel_height - top - bottom);
  }
};

Panel make_panel(const Results& results, SatType type, double offset) {
  Panel panel{offset, 1e9, -1e9, 0, 1};
  for (const auto size : results.sizes) {
    const double side = std::log2(static_cast<double>(size.pixels())) / 2;
    panel.least_x = std::min(panel.least_x, side);
    panel.most_x = std::max(panel.most_x, side);
  }
  for (const auto& cell : results.cells)
    if (cell.type == type && !cell.bound)
      if (const auto percent = results.overhead(cell); percent > 1)
        panel.most_y = std::max(panel.most_y, std::ceil(std::log10(percent)));
  return panel;
}

std::string axes(const Results& results, SatType type, const Panel& panel) {
  std::string text = label(
      left, panel.offset + 24, "start",
      std::string(info(type).name) + ", " + results.machine.name + ", " + (results.hot ? "hot" : "cold") +
          (results.batch == 1 ? "" : ", batches of " + std::to_string(results.batch)) +
          (results.layout == Layout::pitched ? "" : ", rows " + std::string(gpu::benchmarks::name(results.layout))),
      "font-size=\"16\"");
  text += label(left, panel.offset + 42, "start", "overhead over " + results.bound_name(type) + ", percent");
  for (int decade = 0; decade <= static_cast<int>(panel.most_y); ++decade)
    for (const int step : {1, 2, 5}) {
      const double percent = step * std::pow(10.0, decade);
      if (std::log10(percent) > panel.most_y) continue;
      text += rule(left, panel.y(percent), width - right, panel.y(percent), step == 1 ? "#bbb" : "#eee");
      text += label(left - 8, panel.y(percent) + 4, "end", number(percent).substr(0, number(percent).find('.')) + "%");
    }
  double last = -1e9;
  auto sizes = results.sizes;
  std::sort(sizes.begin(), sizes.end(), [](Size a, Size b) { return a.pixels() < b.pixels(); });
  for (const auto size : sizes) {
    const double x = panel.x(size), low = panel.offset + panel_height - bottom;
    text += rule(x, panel.offset + top, x, low, "#eee");
    // A label too close to its neighbour is one line lower.
    const bool near = x - last < 60;
    text += label(x, low + (near ? 32 : 18), "middle", gpu::benchmarks::text(size));
    if (!near) last = x;
  }
  return text;
}

std::string curve(const Results& results, SatType type, const Panel& panel, const std::string& row, int index) {
  const std::string colour = colour_of(index), dash = dash_of(index);
  auto sizes = results.sizes;
  std::sort(sizes.begin(), sizes.end(), [](Size a, Size b) { return a.pixels() < b.pixels(); });
  std::string points, dots;
  for (const auto size : sizes) {
    const auto* cell = results.find(type, size, row);
    if (!cell || !cell->measured()) continue;
    const auto percent = results.overhead(*cell);
    if (std::isnan(percent)) continue;
    const auto x = at(panel.x(size)), y = at(panel.y(percent));
    points += x + "," + y + " ";
    dots += "<circle cx=\"" + x + "\" cy=\"" + y + "\" r=\"3\" fill=\"" + colour + "\"><title>" + escaped(row) + ", " +
            gpu::benchmarks::text(size) + ": " + number(cell->timing.median) + " us, " + number(percent) +
            "%</title></circle>\n";
  }
  if (points.empty()) return {};
  return "<polyline fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"2\" stroke-dasharray=\"" + dash + "\" points=\"" +
         points + "\"/>\n" + dots;
}

// The order of the legend: that of the lines at the largest size, the slowest on top.
std::vector<std::string> legend_order(const Results& results, SatType type) {
  const auto largest = [&](const std::string& row) {
    std::optional<double> percent;
    std::size_t pixels = 0;
    for (const auto& cell : results.cells)
      if (cell.type == type && cell.row == row && cell.measured() && cell.size.pixels() >= pixels) {
        pixels = cell.size.pixels();
        percent = results.overhead(cell);
      }
    return percent;
  };
  std::vector<std::pair<double, std::string>> order;
  for (const auto& row : results.rows)
    if (const auto percent = largest(row); percent && !std::isnan(*percent)) order.emplace_back(-*percent, row);
  std::sort(order.begin(), order.end());
  std::vector<std::string> rows;
  for (auto& [key, row] : order) rows.push_back(std::move(row));
  return rows;
}

std::string draw_panel(const Results& results, SatType type, double offset) {
  const auto panel = make_panel(results, type, offset);
  auto text = axes(results, type, panel);
  double y = offset + top + 12;
  for (const auto& row : legend_order(results, type)) {
    const auto place = std::find(results.rows.begin(), results.rows.end(), row) - results.rows.begin();
    const auto first = static_cast<std::ptrdiff_t>(bounds(results.device).size());
    if (place < first) continue;  // a bound: its overhead is not drawn
    const int index = static_cast<int>(place - first);
    text += curve(results, type, panel, row, index);
    text += "<line x1=\"" + at(width - right + 16) + "\" y1=\"" + at(y - 4) + "\" x2=\"" + at(width - right + 40) +
            "\" y2=\"" + at(y - 4) + "\" stroke-width=\"2\" stroke=\"" + colour_of(index) + "\" stroke-dasharray=\"" +
            dash_of(index) + "\"/>\n";
    text += label(width - right + 46, y, "start", row);
    y += 18;
  }
  return text;
}

}  // namespace

std::string svg_text(const Results& results) {
  const double height = panel_height * static_cast<double>(results.types.size());
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + at(width) + "\" height=\"" + at(height) +
                     "\" viewBox=\"0 0 " + at(width) + " " + at(height) +
                     "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
                     "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  double offset = 0;
  for (const auto type : results.types) {
    text += draw_panel(results, type, offset);
    offset += panel_height;
  }
  return text + "</svg>\n";
}

}  // namespace gpu::benchmarks
