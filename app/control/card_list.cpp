#include "app/control/card_list.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "app/support/text.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

bool is_part(std::string_view part, std::string_view text) { return lower(text).find(lower(part)) != std::string::npos; }

// Whether `text` is in any of the card's texts.
bool has_text(const gpu::SatAlgorithm& algorithm, std::string_view text) {
  const auto& card = card_of(algorithm);
  const auto in_step = [&](const SatStep& step) { return is_part(text, step.text); };
  const auto in_kernel = [&](const SpanNote& kernel) { return is_part(text, kernel.name) || is_part(text, kernel.text); };
  return is_part(text, title_of(algorithm)) || is_part(text, algorithm.name) || is_part(text, algorithm.paper) ||
         is_part(text, algorithm.idea) || is_part(text, card.family->name) ||
         is_part(text, std::to_string(algorithm.year)) || is_part(text, card.doi) ||
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

// Before all others.
CardLine line_of_own(const gpu::SatAlgorithm& algorithm) {
  return {&algorithm, -std::numeric_limits<double>::infinity(), {}};
}

CardLine line_of_year(const gpu::SatAlgorithm& algorithm, CardOrder order) {
  const auto family = static_cast<double>(card_of(algorithm).family - sat_families().data());
  const auto rank = order == CardOrder::name ? 0 : algorithm.year + (order == CardOrder::family ? 1e4 * family : 0);
  return {&algorithm, rank, std::to_string(algorithm.year)};
}

std::string times(std::string_view count, const char* what) {
  return std::string(count) + ' ' + what + (count == "1" ? "" : "s");
}

std::string exact_traffic(const gpu::SatAlgorithm& algorithm, gpu::Size size) {
  const auto traffic = algorithm.traffic(size, gpu::SatType::u8_u32, gpu::Arguments(algorithm.parameters),
                                         gpu::current_gpu_limits());
  const auto per_pixel = [&](std::uint64_t bytes) {
    return number(static_cast<double>(bytes) / static_cast<double>(size.pixels()), 2);
  };
  return std::to_string(size.width) + " x " + std::to_string(size.height) + ": " + per_pixel(traffic.read_bytes) +
         " bytes read, " + per_pixel(traffic.written_bytes) + " written per pixel; " + std::to_string(traffic.launches) +
         (traffic.launches == 1 ? " launch" : " launches") + ", with the default parameters";
}

}  // namespace

std::vector<CardLine> card_lines(CardOrder order, std::string_view search, gpu::Size size) {
  const bool counts = order == CardOrder::reads || order == CardOrder::writes;
  const auto limits = counts ? gpu::current_gpu_limits() : gpu::GpuLimits{};
  std::vector<CardLine> all;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (has_text(*algorithm, search))
      all.push_back(algorithm->version ? line_of_own(*algorithm)
                    : counts           ? line_of_count(*algorithm, order, size, limits)
                                       : line_of_year(*algorithm, order));
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

std::string title_of(const gpu::SatAlgorithm& algorithm) {
  return algorithm.version ? algorithm.version->file.filename().string() : std::string(algorithm.name);
}

std::string title_of(const gpu::Effect& effect) {
  return effect.version ? effect.version->file.filename().string() : std::string(effect.title);
}

const SatFamily& own_kernels() {
  static const SatFamily family{"own", "Your kernels", "Compiled from files of yours, again whenever one is saved"};
  return family;
}

const SatCard& card_of(const gpu::SatAlgorithm& algorithm) {
  static const SatCard none{{}, &sat_families().back(), {}, {}, {}}, own{{}, &own_kernels(), {}, {}, {}};
  if (algorithm.version) return own;
  const auto* card = find_sat_card(algorithm.name);
  return card ? *card : none;
}

namespace {

std::string types_of(const gpu::SatAlgorithm& algorithm) {
  std::string types;
  for (const auto type : algorithm.types) types += (types.empty() ? "Types: " : ", ") + std::string(gpu::info(type).name);
  return types + (algorithm.types_note.empty() ? "" : "; " + std::string(algorithm.types_note));
}

}  // namespace

// A descriptor names a paper, a library, or says that the idea is our own.
std::string_view whose_count(const gpu::SatAlgorithm& algorithm) {
  const auto* card = find_sat_card(algorithm.name);
  if (algorithm.reads == "?") return ": the library does not say";
  const bool paper = !algorithm.paper.starts_with("our own") && (!card || card->family->key != "library");
  return paper ? ", as the paper counts" : ", counted from its passes: there is no paper";
}

std::vector<std::string> traffic_of(const gpu::SatAlgorithm& algorithm, gpu::Size size) {
  if (algorithm.version) return {"Of " + algorithm.version->file.string(), types_of(algorithm)};
  std::vector<std::string> all{"Per pixel: " + times(algorithm.reads, "read") + ", " + times(algorithm.writes, "write") +
                               std::string(whose_count(algorithm))};
  if (algorithm.traffic && size.width > 0) all.push_back(exact_traffic(algorithm, size));
  if (!algorithm.repeatable) all.emplace_back("Floating-point tables may differ from run to run");
  all.push_back(types_of(algorithm));
  return all;
}

}  // namespace app
