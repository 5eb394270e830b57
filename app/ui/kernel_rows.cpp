#include "app/ui/kernel_rows.h"

#include <algorithm>
#include <cmath>

namespace app::ui {
namespace {

std::optional<double> stated(const KernelRow& row, KernelSort by) {
  const auto& stage = row.stage;
  switch (by) {
    case KernelSort::launches: return stage.launches;
    case KernelSort::last: return stage.last;
    case KernelSort::mean: return stage.mean;
    case KernelSort::p50: return stage.p50;
    case KernelSort::p90: return stage.p90;
    case KernelSort::p99: return stage.p99;
    case KernelSort::p999: return stage.p999;
    case KernelSort::max: return stage.max;
    case KernelSort::share: return row.computes() ? std::optional(stage.share) : std::nullopt;
    case KernelSort::rate: return row.gb_per_s;
    case KernelSort::bound: return row.of_bound;
    case KernelSort::run:
    case KernelSort::name: break;
  }
  return {};
}

std::optional<double> figure(const KernelRow& row, KernelSort by) {
  const auto value = stated(row, by);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

void number_colours(std::span<KernelRow> rows) {
  std::size_t next = 0;
  for (auto& row : rows)
    if (has_colour(row)) row.colour = next++;
}

std::vector<const KernelRow*> ordered(std::span<const KernelRow> rows, KernelSort by, bool descending) {
  std::vector<const KernelRow*> order;
  for (const auto& row : rows) order.push_back(&row);
  if (by == KernelSort::run) return order;
  std::ranges::stable_sort(order, [&](const KernelRow* a, const KernelRow* b) {
    if (a->computes() != b->computes()) return a->computes();
    if (by == KernelSort::name) return descending ? b->stage.name < a->stage.name : a->stage.name < b->stage.name;
    const auto left = figure(*a, by), right = figure(*b, by);
    if (!left || !right) return left.has_value() && !right;
    return descending ? *left > *right : *left < *right;
  });
  return order;
}

KernelOrder after_click(const KernelOrder& now, KernelSort column) {
  const bool first = column != KernelSort::name;  // names: from A on
  if (now.by != column) return {column, first};
  if (now.descending == first) return {column, !first};
  return {KernelSort::run, true};
}

}  // namespace app::ui
