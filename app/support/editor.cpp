#include "app/support/editor.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "app/support/machine.h"

namespace app {
namespace {

namespace fs = std::filesystem;

bool is_among(const std::string& program, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, program) != all.end();
}

bool can_start(const std::string& program) {
  std::error_code error;
  return program.find('/') == program.npos ? is_on_path(program) : fs::exists(program, error);
}

// Of the user's own editor; empty: there is none that a window can open.
std::vector<std::string> own_editor(const fs::path& file, int line) {
  for (const auto* variable : {"VISUAL", "EDITOR"})
    if (auto words = editor_words(environment(variable), file, line); !words.empty() && can_start(words.front()))
      return words;
  return {};
}

}  // namespace

std::vector<std::string> editor_words(std::string_view editor, const fs::path& file, int line) {
  std::istringstream stream{std::string(editor)};
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  if (words.empty()) return {};
  const auto program = fs::path(words.front()).filename().string();
  if (is_among(program,
               {"ed",   "ex",   "helix",           "hx", "jed",  "joe", "kak", "mcedit", "mg", "micro", "nano", "ne", "nvi",
                "nvim", "pico", "sensible-editor", "vi", "view", "vim", "vis", "editor"}))
    return {};
  if (program == "emacs" && std::ranges::find(words, "-nw") != words.end()) return {};
  if (program == "emacsclient" && std::ranges::any_of(words, [](const auto& word) { return word == "-t" || word == "-nw"; }))
    return {};
  const auto number = std::to_string(line);
  if (line == 0) {
    words.push_back(file.string());
  } else if (is_among(program, {"code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"})) {
    words.insert(words.end(), {"--goto", file.string() + ':' + number});
  } else if (is_among(program, {"subl", "sublime_text", "zed", "zeditor", "lite-xl", "pulsar"})) {
    words.push_back(file.string() + ':' + number);
  } else if (is_among(program, {"kate", "kwrite", "clion", "idea", "mousepad", "geany"})) {
    words.insert(words.end(), {"--line", number, file.string()});
  } else {
    words.insert(words.end(), {'+' + number, file.string()});  // gedit, emacs, gvim and most others
  }
  return words;
}

std::string why_no_editor() { return own_editor("x.cu", 0).empty() ? why_no_folder() : std::string(); }

void open_in_editor(const fs::path& file, int line) {
  const auto cannot = "cannot open " + file.string() + " in an editor: ";
  std::error_code error;
  const auto path = fs::absolute(file, error);
  if (!fs::exists(path, error)) throw std::invalid_argument(cannot + "it is not there any more");
  if (const auto why = why_no_editor(); !why.empty())
    throw std::invalid_argument(cannot + why + "; set VISUAL to your editor");
  auto words = own_editor(path, line);
  if (words.empty()) words = {"xdg-open", path.string()};
  words.insert(words.begin(), {"setsid", "--fork"});  // nobody waits for it, nor ends it
  if (run_program(words) != 0) throw std::invalid_argument(cannot + words[2] + " could not be started");
}

}  // namespace app
