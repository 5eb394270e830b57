#include "gpu/effects/colour_blur.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/effects/window_sums.h"
#include "gpu/sat/block/row_scan.h"

namespace gpu::effects {
namespace {

constexpr std::ptrdiff_t channels = 3;
// So many rows of bytes have sums of 16 bits.
constexpr int most_rows_of_16_bits = 257;

// The pixel that stands at `i` of an endless axis, of which n are real; -1 for none.
int source(int i, int n, Border border) {
  if (i >= 0 && i < n) return i;
  switch (border) {
    case Border::constant:
    case Border::clip: return -1;
    case Border::replicate: return std::clamp(i, 0, n - 1);
    case Border::reflect: {
      const int at = detail::Periodic(i, 2 * n).remainder;
      return at < n ? at : 2 * n - 1 - at;
    }
    case Border::reflect101: break;
  }
  if (n == 1) return 0;
  const int at = detail::Periodic(i, 2 * (n - 1)).remainder;
  return at < n ? at : 2 * (n - 1) - at;
}

// What a thread needs for a strip, kept from one to the next.
template <class Sum>
struct StripMemory {
  struct Outside {
    int to, from;  // columns of the strip
  };
  std::vector<Sum> sums, times;
  std::vector<Outside> outside;
  std::vector<std::uint8_t> zeros, means;

  static StripMemory& of_this_thread() {
    thread_local StripMemory memory;
    return memory;
  }
};

// One pass over a band of rows.
template <class Sum>
class Strip {
 public:
  Strip(const BgrView& colour, Size window, Border border, const StripFunctions<Sum>& functions)
      : colour_(colour), window_(window), border_(border), functions_(functions), before_(window.width / 2) {
    const int columns = colour.width + window.width - 1;
    const auto entries = static_cast<std::size_t>(colour.width * channels);
    memory_.sums.assign(static_cast<std::size_t>(columns * channels), 0);
    memory_.zeros.assign(entries, 0);
    memory_.means.resize(entries);
    memory_.outside.clear();
    for (int x = 0; x < columns; ++x)
      if (x < before_ || x >= before_ + colour.width)
        if (const int from = source(x - before_, colour.width, border); from >= 0)
          memory_.outside.push_back({x, before_ + from});
  }

  // use(y, the means of its windows: three bytes per pixel)
  template <class Use>
  void rows(int begin, int end, const Use& use) {
    start(begin);
    for (int y = begin; y < end; ++y) {
      if (y > begin) move_to(y);
      for (const auto& [to, from] : memory_.outside) std::copy_n(column(from), channels, column(to));
      draw(y);
      use(y, memory_.means.data());
    }
  }

 private:
  Sum* column(int x) { return memory_.sums.data() + x * channels; }
  const std::uint8_t* row(int y) const {
    const int from = source(y, colour_.height, border_);
    return from < 0 ? memory_.zeros.data() : reinterpret_cast<const std::uint8_t*>(row_of(colour_, from));
  }
  int first_row(int y) const { return y - window_.height / 2; }

  // A row that a window has several times is added as often at once, so that no window costs more than the frame's rows.
  void start(int y) {
    const auto each_source = [&](const auto& use) {
      for (int i = 0; i < window_.height; ++i)
        if (const int from = source(first_row(y) + i, colour_.height, border_); from >= 0) use(from);
    };
    int first = colour_.height, last = -1;
    each_source([&](int from) { first = std::min(first, from), last = std::max(last, from); });
    if (last < first) return;
    auto& times = memory_.times;  // of rows first .. last
    times.assign(static_cast<std::size_t>(last - first + 1), 0);
    each_source([&](int from) { ++times[static_cast<std::size_t>(from - first)]; });
    for (int from = first; from <= last; ++from)
      if (const auto count = times[static_cast<std::size_t>(from - first)]) {
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(row_of(colour_, from));
        Sum* const sums = column(before_);
        for (std::ptrdiff_t i = 0; i < colour_.width * channels; ++i) sums[i] = static_cast<Sum>(sums[i] + count * bytes[i]);
      }
  }
  void move_to(int y) {
    const auto *entering = row(first_row(y) + window_.height - 1), *leaving = row(first_row(y) - 1);
    if (entering != leaving) functions_.move(column(before_), entering, leaving, colour_.width * channels);
  }

