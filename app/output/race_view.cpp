#include "app/output/race_view.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "app/control/names.h"
#include "app/output/study_figures.h"
#include "app/support/text.h"

namespace app {
namespace {

std::string runs_text(const RaceFigures& race) {
  const auto runs = static_cast<std::uint64_t>(race.runs);
  if (race.runs == race.runs_wanted && race.running()) return "counts sectors";
  return race.finished ? counted(runs, "run")
                       : grouped(runs) + " of " + counted(static_cast<std::uint64_t>(race.runs_wanted), "run");
}

}  // namespace

std::string race_sentence(const RaceFigures& race) {
  if (!race.problem.empty()) return "There is no race";
  if (race.rows.empty()) return race.on ? "The race starts with the next picture" : "Which algorithm is the fastest here?";
  const auto winner = std::ranges::find_if(
      race.rows, [&](const RaceRow& row) { return !row.bound && race.cost(row) > 0 && row.problem.empty(); });
  const bool any = winner != race.rows.end();
  if (!race.finished)
    return (race.on ? "Racing: " : "Stopped: ") + runs_text(race) + (any ? ", " + winner->label + " leads" : "");
  if (!any) return "No table was right";
  if (race.by_traffic())
    return winner->label + " moves the fewest bytes: " + number(*winner->bytes_per_pixel, 2) + " per pixel";
  if (winner->over_bound) return winner->label + " wins: " + number(*winner->over_bound, 1) + " times the bound";
  return winner->label + " wins: " + narrow_microseconds(winner->us) + " µs";
}

std::string race_conditions(const RaceFigures& race) {
  std::string words;
  if (race.size.width > 0)
    words = text_of(race.size) + ", 8u32u, " + device_words(gpu::name(race.device)) + ", " + runs_text(race) + '\n';
  if (!race.source.empty()) words += "Measured on " + race.source + '\n';
  if (race.by_traffic()) words += std::string(why_by_traffic) + '\n';
  return words;
}

std::string race_is_stale(const RaceFigures& race) {
  if (race.earlier && race.earlier_device) return "This race ran on another device: Again races on the one in use.";
  if (race.earlier)
    return "This race ran on an earlier picture" + (race.source.empty() ? "" : ", " + race.source) +
           ": Again races on the one shown.";
  if (race.earlier_version) return "A kernel of yours was saved since this race ran: Again races the version in use.";
  return race.earlier_effect ? "This race ran with another effect, or other parameters: Again races with those in use." : "";
}

std::string row_figures(const RaceFigures& race, const RaceRow& row) {
  std::string all;
  const auto timed = [&](const std::string& what, double us, double least, int runs) {
    if (runs > 0)
      all += "\n" + what + "median " + microseconds(us) + " µs, minimum " + microseconds(least) + " µs, of " +
             counted(static_cast<std::uint64_t>(runs), "run");
  };
  timed("", row.us, row.least_us, row.runs);
  if (row.runs > 0 && race.by_traffic())
    all += ", of the CPU: they say nothing about a GPU";
  else if (row.lower_us > 0)
    all += "\nhalf of the runs: " + microseconds(row.lower_us) + " to " + microseconds(row.upper_us) + " µs";
  if (const auto times = times_bound(race, row); times && *times > 0 && !row.bound)
    all += "\n" + number(*times, 2) + " times the bound" + (race.bound.empty() ? "" : ", " + race.bound) +
           (*times < 1 ? ": it takes every processor, and waits where other programs use one" : "");
  if (row.gb_per_s) all += "\n" + number(*row.gb_per_s, 0) + " GB/s";
  const auto effect = race.effect ? std::string(race.effect->title) : std::string();
  timed(effect + ": ", row.effect_us, row.effect_least_us, row.effect_runs);
  if (row.bytes_per_pixel) all += "\n" + number(*row.bytes_per_pixel, 2) + " bytes per pixel";
  if (row.sectors_per_pixel) all += ", " + number(*row.sectors_per_pixel, 2) + " sectors per pixel";
  if (row.effect_bytes_per_pixel)
    all += "\n" + number(*row.effect_bytes_per_pixel, 1) + " bytes per pixel for the tables of " + effect;
  return all;
}

std::string row_words(const RaceFigures& race, const RaceRow& row, const RaceRow* in_use) {
  auto all = row.label;
  if (row.peer) all += "\ncv::integral, on as many threads as OpenCV takes";
  if (row.bound) all += "\nWhat times are compared with: work that touches as much memory and sums nothing";
  all += "\n" + row_figures(race, row);
  if (in_use && in_use != &row && race.cost(row) > 0)
    all += "\n" + number(race.cost(row) / race.cost(*in_use), 2) + " times that of " + in_use->label + ", in use";
  if (!row.problem.empty())
    all += "\n\n" + row.problem;
  else if (row.check == RaceRow::Check::equal)
    all += std::string("\n\nEquals the reference: every entry of the table is right") +
           (row.effect_runs > 0 ? ", and so is what the effect made" : "");
  return all + (row.bound || row.peer ? "" : "\nClick to use this algorithm");
}

bool has_sectors(const RaceFigures& race) {
  return std::ranges::any_of(race.rows, [](const RaceRow& row) { return row.sectors_per_pixel.has_value(); });
}

namespace {

using Shown = RaceColumn::Shown;

// What rows are ranked by, and what belongs to it.
std::vector<RaceColumn> cost_columns(const RaceFigures& race) {
  const bool traffic = race.by_traffic();
  const auto side = std::to_string(RaceFigures::counted_side);
  return {
      {traffic ? "bytes" : "µs",
       traffic ? "of global memory per pixel that the algorithm's threads read and write, exact for this size"
               : "median of all runs; the first of an algorithm, which loads its kernels, not counted",
       traffic ? 2 : -1, Shown::usually, [&race](const RaceRow& row) { return race.cost(row); }},
      {"sectors",
       "of 32 bytes per pixel that the algorithm's warps access: as the observed simulated GPU counts them, on at most " +
           side + " x " + side +
           " pixels, at the end of the race. More of them for as many bytes: threads of a warp access memory far apart",
       2, has_sectors(race) ? Shown::usually : Shown::never, [](const RaceRow& row) { return row.sectors_per_pixel; }},
      {"CPU µs", "of the CPU that simulates, median of all runs: it says nothing about a GPU", -1,
       traffic && race.runs_wanted > 0 ? Shown::usually : Shown::never, [](const RaceRow& row) { return row.us; }, true},
      {"× bound",
       "the time divided by that of " + race.bound + ", where the bars begin. The table of kernels uses the same number", 2,
       race.bound.empty() ? Shown::never : Shown::usually, [](const RaceRow& row) { return row.over_bound; }}};
}

std::vector<RaceColumn> other_columns(const RaceFigures& race, const RaceRow* in_use) {
  const bool traffic = race.by_traffic();
  return {
      {race.effect ? std::string(race.effect->title) : "Effect",
       traffic ? "bytes of global memory that the algorithm's threads request for the tables of the effect, per pixel of "
                 "the frame: by the algorithm's formula. The frame's own table is the column bytes"
               : "µs of the effect with its tables computed by this algorithm: median of all runs. The frame's own table "
                 "is the column µs",
       traffic ? 1 : -1, race.effect ? Shown::usually : Shown::never,
       [&race](const RaceRow& row) { return race.effect_cost(row); }},
      {"× in use", "divided by that of the algorithm in use" + (in_use ? ", " + in_use->label : ""), 2, Shown::on_request,
       [&race, in_use](const RaceRow& row) { return in_use ? race.cost(row) / race.cost(*in_use) : 0; }},
      {"GB/s",
       "bytes that the algorithm's threads request or, where nobody counts them, of image and table; divided by its time", 0,
       traffic ? Shown::never : Shown::on_request, [](const RaceRow& row) { return row.gb_per_s; }}};
}

}  // namespace

std::vector<RaceColumn> race_columns(const RaceFigures& race, const RaceRow* in_use) {
  auto columns = cost_columns(race);
  std::ranges::move(other_columns(race, in_use), std::back_inserter(columns));
  for (auto& column : columns)
    column.value = [of = std::move(column.value)](const RaceRow& row) {
      const auto known = of(row);
      return known && *known > 0 ? known : std::nullopt;
    };
  return columns;
}

RaceFigures simulated_rows(const RaceFigures& race) {
  RaceFigures all;
  all.device = gpu::Device::simulated;
  all.size = race.size;
  for (const auto& absent : race.absent) {
    if (!absent.bytes_per_pixel) continue;
    auto& row = all.rows.emplace_back();
    row.name = row.label = absent.name;
    row.bytes_per_pixel = absent.bytes_per_pixel;
    if (const auto* algorithm = gpu::find_sat_algorithm(absent.name)) row.arguments = gpu::Arguments(algorithm->parameters);
  }
  std::ranges::stable_sort(all.rows, {}, [](const RaceRow& row) { return *row.bytes_per_pixel; });
  return all;
}

// Twelve times the bound can still be told apart on a linear scale.
constexpr double most_linear = 12;

RaceScale::RaceScale(const RaceFigures& race) {
  double least = 0, most = 0, bound = 0;
  for (const auto& row : race.rows) {
    const auto cost = race.cost(row);
    if (cost <= 0) continue;
    if (row.label == race.bound) bound = cost;
    least = least > 0 ? std::min(least, cost) : cost;
    most = std::max(most, cost);
  }
  if (least <= 0) return;
  bound_ = bound > 0 ? bound : least;
  last_ = std::max(most / bound_, 2.0);
  bends_ = last_ > most_linear;
}

double RaceScale::position(double cost) const {
  const auto factor = std::clamp(times(cost), 1.0, last_);
  if (!bends_) return (factor - 1) / (last_ - 1);
  if (factor <= bend) return of_all * (factor - 1) / (bend - 1);
  return of_all + (1 - of_all) * std::log(factor / bend) / std::log(last_ / bend);
}

std::vector<double> RaceScale::marks() const {
  std::vector<double> all{1};
  const auto add = [&](double mark, double factor, double step, double end) {
    for (; mark <= end; mark = mark * factor + step) all.push_back(mark);
  };
  if (!bends_) {
    add(2, 1, last_ <= bend ? 1 : 2, last_);
    return all;
  }
  all.push_back(bend);
  add(100, 10, 0, last_);
  add(2, 1, 1, bend - 1);
  add(20, 10, 0, last_);
  add(10, 10, 0, std::min(last_, 99.0));
  return all;
}

}  // namespace app
