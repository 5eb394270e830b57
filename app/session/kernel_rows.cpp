#include "app/session/kernel_rows.h"

#include <algorithm>
#include <cmath>

namespace app {

std::optional<double> figure_of(const KernelRow& row, KernelFigure which) {
  const auto& stage = row.stage;
  const auto value = [&]() -> std::optional<double> {
    switch (which) {
      case KernelFigure::launches: return stage.launches;
      case KernelFigure::last: return stage.last;
      case KernelFigure::mean: return stage.mean;
      case KernelFigure::p50: return stage.p50;
      case KernelFigure::p90: return stage.p90;
      case KernelFigure::p99: return stage.p99;
      case KernelFigure::p999: return stage.p999;
      case KernelFigure::max: return stage.max;
      case KernelFigure::share: return row.computes() ? std::optional(stage.share * 100) : std::nullopt;
      case KernelFigure::rate: return row.gb_per_s;
      case KernelFigure::bound: return row.of_bound ? std::optional(*row.of_bound * 100) : std::nullopt;
      case KernelFigure::run:
      case KernelFigure::name:
      case KernelFigure::latest: break;
    }
    return {};
  }();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

void number_colours(std::span<KernelRow> rows) {
  std::size_t next = 0;
  for (auto& row : rows)
    if (has_colour(row)) row.colour = next++;
}

namespace {

// A group with one kernel that has the group's title: the kernel's row alone is kept, without indentation.
void leave_out_repeated(std::vector<KernelRow>& rows) {
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    const auto& group = rows[i].stage;
    auto& kernel = rows[i + 1].stage;
    const bool alone = i + 2 == rows.size() || rows[i + 2].stage.depth == 0;
    if (group.leaf || group.depth > 0 || !kernel.leaf || !alone) continue;
    if (title_of_path(kernel.name) != title_of_path(group.name)) continue;
    kernel.depth = 0;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace

KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                           const std::optional<BoundTime>& bound) {
  const auto& stages = figures.stages;
  KernelsState state;
  auto rows = stages.rows();
  const auto rates = kernel_rates(rows, figures, selection, size, bound ? std::optional(bound->us) : std::nullopt);
  for (std::size_t i = 0; i < rows.size(); ++i)
    state.rows.push_back({std::move(rows[i]), 0, rates[i].gb_per_s, rates[i].of_bound});
  leave_out_repeated(state.rows);
  number_colours(state.rows);
  state.total = stages.total();
  state.computing = stages.computing().mean();
  state.transfers = stages.transfers().mean();
  state.waiting = stages.waiting().mean();
  state.timed_frames = stages.frames();
  state.untimed_frames = selection.timing == TimingChoice::off ? 0 : figures.untimed;
  state.dropped_spans = figures.dropped_spans;
  state.lost_frames = figures.lost_us.count();
  state.lost_us = figures.lost_us.mean();
  state.bound = bound;
  state.timing_share = figures.timing_share();
  state.timing_us = figures.timing_us.mean();
  state.timing_points = state.timed_frames > 0
                            ? static_cast<double>(figures.points) / static_cast<double>(state.timed_frames)
                            : 0;
  return state;
}

bool precedes(const std::optional<double>& a, const std::optional<double>& b, bool descending) {
  if (!a || !b) return a.has_value() && !b;
  return descending ? *a > *b : *a < *b;
}

namespace {

bool row_precedes(const KernelRow& a, const KernelRow& b, KernelFigure by, bool descending) {
  if (a.computes() != b.computes()) return a.computes();
  if (by == KernelFigure::name) return descending ? b.title() < a.title() : a.title() < b.title();
  return precedes(figure_of(a, by), figure_of(b, by), descending);
}

// Rows of one parent, each followed by those below it.
void append_ordered(std::span<const KernelRow> rows, KernelFigure by, bool descending,
                    std::vector<const KernelRow*>& order) {
  std::vector<std::span<const KernelRow>> siblings;
  for (std::size_t first = 0; first < rows.size();) {
    auto end = first + 1;
    while (end < rows.size() && rows[end].stage.depth > rows[first].stage.depth) ++end;
    siblings.push_back(rows.subspan(first, end - first));
    first = end;
  }
  if (by != KernelFigure::run)
    std::ranges::stable_sort(siblings, [&](auto a, auto b) { return row_precedes(a.front(), b.front(), by, descending); });
  for (const auto each : siblings) {
    order.push_back(&each.front());
    append_ordered(each.subspan(1), by, descending, order);
  }
}

}  // namespace

std::vector<const KernelRow*> ordered(std::span<const KernelRow> rows, KernelFigure by, bool descending) {
  std::vector<const KernelRow*> order;
  append_ordered(rows, by, descending, order);
  return order;
}

StageTimes stage_times(const KernelsState& kernels, std::string_view algorithm, std::string_view effect) {
  constexpr std::string_view of_neither[] = {"luma", "check", "no findings", "four points"};
  StageTimes times;
  for (const auto& row : kernels.rows) {
    const std::string_view name = row.stage.name;
    const bool side = name.starts_with("A: ") || name.starts_with("B: ");
    if (side && name.substr(3, name.find('/') - 3) != effect) continue;
    if (row.stage.depth > 0 || !row.computes() || std::ranges::find(of_neither, name) != std::end(of_neither)) continue;
    (name == algorithm ? times.table : times.effect) += row.stage.mean;
  }
  return times;
}

const KernelRow* slowest_kernel(std::span<const KernelRow> rows) {
  const KernelRow* slowest = nullptr;
  for (const auto& row : rows)
    if (has_colour(row) && (!slowest || row.stage.share > slowest->stage.share)) slowest = &row;
  return slowest;
}

}  // namespace app
