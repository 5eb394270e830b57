#include "gpu/parameter.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace gpu {
namespace {

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// One number is both sides.
std::optional<Size> width_by_height(std::string_view text) {
  const auto cross = text.find('x');
  const auto width = whole(text.substr(0, cross)), height = cross == text.npos ? width : whole(text.substr(cross + 1));
  if (!width || !height) return {};
  return Size{*width, *height};
}

// "15", not "15.000000"; "0.25".
std::string plain(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

bool takes(const Parameter& parameter, std::string_view text) {
  const auto within = [&](double v) { return v >= parameter.minimum && v <= parameter.maximum; };
  switch (parameter.kind) {
    case Parameter::Kind::choice:
    case Parameter::Kind::toggle: {
      const auto all = split_choices(parameter.choices);
      return std::find(all.begin(), all.end(), text) != all.end();
    }
    case Parameter::Kind::integer: {
      const auto value = whole(text);
      return value && within(*value);
    }
    case Parameter::Kind::real: {
      const auto value = number(text);
      return value && within(*value);
    }
    case Parameter::Kind::size: {
      const auto value = width_by_height(text);
      return value && within(value->width) && within(value->height);
    }
    case Parameter::Kind::file:
      return !text.empty() && std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 127; });
  }
  return false;
}

std::string allowed(const Parameter& parameter) {
  const auto range = plain(parameter.minimum) + " to " + plain(parameter.maximum);
  switch (parameter.kind) {
    case Parameter::Kind::choice:
    case Parameter::Kind::toggle: {
      auto items = split_choices(parameter.choices);  // the initial one comes first; numbers are read in their order
      if (std::ranges::all_of(items, [](auto item) { return whole(item).has_value(); }))
        std::ranges::sort(items, {}, [](auto item) { return whole(item).value(); });
      std::string text = "one of";
      for (const auto item : items) text += ' ' + std::string(item);
      return text;
    }
    case Parameter::Kind::integer: return "a whole number from " + range;
    case Parameter::Kind::real: return "a number from " + range;
    case Parameter::Kind::size: return "WIDTHxHEIGHT, each from " + range + ", or one number for both";
    case Parameter::Kind::file: return "a name or the path of a file, without control characters";
  }
  return {};
}

}  // namespace

std::vector<std::string_view> split_choices(std::string_view choices) {
  std::vector<std::string_view> items;
  while (!choices.empty()) {
    const auto comma = std::min(choices.find(','), choices.size());
    items.push_back(choices.substr(0, comma));
    choices.remove_prefix(std::min(comma + 1, choices.size()));
  }
  return items;
}

namespace {

constexpr std::size_t far = std::numeric_limits<std::size_t>::max();
constexpr std::size_t shortest_prefix = 3;  // shorter prefixes match too many names
constexpr std::size_t shortest_part = 3;    // nearly any letter is near to a part of two

// Without the dashes of options, in lower case.
std::string plain_name(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of('-'), name.size()));
  std::string letters(name);
  for (auto& letter : letters) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return letters;
}

// Letters inserted, deleted, replaced, or swapped with their neighbour.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = std::exchange(last, row);
  }
  return last.back();
}

std::size_t distance_to_whole(std::string_view word, std::string_view name) {
  if (word == name) return 0;
  if (word.size() >= shortest_prefix && name.starts_with(word)) return 1;
  const auto count = edits(word, name);
  const auto tolerated = name.size() < 2 ? 0 : std::max<std::size_t>(1, name.size() / 3);
  return count <= tolerated ? count : far;
}

