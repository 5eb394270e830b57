#include "app/output/detection_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/capture/source_text.h"
#include "app/support/address.h"
#include "app/support/text.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;
using gpu::vision::Detection;

// Rounds to nanoseconds, as in the other files.
double to_nanoseconds(double us) { return std::round(us * 1000) / 1000; }

std::string json_of(const SearchedPicture& picture) {
  auto detections = json::array();
  for (const auto& [x, y, width, height, neighbors] : picture.detections)
    detections.push_back({{"x", x}, {"y", y}, {"width", width}, {"height", height}, {"neighbors", neighbors}});
  const json object{{"source", shown_address(picture.source)},
                    {"frame", picture.frame},
                    {"detections", std::move(detections)},
                    {"us",
                     {{"read", to_nanoseconds(picture.read_us)},
                      {"gray", to_nanoseconds(picture.gray_us)},
                      {"detection", to_nanoseconds(picture.detection_us)},
                      {"total", to_nanoseconds(picture.total_us())}}},
                    {"device", picture.device}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

constexpr std::string_view csv_columns =
    "source,frame,x,y,width,height,neighbors,read_us,gray_us,detection_us,total_us,device\n";

// A picture without detections has a row, too.
std::string csv_rows(const SearchedPicture& picture) {
  const auto before = csv_cell(shown_address(picture.source)) + ',' + std::to_string(picture.frame) + ',';
  std::string after;
  for (const double us : {picture.read_us, picture.gray_us, picture.detection_us, picture.total_us()})
    after += ',' + json(to_nanoseconds(us)).dump();
  after += ',' + std::string(picture.device) + '\n';
  if (picture.detections.empty()) return before + ",,,," + after;
  std::string rows;
  for (const auto& [x, y, width, height, neighbors] : picture.detections) {
    std::string cells;
    for (const int value : {x, y, width, height, neighbors}) cells += (cells.empty() ? "" : ",") + std::to_string(value);
    rows += before + cells + after;
  }
  return rows;
}

constexpr std::size_t number_width = 7, wide = 10;  // of the table's columns

std::string right_aligned(const std::string& text, std::size_t width) {
  const auto used = screen_width(text);
  return std::string(used < width ? width - used : 1, ' ') + text;
}

std::string left_aligned(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, screen_width(text)), ' ');
}

std::string table_head(std::size_t name_width) {
  std::string head = left_aligned("source", name_width);
  for (const auto* title : {"frame", "x", "y", "width", "height"}) head += right_aligned(title, number_width);
  return head + right_aligned("neighbors", wide) + right_aligned("total us", wide) + '\n';
}

}  // namespace

DetectionText::DetectionText(DetectionForm form, std::span<const std::string> sources) : form_(form) {
  name_width_ = std::string_view("source").size();
  for (const auto& source : sources) name_width_ = std::max(name_width_, screen_width(capture::one_line(source)));
}

// A picture without detections has a row, too; the time is in the first one of each picture.
std::string DetectionText::table_rows(const SearchedPicture& picture) const {
  const auto before = left_aligned(capture::one_line(picture.source), name_width_) +
                      right_aligned(grouped(picture.frame), number_width);
  auto time = right_aligned(short_number(picture.total_us()), wide);
  std::string rows;
  const auto add = [&](const auto& cells, const std::string& last) {
    rows += before;
    for (const auto& cell : cells) rows += right_aligned(cell, number_width);
    rows += right_aligned(last, wide) + std::exchange(time, {}) + '\n';
  };
  if (picture.detections.empty()) add(std::vector<std::string>(4, "-"), "-");
  for (const auto& [x, y, width, height, neighbors] : picture.detections)
    add(std::vector{std::to_string(x), std::to_string(y), std::to_string(width), std::to_string(height)},
        std::to_string(neighbors));
  return rows;
}

std::string DetectionText::add(const SearchedPicture& picture) {
  const bool first = !std::exchange(begun_, true);
  switch (form_) {
    case DetectionForm::table: return (first ? table_head(name_width_) : "") + table_rows(picture);
    case DetectionForm::csv: return std::string(first ? csv_columns : "") + csv_rows(picture);
    case DetectionForm::lines: return json_of(picture) + '\n';
    case DetectionForm::json: break;
  }
  return (first ? "[\n" : ",\n") + json_of(picture);
}

std::string DetectionText::end() const { return form_ != DetectionForm::json ? "" : begun_ ? "\n]\n" : "[\n]\n"; }

namespace {

std::string colour(gpu::Rgba c) {
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x%02x", c.r, c.g, c.b, c.a);
  return text;
}

const char* name(gpu::Annotation::Kind kind) {
  switch (kind) {
    case gpu::Annotation::Kind::rectangle: return "rectangle";
    case gpu::Annotation::Kind::line: return "line";
    case gpu::Annotation::Kind::label: return "label";
  }
  return "";
}

json object(const gpu::Annotation& a) {
  json object{{"kind", name(a.kind)}, {"from", {a.x0, a.y0}}, {"to", {a.x1, a.y1}}};
  if (a.stroke.a > 0) object["stroke"] = colour(a.stroke);
  if (a.fill.a > 0) object["fill"] = colour(a.fill);
  if (a.text[0]) object["text"] = std::string(a.text, std::find(a.text, std::end(a.text), '\0'));
  if (a.has != gpu::Annotation::Value::none) object["value"] = a.value;
  return object;
}

}  // namespace

std::string annotations_json(gpu::Size size, std::span<const gpu::Annotation> annotations) {
  json all{{"size", {size.width, size.height}}, {"annotations", json::array()}};
  for (const auto& annotation : annotations) all["annotations"].push_back(object(annotation));
  return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace app
