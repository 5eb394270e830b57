#include "gpu/choice/parameter_search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace gpu {
namespace {

constexpr int coarse_intervals = 6;

// A real parameter's values are minimum + k * step; every stride-th is tried first.
int steps(const Parameter& parameter) {
  return static_cast<int>(std::lround((parameter.maximum - parameter.minimum) / parameter.step));
}
int coarse_stride(const Parameter& parameter) {
  int stride = 1;
  while (stride * coarse_intervals < steps(parameter)) stride *= 2;
  return stride;
}
std::string value(const Parameter& parameter, int k) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::min(parameter.maximum, parameter.minimum + k * parameter.step));
  return text;
}

std::vector<std::string> values_of(const Parameter& parameter) {
  std::vector<std::string> values{std::string(parameter.initial)};
  const auto add = [&](std::string text) {
    if (std::find(values.begin(), values.end(), text) == values.end()) values.push_back(std::move(text));
  };
  if (parameter.kind == Parameter::Kind::choice)
    for (const auto choice : split_choices(parameter.choices)) add(std::string(choice));
  if (parameter.kind == Parameter::Kind::real) {
    for (int k = 0; k < steps(parameter); k += coarse_stride(parameter)) add(value(parameter, k));
    add(value(parameter, steps(parameter)));
  }
  return values;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<Arguments> combinations_of(const Arguments& initial,
                                       const std::function<std::vector<std::string>(const Parameter&)>& values) {
  std::vector<Arguments> all{initial};
  for (const auto& parameter : initial.parameters()) {
    const auto texts = values(parameter);
    if (texts.empty()) continue;
    std::vector<Arguments> more;
    for (const auto& base : all)
      for (const auto& text : texts) {
        more.push_back(base);
        more.back().set(parameter.name, text);
      }
    all = std::move(more);
  }
  return all;
}

std::vector<Arguments> combinations(const Arguments& initial, const std::vector<std::string>& fixed) {
  return combinations_of(initial, [&](const Parameter& parameter) {
    return contains(fixed, parameter.name) ? std::vector<std::string>() : values_of(parameter);
  });
}

Arguments find_fastest(const Arguments& initial, const std::vector<std::string>& fixed,
                       const std::function<double(const Arguments&)>& time) {
  const auto all = combinations(initial, fixed);
  if (all.size() == 1) return initial;
  Arguments best = all.front();
  auto least = std::numeric_limits<double>::infinity();
  const auto attempt = [&](const Arguments& arguments) {
    if (const double taken = time(arguments); taken < least) {
      least = taken;
      best = arguments;
    }
  };
  for (const auto& arguments : all) attempt(arguments);
  for (const auto& parameter : initial.parameters()) {
    if (parameter.kind != Parameter::Kind::real || contains(fixed, parameter.name)) continue;
    for (int stride = coarse_stride(parameter) / 2; stride > 0; stride /= 2) {
      const double at = (best.real(parameter.name) - parameter.minimum) / parameter.step;
      for (const int k : {static_cast<int>(std::lround(at)) - stride, static_cast<int>(std::lround(at)) + stride}) {
        if (k < 0 || k > steps(parameter)) continue;
        auto neighbour = best;
        neighbour.set(parameter.name, value(parameter, k));
        attempt(neighbour);
      }
    }
  }
  return best;
}

}  // namespace gpu
