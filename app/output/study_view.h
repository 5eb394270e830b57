// StudyView: what a panel shows of a study, and beside it of a card that the program was measured on: curves over the sizes, and
// the figures of one size.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/measured.h"
#include "app/control/settings.h"
#include "app/output/study_figures.h"

namespace app {

struct StudyView {
  // `live`: the algorithm in use. Both others are used as long as this lives.
  StudyView(const StudyFigures& study, const Settings& settings, std::string_view live);

  bool traffic() const { return study.device == gpu::Device::simulated && !study.sizes.empty(); }
  // Of an algorithm at a size, what was measured here; none or null where it has no result.
  const RaceFigures* race_at(gpu::Size size) const;
  const RaceRow* row_at(std::string_view name, gpu::Size size) const;
  std::optional<double> cost(std::string_view name, gpu::Size size) const;
  std::optional<double> over_bound(std::string_view name, gpu::Size size) const;
  // Likewise what the card has.
  std::optional<double> card_us(std::string_view name, gpu::Size size) const;
  std::optional<double> card_over_bound(std::string_view name, gpu::Size size) const;
  // What curves show: of what was measured here, and of the card.
  std::optional<double> here(std::string_view name, gpu::Size size) const {
    return times ? over_bound(name, size) : cost(name, size);
  }
  std::optional<double> beside(std::string_view name, gpu::Size size) const {
    return times ? card_over_bound(name, size) : card_us(name, size);
  }
  struct Range {
    double from, to;
  };
  std::optional<Range> spread(std::string_view name, gpu::Size size) const;  // half of the runs; none of what is not timed
  Range range() const;                                                       // of an axis that has the curves
  // The chosen size where it is one of these, else the one nearest to the picture.
  gpu::Size size_for(gpu::Size chosen, gpu::Size picture) const;

  std::string units() const;  // of the curves
  std::string row_words(const std::string& name, gpu::Size size) const;

  struct Curve {
    std::string name;
    bool live = false;
    std::optional<std::size_t> colour = {};  // its number; none: of the live one, and of those after the first ones
  };
  const StudyFigures& study;
  const MeasuredCard* card;  // null: none is beside it
  bool times;                // in multiples of the bound
  std::vector<gpu::Size> sizes;
  std::vector<Curve> curves;  // the best at the largest size first

 private:
  void name_curves(std::string_view live);
};

// The first line of a study's panel, and how far it is; `about` where nothing was started.
std::string study_title(const StudyFigures& study);
std::string study_state(const StudyFigures& study, std::string_view about);

}  // namespace app
