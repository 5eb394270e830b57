#include "gpu/user_kernels/cuda_tokens.h"

#include <algorithm>
#include <array>

namespace gpu {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes of UTF-8 beyond ASCII are letters.
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || static_cast<unsigned char>(c) >= 128;
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) { result_.text = text; }

  TokenText all() {
    bool line_begins = true;
    while (at_ < text_.size()) {
      if (space()) continue;
      if (text_[at_] == '\n') {
        ++at_;
        line_begins = true;
      } else if (is("//") || is("/*")) {
        comment(false);
      } else if (text_[at_] == '#' && line_begins) {
        directive();
      } else {
        result_.tokens.push_back(token());
        line_begins = false;
      }
    }
    return std::move(result_);
  }

 private:
  bool is(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  char ahead(std::size_t by) const { return at_ + by < text_.size() ? text_[at_ + by] : '\0'; }
  // The length of a backslash and the line break behind it; 0: there is none.
  std::size_t continuation(std::size_t at) const {
    if (at >= text_.size() || text_[at] != '\\') return 0;
    const auto rest = text_.substr(at + 1, 2);
    return rest.starts_with('\n') ? 2 : rest == "\r\n" ? 3 : 0;
  }
  bool space() {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') return ++at_, true;
    const auto length = continuation(at_);
    at_ += length;
    return length > 0;
  }
  void unfinished(std::size_t begin, std::string what) {
    result_.unfinished.push_back({begin, std::move(what)});
    at_ = text_.size();
  }
  // To the line break, which is not part of it.
  void to_line_end() {
    while (at_ < text_.size() && text_[at_] != '\n') at_ += std::max<std::size_t>(1, continuation(at_));
    at_ = std::min(at_, text_.size());
  }

  void comment(bool in_directive) {
    const auto begin = at_;
    const bool whole_line = is("//");
    if (whole_line) {
      to_line_end();
    } else {
      const auto end = text_.find("*/", at_ + 2);
      if (end == text_.npos) return unfinished(begin, "comment");
      at_ = end + 2;
    }
    if (!in_directive) note_comment(begin, whole_line);
  }
  void note_comment(std::size_t begin, bool whole_line) {
    if (!result_.tokens.empty()) return;
    auto words = text_.substr(begin + 2, at_ - begin - (whole_line ? 2 : 4));
    if (result_.first_comment.empty()) {
      result_.first_comment = words;
      comment_continues_ = whole_line;
    } else if (comment_continues_ && whole_line && only_spaces_between(comment_end_, begin)) {
      result_.first_comment += '\n';
      result_.first_comment += words;
    } else {
      comment_continues_ = false;
    }
    comment_end_ = at_;
  }
  bool only_spaces_between(std::size_t from, std::size_t to) const {
    const auto between = text_.substr(from, to - from);
    return between.find_first_not_of(" \t\r\n") == between.npos && std::ranges::count(between, '\n') == 1;
  }

  void directive() {
    Directive found{at_, at_, {}, result_.tokens.size()};
    ++at_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (space()) continue;
      if (is("//") || is("/*"))
        comment(true);
      else
        found.tokens.push_back(token());
    }
    found.end = at_;
    result_.directives.push_back(std::move(found));
  }

  Token token() {
    const auto begin = at_;
    const auto made = [&](Token::Kind kind) { return Token{kind, begin, at_}; };
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(ahead(1)))) {
      number();
      return made(Token::Kind::number);
    }
    if (is_letter(c)) {
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
      const auto word = text_.substr(begin, at_ - begin);
      static constexpr std::string_view raw[] = {"R", "u8R", "uR", "UR", "LR"}, prefixes[] = {"u8", "u", "U", "L"};
      const char next = ahead(0);
      if (next == '"' && std::ranges::find(raw, word) != std::end(raw)) {
        raw_string(begin);
        return made(Token::Kind::string);
      }
      if ((next != '"' && next != '\'') || std::ranges::find(prefixes, word) == std::end(prefixes))
        return made(Token::Kind::word);
    }
    const char quote = text_[at_];
    if (quote == '"' || quote == '\'') {
      quoted(quote);
      return made(quote == '"' ? Token::Kind::string : Token::Kind::character);
    }
    static constexpr std::array<std::string_view, 9> several{"<<<", ">>>", "::", "->", "<<", ">>", "<=", ">=", "=="};
    const auto found = std::ranges::find_if(several, [&](auto one) { return is(one); });
    at_ += found == several.end() ? 1 : found->size();
    return made(Token::Kind::punctuation);
  }

  // A preprocessing number: 1'000'000, 0x1p-3, 1.5e+3f.
  void number() {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_], before = text_[at_ - 1];
      const bool exponent = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && (is_digit(ahead(1)) || is_letter(ahead(1)));
      if (!is_digit(c) && !is_letter(c) && c != '.' && !exponent && !separator) return;
    }
  }
  // One that has no end ends with its line, where the compiler says so.
  void quoted(char quote) {
    for (++at_; at_ < text_.size() && text_[at_] != '\n';) {
      if (text_[at_] == quote) {
        ++at_;
        return;
      }
      const auto continued = continuation(at_);
      at_ += continued > 0 ? continued : text_[at_] == '\\' && ahead(1) != '\n' ? 2 : 1;
    }
    at_ = std::min(at_, text_.size());
  }
  void raw_string(std::size_t begin) {
    constexpr std::size_t longest = 16;
    const auto open = text_.find('(', at_);
    if (open != text_.npos && open - at_ - 1 <= longest) {
      const auto close = ')' + std::string(text_.substr(at_ + 1, open - at_ - 1)) + '"';
      if (const auto end = text_.find(close, open); end != text_.npos) {
        at_ = end + close.size();
        return;
      }
    }
    unfinished(begin, "raw string");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t comment_end_ = 0;
  bool comment_continues_ = false;
  TokenText result_;
};

