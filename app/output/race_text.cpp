#include "app/output/race_text.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/control/arguments_text.h"
#include "app/control/window_words.h"
#include "app/output/csv_cell.h"
#include "app/support/files.h"
#include "app/support/size_text.h"
#include "app/support/text_table.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

double thousandths(double value) { return std::round(value * 1000) / 1000; }

json thousandths_or_null(const std::optional<double>& value) { return value ? json(thousandths(*value)) : json(nullptr); }

std::string cell(const std::optional<double>& value) { return value ? short_number(*value) : std::string(); }

std::string check_text(const RaceRow& row) {
  if (!row.problem.empty()) return row.problem;
  if (row.bound) return "bound";
  return row.check == RaceRow::Check::equal ? "equal" : "";
}

// One line for all that are absent for the same reason: on the CPU, most are.
std::string absent_text(const RaceFigures& race) {
  constexpr std::size_t most_named = 3;
  std::map<std::string_view, std::vector<std::string_view>> names;
  for (const auto& one : race.absent) names[one.why].push_back(one.name);
  std::string text = names.empty() ? "" : "\nnot in the race:\n";
  for (const auto& [why, all] : names) {
    std::string who;
    for (const auto name : all) (who += who.empty() ? "" : ", ") += name;
    if (all.size() > most_named) who = std::to_string(all.size()) + " algorithms";
    text += "  " + who + ": " + std::string(why) + '\n';
  }
  return text;
}

}  // namespace

json race_rows_json(const RaceFigures& race) {
  auto rows = json::array();
  for (const auto& row : race.rows) {
    if (row.bound || row.runs == 0) continue;
    json item{{"name", row.name},
              {"parameters", json_of(row.arguments)},
              {"us", thousandths(row.us)},
              {"over_bound", thousandths_or_null(row.over_bound)},
              {"gb_per_s", thousandths_or_null(row.gb_per_s)},
              {"bytes_per_pixel", thousandths_or_null(row.bytes_per_pixel)},
              {"sectors_per_pixel", thousandths_or_null(row.sectors_per_pixel)},
              {"equal", row.check == RaceRow::Check::equal},
              {"runs", row.runs},
              {"least_us", thousandths(row.least_us)}};
    if (!row.problem.empty()) item["problem"] = row.problem;
    rows.push_back(std::move(item));
  }
  return rows;
}

json race_bound_json(const RaceFigures& race) {
  for (const auto& row : race.rows)
    if (row.bound && row.runs > 0 && row.label == race.bound) return {{"name", row.name}, {"us", thousandths(row.us)}};
  return nullptr;
}

std::string race_json(const RaceFigures& race) {
  auto absent = json::array();
  for (const auto& one : race.absent) absent.push_back({{"name", one.name}, {"because", one.why}});
  const json object{{"program", "satscope " SATSCOPE_VERSION},
                    {"device", gpu::name(race.device)},
                    {"source", race.source},
                    {"size", {race.size.width, race.size.height}},
                    {"type", "8u32u"},
                    {"ranked_by", race.by_traffic() ? "bytes_per_pixel, then sectors_per_pixel" : "us"},
                    {"race", race_rows_json(race)},
                    {"race_bound", race_bound_json(race)},
                    {"absent", std::move(absent)}};
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string race_csv(const RaceFigures& race) {
  std::ostringstream out;
  const auto number = [](const std::optional<double>& value) {
    return value ? json(thousandths(*value)).dump() : std::string();
  };
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << gpu::name(race.device) << "\n# source: " << race.source
      << "\n# size: " << text_of(race.size) << "\n# type: 8u32u\n";
  if (!race.bound.empty()) out << "# over_bound: us divided by that of " << race.bound << '\n';
  if (race.by_traffic()) out << "# ranked by: bytes_per_pixel, then sectors_per_pixel; us are the CPU's\n";
  out << "name,parameters,us,over_bound,gb_per_s,equal,runs,least_us,bytes_per_pixel,sectors_per_pixel\n";
  for (const auto& row : race.rows) {
    if (row.runs == 0) continue;
    const auto equal = row.bound ? "" : row.check == RaceRow::Check::equal ? "1" : "0";
    out << csv_cell(row.name) << ',' << csv_cell(text_of(row.arguments)) << ',' << number(row.us) << ','
        << number(row.over_bound) << ',' << number(row.gb_per_s) << ',' << equal << ',' << row.runs << ','
        << number(row.least_us) << ',' << number(row.bytes_per_pixel) << ',' << number(row.sectors_per_pixel) << '\n';
  }
  return out.str();
}

std::string race_table(const RaceFigures& race) {
  std::string text = "Race on " + text_of(race.size) + ", 8u32u, " + device_words(gpu::name(race.device)) + "\n";
  if (race.by_traffic()) (text += why_by_traffic) += '\n';
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : race.rows) {
    if (row.runs == 0 && row.problem.empty()) continue;
    const auto us = row.runs > 0 ? short_number(row.us) : "", runs = std::to_string(row.runs);
    if (race.by_traffic())
      rows.push_back({row.label, cell(row.bytes_per_pixel), cell(row.sectors_per_pixel), us, runs, check_text(row)});
    else
      rows.push_back({row.label, us, cell(row.over_bound), cell(row.gb_per_s), runs, check_text(row)});
  }
  const std::string over = race.bound.empty() ? "over" : "over " + race.bound;
  using Columns = std::vector<TextColumn>;
  text += '\n' +
          text_table(race.by_traffic()
                         ? Columns{{{"", ""}},
                                   {{"bytes", "per pixel"}},
                                   {{"sectors", "per pixel"}},
                                   {{"CPU", "us"}},
                                   {{"", "runs"}},
                                   {{"", "table"}}}
                         : Columns{{{"", ""}}, {{"", "us"}}, {{over, "x"}}, {{"", "GB/s"}}, {{"", "runs"}}, {{"", "table"}}},
                     rows);
  text += absent_text(race);
  if (race.device == gpu::Device::host) text += "--device simulated races those that run on the simulated GPU\n";
  return text;
}

void export_race(const std::filesystem::path& path, const RaceFigures& race) {
  write_file(path, path.extension() == ".csv" ? race_csv(race) : race_json(race));
}

}  // namespace app
