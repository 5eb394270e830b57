// RaceFigures: what a race has measured so far, as plain data for the panel; and the same as JSON, as CSV and as a table for the
// terminal.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/device.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace app {

// What algorithms' times are compared with for the picture's size: that of gpu/choice/bounds.h.
struct BoundTime {
  double us = 0;  // the median of `runs`
  std::string_view name;
  int runs = 0;
};

// One algorithm with its arguments, a bound, or another library's function.
struct RaceRow {
  enum class Check { none, equal, wrong };  // of its tables, with the reference; none: not checked yet

  std::string name;  // of the algorithm, of the bound, or of the library
  std::string
      label;  // "2r1w"; "mine.3" of a user's kernel; "2r1w W=64" where the race has several of that name. No two rows have the same.
  gpu::Arguments arguments;
  bool bound = false;
  int version = 0;                    // of a user's kernel; 0: it is built in
  bool peer = false;                  // of another library: it is timed and checked, and cannot be chosen
  int runs = 0;                       // timed
  double us = 0, least_us = 0;        // median and minimum of the runs
  double lower_us = 0, upper_us = 0;  // their quartiles: half of the runs are between
  std::optional<double> over_bound;   // us divided by that of the bound; none on the simulated GPU
  // Gigabytes per second, of the bytes that its threads request (SatAlgorithm::traffic) or, where nobody counts them (on the
  // host, in libraries), of those that it must move at least; none for bounds, and on the simulated GPU.
  std::optional<double> gb_per_s;
  // On a GPU and the simulated one: what its threads request of global memory per pixel, exact for this size
  // (SatAlgorithm::traffic); none where nobody counts it.
  std::optional<double> bytes_per_pixel;
  // On the simulated GPU: accesses to 32 bytes of global memory, as its observed build counts them on the picture's upper left
  // part of at most RaceFigures::counted_side; none where it is not there, or has not counted yet.
  std::optional<double> sectors_per_pixel;
  // Where RaceFigures::effect is there: of the whole effect with this algorithm, as `runs`, `us` and `least_us` are of the table;
  // and what its threads request for the effect's tables, per pixel of the frame, as bytes_per_pixel.
  int effect_runs = 0;
  double effect_us = 0, effect_least_us = 0;
  std::optional<double> effect_bytes_per_pixel;
  Check check = Check::none;
  std::string problem;  // what is wrong with its table or the effect's result, or how it failed, one line; empty: nothing

  std::string numbered_name() const { return version > 0 ? name + '.' + std::to_string(version) : name; }
};

inline constexpr std::string_view why_by_traffic =
    "Ranked by the bytes of global memory that threads request, then by sectors of 32 bytes. Times are of the CPU that "
    "simulates: they say nothing about a GPU.";

struct RaceFigures {
  bool on = false;              // it was started and not stopped
  bool finished = false;        // every row has its runs
  bool earlier = false;         // finished, and what is shown now has another source, size or device
  bool earlier_device = false;  // likewise, and nothing but the device is another one
  gpu::Device device = gpu::Device::host;
  gpu::Size size;             // of the picture; {0,0}: there was no race
  std::string source;         // of the picture
  std::vector<RaceRow> rows;  // the best first: see by_traffic(); rows without a result come last
  std::string bound;          // the row by which the others are divided; empty: none
  int runs = 0, runs_wanted = 0;
  std::string problem;  // why there is no race though it was started, one line; empty if there is one
  // The effect that was in use, if the algorithm computes tables for it besides the frame's own: what it costs with each of them
  // is measured, too; on the simulated GPU counted. Else null.
  const gpu::Effect* effect = nullptr;
  gpu::Arguments effect_arguments;  // those that are used on such a picture
  std::string effect_problem;       // why it could not be measured, one line; empty: it was
  bool earlier_effect = false;      // the race is finished, and another effect is in use now, or with other values
  bool earlier_version = false;     // it does not run, and a user's kernel that took part was saved again since
  // Algorithms that cannot take part, and why, one line each.
  struct Absent {
    std::string name, why;
    // On the host, of one that the simulated GPU runs: RaceRow::bytes_per_pixel there, by its formula.
    std::optional<double> bytes_per_pixel = {};
  };
  std::vector<Absent> absent;

  bool running() const { return on && !finished; }
  // On the simulated GPU rows are ranked by bytes, then by sectors; elsewhere by time.
  bool by_traffic() const { return device == gpu::Device::simulated; }
  // What rows are ranked by, and bars show: bytes per pixel, or microseconds; 0 where it is not known.
  double cost(const RaceRow& row) const {
    return by_traffic() ? row.bytes_per_pixel.value_or(0) : row.runs > 0 ? row.us : 0;
  }

  // The same cost of the effect; 0 where there is none.
  double effect_cost(const RaceRow& row) const {
    return by_traffic() ? row.effect_bytes_per_pixel.value_or(0) : row.effect_runs > 0 ? row.effect_us : 0;
  }
  // The rows with which the effect costs least and most; null where that is not known of two rows whose results are right.
  struct EffectRange {
    const RaceRow *least = nullptr, *most = nullptr;
  };
  EffectRange effect_range() const {
    EffectRange range;
    for (const auto& row : rows) {
      const auto cost = effect_cost(row);
      if (cost <= 0 || !row.problem.empty()) continue;
      if (!range.least || cost < effect_cost(*range.least)) range.least = &row;
      if (!range.most || cost >= effect_cost(*range.most)) range.most = &row;
    }
    return range.least == range.most ? EffectRange() : range;
  }

  static constexpr int counted_side = 512;  // pixels
};

// What ran, the fastest first: [{"name", "parameters", "us", "over_bound", "gb_per_s", "equal", ...}, ...]; without the
// bounds.
nlohmann::ordered_json race_rows_json(const RaceFigures& race);
nlohmann::ordered_json race_bound_json(const RaceFigures& race);  // {"name", "us"}; null if there is none
// {"name", "parameters", ...}: of what the effect_us of the rows are; null if there is none
nlohmann::ordered_json race_effect_json(const RaceFigures& race);
// What the choice of the algorithm is worth for the effect, one line: "Faces: from 812 us with 1r1w_skss to ..."; or why that was
// not measured. Empty without an effect, and while it is not known. `us`: how microseconds are written.
std::string effect_worth(const RaceFigures& race, std::string_view us = "us");
// The race as an object of its own, with size, source, device, and who could not take part.
std::string race_json(const RaceFigures& race);
std::string race_csv(const RaceFigures& race);    // bounds too, in rows of their own
std::string race_table(const RaceFigures& race);  // lines for a terminal

// Writes JSON or CSV, by the ending of `path`. Throws std::runtime_error with one line.
void export_race(const std::filesystem::path& path, const RaceFigures& race);

}  // namespace app
