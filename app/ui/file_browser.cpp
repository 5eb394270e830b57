// The file browser where the desktop has no dialog for files: a folder, and a line that finds names in it and takes paths. It
// reads no disk itself: it asks for a folder, and shows the one that was read last.
#include "app/capture/source_text.h"
#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

using capture::FolderEntry;

void go(PanelContext& ui, const std::string& path) {
  ui.result.browse = path;
  ui.drafts.browser.typed = false;
  ui.drafts.browser.line.set({});
}

bool is_path(std::string_view typed) { return typed.find('/') != typed.npos || typed.starts_with('~') || typed == ".."; }

// A path may also be that of a file, a URL of one, and relative to the folder shown. In the line it is whole: where it is wrong,
// another folder may be shown when it is corrected.
void go_to_typed(PanelContext& ui, const std::string& typed) {
  const std::string name(unquoted(typed)), path = capture::is_file_url(name) ? capture::local_path(name).string() : name;
  ui.result.browse = path.starts_with('~') ? path : (ui.state.browser.folder.path / path).string();
  ui.drafts.browser.line.set(*ui.result.browse);
  ui.drafts.browser.typed = true;
}

constexpr std::string_view ending_for(std::string_view setting) { return setting == "kernel" ? ".cu" : ".xml"; }

// Whether it can be what the browser is open for.
bool is_wanted(const BrowserDraft& browser, const FolderEntry& entry) {
  return entry.folder || (browser.setting.empty() ? entry.openable : entry.name.ends_with(ending_for(browser.setting)));
}

void open_file(PanelContext& ui, const std::string& name) {
  const auto path = (ui.state.browser.folder.path / name).string();
  if (const auto& setting = ui.drafts.browser.setting; setting.empty() || setting == "kernel")
    open_source(ui, path);  // which knows kernels, also those that are open
  else
    ui.change(setting, path);
  ui.settings.browse = false;
}

void open_entry(PanelContext& ui, const FolderEntry& entry) {
  if (!entry.folder) return open_file(ui, entry.name);
  go(ui, (ui.state.browser.folder.path / entry.name).string());
}

void go_up(PanelContext& ui) {
  const auto& path = ui.state.browser.folder.path;
  if (!path.has_relative_path()) return;
  ui.drafts.browser.came_from = path.filename().string();
  go(ui, path.parent_path().string());
}

// Another folder was read: a typed path that is wrong stays in the line.
void take_folder(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  const auto& folder = ui.state.browser.folder;
  browser.version = ui.state.browser.version;
  const bool typed = std::exchange(browser.typed, false);
  if (typed && !folder.file.empty()) open_file(ui, folder.file);
  if (typed && folder.problem.empty()) browser.line.set({});
}

// Chooses the entries that are shown, and their order; only when something changed.
void choose_entries(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  const bool other = browser.version != ui.state.browser.version;
  if (other) take_folder(ui);
  const auto part = is_path(browser.line.text) ? std::string() : browser.line.text;
  const auto by = (browser.all ? "all " : "") + std::string(browser.latest_first ? "latest " : "") + '/' + part;
  if (std::exchange(browser.chosen_by, by) == by && !other) return;
  browser.entries = found_entries(ui.state.browser.folder, part, browser.latest_first,
                                  [&](const FolderEntry& entry) { return browser.all || is_wanted(browser, entry); });
  // On the way up, the folder that one comes from is selected.
  const auto from = std::ranges::find(browser.entries, std::exchange(browser.came_from, {}), &FolderEntry::name);
  browser.line.selected = from == browser.entries.end() ? 0 : static_cast<int>(from - browser.entries.begin());
  browser.line.moved = true;
}

