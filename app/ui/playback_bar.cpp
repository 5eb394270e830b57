// The playback bar below the picture: what plays, and what a frame costs. While the mouse is on the left part, steps, speed
// and loop are there, too.
#include <cstddef>

#include "app/control/fields.h"
#include "app/control/selection.h"
#include "app/ui/frame_graph.h"
#include "app/ui/panel.h"
#include "app/ui/tool_button.h"
#include "gpu/effect.h"

namespace app::ui {
namespace {

using Phase = capture::Status::Phase;

std::string why_not_here(const PanelContext& ui, const Command& command) { return why_not(command, ui.state, ui.settings); }

void transport_button(PanelContext& ui, const char* id, Icon icon, const Command& command) {
  if (tool_button({id, icon, {}, ui.help_of(command), why_not_here(ui, command)})) ui.act(command);
  ImGui::SameLine(0, 0);
}

void play_button(PanelContext& ui) {
  const auto& capture = ui.state.capture;
  const bool ended = capture.phase == Phase::ended && capture.no_seek.empty();
  const auto help = (ended ? "Play again   " : ui.state.paused ? "Resume   " : "Pause   ") + ui.keys(Action::toggle_pause);
  const auto icon = ended ? Icon::again : ui.state.paused ? Icon::play : Icon::pause;
  if (tool_button({"play", icon, {}, help, why_not_here(ui, Action::toggle_pause)})) ui.act(Action::toggle_pause);
  ImGui::SameLine();
}

// A bar over the length; the mouse moves to any place of it, as soon as it is there.
void seek_bar(PanelContext& ui, float width) {
  const auto& capture = ui.state.capture;
  const auto height = ImGui::GetFrameHeight();
  const auto at = ImGui::GetCursorScreenPos();
  const std::string no_length = capture.length > 0 ? "" : "the length of this source is not known";
  const auto why = why_not_here(ui, Action::seek);
  const auto& reason = why.empty() ? no_length : why;
  ImGui::BeginDisabled(!reason.empty());
  ImGui::InvisibleButton("seek", {std::max(width, 1.f), height});
  const bool active = ImGui::IsItemActive(), hovered = ImGui::IsItemHovered();
  ImGui::EndDisabled();
  const double fraction = std::clamp((ImGui::GetIO().MousePos.x - at.x) / std::max(width, 1.f), 0.f, 1.f);
  const double there = fraction * capture.length, frame = capture.fps > 0 ? 1 / capture.fps : 0.04;
  auto& drag = ui.drafts.sought;
  if (active && (!drag || std::abs(*drag - there) >= frame / 2)) {
    Command seek(Action::seek);
    seek.number = drag = there;
    ui.act(seek);
  }
  if (!active && !ui.state.seeking) drag.reset();

  const auto shown = drag.value_or(ui.state.position);
  const auto part = capture.length > 0 ? static_cast<float>(std::clamp(shown / capture.length, 0.0, 1.0)) : 0.f;
  const auto thick = std::round((active || hovered ? 6 : 4) * ui.scale);
  const auto top = std::round(at.y + (height - thick) / 2);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x, top}, {at.x + width, top + thick}, colour::control, thick / 2);
  if (reason.empty()) {
    draw.AddRectFilled({at.x, top}, {at.x + width * part, top + thick}, colour::accent, thick / 2);
    draw.AddCircleFilled({at.x + width * part, top + thick / 2}, thick, colour::text);
  }
  if (!reason.empty())
    tooltip(reason);
  else if (active || hovered)  // above the bar, and what the mouse points at
    tooltip_at({ImGui::GetIO().MousePos.x, at.y - em() / 2}, {0.5f, 1}, seconds(there));
}

constexpr float speed_width = 4.8f;  // em

