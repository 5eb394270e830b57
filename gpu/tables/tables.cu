#include "gpu/tables/tables.h"

#include <cstdint>

#include "gpu/choice/fastest_algorithm.h"
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/for_each_pixel.cuh"
#include "gpu/sat/block/row_scan.h"

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

// Gray from colour, bit for bit OpenCV's BGR2GRAY for 8-bit images.
namespace {

struct Luma {
  ImageView<std::uint8_t> gray;

  // Rec. 601 weights in units of 2^-15, rounded to nearest. `p` is a reference, because host loops with a copy are not
  // vectorised.
  static constexpr std::uint8_t level(const Bgr& p) {
    return static_cast<std::uint8_t>((3735u * p.b + 19235u * p.g + 9798u * p.r + (1u << 14)) >> 15);
  }
  constexpr void operator()(int x, int y, const Bgr& p) const { gray(x, y) = level(p); }
  bool takes_sixteen() const { return reinterpret_cast<std::uintptr_t>(gray.data) % 16 == 0 && gray.stride % 16 == 0; }
  template <class Colours>
  constexpr void sixteen(int x, int y, const Colours& colours) const {
    struct alignas(16) Levels {
      std::uint8_t at[16];
    } levels;
    for (int i = 0; i < 16; ++i) levels.at[i] = level(colours[i]);
    *reinterpret_cast<Levels*>(&gray(x, y)) = levels;  // one store
  }
};

// By row functions with the processor's own instructions, which the compiler does not find in a loop over pixels.
void luma_on_host(Context& context, const BgrView& colour, ImageView<std::uint8_t> gray) {
  const auto& pixels = sat::row_scans_here().back()->pixels;
  context.for_each_band("luma", colour.height, [&](int begin, int end) {
    for (int y = begin; y < end; ++y) pixels.luma(row_of(colour, y), gray.row(y), colour.width);
  });
}

}  // namespace

void luma(Context& context, const BgrView& colour, ImageView<std::uint8_t> gray) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::luma)) return there(context, colour, gray);
  check_views(context, "luma", {{"colour", colour}, {"gray", gray, ViewArgument::written}});
  if (context.device() == Device::host) return luma_on_host(context, colour, gray);
  context.for_each_colour("luma", colour, Luma{gray});
}

namespace {

// Each channel of a colour image as an image of its own.
struct SplitChannels {
  ImageView<std::uint8_t> b, g, r;

  constexpr void operator()(int x, int y, const Bgr& pixel) const {
    b(x, y) = pixel.b;
    g(x, y) = pixel.g;
    r(x, y) = pixel.r;
  }
};

}  // namespace

void split_channels(Context& context, const BgrView& colour, const ImageView<std::uint8_t> (&channels)[3]) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::split_channels))
    return there(context, colour, channels);
  check_views(context, "split_channels",
              {{"colour", colour},
               {"blue", channels[0], ViewArgument::written},
               {"green", channels[1], ViewArgument::written},
               {"red", channels[2], ViewArgument::written}});
  context.for_each_colour("split channels", colour, SplitChannels{channels[0], channels[1], channels[2]});
}

namespace {

// A function of (i, number) for zero i of a padded table: those of its row, then those of its column.
template <class Word>
struct ClearBorder {
  ImageView<Word> first;
  std::ptrdiff_t stride;

  constexpr Size size(int count) const { return {first.width + first.height - 1, count}; }
  constexpr void operator()(int i, int number) const {
    Word* const table = first.data + number * stride;
    table[i < first.width ? i : (i - first.width + 1) * first.stride] = 0;
  }
};

template <class Word>
void clear(Context& context, const ImageView<Word>& first_table, const ImageBatch& batch) {
  const ClearBorder<Word> border{first_table, batch.sat_stride};
  context.for_each_pixel("borders", border.size(batch.tables()), border);
}

}  // namespace

void clear_borders(Context& context, const AnyImageView& first_table, const ImageBatch& batch) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::clear_borders))
    return there(context, first_table, batch);
  if (size_of(first_table.type) == sizeof(std::uint32_t))
    clear(context, first_table.as<std::uint32_t>(), batch);
  else
    clear(context, first_table.as<std::uint64_t>(), batch);
}

}  // namespace gpu
