#include "app/session/kernel_view.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>
#include <utility>

#include "app/output/verdict_text.h"
#include "app/support/text.h"

namespace app {
namespace {

using Kind = KernelView::Row::Kind;

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_of_word(char c) { return begins_word(c) || std::isdigit(static_cast<unsigned char>(c)); }

bool is_keyword(std::string_view word) {
  static constexpr std::string_view all[] = {"__constant__", "__device__", "__forceinline__",
                                             "__global__",   "__host__",   "__launch_bounds__",
                                             "__restrict__", "__shared__", "alignas",
                                             "auto",         "bool",       "break",
                                             "case",         "char",       "class",
                                             "const",        "constexpr",  "continue",
                                             "default",      "do",         "double",
                                             "else",         "enum",       "extern",
                                             "false",        "float",      "for",
                                             "if",           "inline",     "int",
                                             "long",         "namespace",  "nullptr",
                                             "operator",     "private",    "public",
                                             "return",       "short",      "signed",
                                             "sizeof",       "static",     "static_assert",
                                             "static_cast",  "struct",     "switch",
                                             "template",     "true",       "typename",
                                             "union",        "unsigned",   "using",
                                             "void",         "volatile",   "while"};
  static_assert(std::ranges::is_sorted(all));
  return std::ranges::binary_search(all, word);
}

// The end of what is quoted; one that is not ended goes to the end of the line.
std::size_t end_of_quoted(std::string_view line, std::size_t begin) {
  for (auto at = begin + 1; at < line.size(); ++at) {
    if (line[at] == '\\')
      ++at;
    else if (line[at] == line[begin])
      return at + 1;
  }
  return line.size();
}

// A number goes on as long as letters, digits, dots and separators do: 1'000.5f, 0x1F.
std::size_t end_of_number(std::string_view line, std::size_t at) {
  const auto goes_on = [&](char c) { return is_of_word(c) || c == '.' || c == '\''; };
  while (at < line.size() && goes_on(line[at])) ++at;
  return at;
}

// Behind the end of a comment that is open at `at`.
std::size_t end_of_comment(std::string_view line, std::size_t at, bool& open) {
  const auto end = line.find("*/", at);
  open = end == line.npos;
  return open ? line.size() : end + 2;
}

}  // namespace

std::vector<SourceToken> source_tokens(std::string_view line, bool& in_comment) {
  using enum SourceToken::Kind;
  std::vector<SourceToken> all;
  const auto add = [&](SourceToken::Kind kind, std::size_t begin, std::size_t end) {
    if (end > begin) all.push_back({kind, begin, end});
    return end;
  };
  std::size_t at = in_comment ? add(comment, 0, end_of_comment(line, 0, in_comment)) : 0;
  bool first = true;  // nothing but blanks stands before
  while (at < line.size()) {
    const auto rest = line.substr(at);
    const auto c = line[at];
    if (rest.starts_with("//")) {
      at = add(comment, at, line.size());
    } else if (rest.starts_with("/*")) {
      at = add(comment, at, end_of_comment(line, at + 2, in_comment));
    } else if (c == '"' || c == '\'') {
      at = add(literal, at, end_of_quoted(line, at));
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      at = end_of_number(line, at);
    } else if (begins_word(c) || (c == '#' && first)) {
      const auto end = std::find_if_not(line.begin() + static_cast<std::ptrdiff_t>(at) + 1, line.end(), is_of_word);
      const auto begin = std::exchange(at, static_cast<std::size_t>(end - line.begin()));
      if (c == '#' || is_keyword(line.substr(begin, at - begin))) add(keyword, begin, at);
    } else {
      ++at;
    }
    first = first && (c == ' ' || c == '\t');
  }
  return all;
}

// Equal lines at both ends are where they were. Between them, as many lines as before are the same ones, changed; else those with
// the same words are found, one after another.
std::vector<int> places_of_lines(std::span<const std::string> before, std::span<const std::string> now) {
  std::vector<int> places(before.size(), 0);
  const auto least = std::min(before.size(), now.size());
  std::size_t head = 0, tail = 0;
  while (head < least && before[head] == now[head]) ++head;
  while (tail < least - head && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
  const bool in_place = before.size() == now.size();
  auto next = head;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (i < head || in_place) {
      places[i] = static_cast<int>(i) + 1;
    } else if (i >= before.size() - tail) {
      places[i] = static_cast<int>(i + now.size() - before.size()) + 1;
    } else if (trimmed(before[i]).size() > 2) {  // a brace says nothing
      const auto end = now.begin() + static_cast<std::ptrdiff_t>(now.size() - tail);
      const auto from = now.begin() + static_cast<std::ptrdiff_t>(next);
      const auto found = std::find(from, std::min(end, from + std::min<std::ptrdiff_t>(end - from, 200)), before[i]);
      if (found == end || *found != before[i]) continue;
      next = static_cast<std::size_t>(found - now.begin()) + 1;
      places[i] = static_cast<int>(next);
    }
  }
  return places;
}

namespace {

// With blanks for tabs, as far as anybody reads: a line may be a file of its own.
std::string shown_line(std::string_view line) {
  constexpr std::size_t tab = 4, most = 1000;
  std::string shown;
  shown.reserve(std::min(line.size(), most));
  for (const char c : beginning_of(line, most)) {
    if (c == '\t')
      shown.append(tab - shown.size() % tab, ' ');
    else
      shown += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  shown.erase(shown.find_last_not_of(' ') + 1);
  return shown;
}

LineFigures figures_per_pixel(const gpu::simulated::LineCounts& counts, double pixels) {
  LineFigures all{};
  const auto set = [&](LineFigure figure, std::uint64_t count) {
    all[static_cast<std::size_t>(figure)] = static_cast<double>(count) / pixels;
  };
  set(LineFigure::bytes, counts.read.bytes + counts.written.bytes);
  set(LineFigure::sectors, counts.read.sectors + counts.written.sectors);
  set(LineFigure::shared, counts.shared_reads + counts.shared_writes);
  set(LineFigure::loads, counts.read.bytes);
  set(LineFigure::stores, counts.written.bytes);
  set(LineFigure::conflicts, counts.shared_stages - std::min(counts.shared_stages, counts.shared_stages_without_conflicts));
  set(LineFigure::waits, counts.barrier_waits);
  set(LineFigure::atomics, counts.atomics);
  return all;
}

// A line of the version that was counted, in the text that is shown; 0: it is not there.
int place_of(std::span<const int> places, int line) {
  return line >= 1 && line <= static_cast<int>(places.size()) ? places[static_cast<std::size_t>(line - 1)] : 0;
}

// "mine.cu:14" in what is said of a fault; 0: nothing of that kind.
int line_in(std::string_view words, const std::string& name) {
  const auto place = name + ':';
  int line = 0;
  for (auto at = words.find(place); at != words.npos && line <= 0; at = words.find(place, at + 1))
    std::from_chars(words.data() + at + place.size(), words.data() + words.size(), line);
  return std::max(line, 0);
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

// Whose line it is, where that is not the file's own.
std::string line_words(const std::string& file, int line, const std::string& own) {
  const auto words = "line " + std::to_string(line);
  return file == own ? words : file + ", " + words;
}

// All races between the same two lines, in one sentence.
struct LinesOfRace {
  std::string first_file, second_file;
  int first = 0, second = 0;
  std::string found;

  bool are(const gpu::KernelRace& race) const {
    const auto is = [&](const std::string& a, int i, const std::string& b, int j) {
      return a == race.first_file && i == race.first_line && b == race.second_file && j == race.second_line;
    };
    return is(first_file, first, second_file, second) || is(second_file, second, first_file, first);
  }
};

std::vector<LinesOfRace> races_by_lines(std::span<const gpu::KernelRace> races) {
  std::vector<LinesOfRace> all;
  for (const auto& race : races) {
    auto one = std::ranges::find_if(all, [&](const LinesOfRace& lines) { return lines.are(race); });
    if (one == all.end())
      one = all.insert(all.end(), {race.first_file, race.second_file, race.first_line, race.second_line, {}});
    one->found += (one->found.empty() ? "" : "; ") + race.what + ", " + grouped(race.times) +
                  (race.times == 1 ? " time" : " times");
  }
  return all;
}

// What follows a name: " does not compile, line 30", " is wrong: out of bounds", ": the program crashed".
std::string continued(std::string_view words) {
  const auto begins = [&](std::string_view begin) { return words.starts_with(begin); };
  const bool judges = begins("right") || begins("wrong") || begins("not judged");
  const bool has_verb = begins("does ") || begins("runs") || begins("is ") || begins("cannot be judged");
  return (judges ? " is " : has_verb ? " " : ": ") + std::string(words);
}

// Likewise, why a version was not taken.
std::string why_refused(const KernelFile& file) {
  const auto own = title_of(file);
  const auto error = std::ranges::find_if(file.messages, &gpu::SourceMessage::is_error);
  const bool for_its_text = !file.refusal.starts_with("it could not be compiled");
  if (error != file.messages.end() && for_its_text) {
    if (error->line == 0) return " does not compile";
    return " does not compile, " + line_words(error->file_name(), error->line, own);
  }
  std::string_view words = file.refusal;
  for (const auto& begin : {own + ": ", own + ' ', file.path.string() + ": "})
    if (words.starts_with(begin)) words.remove_prefix(begin.size());
  return continued(trimmed(words, " ."));
}

std::string verdict_words(const gpu::Verdict& verdict) {
  return continued(verdict.sentence.empty() ? outcome_name(verdict.outcome) : verdict.sentence);
}

std::string totals(const gpu::Verdict& verdict) {
  if (verdict.counted.pixels() == 0) return {};
  const auto per_pixel = [&](std::uint64_t count) {
    return short_number(static_cast<double>(count) / static_cast<double>(verdict.counted.pixels()));
  };
  const auto& counts = verdict.counts;
  return "Per pixel " + per_pixel(counts.read.bytes) + " bytes read, " + per_pixel(counts.written.bytes) + " written, " +
         per_pixel(counts.read.sectors + counts.written.sectors) + " sectors; " + std::to_string(verdict.launches) +
         (verdict.launches == 1 ? " launch" : " launches");
}

std::string result_words(const gpu::Verdict& verdict) {
  if (!verdict.fault.empty()) return first_line(verdict.fault);
  if (const auto& wrong = verdict.wrong)
    return grouped(wrong->count) + (wrong->count == 1 ? " entry" : " entries") + " wrong, the first at (" +
           std::to_string(wrong->x) + ", " + std::to_string(wrong->y) + "): expected " + wrong->expected + ", got " +
           wrong->got;
  if (verdict.tables == 0) return {};
  return counted(static_cast<std::uint64_t>(verdict.tables), "table") +
         (verdict.races.empty() ? " compared, no race in " : " compared; races in ") +
         counted(static_cast<std::uint64_t>(verdict.observed_runs), "observed run") +
         (verdict.deterministic ? "" : "; not the same from run to run");
}

std::string around(const gpu::WrongEntry& wrong) {
  const auto matrix = [&](const std::vector<std::string>& entries) {
    std::string all;
    for (std::size_t i = 0; i < entries.size(); ++i)
      all += (wrong.columns > 0 && i % static_cast<std::size_t>(wrong.columns) == 0 ? "\n" : "   ") + entries[i];
    return all;
  };
  if (wrong.around_got.empty()) return {};
  return "\nFrom (" + std::to_string(wrong.left) + ", " + std::to_string(wrong.top) + ") on\ngot" +
         matrix(wrong.around_got) + "\nexpected" + matrix(wrong.around_expected);
}

std::string details_of(const gpu::Verdict& verdict) {
  std::string all = verdict.fault;
  if (!verdict.where.empty()) all += (all.empty() ? "" : "\n") + ("Found with " + verdict.where);
  if (verdict.wrong) all += around(*verdict.wrong);
  return all;
}

}  // namespace

std::string title_of(const KernelFile& file) { return file.path.filename().string(); }

std::string_view state_word(const KernelFile& file) {
  if (file.phase == KernelFile::Phase::compiling) return "compiling...";
  if (file.phase == KernelFile::Phase::trying) return "trying...";
  if (!file.refusal.empty()) return "refused";
  const auto outcome = file.verdict.outcome;
  if (outcome != gpu::Verdict::Outcome::right) return outcome_name(outcome);
  return file.is_effect ? "runs" : "right";
}

KernelView::State KernelView::state_of(const KernelFile& file) {
  return {file.path,
          file.version,
          file.phase,
          file.refusal,
          file.messages.size(),
          file.refused_lines.size(),
          file.compile_seconds,
          file.verdict.sentence,
          file.verdict.where};
}

KernelView::KernelView(const KernelFile& file) : made_of_(state_of(file)), name_(title_of(file)), path_(file.path) {
  const bool newer = !file.refused_lines.empty() && (!file.refusal.empty() || file.version == 0);
  set_lines(newer ? file.refused_lines : file.lines);
  const auto places = newer ? places_of_lines(file.lines, file.refused_lines) : places_of_lines(file.lines, file.lines);
  if (file.version > 0) {
    count(file, places);
    add_races(file.verdict, places);
    if (!newer) add_fault(file.verdict.fault, places);
    if (!newer) add_messages(file.verdict.messages, places);
  }
  std::vector<int> own(lines_.size());
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(i) + 1;
  add_messages(file.messages, own);
  if (newer && file.messages.empty()) add_fault(file.refusal, own);
  order_rows();
  say(file);
}

void KernelView::set_lines(const std::vector<std::string>& lines) {
  bool in_comment = false;
  for (const auto& line : lines) {
    lines_.push_back(shown_line(line));
    begins_in_comment_.push_back(in_comment);
    // Most lines neither begin a comment that goes on nor end one.
    if (in_comment || lines_.back().find("/*") != std::string::npos) source_tokens(lines_.back(), in_comment);
  }
}

std::vector<SourceToken> KernelView::tokens_of(int line) const {
  bool in_comment = begins_in_comment_[static_cast<std::size_t>(line - 1)];
  return source_tokens(text_of(line), in_comment);
}

const LineFigures* KernelView::figures_of(int line) const {
  const auto found = figures_.find(line);
  return found == figures_.end() ? nullptr : &found->second;
}

Kind KernelView::mark_of(int line) const {
  const auto found = marks_.find(line);
  return found == marks_.end() ? Kind::source : found->second;
}

void KernelView::count(const KernelFile& file, std::span<const int> places) {
  const auto pixels = static_cast<double>(file.verdict.counted.pixels());
  if (pixels == 0) return;
  for (const auto& counts : file.verdict.lines) {
    const auto figures = figures_per_pixel(counts, pixels);
    for (std::size_t i = 0; i < line_figures; ++i) most_[i] = std::max(most_[i], figures[i]);
    if (counts.file != name_) {
      elsewhere_.push_back(notes_.size());
      notes_.push_back({counts.file + ':' + std::to_string(counts.line), {}, 0, figures});
    } else if (const auto line = place_of(places, counts.line); line > 0 && line <= lines()) {
      auto& sum = figures_[line];
      for (std::size_t i = 0; i < line_figures; ++i) sum[i] += figures[i];
    }
  }
  std::ranges::stable_sort(elsewhere_, std::greater(), [&](std::size_t i) { return notes_[i].figures[0]; });
}

void KernelView::add_note(Kind kind, int below, Note note) {
  if (below < 0 || below > lines()) below = 0;
  if (auto& mark = marks_[below]; below > 0 && (mark == Kind::source || kind == Kind::error) && kind != Kind::warning)
    mark = kind;
  rows_.push_back({kind, below, notes_.size()});
  notes_.push_back(std::move(note));
}

void KernelView::add_races(const gpu::Verdict& verdict, std::span<const int> places) {
  for (const auto& race : races_by_lines(verdict.races)) {
    // A file that is not known is the only one that there is.
    const bool first_here = race.first_file.empty() || race.first_file == name_,
               second_here = race.second_file.empty() || race.second_file == name_;
    const auto first = first_here ? place_of(places, race.first) : 0,
               second = second_here ? place_of(places, race.second) : 0;
    const auto below = std::max(first, second);
    const bool of_first = first == below;  // beneath it the other one is named
    std::string with;
    if (race.first > 0) {
      if (race.first == race.second && race.first_file == race.second_file)
        with = "Race of threads at this line";
      else
        with = "Race with " +
               (of_first ? line_words(second_here ? name_ : race.second_file, second > 0 ? second : race.second, name_)
                         : line_words(first_here ? name_ : race.first_file, first > 0 ? first : race.first, name_));
    } else {
      with = "Race with a line that is not known";
    }
    for (const auto line : {first, second})
      if (line > 0) marks_[line] = Kind::race;
    add_note(Kind::race, below, {with + ", no barrier between: " + race.found, path_, below});
  }
}

void KernelView::add_fault(const std::string& fault, std::span<const int> places) {
  if (const auto line = place_of(places, line_in(fault, name_)); line > 0)
    add_note(Kind::fault, line, {first_line(fault), path_, line});
}

void KernelView::add_messages(std::span<const gpu::SourceMessage> messages, std::span<const int> places) {
  for (const auto& message : messages) {
    const bool here = message.file.empty() || message.file == path_;
    const auto kind = message.is_error() ? Kind::error : Kind::warning;
    const auto place = here || message.line == 0 ? std::string()
                                                 : line_words(message.file_name(), message.line, name_) + ": ";
    add_note(kind, here ? place_of(places, message.line) : 0,
             {place + std::string(severity_name(message.severity)) + ": " + message.text, message.file, message.line});
  }
}

// The rows of the text, each with its notes beneath it; then what was counted in other files.
void KernelView::order_rows() {
  marks_.erase(0);
  auto notes = std::exchange(rows_, {});
  std::ranges::stable_sort(notes, {}, &Row::line);
  auto next = notes.begin();
  const auto add_notes = [&](int line) {
    for (; next != notes.end() && next->line == line; ++next) rows_.push_back(*next);
  };
  rows_.reserve(lines_.size() + notes_.size() + 1);
  add_notes(0);
  for (int line = 1; line <= lines(); ++line) {
    rows_.push_back({Kind::source, line, 0});
    add_notes(line);
  }
  if (elsewhere_.empty()) return;
  rows_.push_back({Kind::title, 0, notes_.size()});
  notes_.push_back({"In the files that it includes", {}, 0, {}});
  for (const auto index : elsewhere_) rows_.push_back({Kind::elsewhere, 0, index});
}

void KernelView::say(const KernelFile& file) {
  const bool compiling = file.phase == KernelFile::Phase::compiling, busy = file.phase != KernelFile::Phase::idle;
  const std::string doing = compiling ? "Compiling " : "Trying ";
  if (file.compile_seconds > 0) compiled_ = "compiled in " + number(file.compile_seconds, 2) + " s";
  if (file.version == 0) {
    headline_ = busy ? doing + name_ + "..." : name_ + why_refused(file);
    state_ = busy ? "It is in the list once it works." : "It is tried again when it is saved.";
    return;
  }
  const auto& verdict = file.verdict;
  wrong_ = verdict.outcome == gpu::Verdict::Outcome::wrong;
  headline_ = name_ + verdict_words(verdict);
  result_ = result_words(verdict);
  details_ = details_of(verdict);
  if (!file.refusal.empty()) refused_ = "The last save" + why_refused(file) + '.';
  if (busy)
    state_ = doing + "what was saved last...";
  else if (!refused_.empty())
    state_ = "The version before it runs on, its counts are shown.";
  else
    state_ = totals(verdict);
}

}  // namespace app
