#include "gpu/user_kernels/compiler_messages.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

#include "gpu/user_kernels/cuda_tokens.h"

namespace gpu {
namespace {

using Severity = SourceMessage::Severity;

constexpr std::size_t most_messages = 20, most_notes = 3, most_text = 500;  // bytes

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == text.npos ? std::string_view() : text.substr(first, last - first + 1);
}

// Takes a number from the beginning of `text`; 0: there is none.
int take_number(std::string_view& text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

// A place at the beginning of a line or, of a user's file, anywhere in it.
struct Place {
  std::string file;
  int line = 0, column = 0;
  std::string_view rest;  // of the line, behind the place
};

// What follows a file's name: ":12:3: ", ":12: ", ":12," of g++ and the linker, "(12): " of nvcc.
std::optional<Place> behind_name(std::string_view text) {
  if (text.empty() || (text[0] != ':' && text[0] != '(')) return {};
  const bool nvcc = text[0] == '(';
  text.remove_prefix(1);
  Place place;
  if ((place.line = take_number(text)) <= 0) return {};
  if (nvcc) {
    if (!text.starts_with(')')) return {};
    text.remove_prefix(1);
  } else if (text.starts_with(':')) {
    auto behind = text.substr(1);
    if ((place.column = take_number(behind)) > 0) text = behind;
  }
  if (!text.empty() && text[0] != ':' && text[0] != ',') return {};
  place.rest = trimmed(text.empty() ? text : text.substr(1));
  return place;
}

// What begins with a severity; the severity and what follows it.
std::optional<std::pair<Severity, std::string_view>> severity_of(std::string_view text) {
  constexpr std::pair<std::string_view, Severity> all[] = {{"error", Severity::error},
                                                           {"fatal error", Severity::error},
                                                           {"catastrophic error", Severity::error},
                                                           {"internal compiler error", Severity::error},
                                                           {"sorry, unimplemented", Severity::error},
                                                           {"warning", Severity::warning},
                                                           {"note", Severity::note}};
  for (const auto& [word, severity] : all) {
    if (!text.starts_with(word)) continue;
    auto rest = text.substr(word.size());
    if (rest.starts_with(" #")) rest.remove_prefix(std::min(rest.find(':'), rest.size()));  // nvcc's numbers
    if (rest.starts_with(':')) return std::pair(severity, trimmed(rest.substr(1)));
  }
  constexpr std::string_view of_linker[] = {"undefined reference to", "multiple definition of"};
  for (const auto words : of_linker)
    if (text.starts_with(words)) return std::pair(Severity::error, text);
  return {};
}

bool is_chain(std::string_view text) {
  return text.starts_with("required") || text.starts_with("recursively required") || text.starts_with("in 'constexpr'");
}

// The output of one compiler, line by line.
class Reader {
 public:
  explicit Reader(const KernelSource& source) : source_(source) {
    for (const auto& file : source.files) files_.push_back(file.lexically_normal().string());
    if (const auto own = source.file.lexically_normal().string(); std::ranges::find(files_, own) == files_.end())
      files_.push_back(own);
    // Of two names of which one is the end of the other, the longer one is found.
    std::ranges::stable_sort(files_, std::greater(), &std::string::size);
  }

  void read(std::string_view line) {
    if (read_includes(line) || read_nvcc_chain(line)) return;
    const auto place = place_in(line);
    if (place && is_chain(place->rest)) {
      used_at_.push_back(*place);
    } else if (const auto severity = severity_of(place ? place->rest : trimmed(line))) {
      take(place.value_or(Place()), severity->first, severity->second);
    } else if (line.ends_with(':') && (line.find(": In ") != line.npos || line.find(": At ") != line.npos)) {
      used_at_.clear();  // g++ says this, and what led there, once for all messages of a function
    } else if (const auto text = of_program(line); !text.empty()) {
      take({}, Severity::error, text);
    }
  }

  std::vector<SourceMessage> messages() && {
    for (auto& message : messages_) message.name_of_file = source_.name_of(message.file);
    return std::move(messages_);
  }

 private:
  bool is_users(std::string_view file) const { return std::ranges::find(files_, file) != files_.end(); }

  std::optional<Place> place_in(std::string_view line) const {
    for (const auto& file : files_)
      for (auto at = line.find(file); at != line.npos; at = line.find(file, at + 1))
        if (auto place = behind_name(line.substr(at + file.size()))) return place->file = file, place;
    for (auto at = line.find_first_of(":("); at != line.npos; at = line.find_first_of(":(", at + 1))
      if (auto place = behind_name(line.substr(at)); place && (severity_of(place->rest) || is_chain(place->rest)))
        return place->file = line.substr(0, at), place;
    return {};
  }

  // "In file included from mine.cu:1:", "                 from mine.cu:1,"
  bool read_includes(std::string_view line) {
    constexpr std::string_view first = "In file included from ";
    const auto text = trimmed(line);
    if (!text.starts_with(first) && !text.starts_with("from ")) return false;
    if (text.starts_with(first)) included_at_.clear(), used_at_.clear();
    if (const auto place = place_in(text)) included_at_.push_back(*place);
    return true;
  }

  // "          detected during instantiation of "int twice(T) [with T=S]" at line 5 of mine.cu", after the message
  bool read_nvcc_chain(std::string_view line) {
    constexpr std::string_view words = " at line ";
    const auto at = line.find(words);
    if (!line.starts_with("   ") || at == line.npos) return false;
    if (!is_placed_ && last_ < messages_.size()) {
      auto rest = line.substr(at + words.size());
      const int number = take_number(rest);
      const auto file = rest.starts_with(" of ") ? trimmed(rest.substr(4)) : std::string_view(last_file_);
      if (is_users(file.starts_with('"') ? file.substr(1, file.size() - 2) : file)) set_place(std::string(file), number);
    }
    return true;
  }

  // What the programs say that a compiler starts: "ptxas error   : ...", "nvcc fatal   : ...", "cc1plus: fatal error: ..."
  static std::string_view of_program(std::string_view line) {
    constexpr std::string_view endings[] = {"error", "fatal", "fatal error"};
    const auto colon = line.find(':');
    if (colon == line.npos || line.starts_with("collect2")) return {};
    const auto head = trimmed(line.substr(0, colon)), rest = trimmed(line.substr(colon + 1));
    if (head.starts_with("ptxas ") || head.starts_with("nvcc ") || head.starts_with("nvlink "))
      return std::ranges::any_of(endings, [&](auto each) { return head.ends_with(each); }) ? rest : std::string_view();
    if (head.find(' ') != head.npos) return {};
    const auto severity = severity_of(rest);
    return severity && severity->first == Severity::error ? severity->second : std::string_view();
  }

  void take(const Place& place, Severity severity, std::string_view text) {
    if (severity == Severity::note) return take_note(place, text);
    SourceMessage message{severity, place.file, place.line, place.column, utf8_text(text, most_text)};
    is_placed_ = is_users(place.file);
    is_by_include_ = false;
    const bool is_dropped = !is_placed_ && severity == Severity::warning;
    last_ = is_dropped ? messages_.size() + 1 : messages_.size();
    notes_ = 0;
    if (is_dropped) return;
    last_file_ = place.file;
    if (!is_placed_) {
      message.file = source_.file;
      message.line = message.column = 0;
      if (place.line > 0)
        message.text = "in " + std::filesystem::path(place.file).filename().string() + ':' + std::to_string(place.line) +
                       ": " + message.text;
    }
    messages_.push_back(std::move(message));
    if (is_placed_) return;
    for (const auto* chain : {&used_at_, &included_at_})
      for (const auto& each : *chain)
        if (!is_placed_ && is_users(each.file)) {
          set_place(each.file, each.line, each.column);
          is_by_include_ = chain == &included_at_;
        }
  }

  void take_note(const Place& place, std::string_view text) {
    if (last_ >= messages_.size() || !is_users(place.file)) return;
    if ((!is_placed_ || is_by_include_) && text.starts_with("in expansion of macro"))
      return set_place(place.file, place.line, place.column);
    if (notes_++ < most_notes)
      messages_.push_back({Severity::note, place.file, place.line, place.column, utf8_text(text, most_text)});
  }

  // Of the last error or warning.
  void set_place(const std::string& file, int line, int column = 0) {
    auto& message = messages_[last_];
    message.file = file;
    message.line = line;
    message.column = column;
    is_placed_ = true;
    is_by_include_ = false;
  }

  const KernelSource& source_;
  std::vector<std::string> files_;            // the user's
  std::vector<Place> included_at_, used_at_;  // what led to the next message, the innermost first
  std::vector<SourceMessage> messages_;
  std::size_t last_ = 1, notes_ = 0;  // the error or warning to which notes belong: its index, or more where it is left out
  std::string last_file_;             // of its compiler
  bool is_placed_ = true;             // it stands in a file of the user's
  bool is_by_include_ = false;        // where a header is included: the place of a macro says more
};

using Said = std::vector<SourceMessage>;  // an error or a warning, and its notes

bool is_same(const SourceMessage& a, const SourceMessage& b) {
  return a.severity == b.severity && a.file == b.file && a.line == b.line && (a.line > 0 || a.text == b.text);
}

}  // namespace

std::vector<SourceMessage> read_compiler_messages(std::string_view output, const KernelSource& source) {
  Reader reader(source);
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    reader.read(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return std::move(reader).messages();
}

std::vector<SourceMessage> merged(std::span<const std::vector<SourceMessage>> builds) {
  std::vector<Said> all[2];                  // errors and warnings
  std::vector<std::filesystem::path> files;  // in the order in which something is said of them
  for (const auto& messages : builds) {
    const std::vector<Said> before[] = {all[0], all[1]};
    std::vector<Said>* to = nullptr;  // null: notes belong to what is left out
    for (const auto& message : messages) {
      if (message.severity == Severity::note) {
        if (to) to->back().push_back(message);
        continue;
      }
      const auto which = message.is_error() ? 0 : 1;
      const auto is_alike = [&](const Said& other) { return is_same(other.front(), message); };
      // What a compiler says more of a line than its first error mostly follows from that.
      const bool is_known = std::ranges::any_of(message.is_error() ? all[which] : before[which], is_alike);
      if (std::ranges::find(files, message.file) == files.end()) files.push_back(message.file);
      to = is_known ? nullptr : &all[which];
      if (to) to->push_back({message});
    }
  }
  std::vector<SourceMessage> merged;
  for (auto& some : all) {
    std::ranges::stable_sort(some, {}, [&](const Said& each) {
      const auto& first = each.front();
      return std::tuple(first.line == 0, std::ranges::find(files, first.file) - files.begin(), first.line);
    });
    for (const auto& each : some) merged.insert(merged.end(), each.begin(), each.end());
  }
  if (merged.size() > most_messages) merged.resize(most_messages);
  return merged;
}

}  // namespace gpu
