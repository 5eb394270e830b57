#include "app/output/verdict_text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/support/text.h"

namespace app {
namespace {

using nlohmann::ordered_json;
using Outcome = gpu::Verdict::Outcome;

constexpr std::size_t most_messages = 8, most_races_shown = 4, most_lines_of_fault = 4;
constexpr std::size_t longest_line = 160;

// A user's text, which may be anything. A long one keeps its ends: items between semicolons, or words, if none is very long.
std::string shown(std::string_view text) {
  const std::string all = without_controls(text);
  if (all.size() <= longest_line) return all;
  constexpr std::size_t half = longest_line / 2;
  const std::string_view head = std::string_view(all).substr(0, half),
                         tail = std::string_view(all).substr(all.size() - half);
  for (const std::string_view between : {"; ", " "}) {
    const auto head_end = head.rfind(between), tail_begin = tail.find(between);
    if (head_end == head.npos || tail_begin == tail.npos || head_end < half / 4 || tail_begin > half / 4 * 3) continue;
    return std::string(head.substr(0, head_end + between.size())) + "..." + std::string(tail.substr(tail_begin));
  }
  return both_ends(all, longest_line);
}

std::string line_of(const gpu::SourceMessage& message) {
  std::string place = message.file_name();
  if (message.line > 0) place += ':' + std::to_string(message.line);
  if (message.column > 0) place += ':' + std::to_string(message.column);
  return shown((place.empty() ? "" : place + ": ") + std::string(severity_name(message.severity)) + ": " + message.text);
}

std::string messages_text(const gpu::Verdict& verdict) {
  std::string text;
  std::size_t count = 0;
  for (const auto& message : verdict.messages) {
    if (verdict.outcome != Outcome::does_not_compile && message.severity != gpu::SourceMessage::Severity::warning) continue;
    if (++count <= most_messages) text += "  " + line_of(message) + '\n';
  }
  if (count > most_messages) text += "  " + counted(count - most_messages, "more message") + '\n';
  return text;
}

std::string line_place(const std::string& file, int line) { return file.empty() ? "" : file + ':' + std::to_string(line); }

std::string race_line(const gpu::KernelRace& race) {
  const auto first = line_place(race.first_file, race.first_line), second = line_place(race.second_file, race.second_line);
  const auto places = first.empty() || second.empty() ? first + second : first + " and " + second;
  return "race: " + race.what + (places.empty() ? "" : " at " + places) + ", " + counted(race.times, "time");
}

// The two matrices beside each other; the wrong entry in brackets.
std::string around_text(const gpu::WrongEntry& wrong) {
  const auto columns = static_cast<std::size_t>(std::max(wrong.columns, 1));
  std::size_t width = 0;
  for (const auto* all : {&wrong.around_got, &wrong.around_expected})
    for (const auto& number : *all) width = std::max(width, number.size());
  const auto row_of = [&](const std::vector<std::string>& all, std::size_t row) {
    std::string text;
    for (std::size_t column = 0; column < columns; ++column) {
      const auto& number = all[row * columns + column];
      const bool here = wrong.left + static_cast<int>(column) == wrong.x && wrong.top + static_cast<int>(row) == wrong.y;
      text += std::string(width - number.size(), ' ') + (here ? '[' : ' ') + number + (here ? ']' : ' ');
    }
    return text;
  };
  const auto row_width = columns * (width + 2);
  std::string text = "    got" + std::string(row_width > 3 ? row_width - 3 : 0, ' ') + "   expected\n";
  for (std::size_t row = 0; row < wrong.around_got.size() / columns; ++row)
    text += "    " + row_of(wrong.around_got, row) + "   " + row_of(wrong.around_expected, row) + '\n';
  return text;
}

std::string wrong_text(const gpu::WrongEntry& wrong) {
  return "  entry (" + std::to_string(wrong.x) + ", " + std::to_string(wrong.y) + "): expected " + wrong.expected +
         ", got " + wrong.got +
         (wrong.count > 1 ? "; " + grouped(wrong.count) + " entries are wrong, this is the first" : "") + '\n' +
         (wrong.around_got.size() > 1 ? around_text(wrong) : "");
}

std::string fault_text(std::string_view fault) {
  std::string text;
  for (std::size_t line = 0; line < most_lines_of_fault && !fault.empty(); ++line) {
    const auto end = std::min(fault.find('\n'), fault.size());
    text += "  " + shown(fault.substr(0, end)) + '\n';
    fault.remove_prefix(std::min(end + 1, fault.size()));
  }
  return text;
}

std::string moved_text(const gpu::Verdict& verdict) {
  const auto moved = moved_per_pixel(verdict);
  if (!moved) return {};
  const auto numbers = [](double read, double written) {
    return short_number(read) + " read, " + short_number(written) + " written";
  };
  std::string text = "  bytes per pixel: " + numbers(moved->read_bytes, moved->written_bytes);
  if (!verdict.is_effect)
    text += "; a table needs " + numbers(moved->least_read, moved->least_written) +
            ". Sectors: " + short_number(moved->sectors_over_least()) + " times what it needs";
  const auto launches = std::to_string(verdict.launches) + (verdict.launches == 1 ? " launch" : " launches");
  return text + " (" + text_of(verdict.counted) + ", " + launches + ")\n";
}

std::string effort_text(const gpu::Verdict& verdict) {
  const auto tables = counted(static_cast<std::uint64_t>(verdict.tables), verdict.is_effect ? "picture" : "table") +
                      (verdict.tables > 0 ? " up to " + text_of(verdict.largest) : "");
  return "  " + tables + ", " + counted(static_cast<std::uint64_t>(verdict.observed_runs), "observed run") +
         "; compiled in " + short_number(verdict.compile_seconds) + " s, judged in " + short_number(verdict.seconds) +
         " s\n";
}

std::string time_line(const gpu::KernelTime& time) {
  return "  time: " + microseconds(time.microseconds) + " us for " + text_of(time.size) + ", " +
         comparison_with_bound(time) + ", on " + shown(time.gpu) + '\n';
}

}  // namespace

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view names[] = {"right", "wrong", "does not compile", "too slow", "not judged"};
  return names[static_cast<int>(outcome)];
}

