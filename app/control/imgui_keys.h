// Dear ImGui's keys and the colours of its tabs, for every version: 1.86 uses the key numbers of its backend (GLFW), later
// versions have names of their own.
#pragma once

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace app::imgui {

#if IMGUI_VERSION_NUM < 18700

enum class KeyCode : int {
  tab = GLFW_KEY_TAB,
  escape = GLFW_KEY_ESCAPE,
  enter = GLFW_KEY_ENTER,
  backspace = GLFW_KEY_BACKSPACE,
  pad_enter = GLFW_KEY_KP_ENTER,
  f1 = GLFW_KEY_F1,
  f2 = GLFW_KEY_F2,
  f3 = GLFW_KEY_F3,
  f4 = GLFW_KEY_F4,
  f5 = GLFW_KEY_F5,
  f6 = GLFW_KEY_F6,
  f7 = GLFW_KEY_F7,
  f8 = GLFW_KEY_F8,
  f9 = GLFW_KEY_F9,
  f10 = GLFW_KEY_F10,
  f11 = GLFW_KEY_F11,
  f12 = GLFW_KEY_F12,
  up = GLFW_KEY_UP,
  down = GLFW_KEY_DOWN,
  a = GLFW_KEY_A,  // the others of the alphabet follow
  f = GLFW_KEY_F,
  o = GLFW_KEY_O,
  p = GLFW_KEY_P,
  q = GLFW_KEY_Q,
  s = GLFW_KEY_S,
  v = GLFW_KEY_V,
  z = GLFW_KEY_Z,
  comma = GLFW_KEY_COMMA,
  equal = GLFW_KEY_EQUAL,
  minus = GLFW_KEY_MINUS,
  zero = GLFW_KEY_0,  // the other digits follow
  pad_add = GLFW_KEY_KP_ADD,
  pad_subtract = GLFW_KEY_KP_SUBTRACT,
  pad_zero = GLFW_KEY_KP_0,
  page_up = GLFW_KEY_PAGE_UP,
  page_down = GLFW_KEY_PAGE_DOWN,
  home = GLFW_KEY_HOME,
  end = GLFW_KEY_END,
  left = GLFW_KEY_LEFT,
  right = GLFW_KEY_RIGHT,
  del = GLFW_KEY_DELETE,
};

// Prepares report() where there is no backend. Once per context.
inline void prepare_reports() {
  auto& map = ImGui::GetIO().KeyMap;
  map[ImGuiKey_Tab] = GLFW_KEY_TAB;
  map[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
  map[ImGuiKey_Enter] = GLFW_KEY_ENTER;
  map[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
  map[ImGuiKey_Space] = GLFW_KEY_SPACE;
  map[ImGuiKey_LeftArrow] = GLFW_KEY_LEFT;
  map[ImGuiKey_RightArrow] = GLFW_KEY_RIGHT;
  map[ImGuiKey_UpArrow] = GLFW_KEY_UP;
  map[ImGuiKey_DownArrow] = GLFW_KEY_DOWN;
}
// ImGui's keyboard navigation, by the arrows; Enter takes what they have chosen, in place of the space bar.
inline void navigate(bool on) {
  auto& io = ImGui::GetIO();
  io.ConfigFlags = on ? io.ConfigFlags | ImGuiConfigFlags_NavEnableKeyboard
                      : io.ConfigFlags & ~ImGuiConfigFlags_NavEnableKeyboard;
  io.KeyMap[ImGuiKey_Space] = on ? GLFW_KEY_ENTER : GLFW_KEY_SPACE;
}
// Reports a key as a backend does: the next frame sees it go down or up.
inline void report(KeyCode key, bool down) { ImGui::GetIO().KeysDown[static_cast<int>(key)] = down; }
inline void report_control(bool down) { ImGui::GetIO().KeyCtrl = down; }
inline void report_shift(bool down) { ImGui::GetIO().KeyShift = down; }
// Whether the key went down since the previous frame.
inline bool is_pressed(KeyCode key) { return ImGui::IsKeyPressed(static_cast<int>(key), false); }
// Whether the key went down, or repeats while it is held.
inline bool is_repeated(KeyCode key) { return ImGui::IsKeyPressed(static_cast<int>(key), true); }
// Whether any key but Shift and its like went down.
inline bool any_key_is_pressed() {
  for (int key = GLFW_KEY_SPACE; key <= GLFW_KEY_LAST; ++key)
    if ((key < GLFW_KEY_LEFT_SHIFT || key > GLFW_KEY_RIGHT_SUPER) && ImGui::IsKeyPressed(key, false)) return true;
  return !ImGui::GetIO().InputQueueCharacters.empty();
}

#else

enum class KeyCode : int {
  tab = ImGuiKey_Tab,
  escape = ImGuiKey_Escape,
  enter = ImGuiKey_Enter,
  backspace = ImGuiKey_Backspace,
  pad_enter = ImGuiKey_KeypadEnter,
  f1 = ImGuiKey_F1,
  f2 = ImGuiKey_F2,
  f3 = ImGuiKey_F3,
  f4 = ImGuiKey_F4,
  f5 = ImGuiKey_F5,
  f6 = ImGuiKey_F6,
  f7 = ImGuiKey_F7,
  f8 = ImGuiKey_F8,
  f9 = ImGuiKey_F9,
  f10 = ImGuiKey_F10,
  f11 = ImGuiKey_F11,
  f12 = ImGuiKey_F12,
  up = ImGuiKey_UpArrow,
  down = ImGuiKey_DownArrow,
  a = ImGuiKey_A,  // the others of the alphabet follow
  f = ImGuiKey_F,
  o = ImGuiKey_O,
  p = ImGuiKey_P,
  q = ImGuiKey_Q,
  s = ImGuiKey_S,
  v = ImGuiKey_V,
  z = ImGuiKey_Z,
  comma = ImGuiKey_Comma,
  equal = ImGuiKey_Equal,
  minus = ImGuiKey_Minus,
  zero = ImGuiKey_0,  // the other digits follow
  pad_add = ImGuiKey_KeypadAdd,
  pad_subtract = ImGuiKey_KeypadSubtract,
  pad_zero = ImGuiKey_Keypad0,
  page_up = ImGuiKey_PageUp,
  page_down = ImGuiKey_PageDown,
  home = ImGuiKey_Home,
  end = ImGuiKey_End,
  left = ImGuiKey_LeftArrow,
  right = ImGuiKey_RightArrow,
  del = ImGuiKey_Delete,
};

inline void prepare_reports() { ImGui::GetIO().ConfigInputTrickleEventQueue = false; }  // all in the next frame
inline void navigate(bool on) {
  auto& flags = ImGui::GetIO().ConfigFlags;
  flags = on ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}
inline void report(KeyCode key, bool down) { ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), down); }
inline void report_control(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down); }
inline void report_shift(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down); }
inline bool is_pressed(KeyCode key) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false); }
inline bool is_repeated(KeyCode key) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), true); }
inline bool any_key_is_pressed() {
  for (int key = ImGuiKey_Tab; key <= ImGuiKey_KeypadEqual; ++key)
    if ((key < ImGuiKey_LeftCtrl || key > ImGuiKey_RightSuper) && ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false))
      return true;
  return !ImGui::GetIO().InputQueueCharacters.empty();
}

#endif

#if IMGUI_VERSION_NUM < 19090
inline constexpr auto tab_selected = ImGuiCol_TabActive, tab_dimmed = ImGuiCol_TabUnfocused,
                      tab_dimmed_selected = ImGuiCol_TabUnfocusedActive;
#else
inline constexpr auto tab_selected = ImGuiCol_TabSelected, tab_dimmed = ImGuiCol_TabDimmed,
                      tab_dimmed_selected = ImGuiCol_TabDimmedSelected;
#endif

// Of a Selectable whose popup stays open.
#if IMGUI_VERSION_NUM < 19100
inline constexpr auto keeps_popup_open = ImGuiSelectableFlags_DontClosePopups;
#else
inline constexpr auto keeps_popup_open = ImGuiSelectableFlags_NoAutoClosePopups;
#endif

// So many keys after one that begins a row: letters, digits.
constexpr KeyCode following(KeyCode key, int places) { return static_cast<KeyCode>(static_cast<int>(key) + places); }

// Enter, or that of the number pad.
inline bool enter_is_pressed() { return is_pressed(KeyCode::enter) || is_pressed(KeyCode::pad_enter); }

}  // namespace app::imgui
