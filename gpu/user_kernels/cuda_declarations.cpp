#include "gpu/user_kernels/cuda_declarations.h"

#include <algorithm>
#include <array>
#include <optional>

namespace gpu {
namespace {

using Tokens = std::vector<Token>;
constexpr std::size_t longest = 4096;  // tokens of a declaration or a launch that are looked at

enum class Truth { no, yes, unknown };
constexpr Truth opposite(Truth a) { return a == Truth::unknown ? a : a == Truth::yes ? Truth::no : Truth::yes; }

// Of a condition of #if, as far as it asks for CUDA's compiler.
class Condition {
 public:
  Condition(const TokenText& file, const Directive& directive, bool simulated)
      : file_(file), tokens_(directive.tokens), simulated_(simulated) {}

  Truth truth() const {
    const auto name = word(0);
    if (name == "ifdef" || name == "elifdef") return is_defined(word(1));
    if (name == "ifndef" || name == "elifndef") return opposite(is_defined(word(1)));
    bool all = true;
    for (std::size_t i = 1, end; i < tokens_.size(); i = end + 2) {
      for (end = i; end < tokens_.size() && !(word(end) == "&" && word(end + 1) == "&"); ++end)
        if (word(end) == "|" || word(end) == "?") return Truth::unknown;
      const auto part = of_part(i, end);
      if (part == Truth::no) return part;
      all &= part == Truth::yes;
    }
    return all ? Truth::yes : Truth::unknown;
  }

 private:
  std::string_view word(std::size_t i) const { return i < tokens_.size() ? file_[tokens_[i]] : std::string_view(); }
  Truth is_defined(std::string_view name) const {
    if (name == "SATSCOPE_SIMULATED") return simulated_ ? Truth::yes : Truth::no;
    if (name == "__CUDACC__" || name == "__NVCC__") return simulated_ ? Truth::no : Truth::yes;
    if (name == "__CUDA_ARCH__" && simulated_) return Truth::no;
    return Truth::unknown;
  }
  Truth of_part(std::size_t i, std::size_t end) const {
    if (word(i) == "!") return opposite(of_part(i + 1, end));
    if (word(i) == "defined") return is_defined(word(i + 1) == "(" ? word(i + 2) : word(i + 1));
    if (end - i == 1 && (word(i) == "0" || word(i) == "1")) return word(i) == "1" ? Truth::yes : Truth::no;
    // An undefined name is 0, which no version is.
    const bool compared = end - i == 1 || word(i + 1) == ">=" || word(i + 1) == ">";
    return compared && is_defined(word(i)) == Truth::no ? Truth::no : Truth::unknown;
  }

  const TokenText& file_;
  const Tokens& tokens_;
  bool simulated_;
};

// A group of #if ... #endif.
struct Group {
  std::size_t at = 0;
  bool outside_lives = true, lives = true;
  Truth taken = Truth::no;  // whether one of the alternatives before this one is compiled
};

}  // namespace

LiveTokens::LiveTokens(const TokenText& file, bool simulated) {
  std::vector<Group> groups;
  std::size_t next = 0;
  const auto lives = [&] { return groups.empty() || groups.back().lives; };
  const auto take = [&](std::size_t end) {
    const auto from = file.tokens.begin() + static_cast<std::ptrdiff_t>(next);
    if (lives()) tokens.insert(tokens.end(), from, file.tokens.begin() + static_cast<std::ptrdiff_t>(end));
    next = end;
  };
  for (const auto& directive : file.directives) {
    take(directive.next);
    const auto name = directive.tokens.empty() ? std::string_view() : file[directive.tokens[0]];
    const auto mark = [&](Mark::Kind kind) {
      if (groups.back().outside_lives) marks.push_back({tokens.size(), kind});
    };
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      const auto truth = Condition(file, directive, simulated).truth();
      groups.push_back({directive.begin, lives(), lives() && truth != Truth::no, truth});
      mark(Mark::Kind::begin);
    } else if ((name.starts_with("elif") || name == "else") && !groups.empty()) {
      auto& group = groups.back();
      const auto truth = name == "else" ? Truth::yes : Condition(file, directive, simulated).truth();
      const bool was_alive = group.lives;
      group.lives = group.outside_lives && group.taken != Truth::yes && truth != Truth::no;
      if (group.taken != Truth::yes && truth != Truth::no) group.taken = truth;
      if (was_alive && group.lives) mark(Mark::Kind::other);
    } else if (name == "endif" && !groups.empty()) {
      mark(Mark::Kind::end);
      groups.pop_back();
    } else if (lives() && name == "define") {
      macros.push_back(&directive);
    } else if (lives() && (name == "include" || name == "pragma")) {
      includes.push_back(&directive);
    }
  }
  take(file.tokens.size());
  if (!groups.empty()) problems.emplace_back(groups.back().at, "#if without its #endif");
}

