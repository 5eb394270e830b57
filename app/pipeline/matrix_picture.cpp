#include "app/pipeline/matrix_picture.h"

#include <algorithm>
#include <cstdio>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

#include "app/capture/matrix.h"
#include "app/pipeline/draw_annotations.h"
#include "app/pipeline/pixel_probe.h"

namespace app {
namespace {

constexpr int wanted_side = 512, least_square = 24, largest_square = 64;  // pixels of the file
constexpr double filled = 0.7;                                            // of a square's width, by three digits
constexpr double gray_limit = 115;                                        // letters are black on lighter squares
constexpr auto letters = cv::FONT_HERSHEY_SIMPLEX;

gpu::Rgba brightened(gpu::Rgba c, double gain) {
  const auto level = [gain](std::uint8_t value) { return cv::saturate_cast<std::uint8_t>(value * gain); };
  return {level(c.r), level(c.g), level(c.b), 255};
}

double scale_of_number(int square) { return filled * square / cv::getTextSize("000", letters, 1, 1, nullptr).width; }

void write_number(cv::Mat& target, cv::Rect square, int number, gpu::Rgba ground) {
  const auto text = std::to_string(number);
  const double scale = scale_of_number(square.width);
  const auto size = cv::getTextSize(text, letters, scale, 1, nullptr);
  const bool light = 0.299 * ground.r + 0.587 * ground.g + 0.114 * ground.b > gray_limit;
  const cv::Point at(square.x + (square.width - size.width) / 2, square.y + (square.height + size.height) / 2);
  cv::putText(target, text, at, letters, scale, light ? cv::Scalar(0, 0, 0, 255) : cv::Scalar::all(255), 1, cv::LINE_AA);
}

}  // namespace

bool has_matrix(const Settings& settings, capture::SourceKind kind) {
  using capture::SourceKind;
  return kind == SourceKind::matrix || (kind == SourceKind::unknown && !settings.matrix.empty());
}

bool shows_matrix(const Settings& settings, capture::SourceKind kind) {
  return settings.matrix_editor && settings.viewer != Viewer::highgui && has_matrix(settings, kind);
}

double level_gain(int highest) { return highest > 0 ? 255.0 / highest : 1; }

int highest_level(gpu::Rgba colour) { return std::max({colour.r, colour.g, colour.b}); }

bool fits_squares(gpu::Size picture) {
  return picture.width <= capture::largest_matrix_side && picture.height <= capture::largest_matrix_side;
}

int side_of_square(gpu::Size picture) {
  return std::clamp(wanted_side / std::max({picture.width, picture.height, 1}), least_square, largest_square);
}

int height_of_number(int square) { return cv::getTextSize("0", letters, scale_of_number(square), 1, nullptr).height; }

gpu::Size size_in_squares(gpu::Size picture) {
  const int square = side_of_square(picture);
  return {picture.width * square, picture.height * square};
}

gpu::Size size_in_file(gpu::Size picture, bool squares) {
  return squares && fits_squares(picture) ? size_in_squares(picture) : picture;
}

gpu::Image<gpu::Rgba> in_squares(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations) {
  const auto size = size_in_squares(picture.size());
  const int square = side_of_square(picture.size());
  gpu::Image<gpu::Rgba> drawn(size, gpu::Device::host);
  const auto view = drawn.view();
  cv::Mat target(size.height, size.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  int highest = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) highest = std::max(highest, highest_level(picture(x, y)));
  const double gain = level_gain(highest);
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto value = picture(x, y), ground = brightened(value, gain);
      const cv::Rect place(x * square, y * square, square, square);
      target(place) = cv::Scalar(ground.r, ground.g, ground.b, 255);
      if (value.r == value.g && value.g == value.b) write_number(target, place, value.r, ground);
    }
  std::vector<gpu::Annotation> enlarged(annotations.begin(), annotations.end());
  for (auto& annotation : enlarged)
    for (float* at : {&annotation.x0, &annotation.y0, &annotation.x1, &annotation.y1}) *at *= static_cast<float>(square);
  draw_annotations(view, enlarged);
  return drawn;
}

gpu::Image<gpu::Rgba> drawn_for_file(gpu::ImageView<const gpu::Rgba> picture, std::span<const gpu::Annotation> annotations,
                                     bool squares) {
  if (squares && fits_squares(picture.size())) return in_squares(picture, annotations);
  if (annotations.empty()) return {};
  gpu::Image<gpu::Rgba> drawn(picture.size(), gpu::Device::host);
  for (int y = 0; y < picture.height; ++y) std::copy_n(picture.row(y), picture.width, drawn.view().row(y));
  draw_annotations(drawn.view(), annotations);
  return drawn;
}

