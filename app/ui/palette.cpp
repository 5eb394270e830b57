// The command palette: a line to type in, and what matches it, driven by the keyboard; over a scrim, as dialogs are.
#include "app/control/palette_entries.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

constexpr int rows_shown = 12;

void choose(PanelContext& ui, const PaletteEntry& entry) {
  if (!entry.why_not.empty()) return;
  if (const auto* ask = std::get_if<PaletteEntry::Ask>(&entry.does)) {
    return ui.drafts.palette.set(ask->path + (ask->command ? " " : " = ") + ask->value);
  }
  if (const auto* change = std::get_if<Change>(&entry.does)) {
    change->path == "source" ? open_source(ui, change->text) : ui.change(change->path, change->text);
    ui.change(changes_with(change->path, ui.context));
  }
  if (const auto* command = std::get_if<Command>(&entry.does)) {
    ui.act(*command);
    ui.change(changes_with(command->setting, ui.context));
  }
  ui.settings.palette = false;
}

// Why the selected one cannot be chosen is said in full below the list.
ListRow palette_row(const PaletteEntry& entry, bool selected) {
  const auto& why = entry.why_not;
  if (why.empty()) return {entry.title, entry.value, entry.keys, entry.help};
  return {entry.title, selected ? std::string() : why, entry.keys, why, colour::faint};
}

std::vector<PaletteEntry> entries_of(const PanelContext& ui, const std::string& query) {
  const auto why = [&](const Command& command) { return why_not(command, ui.state, ui.settings); };
  auto typed = typed_change(query, ui.settings, ui.context);
  if (!typed)
    return matching(palette_entries(ui.settings, ui.context, why, offered_sources(ui.state.cameras, ui.state.recent)),
                    query);
  // A line that was refused is not yet a command.
  const auto* command = typed->why_not.empty() ? std::get_if<Command>(&typed->does) : nullptr;
  if (command) typed->why_not = why(*command);
  return {std::move(*typed)};
}

void palette_contents(PanelContext& ui) {
  auto& line = ui.drafts.palette;
  ImGui::SetNextItemWidth(-1);
  const bool enter = search_line(line, "Type a command, an algorithm, an effect or a setting");
  const auto entries = entries_of(ui, line.text);
  if (entries.empty()) return text("Nothing matches", colour::dim);
  const auto entry = [&](int i) -> const PaletteEntry& { return entries[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<int>(entries.size());
  const auto height = ImGui::GetTextLineHeightWithSpacing() * static_cast<float>(std::min(count, rows_shown));
  auto chosen = list_below(line, count, height, [&](int i) { return palette_row(entry(i), i == line.selected); });
  if (const auto& why = entry(line.selected).why_not; !why.empty()) wrapped(why, colour::text);
  if (enter) chosen = line.selected;
  if (chosen) choose(ui, entry(*chosen));
}

}  // namespace

void palette(PanelContext& ui) {
  follow_popup("palette", ui.settings.palette);
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto width = std::min(display.x - 20 * ui.scale, 44 * em());
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.12f}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.85f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ImGui::GetStyle().PopupRounding);
  const bool open = ImGui::BeginPopupModal("palette", nullptr,
                                           ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoScrollbar |
                                               ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize |
                                               ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar(2);
  if (!open) {
    ui.drafts.palette = {};
    return;
  }
  const auto from = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const bool outside = !ImGui::IsMouseHoveringRect(from, {from.x + size.x, from.y + size.y}, false);
  if (outside && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !ui.drafts.quit.asked) ui.settings.palette = false;
  palette_contents(ui);
  ImGui::EndPopup();
}

}  // namespace app::ui
