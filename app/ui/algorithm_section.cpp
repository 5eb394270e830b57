#include "app/ui/algorithm_section.h"

#include "app/control/names.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/sat_card.h"

namespace app::ui {

using gpu::Device;

const gpu::SatAlgorithm* chosen_algorithm(const PanelContext& ui) {
  const auto& settings = ui.settings;
  const auto* algorithm = gpu::find_sat_algorithm(ui.state.device == Device::host ? settings.host_algorithm
                                                                                  : settings.cuda_algorithm);
  return algorithm ? algorithm : ui.state.selection.algorithm;
}

std::string_view device_tag(Device device) { return device == Device::cuda ? "CUDA" : "CPU"; }

std::string reads_and_writes(const gpu::SatAlgorithm& algorithm) {
  const auto times = [](std::string_view count, const char* what) {
    return std::string(count) + ' ' + what + (count == "1" ? "" : "s");
  };
  return "Per pixel: " + times(algorithm.reads, "read") + ", " + times(algorithm.writes, "write");
}

// A descriptor names a paper, a library, or says that the idea is our own.
std::string_view whose_count(const gpu::SatAlgorithm& algorithm) {
  const auto* card = gpu::find_sat_card(algorithm.name);
  if (algorithm.reads == "?") return ": the library does not say";
  const bool paper = !algorithm.paper.starts_with("our own") && (!card || card->family != gpu::SatFamily::library);
  return paper ? ", as the paper counts" : ", counted from its passes: there is no paper";
}

std::string exact_traffic(const gpu::SatAlgorithm& algorithm, gpu::Size size, const gpu::Arguments& arguments) {
  if (!algorithm.traffic || size.width <= 0) return {};
  const auto traffic = algorithm.traffic(size, gpu::SatType::u8_u32, arguments, gpu::current_gpu_limits());
  const auto per_pixel = [&](std::uint64_t bytes) {
    return number(static_cast<double>(bytes) / static_cast<double>(size.pixels()), 2);
  };
  return std::to_string(size.width) + " x " + std::to_string(size.height) + ": " + per_pixel(traffic.read_bytes) +
         " bytes read, " + per_pixel(traffic.written_bytes) + " written per pixel; " + std::to_string(traffic.launches) +
         (traffic.launches == 1 ? " launch" : " launches");
}

namespace {

void device_row(PanelContext& ui) {
  label("Device", "Where the table and the effect are computed");
  auto index = static_cast<int>(ui.settings.device);
  const std::string automatic = ui.state.device == Device::cuda ? "Auto (GPU)" : "Auto (CPU)";
  if (combo("##device", index,
            {{automatic, {}}, {"CUDA", ui.state.cuda_unavailable}, {"CPU", {}}, {"Simulated GPU", ui.state.no_simulated}}))
    ui.change("device", std::string(device_choice_names[static_cast<std::size_t>(index)]));
}

void check_row(PanelContext& ui) {
  label("Check", ui.help_of(Action::toggle_check));
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
  label("Algorithm", "How the summed area table is computed:  " + ui.keys(Action::previous_algorithm) + "  and  " +
                         ui.keys(Action::next_algorithm) + "  step through them");
  if (list_button("##algorithm", algorithm ? algorithm->name : "none")) ui.act(Action::toggle_cards);
  if (ImGui::IsItemVisible())
    ui.drafts.hint_targets.algorithm = last_item();
  else if (ui.settings.hints)
    ImGui::SetScrollHereY();
  tooltip("All algorithms and their cards   " + ui.keys(Action::toggle_cards));
  device_row(ui);
  if (!algorithm) return;
  parameter_rows(ui, algorithm->name, algorithm->parameters, shown_arguments(ui, *algorithm));
  check_row(ui);
  facts(ui, *algorithm);
}

}  // namespace app::ui
