#include "app/output/report.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/capture/capture.h"
#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/output/race_figures.h"
#include "app/pipeline/frame_figures.h"
#include "app/support/address.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

struct Figures {
  std::uint64_t frames;
  double mean, p50, p90, p99, p999, max;  // microseconds
};

Figures figures_of(const Distribution& values) {
  return {values.count(),        values.mean(),        values.percentile(50), values.percentile(90),
          values.percentile(99), values.permille(999), values.max()};
}

enum class Unit { microseconds, milliseconds };

// All figures are whole nanoseconds.
template <class Row>
json statistics(const Row& row, Unit unit = Unit::microseconds) {
  const auto in_unit = [unit](double value) { return std::round(value * 1000) / (unit == Unit::microseconds ? 1e3 : 1e6); };
  return {{"frames", row.frames},    {"mean", in_unit(row.mean)},  {"p50", in_unit(row.p50)}, {"p90", in_unit(row.p90)},
          {"p99", in_unit(row.p99)}, {"p99.9", in_unit(row.p999)}, {"max", in_unit(row.max)}};
}

// The value as text without an exponent.
std::string plain(double value) {
  char text[400];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

double hundredths(double value) { return std::round(value * 100) / 100; }
json hundredths_or_null(const std::optional<double>& value) { return value ? json(hundredths(*value)) : json(nullptr); }

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

// What was timed, and the cost of the timing.
json timing_json(const Report& report) {
  const auto& figures = report.figures;
  return {{"what", std::string(name_of(timing_names, report.selection.timing))},
          {"points_per_frame", points_per_frame(figures)},
          {"us_per_frame", statistics(figures_of(figures.timing_us))},
          {"share_of_frame", std::round(figures.timing_share() * 1e5) / 1e5}};
}

json kernel_json(const StageRow& row, const KernelRates& rates) {
  json kernel{{"name", row.name}, {"launches", row.launches}};
  kernel["kind"] = std::string(kind_names[static_cast<std::size_t>(row.kind)]);
  kernel["share"] = std::round(row.share * 1e5) / 1e5;
  kernel.update(statistics(row));
  kernel["lost_frames"] = row.lost_frames;
  kernel["lost_us"] = row.lost_us;
  kernel["gb_per_s"] = hundredths_or_null(rates.gb_per_s);
  kernel["percent_of_bound"] = hundredths_or_null(rates.of_bound ? std::optional(*rates.of_bound * 100) : std::nullopt);
  return kernel;
}

void add_stages(json& object, const Report& report) {
  auto kernels = json::array(), groups = json::array();
  const auto rows = report.figures.stages.rows();
  const auto rates = kernel_rates(rows, report.figures, report.selection, report.size, report.bound_us);
  for (std::size_t i = 0; i < rows.size(); ++i) (rows[i].leaf ? kernels : groups).push_back(kernel_json(rows[i], rates[i]));
  object["kernels"] = std::move(kernels);
  object["groups"] = std::move(groups);
}

// Of a user's kernel; of what is built in there is none.
json version_json(const auto* kernel) { return kernel && kernel->version ? json(kernel->version->number) : json(); }

}  // namespace

json report_values(const Report& report) {
  const auto& figures = report.figures;
  json object{{"program", "satscope " SATSCOPE_VERSION},
              {"device", report.device},
              {"driver", report.driver},
              {"simulated", report.simulated},
              {"source", report.source},
              {"size", {report.size.width, report.size.height}},
              {"algorithm", report.selection.algorithm ? std::string(report.selection.algorithm->name) : ""},
              {"algorithm_version", version_json(report.selection.algorithm)},
              {"algorithm_parameters", json_of(report.selection.algorithm_arguments)},
              {"effect", report.selection.effect ? std::string(report.selection.effect->name) : ""},
              {"effect_version", version_json(report.selection.effect)},
              {"effect_parameters", json_of(used_effect_arguments(report.selection, report.size))},
              {"compare", comparison_json(report.selection)},
              {"interop", report.interop},
              {"staged_reason", report.staged_reason},
              {"frames", figures.frames},
              {"first_frame", figures.first},
              {"last_frame", figures.last},
              {"selected", report.is_range},
              {"untimed", figures.untimed},
              {"first_launches", figures.first_launches},
              {"dropped", figures.dropped},
              {"checked", figures.checked},
              {"wrong", figures.wrong},
              {"fps", hundredths(figures.fps())},
              {"low_1_percent_fps", hundredths(figures.low_fps(10))},
              {"low_0.1_percent_fps", hundredths(figures.low_fps(1))},
              {"frame_ms", statistics(figures_of(figures.interval_us), Unit::milliseconds)},
              {"work_ms", statistics(figures_of(figures.work_us), Unit::milliseconds)},
              {"kernels_total_us", statistics(figures.stages.total())},
              {"transfer_us", statistics(figures_of(figures.stages.transfers()))},
              {"waiting_us", statistics(figures_of(figures.stages.waiting()))},
              {"lost_us", statistics(figures_of(figures.lost_us))}};
  add_stages(object, report);
  object["timing"] = timing_json(report);
  // A race of another source, size or device is in its own export alone, which names them.
  if (auto race = race_rows_json(report.race); !race.empty() && !report.race.earlier) {
    object["race"] = std::move(race);
    object["race_finished"] = report.race.finished;
    object["race_bound"] = race_bound_json(report.race);
    if (report.race.effect) object["race_effect"] = race_effect_json(report.race);
  }
  return object;
}

