// The tab of a user's kernel: whether it is right; its source, with what each line costs, where lines race and what compilers say.
#include <imgui_internal.h>

#include "app/control/command.h"
#include "app/ui/figure_table.h"
#include "app/ui/panel.h"

namespace app::ui {
namespace {

using RowKind = KernelView::Row::Kind;

constexpr int maximum_bar = 90;  // how opaque, of 255, the bar behind a figure is

struct LineColumn {
  LineFigure figure;
  const char *title, *help;
  bool hidden;
};
constexpr LineColumn line_columns[] = {
    {LineFigure::bytes, "Bytes", "of global memory that threads load and store", false},
    {LineFigure::sectors, "Sectors",
     "of 32 bytes that warps touch: four bytes per pixel take an eighth where all is coalesced", false},
    {LineFigure::shared, "Shared", "bytes of shared memory that threads read and write", false},
    {LineFigure::loads, "Loads", "bytes of global memory loaded", true},
    {LineFigure::stores, "Stores", "bytes of global memory stored", true},
    {LineFigure::conflicts, "Conflicts", "steps that shared memory takes longer because of bank conflicts", true},
    {LineFigure::waits, "Waits", "turns of other threads that threads wait for at barriers", true},
    {LineFigure::atomics, "Atomics", "atomic operations", true}};

double figure_in(const LineFigures& figures, LineFigure which) { return figures[static_cast<std::size_t>(which)]; }

std::vector<FigureColumn> columns_of(const KernelView& view) {
  constexpr ImGuiTableColumnFlags never_sorted = ImGuiTableColumnFlags_NoSort, hidden = ImGuiTableColumnFlags_DefaultHide,
                                  untitled = ImGuiTableColumnFlags_NoHide | ImGuiTableColumnFlags_NoHeaderLabel;
  std::vector<FigureColumn> all{
      {"Line", "", text_width(std::to_string(std::max(view.lines(), 99))), never_sorted | untitled}};
  for (const auto& [figure, title, help, hides] : line_columns) {
    auto& column = all.emplace_back(FigureColumn{title, help, 0, never_sorted | (hides ? hidden : 0)});
    column.widest = "12.34";
    column.id = static_cast<ImGuiID>(figure) + 1;
  }
  all.push_back({"Source", "", em() * 12, never_sorted | untitled | ImGuiTableColumnFlags_WidthStretch});
  all.front().stays = all.back().stays = true;
  return all;
}

// Which file is shown: the one that was opened or chosen last, until the user chooses another one here.
const KernelFile* file_to_show(PanelContext& ui) {
  const auto files = ui.state.own_kernels;
  auto& draft = ui.drafts.kernel;
  if (files.empty()) return nullptr;
  const auto follow = [&](std::string& before, const std::string& now, bool effect) {
    if (std::exchange(before, now) == now) return;
    if (const auto* file = kernel_file_of(ui.state, now, effect)) draft.shown = file->path;
  };
  follow(draft.algorithm, ui.settings.cuda_algorithm, false);
  follow(draft.effect, ui.settings.effect, true);
  if (std::exchange(draft.files, files.size()) < files.size()) draft.shown = files.back().path;
  const auto found = std::ranges::find(files, draft.shown, &KernelFile::path);
  return found == files.end() ? &files.back() : &*found;
}

void edit(PanelContext& ui, const std::filesystem::path& file, int line) {
  if (!file.empty()) ui.result.in_editor = Result::EditedPlace{file.string(), line};
}

// A line that is worth a look: the first error, else the first race; 0: none.
int first_marked(const KernelView& view) {
  int line = 0;
  for (const auto& row : view.rows()) {
    if (row.kind == RowKind::error) return row.line;
    if (line == 0 && row.kind != RowKind::source && row.kind != RowKind::warning) line = row.line;
  }
  return line;
}

void file_choice(PanelContext& ui, const KernelFile& shown, float width) {
  ImGui::SetNextItemWidth(width);
  if (!begin_combo("##kernel", title_of(shown))) return tooltip("Which of your kernels is shown");
  for (const auto& file : ui.state.own_kernels) {
    ImGui::PushID(file.path.c_str());
    if (list_entry(title_of(file) + "   " + std::string(state_word(file)), &file == &shown))
      ui.drafts.kernel.shown = file.path;
    tooltip(without_controls(file.path.string()));
    ImGui::PopID();
  }
  ImGui::EndCombo();
}

// The answer; beside it what file it is, where there are several, and the way to its text.
void kernel_head(PanelContext& ui, const KernelFile& file, const KernelView& view) {
  constexpr auto open = "Open in editor";
  const bool several = ui.state.own_kernels.size() > 1;
  const auto gap = ImGui::GetStyle().ItemSpacing.x, choice = several ? std::round(em() * 9) : 0;
  const auto width = width_of_buttons({open}) + (several ? choice + gap : 0);
  sentence(view.headline(), width + gap);
  tooltip(without_controls(file.path.string()) + (view.details().empty() ? "" : "\n" + view.details()));
  same_line_at_right(width);
  if (several) {
    file_choice(ui, file, choice);
    ImGui::SameLine();
  }
  if (button(open, "What you save there is compiled and shown here", ui.state.no_editor))
    edit(ui, file.path, first_marked(view));
}

// What became of the last save, and what is shown therefore.
void state_line(const KernelView& view) {
  const auto &refused = view.refused(), &state = view.state();
  if (!refused.empty()) {
    wrapped(refused, colour::warning);
    const auto gap = ImGui::GetStyle().ItemSpacing.x;
    const auto left = ImGui::GetContentRegionAvail().x - ImGui::GetItemRectSize().x - gap;
    if (text_width(state) <= left) ImGui::SameLine();
  }
  if (!state.empty()) wrapped(state, colour::dim);
}

ImU32 ink_of(SourceToken::Kind kind) {
  switch (kind) {
    case SourceToken::Kind::comment: return colour::dim;
    case SourceToken::Kind::keyword: return colour::mixed(colour::translucent(colour::accent, 190), colour::text);
    case SourceToken::Kind::literal: break;
  }
  return colour::mixed(colour::translucent(colour::good, 150), colour::text);
}

ImU32 ink_of(RowKind kind) {
  switch (kind) {
    case RowKind::race:
    case RowKind::fault: return colour::bad;
    case RowKind::error: return colour::warning;
    default: return colour::dim;
  }
}

// The characters of a line, all equally wide, that have room: the rest is in the row's tooltip.
std::string_view visible_part(std::string_view line, float room) {
  const WithFont code(Font::code);
  auto left = static_cast<int>(room / std::max(text_width("m"), 1.f));
  for (std::size_t i = 0; i < line.size(); ++i)
    if ((static_cast<unsigned char>(line[i]) & 0xc0) != 0x80 && left-- <= 0) return line.substr(0, i);
  return line;
}

void draw_source(std::string_view line, std::span<const SourceToken> tokens) {
  const WithFont code(Font::code);
  auto& draw = *ImGui::GetWindowDrawList();
  auto at = ImGui::GetCursorScreenPos();
  std::size_t done = 0;
  const auto put = [&](std::size_t end, ImU32 ink) {
    end = std::min(end, line.size());
    if (end <= done) return;
    const auto part = line.substr(done, end - done);
    draw.AddText(at, ink, part.data(), part.data() + part.size());
    at.x += text_width(part);
    done = end;
  };
  for (const auto& token : tokens) {
    put(token.begin, colour::text);
    put(token.end, ink_of(token.kind));
  }
  put(line.size(), colour::text);
}

// A figure with a bar behind it, which is as long as the column for the line that has most.
void figure_cell(double value, double most) {
  if (value <= 0) return;
  const auto at = ImGui::GetCursorScreenPos();
  const auto width = ImGui::GetContentRegionAvail().x, height = ImGui::GetTextLineHeight();
  const auto length = std::max(1.f, std::round(width * static_cast<float>(value / std::max(most, value))));
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled({at.x + width - length, at.y + 1}, {at.x + width, at.y + height - 1},
                     colour::translucent(colour::accent, maximum_bar));
  const auto words = short_number(value);
  draw.AddText({std::round(at.x + width - text_width(words)), at.y}, colour::text, words.c_str());
}

void figure_cells(const KernelView& view, const LineFigures* figures) {
  for (const auto& column : line_columns)
    if (ImGui::TableNextColumn() && figures) figure_cell(figure_in(*figures, column.figure), view.most(column.figure));
}

// Per pixel, all of them, also those without a column.
std::string words_of(const LineFigures& figures) {
  std::string all;
  for (const auto& column : line_columns)
    if (const auto value = figure_in(figures, column.figure); value > 0)
      all += (all.empty() ? "Per pixel\n" : "\n") + short_number(value) + "  " + column.title + ": " + column.help;
  return all;
}

// Begins a row whose whole width is clicked; its cells follow.
bool begin_row(std::size_t index, RowKind mark, ImGuiSelectableFlags flags = 0) {
  ImGui::TableNextRow();
  ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, IM_COL32_BLACK_TRANS);  // source has no stripes
  ImGui::TableNextColumn();
  const auto at = ImGui::GetCursorScreenPos();
  if (mark != RowKind::source) {
    ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg1, colour::translucent(ink_of(mark), 38));
    const auto& padding = ImGui::GetStyle().CellPadding;
    ImGui::GetWindowDrawList()->AddRectFilled(
        {at.x - padding.x, at.y - padding.y},
        {at.x - padding.x + std::round(em() * 0.2f), at.y + ImGui::GetTextLineHeight() + padding.y}, ink_of(mark));
  }
  ImGui::PushID(static_cast<int>(index));
  const bool clicked = ImGui::Selectable("##row", false, ImGuiSelectableFlags_SpanAllColumns | flags,
                                         {0, ImGui::GetTextLineHeight()});
  ImGui::PopID();
  ImGui::SetCursorScreenPos(at);
  return clicked;
}

