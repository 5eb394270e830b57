#include "app/output/race_figures.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/files.h"
#include "app/support/text.h"

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

bool is_equal(const RaceRow& row) { return row.check == RaceRow::Check::equal && row.problem.empty(); }

std::string effect_cell(const RaceFigures& race, const RaceRow& row) {
  const auto cost = race.effect_cost(row);
  return cost > 0 ? short_number(cost) : "";
}

// Algorithms without a result: those that cannot take part, those that failed, and those whose turn has not come.
std::vector<RaceFigures::Absent> without_result(const RaceFigures& race) {
  auto all = race.absent;
  for (const auto& row : race.rows)
    if (row.runs == 0 && !row.bound) all.push_back({row.label, row.problem.empty() ? "it has not run yet" : row.problem});
  return all;
}

std::string unfinished(const RaceFigures& race) {
  return "not finished: " + std::to_string(race.runs) + " of " + std::to_string(race.runs_wanted) + " runs";
}

// One line for all that are absent for the same reason: on the CPU, most are.
std::string absent_text(const RaceFigures& race) {
  constexpr std::size_t most_named = 3;
  const auto absent = without_result(race);
  std::map<std::string_view, std::vector<std::string_view>> names;
  for (const auto& one : absent) names[one.why].push_back(one.name);
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
              {"equal", is_equal(row)},
              {"runs", row.runs},
              {"least_us", thousandths(row.least_us)}};
    if (race.effect) {
      const bool timed = row.effect_runs > 0;
      item["effect_us"] = timed ? json(thousandths(row.effect_us)) : json(nullptr);
      item["effect_least_us"] = timed ? json(thousandths(row.effect_least_us)) : json(nullptr);
      item["effect_runs"] = row.effect_runs;
      item["effect_bytes_per_pixel"] = thousandths_or_null(row.effect_bytes_per_pixel);
    }
    if (row.version > 0) item["version"] = row.version;
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

json race_effect_json(const RaceFigures& race) {
  if (!race.effect) return nullptr;
  json object{{"name", race.effect->name}, {"parameters", json_of(race.effect_arguments)}};
  if (!race.effect_problem.empty()) object["problem"] = race.effect_problem;
  return object;
}

std::string effect_worth(const RaceFigures& race, std::string_view us) {
  if (!race.effect) return {};
  const std::string title(race.effect->title);
  if (!race.effect_problem.empty()) return title + ": not timed: " + race.effect_problem;
  const auto [least, most] = race.effect_range();
  if (!least) return {};
  const auto from = race.effect_cost(*least), to = race.effect_cost(*most);
  const auto first = short_number(from), last = short_number(to), worth = short_number(to - from);
  if (race.by_traffic())
    return title + ": tables from " + first + " bytes per pixel with " + least->label + " to " + last + " with " +
           most->label + ": the choice is worth " + worth;
  const auto unit = ' ' + std::string(us);
  return title + ": from " + first + unit + " with " + least->label + " to " + last + unit + " with " + most->label +
         ": the choice is worth " + worth + unit + " per frame";
}

