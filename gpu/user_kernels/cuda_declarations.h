// Pieces of CUDA C++ that the rewriting of a user's kernel reads, from tokens: which of them are compiled, declarations,
// launches. They are told by their form alone, as no types are known; what is not valid C++ is read as something.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gpu/user_kernels/cuda_tokens.h"

namespace gpu {

// Those that may be compiled: without alternatives of #if that certainly are not.
struct LiveTokens {
  // An alternative of #if begins with the token `next`, or the last one has ended before it.
  struct Mark {
    enum class Kind { begin, other, end };
    std::size_t next = 0;
    Kind kind = Kind::begin;
  };

  std::vector<Token> tokens;
  std::vector<Mark> marks;
  std::vector<const Directive*> macros;                       // #define
  std::vector<const Directive*> includes;                     // #include, and #pragma once
  std::vector<std::pair<std::size_t, std::string>> problems;  // by their places in the text

  LiveTokens(const TokenText& file, bool simulated);
};

// The token behind the bracket that closes the one at `i`, of any kind, but at most `end`.
std::size_t behind_bracket(const TokenText& file, const std::vector<Token>& tokens, std::size_t i, std::size_t end);
// The same for the `<` at `i`; `i` itself where no `>` closes it.
std::size_t behind_angle(const TokenText& file, const std::vector<Token>& tokens, std::size_t i, std::size_t end);

// Tokens begin .. end - 1, which begin a declaration at the scope of a file, a namespace or a class.
struct Declaration {
  static constexpr auto none = std::numeric_limits<std::size_t>::max();

  std::size_t template_begin = none, template_end = none;                 // the outermost template's header, with `>`
  std::size_t first = 0;                                                  // behind it
  std::size_t name = none, open = none, close = none;                     // of a function, and its parentheses
  std::size_t namespace_at = none, device_at = none, constant_at = none;  // keywords
  bool is_linkage = false, is_type = false, has_value = false, is_const = false, is_extern = false;
  bool is_kernel = false, is_device = false, is_host = false, has_members = false;

  Declaration() = default;
  Declaration(const TokenText& file, const std::vector<Token>& tokens, std::size_t begin, std::size_t end);

  bool is_function() const { return open != none && close != none; }
  bool is_template() const { return template_begin != none; }
  // Of a constructor: the brace at `i` belongs to a member's value, not to the body.
  bool in_member_initializers(const TokenText& file, const std::vector<Token>& tokens, std::size_t i) const;
  int count_parameters(const TokenText& file, const std::vector<Token>& tokens) const;
  int needed_template_arguments(const TokenText& file, const std::vector<Token>& tokens) const;
  // "T, n, Rest..."; empty: one has no name.
  std::string template_argument_names(const TokenText& file, const std::vector<Token>& tokens) const;
};

// A declaration with the keyword __shared__ at token `i`, whose first token is `begin` or behind it.
struct SharedDeclaration {
  std::size_t begin = 0, keyword = 0;
  std::size_t end = 0;   // in the text, behind its semicolon
  bool has_end = false;  // it has one: in a macro it may come behind the macro
  bool is_extern = false;
  std::vector<std::string> names;      // one at least, unless there is a problem
  std::vector<std::size_t> unbounded;  // in the text, inside each []
  std::string problem;
  std::size_t at = 0;  // of the problem

  SharedDeclaration(const TokenText& file, const std::vector<Token>& tokens, std::size_t begin, std::size_t i);

 private:
  void read(const TokenText& file, const std::vector<Token>& tokens);
};

// callee<<<...>>>(, with `<<<` at token `i`.
struct LaunchSyntax {
  static constexpr auto none = std::numeric_limits<std::size_t>::max();

  std::size_t callee = none, name = none;  // the first token of the callee, and its last name
  int template_arguments = 0;              // behind the name
  std::size_t close = none;                // >>>

  LaunchSyntax(const TokenText& file, const std::vector<Token>& tokens, std::size_t i);
};

}  // namespace gpu
