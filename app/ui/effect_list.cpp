// The list of effects.
#include <imgui.h>

#include <string>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"

namespace app::ui {

void effect_list(PanelContext& ui) {
  const MenuStyle style;
  for (const auto* effect : gpu::all_effects()) {
    if (ImGui::MenuItem(std::string(effect->title).c_str(), nullptr, effect->name == ui.settings.effect))
      ui.change("effect", std::string(effect->name));
    tooltip(effect->idea);
  }
}

}  // namespace app::ui
