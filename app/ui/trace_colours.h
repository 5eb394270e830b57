// The colours and the words of a tile trace: of the tiles over the picture, of the chart, and of the legend.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/control/settings.h"
#include "app/pipeline/paper_figure.h"
#include "app/pipeline/tile_history.h"
#include "gpu/sat.h"

namespace app::ui {

inline constexpr TileState tile_states[] = {TileState::waiting, TileState::started, TileState::carried, TileState::finished};
const char* name_of(TileState state);  // "waiting"
ImU32 colour_of(TileState state);
// From dark violet to yellow, for fractions from 0 to 1. Its lightness rises steadily, also for people who see fewer colours.
ImU32 colour_of_fraction(double fraction);
// These colours between what they begin and end with, in a line of controls that has room for fractions_width() or more.
void legend_of_fractions(std::string_view first, std::string_view last);
float fractions_width(std::string_view first, std::string_view last);

enum class Direction { left, up, diagonal };
inline constexpr Direction directions[] = {Direction::left, Direction::up, Direction::diagonal};
const char* name_of(Direction direction);  // "left"
ImU32 colour_of(Direction direction);      // of look-backs: other colours than those of states

const char* name_of(PaperTile state);  // "works"
ImU32 colour_of(PaperTile state);

// The colour of a tile, without transparency: by the time of its start, its state, or its multiprocessor.
ImU32 colour_of(TraceColour meaning, const TileHistory& history, const TileMoment& tile);

// Some lines about the tile of a record of the history, for the tooltips of the chart and over the picture.
std::string tile_text(const TileHistory& history, const gpu::TileRecord& record);

}  // namespace app::ui
