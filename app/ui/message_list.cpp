// Messages to the user: over the picture, so that they are seen even if the panels are hidden.
#include <algorithm>

#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

constexpr int most_shown = 5;  // the latest; more would hide the picture

ImU32 strip(Message::Kind kind) {
  switch (kind) {
    case Message::Kind::info: return colour::accent;
    case Message::Kind::warning: return colour::warning;
    case Message::Kind::error: return colour::bad;
  }
  return colour::accent;
}

// A message is usually one line; of a very long one only the beginning is shown.
std::string beginning(const std::string& text) {
  constexpr std::size_t most = 500;
  if (text.size() <= most) return text;
  auto end = most;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;  // not inside a UTF-8 character
  return text.substr(0, end) + "...";
}

// Draws a card with a coloured edge, its lower left corner at (x, bottom). Returns its height.
float card(ImDrawList& draw, const std::string& text, ImU32 edge, float x, float bottom, float width, float opacity) {
  const auto pad = std::round(ImGui::GetFontSize() * 0.6f);
  const auto inner = width - pad * 2;
  const auto size = ImGui::CalcTextSize(text.c_str(), nullptr, false, inner);
  const ImVec2 from(x, std::round(bottom - size.y - pad * 1.4f)), to(x + size.x + pad * 2, bottom);
  const auto faded = [&](ImU32 colour) {
    return (colour & ~IM_COL32_A_MASK) |
           (static_cast<ImU32>(static_cast<float>(colour >> IM_COL32_A_SHIFT) * opacity) << IM_COL32_A_SHIFT);
  };
  draw.AddRectFilled(from, to, faded(colour::translucent(colour::raised, 240)), 3);
  draw.AddRectFilled(from, {from.x + std::round(pad * 0.35f), to.y}, faded(edge), 3, ImDrawFlags_RoundCornersLeft);
  draw.AddText(ImGui::GetFont(), ImGui::GetFontSize(), {from.x + pad, from.y + pad * 0.7f}, faded(colour::text),
               text.c_str(), nullptr, inner);
  return to.y - from.y;
}

// If there is no picture, the reason.
void instead_of_picture(const State& state, ImDrawList& draw, const Rect& rect) {
  using Phase = capture::Status::Phase;
  const bool failed = state.capture.phase == Phase::failed;
  if (state.picture.width > 0 && !failed) return;
  const auto& said = state.capture.message;
  const std::string text = !said.empty() ? beginning(said) : failed ? "The source failed" : "Opening the source...";
  const auto width = std::min(rect.width * 0.8f, ImGui::GetFontSize() * 36);
  const auto size = ImGui::CalcTextSize(text.c_str(), nullptr, false, width - ImGui::GetFontSize() * 1.2f);
  const auto x = rect.x + (rect.width - size.x) / 2 - ImGui::GetFontSize() * 0.6f;
  card(draw, text, failed ? colour::bad : colour::accent, std::round(x), std::round(rect.y + rect.height / 2 + size.y),
       width, 1);
}

// What lasts of a source from which nothing comes; a source that failed is said in the middle of the picture.
std::string lasting(const capture::Status& capture) {
  if (capture.phase == capture::Status::Phase::failed || no_signal(capture).empty()) return {};
  return why_no_signal(capture);
}

}  // namespace

void messages(PanelContext& ui, const Rect& rect) {
  // A window, so that dialogs and lists lie above it; the mouse does not see it.
  const PanelWindow window("messages", rect, ImGuiWindowFlags_NoInputs);
  if (!window.visible()) return;
  auto& draw = *ImGui::GetWindowDrawList();
  instead_of_picture(ui.state, draw, rect);
  const auto gap = std::round(10 * ui.scale);
  auto bottom = rect.y + rect.height - gap;
  const auto place = [&](const std::string& text, ImU32 edge, float opacity) {
    bottom -= card(draw, beginning(text), edge, rect.x + gap, bottom,
                   std::min(rect.width - gap * 2, ImGui::GetFontSize() * 40), opacity) +
              gap * 0.6f;
  };
  // With panels, it is in the status line, and in the section of the source.
  if (!ui.settings.panels && !ui.state.refusal.empty()) place("refused: " + ui.state.refusal, colour::warning, 1);
  const auto loss = ui.settings.panels ? std::string() : lasting(ui.state.capture);
  if (!loss.empty()) place(loss, colour::warning, 1);
  const auto& all = ui.state.messages;
  int shown = 0;
  for (auto message = all.rbegin(); message != all.rend() && shown < most_shown && bottom > rect.y; ++message) {
    const auto left = message_seconds(message->kind) - message->age;
    if (left <= 0 || (!loss.empty() && message->text == ui.state.capture.loss)) continue;  // said already
    ++shown;
    const auto opacity = static_cast<float>(std::clamp(left / 0.4, 0.0, 1.0));
    place(message->text, strip(message->kind), opacity);
  }
}

}  // namespace app::ui
