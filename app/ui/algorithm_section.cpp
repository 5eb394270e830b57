#include <array>

#include "app/control/names.h"
#include "app/control/palette_entries.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/sat.h"

namespace app::ui {
namespace {

using gpu::Device;

const gpu::SatAlgorithm* chosen(const PanelContext& ui) {
  const auto& settings = ui.settings;
  const auto* algorithm = gpu::find_sat_algorithm(ui.state.device == Device::host ? settings.host_algorithm
                                                                                  : settings.cuda_algorithm);
  return algorithm ? algorithm : ui.state.selection.algorithm;
}

std::string_view device_tag(Device device) { return device == Device::cuda ? "CUDA" : "CPU"; }

void algorithm_entry(PanelContext& ui, const gpu::SatAlgorithm& algorithm, const gpu::SatAlgorithm* current) {
  const auto why = why_unavailable(algorithm, ui.context);
  const bool disabled = !why.empty();
  ImGui::BeginDisabled(disabled);
  if (ImGui::Selectable(std::string(algorithm.name).c_str(), &algorithm == current)) {
    ui.change("algorithm", std::string(algorithm.name));
  }
  ImGui::EndDisabled();
  tooltip(disabled ? why : std::string(algorithm.idea));
  ImGui::SameLine();
  const WithFont small(Font::small);
  const WithText dim(disabled ? colour::faint : colour::dim);
  right_aligned(std::to_string(algorithm.year) + "   " + std::string(device_tag(algorithm.device)));
}

void device_row(PanelContext& ui) {
  label("Device", "Where the table and the effect are computed");
  auto index = static_cast<int>(ui.settings.device);
  const std::string automatic = ui.state.device == Device::cuda ? "Auto (GPU)" : "Auto (CPU)";
  if (combo("##device", index,
            {{automatic, {}}, {"CUDA", ui.state.cuda_unavailable}, {"CPU", {}}, {"Simulated GPU", ui.state.no_simulated}}))
    ui.change("device", std::string(device_choice_names[static_cast<std::size_t>(index)]));
}

// The exact figures for the picture's size, with the current parameters.
std::string exact_traffic(const PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const auto& selection = ui.state.selection;
  const auto size = ui.state.picture;
  const auto arguments = selection.algorithm == &algorithm ? selection.algorithm_arguments
                                                           : gpu::Arguments(algorithm.parameters);
  const auto traffic = algorithm.traffic(size, gpu::SatType::u8_u32, arguments);
  const auto per_pixel = [&](std::uint64_t bytes) {
    return number(static_cast<double>(bytes) / static_cast<double>(size.pixels()), 2);
  };
  return std::to_string(size.width) + " x " + std::to_string(size.height) + ": " + per_pixel(traffic.read_bytes) +
         " bytes read, " + per_pixel(traffic.written_bytes) + " written per pixel; " + std::to_string(traffic.launches) +
         (traffic.launches == 1 ? " launch" : " launches");
}

void facts(const PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const WithFont small(Font::small);
  wrapped(algorithm.idea, colour::text);
  wrapped(algorithm.paper, colour::dim);
  const auto times = [](std::string_view count, const char* what) {
    return std::string(count) + ' ' + what + (count == "1" ? "" : "s");
  };
  wrapped("Per pixel: " + times(algorithm.reads, "read") + ", " + times(algorithm.writes, "write"), colour::dim);
  if (!algorithm.repeatable) wrapped("Floating-point tables may differ from run to run", colour::dim);
  if (algorithm.traffic && ui.state.picture.width > 0) wrapped(exact_traffic(ui, algorithm), colour::dim);
}

}  // namespace

void algorithm_section(PanelContext& ui) {
  const auto* algorithm = chosen(ui);
  if (!section("Algorithm", algorithm ? device_tag(algorithm->device) : "", algorithm ? algorithm->name : "")) return;
  label("Algorithm", "How the summed area table is computed:  " + labels(Action::previous_algorithm) + "  and  " +
                         labels(Action::next_algorithm) + "  step through them");
  if (begin_combo("##algorithm", algorithm ? algorithm->name : "none", ImGuiComboFlags_HeightLargest)) {
    for (const auto* entry : gpu::sat_algorithms()) algorithm_entry(ui, *entry, algorithm);
    ImGui::EndCombo();
  }
  device_row(ui);
  if (!algorithm) return;
  parameter_rows(ui, algorithm->name, algorithm->parameters, shown_arguments(ui, *algorithm));
  facts(ui, *algorithm);
}

}  // namespace app::ui
