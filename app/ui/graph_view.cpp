#include "app/ui/graph_view.h"

#include <algorithm>
#include <cmath>

namespace app::ui {
namespace {

constexpr float wide_bar = 3, widest_bar = 24;
constexpr double zoom_per_step = 1.25;

}  // namespace

std::optional<std::uint64_t> GraphView::column_at(float x) const {
  if (columns() == 0) return {};
  const auto back = std::floor((right - std::clamp(x, left, right - 0.5f)) / pitch);
  const auto column = static_cast<std::int64_t>(last) - static_cast<std::int64_t>(back);
  return column >= 0 ? std::optional(static_cast<std::uint64_t>(column)) : std::nullopt;
}

GraphView graph_view(const FrameHistory& history, const Settings& settings, float left, float right, float scale) {
  GraphView view;
  view.left = left;
  view.right = right;
  const auto width = std::max(right - left, 1.f), pixel = std::max(std::round(scale), 1.f);
  const auto wanted = settings.graph_frames > 0 ? static_cast<float>(settings.graph_frames) : width / (wide_bar * pixel);
  if (wanted * pixel <= width) {
    view.pitch = std::clamp(std::floor(width / wanted), pixel, widest_bar * pixel);
  } else {
    view.pitch = pixel;
    view.per_column = static_cast<std::uint64_t>(std::ceil(wanted * pixel / width));
  }
  auto end = history.added();
  if (settings.graph_end > 0)
    end = number_of(history, static_cast<std::uint64_t>(settings.graph_end)).value_or(history.added());
  view.last = end > 0 ? view.column_of(end) : 0;
  return view;
}

int zoomed_frames(const GraphView& view, float steps) {
  const auto width = view.right - view.left;
  const auto now = static_cast<double>(view.frames());
  auto wanted = now * std::pow(zoom_per_step, -steps);
  // At least one step of what whole pixels allow.
  if (view.per_column > 1) {
    const auto per_column = static_cast<double>(view.per_column), columns = now / per_column;
    wanted = steps > 0 ? std::min(wanted, (per_column - 1) * columns) : std::max(wanted, (per_column + 1) * columns);
  } else {
    const auto narrower = view.pitch > 1 ? std::floor(width / (view.pitch - 1)) : 2 * width;
    wanted = steps > 0 ? std::min(wanted, std::floor(static_cast<double>(width / (view.pitch + 1))))
                       : std::max(wanted, static_cast<double>(narrower));
  }
  return static_cast<int>(std::clamp(wanted, 8.0, static_cast<double>(FrameHistory::frames_kept)));
}

int end_at(const FrameHistory& history, std::int64_t number) {
  const auto frames = history.frames();
  if (frames.empty() || number >= static_cast<std::int64_t>(history.added())) return 0;
  const auto first = static_cast<std::int64_t>(history.added() - frames.size()) + 1;
  return static_cast<int>(frames[static_cast<std::size_t>(std::max(number, first) - first)].id);
}

const HistoryFrame* frame_numbered(const FrameHistory& history, std::uint64_t number) {
  const auto frames = history.frames();
  const auto first = history.added() - frames.size() + 1;
  return number >= first && number <= history.added() ? &frames[number - first] : nullptr;
}

std::optional<std::uint64_t> number_of(const FrameHistory& history, std::uint64_t id) {
  const auto frames = history.frames();
  const auto after = std::ranges::upper_bound(frames, id, {}, &HistoryFrame::id);
  if (after == frames.begin()) return {};
  return history.added() - static_cast<std::uint64_t>(frames.end() - after);
}

}  // namespace app::ui
