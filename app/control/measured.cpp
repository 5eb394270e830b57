#include "app/control/measured.h"

#include <data.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace app {
namespace {

MeasuredCard card_from(const nlohmann::ordered_json& data) {
  MeasuredCard card{data.at("name"), data.at("title"), data.at("device"), data.at("how"), data.at("source"), {}, {}, {}};
  for (const auto& size : data.at("sizes")) card.sizes.push_back({size.at(0), size.at(1)});
  for (const auto& us : data.at("bound")) card.bound.push_back(us);
  for (const auto& [name, times] : data.at("us").items()) {
    auto& row = card.rows.emplace_back(MeasuredCard::Row{name, {}});
    for (const auto& us : times) row.us.push_back(us.is_null() ? std::nullopt : std::optional(us.get<double>()));
  }
  return card;
}

std::optional<std::size_t> place_of(const MeasuredCard& card, gpu::Size size) {
  const auto at = std::ranges::find(card.sizes, size);
  return at == card.sizes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - card.sizes.begin()));
}

}  // namespace

std::optional<double> MeasuredCard::us(std::string_view algorithm, gpu::Size size) const {
  const auto row = std::ranges::find(rows, algorithm, &Row::algorithm);
  const auto at = place_of(*this, size);
  return row == rows.end() || !at ? std::nullopt : row->us.at(*at);
}

std::optional<double> MeasuredCard::bound_at(gpu::Size size) const {
  const auto at = place_of(*this, size);
  return at ? std::optional(bound.at(*at)) : std::nullopt;
}

const std::vector<MeasuredCard>& measured_cards() {
  static const auto cards = [] {
    std::vector<MeasuredCard> all;
    const auto shipped = nlohmann::ordered_json::parse(data::measured_times_json);  // outlives the loop over what is in it
    for (const auto& card : shipped.at("cards")) all.push_back(card_from(card));
    return all;
  }();
  return cards;
}

const MeasuredCard* find_measured_card(std::string_view name) {
  const auto at = std::ranges::find(measured_cards(), name, &MeasuredCard::name);
  return at == measured_cards().end() ? nullptr : &*at;
}

std::vector<std::string_view> measured_names() {
  std::vector<std::string_view> names{"none"};
  for (const auto& card : measured_cards()) names.push_back(card.name);
  return names;
}

}  // namespace app
