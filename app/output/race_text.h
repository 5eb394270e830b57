// A race as JSON, as CSV and as a table for the terminal.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "app/pipeline/race_figures.h"

namespace app {

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
