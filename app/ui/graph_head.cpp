// The first line of the frame graph: its title, what it shows, the target, and its options.
#include <cmath>

#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/window_words.h"
#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Target {
  const char* text;
  double ms;
};
constexpr Target targets[] = {
    {"24/s", 1000.0 / 24},   {"30/s", 1000.0 / 30},   {"60/s", 1000.0 / 60}, {"120/s", 1000.0 / 120},
    {"144/s", 1000.0 / 144}, {"240/s", 1000.0 / 240}, {"1000/s", 1}};

template <class Enum>
void choose(PanelContext& ui, const std::string& path, Enum current, std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name(names[i]);
    if (ImGui::MenuItem(title_of_value(path, name).c_str(), nullptr, static_cast<std::size_t>(current) == i))
      ui.change(path, name);
  }
}

void options(PanelContext& ui) {
  const auto& settings = ui.settings;
  text("Bars", colour::dim);
  choose(ui, "graph_shows", settings.graph_shows, graph_shows_names);
  if (settings.graph_shows != GraphShows::stages) text("coloured by the interval", colour::dim);
  ImGui::Separator();
  text("Times", colour::dim);
  choose(ui, "graph_scale", settings.graph_scale, graph_scale_names);
  ImGui::Separator();
  text("Axis", colour::dim);
  choose(ui, "graph_axis", settings.graph_axis, graph_axis_names);
  ImGui::Separator();
  if (ImGui::MenuItem("Histogram", nullptr, settings.graph_histogram))
    ui.change("graph_histogram", !settings.graph_histogram);
  if (ImGui::MenuItem("Newest frames", nullptr, settings.graph_end == 0)) ui.change("graph_end", "0");
  if (ImGui::MenuItem(window_words("graph_frames").data(), nullptr, settings.graph_frames == 0))
    ui.change("graph_frames", "0");
}

void target_choice(PanelContext& ui, float width) {
  const auto& settings = ui.settings;
  ImGui::SetNextItemWidth(width);
  if (begin_combo("##target", rate_text(1000 / ui.state.graph.target_ms))) {
    if (ImGui::Selectable("The source's rate", settings.target_ms == 0)) ui.change("target_ms", "0");
    for (const auto& target : targets)
      if (ImGui::Selectable(target.text, std::abs(target.ms - settings.target_ms) < 1e-6))
        ui.change("target_ms", number_as_text(target.ms));
    ImGui::EndCombo();
  }
  tooltip("The target that frames are compared with: " + target_origin(settings, ui.state.capture));
}

}  // namespace

std::string rate_text(double per_second) {
  auto text = number(per_second, per_second < 99.995 ? 2 : 0);
  if (text.find('.') == text.npos) return text + "/s";
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text + "/s";
}

void graph_head(PanelContext& ui) {
  const auto& style = ImGui::GetStyle();
  const auto em = ImGui::GetFontSize();
  const char* pause = ui.settings.graph_paused ? "Resume" : "Pause";
  const auto target_width = std::round(em * 4.6f);
  const auto width_of = [&](const char* label) { return ImGui::CalcTextSize(label).x + style.FramePadding.x * 2; };
  const auto controls = width_of(pause) + width_of("...") + target_width + style.ItemInnerSpacing.x * 2;
  const auto room = ImGui::GetContentRegionAvail().x;
  ImGui::AlignTextToFramePadding();
  {
    const WithFont bold(Font::bold);
    // Where there is no room the graph has no title.
    text(ImGui::CalcTextSize("Frames").x + style.ItemSpacing.x + controls <= room ? "Frames" : "");
  }
  same_line_at_right(controls);
  if (button(pause, std::string(description(Action::toggle_graph)) + "   " + labels(Action::toggle_graph)))
    ui.act(Action::toggle_graph);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  target_choice(ui, target_width);
  ImGui::SameLine(0, style.ItemInnerSpacing.x);
  if (button("...", "What the graph shows, its scale and its axis")) ImGui::OpenPopup("graph options");
  if (ImGui::BeginPopup("graph options")) {
    options(ui);
    ImGui::EndPopup();
  }
}

}  // namespace app::ui