std::string_view severity_name(gpu::SourceMessage::Severity severity) {
  constexpr std::string_view names[] = {"error", "warning", "note"};
  return names[static_cast<int>(severity)];
}

std::string comparison_with_bound(const gpu::KernelTime& measured) {
  return measured.bound_microseconds > 0
             ? short_number(measured.microseconds / measured.bound_microseconds) + " times the bound"
             : "without a bound";
}

std::optional<MovedPerPixel> moved_per_pixel(const gpu::Verdict& verdict) {
  const auto pixels = static_cast<double>(verdict.counted.pixels());
  if (pixels == 0) return {};
  const auto& type = gpu::info(verdict.type);
  const auto& [read, written] = std::pair(verdict.counts.read, verdict.counts.written);
  return MovedPerPixel{static_cast<double>(read.bytes) / pixels, static_cast<double>(written.bytes) / pixels,
                       static_cast<double>(read.sectors + written.sectors) / pixels,
                       static_cast<double>(gpu::size_of(type.input)), static_cast<double>(gpu::size_of(type.sum))};
}

std::string verdict_text(const JudgedFile& judged) {
  const auto& verdict = judged.verdict;
  std::string text = shown(judged.file.string()) + ": " + shown(verdict.sentence) + '\n';
  if (verdict.outcome == Outcome::does_not_compile) return text + messages_text(verdict);
  if (!verdict.where.empty()) text += "  in: " + shown(verdict.where) + '\n';
  for (std::size_t i = 0; i < std::min(verdict.races.size(), most_races_shown); ++i)
    text += "  " + shown(race_line(verdict.races[i])) + '\n';
  if (verdict.races.size() > most_races_shown)
    text += "  " + counted(verdict.races.size() - most_races_shown, "more race") + '\n';
  if (verdict.wrong && verdict.wrong->where != verdict.where && !verdict.wrong->where.empty())
    text += "  its first wrong entry is in: " + shown(verdict.wrong->where) + '\n';
  text += verdict.wrong ? wrong_text(*verdict.wrong) : fault_text(verdict.fault);
  if (!verdict.deterministic) text += "  floating-point tables differ from run to run, within the error bound\n";
  text += moved_text(verdict);
  if (verdict.time) text += time_line(*verdict.time);
  if (!judged.compared.empty()) text += "  " + judged.compared + '\n';
  return text + effort_text(verdict) + messages_text(verdict);
}

