// Messages to the user: over the picture, so that they are seen even if the panels are hidden.
#include <imgui_internal.h>

#include "app/ui/layout.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

constexpr int most_shown = 5;  // the latest; more would hide the picture

ImU32 edge_of(const Message& message) {
  switch (message.kind) {
    case Message::Kind::info: return message.file.empty() ? colour::accent : colour::good;
    case Message::Kind::warning: return colour::warning;
    case Message::Kind::error: return colour::bad;
  }
  return colour::accent;
}

constexpr const char *show_file = "Show file", *copy_path = "Copy";

float width_of_actions() { return width_of_buttons({show_file, copy_path}) + ImGui::GetStyle().ItemSpacing.x; }

// A card with a coloured edge around a text that is at most so wide; right of it buttons, where a file was saved.
struct Card {
  Card(std::string words, ImU32 colour, float most, bool with_buttons = false)
      : text(std::move(words)), edge(colour), pad(std::round(ImGui::GetFontSize() * 0.6f)) {
    buttons = with_buttons ? width_of_actions() : 0;
    inner = std::max(em(), most - pad * 2 - buttons);
    const auto size = ImGui::CalcTextSize(text.c_str(), nullptr, false, inner);
    width = size.x + pad * 2 + buttons;
    height = std::round(std::max(size.y, with_buttons ? ImGui::GetFrameHeight() : 0) + pad * 1.4f);
    above = std::round((height - size.y) / 2);
  }
  void draw(ImDrawList& list, const Rect& at, float opacity) const {
    const ImVec2 from(at.x, at.y), to(at.x + width, at.y + height);
    const auto faded = [&](ImU32 colour) {
      return (colour & ~IM_COL32_A_MASK) |
             (static_cast<ImU32>(static_cast<float>(colour >> IM_COL32_A_SHIFT) * opacity) << IM_COL32_A_SHIFT);
    };
    list.AddRectFilled(from, to, faded(colour::translucent(colour::raised, 240)), 3);
    list.AddRectFilled(from, {from.x + std::round(pad * 0.35f), to.y}, faded(edge), 3, ImDrawFlags_RoundCornersLeft);
    list.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {from.x + pad, from.y + above}, faded(colour::text), text.c_str(),
                 nullptr, inner);
  }

  std::string text;
  ImU32 edge;
  float pad, inner, above, buttons, width = 0, height = 0;
};

// In a window of their own: that of the messages gets no mouse. ImGui keeps every window that it has ever seen: this one is
// named by its place among the messages that are shown.
void file_buttons(PanelContext& ui, const std::string& file, const Rect& card, const Card& of, int place) {
  ImGui::SetNextWindowPos(
      {card.x + card.width - of.buttons, card.y + std::round((card.height - ImGui::GetFrameHeight()) / 2)});
  const auto name = "file " + std::to_string(place);
  const OverlayWindow window(name.c_str(), ui.scale,
                             ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_AlwaysAutoResize |
                                 ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollbar,
                             ImVec2(0, 0));
  if (!window.visible()) return;
  ImGui::PushID(file.c_str());
  if (button(show_file, "Shows " + without_controls(file) + " in its folder", ui.state.no_folder)) ui.result.shown = file;
  ImGui::SameLine();
  if (button(copy_path, "Copies its path")) ImGui::SetClipboardText(file.c_str());
  ImGui::PopID();
}

// The cards over the picture, none of which lies on another one or on a note, as far as there is room.
class Cards {
 public:
  Cards(PanelContext& ui, ImDrawList& list, const Rect& area) : list_(list), area_(area), notes_(ui.state.notes) {
    required_ = std::min<std::size_t>(notes_.size(), 1);
    const auto require = [&](const Rect& rect) {
      notes_.insert(notes_.begin(), rect);
      ++required_;
    };
    if (const auto& matrix = ui.drafts.matrix; matrix.hint.width > 0) {
      notes_.insert(notes_.begin() + static_cast<std::ptrdiff_t>(required_), {matrix.head, matrix.numbers});
      of_matrix_ = 2;
      require(matrix.hint);
    }
    std::ranges::for_each(ui.drafts.hints, require);
  }

