#include "app/control/names.h"
#include "app/ui/algorithm_facts.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

using gpu::Device;

void device_row(PanelContext& ui) {
  label("Device", "Where the table and the effect are computed");
  auto index = static_cast<int>(ui.settings.device);
  const std::string automatic = ui.state.device == Device::cuda ? "Auto (GPU)" : "Auto (CPU)";
  if (combo("##device", index,
            {{automatic, {}}, {"CUDA", ui.state.cuda_unavailable}, {"CPU", {}}, {"Simulated GPU", ui.state.no_simulated}}))
    ui.change("device", std::string(device_choice_names[static_cast<std::size_t>(index)]));
}

void check_row(PanelContext& ui) {
  label("Check", std::string(description(Action::toggle_check)) + "   " + labels(Action::toggle_check));
  bool check = ui.settings.check;
  if (checkbox("##check", check, "Check every table by the four-point identity, on its device; a light at the top says how"))
    ui.act(Action::toggle_check);
}

void facts(const PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const WithFont small(Font::small);
  wrapped(algorithm.idea, colour::text);
  wrapped(algorithm.paper, colour::dim);
  wrapped(reads_and_writes(algorithm), colour::dim);
  if (!algorithm.repeatable) wrapped("Floating-point tables may differ from run to run", colour::dim);
  const auto& selection = ui.state.selection;
  const auto arguments = selection.algorithm == &algorithm ? selection.algorithm_arguments
                                                           : gpu::Arguments(algorithm.parameters);
  if (const auto exact = exact_traffic(algorithm, ui.state.picture, arguments); !exact.empty()) wrapped(exact, colour::dim);
}

}  // namespace

void algorithm_section(PanelContext& ui) {
  const auto* algorithm = chosen_algorithm(ui);
  if (!section("Algorithm", algorithm ? device_tag(algorithm->device) : "", algorithm ? algorithm->name : "")) return;
  label("Algorithm", "How the summed area table is computed:  " + labels(Action::previous_algorithm) + "  and  " +
                         labels(Action::next_algorithm) + "  step through them");
  if (list_button("##algorithm", algorithm ? algorithm->name : "none")) ui.act(Action::toggle_cards);
  if (ImGui::IsItemVisible())
    ui.drafts.hint_targets.algorithm = last_item();
  else if (ui.settings.hints)
    ImGui::SetScrollHereY();
  tooltip("All algorithms and their cards   " + labels(Action::toggle_cards));
  device_row(ui);
  if (!algorithm) return;
  parameter_rows(ui, algorithm->name, algorithm->parameters, shown_arguments(ui, *algorithm));
  check_row(ui);
  facts(ui, *algorithm);
}

}  // namespace app::ui
