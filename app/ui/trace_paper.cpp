#include "app/ui/trace_paper.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/support/text.h"
#include "app/ui/widgets.h"
#include "gpu/effects/colour_map.h"
#include "gpu/sat/block/diagonals.h"

namespace app::ui {
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

std::string depths_text(const gpu::LookBackDepths& depths) {
  std::string all;
  for (const auto& [tiles, direction] : {std::pair(depths.left, "left"), {depths.up, "up"}, {depths.diagonal, "diagonal"}})
    if (tiles > 0) all += (all.empty() ? "" : ", ") + std::to_string(tiles) + ' ' + direction;
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
