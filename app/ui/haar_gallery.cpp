// The gallery of features: every Haar-like feature of a window of 24 x 24 pixels, by type, size and position; and where the
// picture responds most to the chosen one, in a list and over the picture.
#include "app/control/feature_gallery.h"
#include "app/ui/figure_table.h"
#include "app/ui/layout.h"
#include "app/ui/note.h"
#include "app/ui/panel.h"
#include "app/ui/parameters.h"
#include "gpu/effects/colour_map.h"

namespace app::ui {
namespace {

constexpr float number_width = 4.4f, feature_gap = 1;  // in widths of a letter m

void choose_feature(PanelContext& ui, int number, int scale) {
  ui.change(changes_to_show_feature(ui.settings, number, scale, ui.state.picture));
}
// The feature of the window that is nearest to it.
void choose_feature(PanelContext& ui, const HaarFeature& feature) {
  choose_feature(ui, number_of(fitted(feature)), ui.settings.feature_scale);
}

void gallery_head(PanelContext& ui) {
  const auto& settings = ui.settings;
  const bool drawn = draws_chosen_feature(settings, ui.state.picture);
  const auto show = width_of_buttons({"Show"});
  sentence("Feature " + grouped(static_cast<std::uint64_t>(settings.feature)) + " of " +
               grouped(static_cast<std::uint64_t>(all_features)),
           drawn ? 0 : show + ImGui::GetStyle().ItemSpacing.x);
  if (!drawn) {
    same_line_at_right(show);
    if (button("Show", "Draws it on the picture, with the effect Haar-like feature   " + ui.keys(Action::show_feature)))
      ui.act(Action::show_feature);
  }
  const auto side = feature_window * settings.feature_scale;
  wrapped("In a window of " + text_of(gpu::Size{side, side}) + " pixels.", colour::dim);
}

// The window with the feature in it, at most so wide and high. The mouse moves the feature.
void window_drawing(PanelContext& ui, const HaarFeature& feature, float most) {
  const auto pixel = std::max(1.f, std::floor(most / feature_window)), side = pixel * feature_window;
  const auto corner = ImGui::GetCursorScreenPos();
  const auto at = [&](int x, int y) {
    return ImVec2(corner.x + pixel * static_cast<float>(x), corner.y + pixel * static_cast<float>(y));
  };
  ImGui::InvisibleButton("window", {side, side});
  if (ImGui::IsItemActive()) {
    const auto mouse = ImGui::GetIO().MousePos;
    auto moved = feature;
    moved.x = static_cast<int>(std::floor((mouse.x - corner.x) / pixel)) - feature.full_width() / 2;
    moved.y = static_cast<int>(std::floor((mouse.y - corner.y) / pixel)) - feature.full_height() / 2;
    if (number_of(fitted(moved)) != ui.settings.feature) choose_feature(ui, moved);
  } else {
    tooltip("The window of 24 x 24 pixels: orange minus blue. Drag to move the feature in it");
  }
  auto& draw = *ImGui::GetWindowDrawList();
  draw.AddRectFilled(at(0, 0), at(feature_window, feature_window), colour::control);
  for (int j = 0; j < feature.rows(); ++j)
    for (int i = 0; i < feature.columns(); ++i)
      draw.AddRectFilled(at(feature.x + i * feature.width, feature.y + j * feature.height),
                         at(feature.x + (i + 1) * feature.width, feature.y + (j + 1) * feature.height),
                         HaarFeature::positive(i, j) ? colour::warning : colour::accent);
  for (int i = 0; i <= feature_window && pixel >= 3; ++i) {
    hairline(at(i, 0), {at(i, 0).x + 1, at(i, feature_window).y});
    hairline(at(0, i), {at(feature_window, i).x, at(0, i).y + 1});
  }
}

void feature_types(PanelContext& ui, const HaarFeature& feature, float width) {
  const auto pictures = gpu::split_choices(gpu::effects::haar_pictograms),
             labels = gpu::split_choices(gpu::effects::haar_labels);
  const auto side = ImGui::GetFrameHeight(), between = ImGui::GetStyle().ItemInnerSpacing.x;
  for (const auto type : haar_types) {
    const auto i = static_cast<std::size_t>(type);
    if (i > 0) ImGui::SameLine(0, between);
    const auto at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::Selectable("##type", type == feature.type, 0, {side, side})) {
      auto other = feature;
      other.type = type;
      choose_feature(ui, other);
    }
    ImGui::PopID();
    tooltip(std::string(labels[i]) + ": " + grouped(static_cast<std::uint64_t>(features_of(type))) + " features");
    const auto margin = std::round((side - 0.9f * em()) / 2);
    pictogram(*ImGui::GetWindowDrawList(), {at.x + margin, at.y + margin}, pictures[i]);
  }
  const auto count = grouped(static_cast<std::uint64_t>(features_of(feature.type))) + " features";
  if (width < std::size(haar_types) * (side + between) + ImGui::GetStyle().ItemSpacing.x + text_width(count)) return;
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  text(count, colour::dim);
  tooltip("of this type, in a window of 24 x 24 pixels");
}

// All of them in a row: buttons for the neighbours, a slider, and the number.
void feature_number(PanelContext& ui, float width) {
  const auto between = ImGui::GetStyle().ItemInnerSpacing.x, field = std::round(em() * number_width);
  const auto step = [&](const char* text, const Command& command) {
    command_button(ui, text, command);
    ImGui::SameLine(0, between);
  };
  auto number = ui.settings.feature;
  step("<", Action::previous_feature);
  step(">", Action::next_feature);
  const auto buttons = 4 * ImGui::GetStyle().FramePadding.x + text_width("<") + text_width(">");
  double place = number;
  if (slider("##feature", place, {1, all_features}, std::max(8.f, width - buttons - field - 3 * between)))
    number = static_cast<int>(std::lround(place));
  tooltip("By type, then by size, then by position");
  ImGui::SameLine(0, between);
  whole_number_field("##number", number, field);
  tooltip("The number of the feature, from 1 to 162 336");
  if (number != ui.settings.feature) choose_feature(ui, std::clamp(number, 1, all_features), ui.settings.feature_scale);
}

// A row of fields for whole numbers, each with its help; true when another number was entered.
bool number_row(const char* name, std::initializer_list<std::pair<int*, const char*>> fields) {
  ImGui::AlignTextToFramePadding();
  text(name, colour::dim);
  ImGui::SameLine(std::round(text_width("Rectangles") + em() * 0.6f));
  bool entered = false;
  for (const auto& [value, help] : fields) {
    const auto before = *value;
    if (whole_number_field(("##" + std::string(help)).c_str(), *value, std::round(em() * 2.8f))) entered |= *value != before;
    tooltip(help);
    ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  }
  ImGui::NewLine();
  return entered;
}

void feature_size(PanelContext& ui, const HaarFeature& feature) {
  auto wanted = feature;
  auto scale = ui.settings.feature_scale;
  const bool size = number_row("Rectangles", {{&wanted.width, "Width of one rectangle, in pixels of the window"},
                                              {&wanted.height, "Height of one rectangle, in pixels of the window"}});
  const bool place = number_row("Position", {{&wanted.x, "Left edge of the feature, in pixels of the window"},
                                             {&wanted.y, "Top edge of the feature, in pixels of the window"}});
  if (size || place) choose_feature(ui, wanted);
  if (number_row("Scale", {{&scale, "How many pixels of the picture a pixel of the window is wide and high"}}))
    choose_feature(ui, ui.settings.feature, scale);
}

void response_row(PanelContext& ui, const Response& response, std::size_t index, bool drawn) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  if (ImGui::Selectable(std::to_string(index + 1).c_str(), drawn, ImGuiSelectableFlags_SpanAllColumns))
    ui.change(changes_to_show_feature(ui.settings, ui.settings.feature, ui.settings.feature_scale, ui.state.picture,
                                      Pointer{response.x, response.y}));
  for (const auto& words : {std::to_string(response.x), std::to_string(response.y),
                            grouped_digits((response.value > 0 ? "+" : "") + std::to_string(response.value))})
    if (ImGui::TableNextColumn()) right_aligned(words);
  if (row_hovered()) show_tooltip("Click to move the feature there");
}

