// Parameters: the choices of an algorithm or an effect, as data, so that the menu, the command line, the settings file and
// the tests use the same table. Arguments: the chosen values.
#pragma once

#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"

namespace gpu {

// A file that has a name. `path`: where it is; empty: it is compiled in.
struct NamedFile {
  std::string name, title, path;
};

struct Parameter {
  enum class Kind {
    choice,   // one of `choices`
    integer,  // minimum..maximum
    real,     // minimum..maximum
    size,     // WxH, each side minimum..maximum
    toggle,   // on | off
    file,     // a name of `known`, or the path of a file; whether there is one is found out where it is used
  };
  std::string_view name;  // as written after --set
  Kind kind;
  std::string_view initial;
  std::string_view choices;  // comma-separated; Kind::choice only
  double minimum = 0, maximum = 0, step = 1;
  std::string_view help;                               // one line
  const std::vector<NamedFile>& (*known)() = nullptr;  // Kind::file only
};

constexpr Parameter choice(std::string_view name, std::string_view choices, std::string_view help) {
  return {name, Parameter::Kind::choice, choices.substr(0, choices.find(',')), choices, 0, 0, 1, help};
}
constexpr Parameter integer(std::string_view name, std::string_view initial, double minimum, double maximum,
                            std::string_view help) {
  return {name, Parameter::Kind::integer, initial, {}, minimum, maximum, 1, help};
}
constexpr Parameter real(std::string_view name, std::string_view initial, double minimum, double maximum, double step,
                         std::string_view help) {
  return {name, Parameter::Kind::real, initial, {}, minimum, maximum, step, help};
}
constexpr Parameter size(std::string_view name, std::string_view initial, double minimum, double maximum,
                         std::string_view help) {
  return {name, Parameter::Kind::size, initial, {}, minimum, maximum, 1, help};
}
constexpr Parameter toggle(std::string_view name, std::string_view initial, std::string_view help) {
  return {name, Parameter::Kind::toggle, initial, "on,off", 0, 0, 1, help};
}
constexpr Parameter file(std::string_view name, std::string_view initial, const std::vector<NamedFile>& (*known)(),
                         std::string_view help) {
  return {name, Parameter::Kind::file, initial, {}, 0, 0, 1, help, known};
}

// The items of "128,64,32".
std::vector<std::string_view> split_choices(std::string_view choices);

// An unknown parameter or an invalid value. what() is one line with the allowed names or values, and the nearest of them.
class ArgumentError : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// One value per parameter of one algorithm or effect, checked and parsed when set.
class Arguments {
 public:
  Arguments() = default;
  explicit Arguments(std::span<const Parameter> parameters);  // the initial values

  // Throws ArgumentError and changes nothing if `name` is unknown or `text` is not one of its values.
  void set(std::string_view name, std::string_view text);
  bool has(std::string_view name) const;

  const std::string& text(std::string_view name) const;
  int integer(std::string_view name) const;  // integer, or choice of numbers
  double real(std::string_view name) const;  // real, integer, or choice of numbers
  bool toggle(std::string_view name) const;
  Size size(std::string_view name) const;
  // A choice as an enumerator of an enumeration that lists the same choices in the same order.
  template <class Enum>
  Enum chosen(std::string_view name) const {
    return static_cast<Enum>(chosen_index(name));
  }

  std::span<const Parameter> parameters() const { return parameters_; }
  friend bool operator==(const Arguments& a, const Arguments& b) {
    return a.parameters_.data() == b.parameters_.data() && a.values_ == b.values_;
  }

 private:
  struct Value {
    std::string text;
    // What the text says, where it says that.
    std::optional<int> integer;
    std::optional<double> real;
    std::optional<Size> size;

    explicit Value(std::string_view text);
    friend bool operator==(const Value& a, const Value& b) { return a.text == b.text; }
  };
  std::size_t index(std::string_view name) const;  // throws ArgumentError
  int chosen_index(std::string_view name) const;
  const Value& value(std::string_view name) const { return values_[index(name)]; }

  std::span<const Parameter> parameters_;
  std::vector<Value> values_;
};

// Arguments as people write them, "W=64 rows=8": all of them; empty without parameters.
std::string text_of(const Arguments& arguments);
// Sets those that `text` names. Throws ArgumentError.
void set_from_text(Arguments& arguments, std::string_view text);

namespace detail {
[[noreturn]] void throw_no_kernel(int value);

// "64,32,128"
template <int... Values>
struct NumberList {
  char text[11 * sizeof...(Values)] = {};
  std::size_t length = 0;

  constexpr NumberList() { (append(Values), ...); }
  constexpr void append(int value) {
    if (length > 0) text[length++] = ',';
    int unit = 1;
    while (value / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) text[length++] = static_cast<char>('0' + value / unit % 10);
  }
};
template <int... Values>
inline constexpr NumberList<Values...> number_list;
}  // namespace detail

// Calls f.template operator()<V>() for the V among Values that equals `value`: turns a run-time value into a template
// argument. Throws std::invalid_argument if there is none.
template <int... Values, class F>
void visit_constant(int value, F&& f) {
  const bool found = ((value == Values ? (f.template operator()<Values>(), true) : false) || ...);
  if (!found) detail::throw_no_kernel(value);
}

// A choice among numbers for which kernels are built: one list for the menu, the check and the dispatch.
template <int... Values>
struct NumberChoice : Parameter {
  // Calls f.template operator()<V>() for the V that was chosen.
  template <class F>
  void visit(const Arguments& arguments, F&& f) const {
    visit_constant<Values...>(arguments.integer(name), f);
  }
};
template <int... Values>
constexpr NumberChoice<Values...> choice(std::string_view name, std::string_view help) {
  constexpr const auto& list = detail::number_list<Values...>;
  return {choice(name, std::string_view(list.text, list.length), help)};
}

// The candidate nearest to `word` by edit distance; empty if none is near. For "did you mean".
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace gpu
