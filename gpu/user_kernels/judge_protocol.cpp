#include "gpu/user_kernels/judge_protocol.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>

namespace gpu {
namespace {

constexpr std::string_view depth_names[] = {"trial", "full"};
constexpr std::string_view form_names[] = {"run", "run_template", "effect", "descriptor"};
constexpr int most_races = 20;

// A number at the beginning of the text, which gets shorter; 0: there is none.
template <class Number>
Number leading_number(std::string_view& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return Number{};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}
template <class Number>
Number number_in(std::string_view text) {
  return leading_number<Number>(text);
}
Size size_in(std::string_view text) {
  Size size;
  size.width = leading_number<int>(text);
  if (!text.empty()) text.remove_prefix(1);
  size.height = leading_number<int>(text);
  return size;
}
template <std::size_t count>
int index_in(const std::string_view (&names)[count], std::string_view name) {
  const auto at = std::ranges::find(names, name);
  if (at == std::end(names)) throw std::invalid_argument("not a judge's word: " + std::string(name));
  return static_cast<int>(at - names);
}

// Fields are divided by tabulators, and a line ends where its record ends.
std::string escaped(std::string_view field) {
  std::string text;
  for (const char letter : field) switch (letter) {
      case '\\': text += "\\\\"; break;
      case '\t': text += "\\t"; break;
      case '\n': text += "\\n"; break;
      default: text += letter;
    }
  return text;
}
std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
      continue;
    }
    const char letter = field[++i];
    text += letter == 't' ? '\t' : letter == 'n' ? '\n' : letter;
  }
  return text;
}

}  // namespace

std::string text_of(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

std::vector<std::string> words_of(const JudgeTask& task) {
  const auto& [compiled, request, libraries, on_gpu] = task;
  std::vector<std::string> words;
  const auto add = [&](std::string_view name, const std::string& value) {
    words.push_back(std::string(name) + '=' + value);
  };
  add("file", compiled.source.file.string());
  for (const auto& file : compiled.source.files) add("of", compiled.source.name_of(file));
  add("name", compiled.source.name);
  add("idea", compiled.source.idea);
  add("form", std::string(form_names[static_cast<int>(compiled.source.form)]));
  add("number", std::to_string(compiled.number));
  add("plain", compiled.plain.string());
  add("observed", compiled.observed.string());
  add("cubin", compiled.cubin.string());
  add("no-cuda", compiled.no_cuda);
  add("libraries", libraries.string());
  add("on-gpu", on_gpu ? "1" : "0");
  add("depth", std::string(depth_names[static_cast<int>(request.depth)]));
  for (const auto size : request.sizes) add("size", text_of(size));
  add("timed", request.timed ? "1" : "0");
  add("beside", request.beside);
  add("seed", std::to_string(request.seed));
  add("milliseconds", std::to_string(request.limits.time.count()));
  add("memory", std::to_string(request.limits.memory_bytes));
  return words;
}

JudgeTask judge_task(std::span<const std::string> words) {
  JudgeTask task;
  auto& [compiled, request, libraries, on_gpu] = task;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == word.npos) throw std::invalid_argument("not a judge's word: " + word);
    const auto name = std::string_view(word).substr(0, equals);
    const auto value = word.substr(equals + 1);
    if (name == "file") compiled.source.file = value;
    if (name == "of") compiled.source.files.emplace_back(value);
    if (name == "name") compiled.source.name = value;
    if (name == "idea") compiled.source.idea = value;
    if (name == "form") compiled.source.form = static_cast<KernelSource::Form>(index_in(form_names, value));
    if (name == "number") compiled.number = number_in<int>(value);
    if (name == "plain") compiled.plain = value;
    if (name == "observed") compiled.observed = value;
    if (name == "cubin") compiled.cubin = value;
    if (name == "no-cuda") compiled.no_cuda = value;
    if (name == "libraries") libraries = value;
    if (name == "on-gpu") on_gpu = value == "1";
    if (name == "depth") request.depth = static_cast<JudgeRequest::Depth>(index_in(depth_names, value));
    if (name == "size") request.sizes.push_back(size_in(value));
    if (name == "timed") request.timed = value == "1";
    if (name == "beside") request.beside = value;
    if (name == "seed") request.seed = number_in<std::uint64_t>(value);
    if (name == "milliseconds") request.limits.time = std::chrono::milliseconds(number_in<std::int64_t>(value));
    if (name == "memory") request.limits.memory_bytes = number_in<std::size_t>(value);
  }
  if (!compiled.works() || libraries.empty()) throw std::invalid_argument("a judge's words lack the libraries");
  return task;
}