void response_table(PanelContext& ui, const FoundResponses& found) {
  const auto column = [&](const char* title, auto figure) {
    return FigureColumn{
        title, "The strongest responses of the frame to this feature, orange minus blue; none overlaps a stronger one", 0,
        ImGuiTableColumnFlags_WidthStretch, [&found, figure](std::size_t i) { return figure(found.strongest[i]); }};
  };
  std::vector<FigureColumn> columns{
      column("Rank", [&](const auto& response) { return static_cast<double>(&response - found.strongest.data()); }),
      column("x", [](const auto& response) { return static_cast<double>(response.x); }),
      column("y", [](const auto& response) { return static_cast<double>(response.y); }),
      column("Response", [](const auto& response) { return static_cast<double>(response.value); })};
  for (auto& each : columns) each.stays = true;
  if (!begin_figures("responses", columns)) return;
  const auto drawn = place_of_drawn(ui.settings, ui.state.picture);
  const WithText shade(ui.state.features.of_shown ? colour::text : colour::dim);
  for (const auto i : sorted_rows(columns, found.strongest.size(), {})) {
    const auto& response = found.strongest[i];
    response_row(ui, response, i, drawn == Pointer{response.x, response.y});
  }
  ImGui::EndTable();
}

void response_list(PanelContext& ui) {
  const auto* const found = ui.state.features.found.get();
  if (!found) return wrapped("The strongest responses of the frame are listed here.", colour::dim);
  if (!found->problem.empty()) return wrapped(found->problem, colour::bad);
  if (!found->strongest.empty()) return response_table(ui, *found);
  const bool large = found->feature.full_width() > found->picture.width ||
                     found->feature.full_height() > found->picture.height;
  wrapped(large ? "The feature is larger than the picture: choose a smaller scale."
                : "The frame responds nowhere to this feature.",
          colour::dim);
}

