// Selection: the settings that one frame depends on, looked up and checked, and which two pictures are compared; and the
// choice of the device, which compares what was requested with what is available.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/capture/capture.h"
#include "app/control/settings.h"
#include "gpu/choice/tuned.h"
#include "gpu/cuda/device.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {

struct Selection {
  const gpu::SatAlgorithm* algorithm = nullptr;  // null: none; only of a side that needs no table
  gpu::Arguments algorithm_arguments;
  const gpu::Effect* effect = nullptr;
  gpu::Arguments effect_arguments;
  TimingChoice timing = TimingChoice::kernels;
  gpu::Device device = gpu::Device::host;  // a CUDA algorithm may also run on the simulated GPU
  // The sides of a comparison: A and B, whose pictures are made in place of this one, and how they become one picture. Else
  // empty.
  std::vector<Selection> sides = {};
  Composition composition = {};
  std::string name = {};  // of a side: "original", or what tells it from the other: "2r1w", "box_blur"
  bool check = false;     // the table of every frame, by gpu::check_table()

  friend bool operator==(const Selection&, const Selection&) = default;
};
// The values with which its effect draws such a frame: gpu::used_arguments(); none where it has no effect.
gpu::Arguments used_effect_arguments(const Selection& selection, gpu::Size frame);
// Whether it compares two pictures by a wipe between them; else it has one picture, or their difference.
inline bool is_wipe(const Selection& selection) {
  return !selection.sides.empty() && selection.composition.mode == Composition::Mode::wipe;
}
// Whether measurements of both belong to the same statistics. The position of an effect (its parameters x and y) and that of
// a wipe do not count: what follows the mouse would reset the statistics with every frame. An amplification counts only where
// differences are shown.
bool same_work(const Selection& a, const Selection& b);
// With its sides, where the settings compare what `device` can compute: why_not_compared(). Throws gpu::ArgumentError,
// or std::invalid_argument for an unknown name (it suggests the nearest one).
Selection make_selection(const Settings& settings, gpu::Device device);
// Whether an effect draws in gray because nobody chose whether it does: the device is too slow for colours.
bool draws_gray_for_speed(const Selection& selection, const Settings& settings);
// Of users' files, what it and its sides run, each once; empty: all of it is built in.
std::vector<const gpu::KernelVersion*> user_kernels_of(const Selection& selection);
// The same with the program's usual algorithm in place of a user's, and no effect in place of a user's.
Selection without_user_kernels(Selection selection);
// Whether the picture is the frame before the effect, and nothing beside it.
bool shows_original(const Selection& selection);
// The same table, and the source itself as the picture: not compared, with effect `none`.
Selection without_effect(Selection selection);
// The settings to remember where what they choose was refused: of the algorithms and effects that they choose, they have the
// parameters that `used`, the selection in use, has; of those that it does not use, the ones of `before`.
Settings without_refused(Settings settings, const Selection& used, const Settings& before);

struct DeviceDecision {
  gpu::Device device = gpu::Device::host;
  std::string warning;  // one line if the requested device is missing
};

// `required`: the user requested the device for this run, so that a missing GPU (or simulated GPU) ends the program
// (ExitError, no_gpu). Otherwise (it is in the settings file) the host takes over, with a warning.
DeviceDecision choose_device(const Settings& settings, const gpu::GpuProbe& probe, bool required);

// The fastest algorithm that was measured for frames on this GPU, launch by launch. Their size is not known yet: of 1920x1080.
std::string first_cuda_algorithm(const gpu::GpuInfo& gpu, const gpu::Tuned& tuned);

// The line for a user who requests CUDA on a machine without it: the cause, and what else there is.
std::string no_cuda_text(const std::string& why);

// The line for a user who chooses a CUDA algorithm that the simulated GPU cannot run.
std::string not_simulated_text(const gpu::SatAlgorithm& algorithm);

// The arguments that the settings choose for it. Throw gpu::ArgumentError.
gpu::Arguments arguments_of(const gpu::SatAlgorithm& algorithm, const Settings& settings);
gpu::Arguments arguments_of(const gpu::Effect& effect, const Settings& settings);

