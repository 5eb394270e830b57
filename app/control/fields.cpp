#include "app/control/fields.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "app/control/cards.h"
#include "app/control/feature_gallery.h"
#include "app/control/kernel_names.h"
#include "app/control/measured.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/pictures/composition.h"
#include "gpu/sat.h"
#include "gpu/vision/cascade.h"

namespace app {
namespace {

using S = Settings;

template <gpu::Device device>
std::vector<std::string_view> algorithms_of() {
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (algorithm->device == device) names.push_back(algorithm->name);
  return names;
}

template <auto member>
constexpr Field::Choice choice(std::span<const std::string_view> names) {
  return {names, [](const S& s) { return static_cast<std::size_t>(s.*member); },
          [](S& s, std::size_t i) { s.*member = static_cast<std::remove_reference_t<decltype(s.*member)>>(i); }};
}

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<FrameRange> range_from(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == text.npos) return {};
  const auto first = number_from<std::uint64_t>(text.substr(0, dash)),
             last = number_from<std::uint64_t>(text.substr(dash + 1));
  return first && last && *first <= *last ? std::optional(FrameRange{*first, *last}) : std::nullopt;
}

constexpr int most_pixels = 65'536;  // of a side of any picture that is shown

std::optional<Pointer> place_from(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos) return {};
  const auto x = number_from<int>(text.substr(0, comma)), y = number_from<int>(text.substr(comma + 1));
  const auto inside = [](std::optional<int> side) { return side && *side >= 0 && *side < most_pixels; };
  return inside(x) && inside(y) ? std::optional(Pointer{*x, *y}) : std::nullopt;
}

// "X,Y,WxH": partly outside the picture at most.
std::optional<PixelBox> box_from(std::string_view text) {
  const auto comma = text.find(','), second = text.find(',', comma + 1);
  if (comma == text.npos || second == text.npos) return {};
  const auto x = number_from<int>(text.substr(0, comma)), y = number_from<int>(text.substr(comma + 1, second - comma - 1));
  const auto size = size_from_text(text.substr(second + 1), most_pixels);
  const auto near = [](std::optional<int> at) { return at && *at > -most_pixels && *at < most_pixels; };
  if (!near(x) || !near(y) || !size) return {};
  return PixelBox{*x, *y, size->width, size->height};
}

// A value that may be missing; the empty text means that it is.
template <auto member, auto text, auto from>
constexpr Field::Written optional_form(std::string_view form, std::string (*accepted)()) {
  return {form, accepted, [](const S& s) { return s.*member ? text(*(s.*member)) : std::string(); },
          [](S& s, std::string_view written) {
            const auto value = from(written);
            if (value || written.empty()) s.*member = value;
            return value || written.empty();
          }};
}

std::string place_text(const Pointer& place) { return std::to_string(place.x) + "," + std::to_string(place.y); }

template <std::optional<Pointer> Settings::*member>
constexpr auto place_form = optional_form<member, place_text, place_from>("X,Y", [] {
  return "X,Y, each from 0 to " + std::to_string(most_pixels - 1);
});

constexpr auto box_form = optional_form<&S::rectangle, static_cast<std::string (*)(const PixelBox&)>(text_of), box_from>(
    "X,Y,WxH", [] {
      const auto side = std::to_string(most_pixels);
      return "X,Y,WxH, X and Y above -" + side + " and below " + side + ", W and H from 1 to " + side;
    });

constexpr auto range_form =
    optional_form<&S::graph_range, static_cast<std::string (*)(const FrameRange&)>(text_of), range_from>(
        "FIRST-LAST", [] { return std::string("FIRST-LAST, frames by their ids"); });

constexpr auto values_form = optional_form<&S::values, capture::values_text, capture::value_window_from>("FROM-TO", [] {
  return "FROM-TO, whole numbers from 0 to " + std::to_string(capture::largest_value) +
         " of which TO is the greater, or nothing: the automatic choice";
});

