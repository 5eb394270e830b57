// The list of all algorithms, by family and year or as sorted and searched, and the card of one of them. Readable for every
// algorithm, also for those that this machine cannot run.
#include <imgui.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/control/imgui_keys.h"
#include "app/control/names.h"
#include "app/control/palette_entries.h"
#include "app/ui/algorithm_facts.h"
#include "app/ui/card_lines.h"
#include "app/ui/cards_search.h"
#include "app/ui/carry_diagram.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

// That figures of traffic are of.
gpu::Size shown_size(const PanelContext& ui) {
  constexpr gpu::Size usual{1920, 1080};
  return ui.state.picture.width > 0 ? ui.state.picture : usual;
}

void search_row(PanelContext& ui) {
  const auto em = ImGui::GetFontSize();
  ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x - em * 7.5f);
  search_field(ui.drafts.cards);
  ImGui::SameLine();
  ImGui::SetNextItemWidth(-1);
  auto order = static_cast<int>(ui.settings.card_order);
  if (combo("##order", order, {{"Family", {}}, {"Year", {}}, {"Name", {}}, {"Reads", {}}, {"Writes", {}}}))
    ui.change("card_order", std::string(card_order_names[static_cast<std::size_t>(order)]));
  tooltip("Order of the list. Reads and writes: per pixel, as counted for the size of the picture");
}

void entry(PanelContext& ui, const CardLine& line, const gpu::SatAlgorithm* chosen) {
  const auto& algorithm = *line.algorithm;
  const auto why = why_unavailable(algorithm, ui.context);
  // Those that cannot run are dimmer, but as readable; on the highlight they are as the others.
  const bool selected = algorithm.name == ui.settings.card;
  const WithText name_colour(why.empty() || selected ? colour::text : colour::dim);
  const auto at = ImGui::GetCursorScreenPos();
  if (ImGui::Selectable(std::string(algorithm.name).c_str(), selected, ImGuiSelectableFlags_AllowDoubleClick)) {
    ui.change("card", std::string(algorithm.name));
    if (ImGui::IsMouseDoubleClicked(0) && why.empty()) ui.change("algorithm", std::string(algorithm.name));
  }
  tooltip(why);
  if (ui.drafts.cards.moved && selected) ImGui::SetScrollHereY(0.5f);
  if (&algorithm == chosen)
    ImGui::GetWindowDrawList()->AddRectFilled({at.x - 4 * ui.scale, at.y},
                                              {at.x - 2 * ui.scale, at.y + ImGui::GetTextLineHeight()}, colour::accent);
  ImGui::SameLine();
  const WithFont small(Font::small);
  const WithText figure_colour(selected ? colour::text : colour::dim);
  right_aligned(line.figure, gap_to_scroll_bar());
}

// How far the keys go in a list of `count` entries.
int steps_of_keys(int count) {
  using imgui::KeyCode;
  constexpr int page = 10;
  const auto held = [](KeyCode key) { return imgui::is_repeated(key) ? 1 : 0; };
  int steps = held(KeyCode::down) - held(KeyCode::up) + page * (held(KeyCode::page_down) - held(KeyCode::page_up));
  if (ImGui::GetIO().WantTextInput) return steps;  // the others move within the text
  return steps + count * (held(KeyCode::end) - held(KeyCode::home));
}

// The arrows choose the card that is read, Enter uses its algorithm; also while the search has the keyboard.
void choose_by_keys(PanelContext& ui, const std::vector<CardLine>& all) {
  auto& draft = ui.drafts.cards;
  draft.moved = false;
  if (!draft.focused || ui.drafts.quit.asked || all.empty()) return;
  const auto count = static_cast<int>(all.size()), steps = steps_of_keys(count);
  const bool enter = imgui::enter_is_pressed();
  if (std::exchange(draft.searched, draft.search) != draft.search && !draft.search.empty()) {
    ui.change("card", std::string(all[static_cast<std::size_t>(best_match(all, draft.search))].name()));
    draft.moved = true;
  }
  const auto found = std::ranges::find(all, ui.settings.card, &CardLine::name);
  if (found == all.end() ? steps != 0 || enter : steps != 0) {
    const auto now = found == all.end() ? best_match(all, draft.search) - steps : static_cast<int>(found - all.begin());
    ui.change("card", std::string(all[static_cast<std::size_t>(std::clamp(now + steps, 0, count - 1))].name()));
    draft.moved = true;
  } else if (enter && why_unavailable(*found->algorithm, ui.context).empty()) {
    ui.change("algorithm", ui.settings.card);
  }
}

void list(PanelContext& ui) {
  search_row(ui);
  const auto all = card_lines(ui.settings.card_order, ui.drafts.cards.search, shown_size(ui));
  choose_by_keys(ui, all);
  if (!ImGui::BeginChild("list", {0, 0})) return ImGui::EndChild();
  const auto* chosen = chosen_algorithm(ui);
  const gpu::SatCard* before = nullptr;
  for (const auto& line : all) {
    const auto& card = card_of(*line.algorithm);
    if (ui.settings.card_order == CardOrder::family && (!before || before->family != card.family)) {
      if (before) ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
      const WithFont small(Font::small);
      text(name(card.family), colour::accent);
      tooltip(description(card.family));
    }
    before = &card;
    entry(ui, line, chosen);
  }
  if (all.empty()) text("nothing found", colour::dim);
  ImGui::EndChild();
}