void folder_line(PanelContext& ui) {
  const auto& path = ui.state.browser.folder.path;
  const auto& style = ImGui::GetStyle();
  if (button("Up", "The folder above   Backspace", path.has_relative_path() ? "" : "This is the top")) go_up(ui);
  ImGui::SameLine();
  const auto boxes = 2 * (ImGui::GetFrameHeight() + style.ItemInnerSpacing.x) + text_width("Latest first") +
                     text_width("All files") + 2 * style.ItemSpacing.x;
  ImGui::AlignTextToFramePadding();
  text(end_of(path.string(), ImGui::GetContentRegionAvail().x - boxes - em()));
  same_line_at_right(boxes);
  checkbox("Latest first", ui.drafts.browser.latest_first, "What was changed last comes first; else names are in order");
  ImGui::SameLine();
  checkbox("All files", ui.drafts.browser.all, "Files that cannot be opened, too");
}

void places(PanelContext& ui) {
  for (const auto& place : ui.state.browser.places) {
    ImGui::PushID(place.path.c_str());
    if (list_entry(shortened(place.name, ImGui::GetContentRegionAvail().x),
                   place.path == ui.state.browser.folder.path.string()))
      go(ui, place.path);
    tooltip(without_controls(place.path));
    ImGui::PopID();
  }
}

ListRow entry_row(const BrowserDraft& browser, const FolderEntry& entry) {
  return {.title = entry.name + (entry.folder ? "/" : ""),
          .note = entry.changed == 0 ? "" : time_text(entry.changed, "%Y-%m-%d %H:%M"),
          .ink = entry.folder                ? colour::accent
                 : is_wanted(browser, entry) ? colour::text
                                             : colour::dim};
}

void contents(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  auto& line = browser.line;
  folder_line(ui);
  ImGui::SetNextItemWidth(-1);
  const bool was_empty = line.text.empty(), enter = search_line(line, "Type a part of a name, or a path");
  choose_entries(ui);
  const auto height = ImGui::GetContentRegionAvail().y - ImGui::GetTextLineHeightWithSpacing();
  if (ImGui::BeginChild("places", {em() * 9, height})) places(ui);
  ImGui::EndChild();
  ImGui::SameLine();
  const auto entry = [&](int i) -> const FolderEntry& { return browser.entries[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<int>(browser.entries.size());
  const auto before = line.selected;
  const auto clicked = list_below(line, count, height, [&](int i) { return entry_row(browser, entry(i)); });
  const auto& state = ui.state.browser;
  // Who moves on in the list has given up a path that was wrong.
  if (const auto now = line.selected; now != before && is_path(line.text) && !state.folder.problem.empty()) {
    line.set({});
    line.selected = now;
  }
  if (state.reading)
    text("reading...", colour::dim);
  else if (!state.folder.problem.empty())
    text(shortened(state.folder.problem, ImGui::GetContentRegionAvail().x), colour::bad);
  else
    text(count == 0 ? "nothing here that can be opened" : "Enter or a click opens, Esc closes", colour::dim);
  if (clicked) return open_entry(ui, entry(*clicked));
  if (was_empty && line.active && imgui::is_pressed(imgui::KeyCode::backspace)) return go_up(ui);
  if (!enter) return;
  if (is_path(line.text)) return go_to_typed(ui, line.text);
  if (count > 0) open_entry(ui, entry(line.selected));
}

}  // namespace

const char* title_of_browser(std::string_view setting) {
  return setting.empty() ? "Open a file" : setting == "kernel" ? "Open a kernel" : "Choose a cascade";
}

void browse_for(PanelContext& ui, const std::string& setting) {
  ui.settings.browse = true;
  ui.drafts.browser.setting = setting;
  ui.drafts.browser.version = ~0ull;  // other entries of the same folder
}

void file_browser(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  if (ui.settings.browse && !browser.open && ui.state.browser.by_desktop) {
    ui.result.asks_desktop = std::exchange(browser.setting, {});
    ui.settings.browse = false;
  }
  const char* title = title_of_browser(browser.setting);
  follow_popup(title, ui.settings.browse);
  if (!ui.settings.browse) {
    browser = {};
    return;
  }
  if (!std::exchange(browser.open, true))
    go(ui, ui.state.browser.folder.path.string());  // it may have changed; empty: where to begin
  const Dialog dialog(title, 50, 36);
  if (dialog.visible()) contents(ui);
}

}  // namespace app::ui
