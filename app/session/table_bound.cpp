#include "app/session/table_bound.h"

#include <algorithm>

#include "gpu/bounds.h"
#include "gpu/error.h"

namespace app {

// Of a race that has timed the bound as often as it does.
std::optional<TableBound::Figure> TableBound::figure_in(const RaceFigures& race, const Work& work) {
  if (race.bound.empty() || race.device != work.device || race.size != work.size) return {};
  const auto row = std::ranges::find(race.rows, race.bound, &RaceRow::label);
  if (row == race.rows.end() || row->runs < Race::enough_runs) return {};
  return Figure{row->us, gpu::decisive_bound(work.device, race_type), row->runs};
}

std::optional<TableBound::Figure> TableBound::of(gpu::Device device, gpu::Size size) const {
  return known_.work == Work{device, size} ? known_.figure : std::nullopt;
}

void TableBound::step(Engine& engine, const Settings& settings, const Race& race) {
  const auto work = engine.has_picture() ? Work{engine.device(), engine.pipeline().size()} : Work();
  if (work != known_.work) known_ = {.work = work};
  if (const auto figure = figure_in(race.figures(), work)) known_.figure = figure;
  const bool possible = work.size.pixels() > 0 && work.device != gpu::Device::simulated;
  const bool missing = possible && work == wanted_ && !known_.figure && !known_.failed && !race.running();
  if (missing && !own_) {
    own_ = std::make_unique<Race>(RaceBench::Compute(), bound_lane);
    own_->start();
  }
  if (!own_) return;
  if (!missing) own_->stop();
  try {
    own_->step(engine, settings, {});
  } catch (const gpu::CudaError&) {
    known_.failed = true;
    own_.reset();
    throw;
  }
  const bool finished = own_->finished();
  if (finished) known_.figure = figure_in(own_->figures(), work);
  if (own_->running() || own_->busy()) return;
  known_.failed = !known_.figure && (finished || !own_->figures().problem.empty());
  own_.reset();  // and its memory
}

bool TableBound::leaves_processors(std::chrono::microseconds patience) const {
  return !own_ || own_->leaves_processors(patience);
}

void TableBound::wait(std::chrono::microseconds patience) const {
  if (own_) own_->wait(patience);
}

}  // namespace app
