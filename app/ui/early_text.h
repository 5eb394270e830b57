// Lines of text that a key has opened: they get the keyboard two frames after they ask for it, and what is typed meanwhile
// must neither be lost nor start actions.
#pragma once

#include <imgui.h>

#include <string>

namespace app::ui {

// What was typed since the previous frame; from then on nobody else gets it.
std::string take_typed();
// A line that gets the keyboard has all of its text selected; with this callback typing goes on at its end. `data.UserData`:
// a bool, whether it is to go there; always called.
int cursor_to_end(ImGuiInputTextCallbackData* data);

}  // namespace app::ui
