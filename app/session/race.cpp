#include "app/session/race.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/pipeline/frame_figures.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/choice/bounds.h"
#include "gpu/choice/meter.h"
#include "gpu/cuda/error.h"
#include "gpu/simulated/observed/simulation.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_batch = 60s;  // of a user's kernel, of which a run was tried within 10 s
constexpr int most_runs_per_batch = 5, most_bound_turns = 3;

// What a batch may take, in microseconds: on cuda and the host the next picture waits for it.
double budget_us(gpu::Device device) { return device == gpu::Device::simulated ? 50e3 : 2e3; }

// Rows with a result come first, the best at the top.
bool before(const RaceFigures& race, const RaceRow& a, const RaceRow& b) {
  const auto of_a = race.cost(a), of_b = race.cost(b);
  if ((of_a > 0) != (of_b > 0)) return of_a > 0;
  if (of_a != of_b) return of_a < of_b;
  return race.by_traffic() && a.sectors_per_pixel && b.sectors_per_pixel && *a.sectors_per_pixel < *b.sectors_per_pixel;
}

bool same_effect(const Selection& a, const Selection& b) {
  return a.effect == b.effect && a.effect_arguments == b.effect_arguments;
}

bool was_replaced(const RaceLane& lane) {
  const auto* version = lane.algorithm ? lane.algorithm->version : nullptr;
  const auto* now = version ? gpu::find_user_kernel(version->name) : nullptr;
  return now && now != version;
}

std::string_view bound_name(gpu::Device device) {
  return device == gpu::Device::simulated ? std::string_view() : gpu::decisive_bound(device, race_type);
}

}  // namespace

void Race::start(gpu::Size of_random_pixels) {
  own_size_ = of_random_pixels;
  figures_.on = anew_ = true;
  figures_.problem.clear();
  figures_.finished = figures_.earlier = figures_.earlier_device = figures_.earlier_effect = figures_.earlier_version =
      false;
}

void Race::stop() {
  anew_ = finished();
  figures_.on = figures_.finished = false;
  stop_ = true;
}

void Race::end() {
  stop_ = true;
  while (busy_ && !counting_.valid() && !worker_.wait(1s)) continue;
}

// What is measured now; of no size without a picture.
RaceSubject Race::subject(Engine& engine, const Source& source) const {
  if (!engine.has_picture()) return {};
  return {engine.device(), own_size_.pixels() > 0 ? own_size_ : engine.pipeline().size(), source.number};
}

void Race::step(Engine& engine, const Settings& settings, const Source& source) try {
  const bool has_picture = engine.has_picture();
  const auto work = subject(engine, source);
  figures_.earlier_version = !running() && std::ranges::any_of(lanes_, was_replaced);
  if (finished()) {  // its figures stay until somebody starts another
    figures_.earlier = has_picture && work != work_;
    figures_.earlier_device = figures_.earlier && RaceSubject{work_.device, work.size, work.source} == work_;
    figures_.earlier_effect = has_picture && measures_other_effect(engine.selection());
    return;
  }
  const bool stale = !entries_.empty() && (anew_ || work != work_);
  if (stale) stop_ = true;
  if (!collect()) return;
  if (stale) forget();
  if (!on() || !has_picture) return;
  try {
    follow(engine, settings, source);
  } catch (const std::exception&) {
    give_up(why_no_race());
  }
  if (!on() || held_) return;
  auto* entry = next(Part::table);
  if (!entry && times_bound_again()) entry = next(Part::table);
  if (entry) return begin(*entry, Part::table);
  if (draws_effect()) entry = next(Part::effect);
  if (entry) return begin(*entry, Part::effect);
  if (auto* uncounted = next_to_count()) return begin_count(*uncounted);
  figures_.finished = true;
  bench_.reset();  // and its memory
} catch (const gpu::CudaError&) {
  busy_ = figures_.on = false;
  forget();
  throw;
}

// Whether a race of this selection would measure another effect, or one where this race had none. To find out takes as long as to
// prepare the effect: once for each selection.
bool Race::measures_other_effect(const Selection& selection) {
  if (same_effect(selection, selected_) || std::ranges::none_of(lanes_, &RaceLane::algorithm)) return false;
  if (!compared_ || !same_effect(selection, *compared_)) {
    compared_ = selection;
    try {
      differs_ = race_effect(selection, work_.size) != effect_;
    } catch (const std::invalid_argument&) {  // for another size its arguments may fit
      differs_ = true;
    }
  }
  return differs_;
}

