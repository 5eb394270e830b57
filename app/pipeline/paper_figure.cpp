#include "app/pipeline/paper_figure.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "gpu/sat/block/diagonals.h"

namespace app {
namespace {

// As if a tile needed as long as three diagonals of tiles until its sums from the edge on are there.
constexpr int diagonals_under_way = 3;
constexpr int corner_steps = 3;  // the kernels of 2R1W

// How many diagonals of 1_plus_r_r1w are region A, and as many C: their tiles alone have their sums recorded by themselves.
int corner_of(const TileHistory& history) {
  const auto& pass = history.passes.front();
  if (history.passes.size() < 2) return 0;
  const auto records = history.of(pass);
  int corner = 0;
  for (; corner < pass.rows + pass.columns - 1; ++corner) {
    const int I = std::max(0, corner - pass.columns + 1), J = corner - I;
    if (records[static_cast<std::size_t>(I) * static_cast<std::size_t>(pass.columns) + static_cast<std::size_t>(J)].launch ==
        0)
      break;
  }
  return corner;
}

std::string of_steps(const char* what, int number, std::size_t count) {
  return std::string(what) + ' ' + std::to_string(number + 1) + " of " + std::to_string(count);
}

}  // namespace

PaperFigure::PaperFigure(const TileHistory& history)
    : algorithm_(history.algorithm), rows_(history.passes.front().rows), columns_(history.passes.front().columns) {
  for (const auto& pass : history.passes) passes_.push_back(pass.name);
  steps_ = diagonals();
  if (algorithm_ == "1r1w") {
    kind_ = Kind::diagonals;
  } else if (algorithm_ == "2r1w") {
    kind_ = Kind::diagonals;
    corner_ = diagonals();
    steps_ = corner_steps;
  } else if (algorithm_ == "1_plus_r_r1w") {
    kind_ = Kind::diagonals;
    corner_ = corner_of(history);
    if (corner_ > 0) steps_ += 2 * (corner_steps - corner_);
    longest_ = "A";
  } else if (algorithm_ == "1r1w_skss") {
    kind_ = Kind::columns;
    longest_ = std::to_string(columns_ - 1);
  } else if (algorithm_ == "1r1w_skss_lb") {
    kind_ = Kind::look_backs;
    longest_ = std::to_string(rows_ * columns_ - 1);
  } else {
    steps_ = static_cast<int>(passes_.size());
  }
}

int PaperFigure::step_at(double position) const { return std::clamp(static_cast<int>(position * steps_), 0, steps_ - 1); }

PaperFigure::TileSteps PaperFigure::work(int I, int J) const {
  const int diagonal = I + J;
  switch (kind_) {
    case Kind::diagonals: {
      if (diagonal < corner_) return corner_work(0);
      if (corner_ > 0 && diagonal >= diagonals() - corner_) return corner_work(steps_ - corner_steps);
      const int step = diagonal - corner_ + (corner_ > 0 ? corner_steps : 0);
      return {step, step, step + 1};
    }
    case Kind::columns: return {diagonal, diagonal, diagonal + 1};
    case Kind::look_backs: return {diagonal, diagonal, diagonal + diagonals_under_way};
    case Kind::passes: break;
  }
  return {0, steps_ - 1, steps_};
}

PaperTile PaperFigure::tile(int step, int I, int J) const {
  const auto [sums, table, done] = work(I, J);
  if (step < sums) return PaperTile::later;
  if (step == sums || step == table) return PaperTile::now;
  return step < done ? PaperTile::local : PaperTile::done;
}

// A look-back ends at the first tile whose sums from the edge on are there. The tiles to the left and above lie one diagonal
// further back each, those on the diagonal of a tile two.
gpu::LookBackDepths PaperFigure::farthest() const {
  switch (kind_) {
    case Kind::diagonals: return {1, 1, 1};
    case Kind::columns: return {1, 1, 0};
    case Kind::look_backs: return {diagonals_under_way, diagonals_under_way, (diagonals_under_way + 1) / 2};
    case Kind::passes: break;
  }
  return {};
}

gpu::LookBackDepths PaperFigure::reach(int step, int I, int J) const {
  if (step != work(I, J).table) return {};
  const auto [left, up, diagonal] = farthest();
  return {std::min(left, J), std::min(up, I), std::min({diagonal, I, J})};
}

std::optional<std::size_t> PaperFigure::group(int I, int J) const {
  if (kind_ == Kind::columns) return static_cast<std::size_t>(J);
  if (algorithm_ != "1_plus_r_r1w") return {};
  return I + J < corner_ ? 0u : I + J < diagonals() - corner_ ? 1u : 2u;
}

// Diagonal after diagonal, each from its upper right to its lower left, as gpu::sat::diagonal_major() numbers them.
int PaperFigure::serial(int I, int J) const {
  return gpu::sat::tiles_on(I + J, rows_, columns_) + I - std::max(0, I + J - columns_ + 1);
}

std::string PaperFigure::label(int I, int J) const {
  if (kind_ == Kind::look_backs) return std::to_string(serial(I, J));
  const auto number = group(I, J);
  if (!number) return {};
  return kind_ == Kind::columns ? std::to_string(*number) : std::string(1, "ABC"[*number]);
}

std::string PaperFigure::corner_says(int step) const {
  constexpr const char* kernels[] = {"the sums of each tile", "prefix sums of the sums of tiles",
                                     "the tables, from the sums of neighbouring tiles"};
  return kernels[static_cast<std::size_t>(step)];
}

std::string PaperFigure::diagonals_say(int step) const {
  if (algorithm_ == "2r1w") return "Fig. 6: " + of_steps("kernel", step, corner_steps) + ": " + corner_says(step) + '.';
  const bool regions = algorithm_ == "1_plus_r_r1w";
  const std::string head = regions ? "Fig. 8: A and C by 2R1W, B by 1R1W. " : "Fig. 7: ";
  if (corner_ > 0 && step < corner_steps) return head + "A: " + corner_says(step) + '.';
  if (corner_ > 0 && step >= steps_ - corner_steps) return head + "C: " + corner_says(step - steps_ + corner_steps) + '.';
  const int diagonal = step + corner_ - (corner_ > 0 ? corner_steps : 0);
  return head + (regions ? "B: a kernel" : of_steps("kernel", step, static_cast<std::size_t>(steps_))) +
         " for the tiles with I + J = " + std::to_string(diagonal) +
         ", from the sums of their neighbours to the left, above, and between these.";
}

std::string PaperFigure::says(int step) const {
  const std::string paper = "Emoto et al. 2018, ";
  switch (kind_) {
    case Kind::diagonals: return paper + diagonals_say(step);
    case Kind::columns:
      return paper +
             "sec. III.C: one block per column goes down. A tile waits for the row sums of the tile to its left; the sums "
             "from above stay in its block.";
    case Kind::look_backs:
      return paper +
             "Fig. 9 and 10: tiles have serial numbers along the diagonals. A tile adds local sums until it meets one that "
             "is global. Here the two diagonals before it have local sums only.";
    case Kind::passes: break;
  }
  return of_steps("Pass", step, passes_.size()) + ": " + passes_[static_cast<std::size_t>(step)] +
         ". The paper has no figure of its tiles.";
}

}  // namespace app
