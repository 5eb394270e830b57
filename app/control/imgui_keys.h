// Dear ImGui's keys and the colours of its tabs, for every version: 1.86 uses the key numbers of its backend (GLFW), later
// versions have names of their own.
#pragma once

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

namespace app::imgui {

#if IMGUI_VERSION_NUM < 18700
#define SATSCOPE_KEY(of_glfw, of_imgui) GLFW_KEY_##of_glfw
#else
#define SATSCOPE_KEY(of_glfw, of_imgui) ImGuiKey_##of_imgui
#endif

enum class KeyCode : int {
  tab = SATSCOPE_KEY(TAB, Tab),
  escape = SATSCOPE_KEY(ESCAPE, Escape),
  enter = SATSCOPE_KEY(ENTER, Enter),
  backspace = SATSCOPE_KEY(BACKSPACE, Backspace),
  pad_enter = SATSCOPE_KEY(KP_ENTER, KeypadEnter),
  f1 = SATSCOPE_KEY(F1, F1),  // the other function keys follow
  f2 = SATSCOPE_KEY(F2, F2),
  f5 = SATSCOPE_KEY(F5, F5),
  f11 = SATSCOPE_KEY(F11, F11),
  up = SATSCOPE_KEY(UP, UpArrow),
  down = SATSCOPE_KEY(DOWN, DownArrow),
  a = SATSCOPE_KEY(A, A),  // the others of the alphabet follow
  f = SATSCOPE_KEY(F, F),
  o = SATSCOPE_KEY(O, O),
  p = SATSCOPE_KEY(P, P),
  q = SATSCOPE_KEY(Q, Q),
  s = SATSCOPE_KEY(S, S),
  v = SATSCOPE_KEY(V, V),
  z = SATSCOPE_KEY(Z, Z),
  comma = SATSCOPE_KEY(COMMA, Comma),
  equal = SATSCOPE_KEY(EQUAL, Equal),
  minus = SATSCOPE_KEY(MINUS, Minus),
  zero = SATSCOPE_KEY(0, 0),  // the other digits follow
  pad_add = SATSCOPE_KEY(KP_ADD, KeypadAdd),
  pad_subtract = SATSCOPE_KEY(KP_SUBTRACT, KeypadSubtract),
  pad_zero = SATSCOPE_KEY(KP_0, Keypad0),
  page_up = SATSCOPE_KEY(PAGE_UP, PageUp),
  page_down = SATSCOPE_KEY(PAGE_DOWN, PageDown),
  home = SATSCOPE_KEY(HOME, Home),
  end = SATSCOPE_KEY(END, End),
  left = SATSCOPE_KEY(LEFT, LeftArrow),
  right = SATSCOPE_KEY(RIGHT, RightArrow),
  del = SATSCOPE_KEY(DELETE, Delete),
};
constexpr int first_key = SATSCOPE_KEY(SPACE, Tab), last_key = SATSCOPE_KEY(LAST, KeypadEqual);
constexpr int first_modifier = SATSCOPE_KEY(LEFT_SHIFT, LeftCtrl), last_modifier = SATSCOPE_KEY(RIGHT_SUPER, RightSuper);

#undef SATSCOPE_KEY

#if IMGUI_VERSION_NUM < 18700

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

#else

inline void prepare_reports() { ImGui::GetIO().ConfigInputTrickleEventQueue = false; }  // all in the next frame
inline void navigate(bool on) {
  auto& flags = ImGui::GetIO().ConfigFlags;
  flags = on ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}
inline void report(KeyCode key, bool down) { ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(key), down); }
inline void report_control(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, down); }
inline void report_shift(bool down) { ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down); }

#endif

// Whether the entry that the arrows move from is marked: Enter takes it then.
inline void show_focus(bool on) {
#if IMGUI_VERSION_NUM < 19140
  ImGui::GetCurrentContext()->NavDisableHighlight = !on;
#else
  ImGui::SetNavCursorVisible(on);
#endif
}
// The colour of that mark.
#if IMGUI_VERSION_NUM < 19140
inline constexpr auto focus_mark = ImGuiCol_NavHighlight;
#else
inline constexpr auto focus_mark = ImGuiCol_NavCursor;
#endif

// Whether the key went down since the previous frame.
inline bool is_pressed(KeyCode key) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), false); }
// Whether the key went down, or repeats while it is held.
inline bool is_repeated(KeyCode key) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), true); }
// Whether any key but Shift and its like went down.
inline bool any_key_is_pressed() {
  for (int key = first_key; key <= last_key; ++key)
    if ((key < first_modifier || key > last_modifier) && is_pressed(static_cast<KeyCode>(key))) return true;
  return !ImGui::GetIO().InputQueueCharacters.empty();
}

#if IMGUI_VERSION_NUM < 19090
inline constexpr auto tab_selected = ImGuiCol_TabActive, tab_dimmed = ImGuiCol_TabUnfocused,
                      tab_dimmed_selected = ImGuiCol_TabUnfocusedActive;
#else
inline constexpr auto tab_selected = ImGuiCol_TabSelected, tab_dimmed = ImGuiCol_TabDimmed,
                      tab_dimmed_selected = ImGuiCol_TabDimmedSelected;
#endif

// So many keys after one that begins a row: letters, digits.
constexpr KeyCode following(KeyCode key, int places) { return static_cast<KeyCode>(static_cast<int>(key) + places); }

// Enter, or that of the number pad.
inline bool enter_is_pressed() { return is_pressed(KeyCode::enter) || is_pressed(KeyCode::pad_enter); }

}  // namespace app::imgui