// The child's side.

JudgeMark JudgeMark::random() {
  std::random_device bits;
  JudgeMark mark;
  for (int i = 0; i < 4; ++i) mark.text += std::to_string(bits()) + ':';
  return mark;
}

// Where the system shows the environment of a process, too.
JudgeMark JudgeMark::taken_from_environment() {
  JudgeMark mark;
  char* const value = std::getenv(variable);
  if (!value) return mark;
  mark.text = value;
  std::fill_n(value, mark.text.size(), '-');
  ::unsetenv(variable);
  return mark;
}

void JudgeWriter::put(std::initializer_list<std::string_view> fields) {
  std::string line(mark_.text);
  for (const auto field : fields) (line += escaped(field)) += '\t';
  line.back() = '\n';
  for (std::string_view rest = line; !rest.empty();) {
    const auto written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads it: the parent has ended
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

void JudgeWriter::ready() { put({"ready"}); }
void JudgeWriter::now(const std::string& what) { put({"now", what}); }
void JudgeWriter::compared(Size size) { put({"compared", text_of(size)}); }
void JudgeWriter::observed() { put({"observed"}); }
void JudgeWriter::wrong(const std::string& sentence) { put({"wrong", sentence}); }
void JudgeWriter::cannot_judge(const std::string& why) { put({"cannot-judge", why}); }
void JudgeWriter::no_cuda(const std::string& why) { put({"no-cuda", why}); }

void JudgeWriter::entry(const WrongEntry& entry) {
  std::string got, expected;
  for (const auto& number : entry.around_got) (got += number) += ' ';
  for (const auto& number : entry.around_expected) (expected += number) += ' ';
  put({"entry", std::to_string(entry.x), std::to_string(entry.y), entry.expected, entry.got, std::to_string(entry.count),
       std::to_string(entry.left), std::to_string(entry.top), std::to_string(entry.columns), got, expected});
}

void JudgeWriter::race(const KernelRace& race) {
  put({"race", race.what, race.first_file, std::to_string(race.first_line), race.second_file,
       std::to_string(race.second_line), std::to_string(race.times)});
}

void JudgeWriter::fault(const std::string& lines) { put({"fault", lines}); }
void JudgeWriter::varies() { put({"varies"}); }

namespace {

// The members of both, in the order of a line's fields.
template <class Count, class F>
void each_count(Count& counts, const F& f) {
  for (auto* transfers : {&counts.read, &counts.written}) f(transfers->bytes), f(transfers->sectors), f(transfers->in_part);
  f(counts.shared_stages), f(counts.shared_reads), f(counts.shared_writes), f(counts.barriers), f(counts.atomics);
  if constexpr (requires { counts.polls; })
    f(counts.polls), f(counts.poll_bytes), f(counts.shared_stages_without_conflicts), f(counts.shuffles), f(counts.ballots),
        f(counts.warp_barriers), f(counts.surface_bytes);
  else
    f(counts.shared_stages_without_conflicts), f(counts.barrier_waits);
}
template <class Count>
std::string text_of_counts(const Count& counts) {
  std::string text;
  each_count(counts, [&](std::uint64_t count) { text += std::to_string(count) + ' '; });
  return text;
}
template <class Count>
void read_counts(std::string_view text, Count& counts) {
  each_count(counts, [&](std::uint64_t& count) {
    count = leading_number<std::uint64_t>(text);
    if (!text.empty()) text.remove_prefix(1);
  });
}

}  // namespace

void JudgeWriter::counted(Size size, SatType type, int launches, const simulated::Counts& counts) {
  put({"counted", text_of(size), info(type).name, std::to_string(launches), text_of_counts(counts)});
}
void JudgeWriter::counted_beside(const simulated::Counts& counts) { put({"counted-beside", text_of_counts(counts)}); }

void JudgeWriter::line(const simulated::LineCounts& line) {
  put({"line", line.file, std::to_string(line.line), text_of_counts(line)});
}

void JudgeWriter::time(const KernelTime& time) {
  const auto number = [](double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", value);
    return std::string(text);
  };
  put({"time", number(time.microseconds), number(time.bound_microseconds), number(time.beside_microseconds),
       text_of(time.size), time.gpu});
}

void JudgeWriter::end() { put({"end"}); }

// The parent's side.

namespace {

using Fields = std::span<const std::string>;

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

void read_wrong(Fields fields, JudgeReport& report) {
  if (report.wrong) return;
  report.wrong = true;
  report.verdict.outcome = Verdict::Outcome::wrong;
  report.verdict.sentence = fields[0];
  report.verdict.where = report.now;
}

void read_entry(Fields fields, JudgeReport& report) {
  WrongEntry entry;
  entry.where = report.now;
  entry.x = number_in<int>(fields[0]), entry.y = number_in<int>(fields[1]);
  entry.expected = fields[2], entry.got = fields[3];
  entry.count = number_in<std::uint64_t>(fields[4]);
  entry.left = number_in<int>(fields[5]), entry.top = number_in<int>(fields[6]), entry.columns = number_in<int>(fields[7]);
  entry.around_got = words_in(fields[8]), entry.around_expected = words_in(fields[9]);
  const auto count = entry.around_got.size();
  if (entry.columns < 1 || count == 0 || count != entry.around_expected.size() ||
      count % static_cast<unsigned>(entry.columns))
    return;
  if (!report.verdict.wrong) report.verdict.wrong = std::move(entry);
}

// The same places race in many runs.
void read_race(Fields fields, JudgeReport& report) {
  const KernelRace race{fields[0],
                        fields[1],
                        fields[3],
                        number_in<int>(fields[2]),
                        number_in<int>(fields[4]),
                        number_in<std::uint64_t>(fields[5])};
  auto& all = report.verdict.races;
  const auto same = std::ranges::find_if(all, [&](const KernelRace& other) {
    return other.what == race.what && other.first_file == race.first_file && other.first_line == race.first_line &&
           other.second_file == race.second_file && other.second_line == race.second_line;
  });
  if (same != all.end())
    same->times += race.times;
  else if (all.size() < most_races)
    all.push_back(race);
}

void read_counted(Fields fields, JudgeReport& report) {
  report.verdict.counted = size_in(fields[0]);
  if (const auto* type = find_sat_type(fields[1])) report.verdict.type = type->type;
  report.verdict.launches = number_in<int>(fields[2]);
  report.verdict.lines.clear();
  read_counts(fields[3], report.verdict.counts);
}

void read_line_counts(Fields fields, JudgeReport& report) {
  simulated::LineCounts line;
  line.file = fields[0];
  line.line = number_in<int>(fields[1]);
  read_counts(fields[2], line);
  report.verdict.lines.push_back(std::move(line));
}

void read_time(Fields fields, JudgeReport& report) {
  KernelTime time;
  time.microseconds = number_in<double>(fields[0]);
  time.bound_microseconds = number_in<double>(fields[1]);
  time.beside_microseconds = number_in<double>(fields[2]);
  time.size = size_in(fields[3]);
  time.gpu = fields[4];
  report.verdict.time = std::move(time);
}

// By the first field of a line: how many follow, and what they say.
struct Record {
  std::string_view name;
  std::size_t fields;
  void (*read)(Fields, JudgeReport&);
};
constexpr Record records[] = {
    {"ready", 0, [](Fields, JudgeReport& report) { report.ready = true; }},
    {"cannot-judge", 1, [](Fields fields, JudgeReport& report) { report.cannot_judge = fields[0]; }},
    {"no-cuda", 1, [](Fields fields, JudgeReport& report) { report.verdict.no_cuda = fields[0]; }},
    {"now", 1, [](Fields fields, JudgeReport& report) { report.now = fields[0]; }},
    {"compared", 1,
     [](Fields fields, JudgeReport& report) {
       ++report.verdict.tables;
       report.compared = true;
       const auto size = size_in(fields[0]);
       if (size.pixels() > report.verdict.largest.pixels()) report.verdict.largest = size;
     }},
    {"observed", 0, [](Fields, JudgeReport& report) { ++report.verdict.observed_runs; }},
    {"wrong", 1, read_wrong},
    {"entry", 10, read_entry},
    {"race", 6, read_race},
    {"fault", 1,
     [](Fields fields, JudgeReport& report) {
       if (report.verdict.fault.empty()) report.verdict.fault = fields[0];
     }},
    {"varies", 0, [](Fields, JudgeReport& report) { report.verdict.deterministic = false; }},
    {"counted", 4, read_counted},
    {"counted-beside", 1,
     [](Fields fields, JudgeReport& report) { read_counts(fields[0], report.verdict.counts_beside.emplace()); }},
    {"line", 3, read_line_counts},
    {"time", 5, read_time},
    {"end", 0, [](Fields, JudgeReport& report) { report.ended = true; }},
};

void read_one_line(std::string_view line, JudgeReport& report) {
  std::vector<std::string> fields;
  while (true) {
    const auto end = line.find('\t');
    fields.push_back(unescaped(line.substr(0, end)));
    if (end == line.npos) break;
    line.remove_prefix(end + 1);
  }
  for (const auto& record : records)
    if (record.name == fields[0] && record.fields + 1 == fields.size()) record.read(Fields(fields).subspan(1), report);
}

std::string seconds_text(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", std::chrono::duration<double>(time).count());
  return text;
}

std::string how_it_ended(const ChildResult& end, const KernelLimits& limits) {
  switch (end.end) {
    case ChildResult::End::exited: return "the program ended itself: exit(" + std::to_string(end.status) + ")";
    case ChildResult::End::signalled: {
      const char* const description = sigdescr_np(end.status);
      return "the program crashed: " + (description ? std::string(description) : "signal " + std::to_string(end.status));
    }
    default: return text_of(end, {limits.time, 0, 0});  // memory: the child itself keeps its limit
  }
}

}  // namespace

void read_judge_lines(std::string_view text, JudgeReport& report) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    if (end == text.npos) return;  // the child was ended within it
    if (const auto line = text.substr(0, end); line.starts_with(report.mark.text))
      read_one_line(line.substr(report.mark.text.size()), report);
    text.remove_prefix(end + 1);
  }
}

