// luma: gray from colour, bit for bit OpenCV's BGR2GRAY for 8-bit images.
#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/for_each_colour.cuh"
#include "gpu/sat/block/row_scan.h"
#include "gpu/tables/tables.h"

namespace gpu {
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

}  // namespace gpu
