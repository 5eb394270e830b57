#include <algorithm>

#include "app/control/comparison.h"
#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/window_words.h"
#include "app/support/count_text.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"
#include "gpu/sat_card.h"

namespace app::ui {
namespace {

using Mode = gpu::Composition::Mode;

constexpr gpu::Parameter wipe_parameter = gpu::real("wipe", "0.5", 0, 1, 0.01,
                                                    "Where B begins; drag the line on the picture");
constexpr gpu::Parameter amplification_parameter = gpu::real("amplification", "8", 1, gpu::Composition::most_amplification,
                                                             0.5, "Factor of the differences between A and B");

std::string not_comparing(const PanelContext& ui) {
  return "Nothing is compared: choose two sides, or press " + ui.keys(Action::toggle_compare);
}

void side_entry(PanelContext& ui, std::string_view name, bool first) {
  const auto& sides = ui.settings.compare;
  const auto &mine = first ? sides.a : sides.b, &other = first ? sides.b : sides.a;
  const auto why = name == other ? "This is the other side" : why_no_side(name, ui.state.device);
  ImGui::BeginDisabled(!why.empty());
  if (ImGui::Selectable((title_of_side(name) + "##" + std::string(name)).c_str(), name == mine)) {
    const auto chosen = std::string(name);
    ui.change("compare", text_of(first ? Sides{true, chosen, other} : Sides{true, other, chosen}));
  }
  ImGui::EndDisabled();
  const auto* algorithm = gpu::find_sat_algorithm(name);
  const auto* effect = gpu::find_effect(name);
  tooltip(!why.empty()            ? why
          : algorithm             ? std::string(algorithm->idea)
          : effect                ? std::string(effect->idea)
          : name == original_side ? "The frame before the effect, in colour"
                                  : "What the algorithm and the effect above make of the frame");
}

void side_row(PanelContext& ui, const char* title, bool first) {
  label(title, first ? "What is left of the wipe" : "What is right of the wipe");
  const auto& side = first ? ui.settings.compare.a : ui.settings.compare.b;
  if (!begin_combo(first ? "##a" : "##b", title_of_side(side), ImGuiComboFlags_HeightLargest)) return;
  for (const auto name : {original_side, result_side}) side_entry(ui, name, first);
  ImGui::Separator();
  for (const auto name : effect_names()) side_entry(ui, name, first);
  int left_out = 0;
  for (const auto family : gpu::sat_families()) {
    auto algorithms = gpu::algorithms_of(family);
    left_out += static_cast<int>(std::erase_if(algorithms, [&](const gpu::SatAlgorithm* algorithm) {
      return algorithm->name != side && !why_no_side(algorithm->name, ui.state.device).empty();
    }));
    if (algorithms.empty()) continue;
    ImGui::Separator();
    {
      const WithFont small(Font::small);
      text(gpu::name(family), colour::accent);
      tooltip(gpu::description(family));
    }
    for (const auto* algorithm : algorithms) side_entry(ui, algorithm->name, first);
  }
  if (left_out > 0) {
    ImGui::Separator();
    const WithFont small(Font::small);
    text(counted(static_cast<std::size_t>(left_out), "algorithm") +
             (ui.state.device == gpu::Device::host ? " more on the GPU or the simulated GPU" : " more on other devices"),
         colour::dim);
    tooltip("Both sides are computed on one device: choose another one above, in the section Algorithm");
  }
  ImGui::EndCombo();
}

void comparison_row(PanelContext& ui) {
  label("View", ui.help_of(Action::toggle_difference));
  const bool off = !ui.settings.compare.on;
  ImGui::BeginDisabled(off);
  auto index = static_cast<int>(ui.settings.compare_mode);
  if (combo("##mode", index, {{"Wipe", {}}, {"Difference", {}}}))
    ui.change("compare_mode", std::string(compare_mode_names[static_cast<std::size_t>(index)]));
  ImGui::EndDisabled();
  if (off) tooltip(not_comparing(ui));
}

void number_of(PanelContext& ui, const char* text, const gpu::Parameter& parameter, double value,
               const std::string& why_not) {
  const std::string path(parameter.name);
  label(text, parameter.help);
  ImGui::PushID(path.c_str());
  ImGui::BeginDisabled(!why_not.empty());
  auto written = number_text(parameter, value);
  if (number_control(parameter, written, parameter.maximum > 100)) ui.change(path, written);
  ImGui::EndDisabled();
  tooltip(why_not.empty() ? parameter.help : std::string_view(why_not));
  ImGui::PopID();
}

}  // namespace

void compare_section(PanelContext& ui) {
  const auto& settings = ui.settings;
  const auto& sides = settings.compare;
  if (!section("Compare", sides.on ? "on" : "off",
               sides.on ? title_of_side(sides.a) + ", " + title_of_side(sides.b) : "off"))
    return;
  label("Compare", ui.help_of(Action::toggle_compare));
  bool on = sides.on;
  if (ImGui::Checkbox("##compare", &on)) ui.act(Action::toggle_compare);
  same_line_at_right(ImGui::CalcTextSize("Swap").x + 2 * ImGui::GetStyle().FramePadding.x);
  if (button("Swap", ui.help_of(Action::swap_sides), sides.on ? "" : not_comparing(ui))) ui.act(Action::swap_sides);
  side_row(ui, "A", true);
  side_row(ui, "B", false);
  comparison_row(ui);
  const auto unless = [&](Mode mode, const char* why) {
    return !sides.on ? not_comparing(ui) : settings.compare_mode == mode ? std::string() : std::string(why);
  };
  number_of(ui, "Wipe", wipe_parameter, settings.wipe, unless(Mode::wipe, "A difference has no wipe"));
  number_of(ui, window_words("amplification").data(), amplification_parameter, settings.amplification,
            unless(Mode::difference, "Only differences are amplified: choose Difference"));
}

}  // namespace app::ui