// Bytes of the letter with which a text that is not empty begins; 0: it is not UTF-8.
std::size_t letter_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0), second = byte(1);
  const std::size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  for (std::size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  // Longer than it need be, half of a pair of UTF-16, or beyond Unicode.
  const bool is_none = (first == 0xe0 && second < 0xa0) || (first == 0xed && second >= 0xa0) ||
                       (first == 0xf0 && second < 0x90) || (first == 0xf4 && second >= 0x90);
  return is_none ? 0 : size;
}

// Bytes of the end of a sentence with which a text begins; 0: it begins with none. Japanese, Chinese and Hindi set no space
// behind it.
std::size_t sentence_end(std::string_view text) {
  static constexpr std::string_view without_space[] = {"\u3002", "\uff01", "\uff1f", "\u0964"};
  for (const auto end : without_space)
    if (text.starts_with(end)) return end.size();
  const bool ends = text[0] == '.' || text[0] == '!' || text[0] == '?';
  return ends && (text.size() == 1 || text[1] == ' ') ? 1 : 0;
}

}  // namespace

TokenText tokens_of(std::string_view text) { return Tokenizer(text).all(); }

std::string first_sentence(std::string_view comment) {
  std::string words;
  for (const char c : comment) {
    const auto code = static_cast<unsigned char>(c);
    const bool skipped = code <= 32 || code == 127 ||
                         ((c == '*' || c == '/' || c == '!') && (words.empty() || words.back() == ' '));
    if (!skipped)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  std::size_t end = 0, mark = 0;
  for (; end < words.size() && mark == 0; end += mark == 0) mark = sentence_end(std::string_view(words).substr(end));
  constexpr std::size_t longest = 300;
  words = utf8_text(std::string_view(words).substr(0, end + mark), longest);
  while (words.ends_with(' ')) words.pop_back();
  return words;
}

std::string utf8_text(std::string_view text, std::size_t most_bytes) {
  std::string all;
  while (!text.empty()) {
    const auto size = letter_size(text);
    const auto letter = size > 0 ? text.substr(0, size) : "\ufffd";
    if (all.size() + letter.size() > most_bytes) break;
    all += letter;
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return all;
}

TextLines::TextLines(std::string_view text) : begins_{0} {
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) begins_.push_back(at + 1);
}
std::size_t TextLines::index(std::size_t at) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(begins_, at) - begins_.begin()) - 1;
}
int TextLines::line(std::size_t at) const { return static_cast<int>(index(at)) + 1; }
int TextLines::column(std::size_t at) const { return static_cast<int>(at - begins_[index(at)]) + 1; }

}  // namespace gpu
