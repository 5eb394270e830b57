#include <algorithm>
#include <string>
#include <vector>

#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

// After a change by one of the rows: sliders end where the effect fills the picture; another type of feature has more
// rectangles, which become smaller then.
void keep_inside(PanelContext& ui, const gpu::Effect& effect, const gpu::Arguments& before) {
  const auto arguments = shown_arguments(ui, effect);
  if (arguments == before) return;
  const auto picture = ui.state.picture;
  const auto place = effect.placement(arguments, picture);
  const auto prefix = std::string(effect.name) + '.';
  std::vector<Change> smaller;
  if (place.full_width() > picture.width)
    smaller.push_back({prefix + "width", std::to_string(std::max(1, picture.width / place.columns))});
  if (place.full_height() > picture.height)
    smaller.push_back({prefix + "height", std::to_string(std::max(1, picture.height / place.rows))});
  if (!smaller.empty()) ui.change(smaller);
}

}  // namespace

void effect_section(PanelContext& ui) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  if (!section("Effect", "", effect ? effect->title : "")) return;
  label("Effect", "What is drawn from the table:  " + ui.keys(Action::previous_effect) + "  and  " +
                      ui.keys(Action::next_effect) + "  step through them");
  if (begin_combo("##effect", effect ? effect->title : "none", ImGuiComboFlags_HeightLargest)) {
    for (const auto* entry : gpu::all_effects()) {
      if (ImGui::Selectable(std::string(entry->title).c_str(), entry == effect))
        ui.change("effect", std::string(entry->name));
      tooltip(entry->idea);
    }
    ImGui::EndCombo();
  }
  if (!effect) return;
  const auto arguments = shown_arguments(ui, *effect);
  Fit fit{effect->display, ui.state.picture, {}};
  if (effect->placement && fit.picture.width > 0) fit.placement = effect->placement(arguments, fit.picture);
  parameter_rows(ui, effect->name, effect->parameters, arguments, fit);
  if (fit.placement) keep_inside(ui, *effect, arguments);
  const WithFont small(Font::small);
  wrapped(effect->idea, colour::dim);
  for (const auto& [title, doi] : effect->papers) paper(title, doi);
}

}  // namespace app::ui