namespace {

// By outcome, then by time where it was measured, else by what is moved.
std::vector<const JudgedFile*> ranked(std::span<const JudgedFile> files) {
  std::vector<const JudgedFile*> all;
  for (const auto& file : files) all.push_back(&file);
  const auto cost = [](const gpu::Verdict& verdict) {
    const auto moved = moved_per_pixel(verdict);
    return verdict.time ? verdict.time->microseconds : moved ? moved->sectors : HUGE_VAL;
  };
  const auto group = [](Outcome outcome) {
    return outcome == Outcome::right ? 0 : outcome == Outcome::too_slow ? 1 : outcome == Outcome::wrong ? 2 : 3;
  };
  std::ranges::stable_sort(all, [&](const JudgedFile* a, const JudgedFile* b) {
    const int of_a = group(a->verdict.outcome), of_b = group(b->verdict.outcome);
    return of_a != of_b ? of_a < of_b : of_a < 2 && cost(a->verdict) < cost(b->verdict);
  });
  return all;
}

ordered_json number_json(double value) { return std::round(value * 1000) / 1000; }

ordered_json messages_json(const gpu::Verdict& verdict) {
  auto all = ordered_json::array();
  for (const auto& message : verdict.messages)
    all.push_back({{"severity", severity_name(message.severity)},
                   {"file", message.file.string()},
                   {"line", message.line},
                   {"column", message.column},
                   {"text", message.text}});
  return all;
}

ordered_json wrong_json(const gpu::WrongEntry& wrong) {
  return {{"x", wrong.x},
          {"y", wrong.y},
          {"expected", wrong.expected},
          {"got", wrong.got},
          {"count", wrong.count},
          {"where", wrong.where},
          {"around",
           {{"left", wrong.left},
            {"top", wrong.top},
            {"columns", wrong.columns},
            {"got", wrong.around_got},
            {"expected", wrong.around_expected}}}};
}

ordered_json races_json(const gpu::Verdict& verdict) {
  auto all = ordered_json::array();
  for (const auto& race : verdict.races)
    all.push_back({{"what", race.what},
                   {"first", line_place(race.first_file, race.first_line)},
                   {"second", line_place(race.second_file, race.second_line)},
                   {"times", race.times}});
  return all;
}

ordered_json moved_json(const gpu::Verdict& verdict, const MovedPerPixel& moved) {
  return {{"size", {verdict.counted.width, verdict.counted.height}},
          {"type", gpu::info(verdict.type).name},
          {"launches", verdict.launches},
          {"read_bytes", number_json(moved.read_bytes)},
          {"written_bytes", number_json(moved.written_bytes)},
          {"sectors", number_json(moved.sectors)},
          {"least_read_bytes", moved.least_read},
          {"least_written_bytes", moved.least_written}};
}

ordered_json lines_json(const gpu::Verdict& verdict) {
  auto all = ordered_json::array();
  for (const auto& line : verdict.lines)
    all.push_back({{"file", line.file},
                   {"line", line.line},
                   {"read_bytes", line.read.bytes},
                   {"written_bytes", line.written.bytes},
                   {"read_sectors", line.read.sectors},
                   {"written_sectors", line.written.sectors},
                   {"bank_conflicts", line.shared_stages - line.shared_stages_without_conflicts},
                   {"barriers", line.barriers},
                   {"barrier_waits", line.barrier_waits},
                   {"atomics", line.atomics}});
  return all;
}

ordered_json time_json(const gpu::KernelTime& time) {
  ordered_json object{{"us", number_json(time.microseconds)},
                      {"bound_us", number_json(time.bound_microseconds)},
                      {"size", {time.size.width, time.size.height}},
                      {"gpu", time.gpu}};
  if (time.beside_microseconds > 0) object["beside_us"] = number_json(time.beside_microseconds);
  return object;
}

ordered_json file_json(const JudgedFile& judged) {
  const auto& verdict = judged.verdict;
  ordered_json object{{"file", judged.file.string()},
                      {"name", verdict.name},
                      {"outcome", outcome_name(verdict.outcome)},
                      {"says", verdict.sentence},
                      {"where", verdict.where},
                      {"fault", verdict.fault},
                      {"messages", messages_json(verdict)},
                      {"wrong", verdict.wrong ? wrong_json(*verdict.wrong) : ordered_json()},
                      {"races", races_json(verdict)},
                      {"deterministic", verdict.deterministic},
                      {"per_pixel", ordered_json()},
                      {"lines", lines_json(verdict)},
                      {"time", verdict.time ? time_json(*verdict.time) : ordered_json()},
                      {"compared", judged.compared},
                      {"tables", verdict.tables},
                      {"observed_runs", verdict.observed_runs},
                      {"largest", {verdict.largest.width, verdict.largest.height}},
                      {"compile_seconds", number_json(verdict.compile_seconds)},
                      {"seconds", number_json(verdict.seconds)}};
  if (const auto moved = moved_per_pixel(verdict)) object["per_pixel"] = moved_json(verdict, *moved);
  return object;
}

// XML has no place for control characters, not even as numbers, nor for bytes that are no UTF-8.
std::string xml_text(std::string_view text) {
  const auto whole = ordered_json::parse(ordered_json(text).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
  std::string escaped;
  for (const char letter : whole.get<std::string>()) switch (letter) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\n': escaped += "&#10;"; break;
      default: escaped += static_cast<unsigned char>(letter) < ' ' || letter == 0x7f ? ' ' : letter;
    }
  return escaped;
}

std::string junit_begin(const std::string& name, double seconds) {
  return "    <testcase classname=\"satscope.judge\" name=\"" + xml_text(name) + "\" time=\"" +
         ordered_json(number_json(seconds)).dump() + "\">\n";
}

std::string junit_case(const JudgedFile& judged) {
  const auto& verdict = judged.verdict;
  auto text = junit_begin(judged.file.string(), verdict.compile_seconds + verdict.seconds);
  const auto element = [&](const std::string& name) {
    text += "      <" + name + " message=\"" + xml_text(verdict.sentence) + "\">" + xml_text(verdict_text(judged)) + "</" +
            name + ">\n";
  };
  switch (verdict.outcome) {
    case Outcome::right: text += "      <system-out>" + xml_text(verdict_text(judged)) + "</system-out>\n"; break;
    case Outcome::wrong:
    case Outcome::too_slow: element("failure"); break;
    case Outcome::does_not_compile:
    case Outcome::interrupted: element("error"); break;
  }
  return text + "    </testcase>\n";
}

}  // namespace