// 0, 0x0 or empty: the source's own.
template <gpu::Size Settings::*member>
constexpr Field::Written size_form{"WxH", [] { return "WxH, each from 1 to " + std::to_string(maximum_side) + ", or 0"; },
                                   [](const S& s) { return (s.*member).pixels() == 0 ? std::string() : text_of(s.*member); },
                                   [](S& s, std::string_view text) {
                                     const bool own = text.empty() || text == "0" || text == "0x0";
                                     const auto value = own ? gpu::Size{} : size_from_text(text);
                                     if (value) s.*member = *value;
                                     return value.has_value();
                                   }};

// The names stay while nothing is compared.
constexpr Field::Written sides_form{"A,B|off", [] { return std::string(accepted_sides); },
                                    [](const S& s) { return text_of(s.compare); },
                                    [](S& s, std::string_view text) {
                                      const auto value = sides_from_text(text);
                                      if (value.on)
                                        s.compare = value;
                                      else
                                        s.compare.on = s.compare.off_by_effect = false;
                                      return true;
                                    }};

// Set, the list as a whole; change.h adds a file to it.
constexpr Field::Written kernels_form{"FILE.cu", [] { return std::string("the name of a file that ends in .cu"); },
                                      [](const S& s) { return text_of_kernels(s.kernels); },
                                      [](S& s, std::string_view text) {
                                        s.kernels = kernels_from(text);
                                        return true;
                                      }};

constexpr auto run = Field::Kept::run, at_start = Field::Kept::at_start;

