// Controls for the parameters of an algorithm or an effect, made from their table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/control/selection.h"
#include "app/ui/panel.h"
#include "gpu/parameter.h"

namespace app::ui {

// A row for each parameter of `owner`, an algorithm or an effect, and a button that sets all of them back.
void parameter_rows(Panel& panel, std::string_view owner, std::span<const gpu::Parameter> parameters,
                    const gpu::Arguments& arguments);
// With the values that the settings choose; the initial ones where those are none.
template <class Item>
void parameter_rows(Panel& panel, const Item& item) {
  gpu::Arguments arguments(item.parameters);
  try {
    arguments = arguments_of(item, panel.settings);
  } catch (const gpu::ArgumentError&) {}
  parameter_rows(panel, item.name, item.parameters, arguments);
}

// The text nearest to `value` that a number parameter takes: within its limits, on its step, without needless zeros.
std::string number_text(const gpu::Parameter& parameter, double value);
// Both sides within the limits.
std::string size_text(const gpu::Parameter& parameter, gpu::Size value);

}  // namespace app::ui