std::string ranking_text(std::span<const JudgedFile> files) {
  std::vector<std::vector<std::string>> rows;
  int place = 0;
  for (const auto* judged : ranked(files)) {
    const auto& verdict = judged->verdict;
    const bool counts = verdict.outcome == Outcome::right || verdict.outcome == Outcome::too_slow;
    const auto moved = moved_per_pixel(verdict);
    rows.push_back(
        {shown(judged->file.string()), counts ? std::to_string(++place) : "-",
         verdict.outcome == Outcome::right && verdict.is_effect ? "runs" : std::string(outcome_name(verdict.outcome)),
         moved ? short_number(moved->sectors) : "-", verdict.time ? microseconds(verdict.time->microseconds) : "-"});
  }
  return text_table({{{"", "file"}}, {{"", "rank"}}, {{"", "verdict"}}, {{"sectors", "per pixel"}}, {{"", "us"}}}, rows);
}

std::string verdicts_json(std::span<const JudgedFile> files) {
  auto all = ordered_json::array(), ranking = ordered_json::array();
  for (const auto& judged : files) all.push_back(file_json(judged));
  for (const auto* judged : ranked(files))
    if (judged->verdict.outcome == Outcome::right) ranking.push_back(judged->file.string());
  const ordered_json object{
      {"program", "satscope " SATSCOPE_VERSION}, {"files", std::move(all)}, {"ranking", std::move(ranking)}};
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string verdicts_junit(std::span<const JudgedFile> files, std::span<const std::string> left) {
  const auto count = [&](auto... outcomes) {
    return std::to_string(
        std::ranges::count_if(files, [&](const JudgedFile& each) { return ((each.verdict.outcome == outcomes) || ...); }));
  };
  std::string text =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"satscope judge\" tests=\"" +
      std::to_string(files.size() + left.size()) + "\" failures=\"" + count(Outcome::wrong, Outcome::too_slow) +
      "\" errors=\"" + count(Outcome::does_not_compile, Outcome::interrupted) + "\" skipped=\"" +
      std::to_string(left.size()) + "\">\n";
  for (const auto& judged : files) text += junit_case(judged);
  for (const auto& name : left) text += junit_begin(name, 0) + "      <skipped message=\"not judged\"/>\n    </testcase>\n";
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace app