// The lanes, and the picture that they sum, where there is something new.
void Race::follow(Engine& engine, const Settings& settings, const Source& source) {
  const bool asks_anew = !asked_ || asked_kernels_ != gpu::user_kernel_changes() ||
                         asked_->race_parameters != settings.race_parameters ||
                         asked_->algorithm_values != settings.algorithm_values ||
                         !same_effect(engine.selection(), selected_);
  if (!entries_.empty() && !asks_anew) return;
  auto lanes = choose_lanes_(engine.selection(), subject(engine, source).size, settings);
  if (!try_kernels(engine, lanes, subject(engine, source).size)) return;
  const bool anew = entries_.empty() || lanes.lanes != lanes_ || lanes.effect != effect_;
  if (anew) forget();
  asked_ = settings;
  asked_kernels_ = gpu::user_kernel_changes();
  selected_ = engine.selection();
  if (anew) begin_anew(engine, std::move(lanes), source);
}

// Users' kernels race on pictures of a size on which they were tried. False while one is tried.
bool Race::try_kernels(const Engine& engine, RaceLanes& lanes, gpu::Size size) {
  bool all = true;
  std::erase_if(lanes.lanes, [&](const RaceLane& lane) {
    if (!lane.algorithm || !lane.algorithm->version) return false;
    Selection alone;
    alone.algorithm = lane.algorithm;
    const auto why = engine.may_run(alone, size);
    all = all && why;
    const bool fails = why && !why->empty();
    const auto same = std::ranges::count(lanes.absent, lane.name(), &RaceFigures::Absent::name);
    if (fails && same == 0) lanes.absent.push_back({lane.name(), *why, {}});
    return fails;
  });
  return all;
}

void Race::begin_anew(Engine& engine, RaceLanes lanes, const Source& source) {
  auto& pipeline = engine.pipeline();
  work_ = subject(engine, source);
  lanes_ = lanes.lanes;
  effect_ = lanes.effect;
  const auto stream = work_.device == gpu::Device::cuda ? pipeline.context().stream() : nullptr;
  bench_ = std::make_unique<RaceBench>(work_.device, stream, work_.size, lanes, compute_);
  // The bounds' work does not depend on what the picture shows.
  if (own_size_.pixels() > 0)
    bench_->make_picture();
  else if (lanes.has_algorithms())
    bench_->take_picture(pipeline.picture());
  for (auto& lane : lanes.lanes) {
    auto& entry = entries_.emplace_back();
    entry.row.name = lane.name();
    entry.row.label = lane.label;
    entry.row.arguments = lane.arguments;
    entry.row.bound = lane.bound != nullptr;
    if (lane.algorithm && lane.algorithm->version) entry.row.version = lane.algorithm->version->number;
    entry.row.peer = lane.peer != nullptr;
    if (lane.algorithm && lane.algorithm->traffic) {
      entry.row.bytes_per_pixel = static_cast<double>(bytes_of(*lane.algorithm, work_.size, race_type, lane.arguments)) /
                                  static_cast<double>(work_.size.pixels());
      if (effect_.effect) entry.row.effect_bytes_per_pixel = effect_bytes_per_pixel(effect_, lane, work_.device, work_.size);
    }
    entry.lane = std::move(lane);
    entry.table.warm = work_.device == gpu::Device::simulated;  // which loads nothing
  }
  anew_ = false;
  figures_.device = work_.device;
  figures_.size = work_.size;
  figures_.source = source.name;
  figures_.bound = bound_name(work_.device);
  figures_.absent = std::move(lanes.absent);
  figures_.effect = effect_.effect;
  figures_.effect_arguments = effect_.effect ? gpu::used_arguments(*effect_.effect, effect_.arguments, work_.size)
                                             : gpu::Arguments();
  figures_.effect_problem = std::move(lanes.effect_problem);
  renew_figures();
}

void Race::forget() {
  entries_.clear();
  lanes_.clear();
  effect_ = {};
  asked_.reset();
  compared_.reset();
  bench_.reset();
  bound_turns_ = 0;
  const bool on = figures_.on;
  figures_ = {};
  figures_.on = on;
}

void Race::give_up(const std::string& why) {
  forget();
  figures_.on = anew_ = false;
  figures_.problem = "race: " + why;
  problems_.push_back(figures_.problem);
}

// What was measured last. False while that is under way.
bool Race::collect() {
  if (!busy_) return true;
  if (counting_.valid()) return collect_count();
  if (!worker_.wait(0us)) {
    stop_endless();
    return false;
  }
  auto outcome = bench_->take();
  if (!outcome) return false;
  busy_ = false;
  if (std::exchange(stopping_, false)) {
    simulated_gpu().stop(false);
    outcome->problem = "it does not end within " + short_number(std::chrono::duration<double>(longest_batch).count()) +
                       " s on this picture";
  }
  if (!stop_) take_in(entries_[under_way_], *std::move(outcome));
  return true;
}