std::size_t behind_bracket(const TokenText& file, const Tokens& tokens, std::size_t i, std::size_t end) {
  std::size_t depth = 0;
  for (; i < end; ++i) {
    const auto text = file[tokens[i]];
    if (tokens[i].kind != Token::Kind::punctuation) continue;
    if (text == "(" || text == "[" || text == "{")
      ++depth;
    else if (text == ")" || text == "]" || text == "}")
      if (depth-- <= 1) return i + 1;
  }
  return end;
}

std::size_t behind_angle(const TokenText& file, const Tokens& tokens, std::size_t i, std::size_t end) {
  const auto begin = i;
  std::size_t depth = 0;
  while (i < end) {
    const auto text = file[tokens[i]];
    if (tokens[i].kind != Token::Kind::punctuation) {
      ++i;
    } else if (text == "(" || text == "[" || text == "{") {
      i = behind_bracket(file, tokens, i, end);
    } else if (text == ";" || text == ")" || text == "]" || text == "}" || text == "<<<") {
      return begin;
    } else {
      if (text == "<") ++depth;
      const std::size_t closed = text == ">" ? 1 : text == ">>" ? 2 : text == ">>>" ? 3 : 0;
      ++i;
      if (closed >= depth && closed > 0) return i;
      depth -= closed;
    }
  }
  return begin;
}

namespace {

// What stands in parentheses behind these says nothing of whether there is a function.
bool takes_parentheses(std::string_view word) {
  static constexpr std::array<std::string_view, 12> all{
      "__launch_bounds__", "__attribute__",    "__align__",  "alignas",  "decltype", "noexcept",
      "requires",          "__cluster_dims__", "__declspec", "explicit", "sizeof",   "__maxnreg__"};
  return std::ranges::find(all, word) != all.end();
}

// Ends of the parts that commas separate in begin .. end - 1; none: there is nothing.
std::vector<std::pair<std::size_t, std::size_t>> parts_of(const TokenText& file, const Tokens& tokens, std::size_t begin,
                                                          std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  if (begin >= end) return parts;
  std::size_t from = begin;
  for (auto i = begin; i < end;) {
    const auto text = file[tokens[i]];
    if (text == "(" || text == "[" || text == "{") {
      i = behind_bracket(file, tokens, i, end);
    } else if (text == "<" && i > begin && tokens[i - 1].kind == Token::Kind::word) {
      i = std::max(i + 1, behind_angle(file, tokens, i, end));
    } else {
      if (text == ",") parts.emplace_back(from, i), from = i + 1;
      ++i;
    }
  }
  parts.emplace_back(from, end);
  return parts;
}

}  // namespace

Declaration::Declaration(const TokenText& file, const Tokens& tokens, std::size_t begin, std::size_t end) {
  const auto text = [&](std::size_t i) { return i < end ? file[tokens[i]] : std::string_view(); };
  end = std::min(end, begin + longest);
  auto i = begin;
  while (text(i) == "template" && text(i + 1) == "<") {
    const auto behind = behind_angle(file, tokens, i + 1, end);
    if (behind == i + 1) break;
    if (template_begin == none) template_begin = i, template_end = behind - 1;
    i = behind;
  }
  for (first = i; i < end;) {
    const auto word = text(i), before = i > begin ? text(i - 1) : std::string_view();
    const bool behind_function = open != none;
    if (word == "(") {
      const auto behind = behind_bracket(file, tokens, i, end);
      const bool names = i > begin && (tokens[i - 1].kind == Token::Kind::word || before == ">" || before == "]" ||
                                       before == ")" || text(i - 2) == "operator" || text(i - 3) == "operator");
      if (before == "operator") {  // operator()
        i = behind;
        continue;
      }
      if (names && !takes_parentheses(before)) {
        open = i;
        close = behind - 1;
        name = i - 1;
        if (text(close) != ")") close = none;
      }
      i = behind;
      continue;
    }
    if (word == "[") {
      i = behind_bracket(file, tokens, i, end);
      continue;
    }
    if (word == "<" && i > begin && tokens[i - 1].kind == Token::Kind::word && before != "operator") {
      i = std::max(i + 1, behind_angle(file, tokens, i, end));
      continue;
    }
    if (word == "{" || (word == "=" && before != "operator")) {
      has_value = has_value || word == "=";
      break;
    }
    if (word == ":" && behind_function) {
      has_members = true;
      break;
    }
    if (word == "->" && before != "operator") break;
    if (word == "namespace" && !behind_function) namespace_at = i;
    if (word == "extern") is_extern = true, is_linkage = i + 2 == end && tokens[i + 1].kind == Token::Kind::string;
    if ((word == "struct" || word == "class" || word == "union" || word == "enum") && !behind_function) is_type = true;
    if (word == "const" || word == "constexpr") is_const = true;
    if (word == "__global__") is_kernel = true;
    if (word == "__device__" || word == "__managed__") is_device = true, device_at = i;
    if (word == "__host__") is_host = true;
    if (word == "__constant__") constant_at = i;
    ++i;
  }
  if (has_value && open != none && !is_kernel && text(i) == "=" && text(i + 1) != "default" && text(i + 1) != "delete" &&
      text(i + 1) != "0")
    open = none;  // a variable, whose type has parentheses
}

