// A study as JSON, as CSV and as a table for the terminal.
#pragma once

#include <filesystem>
#include <string>

#include "app/output/study_figures.h"

namespace app {

// What the study says, one sentence: "row_waves is nearest to the bound from 4096x4096 on: 1.2 times". Empty while nothing was
// measured.
std::string study_sentence(const StudyFigures& study);
std::string study_json(const StudyFigures& study);   // an object; its member `sizes` has a race for each size
std::string study_csv(const StudyFigures& study);    // a row per size and algorithm; bounds too, in rows of their own
std::string study_table(const StudyFigures& study);  // lines for a terminal: a row per algorithm, a column per size

// Writes JSON or CSV, by the ending of `path`. Throws std::runtime_error with one line.
void export_study(const std::filesystem::path& path, const StudyFigures& study);

}  // namespace app