std::string report_json(const Report& report) {
  return report_values(report).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string report_csv(const Report& report) {
  std::ostringstream out;
  const auto& selection = report.selection;
  const auto& figures = report.figures;
  out << "# satscope " SATSCOPE_VERSION "\n# device: " << report.device << "\n# driver: " << report.driver
      << "\n# source: " << report.source << "\n# size: " << text_of(report.size) << "\n";
  if (selection.algorithm)
    out << "# algorithm: " << with_arguments(numbered_name(*selection.algorithm), selection.algorithm_arguments) << "\n";
  if (selection.effect)
    out << "# effect: " << with_arguments(numbered_name(*selection.effect), used_effect_arguments(selection, report.size))
        << "\n";
  if (const auto& sides = selection.sides; !sides.empty())
    out << "# compare: " << sides[0].name << ',' << sides[1].name << ' '
        << name_of(compare_mode_names, selection.composition.mode) << "\n";
  out << "# timing: " << name_of(timing_names, selection.timing) << ", " << points_per_frame(figures) << " points and "
      << figures.timing_us.mean() << " us per frame, " << std::round(figures.timing_share() * 1e4) / 100
      << "% of the time\n";
  if (report.simulated) out << "# simulated: the kernels' times are the CPU's, not a GPU's\n";
  out << "# frames: " << figures.frames << " from " << figures.first << " to " << figures.last
      << (report.is_range ? ", selected" : "") << "; untimed: " << figures.untimed
      << ", first launches: " << figures.first_launches << ", dropped: " << figures.dropped
      << ", checked: " << figures.checked << ", wrong: " << figures.wrong << "\n# fps: " << hundredths(figures.fps())
      << ", 1% low: " << hundredths(figures.low_fps(10)) << ", 0.1% low: " << hundredths(figures.low_fps(1))
      << "\nname,frames,launches,mean_us,p50_us,p90_us,p99_us,p99.9_us,max_us\n";
  const auto line = [&](const std::string& name, double launches, const auto& row) {
    out << csv_cell(name) << ',' << row.frames << ',' << launches;
    for (const auto value : {row.mean, row.p50, row.p90, row.p99, row.p999, row.max}) out << ',' << plain(value);
    out << '\n';
  };
  line("frame", 1, figures_of(figures.interval_us));
  line("main thread", 1, figures_of(figures.work_us));
  line("all kernels", 1, figures.stages.total());
  line("transfers", 1, figures_of(figures.stages.transfers()));
  line("waiting", 1, figures_of(figures.stages.waiting()));
  line("far above usual", 1, figures_of(figures.lost_us));
  for (const bool leaves : {true, false})
    for (const auto& row : figures.stages.rows())
      if (row.leaf == leaves) line(row.name, row.launches, row);
  return out.str();
}

void export_report(const std::filesystem::path& path, const Report& report) {
  write_file(path, path.extension() == ".csv" ? report_csv(report) : report_json(report));
}

namespace {

// Every value of a document by its paths.
using Values = std::map<std::string, const json*, std::less<>>;

// The first of several of one path stays.
void add_values(const json& value, const std::string& path, Values& values) {
  values.emplace(path, &value);
  if (value.is_object())
    for (const auto& [name, member] : value.items()) add_values(member, path + '.' + name, values);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i) {
      add_values(value[i], path + '.' + std::to_string(i), values);
      if (value[i].is_object() && value[i].contains("name"))
        add_values(value[i], path + '.' + value[i]["name"].get<std::string>(), values);
    }
}

Values values_of(const json& document) {
  Values values;
  if (const auto groups = document.find("groups"); groups != document.end())
    for (const auto& group : *groups) add_values(group, "kernels." + group.at("name").get<std::string>(), values);
  for (const auto& [name, member] : document.items()) add_values(member, name, values);
  return values;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

bool is_number_or_name(std::string_view item) {
  if (item.empty() || (!is_digit(item.front()) && !is_letter(item.front()))) return false;
  return item == "0" || item.front() != '0' || !std::ranges::all_of(item, is_digit);
}

// A row with every member that it can have.
json race_row_json() {
  RaceRow row;
  row.runs = 1;
  row.version = 1;
  row.problem = "?";
  RaceFigures race;
  race.rows = {row};
  race.effect = gpu::all_effects().front();
  return race_rows_json(race).front();
}

// In place of a list that has nothing yet, kernels or race: a document in which it has what the path names, as far as that is a
// number or a name ("kernels.0.p50").
json to_come(const json& report, std::string_view path) {
  const auto point = path.find('.');
  const std::string list(path.substr(0, point));
  const auto found = report.find(list);
  const auto name = point == path.npos ? "" : path.substr(point + 1, path.find('.', point + 1) - point - 1);
  auto document = json::object();
  if (found == report.end() || !found->is_array() || !found->empty() || !is_number_or_name(name)) return document;
  auto item = list == "race" ? race_row_json() : kernel_json({}, {});
  item["name"] = name;
  document[list][std::string(name)] = std::move(item);
  return document;
}

// Whether a value may come there: it is there without one, or in parameters, of which each algorithm has its own.
bool may_come(const Values& values, std::string_view path) {
  const auto parameters = path.find(".parameters.");
  return values.contains(path) || (parameters != path.npos && values.contains(path.substr(0, parameters)));
}

std::string no_value(const Values& values, std::string_view path) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return "no value '" + std::string(path) + "'" + did_you_mean(path, names);
}

// As the settings file writes it.
json setting_json(const Setting& setting) {
  if (setting.is_toggle() && setting.value != gpu::automatic_choice) return setting.value == "on";
  if (setting.is_number()) return json::parse(setting.value);
  return text_as_json(setting.field && setting.field->path == "source" ? shown_address(setting.value) : setting.value);
}

// The report of a run that has made no picture yet; of its race, where `raced`, that it has begun.
json empty_report(bool raced) {
  Report report;
  if (raced) {
    RaceRow row;
    row.runs = row.version = 1;
    report.race.rows = {row};
    report.race.effect = gpu::all_effects().front();
  }
  auto document = report_values(report);
  document["source"] = source_json({}, 0, false, "", {});
  document["race"] = json::array();
  return document;
}

}  // namespace