  void draw(int y) {
    const bool clips = border_ == Border::clip;
    const int rows = clips ? inside(first_row(y), first_row(y) + window_.height, colour_.height) : window_.height;
    const RoundedMean mean(static_cast<std::uint32_t>(window_.width * rows));
    functions_.means(memory_.sums.data(), window_.width, {mean.area(), mean.multiplier(), mean.shift()},
                     memory_.means.data(), colour_.width);
    if (!clips) return;
    const int width = colour_.width, whole = std::min(before_, width);  // from here to `cut` windows lie in the frame
    const int cut = std::max(whole, width - window_.width + before_ + 1);
    draw_clipped(0, whole, rows);
    draw_clipped(cut, width, rows);
  }
  // The windows of begin .. end - 1, of which fewer columns count.
  void draw_clipped(int begin, int end, int rows) {
    std::uint32_t sums[channels] = {};
    const auto add = [&](int x, std::uint32_t sign) {
      for (int c = 0; c < channels; ++c) sums[c] += sign * column(x)[c];
    };
    for (int x = begin; begin < end && x < begin + window_.width - 1; ++x) add(x, 1);
    for (int x = begin; x < end; ++x) {
      add(x + window_.width - 1, 1);
      const auto area = static_cast<std::uint32_t>(inside(x - before_, x - before_ + window_.width, colour_.width) * rows);
      for (int c = 0; c < channels; ++c)
        memory_.means[static_cast<std::size_t>(x * channels + c)] = static_cast<std::uint8_t>((sums[c] + area / 2) / area);
      add(x, static_cast<std::uint32_t>(-1));
    }
  }

  BgrView colour_;
  Size window_;
  Border border_;
  const StripFunctions<Sum>& functions_;
  int before_;  // columns of the strip left of the frame
  StripMemory<Sum>& memory_ = StripMemory<Sum>::of_this_thread();
};

template <class Use>
void pass(Context& context, const BgrView& colour, Size window, Border border, const Use& use) {
  const auto& functions = sat::row_scans_here().back()->pixels;
  const auto draw = [&](int begin, int end) {
    if (window.height <= most_rows_of_16_bits)
      Strip<std::uint16_t>(colour, window, border, functions.strip16).rows(begin, end, use);
    else
      Strip<std::uint32_t>(colour, window, border, functions.strip32).rows(begin, end, use);
  };
  // A band of fewer rows than a window would cost more to start than to draw.
  context.for_each_band("box blur", colour.height, draw, std::max(colour.height / window.height, context.threads()));
}

}  // namespace

void blur_colours_on_host(Context& context, const BgrView& colour, Size window, Border border, int passes,
                          const Canvas& canvas) {
  const int width = colour.width;
  const auto draw = [&](int y, const std::uint8_t* means) {
    const auto* pixels = reinterpret_cast<const Bgr*>(means);
    if (canvas.gray.data)
      for (int x = 0; x < width; ++x) canvas.put(x, y, Rgba{pixels[x].r, pixels[x].g, pixels[x].b, 255});
    else
      sat::row_scans_here().back()->pixels.rgba(pixels, canvas.rgba.row(y), width);
  };
  ImageView<Bgr> between[2];
  for (int i = 0; i < std::min(passes - 1, 2); ++i)
    between[i] = {context.scratch<Bgr>(colour.size().pixels()), width, colour.height, width};
  BgrView from = colour;
  for (int i = 1; i < passes; ++i) {
    const auto to = between[(i - 1) % 2];
    pass(context, from, window, border, [&](int y, const std::uint8_t* means) {
      std::memcpy(to.row(y), means, static_cast<std::size_t>(width) * sizeof(Bgr));
    });
    from = to;
  }
  pass(context, from, window, border, draw);
}

}  // namespace gpu::effects
