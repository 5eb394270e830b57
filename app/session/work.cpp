#include "app/session/work.h"

#include <algorithm>

#include "app/control/arguments_text.h"
#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/support/size_text.h"

namespace app {
namespace {

// Its position is no part of the work.
std::string effect_text(const gpu::Effect& effect, const gpu::Arguments& arguments) {
  std::string text(effect.name);
  for (const auto& parameter : arguments.parameters())
    if (parameter.name != "x" && parameter.name != "y")
      text += ' ' + std::string(parameter.name) + '=' + arguments.text(parameter.name);
  return text;
}

// What a side has in place of the result's own, with its values.
std::string side_text(const Selection& side, const Selection& result) {
  if (side.algorithm && side.algorithm != result.algorithm)
    return with_arguments(side.algorithm->name, side.algorithm_arguments);
  if (side.effect != result.effect && side.name == side.effect->name)
    return effect_text(*side.effect, side.effect_arguments);
  return side.name;
}

void add_comparison(std::vector<Circumstance>& all, const Selection& selection) {
  const auto& sides = selection.sides;
  if (sides.empty()) return all.push_back({"comparison", "off"});
  all.push_back({"comparison", side_text(sides[0], selection) + " and " + side_text(sides[1], selection)});
  const auto& [mode, wipe, amplification] = selection.composition;
  all.push_back({"comparison mode", std::string(name_of(compare_mode_names, mode))});
  if (mode == gpu::Composition::Mode::difference) all.push_back({"amplification", number_as_text(amplification)});
}

// In the order in which a user thinks of them. All that same_work() compares.
std::vector<Circumstance> all_of(const Work& work) {
  const auto& selection = *work.selection;
  std::vector<Circumstance> all{{"source", *work.source},
                                {"size", text_of(work.size)},
                                {"device", std::string(gpu::name(selection.device))},
                                {"algorithm", with_arguments(selection.algorithm->name, selection.algorithm_arguments)},
                                {"effect", effect_text(*selection.effect, selection.effect_arguments)}};
  add_comparison(all, selection);
  all.push_back({"check", std::string(toggle_names[selection.check])});
  all.push_back({"timing", std::string(name_of(timing_names, selection.timing))});
  all.insert(all.end(), work.circumstances.begin(), work.circumstances.end());
  return all;
}

}  // namespace

bool same_source(const Work& a, const Work& b) { return *a.source == *b.source; }

std::string what_changed(const Work& before, const Work& after) {
  const auto old = all_of(before);
  std::string text;
  for (const auto& [name, value] : all_of(after)) {
    const auto at = std::ranges::find(old, name, &Circumstance::name);
    if (at == old.end() || at->value == value) continue;  // a circumstance's first value is no change
    text += (text.empty() ? "" : "\n") + name + ": " + value;
    if (!at->value.empty()) text += ", before " + at->value;
  }
  return text.empty() ? "statistics reset" : text;
}

}  // namespace app