const Field all_fields[] = {
    {"source", "SOURCE", Field::Text{&S::source},
     "camera number, name or /dev/videoN; video; image; URL; synthetic[:WxH]; matrix[:WxH]; FILE.csv. Default: the first "
     "camera that sends frames, "
     "otherwise the bundled clip",
     run},
    {"algorithm", "--algorithm", Field::Algorithm{}, "how tables are computed; also chooses the device", run},
    {"effect", "--effect", Field::Name{&S::effect, effect_names, "effect"}, "what is drawn from the table"},
    {"kernel", "", kernels_form,
     "a file with a kernel of your own, which is watched, compiled and chosen; with others that were set before. Empty: "
     "none"},
    {"compare", "--compare", sides_form, "two pictures in one: original, result, or the name of an algorithm or an effect"},
    {"compare_mode", "", choice<&S::compare_mode>(compare_mode_names),
     "one side beside the other, or the difference of both"},
    {"wipe", "", Field::Number{&S::wipe, 0, 1}, "where the second side begins, as a fraction of the picture's width"},
    {"amplification", "", Field::Number{&S::amplification, 1, gpu::most_amplification}, "factor of the differences"},
    {"device", "--device", choice<&S::device>(device_choice_names), "where to compute"},
    {"interop", "--interop", choice<&S::interop>(interop_choice_names), "let CUDA write into the OpenGL texture"},
    {"size", "--size", size_form<&S::size>, "requested frame size; 0: the source's own"},
    {"fps", "--fps", Field::Number{&S::fps, 0, maximum_fps}, "requested frames per second; 0: the source's own"},
    {"loop", "--loop", Field::Toggle{&S::loop, true}, "start files again when they end"},
    {"max_speed", "--max-speed", Field::Toggle{&S::max_speed, true},
     "every frame of a file or the test scene, as fast as possible"},
    {"speed", "", Field::Number{&S::speed, 0.25, 4}, "speed of a file or the test scene; 2: twice its own", run},
    {"values", "--values", values_form,
     "of a source of 16 bits, the values shown from black to white; empty: chosen by its first picture"},
    {"vsync", "--vsync", Field::Toggle{&S::vsync}, "wait for the monitor"},
    {"memory_budget", "--memory-budget", Field::Whole{&S::memory_budget, 0, 1'000'000'000},
     "memory that reading a picture may take, in MB, by what its file says of its size; 0: a quarter of the machine's"},
    {"viewer", "--viewer", choice<&S::viewer>(viewer_names),
     "gl: OpenGL; highgui: OpenCV's window, for machines without working OpenGL", at_start},
    {"cuda_algorithm", "", Field::Name{&S::cuda_algorithm, algorithms_of<gpu::Device::cuda>, "algorithm"},
     "the algorithm on the GPU and on the simulated GPU"},
    {"host_algorithm", "", Field::Name{&S::host_algorithm, algorithms_of<gpu::Device::host>, "algorithm"},
     "the algorithm on the CPU"},
    {"timing", "--timing", choice<&S::timing>(timing_names),
     "what is timed; frame: each frame as a whole; kernels: every launch, but algorithms with more than 16 as a whole; "
     "every: "
     "every launch"},
    {"timeline_zoom", "", Field::Number{&S::timeline_zoom, 0, 1e4},
     "how many times one frame is enlarged, where it is shown to scale; 1: the whole frame; 0: the part with kernels, where "
     "that is less than half of it",
     run},
    {"timeline_start", "", Field::Number{&S::timeline_start, 0, 1},
     "the left edge of one frame, where it is shown to scale, as a fraction of the frame", run},
    {"zoom", "", Field::Number{&S::zoom, 0, 1e4}, "screen pixels per image pixel; 0: fit the whole picture", run},
    {"centre_x", "", Field::Number{&S::centre_x, -10, 10},
     "centre of the view, as a fraction of the picture's width; not with zoom 0", run},
    {"centre_y", "", Field::Number{&S::centre_y, -10, 10},
     "centre of the view, as a fraction of the picture's height; not with zoom 0", run},
    {"pointer", "", place_form<&S::pointer>, "where the mouse put an effect that has a place, in pixels", run},
    {"cells", "", choice<&S::cells>(cell_value_names),
     "what the cells of an enlarged picture show: what is looked at, gray levels, colours, or the table's sums"},
    {"rectangle", "", box_form, "the rectangle whose sum is worked out from the table; empty: none", run},
    {"rectangle_tool", "", Field::Toggle{&S::rectangle_tool}, "a drag on the picture draws and changes the rectangle", run},
    {"matrix", "", Field::Text{&S::matrix},
     "values of a matrix source: rows end with ; as in 1,2,3;4,5,6. Empty: the source's own", run},
    {"matrix_editor", "", Field::Toggle{&S::matrix_editor}, "show a matrix source as a grid of numbers beside its table"},
    {"output_folder", "", Field::Text{&S::output_folder},
     "the folder of saved files that are not named; empty: satscope-out, where the program was started"},
    {"record_size", "--record-size", choice<&S::record_size>(record_size_names),
     "the largest size of a recording, to which larger pictures are scaled down: 1080p, 720p, or the source's own"},
    {"check", "", Field::Toggle{&S::check}, "verify the table of every frame on its device"},
    {"panels", "", Field::Toggle{&S::panels}, "show the panels around the picture"},
    {"hints", "", Field::Toggle{&S::hints}, "show where to begin, until the first click or key"},
    {"dock", "", choice<&S::dock>(dock_names), "the tab of the dock beside the picture, where times are measured"},
    {"dock_open", "", Field::Toggle{&S::dock_open}, "show the dock beside the picture"},
    {"dock_width", "", Field::Whole{&S::dock_width, 0, maximum_side},
     "width of the dock, in pixels of a display of scale 1; 0: a part of the window's"},
    {"frame_view", "", choice<&S::frame_view>(frame_view_names),
     "what the tab of the frame shows: a table of all kernels, or one frame to scale"},
    {"trace_colour", "", choice<&S::trace_colour>(trace_colour_names),
     "colours of the tiles: by the time of their start, by their state, or by their multiprocessor; or as in the paper"},
    {"trace_play", "", Field::Toggle{&S::trace_play}, "play the tile trace in slow motion", run},
    {"trace_loop", "", Field::Toggle{&S::trace_loop}, "start the tile trace again when it ends"},
    {"trace_seconds", "", Field::Number{&S::trace_seconds, 0.1, 600}, "how long the tile trace plays, in seconds"},
    {"trace_at", "", Field::Number{&S::trace_at, 0, 1}, "the moment of the tile trace, as a fraction of its time", run},
    {"trace_overlay", "", Field::Toggle{&S::trace_overlay}, "draw the tiles of the trace over the picture", run},
    {"cascade_at", "", place_form<&S::cascade_at>,
     "the pixel around which a cascade's window is shown stage by stage, where the effect has a cascade; empty: none", run},
    {"cascade_stage", "", Field::Whole{&S::cascade_stage, 0, gpu::vision::most_stages},
     "the stage of that cascade whose features are shown; 0: the last that the window reached", run},
    {"cascade_feature", "", Field::Whole{&S::cascade_feature, 0, gpu::vision::most_features},
     "the only feature of the stage that is drawn over the picture, in the order of the tab; 0: all", run},
    {"help", "", Field::Toggle{&S::help}, "show the list of keys over the picture", run},
    {"palette", "", Field::Toggle{&S::palette}, "show the command palette", run},
    {"preferences", "", Field::Toggle{&S::preferences}, "show the preferences over the picture", run},
    {"presentation", "", Field::Toggle{&S::presentation}, "show the picture, one statement and nothing else", run},
    {"lesson", "", Field::Whole{&S::lesson, 1, lesson_count}, "the lesson that the presentation shows", run},
    {"browse", "", Field::Toggle{&S::browse}, "show the files that can be opened over the picture", run},
    {"cards", "", Field::Toggle{&S::cards}, "show the algorithms and their cards over the picture", run},
    {"card", "", Field::Name{&S::card, algorithm_names, "algorithm"}, "the algorithm whose card is shown", run},
    {"card_order", "", choice<&S::card_order>(card_order_names), "order of the list of algorithms"},
    {"feature", "", Field::Whole{&S::feature, 1, all_features},
     "the number of a Haar-like feature, of all that a window of 24 x 24 pixels has; show_feature draws it"},
    {"feature_scale", "", Field::Whole{&S::feature_scale, 1, most_feature_scale},
     "how many pixels of the picture a pixel of that window is wide and high"},
    {"race_parameters", "", Field::Toggle{&S::race_parameters},
     "race every combination of the algorithms' parameters, not only the chosen one"},
    {"columns", "", Field::Text{&S::columns},
     "columns of tables that are hidden, and by which they are sorted, as Dear ImGui writes it; empty: as at first"},
    {"study_algorithms", "", Field::Text{&S::study_algorithms},
     "the algorithms of the study, e.g. 2r1w,row_waves; empty: all that run on the device in use"},
    {"study_shows", "", choice<&S::study_shows>(study_shows_names),
     "the study's curves: multiples of the bound, or microseconds"},
    {"study_beside", "", Field::Name{&S::study_beside, measured_names, "card"},
     "a card whose measurements come with the program, beside the study's; or none"},
    {"study_size", "", size_form<&S::study_size>, "the size that the study's table is of; 0: the one nearest to the picture",
     run},
    {"ui_scale", "", Field::Number{&S::ui_scale, 0, 4}, "size of text and controls, 0.5 to 4; 0: that of the display"},
    {"theme", "", choice<&S::theme>(theme_names), "colours of the window"},
    {"fullscreen", "", Field::Toggle{&S::fullscreen}, "fill the monitor", run},
    {"window_width", "", Field::Whole{&S::window_width, 64, maximum_side},
     "window width in pixels of a display of scale 1, where at least 800 are taken; offscreen: in pixels", at_start},
    {"window_height", "", Field::Whole{&S::window_height, 64, maximum_side}, "window height, likewise, at least 600",
     at_start},
    {"export_menu", "", Field::Toggle{&S::export_menu}, "show the menu of what can be saved", run},
    {"target_ms", "", Field::Number{&S::target_ms, 0, 1e4},
     "frame graph: the time that frames are compared with, in milliseconds; 0: the source's rate"},
    {"graph_shows", "", choice<&S::graph_shows>(graph_shows_names),
     "frame graph: the main thread's work, the interval since the frame before, all kernels, or these by stage"},
    {"graph_histogram", "", Field::Toggle{&S::graph_histogram}, "frame graph: how often each time occurs, beside it"},
    {"graph_paused", "", Field::Toggle{&S::graph_paused}, "frame graph: shows no newer frames; the video continues", run},
    {"graph_frames", "", Field::Whole{&S::graph_frames, 0, 1 << 20},
     "frame graph: how many frames it shows; 0: as many as there is room for", run},
    {"graph_end", "", Field::Whole{&S::graph_end, 0, 1 << 30}, "frame graph: the id of its last frame; 0: the newest", run},
    {"graph_pinned", "", Field::Whole{&S::graph_pinned, 0, 1 << 30},
     "frame graph: the id of the frame whose figures it keeps showing; 0: none", run},
    {"graph_range", "", range_form,
     "the frames that all statistics cover, by their ids; empty: all since the work last changed", run},
};

}  // namespace

