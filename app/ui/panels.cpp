// Panels::draw(): first the keys, then every panel at its place.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/control/imgui_keys.h"
#include "app/ui/cards_search.h"
#include "app/ui/frame_graph.h"
#include "app/ui/matrix_edit.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

bool list_is_open() { return ImGui::IsPopupOpen(static_cast<const char*>(nullptr), ImGuiPopupFlags_AnyPopup); }

// The keys that choose in the menu of exports; in an open list all keys are the list's.
constexpr NamedKey choosing_keys[] = {NamedKey::up, NamedKey::down, NamedKey::left, NamedKey::right};

// Escape closes what is on top; what is no setting lies above the others. It never ends the program.
void close_top(PanelContext& ui) {
  if (ui.drafts.quit.asked)
    ui.drafts.quit = {};
  else if (list_is_open())  // also a list of what follows
    ImGui::ClosePopupToLevel(0, true);
  else
    ui.change(*changes_of(Action::close, ui.settings, ui.context));
}

// A video would end without a word, or numbers would be lost: the user is asked once. Once more means that nothing is lost:
// the video ends here, the matrix is saved.
bool may_quit(QuitDraft& quit, const State& state) {
  if (quit.asked && state.matrix_unsaved) {
    quit.confirmed = true;
    return false;
  }
  const bool asks = asks_before_quitting(state);
  return std::exchange(quit, {.asked = asks && !quit.asked}).asked || !asks;
}

void left_column(PanelContext& ui, const Rect& rect) {
  // The scroll bar has its place whether it is there or not, so that nothing shifts.
  const auto& style = ImGui::GetStyle();
  const auto width = std::max(1.f, rect.width - style.WindowPadding.x * 2 - style.ScrollbarSize);
  const PanelWindow window("choices", rect, 0, PanelWindow::Padding::none, PanelWindow::Ground::panels, width);
  if (!window.visible()) return;
  hairline({rect.x + rect.width - 1, rect.y}, {rect.x + rect.width, rect.y + rect.height});
  source_section(ui);
  algorithm_section(ui);
  effect_section(ui);
  compare_section(ui);
  display_section(ui);
}

// While files are chosen, the keys are the browser's; the palette has them even before its line does.
void handle_keys(PanelContext& ui) {
  const auto& settings = ui.settings;
  const bool list = ui.drafts.list || list_is_open();  // ImGui has closed one already, where Escape was pressed
  if (list_is_open() && imgui::is_pressed(imgui::KeyCode::escape)) close_top(ui);
  const bool taken_over = settings.browse || settings.palette || list;
  auto& to_search = ui.drafts.cards.to_search;
  to_search = std::max(to_search - 1, 0);
  if (settings.cards_search && !taken_over && !ui.drafts.quit.asked) begin_search(ui);  // else it waits
  const auto cards_keys = keys_of_cards(ui);
  std::vector<NamedKey> taken(cards_keys.begin(), cards_keys.end());
  if (settings.export_menu) taken.insert(taken.end(), std::begin(choosing_keys), std::end(choosing_keys));
  if (taken_over || to_search > 0 || take_matrix_keys(ui, taken)) return;
  for (const auto action : pressed(ImGui::GetIO(), taken)) {
    if (action == Action::close)
      close_top(ui);
    else if (action == Action::quit ? may_quit(ui.drafts.quit, ui.state) : !ui.drafts.quit.asked)
      ui.act(action);  // the other keys wait for the answer to a question
  }
}

}  // namespace

Drafts::Drafts() : graph(std::make_unique<GraphDraft>()) {}
Drafts::~Drafts() = default;

Panels::Panels() : drafts_(std::make_unique<Drafts>()) {}
Panels::~Panels() = default;

Result Panels::draw(const State& state, Settings& settings) {
  Result asked, result;
  const ChangeContext context{state.gpu ? "" : state.cuda_unavailable, state.no_simulated, state.zoom, true,
                              state.display_scale};
  PanelContext ui{state, settings, context, asked, *drafts_, display_scale()};
  handle_keys(ui);
  if (const auto source = std::exchange(drafts_->to_open, {})) app::ui::open_source(ui, *source);

  const auto& display = ImGui::GetIO().DisplaySize;
  const auto places = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y));
  bar(ui, places.bar);
  left_column(ui, places.left);
  dock(ui, places.dock);
  frame_graph_panel(ui, places.graph);
  status_line(ui, places.status);
  transport_bar(ui, places.transport);
  if (!settings.panels) transport_overlay(ui, {0, 0, display.x, display.y});
  matrix_overlay(ui, places.picture);
  messages(ui, places.picture);
  export_menu(ui, places.picture);
  algorithm_cards(ui, {0, places.bar.y + places.bar.height, display.x, display.y - places.bar.height});
  help_overlay(ui, {0, 0, display.x, display.y});
  palette(ui, {0, 0, display.x, display.y});
  file_browser(ui, {0, 0, display.x, display.y});
  quit_dialog(ui, {0, 0, display.x, display.y});

  drafts_->list = list_is_open();
  const bool covered = settings.palette || settings.browse || drafts_->quit.asked;
  imgui::navigate(drafts_->list || (settings.export_menu && !covered));

  for (const auto action : asked.actions) try {
      if (!apply(action, settings, context)) result.actions.push_back(action);
    } catch (const std::invalid_argument& error) {
      asked.refusals.push_back(error.what());
    }
  result.refusals = std::move(asked.refusals);
  result.seek = asked.seek;
  result.browse = std::move(asked.browse);
  return result;
}

void Panels::open_source(const std::string& source) { drafts_->to_open = source; }

bool Panels::may_close(const State& state) { return may_quit(drafts_->quit, state); }

}  // namespace app::ui
