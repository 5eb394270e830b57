#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {

void effect_section(Panel& panel) {
  auto& settings = panel.settings;
  const auto* effect = gpu::find_effect(settings.effect);
  if (!section("Effect", "", effect ? effect->title : "")) return;
  label("Effect", "What is drawn from the table:  " + labels(Action::next_effect) + "  and  " +
                      labels(Action::previous_effect) + "  step through them");
  if (begin_combo("##effect", effect ? effect->title : "none", ImGuiComboFlags_HeightLargest)) {
    for (const auto* entry : gpu::all_effects()) {
      if (ImGui::Selectable(std::string(entry->title).c_str(), entry == effect)) settings.effect = entry->name;
      tooltip(entry->idea);
    }
    ImGui::EndCombo();
  }
  if (!effect) return;
  const std::string name(effect->name);
  auto values = settings.effect_values.contains(name) ? settings.effect_values.at(name)
                                                      : std::map<std::string, std::string>();
  if (parameter_rows(effect->parameters, values)) settings.effect_values[name] = values;
  const WithFont small(Font::small);
  wrapped(effect->idea, colour::dim);
}

}  // namespace app::ui
