#include "app/ui/trace_colours.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/support/text.h"
#include "app/ui/widgets.h"
#include "gpu/effects/colour_map.h"

namespace app::ui {

const char* name_of(TileState state) {
  constexpr const char* names[] = {"waiting", "started", "has carries", "finished"};
  return names[static_cast<std::size_t>(state)];
}

ImU32 colour_of(TileState state) {
  constexpr colour::Name colours[] = {colour::faint, colour::warning, colour::accent, colour::good};
  return colours[static_cast<std::size_t>(state)];
}

const char* name_of(Direction direction) {
  constexpr const char* names[] = {"left", "up", "diagonal"};
  return names[static_cast<std::size_t>(direction)];
}

ImU32 colour_of(Direction direction) {
  constexpr std::size_t rows[] = {3, 4, 6};  // of the theme: neither amber, blue nor green
  return colour::row(rows[static_cast<std::size_t>(direction)]);
}

const char* name_of(PaperTile state) {
  constexpr const char* names[] = {"not begun", "works", "has local sums", "done"};
  return names[static_cast<std::size_t>(state)];
}

ImU32 colour_of(PaperTile state) { return colour_of(tile_states[static_cast<std::size_t>(state)]); }

ImU32 colour_of_fraction(double fraction) {
  const auto c = gpu::effects::viridis(static_cast<float>(fraction));
  return IM_COL32(c.r, c.g, c.b, c.a);
}

float fractions_width(std::string_view first, std::string_view last) {
  return text_width(first) + ImGui::GetStyle().ItemInnerSpacing.x * 2 + text_width(last) + em() * 3;
}

void legend_of_fractions(std::string_view first, std::string_view last) {
  const auto gap = ImGui::GetStyle().ItemInnerSpacing.x;
  const auto words = fractions_width(first, last) - em() * 3;
  const auto width = std::min(em() * 8, ImGui::GetContentRegionAvail().x - words), height = std::round(em() * 0.7f);
  ImGui::AlignTextToFramePadding();
  text(first, colour::dim);
  ImGui::SameLine(0, gap);
  const auto at = ImGui::GetCursorScreenPos();
  const auto top = at.y + std::round((ImGui::GetFrameHeight() - height) / 2);
  constexpr int steps = 32;
  for (int i = 0; i < steps; ++i)
    ImGui::GetWindowDrawList()->AddRectFilled({at.x + width * static_cast<float>(i) / steps, top},
                                              {at.x + width * static_cast<float>(i + 1) / steps, top + height},
                                              colour_of_fraction((i + 0.5) / steps));
  ImGui::Dummy({width, ImGui::GetFrameHeight()});
  ImGui::SameLine(0, gap);
  ImGui::AlignTextToFramePadding();
  text(last, colour::dim);
}

ImU32 colour_of(TraceColour meaning, const TileHistory& history, const TileMoment& tile) {
  if (meaning == TraceColour::state || tile.state == TileState::waiting) return colour_of(tile.state);
  if (meaning == TraceColour::start)
    return colour_of_fraction(static_cast<double>(tile.record->started) /
                              static_cast<double>(std::max<std::uint64_t>(history.end, 1)));
  // Neighbouring numbers get colours far from each other: neighbouring tiles often run on neighbouring multiprocessors.
  constexpr double golden = 0.6180339887498949;
  const auto place = static_cast<double>(history.place_of(tile.record->multiprocessor)) * golden;
  const auto hue = place - std::floor(place);
  return ImColor::HSV(static_cast<float>(hue), 0.55f, 0.9f);
}

std::string tile_text(const TileHistory& history, const gpu::TileRecord& record) {
  const auto& pass = history.pass_of(record);
  const auto number = history.number_of(record), place = number - pass.first;
  const auto columns = static_cast<std::size_t>(pass.columns);
  const auto us = [](std::uint64_t nanoseconds) { return microseconds(static_cast<double>(nanoseconds) / 1000); };
  const auto depths = depths_text(record.look_back);
  return pass.name + ", tile row " + std::to_string(place / columns) + ", column " + std::to_string(place % columns) +
         "\nlaunch " + std::to_string(record.launch) + ", number " + std::to_string(history.serials[number]) + ", " +
         (history.device == gpu::Device::simulated ? "resident block " : "SM ") + std::to_string(record.multiprocessor) +
         "\nstarted " + us(record.started) + ", carries " + us(record.carried) + ", finished " + us(record.finished) +
         " µs" + (depths.empty() ? "" : "\nlooked back " + depths);
}

}  // namespace app::ui
