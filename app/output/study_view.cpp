#include "app/output/study_view.h"

#include <algorithm>
#include <cmath>

#include "app/control/names.h"
#include "app/output/race_view.h"
#include "app/output/study_text.h"
#include "app/support/text.h"

namespace app {
namespace {

constexpr std::size_t coloured_curves = 7;  // besides the live one; the others are gray
constexpr double most_times = 16;           // the bound: a curve above leaves the plot

double log_pixels(gpu::Size size) { return std::log(static_cast<double>(std::max<std::size_t>(size.pixels(), 1))); }

// Why an algorithm has no figure at that size; empty: it has, or nobody knows.
std::string why_not_measured(const StudyView& view, std::string_view name, gpu::Size size) {
  const auto* race = view.race_at(size);
  if (!race) return view.study.end;
  const auto at = std::ranges::find(race->absent, name, &RaceFigures::Absent::name);
  if (at != race->absent.end()) return at->why;
  const auto row = std::ranges::find(race->rows, name, &RaceRow::name);
  return row == race->rows.end() ? std::string() : row->problem;
}

}  // namespace

StudyView::StudyView(const StudyFigures& study, const Settings& settings, std::string_view live)
    : study(study), card(find_measured_card(settings.study_beside)), times(settings.study_shows == StudyShows::bound) {
  if (traffic()) card = nullptr;  // its times are of another kind
  for (const auto& race : study.sizes) sizes.push_back(race.size);
  if (card) sizes.insert(sizes.end(), card->sizes.begin(), card->sizes.end());
  std::ranges::sort(sizes, {}, &gpu::Size::pixels);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  name_curves(live);
}

void StudyView::name_curves(std::string_view live) {
  const auto add = [&](std::string_view name) {
    if (std::ranges::find(curves, name, &Curve::name) == curves.end()) curves.push_back({std::string(name)});
  };
  for (auto race = study.sizes.rbegin(); race != study.sizes.rend(); ++race)
    for (const auto& row : race->rows)
      if (!row.bound && measured_row(*race, row.name)) add(row.name);
  // Where what was measured here did not run on the card, as on a CPU, the card's own algorithms are what is beside it.
  const auto ran_on_card = [&](const Curve& curve) {
    return std::ranges::count(card->rows, curve.name, &MeasuredCard::Row::algorithm) > 0;
  };
  if (card && std::ranges::none_of(curves, ran_on_card)) {
    auto rows = card->rows;
    std::ranges::sort(rows, {}, [](const MeasuredCard::Row& row) { return row.us.back().value_or(1e12); });
    for (const auto& row : rows) add(row.algorithm);
  }
  std::size_t number = 0;
  for (auto& curve : curves) {
    curve.live = curve.name == live;
    if (!curve.live && number < coloured_curves) curve.colour = number++;
  }
}

const RaceFigures* StudyView::race_at(gpu::Size size) const {
  const auto at = std::ranges::find(study.sizes, size, &RaceFigures::size);
  return at == study.sizes.end() ? nullptr : &*at;
}

const RaceRow* StudyView::row_at(std::string_view name, gpu::Size size) const {
  const auto* race = race_at(size);
  return race ? measured_row(*race, name) : nullptr;
}

std::optional<double> StudyView::cost(std::string_view name, gpu::Size size) const {
  const auto* row = row_at(name, size);
  return row ? std::optional(race_at(size)->cost(*row)) : std::nullopt;
}

std::optional<double> StudyView::over_bound(std::string_view name, gpu::Size size) const {
  const auto* row = row_at(name, size);
  return row ? times_bound(*race_at(size), *row) : std::nullopt;
}

std::optional<double> StudyView::card_us(std::string_view name, gpu::Size size) const {
  return card ? card->us(name, size) : std::nullopt;
}

std::optional<double> StudyView::card_over_bound(std::string_view name, gpu::Size size) const {
  const auto us = card_us(name, size);
  return us ? std::optional(*us / card->bound_at(size).value_or(*us)) : std::nullopt;
}

std::optional<StudyView::Range> StudyView::spread(std::string_view name, gpu::Size size) const {
  const auto* row = row_at(name, size);
  const auto value = here(name, size);
  if (!row || !value || traffic() || row->lower_us <= 0) return {};
  return Range{*value * row->lower_us / row->us, *value * row->upper_us / row->us};
}

StudyView::Range StudyView::range() const {
  double least = 1e300, most = 0;
  for (const auto& curve : curves)
    for (const auto size : sizes)
      for (const auto& value : {here(curve.name, size), beside(curve.name, size)})
        if (value && *value > 0) least = std::min(least, *value), most = std::max(most, *value);
  if (most <= 0) least = most = 1;
  if (times) least = std::min(least * 0.98, 1.0), most = std::clamp(most * 1.05, 2.0, most_times);
  return {least, std::max(most, 2 * least)};
}

gpu::Size StudyView::size_for(gpu::Size chosen, gpu::Size picture) const {
  if (std::ranges::find(sizes, chosen) != sizes.end()) return chosen;
  return *std::ranges::min_element(sizes, {},
                                   [&](gpu::Size size) { return std::abs(log_pixels(size) - log_pixels(picture)); });
}

std::string StudyView::units() const {
  return times ? "multiples of the bound" : traffic() ? "bytes per pixel" : "microseconds";
}

std::string StudyView::row_words(const std::string& name, gpu::Size size) const {
  auto words = name + " at " + text_of(size);
  if (const auto* row = row_at(name, size))
    words += row_figures(*race_at(size), *row) + "\nEvery entry of the table is right";
  else if (const auto why = why_not_measured(*this, name, size); !why.empty())
    words += "\nNot measured: " + why;
  if (const auto us = card_us(name, size))
    words += "\n" + card->title + ": " + microseconds(*us) + " µs, " + number(*card_over_bound(name, size), 2) +
             " times its bound";
  return words + (gpu::find_sat_algorithm(name) ? "\nClick to use this algorithm" : "");
}

std::string study_title(const StudyFigures& study) {
  if (!study.problem.empty()) return study.problem;
  const auto says = study_sentence(study);
  return says.empty() ? "Which algorithm is nearest to the bound, at which size?" : says;
}

std::string study_state(const StudyFigures& study, std::string_view about) {
  const auto all = std::to_string(study.sizes_wanted), done = std::to_string(study.sizes.size());
  if (study.running() && study.under_way.width == 0) return "Waits for a picture, or for the race";
  if (study.running()) return "Measures " + text_of(study.under_way) + ", after " + done + " of " + all + " sizes";
  if (study.sizes.empty()) return std::string(about);
  return done + " sizes of random pixels" + (study.finished ? "" : ", stopped") +
         (study.end.empty() ? "" : "; no larger one: " + study.end);
}

}  // namespace app
