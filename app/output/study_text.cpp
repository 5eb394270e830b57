#include "app/output/study_text.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/output/race_figures.h"
#include "app/support/files.h"
#include "app/support/text.h"

namespace app {
namespace {

using nlohmann::ordered_json;

std::string state_words(const StudyFigures& study) {
  if (study.finished) return study.end.empty() ? "every size was measured" : "no larger size: " + study.end;
  return "not finished: " + counted(study.sizes.size(), "size") + " of " + std::to_string(study.sizes_wanted);
}

// Names of the algorithms that were measured, the best at the largest size first, then those that reach smaller sizes only.
std::vector<std::string> measured_algorithms(const StudyFigures& study) {
  std::vector<std::string> names;
  for (auto race = study.sizes.rbegin(); race != study.sizes.rend(); ++race)
    for (const auto& row : race->rows)
      if (!row.bound && measured_row(*race, row.name) && std::ranges::find(names, row.name) == names.end())
        names.push_back(row.name);
  return names;
}

}  // namespace

std::string study_sentence(const StudyFigures& study) {
  const auto answer = answer_of(study);
  if (answer.algorithm.empty()) return {};
  const bool traffic = study.device == gpu::Device::simulated;
  const auto where = answer.everywhere ? std::string(" at every size") : " from " + text_of(answer.from) + " on";
  const auto how = answer.times > 0 ? ": " + short_number(answer.times) + " times" : "";
  return answer.algorithm + (traffic ? " moves least memory" : " is nearest to the bound") + where + how +
         (traffic ? " what a table needs" : "");
}

std::string study_json(const StudyFigures& study) {
  ordered_json sizes = ordered_json::array();
  for (const auto& race : study.sizes) sizes.push_back(ordered_json::parse(race_json(race)));
  for (auto& size : sizes)
    for (const auto* same : {"program", "source", "device", "type", "finished"}) size.erase(same);
  const ordered_json object{{"program", "satscope " SATSCOPE_VERSION},
                            {"device", gpu::name(study.device)},
                            {"source", "random pixels"},
                            {"type", "8u32u"},
                            {"finished", study.finished},
                            {"no_larger_size", study.end},
                            {"says", study_sentence(study)},
                            {"sizes", std::move(sizes)}};
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string study_csv(const StudyFigures& study) {
  std::ostringstream out;
  const auto number = [](const std::optional<double>& value) {
    return value ? ordered_json(std::round(*value * 1000) / 1000).dump() : std::string();
  };
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << gpu::name(study.device)
      << "\n# source: random pixels\n# type: 8u32u\n# " << state_words(study) << '\n';
  if (study.device == gpu::Device::simulated) out << "# us are the CPU's\n";
  out << "width,height,name,parameters,us,over_bound,gb_per_s,equal,runs,least_us,bytes_per_pixel\n";
  for (const auto& race : study.sizes)
    for (const auto& row : race.rows) {
      if (row.runs == 0) continue;
      const bool equal = row.check == RaceRow::Check::equal && row.problem.empty();
      out << race.size.width << ',' << race.size.height << ',' << csv_cell(row.numbered_name()) << ','
          << csv_cell(text_of(row.arguments)) << ',' << number(row.us) << ',' << number(row.over_bound) << ','
          << number(row.gb_per_s) << ','
          << (row.bound ? ""
              : equal   ? "1"
                        : "0")
          << ',' << row.runs << ',' << number(row.least_us) << ',' << number(row.bytes_per_pixel) << '\n';
    }
  return out.str();
}

std::string study_table(const StudyFigures& study) {
  const bool traffic = study.device == gpu::Device::simulated;
  std::string text = "Study over sizes, 8u32u, " + device_words(gpu::name(study.device)) + ", " +
                     (traffic ? "bytes per pixel" : "us") + "\n\n";
  std::vector<TextColumn> columns{{{"", ""}}};
  for (const auto& race : study.sizes) columns.push_back({{"", text_of(race.size)}});
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& name, auto cost_at) {
    auto& cells = rows.emplace_back(1, name);
    for (const auto& race : study.sizes) {
      const double cost = cost_at(race);
      cells.push_back(cost > 0 ? short_number(cost) : "");
    }
  };
  if (!traffic && !study.sizes.empty())
    add(study.sizes.front().bound, [](const RaceFigures& race) {
      const auto at = std::ranges::find(race.rows, race.bound, &RaceRow::label);
      return at == race.rows.end() ? 0 : race.cost(*at);
    });
  for (const auto& name : measured_algorithms(study))
    add(name, [&](const RaceFigures& race) {
      const auto* row = measured_row(race, name);
      return row ? race.cost(*row) : 0;
    });
  text += text_table(columns, rows);
  if (const auto says = study_sentence(study); !says.empty()) text += '\n' + says + '\n';
  return text + state_words(study) + '\n';
}

void export_study(const std::filesystem::path& path, const StudyFigures& study) {
  write_file(path, path.extension() == ".csv" ? study_csv(study) : study_json(study));
}

}  // namespace app
