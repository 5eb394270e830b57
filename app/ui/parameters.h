// Controls for the parameters of an algorithm or an effect, generated from their table.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/control/selection.h"
#include "app/ui/panel.h"
#include "gpu/parameter.h"

namespace app::ui {

// A row per parameter of `owner`, an algorithm or an effect, and a button that resets all of them.
void parameter_rows(PanelContext& ui, std::string_view owner, std::span<const gpu::Parameter> parameters,
                    const gpu::Arguments& arguments);
// With the values in the settings; with the initial ones if those are not valid.
template <class Item>
void parameter_rows(PanelContext& ui, const Item& item) {
  gpu::Arguments arguments(item.parameters);
  try {
    arguments = arguments_of(item, ui.settings);
  } catch (const gpu::ArgumentError&) {}
  parameter_rows(ui, item.name, item.parameters, arguments);
}

// The text nearest to `value` that a number parameter accepts: within its limits, a multiple of its step, without trailing
// zeros.
std::string number_text(const gpu::Parameter& parameter, double value);
// The same for a size: both sides within the limits.
std::string size_text(const gpu::Parameter& parameter, gpu::Size value);

}  // namespace app::ui
