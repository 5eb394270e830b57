// The list of all algorithms, by family and year or as sorted and searched, and the card of one of them. Readable for every
// algorithm, also for those that this machine cannot run.
#include <imgui.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control/cards.h"
#include "app/control/names.h"
#include "app/control/palette_entries.h"
#include "app/control/settings.h"
#include "app/support/text.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "app/ui/widgets.h"
#include "gpu/image.h"
#include "gpu/sat.h"

namespace app::ui {
namespace {

using gpu::Device;

// The algorithm that the settings choose for the device in use; null if there is none.
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

// The exact figures for pictures of `size`, one line; empty if the algorithm states none.
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

// Of one that is missing the reason.
void device_row(PanelContext& ui) {
  constexpr const char* titles[] = {"Automatic", "NVIDIA GPU", "CPU", "Simulated GPU"};
  const std::string_view reasons[] = {{}, ui.context.no_cuda, {}, ui.context.no_simulated};
  static_assert(std::size(device_choice_names) == std::size(titles));
  for (std::size_t i = 0; i < std::size(titles); ++i) {
    const auto name = device_choice_names[i];
    const std::string why(reasons[i]);
    if (i > 0) ImGui::SameLine(0, em());
    ImGui::BeginDisabled(!why.empty());
    if (radio_button(titles[i] + (why.empty() ? "" : ": " + shortened(why, em() * 16)),
                     ui.settings.device == DeviceChoice(i)))
      ui.change("device", name);
    ImGui::EndDisabled();
    tooltip(why.empty() ? "Where the table and the effect are computed   " + ui.keys("cycle device") : why);
  }
}

}  // namespace

// A descriptor names a paper, a library, or says that the idea is our own.
std::string_view whose_count(const gpu::SatAlgorithm& algorithm) {
  const auto* card = find_sat_card(algorithm.name);
  if (algorithm.reads == "?") return ": the library does not say";
  const bool paper = !algorithm.paper.starts_with("our own") && (!card || card->family->key != "library");
  return paper ? ", as the paper counts" : ", counted from its passes: there is no paper";
}

namespace {

// The lines of the list of algorithms: which a search finds, in which order, and which one it means most.

// What it is sorted by, and what it shows at the right.
struct CardLine {
  const gpu::SatAlgorithm* algorithm;
  double rank;
  std::string figure;
  std::string_view name() const { return algorithm->name; }
};

// The algorithm's card; an empty one where it has none.
const SatCard& card_of(const gpu::SatAlgorithm& algorithm) {
  static const SatCard none{{}, &sat_families().back(), {}, {}, {}};
  const auto* card = find_sat_card(algorithm.name);
  return card ? *card : none;
}

bool contains(std::string_view text, std::string_view part) { return lower(text).find(lower(part)) != std::string::npos; }

// Whether `text` is in any of the card's texts.
bool found(const gpu::SatAlgorithm& algorithm, std::string_view text) {
  const auto& card = card_of(algorithm);
  const auto in_step = [&](const SatStep& step) { return contains(step.text, text); };
  const auto in_kernel = [&](const auto& kernel) { return contains(kernel.name, text) || contains(kernel.text, text); };
  return contains(algorithm.name, text) || contains(algorithm.paper, text) || contains(algorithm.idea, text) ||
         contains(card.family->name, text) || contains(std::to_string(algorithm.year), text) || contains(card.doi, text) ||
         std::ranges::any_of(card.steps, in_step) || std::ranges::any_of(card.kernels, in_kernel);
}

// How often a pixel is read or written: counted, where pixels and entries have the same size; where nobody counts, as stated.
CardLine line_of_count(const gpu::SatAlgorithm& algorithm, CardOrder which, gpu::Size size, const gpu::GpuLimits& limits) {
  const bool reads = which == CardOrder::reads;
  if (algorithm.traffic && std::ranges::find(algorithm.types, gpu::SatType::u32_u32) != algorithm.types.end()) {
    const auto traffic = algorithm.traffic(size, gpu::SatType::u32_u32, gpu::Arguments(algorithm.parameters), limits);
    const auto bytes = static_cast<double>(reads ? traffic.read_bytes : traffic.written_bytes);
    const auto count = bytes / sizeof(std::uint32_t) / static_cast<double>(size.pixels());
    return {&algorithm, count, number(count, 1)};
  }
  const std::string stated(reads ? algorithm.reads : algorithm.writes);
  const auto value = std::atof(stated.c_str());
  return {&algorithm, value > 0 ? value : std::numeric_limits<double>::infinity(), stated};
}

bool counts(CardOrder order) { return order == CardOrder::reads || order == CardOrder::writes; }

CardLine line_of_year(const gpu::SatAlgorithm& algorithm, CardOrder order) {
  const auto family = static_cast<double>(card_of(algorithm).family - sat_families().data());
  const auto rank = order == CardOrder::name ? 0 : algorithm.year + (order == CardOrder::family ? 1e4 * family : 0);
  return {&algorithm, rank, std::to_string(algorithm.year)};
}

// The lines of all algorithms with `search` in one of their texts, by their rank; where it is the same, by name. `size`: for
// which reads and writes are counted.
std::vector<CardLine> card_lines(CardOrder order, std::string_view search, gpu::Size size) {
  std::vector<CardLine> all;
  const auto limits = counts(order) ? gpu::current_gpu_limits() : gpu::GpuLimits{};
  for (const auto* algorithm : gpu::sat_algorithms())
    if (found(*algorithm, search))
      all.push_back(counts(order) ? line_of_count(*algorithm, order, size, limits) : line_of_year(*algorithm, order));
  std::ranges::stable_sort(all, {}, &CardLine::rank);
  return all;
}

// The index of the line whose name is what was typed; otherwise of one whose name begins with it, or 0.
int best_match(const std::vector<CardLine>& all, std::string_view typed) {
  const auto begins = [&](const CardLine& line) { return begins_with(line.name(), typed); };
  const auto is = [&](const CardLine& line) { return line.name().size() == typed.size() && begins(line); };
  auto best = std::ranges::find_if(all, is);
  if (best == all.end()) best = std::ranges::find_if(all, begins);
  return best == all.end() ? 0 : static_cast<int>(best - all.begin());
}

// The size for which figures of traffic are shown.
gpu::Size shown_size(const PanelContext& ui) {
  constexpr gpu::Size usual{1920, 1080};
  return ui.state.picture.width > 0 ? ui.state.picture : usual;
}

void use(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  ui.change("algorithm", algorithm.name);
  ui.settings.cards = false;
}

// What is in use is filled with the colour of what is chosen, and what is read as if the mouse were on it.
void entry(PanelContext& ui, const CardLine& line, const gpu::SatAlgorithm* chosen) {
  const auto& algorithm = *line.algorithm;
  const auto why = why_unavailable(algorithm, ui.context);
  const bool in_use = &algorithm == chosen, read = algorithm.name == ui.settings.card;
  // Those that cannot run are dimmer, but as readable; on a ground they are as the others.
  const WithText name_colour(why.empty() || in_use || read ? colour::text : colour::dim);
  ImGui::PushStyleColor(ImGuiCol_Header, in_use ? ImU32(colour::chosen) : ImU32(colour::hovered));
  const bool clicked = ImGui::Selectable(std::string(algorithm.name).c_str(), in_use || read,
                                         ImGuiSelectableFlags_AllowDoubleClick);
  ImGui::PopStyleColor();
  if (clicked) ui.settings.card = algorithm.name;
  if (clicked && ImGui::IsMouseDoubleClicked(0) && why.empty()) use(ui, algorithm);
  tooltip(why);
  if (read && std::exchange(ui.drafts.cards.moved, false)) ImGui::SetScrollHereY(0.5f);
  ImGui::SameLine();
  const WithText figure_colour(in_use || read ? colour::text : colour::dim);
  right_aligned(line.figure, gap_to_scroll_bar());
}

// The arrows choose the card that is read, Enter uses its algorithm; what is typed finds a card.
void choose_by_keys(PanelContext& ui, const std::vector<CardLine>& all, bool typed, bool enter) {
  auto& line = ui.drafts.cards;
  const auto found = std::ranges::find(all, ui.settings.card, &CardLine::name);
  const bool listed = found != all.end();
  line.selected = listed && !typed ? static_cast<int>(found - all.begin()) : best_match(all, line.text);
  const bool moved = move_by_keys(line, static_cast<int>(all.size()));
  if (all.empty()) return;
  if (moved || (typed && !line.text.empty()) || (enter && !listed)) {
    ui.settings.card = all[static_cast<std::size_t>(line.selected)].name();
  } else if (enter && why_unavailable(*found->algorithm, ui.context).empty()) {
    use(ui, *found->algorithm);
  }
}

void list(PanelContext& ui, const std::vector<CardLine>& all) {
  const auto* chosen = chosen_algorithm(ui);
  const SatCard* before = nullptr;
  for (const auto& line : all) {
    const auto& card = card_of(*line.algorithm);
    if (ui.settings.card_order == CardOrder::family && (!before || before->family != card.family)) {
      if (before) ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
      text(card.family->name, colour::accent);
      tooltip(card.family->description);
    }
    before = &card;
    entry(ui, line, chosen);
  }
  if (all.empty()) text("nothing found", colour::dim);
}

void heading(const PanelContext& ui, const gpu::SatAlgorithm& algorithm, const SatCard& card) {
  {
    const WithFont title(Font::title);
    text(shortened(algorithm.name, ImGui::GetContentRegionAvail().x));
  }
  text(std::to_string(algorithm.year) + "   " + std::string(device_tag(algorithm.device)) + "   " + card.family->name,
       colour::dim);
  if (const auto why = why_unavailable(algorithm, ui.context); !why.empty())
    wrapped("Cannot run here: " + why, colour::warning);
}

void title(const char* words) {
  ImGui::Dummy({0, ImGui::GetFontSize() * 0.3f});
  const WithFont bold(Font::bold);
  text(words);
}

void step_list(const SatCard& card) {
  title("How the sums move");
  carry_diagrams(card.steps, ImGui::GetTime());
  for (std::size_t i = 0; i < card.steps.size(); ++i)
    wrapped((card.steps.size() > 1 ? std::to_string(i + 1) + "  " : "") + card.steps[i].text, colour::text);
}

void kernels(const SatCard& card) {
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

// A card scrolls on its own, above the button that uses its algorithm.
void card(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const auto& card = card_of(algorithm);
  heading(ui, algorithm, card);
  ImGui::PushID(algorithm.name.data());
  if (ImGui::BeginChild("card", {0, -ImGui::GetFrameHeightWithSpacing()})) {
    wrapped(algorithm.idea, colour::text);
    step_list(card);
    traffic(ui, algorithm);
    title("Paper");
    paper(algorithm.paper, card.doi);
    kernels(card);
    if (!algorithm.parameters.empty()) {
      title("Parameters");
      parameter_rows(ui, algorithm.name, algorithm.parameters, shown_arguments(ui, algorithm));
    }
  }
  ImGui::EndChild();
  ImGui::PopID();
  const bool simulated = algorithm.device == Device::cuda && ui.state.device != Device::cuda && !ui.state.gpu;
  if (button(simulated ? "Use it, simulated" : "Use it", "Compute tables with this algorithm   Enter, or a double click",
             chosen_algorithm(ui) == &algorithm ? "It is in use" : why_unavailable(algorithm, ui.context)))
    use(ui, algorithm);
}

}  // namespace

float width_of_algorithm_list() { return std::min(ImGui::GetIO().DisplaySize.x * 0.94f, em() * 58); }

void algorithm_list(PanelContext& ui) {
  const auto width = width_of_algorithm_list() - 2 * ImGui::GetStyle().WindowPadding.x;
  const auto height = std::min(ImGui::GetIO().DisplaySize.y * 0.75f, em() * 40);
  const auto left = std::min(em() * 20, width * 0.42f), gap = ImGui::GetStyle().ItemSpacing.x;
  device_row(ui);
  auto& line = ui.drafts.cards;
  const auto before = line.text;
  ImGui::SetNextItemWidth(left - em() * 7 - gap);
  const bool enter = search_line(line, "Search");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em() * 7);
  setting_combo(ui, "card_order");
  tooltip("Order of the list. Reads and writes: per pixel, as counted for the size of the picture");
  const auto all = card_lines(ui.settings.card_order, line.text, shown_size(ui));
  choose_by_keys(ui, all, line.text != before, enter);
  line.moved |= ImGui::IsWindowAppearing();
  if (ImGui::BeginChild("algorithms", {left, height})) list(ui, all);
  ImGui::EndChild();
  ImGui::SameLine(0, em());
  const auto* algorithm = gpu::find_sat_algorithm(ui.settings.card);
  if (ImGui::BeginChild("reading", {width - left - em(), height}) && algorithm) card(ui, *algorithm);
  ImGui::EndChild();
}

}  // namespace app::ui
