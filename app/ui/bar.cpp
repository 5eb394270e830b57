// The bar at the top: the three choices, each of which opens a list; then the race, what is measured, what is saved, the menu.
#include <imgui_internal.h>

#include "app/control/card_list.h"
#include "app/control/imgui_keys.h"
#include "app/ui/parameters.h"
#include "app/ui/tool_button.h"

namespace app::ui {
namespace {

std::string device_note(const State& state) {
  return state.device == gpu::Device::cuda ? "GPU" : state.device == gpu::Device::simulated ? "simulated" : "CPU";
}

std::string device_help(const PanelContext& ui) {
  const auto& state = ui.state;
  std::string help;
  if (state.gpu)
    help = state.gpu->name + ", compute capability " + std::to_string(state.gpu->major) + '.' +
           std::to_string(state.gpu->minor) + ", " + std::to_string(state.gpu->multiprocessors) + " multiprocessors, " +
           bytes(state.gpu->memory_bytes);
  else
    help = "No CUDA device: " + state.context.no_cuda;
  if (state.device == gpu::Device::host)
    help = "CPU, " + counted(static_cast<std::size_t>(state.host_threads), "thread") + ". " + help;
  return help + "\nThe pipeline holds " + bytes(state.memory_bytes) + "." +
         (state.device == gpu::Device::simulated
              ? "\nThe CUDA kernels run thread by thread on the CPU: the results are those of a GPU, the times are not."
              : "") +
         "\nNext device   " + ui.keys("cycle device");
}

std::string steps_help(const PanelContext& ui, const Command& back, const Command& on) {
  return "\nThe wheel, " + ui.keys(back) + " and " + ui.keys(on) + " step through them";
}

// A choice: what it is of, what is chosen, and at the right a note.
struct Choice {
  const char* id;
  const char* caption;
  std::string value, note, help;
  float width;  // at scale 1
  bool warns = false;
};

std::string name_of_source(const capture::Status& capture) {
  if (capture.description.empty()) return capture.message;
  return capture.name.empty() ? capture.description : capture.name;
}

std::string help_of_source(const PanelContext& ui) {
  const auto& capture = ui.state.capture;
  auto help = capture.description.empty() ? capture.message : capture.description;
  if (!no_signal(capture).empty()) help += '\n' + why_no_signal(capture);
  if (!capture.warning.empty()) help += '\n' + capture.warning;
  return help + "\nCameras, files, addresses, a matrix; open a file   " + ui.keys("toggle browse");
}

Choice source_of(const PanelContext& ui) {
  const auto& capture = ui.state.capture;
  const auto lost = no_signal(capture);
  return {"source", "Source", name_of_source(capture), std::string(lost), help_of_source(ui), 210, !lost.empty()};
}

// A kernel of the user's that is chosen: what is saved is soon another version, or not taken.
void add_own(const PanelContext& ui, Choice& choice, std::string_view name, bool effect) {
  const auto* file = kernel_file_of(ui.state, name, effect);
  if (!file) return;
  choice.value = title_of(*file);
  choice.help = without_controls(file->path.string()) + '\n' + choice.help;
  if (file->phase == KernelFile::Phase::idle && file->refusal.empty()) return;
  choice.note = state_word(*file);
  choice.warns = file->phase == KernelFile::Phase::idle;
}

Choice algorithm_of(const PanelContext& ui) {
  const auto* algorithm = shown_algorithm(ui);
  Choice choice{"algorithm",
                "Algorithm",
                algorithm ? std::string(algorithm->name) : "none",
                device_note(ui.state),
                "How the summed area table is computed, and where: all algorithms and their cards   " +
                    ui.keys(Action::toggle_cards) + steps_help(ui, "cycle algorithm back", "cycle algorithm") + '\n' +
                    device_help(ui),
                250};
  if (ui.state.device != gpu::Device::host) add_own(ui, choice, ui.settings.cuda_algorithm, false);
  return choice;
}

Choice effect_of(const PanelContext& ui) {
  const auto* effect = gpu::find_effect(ui.settings.effect);
  Choice choice{"effect",
                "Effect",
                effect ? std::string(effect->title) : "none",
                {},
                (effect ? std::string(effect->idea) + '\n' : std::string()) + "What is drawn from the table" +
                    steps_help(ui, "cycle effect back", "cycle effect"),
                225};
  add_own(ui, choice, ui.settings.effect, true);
  return choice;
}

// What has no room is left out: first the caption, then the note; of a name its end is shown.
bool choice_button(const Choice& choice, float width) {
  const auto at = ImGui::GetCursorScreenPos();
  const auto pad = ImGui::GetStyle().FramePadding.x, gap = std::round(em() * 0.5f), arrow = em() * 1.6f;
  ImGui::PushID(choice.id);
  const bool clicked = ImGui::Button("##choice", {width, ImGui::GetFrameHeight()});
  ImGui::PopID();
  tooltip(choice.help);
  auto& draw = *ImGui::GetWindowDrawList();
  const auto top = at.y + ImGui::GetStyle().FramePadding.y;
  const float value = [&] {
    const WithFont bold(Font::bold);
    return std::min(text_width(choice.value), em() * 9);
  }();
  auto room = width - pad - arrow - value;
  auto x = at.x + pad;
  const auto put = [&](float left, std::string_view words, ImU32 colour) {
    draw.AddText({std::round(left), top}, colour, words.data(), words.data() + words.size());
  };
  auto end = at.x + width - arrow;
  if (const auto wide = text_width(choice.note) + gap; !choice.note.empty() && wide <= room) {
    end -= wide, room -= wide;
    put(end + gap, choice.note, choice.warns ? colour::warning : colour::dim);
  }
  if (const auto wide = text_width(choice.caption) + gap; wide <= room) {
    put(x, choice.caption, colour::dim);
    x += wide;
  }
  {
    const WithFont bold(Font::bold);
    put(x, end_of(choice.value, end - x), colour::text);
  }
  chevron(draw, {at.x + width - em() * 0.85f, at.y + ImGui::GetFrameHeight() / 2}, colour::dim);
  return clicked;
}

// Of a wheel without notches many small turns make a step.
void step_by_wheel(PanelContext& ui, const Command& back, const Command& on) {
  auto& turned = *ImGui::GetStateStorage()->GetFloatRef(ImGui::GetItemID());
  turned = ImGui::IsItemHovered() ? turned + ImGui::GetIO().MouseWheel : 0;
  if (std::abs(turned) >= 1) ui.act(std::exchange(turned, 0.f) > 0 ? back : on);
}

void choices(PanelContext& ui, float room) {
  const Choice all[] = {source_of(ui), algorithm_of(ui), effect_of(ui)};
  const auto gap = ImGui::GetStyle().ItemSpacing.x;
  const auto wanted = (all[0].width + all[1].width + all[2].width) * ui.scale;
  const auto factor = std::min(1.f, (room - 3 * gap) / wanted);
  auto& targets = ui.drafts.targets;
  Rect* const places[] = {&targets.source, &targets.algorithm, &targets.effect};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    const auto& one = all[i];
    const bool clicked = choice_button(one, std::max(1.f, std::round(one.width * ui.scale * factor)));
    *places[i] = last_item();
    if (i == 1) step_by_wheel(ui, "cycle algorithm back", "cycle algorithm");
    if (i == 2) step_by_wheel(ui, "cycle effect back", "cycle effect");
    if (clicked && i == 1)
      ui.act(Action::toggle_cards);  // a key and scripts open the same list
    else if (clicked)
      ui.drafts.list_to_open = one.id;
    ImGui::SameLine();
  }
}

ToolButton stop_button(const PanelContext& ui) {
  const auto& state = ui.state;
  if (state.recording) {
    const auto time = seconds(state.recorded_seconds);
    ToolButton button{"stop", Icon::record, "Stop " + time.substr(0, time.find('.')), "The video is saved then   "};
    button.help += ui.keys(Action::toggle_record);
    button.raised = true;
    button.ink = button.edge = colour::bad;
    return button;
  }
  ToolButton button{"saving", Icon::none, "Saving"};
  if (state.saved_part > 0) button.text += ' ' + number(state.saved_part * 100, 0) + '%';
  button.why_not = "The video that was stopped is still being written";
  return button;
}
bool has_stop_button(const State& state) { return state.recording || state.saving_video; }

std::vector<Tool> bar_tools(PanelContext& ui, bool narrow) {
  auto& targets = ui.drafts.targets;
  const auto words = [&](const char* text) { return std::string(narrow ? "" : text); };
  std::vector<Tool> tools;
  if (has_stop_button(ui.state)) tools.push_back({stop_button(ui), Action::toggle_record});
  const auto add = [&](const char* id, Icon icon, const char* text, const Command& command, Rect& place) {
    ToolButton button{id, icon, words(text), ui.help_of(command), why_not(command, ui.state, ui.settings)};
    button.raised = true;
    tools.push_back({std::move(button), command, nullptr, &place});
  };
  add("race", Icon::race, "Race", Action::toggle_race, targets.race);
  add("measure", Icon::measure, "Measure", Action::measure, targets.measure);
  tools.back().button.on = shows_dock(ui.settings);
  add("save", Icon::save, "Save", "toggle export_menu", targets.save);
  tools.back().button.opens = tools.back().apart = true;
  tools.back().button.help = "Pictures, videos and figures, to files or the clipboard   " + ui.keys("toggle export_menu");
  ToolButton menu{"menu", Icon::menu, {}, "Commands, text size, preferences, help"};
  menu.raised = true;
  tools.push_back({std::move(menu), {}, "menu", &targets.menu});
  return tools;
}

}  // namespace

