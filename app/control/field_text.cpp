// Values of fields as text, and from text.
#include "app/control/fields.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "app/control/comparison.h"
#include "app/control/names.h"
#include "app/support/near_name.h"

namespace app {
namespace {

using S = Settings;

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // clang 16 needs it

template <class Number>
std::optional<Number> number_from(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::optional<FrameRange> range_from(std::string_view text) {
  const auto dash = text.find('-');
  if (dash == text.npos) return {};
  const auto first = number_from<std::uint64_t>(text.substr(0, dash)),
             last = number_from<std::uint64_t>(text.substr(dash + 1));
  return first && last && *first <= *last ? std::optional(FrameRange{*first, *last}) : std::nullopt;
}

std::optional<Pointer> place_from(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == text.npos) return {};
  const auto x = number_from<int>(text.substr(0, comma)), y = number_from<int>(text.substr(comma + 1));
  const auto inside = [](std::optional<int> side) { return side && *side >= 0 && *side < maximum_side; };
  return inside(x) && inside(y) ? std::optional(Pointer{*x, *y}) : std::nullopt;
}

// "X,Y,WxH": partly outside the picture at most.
std::optional<PixelBox> box_from(std::string_view text) {
  const auto comma = text.find(','), second = text.find(',', comma + 1);
  if (comma == text.npos || second == text.npos) return {};
  const auto x = number_from<int>(text.substr(0, comma)), y = number_from<int>(text.substr(comma + 1, second - comma - 1));
  const auto size = size_from_text(text.substr(second + 1));
  const auto near = [](std::optional<int> at) { return at && *at > -maximum_side && *at < maximum_side; };
  if (!near(x) || !near(y) || !size) return {};
  return PixelBox{*x, *y, size->width, size->height};
}

// What a setting accepts, as a phrase: "WxH, each from 1 to 8192, or 0".
struct Accepted {
  std::string operator()(const Field::Toggle&) const { return or_list(toggle_names); }
  std::string operator()(const Field::Choice& choice) const { return or_list(choice.names); }
  std::string operator()(const Field::Whole& whole) const {
    return "a whole number from " + std::to_string(whole.least) + " to " + std::to_string(whole.most);
  }
  std::string operator()(const Field::Number& number) const {
    return "a number from " + number_as_text(number.least) + " to " + number_as_text(number.most);
  }
  std::string operator()(const Field::Size&) const {
    return "WxH, each from 1 to " + std::to_string(maximum_side) + ", or 0";
  }
  std::string operator()(const Field::Place&) const { return "X,Y, each from 0 to " + std::to_string(maximum_side - 1); }
  std::string operator()(const Field::Box&) const {
    const auto side = std::to_string(maximum_side);
    return "X,Y,WxH, X and Y above -" + side + " and below " + side + ", W and H from 1 to " + side;
  }
  std::string operator()(const Field::Range&) const { return "FIRST-LAST, frames by their ids"; }
  std::string operator()(const Field::Text&) const { return "any text"; }
  std::string operator()(const Field::Name& name) const { return or_list(name.names()); }
  std::string operator()(const Field::Compared&) const { return std::string(accepted_sides); }
  std::string operator()(const Field::Algorithm&) const { return or_list(algorithm_names()); }
};

// Parses a value into the settings, or reports what a valid value is.
class Setter {
 public:
  Setter(S& settings, std::string_view text, std::string_view as) : settings_(settings), text_(text), as_(as) {}

  void operator()(const Field::Toggle& toggle) const { settings_.*toggle.member = index_of(toggle, toggle_names) == 1; }
  void operator()(const Field::Choice& choice) const { choice.set(settings_, index_of(choice, choice.names)); }
  void operator()(const Field::Whole& whole) const {
    const auto value = number_from<int>(text_);
    if (!value || *value < whole.least || *value > whole.most) refuse(whole);
    settings_.*whole.member = *value;
  }
  void operator()(const Field::Number& number) const {
    const auto value = number_from<double>(text_);
    if (!value || !(*value >= number.least && *value <= number.most)) refuse(number);  // a NaN is in no range
    settings_.*number.member = *value;
  }
  void operator()(const Field::Size& size) const {
    const bool own = text_.empty() || text_ == "0" || text_ == "0x0";
    const auto value = own ? gpu::Size{} : size_from_text(text_);
    if (!value) refuse(size);
    settings_.*size.member = *value;
  }
  void operator()(const Field::Place& place) const {
    const auto value = place_from(text_);
    if (!value && !text_.empty()) refuse(place);
    settings_.*place.member = value;
  }
  void operator()(const Field::Box& box) const {
    const auto value = box_from(text_);
    if (!value && !text_.empty()) refuse(box);
    settings_.*box.member = value;
  }
  void operator()(const Field::Range& range) const {
    const auto value = range_from(text_);
    if (!value && !text_.empty()) refuse(range);
    settings_.*range.member = value;
  }
  void operator()(const Field::Text& text) const {
    if (text_.find('\0') != text_.npos) throw std::invalid_argument(std::string(as_) + " takes any text without NUL");
    settings_.*text.member = text_;
  }
  void operator()(const Field::Name& name) const {
    const auto names = name.names();
    if (std::ranges::find(names, text_) == names.end()) {
      if (name.kind == "algorithm" && std::ranges::count(algorithm_names(), text_) > 0) refuse(name);  // of another device
      throw std::invalid_argument(no_such(name.kind, text_, names));
    }
    settings_.*name.member = text_;
  }
  // The names stay while nothing is compared.
  void operator()(const Field::Compared& compared) const {
    const auto value = sides_from_text(text_);
    if (value.on)
      settings_.*compared.member = value;
    else
      (settings_.*compared.member).on = false;
  }
  void operator()(const Field::Algorithm&) const { throw std::logic_error("change.h sets the algorithm"); }