std::span<const Field> fields() { return all_fields; }

const Field* find_field(std::string_view path) {
  const auto* at = std::find_if(std::begin(all_fields), std::end(all_fields),
                                [&](const Field& field) { return field.path == path; });
  return at == std::end(all_fields) ? nullptr : at;
}

std::vector<std::string_view> field_paths() {
  std::vector<std::string_view> paths;
  for (const auto& field : all_fields) paths.push_back(field.path);
  return paths;
}

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const auto* algorithm : gpu::sat_algorithms()) names.push_back(algorithm->name);
  return names;
}

std::vector<std::string_view> effect_names() {
  std::vector<std::string_view> names;
  for (const auto* effect : gpu::all_effects()) names.push_back(effect->name);
  return names;
}

// Values of fields as text, and from text.

namespace {

using S = Settings;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 16 needs it

// What a setting accepts, as a phrase: "WxH, each from 1 to 8192, or 0".
struct Accepted {
  std::string operator()(const Field::Toggle&) const { return or_list(toggle_names); }
  std::string operator()(const Field::Choice& choice) const { return or_list(choice.names); }
  std::string operator()(const Field::Whole& whole) const {
    return "a whole number from " + std::to_string(whole.least) + " to " + std::to_string(whole.most);
  }
  std::string operator()(const Field::Number& number) const {
    return "a number from " + number_as_text(number.least) + " to " + number_as_text(number.most);
  }
  std::string operator()(const Field::Written& written) const { return written.accepted(); }
  std::string operator()(const Field::Text&) const { return "any text"; }
  std::string operator()(const Field::Name& name) const { return or_list(name.names()); }
  std::string operator()(const Field::Algorithm&) const { return or_list(algorithm_names()); }
};

// Parses a value into the settings, or reports what a valid value is.
class Setter {
 public:
  Setter(S& settings, std::string_view text, std::string_view as) : settings_(settings), text_(text), as_(as) {}