void source_row(PanelContext& ui, const KernelView& view, std::size_t index, int line) {
  const bool clicked = begin_row(index, view.mark_of(line), ImGuiSelectableFlags_AllowDoubleClick);
  if (clicked && ImGui::IsMouseDoubleClicked(0)) edit(ui, view.path(), line);
  {
    const WithText dim(colour::dim);
    right_aligned(std::to_string(line));
  }
  const auto* figures = view.figures_of(line);
  figure_cells(view, figures);
  bool cut = false;
  if (ImGui::TableNextColumn()) {
    const auto part = visible_part(view.text_of(line), ImGui::GetContentRegionAvail().x);
    draw_source(part, view.tokens_of(line));
    cut = part.size() < view.text_of(line).size();
  }
  if ((!figures && !cut) || !row_hovered()) return;
  const std::string whole(cut ? trimmed(view.text_of(line)) : std::string_view());
  show_tooltip(whole + (cut && figures ? "\n\n" : "") + (figures ? words_of(*figures) : ""));
}

// What is said of a line begins where the source does; where it is longer, further left.
void note_row(PanelContext& ui, const KernelView& view, std::size_t index, const KernelView::Row& row) {
  const auto& note = view.notes()[row.index];
  const bool counted = row.kind == RowKind::elsewhere;
  if (begin_row(index, RowKind::source)) edit(ui, note.file, note.line);
  const auto left = ImGui::GetCursorScreenPos();
  if (counted) figure_cells(view, &note.figures);
  ImGui::TableSetColumnIndex(static_cast<int>(std::size(line_columns)) + 1);
  const auto at = ImGui::GetCursorScreenPos().x, right = at + ImGui::GetContentRegionAvail().x;
  const auto least = counted ? at : left.x;
  const auto words = shortened(note.text, right - least);
  const auto x = std::max(least, std::min(at, right - text_width(words)));
  ImGui::TablePushBackgroundChannel();  // of all columns
  ImGui::GetWindowDrawList()->AddText({std::round(x), left.y}, ink_of(row.kind), words.c_str());
  ImGui::TablePopBackgroundChannel();
  if (!row_hovered()) return;
  const auto click = note.file.empty() ? std::string() : "Click opens " + note.file.filename().string() + " in your editor";
  if (counted)
    show_tooltip(note.text + "\n" + words_of(note.figures));
  else if (words != note.text || !click.empty())
    show_tooltip(note.text + (click.empty() ? "" : "\n\n" + click));
}

