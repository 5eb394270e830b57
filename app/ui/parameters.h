// Controls that are generated from tables: for the parameters of an algorithm or an effect, and for a choice of the settings.
#pragma once

#include "app/control/parameter_values.h"
#include "app/control/selection.h"
#include "app/ui/panel.h"
#include "gpu/effect.h"

namespace app::ui {

// A row per parameter of `owner`, an algorithm or an effect, and a button that resets all of them.
void parameter_rows(PanelContext& ui, std::string_view owner, std::span<const gpu::Parameter> parameters,
                    const gpu::Arguments& arguments, const Fit& fit = {});
// In the line of the cursor, those that one changes first (gpu::ParameterDisplay::prominent): of each its name and a control, as
// many as fit; without those that have no effect now. The line goes on behind them.
void prominent_parameters(PanelContext& ui, std::string_view owner, std::span<const gpu::Parameter> parameters,
                          const gpu::Arguments& arguments, const Fit& fit, float room);
// The values in the settings; the initial ones if those are not valid.
template <class Item>
gpu::Arguments shown_arguments(const PanelContext& ui, const Item& item) {
  try {
    return arguments_of(item, ui.settings);
  } catch (const gpu::ArgumentError&) {
    return gpu::Arguments(item.parameters);
  }
}

// The algorithm that the settings choose for the device in use; where there is none of that name, the one in use; null: none.
const gpu::SatAlgorithm* shown_algorithm(const PanelContext& ui);

// The values of a setting that is a choice, as a combo, by the window's words for them. True when another one was chosen.
bool setting_combo(PanelContext& ui, std::string_view path);
// Its values as entries of a menu that is open.
void setting_entries(PanelContext& ui, std::string_view path);
// A field for a setting, empty (then it shows the hint) where that is 0: what is typed is set when the field is left.
void setting_field(PanelContext& ui, std::string_view path, const char* hint);

// "-+/+-": rectangles that are added, orange, and subtracted, blue, in a square of nine tenths of an em.
void pictogram(ImDrawList& draw, ImVec2 at, std::string_view signs);

// A slider and a field for the exact value of one number, one item, in what is left of the line; true when changed. `value` is a text
// that the parameter accepts; the slider ends at `end`, 0: where the parameter does.
bool number_control(const gpu::Parameter& parameter, std::string& value, bool logarithmic = false, double end = 0);

}  // namespace app::ui