  bool place(const Card& card, float x, float bottom, float opacity, bool required) {
    const Rect wanted{x, bottom - card.height, card.width, card.height};
    auto others = cards_;
    others.insert(others.end(), notes_.begin(), notes_.end());
    auto at = free_place(area_, wanted, others);
    const auto kept_free = required_ + (required ? 0 : of_matrix_);
    if (overlaps(at, others) && notes_.size() > kept_free) {
      others.resize(cards_.size() + kept_free);
      at = free_place(area_, wanted, others);
    }
    if (overlaps(at, others) && !required) return false;
    card.draw(list_, at, opacity);
    cards_.push_back(at);
    return true;
  }
  const Rect& last() const { return cards_.back(); }

 private:
  ImDrawList& list_;
  Rect area_;
  std::vector<Rect> notes_;
  std::size_t required_;       // of the notes: the first ones, which no card may hide
  std::size_t of_matrix_ = 0;  // of those behind them: which only a required card may hide
  std::vector<Rect> cards_;
};

// If there is no picture, the reason.
void instead_of_picture(const State& state, Cards& cards, const Rect& rect) {
  using Phase = capture::Status::Phase;
  const bool failed = state.capture.phase == Phase::failed;
  if (state.picture.width > 0 && !failed) return;
  const auto& said = state.capture.message;
  const std::string text = !said.empty() ? shown_text(said) : failed ? "The source failed" : "Opening the source...";
  const Card card(text, failed ? colour::bad : colour::accent, std::min(rect.width * 0.8f, ImGui::GetFontSize() * 36));
  cards.place(card, std::round(rect.x + (rect.width - card.width) / 2), std::round(rect.y + (rect.height + card.height) / 2),
              1, true);
}

// Why nothing comes from the source, while that lasts. Why a source failed is said in the middle of the picture.
std::string why_nothing_comes(const capture::Status& capture) {
  if (capture.phase == capture::Status::Phase::failed || no_signal(capture).empty()) return {};
  return why_no_signal(capture);
}

}  // namespace

void messages(PanelContext& ui, const Rect& rect) {
  // A window, so that dialogs and lists lie above it; the mouse does not see it.
  const PanelWindow window("messages", rect, ImGuiWindowFlags_NoInputs);
  if (!window.visible()) return;
  // Dear ImGui draws a new window of this kind behind those that are there: a matrix would cover it.
  if (ImGui::IsWindowAppearing()) ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  const auto gap = std::round(10 * ui.scale);
  const Rect inside{rect.x + gap, rect.y, std::max(0.f, rect.width - gap * 2), std::max(0.f, rect.height - gap)};
  const Rect to_edge{inside.x, inside.y, inside.width, std::max(0.f, rect.height - 1)};  // where other room is scarce
  Cards cards(ui, *ImGui::GetWindowDrawList(), to_edge);
  instead_of_picture(ui.state, cards, rect);
  auto bottom = inside.y + inside.height;
  bool first = true;
  int shown = 0;
  const auto place = [&](const std::string& text, ImU32 edge, float opacity, const std::string& file = {}) {
    const Card card(shown_text(text), edge, std::min(inside.width, ImGui::GetFontSize() * 40), !file.empty());
    // The latest is seen even where there is no room beside the notes.
    if (!cards.place(card, inside.x, bottom, opacity, std::exchange(first, false))) return;
    bottom = cards.last().y - gap * 0.6f;
    if (!file.empty()) file_buttons(ui, file, cards.last(), card, shown);
  };
  if (!ui.settings.panels && !ui.state.refusal.empty())  // else the playback bar says it
    place("refused: " + ui.state.refusal, colour::warning, 1);
  const auto loss = why_nothing_comes(ui.state.capture);
  if (!loss.empty()) place(loss, colour::warning, 1);
  const auto& all = ui.state.messages;
  for (auto message = all.rbegin(); message != all.rend() && shown < most_shown && bottom > rect.y; ++message) {
    const auto left = message_seconds(message->kind) - message->age;
    if (left <= 0 || (!loss.empty() && message->text == ui.state.capture.loss)) continue;  // said already
    ++shown;
    const auto opacity = static_cast<float>(std::clamp(left / 0.4, 0.0, 1.0));
    place(message->text, edge_of(*message), opacity, message->file);
  }
}

}  // namespace app::ui
