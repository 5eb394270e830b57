// The menu of what can be saved, and where to.
#include <imgui.h>

#include <string>

#include "app/ui/panel.h"
#include "app/ui/tool_button.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// `note`: the ending of the file, where no key is shown.
struct Saved {
  Action action;
  const char* text;
  const char* note = nullptr;
  const char* help = nullptr;  // null: the action's
};
constexpr Saved separator{Action::close, nullptr};
constexpr Saved entries_of_save_menu[] = {
    {Action::save_picture, "Save picture"},
    {Action::copy_picture, "Copy picture"},
    {Action::screenshot, "Save window"},
    separator,
    {Action::toggle_record, "Record video"},
    {Action::record_clip, "Record 5 seconds as WebP or GIF", nullptr,
     "A small animation for a page or a message, of 15 pictures per second; it stops by itself"},
    separator,
    {Action::save_table, "Table", ".npy", "All entries of the frame's table, for NumPy: as many as the picture has pixels"},
    {Action::save_matrix, "Matrix", ".csv"},
    {Action::export_timings, "Timings", ".json", "Means, percentiles and lows of frames and kernels, with the selection"},
    {Action::export_csv, "Timings as a table", ".csv", "The same as a table, a row per kernel"},
    {Action::export_frames, "All frames", ".csv", "A row per frame, as far as the graph keeps them"},
    {Action::export_timeline, "Timeline for Perfetto", ".json",
     "The latest frames span by span, for ui.perfetto.dev or about:tracing: their way from capture to screen, what the CPU "
     "queued, what the device did"},
    {Action::export_race, "Race", ".json"},
    {Action::export_study, "Study", ".json"},
    {Action::export_trace, "Trace", ".json"},
    {Action::save_wrong_frame, "Frame whose table was wrong", ".png"},
    separator,
    {Action::open_folder, "Show folder"},
};

std::string note_of(const PanelContext& ui, const Saved& saved) {
  if (saved.action == Action::open_folder) return shortened(ui.settings.output_folder, em() * 14);
  if (!saved.note || why_not(saved.action, ui.state, ui.settings).empty()) return saved.note ? saved.note : "";
  return saved.action == Action::save_matrix ? "not a matrix" : "none yet";
}

void save_entry(PanelContext& ui, const Saved& saved) {
  const bool records = saved.action == Action::toggle_record;
  const auto at = ImGui::GetCursorScreenPos();
  const auto words = std::string(6, ' ') + (records && ui.state.recording ? "Stop recording" : saved.text);
  menu_item(ui, saved.action, {words, note_of(ui, saved), saved.help ? saved.help : ""});
  if (records) draw_icon(*ImGui::GetWindowDrawList(), Icon::record, {at.x + em() * 0.5f, at.y + em() / 2}, colour::bad);
}

}  // namespace

void save_menu(PanelContext& ui) {
  const MenuStyle style;
  for (const auto& saved : entries_of_save_menu) {
    if (!saved.text)
      ImGui::Separator();
    else if (saved.action != Action::save_wrong_frame || ui.state.check.wrong > 0)
      save_entry(ui, saved);
  }
  const auto& of = ui.state.graph.of;
  if (of.selected) text("Timings are of " + frames_text(of), colour::dim);
}

}  // namespace app::ui
