// The time of every frame as a bar, against the target.
#include <algorithm>
#include <cmath>

#include "app/control/fields.h"
#include "app/ui/panel.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

struct Target {
  const char* text;
  double ms;
};
constexpr Target targets[] = {
    {"24/s", 1000.0 / 24},   {"30/s", 1000.0 / 30},   {"60/s", 1000.0 / 60}, {"120/s", 1000.0 / 120},
    {"144/s", 1000.0 / 144}, {"240/s", 1000.0 / 240}, {"1000/s", 1}};

void head(PanelContext& ui, const FrameSummary& summary) {
  ImGui::AlignTextToFramePadding();
  {
    const WithFont bold(Font::bold);
    text("Frames");
  }
  ImGui::SameLine();
  const auto field = std::round(ImGui::GetFontSize() * 5.4f);
  {
    const WithFont small(Font::small);
    ImGui::AlignTextToFramePadding();
    const bool over = summary.over > 0;
    const auto room = ImGui::GetContentRegionAvail().x - field - ImGui::GetStyle().ItemSpacing.x;
    text(shortened(over ? number(summary.over * 100, summary.over < 0.0995 ? 1 : 0) + "% over" : "ms", room),
         over ? colour::warning : colour::dim);
  }
  tooltip("Milliseconds of work per frame, without waiting for the screen, compared with the target, over the " +
          grouped(summary.frames) + " frames since the work last changed");
  same_line_at_right(field);
  ImGui::SetNextItemWidth(field);
  const auto current = number(1000 / ui.settings.target_ms, 0) + "/s";
  if (begin_combo("##target", current)) {
    for (const auto& target : targets)
      if (ImGui::Selectable(target.text, std::abs(target.ms - ui.settings.target_ms) < 1e-6))
        ui.change("target_ms", number_as_text(target.ms));
    ImGui::EndCombo();
  }
  tooltip("The target: the line in the graph");

  const WithFont small(Font::small);
  // As many as fit.
  bool fits = true;
  const auto figure = [&](const char* name, const std::string& value) {
    const auto gap = ImGui::GetFontSize() * 0.35f;
    const auto width = ImGui::CalcTextSize(name).x + gap + ImGui::CalcTextSize(value.c_str()).x;
    if (!(fits = fits && width <= ImGui::GetContentRegionAvail().x)) return;
    text(name, colour::dim);
    ImGui::SameLine(0, gap);
    text(value);
    ImGui::SameLine(0, ImGui::GetFontSize() * 0.9f);
  };
  const auto ms = [](double value) { return number(value, value < 9.995 ? 2 : 1); };
  figure("p50", ms(summary.p50));
  figure("p90", ms(summary.p90));
  figure("p99", ms(summary.p99));
  figure("max", ms(summary.max));
  figure("of", grouped(summary.frames));
  ImGui::NewLine();
}

ImU32 bar_colour(double work, double target) {
  return work <= target ? colour::good : work <= 2 * target ? colour::warning : colour::bad;
}

void inspect(const FrameRecord& frame) {
  ImGui::BeginTooltip();
  text("frame " + grouped(frame.id) + (frame.again ? ", the previous one computed again" : ""));
  text("work " + number(frame.work_us / 1000, 2) + " ms");
  text(frame.interval_us > 0 ? "interval " + number(frame.interval_us / 1000, 2) + " ms" : "the first after idling");
  if (frame.times.timed) text("kernels " + number(total_microseconds(frame.times) / 1000, 3) + " ms");
  ImGui::EndTooltip();
}

void target_line(ImDrawList& draw, ImVec2 from, ImVec2 to, double target, double top) {
  const WithFont small(Font::small);
  const auto y = std::round(to.y - (to.y - from.y) * static_cast<float>(target / top));
  draw.AddLine({from.x, y}, {to.x, y}, colour::translucent(colour::text, 150));
  const auto label = number(target, 1) + " ms";
  const auto size = ImGui::CalcTextSize(label.c_str());
  draw.AddRectFilled({from.x + 2, y - size.y - 1}, {from.x + size.x + 8, y - 1},
                     colour::translucent(colour::background, 190));
  draw.AddText({from.x + 5, y - size.y - 1}, colour::text, label.c_str());
}

void bars(const PanelContext& ui, const FrameSummary& summary) {
  const auto& frames = ui.state.frames;
  const auto from = ImGui::GetCursorScreenPos();
  const auto room = ImGui::GetContentRegionAvail();
  if (room.x < 20 || room.y < 20) return;
  const ImVec2 to(from.x + room.x, from.y + room.y);
  ImGui::InvisibleButton("graph", room);
  const bool hovered = ImGui::IsItemHovered();
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(from, to, colour::background, 2);

  // The newest frame is at the right end; as many whole bars as fit.
  const auto pitch = std::round(3 * ui.scale);
  const auto count = std::min(frames.size(), static_cast<std::size_t>(room.x / pitch));
  const auto top = graph_top(summary, ui.settings.target_ms);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& frame = frames[frames.size() - 1 - i];
    const auto right = to.x - static_cast<float>(i) * pitch;
    const auto work = frame.work_us / 1000;
    const auto height = std::max(1.f, room.y * static_cast<float>(std::clamp(work / top, 0.0, 1.0)));
    const bool under_mouse = hovered && ImGui::GetMousePos().x < right && ImGui::GetMousePos().x >= right - pitch;
    draw.AddRectFilled({right - pitch, std::round(to.y - height)}, {right - 1, to.y},
                       under_mouse ? colour::text : bar_colour(work, ui.settings.target_ms));
    if (under_mouse) inspect(frame);
  }
  target_line(draw, from, to, ui.settings.target_ms, top);
}

}  // namespace

void frame_graph_panel(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("frames", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  head(ui, ui.state.work);
  bars(ui, ui.state.work);
}

}  // namespace app::ui
