// Effects: pictures computed from a frame and its summed area tables. One file effects/effect_<name>.cu = one effect; the
// list of effects is generated from the file names, as that of algorithms.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/pictures/annotation.h"
#include "gpu/pictures/canvas.h"
#include "gpu/sat.h"
#include "gpu/tables/tables.h"
#include "gpu/vision/levels.h"

namespace gpu {

// One frame as an effect sees it. All views have the frame's size and lie on the context's device.
struct EffectInput {
  BgrView colour{nullptr, 0, 0, 0};    // may be empty for an effect that does not need it
  ImageView<const std::uint8_t> gray;  // luma() of colour
  TableViews tables;                   // the sums of gray, and what Effect::tables asks for
  const void* prepared = nullptr;      // by Effect::prepare
  // For tables of images that the effect itself computes (a second pass): the algorithm of the frame's own table.
  const SatAlgorithm* algorithm = nullptr;
  const Arguments* algorithm_arguments = nullptr;

  void compute_sat(Context& context, ImageView<const std::uint8_t> image, ImageView<std::uint32_t> sat) const {
    gpu::compute_sat(context, *algorithm, image, sat, *algorithm_arguments);
  }
};

struct EffectOutput {
  Canvas canvas;
  AnnotationList annotations;  // with at least the capacity that the effect asks for

  EffectOutput(const Canvas& canvas = {}, const AnnotationList& annotations = {})
      : canvas(canvas), annotations(annotations) {}
};

// Where an effect is on the picture, for one that has a place: a grid of equal rectangles, of the width and height that its
// parameters `width` and `height` give, with the first corner at `x` and `y`.
struct Placement {
  int x = 0, y = 0, width = 0, height = 0;  // of one rectangle, in pixels
  int columns = 1, rows = 1;

  constexpr int full_width() const { return columns * width; }
  constexpr int full_height() const { return rows * height; }
};

// What an effect searches a frame for: windows of every level, by a cascade.
struct CascadeSearch {
  std::string cascade;  // as vision::find_cascade() takes it
  vision::LevelOptions levels;
  std::optional<int> level = {};  // the only one that is shown, or the last where there are fewer; none: all
  bool shows_depths = false;      // the picture is coloured by how many stages windows passed: viridis(), over gray
};

// The global memory traffic of one of an effect's launches, by the name of its span.
struct LaunchTraffic {
  std::string_view name;
  Traffic traffic;
};

// The choice that leaves a value to the program; and a parameter that is on or off, at first by that choice: see
// ParameterDisplay::automatic_on.
inline constexpr std::string_view automatic_choice = "auto";
constexpr Parameter automatic_toggle(std::string_view name, std::string_view help) {
  return {name, Parameter::Kind::toggle, automatic_choice, "auto,on,off", 0, 0, 1, help};
}

// How an interface shows a parameter of an effect, as data. Nothing here changes a result; the command line ignores it.
struct ParameterDisplay {
  std::string_view parameter;     // its name
  std::string_view applies = {};  // "method=bradley": it has an effect only with this value of another; empty: always
  std::string_view labels = {};   // what each choice is called, in their order, separated by commas; empty: as written
  // What each choice looks like, likewise: rectangles that are added or subtracted, in rows: "-+/+-".
  std::string_view pictograms = {};
  bool logarithmic = false;  // small values matter as much as large ones
  bool prominent = false;    // it is what one changes first: shown beside the picture
  // What the effect takes in place of 0 on a frame of this size: of a size for each side that is 0, of one number the width.
  // Null: 0 is a value as any other.
  Size (*automatic)(const Arguments& arguments, Size frame) = nullptr;
  // What is taken in place of automatic_choice on this device. Null: there is no such choice.
  std::string_view (*automatic_on)(Device device) = nullptr;
};

// The display of a parameter; the default display if it has none.
const ParameterDisplay& display_of(std::span<const ParameterDisplay> all, std::string_view parameter);
// What an interface calls one of the parameter's choices.
std::string_view label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice);
// The same with what automatic_choice stands for on this device: "Auto (off)".
std::string label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice,
                            Device device);
// Why the parameter has no effect with these values, one line: "Only with method: Bradley"; empty if it has one.
std::string why_unused(std::span<const ParameterDisplay> all, std::string_view parameter, const Arguments& arguments);

// The publication that an effect follows.
struct Paper {
  std::string_view title;  // authors, title, where and when
  std::string_view doi;
};