void conclude(JudgeReport& report, const ChildResult& end, const KernelLimits& limits) {
  auto& verdict = report.verdict;
  const auto is = [&](Verdict::Outcome outcome, std::string sentence) {
    verdict.outcome = outcome;
    verdict.sentence = std::move(sentence);
  };
  if (end.end == ChildResult::End::stopped) return is(Verdict::Outcome::interrupted, "interrupted");
  const bool ended = report.ended && end.succeeded();
  verdict.harmless = ended;
  if (report.wrong) {
    if (report.ended && !ended && verdict.fault.empty()) verdict.fault = how_it_ended(end, limits);
    return;
  }
  if (!report.ready || !report.cannot_judge.empty()) {
    const auto& why = report.cannot_judge;
    return is(Verdict::Outcome::interrupted,
              "cannot be judged: " + (why.empty() ? "the judge's process: " + how_it_ended(end, limits) : why));
  }
  if (end.end == ChildResult::End::signalled && end.status == SIGSEGV && verdict.fault.empty())
    verdict.fault = "run() is on the CPU, and pixels and entries are for kernels; or an index of its own is out of bounds";
  if (ended && report.compared) return is(Verdict::Outcome::right, verdict.is_effect ? "runs" : "right");
  verdict.where = report.now;
  is(Verdict::Outcome::wrong, ended ? "no table is there within " + seconds_text(limits.time) : how_it_ended(end, limits));
}

}  // namespace gpu
