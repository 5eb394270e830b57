#include "app/ui/note.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/ui/layout.h"

namespace app::ui {

ClipToPicture::ClipToPicture(const Area& area) : draw(*ImGui::GetBackgroundDrawList()) {
  draw.PushClipRect(low(as_rect(area)), high(as_rect(area)));
}

Note::Note(std::vector<NoteLine> lines)
    : lines_(std::move(lines)), pad_(std::round(ImGui::GetFontSize() * 0.4f), std::round(ImGui::GetFontSize() * 0.25f)) {
  for (const auto& line : lines_) size_.x = std::max(size_.x, ImGui::CalcTextSize(line.text.c_str()).x);
  const auto pitch = ImGui::GetTextLineHeightWithSpacing(), between = pitch - ImGui::GetTextLineHeight();
  size_ = {size_.x + 2 * pad_.x, pitch * static_cast<float>(lines_.size()) - between + 2 * pad_.y};
}

void Note::draw(ImDrawList& draw, const Rect& place) const {
  draw.AddRectFilled(low(place), high(place), note_ground, 3);
  ImVec2 at(place.x + pad_.x, place.y + pad_.y);
  for (const auto& line : lines_) {
    draw.AddText(at, line.colour, line.text.c_str());
    at.y += ImGui::GetTextLineHeightWithSpacing();
  }
}

}  // namespace app::ui