void bar(PanelContext& ui, const Rect& rect) {
  const PanelWindow window("bar", rect, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse,
                           PanelWindow::Padding::none);
  if (!window.visible()) return;
  hairline({rect.x, rect.y + rect.height - 1}, {rect.x + rect.width, rect.y + rect.height});
  const auto padding = ImGui::GetStyle().WindowPadding.x, right = rect.width - padding;
  const auto tools = bar_tools(ui, is_narrow(rect.width, ui.scale));
  ImGui::SetCursorPosY(std::round((rect.height - ImGui::GetFrameHeight()) / 2));
  choices(ui, left_of_tools(tools, right) - padding);
  tool_row(ui, tools, right);
}

void recording_overlay(PanelContext& ui, const Rect& picture) {
  if (!has_stop_button(ui.state)) return;
  const auto gap = std::round(10 * ui.scale);
  ImGui::SetNextWindowPos({picture.x + picture.width - gap, picture.y + gap}, ImGuiCond_Always, {1, 0});
  const OverlayWindow overlay("recording", ui.scale,
                              ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_AlwaysAutoResize |
                                  ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoScrollbar,
                              ImVec2(0, 0));
  if (overlay.visible() && tool_button(stop_button(ui))) ui.act(Action::toggle_record);
}

}  // namespace app::ui
