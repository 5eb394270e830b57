#include "app/output/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "app/control/names.h"
#include "app/support/files.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

struct Distribution {
  double mean = 0, p50 = 0, p90 = 0, p99 = 0, max = 0;
};

Distribution distribution(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  // Nearest rank, as the timeline counts.
  const auto rank = [&](double fraction) {
    const auto n = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
    return values[std::clamp<std::size_t>(n, 1, values.size()) - 1];
  };
  return {std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), rank(0.5), rank(0.9),
          rank(0.99), values.back()};
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
  for (const auto& parameter : arguments.parameters())
    object[std::string(parameter.name)] = arguments.text(parameter.name);
  return object;
}

double frames_per_second(const Report& report) {
  return report.seconds > 0 ? static_cast<double>(report.frame_ms.size()) / report.seconds : 0;
}

// Of CSV: quoted where it must be.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string arguments_text(const gpu::Arguments& arguments) {
  std::string text;
  for (const auto& parameter : arguments.parameters())
    text += ' ' + std::string(parameter.name) + '=' + arguments.text(parameter.name);
  return text;
}

}  // namespace

std::string report_json(const Report& report) {
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
              {"interop", report.interop},
              {"staged_reason", report.staged_reason},
              {"frames", report.frames},
              {"dropped", report.dropped},
              {"fps", std::round(frames_per_second(report) * 100) / 100},
              {"frame_ms", statistics(distribution(report.frame_ms))},
              {"work_ms", statistics(distribution(report.work_ms))},
              {"kernels_total_us", statistics(report.total)}};
  auto& kernels = object["kernels"] = json::array();
  for (const auto& row : report.kernels) {
    json kernel{{"name", row.name}, {"launches", row.launches}};
    kernel.update(statistics(row));
    kernels.push_back(std::move(kernel));
  }
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string report_csv(const Report& report) {
  std::ostringstream out;
  const auto& selection = report.selection;
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << report.device << "\n# driver: " << report.driver
      << "\n# source: " << report.source << "\n# size: " << text_of(report.size) << "\n";
  if (selection.algorithm)
    out << "# algorithm: " << selection.algorithm->name << arguments_text(selection.algorithm_arguments) << "\n";
  if (selection.effect) out << "# effect: " << selection.effect->name << arguments_text(selection.effect_arguments) << "\n";
  if (report.simulated) out << "# simulated: the kernels' times are the CPU's, not a GPU's\n";
  out << "# frames: " << report.frames << ", dropped: " << report.dropped << ", fps: " << frames_per_second(report)
      << "\nname,launches,mean_us,p50_us,p90_us,p99_us,max_us\n";
  const auto line = [&](const std::string& name, double launches, const auto& row, double unit) {
    out << cell(name) << ',' << launches << ',' << row.mean * unit << ',' << row.p50 * unit << ',' << row.p90 * unit
        << ',' << row.p99 * unit << ',' << row.max * unit << '\n';
  };
  line("frame", 1, distribution(report.frame_ms), 1000);
  line("main thread", 1, distribution(report.work_ms), 1000);
  line("all kernels", 1, report.total, 1);
  for (const auto& row : report.kernels) line(row.name, row.launches, row, 1);
  return out.str();
}

void export_report(const std::filesystem::path& path, const Report& report) {
  write_file(path, path.extension() == ".csv" ? report_csv(report) : report_json(report));
}

}  // namespace app