void speed_choice(PanelContext& ui) {
  constexpr std::array choices{0.25, 0.5, 1.0, 2.0, 4.0};
  ImGui::SetNextItemWidth(em() * speed_width);
  const auto why = why_not_here(ui, "reset speed");
  ImGui::BeginDisabled(!why.empty());
  // One that was typed may have more digits than there is room for.
  const auto text_of = [](double speed) { return number_as_text(std::round(speed * 100) / 100) + "x"; };
  std::vector<ComboEntry> entries;
  for (const auto speed : choices) entries.push_back({text_of(speed)});
  const auto now = std::ranges::find(choices, ui.settings.speed) - choices.begin();
  if (const auto chosen = combo("##speed", text_of(ui.settings.speed), entries, static_cast<std::size_t>(now)))
    ui.settings.speed = choices[*chosen];
  ImGui::EndDisabled();
  tooltip(!why.empty() ? why
                       : "Speed   " + ui.keys("multiply speed 0.5") + " slower, " + ui.keys("multiply speed 2") +
                             " faster, " + ui.keys("reset speed") + " normal");
}

float loop_width() { return ImGui::GetFrameHeight() + ImGui::GetStyle().ItemInnerSpacing.x + text_width("Loop"); }

// Steps, speed and loop.
float playing_width() {
  const auto gap = ImGui::GetStyle().ItemSpacing.x;
  return 3 * width_of(ToolButton{"step", Icon::back}) + em() * speed_width + loop_width() + 2 * gap;
}
void playing_controls(PanelContext& ui) {
  transport_button(ui, "start", Icon::to_start, "seek 0");
  transport_button(ui, "back", Icon::back, "step -1");
  transport_button(ui, "forward", Icon::forward, "step 1");
  ImGui::SameLine();
  speed_choice(ui);
  ImGui::SameLine();
  checkbox("Loop", ui.settings.loop, ui.help_of("toggle loop"), why_not_here(ui, "toggle loop"));
}

// What a frame costs, in words.

// "table 0.12 ms", "box blur 2.2", "frame 3.6 of 33.3": the last is what counts most.
std::vector<std::string> costs(const State& state) {
  const auto& kernels = state.kernels;
  std::vector<std::string> all;
  if (kernels.computing <= 0) return all;
  const auto add = [&](std::string_view name, double us) {
    if (us > 0) all.push_back(std::string(name) + ' ' + milliseconds(us / 1000, 2) + (all.empty() ? " ms" : ""));
  };
  const auto* algorithm = state.selection.algorithm;
  const auto* effect = state.selection.effect;
  const auto times = stage_times(kernels, algorithm ? algorithm->name : std::string_view(),
                                 effect ? effect->name : std::string_view());
  add("table", times.table);
  if (effect && effect->name != "none") add(lower(effect->title), times.effect);
  auto frame = "frame " + milliseconds(kernels.computing / 1000, 2) + (all.empty() ? " ms" : "");
  if (!capture::is_still(state.capture.kind)) frame += " of " + number(state.graph.target_ms, 1);
  all.push_back(std::move(frame));
  return all;
}

std::string cost_words(const std::vector<std::string>& all, float room, bool simulated) {
  std::string words;
  for (std::size_t first = 0; first < all.size(); ++first) {
    words = simulated ? "simulated: " : "";
    for (auto i = first; i < all.size(); ++i) words += (i > first ? ", " : "") + all[i];
    if (text_width(words) <= room) return words;
  }
  return {};
}

void show_frame_tab_at_click(PanelContext& ui) {
  if (ui.settings.panels && ImGui::IsItemClicked()) ui.change("dock", "frame");
}

// What was refused is said in their place.
void costs_of_frame(PanelContext& ui, const std::vector<std::string>& all, float room) {
  if (const auto& refusal = ui.state.refusal; !refusal.empty()) {
    text(shortened("refused: " + refusal, room), colour::warning);
    tooltip("What was chosen was refused; the picture shows the last choice that works, or the source itself. " + refusal);
    return;
  }
  text(cost_words(all, room, ui.state.device == gpu::Device::simulated), colour::dim);
  show_frame_tab_at_click(ui);
  tooltip("What the table, the effect and all kernels of a frame take, of the time that a frame has. A click shows more   " +
          ui.keys(Action::measure));
}