namespace {

const cv::Scalar paper(24, 24, 26, 255), cell_colour(45, 45, 48, 255), ink(235, 235, 235, 255), faint(160, 160, 165, 255);

void write_centred(cv::Mat& target, cv::Rect place, const std::string& text, double scale, const cv::Scalar& colour) {
  const auto size = cv::getTextSize(text, letters, scale, 1, nullptr);
  const cv::Point at(place.x + (place.width - size.width) / 2, place.y + (place.height + size.height) / 2);
  cv::putText(target, text, at, letters, scale, colour, 1, cv::LINE_AA);
}

gpu::Image<gpu::Rgba> gray_picture(capture::Matrix& matrix) {
  gpu::Image<gpu::Rgba> picture(matrix.size, gpu::Device::host);
  for (int y = 0; y < matrix.size.height; ++y)
    for (int x = 0; x < matrix.size.width; ++x) {
      const auto level = matrix.at(x, y);
      picture.view()(x, y) = {level, level, level, 255};
    }
  return picture;
}

std::vector<std::uint32_t> table_of(const capture::Matrix& matrix) {
  const auto width = static_cast<std::size_t>(matrix.size.width);
  std::vector<std::uint32_t> table(matrix.values.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const bool first_row = i < width, first_column = i % width == 0;
    table[i] = matrix.values[i] + (first_column ? 0 : table[i - 1]) + (first_row ? 0 : table[i - width]) -
               (first_row || first_column ? 0 : table[i - width - 1]);
  }
  return table;
}

}  // namespace

gpu::Image<gpu::Rgba> matrix_and_table(gpu::ImageView<const gpu::Bgr> frame) {
  auto matrix = capture::matrix_of(frame);
  const auto table = table_of(matrix);
  const auto [columns, rows] = matrix.size;
  const int square = side_of_square(matrix.size), gap = square / 2, head = square;
  const double scale = scale_of_number(square);
  const int cell = std::max(square, cv::getTextSize(std::to_string(table.back()), letters, scale, 1, nullptr).width + gap);
  gpu::Image<gpu::Rgba> drawn({columns * (square + cell) + gap, head + rows * square}, gpu::Device::host);
  const auto view = drawn.view();
  cv::Mat target(view.height, view.width, CV_8UC4, view.data, static_cast<std::size_t>(view.stride) * sizeof(gpu::Rgba));
  target = paper;
  const auto numbers = in_squares(gray_picture(matrix).view(), {});
  for (int y = 0; y < numbers.view().height; ++y)
    std::copy_n(numbers.view().row(y), numbers.view().width, view.row(head + y));
  const int table_at = columns * square + gap;
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) {
      const cv::Rect place(table_at + x * cell, head + y * square, cell - 1, square - 1);
      target(place) = cell_colour;
      write_centred(target, place, std::to_string(table[static_cast<std::size_t>(y * columns + x)]), scale, ink);
    }
  write_centred(target, {0, 0, columns * square, head}, "Matrix", scale, faint);
  write_centred(target, {table_at, 0, columns * cell, head}, "Table", scale, faint);
  return drawn;
}

PictureAnnotations::List rectangle_annotations(const PixelBox& rectangle, gpu::ImageView<const gpu::Bgr> frame) {
  const auto box = inside_picture(rectangle, frame.size());
  if (!box) return {};
  gpu::Annotation outline;
  outline.stroke = {74, 168, 216, 255};
  outline.x0 = static_cast<float>(box->x);
  outline.y0 = static_cast<float>(box->y);
  outline.x1 = static_cast<float>(box->x + box->width);
  outline.y1 = static_cast<float>(box->y + box->height);
  auto label = outline;
  label.kind = gpu::Annotation::Kind::label;
  label.has = gpu::Annotation::Value::number;
  label.stroke = {255, 255, 255, 255};
  std::snprintf(label.text, sizeof label.text, "sum of the original");
  auto matrix = capture::matrix_of(frame);
  for (int y = box->y; y < box->y + box->height; ++y)
    for (int x = box->x; x < box->x + box->width; ++x) label.value += matrix.at(x, y);
  return {outline, label};
}

}  // namespace app
