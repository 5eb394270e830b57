#include "app/ui/matrix_overlay.h"

#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/control/imgui_keys.h"
#include "app/support/text.h"

namespace app::ui {
namespace {

using imgui::KeyCode;

constexpr std::size_t longest = 9;  // bytes of a typed text

// The values as they were set last, which may not have been computed yet; else those of the picture.
capture::Matrix matrix_now(const PanelContext& ui) {
  if (!ui.settings.matrix.empty()) try {
      return capture::matrix_from(ui.settings.matrix, ';', "matrix");
    } catch (const capture::SourceError&) {  // its error is the source's to report
    }
  const auto& pixels = *ui.state.probed;
  capture::Matrix matrix{pixels.picture, {}};
  for (const auto& pixel : pixels.values) matrix.values.push_back(pixel.gray);
  matrix.values.resize(matrix.size.pixels());
  return matrix;
}

bool holds(const capture::Matrix& matrix, int x, int y) { return x < matrix.size.width && y < matrix.size.height; }

void accept(PanelContext& ui) {
  auto& draft = ui.drafts.matrix;
  if (!std::exchange(draft.editing, false)) return;
  auto matrix = matrix_now(ui);
  if (!holds(matrix, draft.x, draft.y)) return;
  auto& entry = matrix.at(draft.x, draft.y);
  const auto typed = capture::typed_number(draft.text, entry);
  draft.wrong = typed.wrong;
  if (std::exchange(entry, typed.value) != typed.value) ui.change("matrix", capture::matrix_text(matrix, ';'));
}

void begin(PanelContext& ui, std::string text) {
  auto& draft = ui.drafts.matrix;
  draft.editing = true;
  draft.offered = false;
  draft.text = std::move(text);
  draft.wrong.clear();
}

void type(std::string& text, std::string_view more) {
  const bool shown = more.find_first_of("\t\r\n") == more.npos;
  if (shown && text.size() + more.size() <= longest) text += more;
}

// The first word of what was copied, as of cells of a spreadsheet.
void paste(std::string& text) {
  const char* copied = ImGui::GetClipboardText();
  const std::string_view all = copied ? copied : "";
  const auto from = std::min(all.find_first_not_of(" \t\r\n"), all.size());
  const auto word = all.substr(from, all.find_first_of(" \t\r\n", from) - from);
  type(text, word.substr(0, longest));
}

void erase_last(std::string& text) {
  if (!text.empty()) text.resize(beginning_of(text, text.size() - 1).size());
}

bool begins_number(ImWchar c) { return (c >= '0' && c <= '9') || c == '-' || c == '+'; }

// A digit or a sign begins to edit; then all that is typed belongs to the number, right or wrong. What comes before does nothing,
// and says so.
void take_characters(PanelContext& ui) {
  auto& draft = ui.drafts.matrix;
  auto& typed = ImGui::GetIO().InputQueueCharacters;
  const auto is_digit = [](ImWchar c) { return c >= '0' && c <= '9'; };
  if (draft.offered && std::none_of(typed.begin(), typed.end(), is_digit)) return;
  for (const auto character : typed) {
    if (!draft.editing && begins_number(character)) begin(ui, {});
    char utf8[5];
    if (draft.editing)
      type(draft.text, ImTextCharToUtf8(utf8, character));
    else
      draft.wrong = "Keys do nothing while a number is selected; Escape leaves it";
  }
  typed.clear();
}

// Accepts what was typed and selects another number. Where that is refused the same one stays selected: what is typed next
// corrects it.
void go(PanelContext& ui, gpu::Size size, int x, int y) {
  auto& draft = ui.drafts.matrix;
  if (!draft.editing) draft.wrong.clear();
  accept(ui);
  draft.moved = true;
  if (!draft.wrong.empty()) return;
  draft.offered = false;
  draft.x = std::clamp(x, 0, size.width - 1);
  draft.y = std::clamp(y, 0, size.height - 1);
}

void take_arrows(PanelContext& ui, gpu::Size size) {
  const auto& draft = ui.drafts.matrix;
  const bool back = ImGui::GetIO().KeyShift;
  if (imgui::is_repeated(KeyCode::up)) go(ui, size, draft.x, draft.y - 1);
  if (imgui::is_repeated(KeyCode::down)) go(ui, size, draft.x, draft.y + 1);
  if (imgui::is_repeated(KeyCode::left)) go(ui, size, draft.x - 1, draft.y);
  if (imgui::is_repeated(KeyCode::right)) go(ui, size, draft.x + 1, draft.y);
  if (draft.offered || !imgui::is_repeated(KeyCode::tab)) return;
  const int next = std::clamp(draft.y * size.width + draft.x + (back ? -1 : 1), 0, size.width * size.height - 1);
  go(ui, size, next % size.width, next / size.width);
}

void take_keys(PanelContext& ui, gpu::Size size) {
  auto& draft = ui.drafts.matrix;
  const auto& io = ImGui::GetIO();
  const bool enter = imgui::enter_is_pressed();
  if (io.KeyCtrl) {
    if (draft.editing && imgui::is_pressed(KeyCode::v)) paste(draft.text);
    return;
  }
  if (draft.editing && imgui::is_repeated(KeyCode::backspace)) erase_last(draft.text);
  if (enter && draft.editing)
    go(ui, size, draft.x, draft.y + (io.KeyShift ? -1 : 1));
  else if (enter || (imgui::is_pressed(KeyCode::f2) && !draft.editing))
    edit_number(ui);
  take_arrows(ui, size);
  if (draft.offered || !imgui::is_pressed(KeyCode::escape)) return;
  if (!std::exchange(draft.editing, false)) draft = {};
}

}  // namespace

std::span<const KeyCode> keys_of_matrix(const PanelContext& ui) {
  using enum KeyCode;
  static constexpr KeyCode keys[] = {left, right, up, down, tab, escape, backspace, del};
  constexpr std::size_t arrows = 4;
  const auto& draft = ui.drafts.matrix;
  if (!draft.selected || !draft.focused || is_covered(ui) || ImGui::GetIO().WantTextInput || !ui.state.probed) return {};
  return draft.offered ? std::span(keys).first(arrows) : std::span(keys);
}

bool take_matrix_keys(PanelContext& ui, std::vector<KeyCode>& taken) {
  const auto keys = keys_of_matrix(ui);
  if (keys.empty()) return false;
  auto& draft = ui.drafts.matrix;
  const auto& picture = ui.state.probed->picture;
  if (draft.x >= picture.width || draft.y >= picture.height || draft.source != ui.settings.source) {
    draft = {};
    return false;
  }
  const bool edited = draft.editing;
  take_characters(ui);
  if (const auto& io = ImGui::GetIO(); !io.KeyAlt && !io.KeySuper) take_keys(ui, picture);
  taken.insert(taken.end(), keys.begin(), keys.end());
  if (edited && ImGui::GetIO().KeyCtrl && imgui::is_pressed(KeyCode::z)) {  // the typing is what is undone
    draft.editing = false;
    draft.wrong.clear();
    return true;
  }
  return (edited || draft.editing) && !ImGui::GetIO().KeyCtrl;
}

void offer_number(PanelContext& ui) {
  auto& draft = ui.drafts.matrix;
  if (draft.selected && draft.source == ui.settings.source) return;
  draft = {};
  draft.selected = draft.offered = true;
  draft.source = ui.settings.source;
}

// The matrix may be smaller already than the picture shown.
void click_number(PanelContext& ui, int x, int y) {
  auto& draft = ui.drafts.matrix;
  draft.offered = false;
  if (draft.selected && draft.x == x && draft.y == y) return;
  if (!draft.editing) draft.wrong.clear();
  accept(ui);
  draft.selected = holds(matrix_now(ui), x, y);
  draft.source = ui.settings.source;
  draft.x = x;
  draft.y = y;
}

void edit_number(PanelContext& ui) {
  auto& draft = ui.drafts.matrix;
  auto matrix = matrix_now(ui);
  if (draft.selected && !draft.editing && holds(matrix, draft.x, draft.y))
    begin(ui, std::to_string(matrix.at(draft.x, draft.y)));
}

void accept_valid_number(PanelContext& ui) {
  const auto& draft = ui.drafts.matrix;
  if (ui.state.probed && draft.editing && draft.source == ui.settings.source &&
      capture::typed_number(draft.text, 0).wrong.empty())
    accept(ui);
}

void leave_numbers(PanelContext& ui) {
  auto& draft = ui.drafts.matrix;
  if (!draft.editing) draft.wrong.clear();
  accept(ui);
  draft.selected = draft.offered = false;
}

}  // namespace app::ui
