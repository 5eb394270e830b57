// The stack of overlays: what is opened over the panels, from the bottom up.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/control/command.h"
#include "app/control/imgui_keys.h"
#include "app/ui/matrix_overlay.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

struct Overlay {
  std::string_view name;  // of its window, and of the setting that opens it
  void (*draw)(PanelContext& ui, const Rect& rect);
  bool closes_outside;  // by a click elsewhere, as a menu
  bool modal;           // all keys are its own, and clicks close nothing below it
  // The end: the question before the program quits, which is not a setting and lies above the others.
  const OverlaySetting* setting = std::ranges::find(overlay_settings, name, &OverlaySetting::path);
};

// From the bottom up.
constexpr auto stack = [] {
  auto overlays = std::to_array<Overlay>({
      {"help", help_overlay, false, false},
      {"palette", palette, true, true},
      {"browse", file_browser, false, true},
      {"quit", quit_dialog, false, true},
  });
  std::ranges::sort(overlays, {}, &Overlay::setting);
  return overlays;
}();

bool is_open(const PanelContext& ui, const Overlay& overlay) {
  return overlay.setting == std::end(overlay_settings) ? ui.drafts.quit.asked : ui.settings.*overlay.setting->open;
}

// The lowest one that keys and clicks reach: the modal one on top, else the first.
const Overlay* lowest_in_reach(const PanelContext& ui) {
  const auto top = std::find_if(stack.rbegin(), stack.rend(),
                                [&](const Overlay& overlay) { return overlay.modal && is_open(ui, overlay); });
  return top == stack.rend() ? stack.data() : &*top;
}

bool list_is_open() { return ImGui::IsPopupOpen(static_cast<const char*>(nullptr), ImGuiPopupFlags_AnyPopup); }

// Escape closes what is on top; what is not a setting lies above the others. It never ends the program.
void close_top(PanelContext& ui) {
  if (ui.drafts.quit.asked)
    ui.drafts.quit = {};
  else if (list_is_open())  // also a list within a list: first that one
    ImGui::ClosePopupToLevel(ImGui::GetCurrentContext()->OpenPopupStack.Size - 1, true);
  else
    ui.change(*changes_of(Action::close, ui.settings, ui.context));
}

// ImGui knows what was under the mouse when the frame began: a window that appears now was not open yet.
bool clicked_elsewhere(std::string_view name) {
  if (!ImGui::IsMouseClicked(ImGuiMouseButton_Left)) return false;
  const auto* window = ImGui::FindWindowByName(name.data());
  const auto* under_mouse = ImGui::GetCurrentContext()->HoveredWindow;
  return window && !window->Appearing && !(under_mouse && under_mouse->RootWindow == window);
}

// By a key. A number that is being typed counts; whether it is in a file is known when the next frame is drawn.
bool quits(PanelContext& ui) {
  const auto before = ui.settings.matrix;
  accept_valid_number(ui);
  if (ui.settings.matrix == before) return may_quit(ui.drafts.quit, ui.state);
  ui.drafts.quit.accepted = true;
  return false;
}

// The hints go with the first click or key, which does what it always does; Escape closes them alone. False: the keys are used.
bool dismiss_hints(PanelContext& ui) {
  bool clicked = false;
  for (const auto button : {ImGuiMouseButton_Left, ImGuiMouseButton_Right, ImGuiMouseButton_Middle})
    clicked = clicked || ImGui::IsMouseClicked(button);
  if (!ui.settings.hints || (!clicked && !imgui::any_key_is_pressed())) return true;
  ui.change("hints", false);
  return !imgui::is_pressed(imgui::KeyCode::escape);
}

}  // namespace

bool is_covered(const PanelContext& ui) {
  return std::ranges::any_of(stack, [&](const Overlay& overlay) { return is_open(ui, overlay); });
}

bool has_keyboard(const PanelContext& ui, std::string_view name) {
  const auto* overlay = std::ranges::find(stack, name, &Overlay::name);
  return is_open(ui, *overlay) && overlay >= lowest_in_reach(ui);
}

void handle_keys(PanelContext& ui) {
  if (!dismiss_hints(ui)) return;
  if (std::exchange(ui.drafts.quit.accepted, false) && may_quit(ui.drafts.quit, ui.state)) ui.act(Action::quit);
  const bool list = ui.drafts.list || list_is_open();  // ImGui has closed one already, where Escape was pressed
  const bool modal = lowest_in_reach(ui)->modal, asked = ui.drafts.quit.asked;
  if (((modal && !ui.drafts.list) || list_is_open()) && imgui::is_pressed(imgui::KeyCode::escape)) return close_top(ui);
  const bool taken_over = list || (modal && !asked);
  auto& to_search = ui.drafts.cards.to_search;
  to_search = std::max(to_search - 1, 0);
  if (ui.settings.cards_search && !taken_over && !asked) begin_search(ui);  // else it waits
  std::vector<NamedKey> taken;
  if (taken_over || to_search > 0 || take_matrix_keys(ui, taken)) return;
  for (const auto& command : pressed(ImGui::GetIO(), ui.settings.keys, taken)) {
    if (command.action == Action::close)
      close_top(ui);
    else if (command.action == Action::quit ? quits(ui) : !ui.drafts.quit.asked)
      ui.act(command);  // the other keys wait for the answer to a question
  }
}

void draw_overlays(PanelContext& ui) {
  const auto& display = ImGui::GetIO().DisplaySize;
  for (const auto& overlay : stack) {
    overlay.draw(ui, {0, 0, display.x, display.y});
    const bool in_reach = is_open(ui, overlay) && &overlay >= lowest_in_reach(ui);
    if (overlay.closes_outside && in_reach && clicked_elsewhere(overlay.name)) ui.change(overlay.name, false);
  }
  ui.drafts.list = list_is_open();
  imgui::navigate(ui.drafts.list);
}

void follow_setting(PanelContext& ui, const char* popup, std::string_view path, bool on) {
  auto& storage = *ImGui::GetStateStorage();
  const auto id = ImGui::GetID(popup);
  const bool open = ImGui::IsPopupOpen(popup), was_open = storage.GetBool(id);
  if (on && was_open && !open)
    ui.change(path, false);
  else if (on && !open)
    ImGui::OpenPopup(popup);
  else if (!on && open && was_open)
    ImGui::ClosePopupToLevel(0, true);
  storage.SetBool(id, ImGui::IsPopupOpen(popup));
}

}  // namespace app::ui
