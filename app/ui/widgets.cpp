#include "app/ui/widgets.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace app::ui {
namespace {

constexpr ImGuiWindowFlags fixed = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;

float em() { return ImGui::GetFontSize(); }

}  // namespace

PanelWindow::PanelWindow(const char* name, const Rect& rect, ImGuiWindowFlags flags, bool tight) {
  if (rect.width < 1 || rect.height < 1) return;
  ImGui::SetNextWindowPos({rect.x, rect.y});
  ImGui::SetNextWindowSize({rect.width, rect.height});
  const auto padding = ImGui::GetStyle().WindowPadding;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding.x, tight ? 0 : padding.y});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  visible_ = ImGui::Begin(name, nullptr, fixed | flags);
  begun_ = true;
  ImGui::PopStyleVar(2);
}

PanelWindow::~PanelWindow() {
  if (begun_) ImGui::End();
}

void text(std::string_view text) { ImGui::TextUnformatted(text.data(), text.data() + text.size()); }

void text(std::string_view text, ImU32 colour) {
  const WithText with(colour);
  ui::text(text);
}

void wrapped(std::string_view text, ImU32 colour) {
  const WithText with(colour);
  ImGui::PushTextWrapPos(0);
  ui::text(text);
  ImGui::PopTextWrapPos();
}

void right_aligned(std::string_view text) {
  const auto width = ImGui::CalcTextSize(text.data(), text.data() + text.size()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.f, ImGui::GetContentRegionAvail().x - width));
  ui::text(text);
}

void tooltip(std::string_view text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::PushStyleVar(ImGuiStyleVar_Alpha, 1.f);  // not dimmed with what it explains
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(em() * 26);
  ui::text(text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

bool section(const char* title, std::string_view summary) {
  ImGui::Dummy({0, em() * 0.1f});
  bool open;
  {
    const WithFont bold(Font::bold);
    open = ImGui::CollapsingHeader(title, ImGuiTreeNodeFlags_DefaultOpen);
  }
  if (summary.empty()) return open;
  const WithFont small(Font::small);
  const auto from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
  const auto room = (to.x - from.x) - em() * 8;
  const auto shown = shortened(summary, room);
  const auto size = ImGui::CalcTextSize(shown.c_str());
  ImGui::GetWindowDrawList()->AddText({to.x - size.x - em() * 0.5f, (from.y + to.y - size.y) / 2}, colour::dim,
                                      shown.c_str());
  return open;
}

void label(std::string_view name, std::string_view help) {
  ImGui::AlignTextToFramePadding();
  const auto column = std::round(em() * 5.6f);
  text(shortened(name, column - em() * 0.4f), colour::dim);
  tooltip(help);
  ImGui::SameLine(ImGui::GetStyle().WindowPadding.x + column);
  ImGui::SetNextItemWidth(-1);
}

bool button(const char* text, std::string_view help, std::string_view why_not) {
  ImGui::BeginDisabled(!why_not.empty());
  const bool clicked = ImGui::Button(text);
  ImGui::EndDisabled();
  tooltip(why_not.empty() ? help : why_not);
  return clicked;
}

bool chip(const char* id, std::string_view text, ImU32 dot, std::string_view help) {
  const auto size = ImGui::CalcTextSize(text.data(), text.data() + text.size());
  const auto pad = ImGui::GetStyle().FramePadding;
  const auto radius = std::round(em() * 0.24f);
  const ImVec2 box(size.x + pad.x * 2 + radius * 2 + em() * 0.4f, size.y + pad.y * 2);
  const auto at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(id, box);
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at, {at.x + box.x, at.y + box.y}, ImGui::IsItemHovered() ? colour::hovered : colour::raised,
                     box.y / 2);
  draw.AddCircleFilled({at.x + pad.x + radius, at.y + box.y / 2}, radius, dot);
  draw.AddText({at.x + pad.x + radius * 2 + em() * 0.4f, at.y + pad.y}, colour::text, text.data(),
               text.data() + text.size());
  tooltip(help);
  return clicked;
}

bool combo(const char* id, int& index, std::initializer_list<Choice> choices) {
  const auto* all = choices.begin();
  const auto current = std::clamp(index, 0, static_cast<int>(choices.size()) - 1);
  if (!ImGui::BeginCombo(id, std::string(all[current].text).c_str())) return false;
  bool changed = false;
  for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
    ImGui::BeginDisabled(!all[i].why_not.empty());
    if (ImGui::Selectable(std::string(all[i].text).c_str(), i == index)) {
      changed = i != index;
      index = i;
    }
    ImGui::EndDisabled();
    tooltip(all[i].why_not);
  }
  ImGui::EndCombo();
  return changed;
}

}  // namespace app::ui