struct Effect {
  std::string_view name;   // "box_blur", after its file effects/effect_<name>
  std::string_view title;  // "Box blur"
  std::string_view idea;   // one sentence: what it shows, with its source
  std::span<const Paper> papers = {};
  std::span<const Parameter> parameters;
  int (*channels)(const Arguments& arguments);  // of the result, annotations drawn: 1 (gray) or 3 (colour)
  // The tables that it needs on a device besides the sums of the gray frame. Null: none.
  Tables (*tables)(const Arguments& arguments, Device device) = nullptr;
  // The most annotations that one frame can have. Null: none.
  int (*most_annotations)(const Arguments& arguments) = nullptr;
  std::span<const ParameterDisplay> display = {};  // of some of the parameters
  bool reads_colour = false;                       // besides the tables of channels
  // Whether the effect reads the gray frame or one of its tables. Null: it does.
  bool (*reads_gray)(const Arguments& arguments) = nullptr;
  bool shows_table = false;  // what it draws is the table itself: a pixel stands for its entry
  // The box around a pixel whose sum it reads for that one, which has index `side / 2` in it. Null: it reads no such box.
  Size (*box)(const Arguments& arguments, Size frame) = nullptr;
  // Where the effect is on a frame of this size; a feature that does not fit is as given. Null: everywhere.
  Placement (*placement)(const Arguments& arguments, Size frame) = nullptr;
  CascadeSearch (*search)(const Arguments& arguments) = nullptr;  // null: it uses no cascade
  // Its own launches on a GPU in their order, without those that compute tables, and those whose traffic depends on what the
  // frame shows: exact, as SatAlgorithm::traffic. `drawn_bytes`: of the canvas per pixel, 1 where it is gray, 4 for colours, 8
  // for colours in memory and on a surface.
  std::vector<LaunchTraffic> (*traffic)(const Arguments& arguments, Size frame, int drawn_bytes);
  // Builds what `run` needs and what is the same for all frames of a size (a cascade on the device). `previous` is the last
  // result, possibly for other arguments or another size, and may be returned unchanged. It may allocate and wait, and throws
  // ArgumentError for arguments that are not valid together. The caller keeps the result, in which `run` may remember something
  // from one frame to the next: runs with one result follow one another. Null: `run` needs nothing.
  std::shared_ptr<const void> (*prepare)(Context& context, const Arguments& arguments, Size frame,
                                         std::shared_ptr<const void> previous) = nullptr;
  // Queues or does the whole effect; never allocates, waits or reads back, like SatAlgorithm::run. Throws ArgumentError,
  // with the cause, for arguments that do not fit this frame (a feature larger than the image).
  void (*run)(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments);
  const KernelVersion* version = nullptr;  // of a user's file (gpu/user_kernels/); null: it is built in

  // A device without the tables of channels reads the colours themselves.
  bool needs_colour(const Arguments& arguments) const {
    return reads_colour || wanted_tables(arguments, Device::cuda).channels;
  }
  bool needs_gray(const Arguments& arguments) const { return !reads_gray || reads_gray(arguments); }
  Tables wanted_tables(const Arguments& arguments, Device device) const {
    return tables ? tables(arguments, device) : Tables();
  }
  int annotation_capacity(const Arguments& arguments) const { return most_annotations ? most_annotations(arguments) : 0; }
};

std::span<const Effect* const> all_effects();  // those that are built in, then those of users' files, as sat_algorithms()
std::span<const Effect* const> built_in_effects();
// The values with which the effect draws a frame of this size: 0 is replaced by the automatic value. As they are given if there
// is no frame yet.
Arguments used_arguments(const Effect& effect, Arguments arguments, Size frame);
// The values with which the effect draws on this device: automatic_choice is replaced by what the device decides. Whoever runs an
// effect decides so first; the effect itself takes what is left to it as on a GPU.
Arguments arguments_on(const Effect& effect, Arguments arguments, Device device);
const Effect* find_effect(std::string_view name);  // nullptr if there is none

// Computes the tables that the effect asks for besides `input.tables.sum`, in scratch memory, and runs the effect; on the
// simulated GPU by the kernels of the context's driver. Throws what the effect does, and std::invalid_argument for images that
// check_views() refuses and for annotations without room. `input.tables.sum` may be empty if the effect does not read it, and
// `input.gray` too if it needs no gray.
void run_effect(Context& context, const Effect& effect, const EffectInput& input, const EffectOutput& output,
                const Arguments& arguments);
// What EffectInput::prepared points to; null if the effect needs none.
std::shared_ptr<const void> prepare_effect(Context& context, const Effect& effect, const Arguments& arguments, Size frame,
                                           std::shared_ptr<const void> previous = {});

}  // namespace gpu