std::string race_json(const RaceFigures& race) {
  auto absent = json::array();
  for (const auto& one : without_result(race)) absent.push_back({{"name", one.name}, {"because", one.why}});
  json object{{"program", "satscope " SATSCOPE_VERSION},
              {"device", gpu::name(race.device)},
              {"source", race.source},
              {"size", {race.size.width, race.size.height}},
              {"type", "8u32u"},
              {"ranked_by", race.by_traffic() ? "bytes_per_pixel, then sectors_per_pixel" : "us"},
              {"finished", race.finished},
              {"race", race_rows_json(race)},
              {"race_bound", race_bound_json(race)},
              {"absent", std::move(absent)}};
  if (race.effect) object["race_effect"] = race_effect_json(race);
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string race_csv(const RaceFigures& race) {
  std::ostringstream out;
  const auto number = [](const std::optional<double>& value) {
    return value ? json(thousandths(*value)).dump() : std::string();
  };
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << gpu::name(race.device) << "\n# source: " << race.source
      << "\n# size: " << text_of(race.size) << "\n# type: 8u32u\n";
  if (!race.finished) out << "# " << unfinished(race) << '\n';
  if (!race.bound.empty()) out << "# over_bound: us divided by that of " << race.bound << '\n';
  if (race.by_traffic()) out << "# ranked by: bytes_per_pixel, then sectors_per_pixel; us are the CPU's\n";
  if (race.effect) {
    out << "# effect: " << with_arguments(race.effect->name, race.effect_arguments) << '\n';
    if (const auto worth = effect_worth(race); race.finished && !worth.empty()) out << "# " << worth << '\n';
  }
  out << "name,parameters,us,over_bound,gb_per_s,equal,runs,least_us,bytes_per_pixel,sectors_per_pixel"
      << (race.effect ? ",effect_us,effect_least_us,effect_runs,effect_bytes_per_pixel\n" : "\n");
  for (const auto& row : race.rows) {
    if (row.runs == 0) continue;
    const auto equal = row.bound ? "" : is_equal(row) ? "1" : "0";
    out << csv_cell(row.numbered_name()) << ',' << csv_cell(text_of(row.arguments)) << ',' << number(row.us) << ','
        << number(row.over_bound) << ',' << number(row.gb_per_s) << ',' << equal << ',' << row.runs << ','
        << number(row.least_us) << ',' << number(row.bytes_per_pixel) << ',' << number(row.sectors_per_pixel);
    if (race.effect) {
      const auto timed = [&](double us) { return row.effect_runs > 0 ? number(us) : ""; };
      out << ',' << timed(row.effect_us) << ',' << timed(row.effect_least_us) << ',' << row.effect_runs << ','
          << number(row.effect_bytes_per_pixel);
    }
    out << '\n';
  }
  return out.str();
}

std::string race_table(const RaceFigures& race) {
  std::string text = "Race on " + text_of(race.size) + ", 8u32u, " + device_words(gpu::name(race.device)) + "\n";
  if (race.by_traffic()) (text += why_by_traffic) += '\n';
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : race.rows) {
    if (row.runs == 0) continue;
    const auto us = row.runs > 0 ? short_number(row.us) : "", runs = std::to_string(row.runs);
    auto& cells = rows.emplace_back();
    if (race.by_traffic())
      cells = {row.label, cell(row.bytes_per_pixel), cell(row.sectors_per_pixel), us};
    else
      cells = {row.label, us, cell(row.over_bound), cell(row.gb_per_s)};
    if (race.effect) cells.push_back(effect_cell(race, row));
    cells.insert(cells.end(), {runs, check_text(row)});
  }
  const std::string over = race.bound.empty() ? "over" : "over " + race.bound;
  using Columns = std::vector<TextColumn>;
  auto columns = race.by_traffic()
                     ? Columns{{{"", ""}}, {{"bytes", "per pixel"}}, {{"sectors", "per pixel"}}, {{"CPU", "us"}}}
                     : Columns{{{"", ""}}, {{"", "us"}}, {{over, "x"}}, {{"", "GB/s"}}};
  if (race.effect) columns.push_back({{std::string(race.effect->title), race.by_traffic() ? "bytes/pixel" : "us"}});
  columns.insert(columns.end(), {{{"", "runs"}}, {{"", "table"}}});
  text += '\n' + text_table(columns, rows);
  if (const auto worth = effect_worth(race); !worth.empty()) text += worth + '\n';
  text += absent_text(race);
  if (race.device == gpu::Device::host) text += "--device simulated races those that run on the simulated GPU\n";
  return text;
}

void export_race(const std::filesystem::path& path, const RaceFigures& race) {
  write_file(path, path.extension() == ".csv" ? race_csv(race) : race_json(race));
}

}  // namespace app
