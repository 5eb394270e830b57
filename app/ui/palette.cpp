// The command palette: a line to type in, and what matches it, driven by the keyboard.
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/control/palette_entries.h"
#include "app/support/address.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app::ui {
namespace {

constexpr int rows_shown = 12;

// A parameter of what is not in use would change nothing that is seen: its effect or algorithm is chosen with it.
void use_owner_of(PanelContext& ui, std::string_view path) {
  const auto owner = path.substr(0, path.find('.'));
  const auto* algorithm = owner.size() < path.size() ? gpu::find_sat_algorithm(owner) : nullptr;
  if (owner.size() < path.size() && gpu::find_effect(owner)) ui.change("effect", owner);
  if (algorithm && why_unavailable(*algorithm, ui.context).empty()) ui.change("algorithm", owner);
}

void choose(PanelContext& ui, const PaletteEntry& entry) {
  if (!entry.why_not.empty()) return;
  if (const auto* ask = std::get_if<PaletteEntry::Ask>(&entry.does)) {
    return ui.drafts.palette.set(ask->path + (ask->command ? " " : " = ") + ask->value);
  }
  if (const auto* change = std::get_if<Change>(&entry.does)) {
    change->path == "source" ? open_source(ui, change->text) : ui.change(change->path, change->text);
    use_owner_of(ui, change->path);
    if (change->path == "dock") ui.settings.dock_open = ui.settings.panels = true;  // whoever names a tab wants to see it
  }
  if (const auto* command = std::get_if<Command>(&entry.does)) {
    ui.act(*command);
    use_owner_of(ui, command->setting);
  }
  ui.settings.palette = false;
}

// The room that its title and its keys leave in the line.
float room_beside(const PaletteEntry& entry, float width) {
  const auto em = ImGui::GetFontSize();
  return width - text_width(entry.title) - em - (entry.keys.empty() ? 0 : text_width(entry.keys) + em);
}

float reason_indent() { return ImGui::GetFontSize(); }

// The height of the lines below the title: there the selected entry gives the whole of a reason that does not fit beside it.
float reason_height(const PaletteEntry& entry, bool selected, float width) {
  const auto& why = entry.why_not;
  if (!selected || why.empty() || text_width(why) <= room_beside(entry, width)) return 0;
  return ImGui::CalcTextSize(why.c_str(), nullptr, false, width - reason_indent()).y;
}

// Draws an entry: its title, at the right its keys, and its value or why it cannot be chosen. True when clicked.
bool row(const PaletteEntry& entry, bool selected, int index) {
  const bool disabled = !entry.why_not.empty();
  ImGui::PushID(index);
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x - gap_to_scroll_bar(), em = ImGui::GetFontSize();
  const auto below = reason_height(entry, selected, width);
  const bool clicked = ImGui::Selectable("##entry", selected, 0, {0, em + below});
  tooltip(disabled ? entry.why_not : entry.help);
  ImGui::PopID();
  auto right = at.x + width;
  auto& draw = *ImGui::GetWindowDrawList();
  const auto at_right = [&](const std::string& text, ImU32 colour, float most) {
    if (text.empty()) return;
    const auto shown = shortened(text, most);
    right -= text_width(shown);
    draw.AddText({right, at.y}, colour, shown.c_str());
    right -= em;
  };
  const auto title = ImU32(disabled && !selected ? colour::faint : colour::text);  // faint is not read on the highlight
  at_right(entry.keys, colour::accent, width * 0.3f);
  if (below > 0)
    draw.AddText(ImGui::GetFont(), em, {at.x + reason_indent(), at.y + em}, title, entry.why_not.c_str(), nullptr,
                 width - reason_indent());
  else
    at_right(disabled ? entry.why_not : entry.value, disabled ? title : ImU32(colour::dim),
             std::max(width * 0.4f, room_beside(entry, width)));
  draw.AddText({at.x, at.y}, title, shortened(entry.title, right - at.x).c_str());
  return clicked;
}

void list(PanelContext& ui, const std::vector<PaletteEntry>& entries) {
  auto& draft = ui.drafts.palette;
  const auto height = ImGui::GetTextLineHeightWithSpacing();
  const auto count = static_cast<int>(entries.size()), rows = std::clamp(count, 1, rows_shown);
  const bool scrolls = count > rows;
  const auto width = ImGui::GetContentRegionAvail().x - (scrolls ? ImGui::GetStyle().ScrollbarSize : 0) -
                     gap_to_scroll_bar(scrolls);
  const auto reason = entries.empty() ? 0 : reason_height(entries[static_cast<std::size_t>(draft.selected)], true, width);
  if (ImGui::BeginChild("entries", {0, height * static_cast<float>(rows) + reason})) {
    if (entries.empty()) text("Nothing matches", colour::dim);
    for (int i = 0; i < count; ++i) {
      if (row(entries[static_cast<std::size_t>(i)], i == draft.selected, i))
        choose(ui, entries[static_cast<std::size_t>(i)]);
      if (i == draft.selected && std::exchange(draft.moved, false)) ImGui::SetScrollHereY(0.5f);
    }
  }
  ImGui::EndChild();
}

std::vector<OfferedSource> offered_sources(const State& state) {
  std::vector<OfferedSource> all;
  for (const auto& camera : state.cameras)
    all.push_back({camera.name + "  (" + camera.path + ")", camera.path, camera.reason, "camera webcam"});
  for (const auto& source : state.recent)
    if (!source.empty() && std::ranges::find(all, source, &OfferedSource::source) == all.end())
      all.push_back({shown_address(source), source, {}, "recent"});
  return all;
}

std::vector<PaletteEntry> entries_of(const PanelContext& ui, const std::string& query) {
  const auto why = [&](const Command& command) { return why_not(command, ui.state, ui.settings); };
  auto typed = typed_change(query, ui.settings, ui.context);
  if (!typed) return matching(palette_entries(ui.settings, ui.context, why, offered_sources(ui.state)), query);
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
  move_by_keys(line, static_cast<int>(entries.size()));
  list(ui, entries);
  if (enter && !entries.empty()) choose(ui, entries[static_cast<std::size_t>(line.selected)]);
}

}  // namespace

void palette(PanelContext& ui) {
  follow_popup("palette", ui.settings.palette);
  const auto& display = ImGui::GetIO().DisplaySize;
  const auto width = std::min(display.x - 20 * ui.scale, 44 * em());
  ImGui::SetNextWindowPos({display.x / 2, display.y * 0.12f}, ImGuiCond_Always, {0.5f, 0});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {width, display.y * 0.85f});
  if (!ImGui::BeginPopup("palette", ImGuiWindowFlags_NoScrollbar)) {
    ui.drafts.palette = {};
    return;
  }
  palette_contents(ui);
  ImGui::EndPopup();
}

}  // namespace app::ui
