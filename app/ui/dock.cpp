// The dock below the picture: a line of tabs, and the tab that Settings::dock chooses.
#include <cmath>

#include "app/control/feature_gallery.h"
#include "app/control/names.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Tab {
  const char* title;
  const char* help;
  void (*draw)(PanelContext& ui);
  bool (*offered)(const State& state) = nullptr;  // else it has a title only while it is shown; null: always
};
constexpr Tab tabs[] = {
    {"Kernels", "The time of every kernel of a frame", kernels_tab},
    {"Timeline", "One frame to scale: when its kernels were queued, and when they ran", timeline_tab},
    {"Trace", "When and where every tile of the picture was computed", trace_tab},
    {"Race", "The time of every algorithm on the picture shown", race_tab},
    {"Cascade", "How a cascade of features decides about one window of the picture, stage by stage", cascade_tab,
     [](const State& state) { return state.cascade.available; }},
    {"Features", "The Haar-like features of a window, and where the picture responds to one of them", features_tab,
     [](const State& state) { return state.selection.effect && state.selection.effect->name == feature_effect; }},
};
static_assert(std::size(tabs) == std::size(dock_names));  // both are in the order of the enumeration

bool is_offered(const Tab& tab, const PanelContext& ui) {
  return !tab.offered || tab.offered(ui.state) || &tab == &tabs[static_cast<std::size_t>(ui.settings.dock)];
}

// Where there is no room for all titles, they are nearer to one another, then smaller.
struct Titles {
  Font font;
  float gap;
};
Titles titles_within(const PanelContext& ui, float room) {
  Titles titles{};
  for (const auto& [font, gap] : {Titles{Font::bold, 1}, {Font::bold, 0.5f}, {Font::small, 0.5f}, {Font::small, 0.3f}}) {
    const WithFont tried(font);
    titles = {font, std::round(gap * em())};
    auto width = -titles.gap;
    for (const auto& tab : tabs)
      if (is_offered(tab, ui)) width += text_width(tab.title) + titles.gap;
    if (width <= room) break;
  }
  return titles;
}

void tab_title(PanelContext& ui, std::size_t index, Font font) {
  const bool chosen = index == static_cast<std::size_t>(ui.settings.dock);
  const WithFont used(font);
  const auto at = ImGui::GetCursorScreenPos();
  const ImVec2 size(ImGui::CalcTextSize(tabs[index].title).x, ImGui::GetFrameHeight());
  ImGui::PushID("tab");  // a tab may have a button of its own name
  const bool clicked = ImGui::InvisibleButton(tabs[index].title, size);
  ImGui::PopID();
  if (clicked && !chosen) ui.change("dock", std::string(dock_names[index]));
  const bool hovered = ImGui::IsItemHovered();
  if (static_cast<Dock>(index) == Dock::race && ImGui::IsItemVisible()) ui.drafts.hint_targets.race = last_item();
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddText({at.x, at.y + ImGui::GetStyle().FramePadding.y}, chosen || hovered ? colour::text : colour::dim,
               tabs[index].title);
  if (chosen && std::size(tabs) > 1)
    draw.AddRectFilled({at.x, at.y + size.y - 2 * ui.scale}, {at.x + size.x, at.y + size.y}, colour::accent);
}

}  // namespace

void dock(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("dock", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  const auto titles = titles_within(ui, ImGui::GetContentRegionAvail().x);
  for (std::size_t i = 0; i < std::size(tabs); ++i) {
    if (!is_offered(tabs[i], ui)) continue;
    if (i > 0) ImGui::SameLine(0, titles.gap);
    tab_title(ui, i, titles.font);
    {
      const WithFont small(Font::small);
      const auto corner = ImGui::GetItemRectMin();
      tooltip_at({corner.x, rect.y - 2 * ui.scale}, {0, 1}, tabs[i].help);  // below is the tab's first row
    }
  }
  tabs[static_cast<std::size_t>(ui.settings.dock)].draw(ui);
}

}  // namespace app::ui
