// The lines of the list of algorithms: which a search finds, in which order, and which one it means most.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/sat_card.h"

namespace app::ui {

// What it is sorted by, and what it shows at the right.
struct CardLine {
  const gpu::SatAlgorithm* algorithm;
  double rank;
  std::string figure;
  std::string_view name() const { return algorithm->name; }
};

// The algorithm's card; an empty one where it has none.
const gpu::SatCard& card_of(const gpu::SatAlgorithm& algorithm);
// Of all algorithms with `search` in one of their texts, by their rank; where it is the same, by name. `size`: for which reads
// and writes are counted.
std::vector<CardLine> card_lines(CardOrder order, std::string_view search, gpu::Size size);
// The index of the line whose name is what was typed; otherwise of one whose name begins with it, or 0.
int best_match(const std::vector<CardLine>& all, std::string_view typed);

}  // namespace app::ui