// A user's kernel that was right in its trial need not end on this picture, and until it does nothing else runs on the
// simulated GPU.
void Race::stop_endless() {
  const auto now = std::chrono::steady_clock::now();
  // What is counted is time in which the program ran.
  waited_ += std::min<std::chrono::steady_clock::duration>(now - std::exchange(looked_, now), 1s);
  const auto* algorithm = entries_[under_way_].lane.algorithm;
  const bool may_be_endless = work_.device == gpu::Device::simulated && algorithm && algorithm->version;
  if (stopping_ || !may_be_endless || waited_ < longest_batch) return;
  stopping_ = true;
  simulated_gpu().stop(true);
}

// One that is not wanted any more goes on, and the next batch waits for it: both would take the same processors.
bool Race::collect_count() {
  if (counting_.wait_for(0us) != std::future_status::ready) return false;
  busy_ = false;
  const auto sectors = counting_.get();
  if (stop_) return true;
  auto& entry = entries_[under_way_];
  entry.counted = true;
  entry.row.sectors_per_pixel = sectors;
  renew_figures();
  return true;
}

void Race::take_in(RacedLane& entry, RaceBench::Outcome outcome) {
  auto& row = entry.row;
  const auto title = effect_.effect ? std::string(effect_.effect->title) + ": " : std::string();
  if (outcome.reference_failed) {
    figures_.effect_problem = outcome.problem;
    problems_.push_back("race: " + title + outcome.problem);
    return renew_figures();
  }
  if (outcome.us.empty() && outcome.problem.empty()) outcome.problem = "it could not be timed";
  if (outcome.checked) row.check = outcome.problem.empty() ? RaceRow::Check::equal : RaceRow::Check::wrong;
  if (!outcome.problem.empty()) {
    row.problem = (outcome.part == Part::effect ? title : std::string()) + outcome.problem;
    problems_.push_back("race: " + row.label + ": " + row.problem);
  }
  auto& runs = entry.runs(outcome.part);
  if (!outcome.us.empty()) runs.estimate = outcome.us.back();
  const bool counts = std::exchange(runs.warm, true) || !row.problem.empty();
  if (counts) runs.us.insert(runs.us.end(), outcome.us.begin(), outcome.us.end());
  row.runs = entry.table.count();
  if (row.runs > 0) {
    row.us = gpu::percentile(entry.table.us, 50);
    row.least_us = *std::ranges::min_element(entry.table.us);
    row.lower_us = gpu::percentile(entry.table.us, 25);
    row.upper_us = gpu::percentile(entry.table.us, 75);
  }
  row.effect_runs = entry.effect.count();
  if (row.effect_runs > 0) {
    row.effect_us = gpu::percentile(entry.effect.us, 50);
    row.effect_least_us = *std::ranges::min_element(entry.effect.us);
  }
  renew_figures();
}

int Race::wanted_runs() const { return work_.device == gpu::Device::simulated ? enough_simulated_runs : enough_runs; }

bool Race::draws_effect() const {
  return figures_.effect && figures_.effect_problem.empty() && work_.device != gpu::Device::simulated;
}

// The lane that is furthest behind.
Race::RacedLane* Race::next(Part part) {
  RacedLane* least = nullptr;
  const auto done = [&](RacedLane& entry) { return entry.runs(part).warm ? entry.runs(part).count() : -1; };
  for (auto& entry : entries_) {
    if (part == Part::effect && !entry.lane.algorithm) continue;
    if (entry.row.problem.empty() && done(entry) < wanted_runs() && (!least || done(entry) < done(*least))) least = &entry;
  }
  return least;
}

// A bound that an algorithm undercuts may have been held up: on the CPU it waits for every processor, also for those that other
// programs use, while OpenCV's function takes one. The slower half of its runs goes, for new ones.
bool Race::times_bound_again() {
  const auto bound = std::ranges::find(entries_, figures_.bound, [](const RacedLane& entry) { return entry.lane.label; });
  const bool undercut = std::ranges::any_of(
      figures_.rows, [](const RaceRow& row) { return row.problem.empty() && row.over_bound.value_or(1) < 1 && !row.bound; });
  if (!undercut || bound == entries_.end() || !bound->row.problem.empty() || bound_turns_ == most_bound_turns) return false;
  ++bound_turns_;
  auto& runs = bound->table.us;
  std::ranges::sort(runs);
  runs.resize(runs.size() / 2);
  bound->row.runs = bound->table.count();
  renew_figures();
  return true;
}

// The counts come last: they take long, and only order rows that are otherwise equal.
Race::RacedLane* Race::next_to_count() {
  if (work_.device != gpu::Device::simulated || !count_sectors_) return nullptr;
  const auto at = std::ranges::find_if(
      entries_, [](const RacedLane& entry) { return entry.lane.algorithm && !entry.counted && entry.row.problem.empty(); });
  return at == entries_.end() ? nullptr : &*at;
}