constexpr const char* how_it_is_counted =
    "What threads of each line ask for on the simulated GPU, of one picture, divided by its pixels. The right button "
    "chooses the "
    "columns";

// Where a new version has something to show that the one before had not, that is scrolled to.
void scroll_to_mark(PanelContext& ui, const KernelView& view, float row_height, float height) {
  if (!std::exchange(ui.drafts.kernel.to_mark, false)) return;
  const auto row = std::ranges::find(view.rows(), first_marked(view), &KernelView::Row::line);
  const auto y = static_cast<float>(row - view.rows().begin()) * row_height;
  if (y < ImGui::GetScrollY() || y > ImGui::GetScrollY() + height - 4 * row_height)
    ImGui::SetScrollY(std::max(0.f, y - std::round(height / 2)));
}

void source_rows(PanelContext& ui, const KernelView& view, float row_height) {
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(view.rows().size()), row_height);
  while (clipper.Step())
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const auto index = static_cast<std::size_t>(i);
      const auto& row = view.rows()[index];
      if (row.kind == RowKind::source)
        source_row(ui, view, index, row.line);
      else
        note_row(ui, view, index, row);
    }
}

void source_table(PanelContext& ui, const KernelView& view, float height) {
  const auto columns = columns_of(view);
  const auto pad = std::max(1.f, std::round(ui.scale));
  ImGui::PushStyleVar(ImGuiStyleVar_CellPadding, {std::round(4 * ui.scale), pad});
  if (begin_figures("source", columns, 0, height)) {
    if (ImGui::TableSetColumnIndex(static_cast<int>(columns.size()) - 1))
      header_cell("per pixel, on the simulated GPU", how_it_is_counted, false);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ImGui::GetStyle().ItemSpacing.x, 2 * pad});  // rows touch each other
    const auto row_height = ImGui::GetTextLineHeight() + 2 * pad;
    scroll_to_mark(ui, view, row_height, height);
    source_rows(ui, view, row_height);
    ImGui::PopStyleVar();
    ImGui::EndTable();
  }
  ImGui::PopStyleVar();
}