float buttons_width() {
  const auto& style = ImGui::GetStyle();
  return ImGui::CalcTextSize("Use thisClose").x + style.FramePadding.x * 4 + style.ItemInnerSpacing.x;
}

void buttons(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const auto why = why_unavailable(algorithm, ui.context);
  const bool in_use = chosen_algorithm(ui) == &algorithm;
  same_line_at_right(buttons_width());
  if (button("Use this", "Compute tables with this algorithm", in_use ? "It is in use" : why))
    ui.change("algorithm", std::string(algorithm.name));
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  if (button("Close", std::string(description(Action::toggle_cards)) + "   " + labels(Action::toggle_cards)))
    ui.change("cards", false);
}

void heading(PanelContext& ui, const gpu::SatAlgorithm& algorithm, const gpu::SatCard& card) {
  {
    const auto room = ImGui::GetContentRegionAvail().x - buttons_width() - ImGui::GetFontSize();
    const WithFont title(Font::title);
    text(shortened(algorithm.name, room));
  }
  buttons(ui, algorithm);
  text(std::to_string(algorithm.year) + "   " + std::string(device_tag(algorithm.device)) + "   " +
           std::string(name(card.family)),
       colour::dim);
  if (const auto why = why_unavailable(algorithm, ui.context); !why.empty())
    wrapped("Cannot run here: " + why, colour::warning);
}

void title(const char* words) {
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
  const WithFont bold(Font::bold);
  text(words);
}

void step_list(const gpu::SatCard& card) {
  title("How the sums move");
  carry_diagrams(card.steps, ImGui::GetTime());
  for (std::size_t i = 0; i < card.steps.size(); ++i)
    wrapped((card.steps.size() > 1 ? std::to_string(i + 1) + "  " : "") + std::string(card.steps[i].text), colour::text);
}

void kernels(const gpu::SatCard& card) {
  title("Kernels");
  for (const auto& kernel : card.kernels) {
    text(kernel.name, colour::text);
    wrapped(kernel.text, colour::dim);
  }
}

void traffic(const PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  title("Traffic");
  wrapped(reads_and_writes(algorithm) + std::string(whose_count(algorithm)), colour::dim);
  if (const auto exact = exact_traffic(algorithm, shown_size(ui), gpu::Arguments(algorithm.parameters)); !exact.empty())
    wrapped(exact + ", with the default parameters", colour::dim);
  if (!algorithm.repeatable) wrapped("Floating-point tables may differ from run to run", colour::dim);
  std::string types;
  for (const auto type : algorithm.types) types += (types.empty() ? "" : ", ") + std::string(gpu::info(type).name);
  wrapped("Types: " + types + (algorithm.types_note.empty() ? "" : "; " + std::string(algorithm.types_note)), colour::dim);
}

void card(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const auto& card = card_of(algorithm);
  heading(ui, algorithm, card);
  ImGui::PushID(algorithm.name.data());  // every card scrolls on its own
  if (ImGui::BeginChild("card", {0, 0})) {
    wrapped(algorithm.idea, colour::text);
    paper(algorithm.paper, card.doi);
    step_list(card);
    kernels(card);
    traffic(ui, algorithm);
    if (!algorithm.parameters.empty()) {
      title("Parameters");
      parameter_rows(ui, algorithm.name, algorithm.parameters, shown_arguments(ui, algorithm));
    }
  }
  ImGui::EndChild();
  ImGui::PopID();
}

}  // namespace

std::span<const NamedKey> keys_of_cards(const PanelContext& ui) {
  static constexpr NamedKey keys[] = {NamedKey::up,      NamedKey::down,      NamedKey::left, NamedKey::right,
                                      NamedKey::page_up, NamedKey::page_down, NamedKey::home};
  if (!ui.settings.cards || !ui.drafts.cards.focused) return {};
  return keys;
}

void algorithm_cards(PanelContext& ui, const Rect& rect) {
  auto& focused = ui.drafts.cards.focused;
  if (!ui.settings.cards) {
    focused = true;  // it opens with it
    ui.drafts.cards.searching = false;
    return;
  }
  const auto margin = 10 * ui.scale, em = ImGui::GetFontSize();
  const auto width = std::min(rect.width - 2 * margin, em * 66), height = std::min(rect.height - 2 * margin, em * 50);
  ImGui::SetNextWindowPos({rect.x + (rect.width - width) / 2, rect.y + (rect.height - height) / 2});
  ImGui::SetNextWindowSize({width, height});
  const OverlayWindow window("cards", ui.scale, ImGuiWindowFlags_NoScrollbar, ImVec2(14, 12));
  focused = ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows | ImGuiFocusedFlags_NoPopupHierarchy);
  if (window.visible()) {
    const auto left = std::min(em * 20, width * 0.42f);
    if (ImGui::BeginChild("algorithms", {left, 0})) list(ui);
    ImGui::EndChild();
    ImGui::SameLine(0, em);
    const auto* algorithm = gpu::find_sat_algorithm(ui.settings.card);
    if (ImGui::BeginChild("reading", {0, 0}) && algorithm) card(ui, *algorithm);
    ImGui::EndChild();
  }
}

}  // namespace app::ui
