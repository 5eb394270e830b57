// The file browser: folders and files that can be opened, over the picture. It reads no disk itself: it asks for a folder, and
// shows the one that was read last.
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/capture/source_text.h"
#include "app/control/imgui_keys.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using capture::FolderEntry;
using capture::FolderOrder;
using imgui::KeyCode;

constexpr double forget_letters_after = 1;  // seconds; then typed letters begin another name

std::string date(std::time_t time) {
  if (time == 0) return {};
  std::tm local{};
  localtime_r(&time, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &local);
  return text;
}

void go(PanelContext& ui, const std::string& path) {
  ui.result.browse = path;
  ui.drafts.browser.selected = 0;
  ui.drafts.browser.typed = false;
}

// A path may also be that of a file, a URL of one, and relative to the folder shown.
void go_to_typed(PanelContext& ui, const std::string& typed) {
  const std::string name(unquoted(typed)), path = capture::is_file_url(name) ? capture::local_path(name).string() : name;
  go(ui, path.starts_with('~') ? path : (ui.state.browser.folder.path / path).string());
  ui.drafts.browser.typed = true;
}

// Whether it can be what the browser is open for.
bool is_wanted(const BrowserDraft& browser, const FolderEntry& entry) {
  return browser.setting.empty() ? entry.openable : entry.name.ends_with(".xml");
}

void open_file(PanelContext& ui, const std::string& name) {
  const auto path = (ui.state.browser.folder.path / name).string();
  if (const auto& setting = ui.drafts.browser.setting; setting.empty())
    open_source(ui, path);
  else
    ui.change(setting, path);
  ui.settings.browse = false;
}

void open_entry(PanelContext& ui, const FolderEntry& entry) {
  if (!entry.folder) return open_file(ui, entry.name);
  go(ui, (ui.state.browser.folder.path / entry.name).string());
}

// Chooses the entries that are shown, in their order; only when something changed.
void choose_entries(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  const auto& state = ui.state.browser;
  if (browser.version == state.version && browser.shown_all == browser.all) return;
  if (browser.version != state.version) {
    browser.path = state.folder.path.string();
    const bool typed = std::exchange(browser.typed, false);
    if (const auto& file = state.folder.file; typed && !file.empty()) open_file(ui, file);
    browser.typing = typed && !state.folder.problem.empty();
  }
  browser.version = state.version;
  browser.shown_all = browser.all;
  browser.entries = state.folder.entries;
  if (!browser.all)
    std::erase_if(browser.entries, [&](const FolderEntry& entry) { return !entry.folder && !is_wanted(browser, entry); });
  if (browser.order != FolderOrder::name || browser.descending)  // else they are in their order
    capture::sort(browser.entries, browser.order, browser.descending);
  // On the way up, the folder that one comes from is selected.
  const auto from = std::ranges::find(browser.entries, browser.came_from, &FolderEntry::name);
  if (!browser.came_from.empty() && from != browser.entries.end())
    browser.selected = static_cast<int>(from - browser.entries.begin());
  browser.came_from.clear();
  browser.scroll = true;
}

void go_up(PanelContext& ui) {
  const auto& path = ui.state.browser.folder.path;
  if (!path.has_relative_path()) return;
  ui.drafts.browser.came_from = path.filename().string();
  go(ui, path.parent_path().string());
}

void typed_letters(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  const auto& io = ImGui::GetIO();
  for (const auto character : io.InputQueueCharacters) {
    if (character < ' ' || character > 126) continue;
    if (ImGui::GetTime() - browser.typed_at > forget_letters_after) browser.letters.clear();
    browser.typed_at = ImGui::GetTime();
    browser.letters += static_cast<char>(character);
    // The first letter goes on to the next name, further letters stay at one that they fit.
    const int from = browser.letters.size() == 1 ? browser.selected : browser.selected - 1;
    if (const int found = capture::find_name(browser.entries, browser.letters, from); found >= 0) {
      browser.selected = found;
      browser.scroll = true;
    }
  }
}

void keys(PanelContext& ui, int page) {
  auto& browser = ui.drafts.browser;
  if (ImGui::GetIO().WantTextInput) return;
  typed_letters(ui);
  const auto last = static_cast<int>(browser.entries.size()) - 1;
  const auto move = [&](KeyCode key, int by) {
    if (!imgui::is_repeated(key)) return;
    browser.selected += by;
    browser.scroll = true;
  };
  move(KeyCode::up, -1);
  move(KeyCode::down, 1);
  move(KeyCode::page_up, -page);
  move(KeyCode::page_down, page);
  move(KeyCode::home, -last - 1);
  move(KeyCode::end, last + 1);
  browser.selected = std::clamp(browser.selected, 0, std::max(last, 0));
  if (imgui::is_pressed(KeyCode::backspace) || imgui::is_pressed(KeyCode::left)) return go_up(ui);
  if (imgui::is_pressed(KeyCode::enter) && browser.selected <= last)
    open_entry(ui, browser.entries[static_cast<std::size_t>(browser.selected)]);
}

