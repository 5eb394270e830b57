#include "gpu/tables/tables.h"

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/pictures/check_views.h"

namespace gpu {
namespace {

// One span of the timeline; its scratch memory is released at the end.
template <class F>
void step(Context& context, std::string_view name, F&& f) {
  const Context::ScratchScope scope(context);
  context.group(name, f);
}

}  // namespace

std::string table_note(const SatAlgorithm& chosen, Tables wanted, int height, Device device) {
  const auto note = [&](std::string_view what, SatType type) -> std::string {
    const auto& other = table_algorithm(chosen, type, height, device);
    if (&other == &chosen) return {};
    return std::string(chosen.name) + " has no " + std::string(info(type).name) + ": " + std::string(other.name) +
           " computes the table of " + std::string(what);
  };
  if (wanted.squares)
    if (auto text = note("squares", exact_type(Term::square)); !text.empty()) return text;
  return wanted.channels ? note("channels", exact_type(Term::pixel)) : std::string();
}

void compute_tables(Context& context, const SatAlgorithm& algorithm, const Arguments& arguments, Tables wanted,
                    const BgrView& colour, ImageView<const std::uint8_t> gray, const TableTargets& tables) {
  const auto able = [&](Term term, int height) -> const SatAlgorithm& {
    return table_algorithm(algorithm, exact_type(term), height, context.device());
  };
  const auto arguments_for = [&](const SatAlgorithm& by) {
    return &by == &algorithm ? arguments : Arguments(by.parameters);
  };
  const auto compute = [&](const SatAlgorithm& by, AnyConstImageView image, AnyImageView sat) {
    compute_sat(context, by, image, sat, arguments_for(by));
  };
  if (wanted.squares) step(context, "squares", [&] { compute(able(Term::square, gray.height), gray, tables.squares); });
  if (wanted.tilted) step(context, "tilted", [&] { compute_tilted(context, gray, tables.tilted); });
  if (!wanted.channels) return;
  step(context, "channels", [&] {
    const auto& [blue, green, red] = tables.channels;
    const auto& by = able(Term::pixel, colour.height);
    const bool equally_far_apart = green.data - blue.data == red.data - green.data && green.stride == blue.stride &&
                                   red.stride == blue.stride;
    if (by.run_batch && fastest_batch(colour.size()) && equally_far_apart) {
      check_views(context, "channels",
                  {{"colour", colour},
                   {"the table of blue", blue, ViewArgument::written},
                   {"the table of green", green, ViewArgument::written},
                   {"the table of red", red, ViewArgument::written}});
      const AnyConstImageView first(colour.data, colour.width, colour.height, colour.pitch, ElementType::u8);
      const ImageBatch batch{.sat_stride = green.data - blue.data, .channels = 3};
      return compute_sat_batch(context, by, first, blue, arguments_for(by), batch);
    }
    ImageView<std::uint8_t> planes[3];
    for (auto& plane : planes) plane = context.scratch_image<std::uint8_t>(colour.size());
    split_channels(context, colour, planes);
    for (int i = 0; i < 3; ++i) compute(by, planes[i], tables.channels[i]);
  });
}

void compute_sat(Context& context, const SatAlgorithm& algorithm, const BgrView& image, ImageView<std::uint32_t> sat,
                 const Arguments& arguments) {
  check_views(context, algorithm.name, {{"the image", image}, {"its table", sat, ViewArgument::written}});
  const Context::ScratchScope scope(context);
  const auto gray = context.scratch_image<std::uint8_t>(image.size());
  luma(context, image, gray);
  compute_sat(context, algorithm, AnyConstImageView(gray), AnyImageView(sat), arguments);
}

}  // namespace gpu