void kernel_foot(const KernelView& view) {
  const auto& compiled = view.compiled();
  const auto width = text_width(compiled), gap = ImGui::GetStyle().ItemSpacing.x;
  text(shortened(view.result(), ImGui::GetContentRegionAvail().x - width - 2 * gap),
       view.wrong() ? colour::bad : colour::dim);
  tooltip(view.details());
  if (compiled.empty()) return;
  same_line_at_right(width);
  text(compiled, colour::dim);
}

// Beside the files that there are.
std::string name_for_new(const PanelContext& ui) {
  std::error_code error;
  const auto files = ui.state.own_kernels;
  const auto folder = files.empty() ? std::filesystem::current_path(error) : files.back().path.parent_path();
  for (int number = 1; number < 100; ++number) {
    const auto file = folder / ("mine" + (number > 1 ? std::to_string(number) : std::string()) + ".cu");
    if (!std::filesystem::exists(file, error)) return file.string();
  }
  return (folder / "mine.cu").string();
}

// It is written, loaded, and opened in the editor.
void make(PanelContext& ui, const std::string& file, bool effect) try {
  auto command = saved_to(Action::new_kernel, file);
  if (effect) command.text = "effect";
  ui.act(command);
} catch (const std::invalid_argument& error) {
  ui.result.refusals.push_back(error.what());
}

