// The timings of a run, as JSON or CSV; and single values of them.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/capture/capture.h"
#include "app/control/change.h"
#include "app/control/selection.h"
#include "app/output/race_figures.h"
#include "app/output/study_figures.h"
#include "app/pipeline/frame_figures.h"
#include "gpu/cuda/device.h"

namespace app {

// Everything an export says: kernel times in microseconds, frame times in milliseconds, all of the same frames.
struct Report {
  std::string device;      // "NVIDIA H200", or the processor's name
  std::string driver;      // CUDA versions, or "CPU, 2 threads"
  bool simulated = false;  // the kernels ran on the simulated GPU: their times are the CPU's
  std::string source;      // as described by the source
  gpu::Size size;
  Selection selection;
  FrameFigures figures;            // of the frames since the work last changed, or of a range of them
  bool is_range = false;           // the user selected them
  std::optional<double> bound_us;  // of the algorithm's time at that size; nullopt where it was not measured
  bool interop = false;
  std::string staged_reason;
  RaceFigures race;    // without rows that ran: there was none
  StudyFigures study;  // likewise, without sizes
};

std::string report_json(const Report& report);
nlohmann::ordered_json report_values(const Report& report);  // the same as a document
// One row per kernel; the rows "frame" (wall time), "main thread", "all kernels", "transfers", "waiting" and "far above usual"
// come first, those of groups of kernels last. Lines that start with # hold the rest.
std::string report_csv(const Report& report);

// Writes JSON or CSV, by the ending of `path`. Throws std::runtime_error with one line.
void export_report(const std::filesystem::path& path, const Report& report);

// What scripts call `source`. `problem`: why the source that was asked for last could not be opened; else empty. `drops`: of
// frames that have no picture.
nlohmann::ordered_json source_json(const capture::Status& source, double position, bool paused, const std::string& problem,
                                   const capture::Drops& drops);
// What a script asks for by paths, one line of JSON: values of `report`, which has everything that is exported, the source and
// the race, and of the settings: what both have is that in use, "settings.device" is the setting. A path is "fps", "size.0",
// "kernels.2r1w.p50": what is in a list has its number, from 0 on, and its "name"; groups are also found among the kernels. In
// a list that has nothing yet it is null, where it can come. Throws std::invalid_argument with one line.
std::string answer_of(const nlohmann::ordered_json& report, std::span<const std::string> paths, const Settings& settings,
                      const ChangeContext& context);
// Before a run: throws the same where a path leads to no value whatever the run makes.
void check_asked(std::span<const std::string> paths, const Settings& settings, const ChangeContext& context);

}  // namespace app