// Distance to the whole name, or to one of its words: "blurr" is near box_blur.
std::size_t distance(std::string_view word, std::string_view name) {
  auto least = distance_to_whole(word, name);
  for (std::size_t begin = 0; begin < name.size();) {
    const auto end = std::min(name.find_first_of("_-", begin), name.size());
    const auto one = name.substr(begin, end - begin);
    const bool long_enough = one.size() >= shortest_part || one == word;
    if (const auto part = distance_to_whole(word, one); long_enough && part != far) least = std::min(least, part + 1);
    begin = end + 1;
  }
  return least;
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  const auto meant = plain_name(word);
  std::string_view best;
  // Among equally near ones, the one that shares the longer beginning with the word: "of" is "off", not "on".
  std::pair least{far, std::size_t{0}};
  for (const auto candidate : candidates) {
    const auto name = plain_name(candidate);
    const auto differ = std::mismatch(meant.begin(), meant.end(), name.begin(), name.end()).first;
    const std::pair away{distance(meant, name), static_cast<std::size_t>(meant.end() - differ)};
    if (away.first != far && away < least) {
      least = away;
      best = candidate;
    }
  }
  return best;
}

Arguments::Arguments(std::span<const Parameter> parameters) : parameters_(parameters) {
  for (const auto& parameter : parameters) values_.emplace_back(parameter.initial);
}

std::size_t Arguments::index(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].name == name) return i;
  std::vector<std::string_view> names;
  for (const auto& parameter : parameters_) names.push_back(parameter.name);
  std::string all;
  for (const auto known : names) all += ' ' + std::string(known);
  if (const auto near = nearest(name, names); !near.empty()) all += "; did you mean '" + std::string(near) + "'?";
  throw ArgumentError("no parameter '" + std::string(name) + "' here" +
                      (all.empty() ? ": there are none" : " (there are:" + all + ")"));
}

bool Arguments::has(std::string_view name) const {
  return std::any_of(parameters_.begin(), parameters_.end(), [&](const Parameter& p) { return p.name == name; });
}

void Arguments::set(std::string_view name, std::string_view text) {
  const auto i = index(name);
  const auto& parameter = parameters_[i];
  if (!takes(parameter, text)) {
    const auto near = nearest(text, split_choices(parameter.choices));
    throw ArgumentError("'" + std::string(text) + "' is not a valid value of " + std::string(name) + ": it takes " +
                        allowed(parameter) + (near.empty() ? "" : " (did you mean '" + std::string(near) + "'?)"));
  }
  std::string whole_text(text);
  if (parameter.kind == Parameter::Kind::size && text.find('x') == text.npos) (whole_text += 'x') += text;
  values_[i] = Value(whole_text);
}

Arguments::Value::Value(std::string_view text)
    : text(text), integer(whole(text)), real(number(text)), size(width_by_height(text)) {}

const std::string& Arguments::text(std::string_view name) const { return value(name).text; }
int Arguments::integer(std::string_view name) const { return value(name).integer.value(); }
double Arguments::real(std::string_view name) const { return value(name).real.value(); }
bool Arguments::toggle(std::string_view name) const { return text(name) == "on"; }
Size Arguments::size(std::string_view name) const { return value(name).size.value(); }
int Arguments::chosen_index(std::string_view name) const {
  const auto i = index(name);
  const auto choices = split_choices(parameters_[i].choices);
  return static_cast<int>(std::ranges::find(choices, values_[i].text) - choices.begin());
}

std::string text_of(const Arguments& arguments) {
  std::string text;
  for (const auto& parameter : arguments.parameters())
    text += (text.empty() ? "" : " ") + std::string(parameter.name) + '=' + arguments.text(parameter.name);
  return text;
}

void set_from_text(Arguments& arguments, std::string_view text) {
  for (auto at = text.find_first_not_of(' '); at != text.npos;) {
    const auto end = std::min(text.find(' ', at), text.size());
    const auto word = text.substr(at, end - at);
    const auto equals = word.find('=');
    if (equals == word.npos) throw ArgumentError("parameters are written NAME=VALUE, not '" + std::string(word) + "'");
    arguments.set(word.substr(0, equals), word.substr(equals + 1));
    at = text.find_first_not_of(' ', end);
  }
}

void detail::throw_no_kernel(int value) {
  throw std::invalid_argument("no kernel was built for the value " + std::to_string(value));
}

}  // namespace gpu