// The file that a value of such a parameter (Kind::file) names; empty: it needs none. Throws gpu::ArgumentError where there is
// no such file.
std::filesystem::path file_of(const gpu::Parameter& parameter, std::string_view value);

// The files that parameters name, as far as they are there: no result may replace them. Of settings: those of every effect,
// which may be chosen while the program runs. Throws gpu::ArgumentError.
std::vector<std::filesystem::path> files_of(const gpu::Arguments& arguments);
std::vector<std::filesystem::path> files_of(const Settings& settings);

// Throws std::invalid_argument for an unknown name.
const gpu::Effect& chosen_effect(const Settings& settings);
// The algorithm that `settings` choose for `device`; the simulated GPU shares the choice with CUDA. Throws
// std::invalid_argument for a name that `device` does not have.
const gpu::SatAlgorithm& chosen_algorithm(const Settings& settings, gpu::Device device);

// Arguments of an algorithm or an effect, as files and the window show them.
std::string with_arguments(std::string_view name, const gpu::Arguments& arguments);  // "1r1w_skss_lb W=64 m=4"
// What numbers stand under: the name, of a user's kernel with the number of its version, "mine.3".
std::string numbered_name(const gpu::SatAlgorithm& algorithm);
std::string numbered_name(const gpu::Effect& effect);
nlohmann::ordered_json json_of(const gpu::Arguments& arguments);  // {"W": "64", "m": "4"}

// The settings that a source depends on.
capture::Request request_of(const Settings& settings, bool page_locked);
// The reverse; how it plays stays as it is set.
void put_request(const capture::Request& request, Settings& settings);

// "cuda 2r1w W=32, box_blur window=15x15"; of a comparison "cuda A: original; B: 2r1w W=32, box_blur window=15x15; wipe"
// `frame`: the size on which values that are automatic depend.
std::string text_of(const Selection& selection, gpu::Size frame);

// Comparison: which two pictures are compared, as a user names them. A side is `original` (the frame before the effect, in
// colour), `result` (what the settings choose), or the name of an algorithm or an effect: the result with that in place of
// its own; an effect may have a value of its own (app/control/side_value.h).
inline constexpr std::string_view original_side = "original", result_side = "result", no_comparison = "off";
inline constexpr std::string_view accepted_sides =
    "two sides A,B, each original, result, or the name of an algorithm or an effect, such as faces or "
    "faces.cascade=lbp_frontalface; or off";

std::string title_of_side(std::string_view name);  // as menus and pictures show it: "Original", an effect's title
// A path of the timeline with such titles: "B: Box blur/luma" for "B: box_blur/luma"; a kernel that is called as its effect
// has the effect's, and where its side is called so, too, that is said once: "B: Box blur" for "B: box_blur/box blur".
std::string title_of_path(std::string_view path);

// "A,B", or "off". Throw std::invalid_argument with one line, which suggests the nearest name.
Sides sides_from_text(std::string_view text);
std::string text_of(const Sides& sides);

// Why `name` cannot be a side on `device`, and what to do, one line; empty if it can.
std::string why_no_side(std::string_view name, gpu::Device device);
// Why the two sides of the settings cannot be compared; empty if they can, or if nothing is compared.
std::string why_not_compared(const Settings& settings, gpu::Device device);

// The values of each column of a picture: a wipe may show the table at one side only. Never CellValues::automatic.
struct CellColumns {
  CellColumns(CellValues all = CellValues::rgb) : left(all), right(all) {}
  CellColumns(CellValues left, CellValues right, int edge) : left(left), right(right), edge(edge) {}
  CellValues at(int x) const { return x < edge ? left : right; }

  CellValues left, right;
  int edge = 0;  // the first column of `right`
};

// What `choice` means for a picture `width` pixels wide that was made with `in_use`; `wipe`: where the line is now.
CellColumns resolved(CellValues choice, const Selection& in_use, double wipe, int width);
}  // namespace app