void path_line(PanelContext& ui) {
  auto& browser = ui.drafts.browser;
  if (button("Up", "The folder above   Backspace",
             ui.state.browser.folder.path.has_relative_path() ? "" : "This is the top"))
    go_up(ui);
  ImGui::SameLine();
  const auto em = ImGui::GetFontSize();
  ImGui::SetNextItemWidth(std::max(em * 4, ImGui::GetContentRegionAvail().x - em * 7));
  if (std::exchange(browser.typing, false)) ImGui::SetKeyboardFocusHere();
  if (text_input("##path", "", browser.path, browser.path, ImGuiInputTextFlags_EnterReturnsTrue))
    go_to_typed(ui, browser.path);
  tooltip("A folder, or a file to open; ~ is the home folder");
  ImGui::SameLine();
  ImGui::Checkbox("All files", &browser.all);
  tooltip("Files that cannot be opened, too");
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

void sort_as_asked(BrowserDraft& browser) {
  auto* asked = ImGui::TableGetSortSpecs();
  if (!asked || !asked->SpecsDirty || asked->SpecsCount == 0) return;
  browser.order = static_cast<FolderOrder>(asked->Specs->ColumnUserID);
  browser.descending = asked->Specs->SortDirection == ImGuiSortDirection_Descending;
  capture::sort(browser.entries, browser.order, browser.descending);
  asked->SpecsDirty = false;
}

void row(PanelContext& ui, int index) {
  auto& browser = ui.drafts.browser;
  const auto& entry = browser.entries[static_cast<std::size_t>(index)];
  ImGui::PushID(index);
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  const bool usable = entry.folder || is_wanted(browser, entry);
  const auto name = shortened(entry.name + (entry.folder ? "/" : ""), ImGui::GetContentRegionAvail().x);
  const WithText ink(entry.folder ? colour::accent : usable ? colour::text : colour::dim);
  if (list_entry(name, index == browser.selected,
                 ImGuiSelectableFlags_SpanAllColumns | ImGuiSelectableFlags_AllowDoubleClick)) {
    browser.selected = index;
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) open_entry(ui, entry);
  }
  if (index == browser.selected && std::exchange(browser.scroll, false)) ImGui::SetScrollHereY();
  ImGui::TableNextColumn();
  if (!entry.folder) right_aligned(bytes(entry.bytes));
  ImGui::TableNextColumn();
  text(date(entry.changed), colour::dim);
  ImGui::PopID();
}

// Returns how many rows fit.
int table(PanelContext& ui, float height) {
  const auto em = ImGui::GetFontSize();
  constexpr auto flags = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_NoSavedSettings |
                         ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_Sortable;
  if (!ImGui::BeginTable("files", 3, flags, {0, height})) return 1;
  ImGui::TableSetupScrollFreeze(0, 1);
  const auto column = [](const char* title, FolderOrder order, ImGuiTableColumnFlags flags, float width = 0) {
    ImGui::TableSetupColumn(title, flags, width, static_cast<ImGuiID>(order));
  };
  column("Name", FolderOrder::name, ImGuiTableColumnFlags_WidthStretch | ImGuiTableColumnFlags_DefaultSort);
  column("Size", FolderOrder::size, ImGuiTableColumnFlags_WidthFixed, em * 5);
  column("Changed", FolderOrder::time, ImGuiTableColumnFlags_WidthFixed, em * 9);
  ImGui::TableHeadersRow();
  auto& browser = ui.drafts.browser;
  sort_as_asked(browser);
  ImGuiListClipper rows;  // only those in view are drawn, and the one that is to come into view
  rows.Begin(static_cast<int>(browser.entries.size()));
  if (browser.scroll && !browser.entries.empty()) {
    const auto selected = std::clamp(browser.selected, 0, static_cast<int>(browser.entries.size()) - 1);
    rows.ForceDisplayRangeByIndices(selected, selected + 1);
  }
  while (rows.Step())
    for (int i = rows.DisplayStart; i < rows.DisplayEnd; ++i) row(ui, i);
  ImGui::EndTable();
  return std::max(1, static_cast<int>(height / ImGui::GetTextLineHeightWithSpacing()) - 2);
}

void contents(PanelContext& ui) {
  const auto em = ImGui::GetFontSize();
  auto& browser = ui.drafts.browser;
  path_line(ui);
  const auto height = ImGui::GetContentRegionAvail().y - ImGui::GetFrameHeightWithSpacing();
  if (ImGui::BeginChild("places", {em * 9, height})) places(ui);
  ImGui::EndChild();
  ImGui::SameLine();
  int page = 1;
  if (ImGui::BeginChild("list", {0, height})) page = table(ui, ImGui::GetContentRegionAvail().y);
  ImGui::EndChild();
  const auto& state = ui.state.browser;
  ImGui::AlignTextToFramePadding();
  if (state.reading)
    text("reading...", colour::dim);
  else if (!state.folder.problem.empty())
    text(shortened(state.folder.problem, ImGui::GetContentRegionAvail().x - em * 10), colour::bad);
  else
    text(browser.entries.empty() ? "nothing here that can be opened" : "Enter opens, letters go to a name, Esc closes",
         colour::dim);
  const auto chosen = static_cast<std::size_t>(std::max(browser.selected, 0));
  same_line_at_right(em * 8.5f);
  if (button("Open", "Enter", chosen < browser.entries.size() ? "" : "Choose a file"))
    open_entry(ui, browser.entries[chosen]);
  ImGui::SameLine();
  if (button("Cancel", "Esc")) ui.settings.browse = false;
  keys(ui, page);
}

}  // namespace

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
  const char* title = browser.setting.empty() ? "Open a file###browse" : "Choose a cascade###browse";
  follow_popup(title, ui.settings.browse);
  const bool opened = ui.settings.browse && !std::exchange(browser.open, ui.settings.browse);
  browser.open = ui.settings.browse;
  if (!browser.open) {
    if (!browser.setting.empty()) browser.version = ~0ull;
    return browser.setting.clear();
  }
  if (opened) go(ui, ui.state.browser.folder.path.string());  // it may have changed; empty: where to begin
  choose_entries(ui);
  const Dialog dialog(title, 56, 36);
  if (dialog.visible()) contents(ui);
}

}  // namespace app::ui