bool Declaration::in_member_initializers(const TokenText& file, const Tokens& tokens, std::size_t i) const {
  if (!has_members || i == 0) return false;
  return tokens[i - 1].kind == Token::Kind::word || file[tokens[i - 1]] == ">";
}

int Declaration::count_parameters(const TokenText& file, const Tokens& tokens) const {
  const auto parts = parts_of(file, tokens, open + 1, close);
  if (parts.size() == 1 && parts[0].second == parts[0].first + 1 && file[tokens[parts[0].first]] == "void") return 0;
  return static_cast<int>(parts.size());
}

int Declaration::needed_template_arguments(const TokenText& file, const Tokens& tokens) const {
  int needed = 0;
  for (const auto& [from, to] : parts_of(file, tokens, template_begin + 2, template_end)) {
    bool has_default = false;
    for (auto i = from; i < to; ++i) {
      if (file[tokens[i]] == "=") has_default = true;
      if (file[tokens[i]] == "." && i + 2 < to && file[tokens[i + 1]] == ".") return std::numeric_limits<int>::max();
    }
    needed += !has_default;
  }
  return needed;
}

std::string Declaration::template_argument_names(const TokenText& file, const Tokens& tokens) const {
  std::string all;
  for (const auto& [from, to] : parts_of(file, tokens, template_begin + 2, template_end)) {
    auto end = from;
    while (end < to && file[tokens[end]] != "=") ++end;
    const bool is_pack = std::any_of(tokens.begin() + static_cast<std::ptrdiff_t>(from),
                                     tokens.begin() + static_cast<std::ptrdiff_t>(end),
                                     [&](const auto& token) { return file[token] == "."; });
    if (end < from + 2 || tokens[end - 1].kind != Token::Kind::word) return {};
    all += (all.empty() ? "" : ", ") + std::string(file[tokens[end - 1]]) + (is_pack ? "..." : "");
  }
  return all;
}

SharedDeclaration::SharedDeclaration(const TokenText& file, const Tokens& tokens, std::size_t first, std::size_t i)
    : begin(std::min(first, i)), keyword(i), at(i) {
  for (auto j = begin; j < i; ++j)
    if (file[tokens[j]] == "extern") is_extern = true;
  read(file, tokens);
  if (problem.empty() && (names.empty() || end == 0))
    problem = "a declaration with __shared__ is '__shared__ type name[size];'";
}

void SharedDeclaration::read(const TokenText& file, const Tokens& tokens) {
  const auto last = std::min(tokens.size(), keyword + longest);
  const auto text = [&](std::size_t i) { return i < last ? file[tokens[i]] : std::string_view(); };
  std::size_t name = 0;  // of this declarator, as far as it is known
  bool named = false;    // it is
  const auto end_of_declarator = [&] {
    if (name > 0) names.emplace_back(text(name));
    name = 0;
    named = false;
  };
  for (auto i = keyword + 1; i < last;) {
    const auto word = text(i);
    if (word == ";") {
      end_of_declarator();
      end = tokens[i].end;
      has_end = true;
      return;
    }
    if (word == ",") {
      end_of_declarator();
      ++i;
    } else if (word == "=" || (word == "{" && name > 0 && text(name) != "struct" && text(name - 1) != "struct" &&
                               text(name - 1) != "union" && text(name) != "union")) {
      at = i;
      problem = "a __shared__ variable has no initial value: store it, then __syncthreads()";
      return;
    } else if (word == "{") {
      i = behind_bracket(file, tokens, i, last);
    } else if (word == "(") {
      const bool pointer = text(i + 1) == "*" || text(i + 1) == "&";
      if (pointer && !named)
        for (auto j = i + 1; j < last && text(j) != ")" && text(j) != "["; ++j)
          if (tokens[j].kind == Token::Kind::word) name = j, named = true;
      i = behind_bracket(file, tokens, i, last);
    } else if (word == "[") {
      const auto behind = behind_bracket(file, tokens, i, last);
      if (behind == i + 2) unbounded.push_back(tokens[i].end);
      named = named || name > 0;
      i = behind;
    } else if (word == "<" && tokens[i - 1].kind == Token::Kind::word) {
      i = std::max(i + 1, behind_angle(file, tokens, i, last));
    } else {
      if (word == "__shared__" || word == "}" || word == "<<<") return;
      if (word == "extern") is_extern = true;
      const bool is_name = tokens[i].kind == Token::Kind::word && !takes_parentheses(word);
      if (is_name && !named) name = i;
      ++i;
    }
  }
  if (last < tokens.size()) return names.clear();
  end_of_declarator();
  end = tokens.back().end;
}

