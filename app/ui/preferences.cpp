// The preferences: what is chosen once, and not while a picture is looked at.
#include "app/control/names.h"
#include "app/ui/frame_graph.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"

namespace app::ui {
namespace {

void group_of_preferences(const char* title) {
  ImGui::Dummy({0, std::round(em() * 0.25f)});
  heading(title);
}

// Starts a row: the control that follows has this width.
void preference(std::string_view name, std::string_view help, float width = 0) {
  ImGui::AlignTextToFramePadding();
  text(name, colour::dim);
  tooltip(help);
  ImGui::SameLine(std::round(em() * 10));
  if (width > 0) ImGui::SetNextItemWidth(std::round(em() * width));
}

void beside_preference(std::string_view words) {
  ImGui::SameLine();
  wrapped(words, colour::dim);
}

void look(PanelContext& ui) {
  group_of_preferences("Look");
  preference("Theme", ui.help_of("cycle theme"));
  for (const auto theme : {Theme::dark, Theme::light}) {
    const auto name = title_of_value("theme", name_of(theme_names, theme));
    if (radio_button(name, ui.settings.theme == theme)) ui.settings.theme = theme;
    ImGui::SameLine();
  }
  text(ui.keys("cycle theme"), colour::dim);
  preference(window_words("ui_scale"), "Size of text and controls");
  command_button(ui, "-", Action::ui_smaller);
  ImGui::SameLine();
  const auto scale = ui.settings.ui_scale == 0 ? ui.context.display_scale : ui.settings.ui_scale;
  text(number(std::min(scale, ui.context.most_scale) * 100, 0) + "%");
  ImGui::SameLine();
  command_button(ui, "+", Action::ui_larger);
  ImGui::SameLine();
  command_button(ui, "Auto", "reset ui_scale");
  beside_preference(ui.keys(Action::ui_larger) + " and " + ui.keys(Action::ui_smaller));
}

void screen(PanelContext& ui) {
  group_of_preferences("Screen");
  preference("Wait for the monitor", ui.help_of("toggle vsync"));
  checkbox("vsync", ui.settings.vsync, ui.help_of("toggle vsync"));
  const bool host = ui.state.device == gpu::Device::host;
  preference("Pictures reach it", "On: CUDA writes into the OpenGL texture; staged: pixels go through host memory", 9);
  ImGui::BeginDisabled(host);
  setting_combo(ui, "interop");
  ImGui::EndDisabled();
  if (host) tooltip("Pictures computed on the CPU are always staged");
  beside_preference(ui.state.interop ? "now directly: CUDA writes into the OpenGL texture"
                                     : "now by a copy: " + ui.state.staged_reason);
  tooltip("Drawn by " + ui.state.gl.renderer + ", OpenGL " + ui.state.gl.version);
}

void files(PanelContext& ui) {
  group_of_preferences("Files");
  constexpr auto help = "The folder of saved files; empty: satscope-out, where the program was started";
  preference(window_words("output_folder"), help, 16);
  setting_field(ui, "output_folder", "satscope-out");
  tooltip(without_controls(ui.settings.output_folder) + '\n' + help);
  ImGui::SameLine();
  command_button(ui, "Show", Action::open_folder);
  preference("Videos", "The largest size of a recording: larger pictures are scaled down", 11);
  setting_combo(ui, "record_size");
}

constexpr double usual_rates[] = {24, 30, 60, 120, 144, 240, 1000};

void measuring(PanelContext& ui) {
  group_of_preferences("Measuring");
  const auto origin = target_origin(ui.settings, ui.state.capture);
  preference("Frames against", "The target that frames are compared with: " + origin, 11);
  auto& target = ui.settings.target_ms;
  std::vector<ComboEntry> entries{{"The source's rate"}};
  for (const auto rate : usual_rates) entries.push_back({rate_text(rate)});
  const auto is_it = [&](double rate) { return std::abs(1000 / rate - target) < 1e-6; };
  const auto now = target == 0 ? 0 : std::ranges::find_if(usual_rates, is_it) - std::begin(usual_rates) + 1;
  const auto shown = target == 0 ? entries[0].text : rate_text(1000 / target);
  if (const auto chosen = combo("##frames_against", shown, entries, static_cast<std::size_t>(now)))
    target = *chosen == 0 ? 0 : 1000 / usual_rates[*chosen - 1];
  preference("At the start", "The window opens as it was left");
  checkbox("Open Measure", ui.settings.dock_open,
           "Measure is open, now and when the program starts   " + ui.keys(Action::measure));
}

}  // namespace

void preferences(PanelContext& ui) {
  const Dialog dialog("Preferences", 38);
  if (!dialog.visible()) return;
  look(ui);
  screen(ui);
  files(ui);
  measuring(ui);
  ImGui::Dummy({0, em()});
  command_button(ui, "Reset everything", Action::reset_everything);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text(ui.keys(Action::undo) + " undoes it", colour::dim);
  same_line_at_right(text_width("Close") + 2 * ImGui::GetStyle().FramePadding.x);
  if (ImGui::Button("Close")) ImGui::CloseCurrentPopup();
}

}  // namespace app::ui
