#include "app/session/work.h"

#include <algorithm>

#include "app/control/arguments_text.h"
#include "app/control/comparison.h"
#include "app/control/fields.h"
#include "app/control/names.h"
#include "app/control/window_words.h"
#include "app/support/label_text.h"
#include "app/support/size_text.h"

namespace app {
namespace {

// As panels show them: "Border", "Replicate". An effect's position is no part of the work.
std::vector<Circumstance> parameters_of(const gpu::Effect& effect, const gpu::Arguments& arguments) {
  std::vector<Circumstance> all;
  for (const auto& parameter : arguments.parameters())
    if (const auto& value = arguments.text(parameter.name); parameter.name != "x" && parameter.name != "y")
      all.push_back({label_of(parameter.name),
                     std::string(gpu::label_of_choice(parameter, gpu::display_of(effect.display, parameter.name), value))});
  return all;
}

// "Box blur (Window: 31x31, Passes: 1)"
std::string effect_text(const gpu::Effect& effect, const gpu::Arguments& arguments) {
  std::string text;
  for (const auto& [name, value] : parameters_of(effect, arguments))
    text += (text.empty() ? " (" : ", ") + name + ": " + value;
  return std::string(effect.title) + (text.empty() ? "" : text + ')');
}

// What a side has in place of the result's own, with its values.
std::string side_text(const Selection& side, const Selection& result) {
  if (side.algorithm && side.algorithm != result.algorithm)
    return with_arguments(side.algorithm->name, side.algorithm_arguments);
  if (side.effect != result.effect && side.name == side.effect->name)
    return effect_text(*side.effect, side.effect_arguments);
  return title_of_side(side.name);
}

void add_comparison(std::vector<Circumstance>& all, const Selection& selection) {
  const auto& sides = selection.sides;
  if (sides.empty()) return all.push_back({"comparison", "off"});
  all.push_back({"comparison", side_text(sides[0], selection) + " and " + side_text(sides[1], selection)});
  const auto& [mode, wipe, amplification] = selection.composition;
  all.push_back({"comparison mode", title_of_value("compare_mode", name_of(compare_mode_names, mode))});
  if (mode == gpu::Composition::Mode::difference) all.push_back({"amplification", number_as_text(amplification)});
}

// In the order in which a user thinks of them. All that same_work() compares. An effect's parameters are each one of its own:
// where the effect is another one, it alone is what changed.
std::vector<Circumstance> all_of(const Work& work) {
  const auto& selection = *work.selection;
  std::vector<Circumstance> all{{"source", *work.source},
                                {"size", text_of(work.size)},
                                {"device", title_of_value("device", gpu::name(selection.device))},
                                {"algorithm", with_arguments(selection.algorithm->name, selection.algorithm_arguments)},
                                {"effect", std::string(selection.effect->title)}};
  for (const auto& [name, value] : parameters_of(*selection.effect, selection.effect_arguments))
    all.push_back({std::string(selection.effect->title) + ", " + name, value});
  add_comparison(all, selection);
  all.push_back({"check", std::string(toggle_names[selection.check])});
  all.push_back({"timing", title_of_value("timing", name_of(timing_names, selection.timing))});
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