// The intervals of the latest frames against twice the target.
void line_of_frames(PanelContext& ui, float width) {
  constexpr std::size_t most = 120;
  const auto at = ImGui::GetCursorScreenPos();
  const auto height = ImGui::GetFrameHeight(), half = std::round(em() * 0.5f);
  ImGui::Dummy({width, height});
  const auto frames = ui.state.frames.last(std::min(most, ui.state.frames.size()));
  if (frames.size() < 2) return;
  const auto target = ui.state.graph.target_ms;
  std::array<ImVec2, most> points;
  const auto step = width / static_cast<float>(most - 1), middle = at.y + height / 2;
  auto x = at.x + width - step * static_cast<float>(frames.size() - 1);
  double longest = 0, sum = 0;
  for (std::size_t i = 0; i < frames.size(); ++i, x += step) {
    const auto ms = frames[i].interval_us / 1000;
    longest = std::max(longest, ms);
    sum += ms;
    points[i] = {x, middle + half - half * static_cast<float>(std::clamp(ms / target, 0.0, 2.0))};
  }
  ImGui::GetWindowDrawList()->AddPolyline(points.data(), static_cast<int>(frames.size()),
                                          time_colour(sum / static_cast<double>(frames.size()), target), 0, 1);
  show_frame_tab_at_click(ui);
  tooltip("The time from one frame to the next, against " + number(target, 1) + " ms, " +
          target_origin(ui.settings, ui.state.capture) + "; the longest: " + number(longest, 1) + " ms. A click shows more");
}

// The rate that is called fps: of new pictures, not of drawings. A still source has none, however often its numbers change.
double rate(const State& state) { return capture::is_still(state.capture.kind) ? 0 : state.picture_fps; }

// Why no pictures come; empty while they should.
std::string why_no_rate(const State& state) {
  const auto& capture = state.capture;
  if (const auto lost = no_signal(capture); !lost.empty()) return std::string(lost);
  if (capture::is_still(capture.kind)) return "still";
  return state.paused ? "paused" : capture.phase == Phase::ended ? "ended" : state.idle ? "idle" : "";
}

std::string rate_words(const State& state) {
  if (const auto why = why_no_rate(state); !why.empty()) return why;
  return rate(state) > 0 ? number(rate(state), rate(state) < 9.95 ? 1 : 0) + " fps" : "- fps";
}

std::string rate_help(const State& state) {
  const auto& capture = state.capture;
  std::string help;
  if (!no_signal(capture).empty())
    help = why_no_signal(capture);
  else if (state.idle)
    help = "Nothing changes; the window is redrawn when something does";
  else
    help = number(state.picture_fps, 1) + " fps: new pictures shown per second, over the last second; the target is " +
           rate_text(1000 / state.graph.target_ms) + ". The window itself is drawn " + number(state.fps, 1) +
           " times per second";
  if (state.picture.width > 0)
    help += '\n' + std::to_string(state.picture.width) + " x " + std::to_string(state.picture.height) + " pixels, " +
            bytes(state.memory_bytes) + " held by the pipeline";
  if (!capture::is_still(capture.kind))
    help += '\n' + latency_text(state) + ": from the time at which the frame was read until it was shown";
  return help;
}

void rate_of_pictures(const State& state) {
  const bool plays = why_no_rate(state).empty();  // during a pause the rate of the last second is not yet 0
  const bool slow = plays && rate(state) > 0 && !on_time(1000 / rate(state), state.graph.target_ms);
  {
    const WithText judged(slow || !no_signal(state.capture).empty() ? colour::warning : colour::text);
    right_aligned(rate_words(state));
  }
  tooltip(rate_help(state));
}

// Time, place and length; of a still source that it is one.
void place_in_source(PanelContext& ui, float end) {
  const auto& capture = ui.state.capture;
  ImGui::AlignTextToFramePadding();
  if (capture::is_still(capture.kind)) return text("A still picture", colour::dim);
  play_button(ui);
  const auto start = ImGui::GetCursorPosX(), gap = ImGui::GetStyle().ItemSpacing.x;
  const auto length = capture.length > 0 ? seconds(capture.length) : std::string();
  const auto widest = std::max(text_width("00:00.0"), text_width(length)), ends = length.empty() ? 0 : widest + gap;
  text(seconds(ui.drafts.sought.value_or(ui.state.position)), colour::dim);
  ImGui::SameLine(start + widest + gap);
  seek_bar(ui, std::max(1.f, end - ends - ImGui::GetCursorPosX()));
  if (length.empty()) return;
  ImGui::SameLine(0, gap);
  text(length, colour::dim);
}

