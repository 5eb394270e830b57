#include "app/session/work.h"

#include <algorithm>

#include "app/control/arguments_text.h"
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

// In the order in which a user thinks of them.
std::vector<Circumstance> all_of(const Work& work) {
  const auto& selection = *work.selection;
  std::vector<Circumstance> all{{"source", *work.source},
                                {"size", text_of(work.size)},
                                {"device", std::string(gpu::name(selection.device))},
                                {"algorithm", with_arguments(selection.algorithm->name, selection.algorithm_arguments)},
                                {"effect", effect_text(*selection.effect, selection.effect_arguments)}};
  const auto& sides = selection.sides;
  all.push_back({"comparison", sides.empty() ? "off" : sides[0].name + " and " + sides[1].name});
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
