#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {

void effect_section(Panel& panel) {
  const auto* effect = gpu::find_effect(panel.settings.effect);
  if (!section("Effect", "", effect ? effect->title : "")) return;
  label("Effect", "What is drawn from the table:  " + labels(Action::next_effect) + "  and  " +
                      labels(Action::previous_effect) + "  step through them");
  if (begin_combo("##effect", effect ? effect->title : "none", ImGuiComboFlags_HeightLargest)) {
    for (const auto* entry : gpu::all_effects()) {
      if (ImGui::Selectable(std::string(entry->title).c_str(), entry == effect))
        panel.change("effect", std::string(entry->name));
      tooltip(entry->idea);
    }
    ImGui::EndCombo();
  }
  if (!effect) return;
  parameter_rows(panel, *effect);
  const WithFont small(Font::small);
  wrapped(effect->idea, colour::dim);
}

}  // namespace app::ui