  void operator()(const Field::Toggle& toggle) const { settings_.*toggle.member = index_of(toggle, toggle_names) == 1; }
  void operator()(const Field::Choice& choice) const { choice.set(settings_, index_of(choice, choice.names)); }
  void operator()(const Field::Whole& whole) const {
    const auto value = number_from<int>(text_);
    if (!value || *value < whole.least || *value > whole.most) refuse(whole);
    settings_.*whole.member = *value;
  }
  void operator()(const Field::Number& number) const {
    const auto value = number_from<double>(text_);
    if (!value || !(*value >= number.least && *value <= number.most)) refuse(number);  // a NaN is in no range
    settings_.*number.member = *value;
  }
  void operator()(const Field::Written& written) const {
    if (!written.set(settings_, text_)) refuse(written);
  }
  void operator()(const Field::Text& text) const {
    if (text_.find('\0') != text_.npos) throw std::invalid_argument(std::string(as_) + " takes any text without NUL");
    settings_.*text.member = text_;
  }
  void operator()(const Field::Name& name) const {
    const auto names = name.names();
    if (std::ranges::find(names, text_) == names.end() && !(is_of_kernels(name) && awaits_kernel(settings_, text_))) {
      if (name.kind == "algorithm" && std::ranges::count(algorithm_names(), text_) > 0) refuse(name);  // of another device
      if (name.names == measured_names) refuse(name);  // satscope list prints none
      throw std::invalid_argument(no_such(name.kind, text_, names));
    }
    settings_.*name.member = text_;
  }
  void operator()(const Field::Algorithm&) const { throw std::logic_error("change.h sets the algorithm"); }

