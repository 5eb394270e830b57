// The list of all algorithms, by family and year or as sorted and searched, and the card of one of them. Readable for every
// algorithm, also for those that this machine cannot run.
#include <imgui_internal.h>

#include "app/control/card_list.h"
#include "app/control/names.h"
#include "app/control/palette_entries.h"
#include "app/ui/parameters.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app::ui {
namespace {

using gpu::Device;

std::string_view device_tag(const State& state, Device device) {
  return device != Device::cuda ? "CPU" : state.gpu || state.device == Device::cuda ? "CUDA" : "CUDA, simulated here";
}

// Below them, whole, why one is missing.
void device_row(PanelContext& ui, float width) {
  constexpr std::pair<DeviceChoice, const char*> devices[] = {{DeviceChoice::automatic, "Automatic"},
                                                              {DeviceChoice::host, "CPU"},
                                                              {DeviceChoice::simulated, "Simulated GPU"},
                                                              {DeviceChoice::cuda, "NVIDIA GPU"}};
  std::string missing;
  for (const auto& [device, title] : devices) {
    const std::string why(device == DeviceChoice::cuda        ? ui.context.no_cuda
                          : device == DeviceChoice::simulated ? ui.context.no_simulated
                                                              : std::string_view());
    if (!why.empty()) missing += (missing.empty() ? "" : "\n") + std::string(title) + ": " + why;
    const auto end = ImGui::GetCursorPosX() + text_width(title) + 2 * em();
    if (end > ImGui::GetCursorStartPos().x + width) ImGui::NewLine();
    if (disabled_if(why, "Where the table and the effect are computed   " + ui.keys("cycle device"),
                    [&] { return radio_button(title, ui.settings.device == device); }))
      ui.change("device", name_of(device_choice_names, device));
    ImGui::SameLine(0, em());
  }
  ImGui::NewLine();
  if (!missing.empty()) wrapped(missing, colour::dim);
}

// The size for which figures of traffic are shown.
gpu::Size shown_size(const PanelContext& ui) {
  constexpr gpu::Size usual{1920, 1080};
  return ui.state.picture.width > 0 ? ui.state.picture : usual;
}

// The card follows the mouse where it rests: not on its way to the card, nor where the keys have moved the list under it.
bool is_pointed_at(const PanelContext& ui) {
  constexpr float rest = 0.2f;  // seconds
  return ui.drafts.card_pointed && ImGui::IsItemHovered() && ImGui::GetCurrentContext()->HoveredIdTimer > rest;
}

// Of a user's kernel what became of it, of others what the list is sorted by.
void figure_of_row(const CardLine& line, const KernelFile* file, bool filled) {
  ImGui::TableNextColumn();
  if (file) {
    const WithText ink(ink_of_state(*file));
    return right_aligned(state_word(*file));
  }
  const WithText ink(filled ? colour::text : colour::dim);
  right_aligned(line.figure);
}

// A click uses an algorithm and leaves the list open, a second one closes it. What is in use is filled with the colour of what
// is chosen, and what is read as if the mouse were on it.
void algorithm_row(PanelContext& ui, const CardLine& line, const gpu::SatAlgorithm* chosen) {
  const auto& algorithm = *line.algorithm;
  const auto why = why_unavailable(algorithm, ui.context);
  const bool in_use = &algorithm == chosen, read = algorithm.name == ui.settings.card;
  ImGui::TableNextColumn();
  // Those that cannot run are dimmer, but as readable; on a ground they are as the others.
  const WithText name_colour(why.empty() || in_use || read ? colour::text : colour::dim);
  ImGui::PushStyleColor(ImGuiCol_Header, in_use ? ImU32(colour::chosen) : ImU32(colour::hovered));
  const bool clicked = ImGui::Selectable(title_of(algorithm).c_str(), in_use || read,
                                         ImGuiSelectableFlags_AllowDoubleClick | ImGuiSelectableFlags_SpanAllColumns);
  ImGui::PopStyleColor();
  if (clicked || is_pointed_at(ui)) ui.settings.card = algorithm.name;
  if (clicked && why.empty()) {
    ui.change("algorithm", algorithm.name);
    if (ImGui::IsMouseDoubleClicked(0)) ui.settings.cards = false;
  }
  const bool moved = read && std::exchange(ui.drafts.cards.moved, false);
  if (moved || (in_use && ImGui::IsWindowAppearing())) ImGui::SetScrollHereY(0.5f);
  figure_of_row(line, algorithm.version ? kernel_file_of(ui.state, algorithm.name, false) : nullptr, in_use || read);
}

void family_row(const SatFamily& family, bool first) {
  ImGui::TableNextColumn();
  if (!first) ImGui::Dummy({0, std::round(em() * 0.3f)});
  text(family.name, colour::accent);
  tooltip(family.description);
  ImGui::TableNextColumn();
}

// Users' kernels of which no version works yet: a click shows why. True where there are some.
bool waiting_rows(PanelContext& ui) {
  bool any = false;
  for (const auto& file : ui.state.own_kernels) {
    if (file.is_effect || file.version > 0 || title_of(file).find(ui.drafts.cards.text) == std::string::npos) continue;
    if (!std::exchange(any, true)) family_row(own_kernels(), true);
    ImGui::TableNextColumn();
    const WithText ink(colour::dim);
    if (ImGui::Selectable((title_of(file) + "##waiting").c_str(), false, ImGuiSelectableFlags_SpanAllColumns)) {
      show_kernel(ui, file);
      ui.settings.cards = false;
    }
    tooltip(without_controls(file.refusal.empty() ? file.path.string() : file.refusal));
    figure_of_row({}, &file, false);
  }
  return any;
}

// The arrows choose the card that is read, Enter uses its algorithm; what is typed finds a card.
void choose_by_keys(PanelContext& ui, const std::vector<CardLine>& all, bool typed, bool enter) {
  auto& line = ui.drafts.cards;
  const auto found = std::ranges::find(all, ui.settings.card, &CardLine::name);
  const bool listed = found != all.end();
  line.selected = listed && !typed ? static_cast<int>(found - all.begin()) : best_match(all, line.text);
  const bool moved = move_by_keys(line, static_cast<int>(all.size()));
  const auto& mouse = ImGui::GetIO();
  const bool points = mouse.MouseDelta.x != 0 || mouse.MouseDelta.y != 0 || mouse.MouseWheel != 0;
  ui.drafts.card_pointed = !moved && !typed && !ImGui::IsWindowAppearing() && (ui.drafts.card_pointed || points);
  if (all.empty()) return;
  if (moved || (typed && !line.text.empty()) || (enter && !listed)) {
    ui.settings.card = all[static_cast<std::size_t>(line.selected)].name();
  } else if (enter && why_unavailable(*found->algorithm, ui.context).empty()) {
    ui.change("algorithm", found->algorithm->name);
    ui.settings.cards = false;
  }
}

void algorithm_rows(PanelContext& ui, const std::vector<CardLine>& all, ImVec2 size) {
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {std::round(em() / 2), ImGui::GetStyle().CellPadding.y});
  const bool begun = ImGui::BeginTable("algorithms", 2, ImGuiTableFlags_ScrollY | ImGuiTableFlags_PadOuterX, size);
  ImGui::PopStyleVar();
  if (!begun) return;
  ImGui::TableSetupColumn("name", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableSetupColumn("figure", ImGuiTableColumnFlags_WidthFixed, em() * 5.5f);
  const auto* chosen = shown_algorithm(ui);
  const SatFamily* before = waiting_rows(ui) ? &own_kernels() : nullptr;
  for (const auto& line : all) {
    const auto* family = card_of(*line.algorithm).family;
    if (family != before && (ui.settings.card_order == CardOrder::family || line.algorithm->version))
      family_row(*family, !before);
    else if (family != before && before == &own_kernels())  // the others are in another order
      ImGui::TableNextColumn(), ImGui::Dummy({0, std::round(em() * 0.3f)}), ImGui::TableNextColumn();
    before = family;
    algorithm_row(ui, line, chosen);
  }
  if (all.empty() && !before) ImGui::TableNextColumn(), text("nothing found", colour::dim);
  ImGui::EndTable();
}

void card_title(const PanelContext& ui, const gpu::SatAlgorithm& algorithm, const SatCard& card) {
  {
    const WithFont title(Font::title);
    text(shortened(algorithm.name, ImGui::GetContentRegionAvail().x));
  }
  wrapped(std::to_string(algorithm.year) + "   " + std::string(device_tag(ui.state, algorithm.device)) + "   " +
              card.family->name,
          colour::dim);
  if (const auto why = why_unavailable(algorithm, ui.context); !why.empty())
    wrapped("Cannot run here: " + why, colour::warning);
}

void title(const char* words) {
  ImGui::Dummy({0, std::round(em() * 0.3f)});
  heading(words);
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

// Where a user's kernel runs, what was found out about it, and its file.
void own_card(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  const auto& version = *algorithm.version;
  const auto* file = kernel_file_of(ui.state, algorithm.name, false);
  {
    const WithFont large(Font::title);
    text(shortened(title_of(algorithm), ImGui::GetContentRegionAvail().x));
  }
  wrapped(version.on_cuda ? "your kernel   CUDA and the simulated GPU" : "your kernel   simulated GPU only", colour::dim);
  if (!version.on_cuda && !version.no_cuda.empty()) wrapped("Not on CUDA: " + version.no_cuda, colour::dim);
  if (ImGui::BeginChild("card")) {
    if (!algorithm.idea.empty()) wrapped(algorithm.idea, colour::text);
    if (file) {
      const auto& view = kernel_view_of(ui, *file);
      title("Verdict");
      wrapped(view.headline(), colour::text);
      if (!view.refused().empty()) wrapped(view.refused(), colour::warning);
      for (const auto& line : {view.state(), view.result()}) wrapped(line, colour::dim);
      if (button("Source and counts", "The tab of your kernel: what each line costs, and where it goes wrong")) {
        show_kernel(ui, *file);
        ui.settings.cards = false;
      }
    }
    title("File");
    wrapped(without_controls(version.file.string()), colour::dim);
  }
  ImGui::EndChild();
}

// Below its title a card scrolls.
void card(PanelContext& ui, const gpu::SatAlgorithm& algorithm) {
  if (algorithm.version) return own_card(ui, algorithm);
  const auto& card = card_of(algorithm);
  card_title(ui, algorithm, card);
  ImGui::PushID(algorithm.name.data());
  if (ImGui::BeginChild("card")) {
    wrapped(algorithm.idea, colour::text);
    step_list(card);
    title("Traffic");
    for (const auto& sentence : traffic_of(algorithm, shown_size(ui))) wrapped(sentence, colour::dim);
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
}

}  // namespace

float width_of_algorithm_list() { return std::min(ImGui::GetIO().DisplaySize.x * 0.94f, em() * 40); }

void algorithm_list(PanelContext& ui) {
  const auto width = width_of_algorithm_list() - 2 * ImGui::GetCursorStartPos().x;
  const auto height = std::min(ImGui::GetIO().DisplaySize.y * 0.75f, em() * 40);
  const auto left = std::min(em() * 18, width * 0.48f), gap = ImGui::GetStyle().ItemSpacing.x;
  device_row(ui, width);
  ImGui::Separator();
  auto& line = ui.drafts.cards;
  const auto before = line.text;
  ImGui::BeginGroup();
  ImGui::SetNextItemWidth(left - em() * 7 - gap);
  const bool enter = search_line(line, "Search");
  ImGui::SameLine();
  ImGui::SetNextItemWidth(em() * 7);
  setting_combo(ui, "card_order");
  tooltip("Order of the list. Reads and writes: per pixel, as counted for the size of the picture");
  const auto all = card_lines(ui.settings.card_order, line.text, shown_size(ui));
  choose_by_keys(ui, all, line.text != before, enter);
  const auto foot = ImGui::GetFrameHeight() + ImGui::GetStyle().ItemSpacing.y;
  algorithm_rows(ui, all, {left, std::max(height - foot, 1.f)});
  ImGui::AlignTextToFramePadding();
  text("Your own", colour::dim);
  ImGui::SameLine(left - width_of_buttons({"New...", "Open..."}));
  kernel_buttons(ui, false);
  ImGui::EndGroup();
  const auto list = last_item();
  ImGui::SameLine(0, em());
  const auto between = std::round(list.x + left + em() / 2);
  hairline({between, list.y}, {between, list.y + list.height});
  const auto* algorithm = gpu::find_sat_algorithm(ui.settings.card);
  if (ImGui::BeginChild("reading", {width - left - em(), list.height}) && algorithm) card(ui, *algorithm);
  ImGui::EndChild();
}

}  // namespace app::ui
