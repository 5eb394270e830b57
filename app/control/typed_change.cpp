#include "app/control/typed_change.h"

#include <algorithm>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/control/parameter_path.h"
#include "app/control/selection.h"
#include "app/control/trimmed.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

// What is known of a setting or a parameter.
struct Named {
  std::string_view help;
  std::string value;  // the current one
};

template <class Item>
std::optional<Named> parameter_of(const Item* item, std::string_view name, const Settings& settings) {
  if (!item) return {};
  const auto at = std::ranges::find(item->parameters, name, &gpu::Parameter::name);
  if (at == item->parameters.end()) return {};
  return Named{at->help, arguments_of(*item, settings).text(name)};
}

// "haar.type", "effect.type" or "type", as in change.h.
std::optional<Named> find_parameter(std::string_view path, const Settings& settings, const ChangeContext& context) try {
  const auto [owner, name, has_owner] = ParameterPath(path);
  const bool in_use = !has_owner;
  const auto* algorithm = in_use || owner == "algorithm" ? &chosen_algorithm(settings, device_for(settings, context))
                                                         : gpu::find_sat_algorithm(owner);
  if (auto found = parameter_of(algorithm, name, settings)) return found;
  const auto* effect = in_use || owner == "effect" ? &chosen_effect(settings) : gpu::find_effect(owner);
  return parameter_of(effect, name, settings);
} catch (const std::exception&) {  // the settings name what does not exist
  return {};
}

std::optional<Named> find_named(const std::string& path, const Settings& settings, const ChangeContext& context) {
  if (const auto* field = find_field(path)) return Named{field->help, text_of(*field, settings)};
  return find_parameter(path, settings, context);
}

std::string refusal(const Change& change, Settings settings, const ChangeContext& context) {
  try {
    apply(settings, change, context);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

constexpr double longest_time = 1e6;  // seconds

// "12.5", "1:30" or "1:02:30.5", as the transport shows times.
std::optional<double> time_from(std::string_view text) {
  double time = 0;
  for (int parts = 0; parts < 3; ++parts) {
    const auto colon = text.find(':');
    const auto part = number_from_text(text.substr(0, colon));
    if (!part || !(*part >= 0 && *part <= longest_time)) return {};
    time = time * 60 + *part;
    if (colon == text.npos) return time <= longest_time ? std::optional(time) : std::nullopt;
    text.remove_prefix(colon + 1);
  }
  return {};
}

std::optional<PaletteEntry> typed_seek(std::string_view query) {
  const auto name = info(Action::seek).name;
  const auto word_end = std::min(query.find_first_of(" ="), query.size());
  if (query.substr(0, word_end) != name || word_end == query.size()) return {};
  auto text = trimmed(query.substr(word_end));
  if (text.starts_with('=')) text = trimmed(text.substr(1));
  const auto time = time_from(text);
  const auto why_not = time ? "" : "type a time: seconds, as 12.5, or minutes and seconds, as 1:30";
  return PaletteEntry{std::string(name) + " = " + std::string(text), std::string(description(Action::seek)), {}, {}, why_not,
                      PaletteEntry::Seek{time.value_or(0)}};
}

}  // namespace

std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context) {
  if (auto seek = typed_seek(trimmed(query))) return seek;
  const auto equals = query.find('=');
  if (equals == query.npos) return {};
  const Change change{std::string(trimmed(query.substr(0, equals))), std::string(trimmed(query.substr(equals + 1)))};
  auto named = find_named(change.path, settings, context);
  if (!named) return {};
  return PaletteEntry{change.path + " = " + change.text, std::string(named->help),           {},
                      std::move(named->value),           refusal(change, settings, context), change};
}

}  // namespace app
