#include "app/ui/card_lines.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

#include "app/control/fuzzy_match.h"
#include "app/control/names.h"
#include "app/ui/algorithm_facts.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
  return part.empty() || !std::ranges::search(text, part, same).empty();
}

// In any of the card's texts.
bool found(const gpu::SatAlgorithm& algorithm, std::string_view text) {
  const auto& card = card_of(algorithm);
  const auto in_step = [&](const gpu::SatStep& step) { return contains(step.text, text); };
  const auto in_kernel = [&](const auto& kernel) { return contains(kernel.name, text) || contains(kernel.text, text); };
  return contains(algorithm.name, text) || contains(algorithm.paper, text) || contains(algorithm.idea, text) ||
         contains(name(card.family), text) || contains(std::to_string(algorithm.year), text) || contains(card.doi, text) ||
         std::ranges::any_of(card.steps, in_step) || std::ranges::any_of(card.kernels, in_kernel);
}

// How often a pixel is read or written: counted, where pixels and entries have the same size; where nobody counts, as stated.
CardLine line_of_count(const gpu::SatAlgorithm& algorithm, CardOrder which, gpu::Size size, const gpu::GpuLimits& limits) {
  const bool reads = which == CardOrder::reads;
  if (algorithm.traffic && std::ranges::find(algorithm.types, gpu::SatType::u32_u32) != algorithm.types.end()) {
    const auto traffic = algorithm.traffic(size, gpu::SatType::u32_u32, gpu::Arguments(algorithm.parameters), limits);
    const auto bytes = static_cast<double>(reads ? traffic.read_bytes : traffic.written_bytes);
    const auto count = bytes / sizeof(std::uint32_t) / static_cast<double>(size.pixels());
    return {&algorithm, count, number(count, 1)};
  }
  const std::string stated(reads ? algorithm.reads : algorithm.writes);
  const auto value = std::atof(stated.c_str());
  return {&algorithm, value > 0 ? value : std::numeric_limits<double>::infinity(), stated};
}

bool counts(CardOrder order) { return order == CardOrder::reads || order == CardOrder::writes; }

CardLine line_of_year(const gpu::SatAlgorithm& algorithm, CardOrder order) {
  const auto family = static_cast<int>(card_of(algorithm).family);
  const auto rank = order == CardOrder::name ? 0 : algorithm.year + (order == CardOrder::family ? 1e4 * family : 0);
  return {&algorithm, rank, std::to_string(algorithm.year)};
}

}  // namespace

const gpu::SatCard& card_of(const gpu::SatAlgorithm& algorithm) {
  static constexpr gpu::SatCard none{{}, gpu::SatFamily::library, {}, {}, {}};
  const auto* card = gpu::find_sat_card(algorithm.name);
  return card ? *card : none;
}

std::vector<CardLine> card_lines(CardOrder order, std::string_view search, gpu::Size size) {
  std::vector<CardLine> all;
  const auto limits = counts(order) ? gpu::current_gpu_limits() : gpu::GpuLimits{};
  for (const auto* algorithm : gpu::sat_algorithms())
    if (found(*algorithm, search))
      all.push_back(counts(order) ? line_of_count(*algorithm, order, size, limits) : line_of_year(*algorithm, order));
  std::ranges::stable_sort(all, {}, &CardLine::rank);
  return all;
}

int best_match(const std::vector<CardLine>& all, std::string_view typed) {
  const auto begins = [&](const CardLine& line) { return begins_with(line.name(), typed); };
  const auto is = [&](const CardLine& line) { return line.name().size() == typed.size() && begins(line); };
  auto best = std::ranges::find_if(all, is);
  if (best == all.end()) best = std::ranges::find_if(all, begins);
  return best == all.end() ? 0 : static_cast<int>(best - all.begin());
}

}  // namespace app::ui
