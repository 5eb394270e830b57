// The tiles of a trace as the papers draw them: not when each one really ran, but in which step of the algorithm it works if
// all tiles take equally long, and at which other tiles it then looks. Figures of paper 000 (Emoto et al. 2018).
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"
#include "app/pipeline/tile_history.h"
#include "gpu/sat.h"

namespace app::ui {

// later: it has not begun; local: it has published its own sums, but not those from the edge of the picture on. In the order of
// TileState, whose colours they have.
enum class PaperTile { later, now, local, done };

class PaperFigure {
 public:
  explicit PaperFigure(const TileHistory& history);  // which has a pass

  int steps() const { return steps_; }
  int step_at(double position) const;  // 0 .. steps() - 1, for fractions of the whole from 0 to 1
  std::string says(int step) const;    // what happens in it
  bool shows_local_sums() const { return kind_ == Kind::look_backs || corner_ > 0; }
  gpu::LookBackDepths farthest() const;  // that any tile looks, on a grid that is large enough

  PaperTile tile(int step, int I, int J) const;
  // How far the tile looks for the sums that enter it, in this step.
  gpu::LookBackDepths reach(int step, int I, int J) const;
  std::optional<std::size_t> group(int I, int J) const;  // of tiles that belong together: a region, or a column
  std::string label(int I, int J) const;                 // its serial number, region or column; empty: none
  const std::string& longest_label() const { return longest_; }

 private:
  // diagonals: by 1R1W, but for the tiles of two corners, by 2R1W; 2r1w itself is a corner alone.
  enum class Kind { diagonals, columns, look_backs, passes };
  // The steps of a tile: its own sums, its table, and the first after its sums from the edge on were published.
  struct TileSteps {
    int sums, table, done;
  };
  TileSteps work(int I, int J) const;
  TileSteps corner_work(int first) const { return {first, first + 2, first + 3}; }
  int diagonals() const { return rows_ + columns_ - 1; }
  int serial(int I, int J) const;
  std::string corner_says(int step) const;
  std::string diagonals_say(int step) const;

  Kind kind_ = Kind::passes;
  std::string algorithm_;
  std::vector<std::string> passes_;
  int rows_ = 0, columns_ = 0;
  int corner_ = 0;  // diagonals of each corner
  int steps_ = 1;
  std::string longest_;
};

// The colours and the words of a tile trace: of the tiles over the picture, of the chart, and of the legend.
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

// What is said of a tile of a trace: under the mouse, in the chart and over the picture.

// "3 left, 2 up, 1 diagonal", without directions in which there was nothing to look at; empty if there was none.
std::string depths_text(const gpu::LookBackDepths& depths);
// Some lines about the tile of a record of the history.
std::string tile_text(const TileHistory& history, const gpu::TileRecord& record);
// What a trace is of, where the picture shown has another size or algorithm: "of an earlier algorithm"; else empty.
std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm);

}  // namespace app::ui
