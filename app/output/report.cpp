#include "app/output/report.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/control/names.h"
#include "app/output/csv_cell.h"
#include "app/output/race_text.h"
#include "app/support/files.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

struct Figures {
  double mean, p50, p90, p99, max;
};

Figures figures_of(const Distribution& values, double unit) {
  return {values.mean() * unit, values.percentile(50) * unit, values.percentile(90) * unit, values.percentile(99) * unit,
          values.max() * unit};
}

template <class Row>
json statistics(const Row& row) {
  const auto rounded = [](double value) { return std::round(value * 1000) / 1000; };
  return {{"mean", rounded(row.mean)},
          {"p50", rounded(row.p50)},
          {"p90", rounded(row.p90)},
          {"p99", rounded(row.p99)},
          {"max", rounded(row.max)}};
}

json arguments_json(const gpu::Arguments& arguments) {
  auto object = json::object();
  for (const auto& parameter : arguments.parameters()) object[std::string(parameter.name)] = arguments.text(parameter.name);
  return object;
}

std::string arguments_text(const gpu::Arguments& arguments) {
  std::string text;
  for (const auto& parameter : arguments.parameters())
    text += ' ' + std::string(parameter.name) + '=' + arguments.text(parameter.name);
  return text;
}

// Null where nothing is compared.
json comparison_json(const Selection& selection) {
  if (selection.sides.empty()) return nullptr;
  return {{"a", selection.sides[0].name},
          {"b", selection.sides[1].name},
          {"mode", name_of(compare_mode_names, selection.composition.mode)}};
}

constexpr std::string_view kind_names[] = {"compute", "transfer", "wait"};

double points_per_frame(const FrameFigures& figures) {
  return figures.stages.frames() > 0 ? static_cast<double>(figures.points) / static_cast<double>(figures.stages.frames())
                                     : 0;
}

// What was timed, and what that cost.
json timing_json(const Report& report) {
  const auto& figures = report.figures;
  return {{"what", std::string(name_of(timing_names, report.selection.timing))},
          {"points_per_frame", points_per_frame(figures)},
          {"us_per_frame", statistics(figures_of(figures.timing_us, 1))},
          {"share_of_frame", std::round(figures.timing_share() * 1e5) / 1e5}};
}

}  // namespace

std::string report_json(const Report& report) {
  const auto& figures = report.figures;
  json object{{"program", "satscope " SATSCOPE_VERSION},
              {"device", report.device},
              {"driver", report.driver},
              {"simulated", report.simulated},
              {"source", report.source},
              {"size", {report.size.width, report.size.height}},
              {"algorithm", report.selection.algorithm ? std::string(report.selection.algorithm->name) : ""},
              {"algorithm_parameters", arguments_json(report.selection.algorithm_arguments)},
              {"effect", report.selection.effect ? std::string(report.selection.effect->name) : ""},
              {"effect_parameters", arguments_json(report.selection.effect_arguments)},
              {"compare", comparison_json(report.selection)},
              {"interop", report.interop},
              {"staged_reason", report.staged_reason},
              {"frames", figures.frames},
              {"untimed", figures.untimed},
              {"dropped", figures.dropped},
              {"checked", figures.checked},
              {"wrong", figures.wrong},
              {"fps", std::round(figures.fps() * 100) / 100},
              {"frame_ms", statistics(figures_of(figures.interval_us, 0.001))},
              {"work_ms", statistics(figures_of(figures.work_us, 0.001))},
              {"kernels_total_us", statistics(figures.stages.total())}};
  auto kernels = json::array(), groups = json::array();
  for (const auto& row : figures.stages.rows()) {
    json kernel{{"name", row.name}, {"launches", row.launches}};
    kernel["kind"] = std::string(kind_names[static_cast<std::size_t>(row.kind)]);
    kernel["share"] = std::round(row.share * 1e5) / 1e5;
    kernel.update(statistics(row));
    (row.leaf ? kernels : groups).push_back(std::move(kernel));
  }
  object["kernels"] = std::move(kernels);
  object["groups"] = std::move(groups);
  object["timing"] = timing_json(report);
  if (auto race = race_rows_json(report.race); !race.empty()) {
    object["race"] = std::move(race);
    object["race_bound"] = race_bound_json(report.race);
  }
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string report_csv(const Report& report) {
  std::ostringstream out;
  const auto& selection = report.selection;
  const auto& figures = report.figures;
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << report.device << "\n# driver: " << report.driver
      << "\n# source: " << report.source << "\n# size: " << text_of(report.size) << "\n";
  if (selection.algorithm)
    out << "# algorithm: " << selection.algorithm->name << arguments_text(selection.algorithm_arguments) << "\n";
  if (selection.effect) out << "# effect: " << selection.effect->name << arguments_text(selection.effect_arguments) << "\n";
  if (const auto& sides = selection.sides; !sides.empty())
    out << "# compare: " << sides[0].name << ',' << sides[1].name << ' '
        << name_of(compare_mode_names, selection.composition.mode) << "\n";
  out << "# timing: " << name_of(timing_names, selection.timing) << ", " << points_per_frame(figures) << " points and "
      << figures.timing_us.mean() << " us per frame, " << std::round(figures.timing_share() * 1e4) / 100
      << "% of the frame\n";
  if (report.simulated) out << "# simulated: the kernels' times are the CPU's, not a GPU's\n";
  out << "# frames: " << figures.frames << ", untimed: " << figures.untimed << ", dropped: " << figures.dropped
      << ", checked: " << figures.checked << ", wrong: " << figures.wrong << ", fps: " << figures.fps()
      << "\nname,launches,mean_us,p50_us,p90_us,p99_us,max_us\n";
  const auto line = [&](const std::string& name, double launches, const auto& row) {
    out << csv_cell(name) << ',' << launches << ',' << row.mean << ',' << row.p50 << ',' << row.p90 << ',' << row.p99 << ','
        << row.max << '\n';
  };
  line("frame", 1, figures_of(figures.interval_us, 1));
  line("main thread", 1, figures_of(figures.work_us, 1));
  line("all kernels", 1, figures.stages.total());
  for (const bool leaves : {true, false})
    for (const auto& row : figures.stages.rows())
      if (row.leaf == leaves) line(row.name, row.launches, row);
  return out.str();
}

void export_report(const std::filesystem::path& path, const Report& report) {
  write_file(path, path.extension() == ".csv" ? report_csv(report) : report_json(report));
}

}  // namespace app
