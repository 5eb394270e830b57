#include "app/control/side_value.h"

#include <algorithm>

namespace app {
namespace {

std::string_view without_folders(std::string_view file) { return file.substr(file.rfind('/') + 1); }

}  // namespace

gpu::Arguments SideValue::put_into(gpu::Arguments arguments) const {
  arguments.set(parameter, value);
  return arguments;
}

void SideValue::check() const {
  put_into(gpu::Arguments(effect->parameters));
  for (const auto& each : effect->parameters)
    if (each.name == parameter && each.kind == gpu::Parameter::Kind::file) file_of(each, value);
}

bool SideValue::is_one_of(std::span<const Selection> sides) const {
  return std::ranges::find(sides, name(), &Selection::name) != sides.end();
}

std::string SideValue::title() const { return std::string(effect->title) + ": " + std::string(without_folders(value)); }

std::string SideValue::name() const {
  return std::string(effect->name) + '.' + std::string(parameter) + '=' + std::string(without_folders(value));
}

std::optional<SideValue> side_value(std::string_view side) {
  const auto dot = side.find('.'), equals = side.find('=');
  if (dot == side.npos || equals == side.npos || dot > equals) return {};
  const auto* effect = gpu::find_effect(side.substr(0, dot));
  const auto parameter = side.substr(dot + 1, equals - dot - 1);
  if (!effect || !gpu::Arguments(effect->parameters).has(parameter)) return {};
  return SideValue{effect, parameter, side.substr(equals + 1)};
}

}  // namespace app
