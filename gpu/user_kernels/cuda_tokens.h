// The tokens of a text in CUDA C++, as far as a rewriting needs them: comments, strings and preprocessing directives are told
// from code.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gpu {

struct Token {
  // An end is a `<<<` or `>>>`, one token as in CUDA, other punctuation `::`, `->`, `>>`, `<<`, `<=`, `>=`, `==` or a single
  // character.
  enum class Kind { word, number, string, character, punctuation };

  Kind kind = Kind::punctuation;
  std::size_t begin = 0, end = 0;  // in the text
};

// A line that begins with #, with those that continue it.
struct Directive {
  std::size_t begin = 0, end = 0;  // in the text, without the last line break
  std::vector<Token> tokens;       // behind #
  std::size_t next = 0;            // the first of TokenText::tokens behind it
};

// Something that does not end, from where it begins.
struct UnfinishedToken {
  std::size_t begin = 0;
  std::string what;  // "comment"
};

struct TokenText {
  std::string_view text;
  std::vector<Token> tokens;  // without those of directives
  std::vector<Directive> directives;
  std::vector<UnfinishedToken> unfinished;  // one at most: nothing comes behind it
  std::string first_comment;  // before all code, without its marks: lines of // that follow one another, or one of /* */

  std::string_view operator[](const Token& token) const { return text.substr(token.begin, token.end - token.begin); }
};

// Of any bytes. The text must outlive the result.
TokenText tokens_of(std::string_view text);

// The first sentence of a comment, on one line; of a long one its beginning. It is UTF-8, as below.
std::string first_sentence(std::string_view comment);

// The beginning of a text, in at most so many bytes of UTF-8, without a part of a letter. What is not UTF-8, as in files of
// older editors, becomes U+FFFD.
std::string utf8_text(std::string_view text, std::size_t most_bytes);

// The line and the column, from 1, of a place in a text. Places of one text are asked for in any order.
class TextLines {
 public:
  explicit TextLines(std::string_view text);
  int line(std::size_t at) const;
  int column(std::size_t at) const;

 private:
  std::size_t index(std::size_t at) const;
  std::vector<std::size_t> begins_;
};

}  // namespace gpu
