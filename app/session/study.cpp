#include "app/session/study.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/control/fields.h"
#include "app/session/race.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "gpu/cuda/error.h"

namespace app {
namespace {

using namespace std::chrono_literals;

// Those of the shipped measurements. The simulated GPU takes seconds for much smaller ones.
std::vector<gpu::Size> usual_sizes(gpu::Device device) {
  if (device == gpu::Device::simulated) return {{64, 64}, {128, 128}, {256, 256}, {512, 512}, {1024, 1024}};
  return {{256, 256},   {512, 512},   {1024, 1024}, {1920, 1080},   {2048, 2048},
          {3840, 2160}, {4096, 4096}, {8192, 8192}, {16384, 16384}, {32768, 32768}};
}

// The longest run that is measured, in microseconds: the next picture waits for it, as for one of the race.
double longest_us(gpu::Device device, bool at_leisure) {
  const double usual = device == gpu::Device::cuda ? 5e3 : device == gpu::Device::host ? 10e3 : 500e3;
  return at_leisure ? 5 * usual : usual;
}

// An image and its table may take a quarter of what is free.
std::string why_too_large(gpu::Device device, gpu::Size size) {
  const auto needed = size.pixels() * (sizeof(std::uint8_t) + sizeof(std::uint32_t));
  std::size_t free = 0, total = 0;
  if (device == gpu::Device::cuda)
    gpu::check(cudaMemGetInfo(&free, &total));
  else
    free = available_memory().value_or(machine_memory());
  if (needed <= free / 4) return {};
  return text_of(size) + " needs " + std::to_string(needed >> 20) + " MB, more than a quarter of the free memory";
}

}  // namespace

std::vector<std::string> algorithms_in(const std::string& list) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto name = std::string(trimmed(std::string_view(list).substr(at, end - at)));
    at = end + 1;
    if (name.empty()) continue;
    if (!gpu::find_sat_algorithm(name)) throw std::invalid_argument(no_such("algorithm", name, algorithm_names()));
    names.push_back(name);
  }
  return names;
}

Study::Study(RaceBench::Compute compute, std::vector<gpu::Size> sizes)
    : compute_(std::move(compute)), usual_(std::move(sizes)) {}
Study::~Study() = default;

void Study::start(bool at_leisure) {
  figures_.on = anew_ = true;
  figures_.finished = false;
  figures_.problem.clear();
  at_leisure_ = at_leisure;
  if (race_) race_->stop();
}

void Study::stop() {
  figures_.on = figures_.finished = false;
  if (race_) race_->stop();
}

void Study::end() {
  stop();
  if (race_) race_->end();
}

bool Study::busy() const { return race_ && race_->busy(); }

bool Study::leaves_processors(std::chrono::microseconds patience) { return !race_ || race_->leaves_processors(patience); }

void Study::wait(std::chrono::microseconds patience) {
  if (race_) race_->wait(patience);
}

std::vector<std::string> Study::take_problems() { return std::exchange(problems_, {}); }

void Study::step(Engine& engine, const Settings& settings, bool alone) try {
  if (race_) {
    if (engine.device() != figures_.device) race_->stop();
    race_->hold(!alone);
    race_->step(engine, settings, {});
    const auto& race = race_->figures();
    for (const auto& problem : race_->take_problems())
      problems_.push_back("study of " + text_of(figures_.under_way) + ": " +
                          problem.substr(std::string_view("race: ").size()));
    figures_.runs = race.runs;
    figures_.runs_wanted = race.runs_wanted;
    if (race_->busy() || race_->running()) return;
    if (race_->finished()) figures_.sizes.push_back(race);
    // Where memory is exhausted, no larger size has any either.
    if (running() && !anew_ && !race.problem.empty()) finish(race.problem.substr(std::string_view("race: ").size()));
    race_.reset();  // and its memory
    figures_.under_way = {};
    figures_.runs = figures_.runs_wanted = 0;
  }
  if (!running() || !alone || !engine.has_picture()) return;
  if (std::exchange(anew_, false) || engine.device() != figures_.device) begin_anew(engine, settings);
  begin_next(engine.selection());
} catch (const gpu::CudaError&) {
  race_.reset();
  figures_.on = false;
  throw;
}

void Study::begin_anew(Engine& engine, const Settings& settings) {
  asked_ = settings;
  asked_.race_parameters = false;
  figures_ = {};
  figures_.on = true;
  figures_.device = engine.device();
  sizes_ = usual_.empty() ? usual_sizes(figures_.device) : usual_;
  figures_.sizes_wanted = static_cast<int>(sizes_.size());
}

void Study::begin_next(const Selection& selection) try {
  const auto done = figures_.sizes.size();
  if (done == sizes_.size()) return finish({});
  const auto size = sizes_[done];
  if (const auto why = why_too_large(figures_.device, size); !why.empty()) return finish(why);
  auto lanes = lanes_of(selection, size);
  if (!lanes.has_algorithms())
    return finish(done > 0 ? "at " + text_of(size) + " a run of every algorithm would take too long"
                           : "none of the chosen algorithms runs here");
  race_ = std::make_unique<Race>(
      compute_, [lanes = std::move(lanes)](auto&, auto, auto&) { return lanes; }, Race::CountSectors());
  race_->start(size);
  figures_.under_way = size;
} catch (const gpu::CudaError&) {
  throw;
} catch (const std::exception& error) {  // values in the settings that a parameter does not have
  finish(error.what());
}

// Those that were chosen, without those that are wrong or take too long.
RaceLanes Study::lanes_of(const Selection& selection, gpu::Size size) const {
  const auto chosen = algorithms_in(asked_.study_algorithms);
  auto lanes = table_lanes(selection, size, asked_);
  std::erase_if(lanes.lanes, [&](const RaceLane& lane) {
    if (lane.bound) return false;
    if (!chosen.empty() && std::ranges::find(chosen, lane.name()) == chosen.end()) return true;
    auto why = why_left_out(lane, size);
    const bool left_out = !why.empty();
    if (left_out) lanes.absent.push_back({lane.name(), std::move(why)});
    return left_out;
  });
  return lanes;
}

// By what the size before has shown: times grow with the pixels. One curve is of one version of a user's kernel.
std::string Study::why_left_out(const RaceLane& lane, gpu::Size size) const {
  if (figures_.sizes.empty()) return {};
  const auto& last = figures_.sizes.back();
  if (const auto at = std::ranges::find(last.absent, lane.name(), &RaceFigures::Absent::name); at != last.absent.end())
    return at->why;
  const auto row = std::ranges::find(last.rows, lane.name(), &RaceRow::name);
  if (row == last.rows.end()) return {};
  if (row->label != lane.label) return "it was saved again after " + text_of(last.size) + ": start the study again";
  if (!row->problem.empty()) return "it failed at " + text_of(last.size);
  const auto us = row->us * static_cast<double>(size.pixels()) / static_cast<double>(last.size.pixels());
  if (us <= longest_us(figures_.device, at_leisure_)) return {};
  return "a run would take about " + short_number(us / 1e3) + " ms";
}

void Study::finish(std::string why) {
  figures_.finished = true;
  (figures_.sizes.empty() ? figures_.problem : figures_.end) = std::move(why);
}

}  // namespace app
