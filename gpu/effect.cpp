#include "gpu/effect.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/user_kernels/kernel_version.h"

namespace gpu {

const Effect* find_effect(std::string_view name) {
  for (const auto* effect : all_effects())
    if (effect->name == name) return effect;
  return nullptr;
}

Arguments used_arguments(const Effect& effect, Arguments arguments, Size frame) {
  if (frame.pixels() == 0) return arguments;
  const auto given = arguments;
  for (const auto& display : effect.display) {
    if (!display.automatic || !given.has(display.parameter)) continue;
    const auto [width, height] = display.automatic(given, frame);
    const auto number = [](int value, int automatic) { return std::to_string(value > 0 ? value : automatic); };
    const auto size = given.size(display.parameter);
    const bool is_size = given.text(display.parameter).find('x') != std::string::npos;
    arguments.set(display.parameter, number(size.width, width) + (is_size ? 'x' + number(size.height, height) : ""));
  }
  return arguments;
}

Arguments arguments_on(const Effect& effect, Arguments arguments, Device device) {
  for (const auto& display : effect.display)
    if (display.automatic_on && arguments.has(display.parameter) && arguments.text(display.parameter) == automatic_choice)
      arguments.set(display.parameter, display.automatic_on(device));
  return arguments;
}

namespace {

const Effect& effect_of(const Context& context, const Effect& effect) {
  if (const auto* version = effect.version) {
    const auto* driver = context.driver();
    const auto* of_build =
        version->simulated_effect[static_cast<std::size_t>(driver ? driver->build : simulated::Build::plain)];
    if (!of_build || (context.device() == Device::cuda && !version->on_cuda))
      throw std::invalid_argument(std::string(effect.name) + ": " +
                                  (of_build ? version->no_cuda : "it is not compiled for this build of the simulated GPU"));
    return *of_build;
  }
  return simulated::here(context, effect, &simulated::Driver::find_effect);
}

TableTargets scratch_tables(Context& context, Size size, Tables wanted) {
  TableTargets tables;
  if (wanted.squares) tables.squares = context.scratch_image<std::uint64_t>(size);
  if (wanted.tilted) tables.tilted = context.scratch_image<std::uint32_t>(size);
  if (wanted.channels)
    // Memory of equal sizes, one behind another: the tables are equally far apart.
    for (auto& channel : tables.channels) channel = context.scratch_image<std::uint32_t>(size);
  return tables;
}

}  // namespace

void run_effect(Context& context, const Effect& effect, const EffectInput& input, const EffectOutput& output,
                const Arguments& arguments) {
  if (!context.is_dry() && output.annotations.capacity < effect.annotation_capacity(arguments))
    throw std::invalid_argument(std::string(effect.name) + ": there is no room for its annotations");
  const auto& here = effect_of(context, effect);
  const bool colour_alone = input.gray.empty() && !effect.needs_gray(arguments);
  if (input.colour.empty() && effect.needs_colour(arguments))
    throw std::invalid_argument(std::string(effect.name) + ": it needs a colour image");
  if (input.colour.empty())
    check_canvas(context, effect.name, output.canvas, {{"gray", input.gray}});
  else if (colour_alone)
    check_canvas(context, effect.name, output.canvas, {{"colour", input.colour}});
  else
    check_canvas(context, effect.name, output.canvas, {{"colour", input.colour}, {"gray", input.gray}});
  if (!input.tables.sum.empty()) check_views(context, effect.name, {{"gray", input.gray}, {"its table", input.tables.sum}});
  const auto run = [&](const EffectInput& with) {
    const LoadedScope loaded(context, effect.version);
    here.run(context, with, output, arguments);
  };
  const auto wanted = effect.wanted_tables(arguments, context.device());
  if (wanted == Tables()) return run(input);
  const Context::ScratchScope scope(context);
  const auto tables = scratch_tables(context, colour_alone ? input.colour.size() : input.gray.size(), wanted);
  compute_tables(context, *input.algorithm, *input.algorithm_arguments, wanted, input.colour, input.gray, tables);
  auto all = input;
  all.tables = views(tables);
  all.tables.sum = input.tables.sum;
  run(all);
}

std::shared_ptr<const void> prepare_effect(Context& context, const Effect& effect, const Arguments& arguments, Size frame,
                                           std::shared_ptr<const void> previous) {
  const auto& here = effect_of(context, effect);
  return here.prepare ? here.prepare(context, arguments, frame, std::move(previous)) : nullptr;
}

const ParameterDisplay& display_of(std::span<const ParameterDisplay> all, std::string_view parameter) {
  static constexpr ParameterDisplay plain;
  const auto at = std::find_if(all.begin(), all.end(), [&](const auto& display) { return display.parameter == parameter; });
  return at == all.end() ? plain : *at;
}

std::string_view label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice) {
  const auto names = split_choices(parameter.choices), labels = split_choices(display.labels);
  const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), choice) - names.begin());
  return at < labels.size() ? labels[at] : choice;
}

std::string label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice,
                            Device device) {
  std::string label(label_of_choice(parameter, display, choice));
  if (display.automatic_on && choice == automatic_choice) label += " (" + std::string(display.automatic_on(device)) + ')';
  return label;
}

std::string why_unused(std::span<const ParameterDisplay> all, std::string_view parameter, const Arguments& arguments) {
  const auto condition = display_of(all, parameter).applies;
  const auto equals = condition.find('=');
  if (equals == condition.npos) return {};
  const auto name = condition.substr(0, equals), value = condition.substr(equals + 1);
  if (arguments.text(name) == value) return {};
  for (const auto& other : arguments.parameters())
    if (other.name == name)
      return "Only with " + std::string(name) + ": " + std::string(label_of_choice(other, display_of(all, name), value));
  return {};
}

}  // namespace gpu