int Race::batch_of(const Runs& runs) const {
  if (!runs.warm || runs.estimate <= 0) return 1;
  const int missing = wanted_runs() - runs.count();
  return std::clamp(static_cast<int>(budget_us(work_.device) / runs.estimate), 1, std::min(most_runs_per_batch, missing));
}

void Race::begin(RacedLane& entry, Part part) {
  const int runs = batch_of(entry.runs(part));
  stop_ = false;
  looked_ = std::chrono::steady_clock::now();
  waited_ = {};
  under_way_ = static_cast<std::size_t>(&entry - entries_.data());
  if (work_.device == gpu::Device::cuda)
    bench_->run(entry.lane, part, runs, stop_);  // only queues
  else
    worker_.begin([this, &lane = entry.lane, part, runs] { bench_->run(lane, part, runs, stop_); });
  busy_ = true;
}

void Race::begin_count(RacedLane& entry) {
  stop_ = false;
  under_way_ = static_cast<std::size_t>(&entry - entries_.data());
  const gpu::Size size{std::min(work_.size.width, RaceFigures::counted_side),
                       std::min(work_.size.height, RaceFigures::counted_side)};
  // Detached: a simulation cannot be stopped, and takes seconds.
  counting_ = result_detached([count = count_sectors_, &algorithm = *entry.lane.algorithm, arguments = entry.lane.arguments,
                               size] { return count(algorithm, arguments, size); });
  busy_ = true;
}

std::optional<double> Race::count_sectors(const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments,
                                          gpu::Size size) try {
  const auto& observed = find_simulated_gpu(gpu::simulated::Build::observed);
  if (!observed.driver) return {};
  gpu::simulated::SimulationRequest request;
  request.algorithm = algorithm.name;
  if (algorithm.version)
    request.of_user = algorithm.version->simulated_algorithm[static_cast<std::size_t>(gpu::simulated::Build::observed)];
  request.arguments = arguments;
  request.type = race_type;
  request.size = size;
  const auto counts = observed.driver->simulate(request).counts;
  return static_cast<double>(counts.read.sectors + counts.written.sectors) / static_cast<double>(size.pixels());
} catch (const std::exception&) {  // the row has its bytes; `satscope simulate` says what is wrong
  return {};
}

bool Race::leaves_processors(std::chrono::microseconds patience) {
  return !busy_ || work_.device != gpu::Device::host || worker_.wait(patience);
}

void Race::wait(std::chrono::microseconds patience) {
  if (!busy_) return;
  if (work_.device == gpu::Device::cuda)
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(patience, 100us));
  else if (counting_.valid())
    counting_.wait_for(patience);
  else
    worker_.wait(patience);
}

void Race::renew_figures() {
  figures_.rows.clear();
  figures_.runs = 0;
  figures_.runs_wanted = 0;
  double bound = 0;
  for (const auto& entry : entries_) {
    figures_.rows.push_back(entry.row);
    const auto& row = entry.row;
    figures_.runs += row.runs + row.effect_runs;
    figures_.runs_wanted += row.problem.empty() ? wanted_runs() : row.runs + row.effect_runs;
    if (draws_effect() && entry.lane.algorithm && row.problem.empty()) figures_.runs_wanted += wanted_runs();
    if (row.label == figures_.bound) bound = row.us;
  }
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    auto& row = figures_.rows[i];
    const auto* algorithm = entries_[i].lane.algorithm;
    if (row.runs == 0) continue;
    if (bound > 0) row.over_bound = row.us / bound;
    if (row.bound || work_.device == gpu::Device::simulated) continue;
    const auto bytes = algorithm ? bytes_of(*algorithm, work_.size, race_type, row.arguments)
                                 : least_bytes(work_.size, race_type);
    row.gb_per_s = static_cast<double>(bytes) / row.us / 1e3;
  }
  std::ranges::stable_sort(figures_.rows, [&](const RaceRow& a, const RaceRow& b) { return before(figures_, a, b); });
}

std::vector<std::string> Race::take_problems() { return std::exchange(problems_, {}); }

// The figure of a race that has timed the bound as often as it does.
std::optional<BoundTime> TableBound::figure_in(const RaceFigures& race, const RaceSubject& work) {
  if (race.bound.empty() || race.device != work.device || race.size != work.size) return {};
  const auto row = std::ranges::find(race.rows, race.bound, &RaceRow::label);
  if (row == race.rows.end() || row->runs < Race::enough_runs) return {};
  return BoundTime{row->us, gpu::decisive_bound(work.device, race_type), row->runs};
}

std::optional<BoundTime> TableBound::of(gpu::Device device, gpu::Size size) const {
  return known_.work == RaceSubject{device, size} ? known_.figure : std::nullopt;
}

void TableBound::step(Engine& engine, const Settings& settings, const Race& race) {
  const auto work = engine.has_picture() ? RaceSubject{engine.device(), engine.pipeline().size()} : RaceSubject();
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
  own_->hold(held_);
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
