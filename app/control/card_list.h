// The list of algorithms: which of them a search finds, in which order, and what their cards say of their traffic.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/control/cards.h"
#include "app/control/settings.h"
#include "gpu/effect.h"
#include "gpu/image.h"
#include "gpu/sat.h"

namespace app {

// What it is sorted by, and what it shows at the right: nothing of a user's kernel.
struct CardLine {
  const gpu::SatAlgorithm* algorithm;
  double rank;
  std::string figure;
  std::string_view name() const { return algorithm->name; }
};
// The lines of all algorithms with `search` in one of their texts, by their rank; where it is the same, by name. `size`: for
// which reads and writes are counted.
std::vector<CardLine> card_lines(CardOrder order, std::string_view search, gpu::Size size);
// The index of the line whose name is what was typed; otherwise of one whose name begins with it, or 0.
int best_match(const std::vector<CardLine>& all, std::string_view typed);

// "2r1w"; of a user's kernel the name of its file, "mine.cu". And of an effect, "Box blur".
std::string title_of(const gpu::SatAlgorithm& algorithm);
std::string title_of(const gpu::Effect& effect);
const SatFamily& own_kernels();  // the family of users' kernels, which come first in every order

const SatCard& card_of(const gpu::SatAlgorithm& algorithm);  // an empty one where it has none
// The origin of an algorithm's numbers of reads and writes: ", as the paper counts".
std::string_view whose_count(const gpu::SatAlgorithm& algorithm);
// Sentences on reads, writes and types, with exact figures for pictures of `size`.
std::vector<std::string> traffic_of(const gpu::SatAlgorithm& algorithm, gpu::Size size);

}  // namespace app