 private:
  static bool is_of_kernels(const Field::Name& name) {
    return name.member == &S::effect || name.member == &S::cuda_algorithm;
  }
  template <class Value>
  std::size_t index_of(const Value& value, std::span<const std::string_view> names) const {
    const auto at = std::find(names.begin(), names.end(), text_);
    if (at == names.end()) refuse(value, did_you_mean(text_, names));
    return static_cast<std::size_t>(at - names.begin());
  }
  template <class Value>
  [[noreturn]] void refuse(const Value& value, const std::string& hint = {}) const {
    throw std::invalid_argument(std::string(as_) + " takes " + Accepted()(value) + ", not '" + std::string(text_) + "'" +
                                hint);
  }

  S& settings_;
  std::string_view text_, as_;
};

}  // namespace

std::string text_of(const Field& field, const Settings& settings) {
  const Overloaded text{[&](const Field::Toggle& toggle) { return std::string(toggle_names[settings.*toggle.member]); },
                        [&](const Field::Choice& choice) { return std::string(choice.names[choice.get(settings)]); },
                        [&](const Field::Whole& whole) { return std::to_string(settings.*whole.member); },
                        [&](const Field::Number& number) { return number_as_text(settings.*number.member); },
                        [&](const Field::Written& written) { return written.get(settings); },
                        [&](const Field::Text& word) { return settings.*word.member; },
                        [&](const Field::Name& name) { return settings.*name.member; },
                        [&](const Field::Algorithm&) {
                          return settings.device == DeviceChoice::host ? settings.host_algorithm : settings.cuda_algorithm;
                        }};
  return std::visit(text, field.value);
}

void set_field(const Field& field, Settings& settings, std::string_view text, std::string_view as) {
  std::visit(Setter(settings, present_name(field.path, text), as), field.value);
}

std::string accepted(const Field& field) { return std::visit(Accepted(), field.value); }

std::string text_of(const PixelBox& box) {
  return std::to_string(box.x) + "," + std::to_string(box.y) + "," + text_of(gpu::Size{box.width, box.height});
}

std::string text_of(const FrameRange& range) { return std::to_string(range.first) + "-" + std::to_string(range.last); }

std::string number_as_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::optional<double> number_from_text(std::string_view text) { return number_from<double>(text); }

std::string placeholder(const Field& field) {
  const Overloaded words{[](const Field::Toggle&) { return std::string("on|off"); },
                         [](const Field::Choice& choice) {
                           std::string all;
                           for (const auto name : choice.names) all += (all.empty() ? "" : "|") + std::string(name);
                           return all;
                         },
                         [](const Field::Whole&) { return std::string("N"); },
                         [](const Field::Number&) { return std::string("N"); },
                         [](const Field::Written& written) { return std::string(written.form); },
                         [](const Field::Text&) { return std::string("TEXT"); },
                         [](const auto&) { return std::string("NAME"); }};
  return std::visit(words, field.value);
}

}  // namespace app
