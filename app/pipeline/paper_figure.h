// PaperFigure: the tiles of a trace as the papers draw them: not when each one really ran, but in which step of the algorithm
// it works if all tiles take equally long, and at which other tiles it then looks. Figures of paper 000 (Emoto et al. 2018).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/pipeline/tile_history.h"
#include "gpu/sat.h"

namespace app {

// later: it has not begun; local: it has published its own sums, but not those from the edge of the picture on. In the order
// of TileState.
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

}  // namespace app