json source_json(const capture::Status& source, double position, bool paused, const std::string& problem,
                 const capture::Drops& drops) {
  using Phase = capture::Status::Phase;
  return {{"name", source.name},
          {"description", source.description},
          {"width", source.size.width},
          {"height", source.size.height},
          {"position", position},
          {"length", source.length},
          {"fps", source.rate()},
          {"paused", paused},
          {"ended", source.phase == Phase::ended},
          {"problem", source.phase == Phase::failed ? source.message : problem},
          {"warning", source.warning},
          {"dropped",
           {{"not_taken", drops.of(capture::DropReason::not_taken)}, {"failed", drops.of(capture::DropReason::failed)}}}};
}

std::string answer_of(const json& report, std::span<const std::string> paths, const Settings& settings,
                      const ChangeContext& context) {
  constexpr std::string_view of_settings = "settings.";
  const auto values = values_of(report);
  auto answers = json::object();
  auto copy = settings;
  for (const auto& path : paths) {
    const bool is_setting = path.starts_with(of_settings);
    const auto setting = find_setting(is_setting ? path.substr(of_settings.size()) : path, settings, context);
    const auto later = to_come(report, path);
    const auto later_values = values_of(later);
    if (const auto found = values.find(path); found != values.end())
      answers[path] = setting && *found->second == "" ? json()
                                                      : *found->second;  // before the first picture nothing is in use
    else if (may_come(later_values, path))
      answers[path] = nullptr;
    else if (setting)
      answers[path] = setting_json(*setting);
    else if (is_setting)
      apply(copy, Change{path.substr(of_settings.size()), ""}, context);  // says what is wrong with the name
    else
      throw std::invalid_argument(no_value(later.empty() ? values : later_values, path));
  }
  return answers.dump(-1, ' ', false, json::error_handler_t::replace);
}

void check_asked(std::span<const std::string> paths, const Settings& settings, const ChangeContext& context) {
  static const auto before = empty_report(false), raced = empty_report(true);
  for (const auto& path : paths) {
    const auto& report = path.starts_with("race") ? raced : before;
    const auto found = report.find(path.substr(0, path.find('.')));
    const bool varies = found != report.end() && (found->is_null() || (found->is_object() && found->empty()) ||
                                                  path.starts_with("race_"));  // what is in it
    if (!varies) answer_of(report, std::span(&path, 1), settings, context);
  }
}

}  // namespace app