 private:
  template <class Value>
  std::size_t index_of(const Value& value, std::span<const std::string_view> names) const {
    const auto at = std::find(names.begin(), names.end(), text_);
    if (at == names.end()) refuse(value, did_you_mean(text_, names));
    return static_cast<std::size_t>(at - names.begin());
  }
  template <class Value>
  [[noreturn]] void refuse(const Value& value, const std::string& hint = {}) const {
    throw std::invalid_argument(std::string(as_) + " takes " + Accepted()(value) + ", not '" + std::string(text_) + "'" +
                                hint);
  }

  S& settings_;
  std::string_view text_, as_;
};

}  // namespace

std::string text_of(const Field& field, const Settings& settings) {
  const Overloaded text{[&](const Field::Toggle& toggle) { return std::string(toggle_names[settings.*toggle.member]); },
                        [&](const Field::Choice& choice) { return std::string(choice.names[choice.get(settings)]); },
                        [&](const Field::Whole& whole) { return std::to_string(settings.*whole.member); },
                        [&](const Field::Number& number) { return number_as_text(settings.*number.member); },
                        [&](const Field::Size& size) {
                          return (settings.*size.member).pixels() == 0 ? std::string() : text_of(settings.*size.member);
                        },
                        [&](const Field::Place& place) {
                          const auto& at = settings.*place.member;
                          return at ? std::to_string(at->x) + "," + std::to_string(at->y) : std::string();
                        },
                        [&](const Field::Box& box) {
                          const auto& value = settings.*box.member;
                          return value ? text_of(*value) : std::string();
                        },
                        [&](const Field::Range& range) {
                          const auto& frames = settings.*range.member;
                          return frames ? text_of(*frames) : std::string();
                        },
                        [&](const Field::Text& word) { return settings.*word.member; },
                        [&](const Field::Name& name) { return settings.*name.member; },
                        [&](const Field::Compared& compared) { return text_of(settings.*compared.member); },
                        [&](const Field::Algorithm&) {
                          return settings.device == DeviceChoice::host ? settings.host_algorithm : settings.cuda_algorithm;
                        }};
  return std::visit(text, field.value);
}

void set_field(const Field& field, Settings& settings, std::string_view text, std::string_view as) {
  std::visit(Setter(settings, text, as), field.value);
}

std::string accepted(const Field& field) { return std::visit(Accepted(), field.value); }

std::string text_of(const PixelBox& box) {
  return std::to_string(box.x) + "," + std::to_string(box.y) + "," + text_of(gpu::Size{box.width, box.height});
}

std::string text_of(const FrameRange& range) { return std::to_string(range.first) + "-" + std::to_string(range.last); }

std::string number_as_text(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::optional<double> number_from_text(std::string_view text) { return number_from<double>(text); }

std::string placeholder(const Field& field) {
  const Overloaded words{[](const Field::Toggle&) { return std::string("on|off"); },
                         [](const Field::Choice& choice) {
                           std::string all;
                           for (const auto name : choice.names) all += (all.empty() ? "" : "|") + std::string(name);
                           return all;
                         },
                         [](const Field::Whole&) { return std::string("N"); },
                         [](const Field::Number&) { return std::string("N"); },
                         [](const Field::Size&) { return std::string("WxH"); },
                         [](const Field::Place&) { return std::string("X,Y"); },
                         [](const Field::Box&) { return std::string("X,Y,WxH"); },
                         [](const Field::Range&) { return std::string("FIRST-LAST"); },
                         [](const Field::Text&) { return std::string("TEXT"); },
                         [](const Field::Compared&) { return std::string("A,B|off"); },
                         [](const auto&) { return std::string("NAME"); }};
  return std::visit(words, field.value);
}

}  // namespace app
