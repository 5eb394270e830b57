#include "app/control/parameter_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>

namespace app {
namespace {

using gpu::Parameter;

std::string nearest_number(const Parameter& parameter, double value) {
  if (std::isnan(value)) value = parameter.minimum;
  const auto step = parameter.kind == Parameter::Kind::real ? parameter.step : 1.0;
  if (step > 0) value = std::round(value / step) * step;
  value = std::clamp(value, parameter.minimum, parameter.maximum);
  char digits[64];
  std::snprintf(digits, sizeof digits, "%.*f", decimals(parameter), value);
  std::string text(digits);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

int decimals(const Parameter& parameter) {
  if (parameter.kind != Parameter::Kind::real || parameter.step <= 0) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(parameter.step) - 1e-9)), 0, 6);
}

std::vector<double> numbers_of(const Parameter& parameter, std::string_view value) {
  const bool size = parameter.kind == Parameter::Kind::size;
  std::vector<double> numbers(size ? 2 : 1, size ? 0 : parameter.minimum);
  for (auto& number : numbers) {
    const auto end = std::from_chars(value.data(), value.data() + value.size(), number).ptr;
    value.remove_prefix(std::min(value.size(), static_cast<std::size_t>(end - value.data()) + 1));  // the cross, too
  }
  return numbers;
}

std::string text_of_numbers(const Parameter& parameter, std::span<const double> numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : "x") + nearest_number(parameter, number);
  return text;
}

Fit fit_of(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size picture) {
  Fit fit{effect.display, picture, {}};
  if (effect.placement && picture.width > 0) fit.placement = effect.placement(arguments, picture);
  return fit;
}

double slider_end(const Parameter& parameter, const Fit& fit) {
  auto end = parameter.maximum;
  const auto limit = [&](int most) { end = std::clamp(static_cast<double>(most), parameter.minimum, parameter.maximum); };
  const auto [width, height] = std::pair(fit.picture.width, fit.picture.height);
  if (width <= 0 || height <= 0) return end;
  if (parameter.kind == Parameter::Kind::size) limit(std::max(width, height));
  if (!fit.placement) return end;
  const auto& place = *fit.placement;
  if (parameter.name == "x") limit(width - place.full_width());
  if (parameter.name == "y") limit(height - place.full_height());
  if (parameter.name == "width") limit(width / place.columns);
  if (parameter.name == "height") limit(height / place.rows);
  return end;
}

double short_slider_end(double end, const std::optional<gpu::Size>& automatic) {
  constexpr int near = 255;
  return std::min<double>(end, automatic ? std::max({near, automatic->width, automatic->height}) : near);
}

std::string placed_text(const Parameter& parameter, const gpu::Arguments& arguments, const Fit& fit) {
  if (fit.placement && parameter.name == "x") return number_text(parameter, fit.placement->x);
  if (fit.placement && parameter.name == "y") return number_text(parameter, fit.placement->y);
  return arguments.text(parameter.name);
}

std::vector<Change> changes_to_fit(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size picture) {
  const auto place = effect.placement(arguments, picture);
  const auto prefix = std::string(effect.name) + '.';
  std::vector<Change> smaller;
  if (place.full_width() > picture.width && arguments.integer("width") > 0)
    smaller.push_back({prefix + "width", std::to_string(std::max(1, picture.width / place.columns))});
  if (place.full_height() > picture.height && arguments.integer("height") > 0)
    smaller.push_back({prefix + "height", std::to_string(std::max(1, picture.height / place.rows))});
  return smaller;
}

}  // namespace app