void new_kernel(PanelContext& ui, bool effect) {
  if (!begin_popup_below("new kernel", last_item(), false, em() * 26)) return;
  auto& file = ui.drafts.kernel.to_make;
  heading(effect ? "An effect of your own" : "A kernel of your own");
  wrapped(effect ? "A commented start: a pixel from sums of boxes." : "A commented start that is right, in 25 lines.",
          colour::dim);
  if (ImGui::IsWindowAppearing()) ImGui::SetKeyboardFocusHere();
  ImGui::SetNextItemWidth(em() * 24);
  const bool entered = text_input("##file", "its file, mine.cu", file, file, ImGuiInputTextFlags_EnterReturnsTrue);
  if ((button("Create", "Writes the file and opens it in your editor", file.empty() ? "It needs a name" : "") || entered) &&
      !file.empty()) {
    make(ui, file, effect);
    ImGui::CloseCurrentPopup();
  }
  ImGui::EndPopup();
}

void without_kernel(PanelContext& ui) {
  sentence("A kernel of your own");
  wrapped(
      "Twenty lines of CUDA in a file of yours: what you save is compiled and tried on the simulated GPU, and shown here "
      "with what "
      "each line costs, beside the algorithms of the program.",
      colour::dim);
  if (!ui.state.no_kernels.empty()) wrapped(ui.state.no_kernels, colour::warning);
  kernel_buttons(ui, false);
}

}  // namespace

const KernelFile* kernel_file_of(const State& state, std::string_view name, bool effect) {
  for (const auto& file : state.own_kernels)
    if (file.name == name && file.is_effect == effect) return &file;
  return nullptr;
}

// Where there is something to see that was not there before, the tab scrolls to it.
const KernelView& kernel_view_of(PanelContext& ui, const KernelFile& file) {
  auto& draft = ui.drafts.kernel;
  auto& view = draft.views[file.path];
  if (view.is_of(file)) return view;
  const bool had_mark = first_marked(view) > 0;
  view = KernelView(file);
  draft.to_mark = file.path == draft.shown && !had_mark && first_marked(view) > 0;
  return view;
}

void show_kernel(PanelContext& ui, const KernelFile& file) {
  ui.drafts.kernel.shown = file.path;
  ui.change(changes_to_show(Dock::kernel));
}

ImU32 ink_of_state(const KernelFile& file) {
  const auto word = state_word(file);
  return word == "refused" ? colour::warning : word == "wrong" ? colour::bad : colour::dim;
}

void kernel_buttons(PanelContext& ui, bool effect) {
  const auto& why = ui.state.no_kernels;
  const std::string what = effect ? "an effect" : "a kernel";
  if (button("New...", "A new file with " + what + " of your own, which is compiled whenever it is saved", why)) {
    ui.drafts.kernel.to_make = name_for_new(ui);
    ImGui::OpenPopup("new kernel");
  }
  new_kernel(ui, effect);
  ImGui::SameLine();
  if (button("Open...",
             "A file that there is, .cu; or drop it on the window. It is native code, which runs with your rights: open "
             "what you trust",
             why))
    browse_for(ui, "kernel");
}

void kernel_tab(PanelContext& ui) {
  const auto* file = file_to_show(ui);
  if (!file) return without_kernel(ui);
  ui.drafts.kernel.shown = file->path;
  const auto& view = kernel_view_of(ui, *file);
  kernel_head(ui, *file, view);
  state_line(view);
  const auto below = ImGui::GetTextLineHeight() + ImGui::GetStyle().ItemSpacing.y;
  if (view.rows().empty()) {
    if (file->phase == KernelFile::Phase::idle) wrapped("The file has no text.", colour::dim);
  } else {
    source_table(ui, view, std::max(ImGui::GetContentRegionAvail().y - below, 6 * em()));
  }
  kernel_foot(view);
}

}  // namespace app::ui
