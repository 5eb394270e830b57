// RaceLanes: who takes part in a race: every algorithm of the device that can run, with the arguments that the settings choose, or
// with every combination of its parameters' choices; the bounds; and on the host OpenCV, a peer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/output/race_figures.h"
#include "gpu/choice/bounds.h"
#include "gpu/effect.h"
#include "gpu/image.h"
#include "gpu/sat.h"

namespace app {

struct RaceLane;

// The effect in use as a race measures it, where the algorithm computes more for it than the frame's own table: the levels of a
// pyramid, channels, later passes.
struct RaceEffect {
  // That the chosen algorithm computes besides the frame's own.
  struct Table {
    gpu::Size size;
    gpu::SatType type;
    friend bool operator==(const Table&, const Table&) = default;
  };
  const gpu::Effect* effect = nullptr;  // null: none
  gpu::Arguments arguments;
  std::vector<Table> tables;

  friend bool operator==(const RaceEffect&, const RaceEffect&) = default;
};

// The effect of the selection with its tables. Without any, it is none: every algorithm draws it in the same time. Throws what
// the effect does for arguments that do not fit.
RaceEffect race_effect(const Selection& selection, gpu::Size size);
// Bytes of global memory that the lane's threads request for these tables, per pixel of the frame; none where nobody counts them.
std::optional<double> effect_bytes_per_pixel(const RaceEffect& effect, const RaceLane& lane, gpu::Device device,
                                             gpu::Size size);

// A function of another library, timed and checked beside the program's algorithms. It is none of them: nothing else runs it.
struct RacePeer {
  std::string_view name;
  // Computes on the host. `table` is one column and one row larger than the image: the first ones become zeros, and the others
  // the table modulo 2^32. Throws what the library does.
  void (*run)(gpu::ImageView<const std::uint8_t> image, gpu::ImageView<std::uint32_t> table);
};
// cv::integral, on as many threads as OpenCV takes.
extern const RacePeer opencv_peer;

struct RaceLane {
  const gpu::SatAlgorithm* algorithm = nullptr;  // or
  const gpu::Bound* bound = nullptr;             // one of gpu::bounds(), or
  gpu::Arguments arguments;
  std::string label;               // as RaceRow::label
  const RacePeer* peer = nullptr;  // such a function

  std::string name() const { return std::string(algorithm ? algorithm->name : peer ? peer->name : bound->name); }
  friend bool operator==(const RaceLane&, const RaceLane&) = default;
};

struct RaceLanes {
  std::vector<RaceLane> lanes;  // the bounds first
  std::vector<RaceFigures::Absent> absent;
  RaceEffect effect = {};           // which every algorithm also draws
  std::string effect_problem = {};  // why it is not drawn, one line

  bool has_algorithms() const {
    return std::ranges::any_of(lanes, [](const RaceLane& lane) { return lane.algorithm != nullptr; });
  }
};
// On the selection's device, without an effect. Throws gpu::ArgumentError for values in the settings that a parameter does not have.
RaceLanes table_lanes(const Selection& selection, gpu::Size size, const Settings& settings);
// The same with its effect. Throws gpu::ArgumentError for values in the settings that a parameter does not
// have, and what the effect does for arguments that do not fit.
RaceLanes race_lanes(const Selection& selection, gpu::Size size, const Settings& settings);
// The bound over which times are stated, alone. None on the simulated GPU.
RaceLanes bound_lane(const Selection& selection, gpu::Size size, const Settings& settings);

inline constexpr auto race_type = gpu::SatType::u8_u32;  // as of every picture

}  // namespace app
