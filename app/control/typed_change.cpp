#include "app/control/typed_change.h"

#include <algorithm>
#include <stdexcept>

#include "app/control/fields.h"
#include "app/control/trimmed.h"

namespace app {
namespace {

std::string refusal(const Change& change, Settings settings, const ChangeContext& context) {
  try {
    apply(settings, change, context);
    return {};
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

// A command that takes something, as far as it is typed: "seek 1:30", "seek = 1:30", "add haar.x 8", "speed *2".
std::optional<PaletteEntry> typed_command(std::string_view query, const Settings& settings, const ChangeContext& context) {
  std::string line(query);
  if (const auto equals = line.find('='); equals != line.npos && trimmed(line.substr(0, equals)) == info(Action::seek).name)
    line.replace(equals, 1, " ");
  const auto end = std::min(line.find(' '), line.size());
  const auto about = std::ranges::find(actions(), std::string_view(line).substr(0, end), &ActionInfo::name);
  const bool known = about != actions().end(),
             of_a_setting = known && Action::set <= about->action && about->action <= Action::reset;
  const bool takes = known && !about->takes.empty() && (end < line.size() || of_a_setting);
  const bool writes = line.find(" to ") != line.npos;
  if (!takes && !writes && line.find_first_of("*/", end) == line.npos) return {};
  PaletteEntry entry{line, {}, {}, {}, {}, Command(Action::seek)};
  try {
    const auto command = parse_command(line);
    entry.help = description(command.action);
    entry.does = command;
    auto copy = settings;
    apply(command, copy, context);
  } catch (const std::invalid_argument& error) {
    if (!takes && !(writes && known)) return {};
    entry.why_not = error.what();
  }
  return entry;
}

}  // namespace

std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context) {
  if (auto command = typed_command(trimmed(query), settings, context)) return command;
  const auto equals = query.find('=');
  if (equals == query.npos) return {};
  const Change change{std::string(trimmed(query.substr(0, equals))), std::string(trimmed(query.substr(equals + 1)))};
  auto named = find_setting(change.path, settings, context);
  if (!named) return {};
  return PaletteEntry{change.path + " = " + change.text, std::string(named->help()),         {},
                      std::move(named->value),           refusal(change, settings, context), change};
}

}  // namespace app
