// The user's editor: a file of the user's own is opened there, at a line.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// The words that start an editor. `editor`: as $VISUAL has it, "code --wait". `line`: from 1; 0: anywhere. Empty where it is none, or
// one for a terminal, of which a window has none.
std::vector<std::string> editor_words(std::string_view editor, const std::filesystem::path& file, int line);

// Why open_in_editor() cannot work here, one line; empty if it can.
std::string why_no_editor();
// Opens it in the editor of $VISUAL, else of $EDITOR, else in what the desktop has for such files, in a process of its own, and does not
// wait for that. Throws std::invalid_argument with one line.
void open_in_editor(const std::filesystem::path& file, int line = 0);

}  // namespace app