gpu::Annotation feature_outline(const HaarFeature& feature, gpu::Rgba stroke) {
  gpu::Annotation box;
  box.x0 = static_cast<float>(feature.x), box.x1 = static_cast<float>(feature.x + feature.full_width());
  box.y0 = static_cast<float>(feature.y), box.y1 = static_cast<float>(feature.y + feature.full_height());
  box.stroke = stroke;
  return box;
}

// At the upper left corner of its outline, beside `numbers`, where it overlaps none of `ranks`, to which it is added.
void draw_rank(const View& view, const gpu::Annotation& outline, int rank, std::span<const Rect> numbers,
               std::vector<Rect>& ranks) {
  const auto visible = as_rect(view.visible());
  const auto corner = view.image_to_screen({outline.x0, outline.y0});
  const auto& c = outline.stroke;
  const Note note({{std::to_string(rank), IM_COL32(c.r, c.g, c.b, c.a)}});
  const auto wanted = note.place({static_cast<float>(corner.x), static_cast<float>(corner.y) - note.height()});
  const bool cut = wanted.y < visible.y;  // it is moved down
  const auto inside = [](float first, float size, float start, float room) {
    return std::round(first) >= start && std::round(first) + size <= start + room;
  };
  if (!inside(wanted.x, wanted.width, visible.x, visible.width) ||
      !inside(cut ? visible.y : wanted.y, wanted.height, visible.y, visible.height))
    return;
  const auto place = free_place(visible, wanted, numbers);
  if (overlaps(place, ranks)) return;
  note.draw(*ImGui::GetBackgroundDrawList(), place);
  ranks.push_back(place);
}

}  // namespace

void haar_gallery(PanelContext& ui) {
  gallery_head(ui);
  const auto feature = feature_at(ui.settings.feature);
  const auto room = ImGui::GetContentRegionAvail().x;
  window_drawing(ui, feature, std::min(room * 0.36f, 16 * em()));
  ImGui::SameLine(0, feature_gap * em());
  const auto width = ImGui::GetContentRegionAvail().x;
  ImGui::BeginGroup();
  feature_types(ui, feature, width);
  feature_number(ui, width);
  feature_size(ui, feature);
  ImGui::EndGroup();
  response_list(ui);
}

// The window, and the strongest responses: those of an earlier frame fainter. Each has its rank, where no stronger one's lies.
std::vector<Rect> draw_features(const View& view, const FeaturesState& state, const Settings& settings,
                                std::span<const Rect> numbers) {
  if (!shows(settings, Dock::detector)) return {};
  std::vector<gpu::Annotation> marks;
  if (draws_chosen_feature(settings, view.image)) {
    const auto at = place_of_window(settings, view.image);
    const int side = feature_window * settings.feature_scale;
    marks.push_back(feature_outline({HaarType::type_2_x, at.x, at.y, side / 2, side}, {255, 255, 255, 160}));
  }
  std::vector<Rect> ranks;
  if (state.found && state.found->picture == view.image)
    for (const auto& response : state.found->strongest) {
      auto place = state.found->feature;
      place.x = response.x, place.y = response.y;
      auto colour = response.value > 0 ? gpu::effects::positive_colour() : gpu::effects::negative_colour();
      colour.a = state.of_shown ? 255 : 128;
      marks.push_back(feature_outline(place, colour));
      draw_rank(view, marks.back(), static_cast<int>(&response - state.found->strongest.data()) + 1, numbers, ranks);
    }
  draw_annotations(view, marks);
  return ranks;
}

}  // namespace app::ui