LaunchSyntax::LaunchSyntax(const TokenText& file, const Tokens& tokens, std::size_t i) {
  const auto text = [&](std::size_t j) { return j < tokens.size() ? file[tokens[j]] : std::string_view(); };
  const auto first = i > longest ? i - longest : 0;
  const auto is_name = [&](std::size_t j) {
    static constexpr std::array<std::string_view, 7> keywords{"return",    "else",  "do",      "case",
                                                              "co_return", "throw", "co_yield"};
    return tokens[j].kind == Token::Kind::word && std::ranges::find(keywords, text(j)) == keywords.end();
  };
  // From a bracket that closes to where it opens.
  const auto back = [&](std::size_t j, bool angles) -> std::size_t {
    std::size_t brackets = 0, open_angles = 0;
    for (auto k = j;; --k) {
      const auto one = tokens[k].kind == Token::Kind::punctuation ? text(k) : std::string_view();
      if (angles && one == ";") return none;
      if (one == ")" || one == "]" || one == "}") ++brackets;
      if (one == "(" || one == "[" || one == "{") {
        if (brackets == 0) return none;
        if (--brackets == 0 && !angles) return k;
      }
      if (angles && brackets == 0) {
        open_angles += one == ">" ? 1 : one == ">>" ? 2 : one == ">>>" ? 3 : 0;
        if (one == "<" && --open_angles == 0) return k;
      }
      if (k == first) return none;
    }
  };
  if (i == 0) return;
  auto at = i - 1;
  if (text(at) == ">" || text(at) == ">>" || text(at) == ">>>") {
    const auto open = back(at, true);
    if (open == none || open == 0 || !is_name(open - 1)) return;
    template_arguments = static_cast<int>(parts_of(file, tokens, open + 1, at).size());
    at = open - 1;
  } else if (text(at) == ")" || text(at) == "]") {
    at = back(at, false);
    if (at == none) return;
    name = callee = at;
    if (at > 0 && is_name(at - 1)) at = callee = at - 1;
  } else if (!is_name(at)) {
    return;
  }
  if (name == none) name = at;
  callee = at;
  while (callee > first && (text(callee - 1) == "::" || text(callee - 1) == "." || text(callee - 1) == "->")) {
    --callee;
    if (callee == first) break;
    if (is_name(callee - 1)) {
      --callee;
    } else if (text(callee - 1) == ">") {
      const auto open = back(callee - 1, true);
      if (open == none || open == 0 || !is_name(open - 1)) break;
      callee = open - 1;
    } else {
      break;
    }
  }

  // Of the >>> outside brackets that arguments follow, the first one that does not close templates.
  const auto last = std::min(tokens.size(), i + longest);
  std::size_t angles = 0, commas = 0;
  for (auto j = i + 1; j < last;) {
    const auto one = text(j);
    if (one == "(" || one == "[" || one == "{") {
      j = behind_bracket(file, tokens, j, last);
      continue;
    }
    if (one == ";" || one == ")" || one == "]" || one == "}" || one == "<<<") break;
    commas += one == ",";
    if (one == "<" && tokens[j - 1].kind == Token::Kind::word) ++angles;
    if (one == ">>>" && text(j + 1) == "(") {
      close = j;
      if (angles < 3) break;
    }
    const std::size_t closed = one == ">" ? 1 : one == ">>" ? 2 : one == ">>>" ? 3 : 0;
    angles -= std::min(angles, closed);
    ++j;
  }
  if (commas == 0) close = none;
}

}  // namespace gpu