// Whether the mouse is on the first `width` pixels of the bar, and since then on the first `then`, or in a list that was
// opened there.
bool is_pointed_at(const Rect& rect, float width, float then) {
  auto& storage = *ImGui::GetStateStorage();
  const auto key = ImGui::GetID("pointed at");
  const auto right = rect.x + (storage.GetBool(key) ? std::max(width, then) : width);
  const bool inside = ImGui::IsMouseHoveringRect({rect.x, rect.y}, {right, rect.y + rect.height}, false);
  const bool list = ImGui::IsPopupOpen(static_cast<const char*>(nullptr), ImGuiPopupFlags_AnyPopup);
  const bool pointed = list ? storage.GetBool(key) : inside;
  storage.SetBool(key, pointed);
  return pointed;
}

float wide_gap() { return 2 * ImGui::GetStyle().ItemSpacing.x; }

// What stands before the rate, from the left edge of the bar: the words of what a frame costs, and the line of frames.
struct CostPlace {
  float start;
  float words = 0, line = 0;  // widths; 0: there is no room
};
// They give way in this order. `room`: for both; `end`: where they end.
CostPlace place_of_costs(const State& state, const std::vector<std::string>& all, float room, float end) {
  const auto gap = wide_gap(), line = std::round(em() * 8), left = room - (line + gap);
  CostPlace place{end};
  if (left < 0) return place;
  const auto wanted = state.refusal.empty() ? text_width(cost_words(all, 1e6f, state.device == gpu::Device::simulated))
                                            : em() * 24;
  const auto step = 2 * em();  // what is left of the words stays where it is while their digits change
  place.line = line;
  place.words = std::min(std::ceil(wanted / step) * step, std::max(0.f, left - gap));
  place.start = end - (line + gap) - (place.words > 0 ? place.words + gap : 0);
  return place;
}

void costs_and_frames(PanelContext& ui, const std::vector<std::string>& all, const CostPlace& place) {
  if (place.words > 0) {
    costs_of_frame(ui, all, place.words);
    ImGui::SameLine(place.start + place.words + wide_gap());
  }
  if (place.line > 0) line_of_frames(ui, place.line);
}

}  // namespace

void playback_bar(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("playback", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none,
                           ui.settings.panels ? PanelWindow::Ground::panels : PanelWindow::Ground::over_picture);
  if (!window.visible()) return;
  hairline({rect.x, rect.y}, {rect.x + rect.width, rect.y});
  const auto padding = ImGui::GetStyle().WindowPadding.x, gap = wide_gap(), seek = em() * 17;
  const auto rate_width = text_width("000 fps"), rate_at = rect.width - padding - rate_width;
  const auto all = costs(ui.state);
  const auto place = place_of_costs(ui.state, all, rect.width - 2 * padding - seek - rate_width, rate_at);
  // The controls have a place of their own; in a narrow window they take that of the words, once the mouse was left of these.
  const auto controls_width = playing_width() + gap;
  const bool beside = place.start - controls_width > seek;
  const auto controls_at = beside ? place.start - controls_width : std::min(place.start, rate_at - controls_width);
  const bool controls = !capture::is_still(ui.state.capture.kind) && controls_at > em() * 13 &&
                        (is_pointed_at(rect, place.start - gap / 2, controls_at + controls_width) || ui.drafts.sought);
  const auto top = std::round((rect.height - ImGui::GetFrameHeight()) / 2);
  ImGui::SetCursorPosY(top);
  place_in_source(ui, (beside || controls ? controls_at : place.start) - gap);
  const auto begin = [&](float at) {
    ImGui::SetCursorPos({at, top});
    ImGui::AlignTextToFramePadding();
  };
  if (controls) {
    begin(controls_at);
    playing_controls(ui);
  }
  if (!controls || beside) {
    begin(place.start);
    costs_and_frames(ui, all, place);
  }
  begin(rate_at);
  rate_of_pictures(ui.state);
}

void playback_overlay(PanelContext& ui, const Rect& picture) {
  const auto height = std::round(34 * ui.scale);
  const float right = picture.x + picture.width, bottom = picture.y + picture.height;
  const bool near = ImGui::IsMouseHoveringRect({picture.x, bottom - 2 * height}, {right, bottom}, false);
  if (near || ui.drafts.sought) playback_bar(ui, {picture.x, bottom - height, picture.width, height});
}

}  // namespace app::ui
