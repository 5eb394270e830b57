#include "app/ui/trace_colours.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/support/size_text.h"
#include "app/ui/widgets.h"

namespace app::ui {

const char* name_of(TileState state) {
  switch (state) {
    case TileState::waiting: return "waiting";
    case TileState::started: return "started";
    case TileState::carried: return "has carries";
    case TileState::finished: break;
  }
  return "finished";
}

ImU32 colour_of(TileState state) {
  switch (state) {
    case TileState::waiting: return colour::faint;
    case TileState::started: return colour::warning;
    case TileState::carried: return colour::accent;
    case TileState::finished: break;
  }
  return colour::good;
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
  switch (state) {
    case PaperTile::later: return "not begun";
    case PaperTile::now: return "works";
    case PaperTile::local: return "has local sums";
    case PaperTile::done: break;
  }
  return "done";
}

ImU32 colour_of(PaperTile state) {
  switch (state) {
    case PaperTile::later: return colour_of(TileState::waiting);
    case PaperTile::now: return colour_of(TileState::started);
    case PaperTile::local: return colour_of(TileState::carried);
    case PaperTile::done: break;
  }
  return colour_of(TileState::finished);
}

// Points of the map "viridis" of matplotlib, between which colours are interpolated.
ImU32 colour_of_fraction(double fraction) {
  constexpr int points[][3] = {{68, 1, 84},    {71, 45, 123}, {59, 82, 139},  {44, 114, 142}, {33, 145, 140},
                               {40, 174, 128}, {94, 201, 98}, {173, 220, 48}, {253, 231, 37}};
  const auto place = std::clamp(fraction, 0.0, 1.0) * (std::size(points) - 1);
  const auto from = std::min(static_cast<std::size_t>(place), std::size(points) - 2);
  const auto part = place - static_cast<double>(from);
  const auto mixed = [&](int c) {
    return static_cast<int>(std::lround(points[from][c] + part * (points[from + 1][c] - points[from][c])));
  };
  return IM_COL32(mixed(0), mixed(1), mixed(2), 255);
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

std::string depths_text(const gpu::LookBackDepths& depths) {
  std::string all;
  const auto add = [&](int tiles, const char* direction) {
    if (tiles > 0) all += (all.empty() ? "" : ", ") + std::to_string(tiles) + ' ' + direction;
  };
  add(depths.left, "left");
  add(depths.up, "up");
  add(depths.diagonal, "diagonal");
  return all;
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

std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm) {
  if (history.image != shown) return "of a picture of " + text_of(history.image);
  return algorithm && history.algorithm != algorithm->name ? "of an earlier algorithm" : "";
}

}  // namespace app::ui
