// One picture on its way from a source to the pipeline; and of a source of 16 bits the window of values: those that are shown,
// from black to white. Integers only, so that a picture is the same on every machine.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/cuda/memory.h"
#include "gpu/image.h"

namespace app::capture {

inline constexpr int largest_value = 65'535;

struct ValueWindow {
  int from = 0, to = largest_value;  // from < to
  friend bool operator==(const ValueWindow&, const ValueWindow&) = default;
};

// Of each value 255 * (value - from) / (to - from), rounded half up; black below, white above. `levels` has as many.
void levels_of(std::span<const std::uint16_t> values, const ValueWindow& window, std::uint8_t* levels);

// ValueCounts: how often each value occurs in a picture, of which the automatic window follows.
class ValueCounts {
 public:
  ValueCounts() : counts_(largest_value + 1) {}

  void add(std::uint16_t value) { ++counts_[value], ++all_; }
  // From the least to the greatest value, where of each a thousandth of all values are left out: hot and dead pixels decide
  // nothing. Where these are one value, nothing is left out; where the picture has one value alone, it is all of them, 0 to
  // 65535.
  ValueWindow automatic() const;

 private:
  ValueWindow without(std::uint64_t left_out) const;

  std::vector<std::uint32_t> counts_;
  std::uint64_t all_ = 0;
};

// "500-4000"; nullopt unless it is two whole numbers from 0 to 65535, the second above the first.
std::string values_text(const ValueWindow& window);
std::optional<ValueWindow> value_window_from(std::string_view text);

// The values of a picture of 16 bits, of which its pixels show a window: kept, so that another window of the same picture can
// be shown. Rows tight.
struct Values {
  gpu::PinnedBuffer<std::uint16_t> numbers;  // may be more than the picture's
  int channels = 0;                          // beside each other: gray, gray and alpha, BGR, BGRA; 0: the source has 8 bits
  ValueWindow automatic;                     // of the source's first picture
  std::optional<ValueWindow> shown;          // by the pixels; none: they are not made yet

  void resize(gpu::Size size, int of_channels) {
    const auto count = size.pixels() * static_cast<std::size_t>(of_channels);
    if (numbers.size() < count) numbers = gpu::PinnedBuffer<std::uint16_t>(count, false);
    channels = of_channels;
    shown.reset();
  }
  const std::uint16_t* at(int x, int y, gpu::Size size) const {
    const auto pixel = static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x);
    return numbers.data() + pixel * static_cast<std::size_t>(channels);
  }
};

// 8-bit BGR pixels in host memory (page-locked where there is a GPU), rows tight: stride is width pixels.
struct Frame {
  gpu::PinnedBuffer<gpu::Bgr> pixels;  // may be larger than the picture: slots are used again
  gpu::Size size;
  std::uint64_t sequence = 0;                      // counts the frames of one source from 0; gaps are drops
  std::uint64_t seek = 0;                          // the number of the last seek (or step) before it; 0: none
  double position = 0;                             // seconds into the source, by its own clock
  std::chrono::steady_clock::time_point captured;  // when it was read
  Values values;                                   // of a source of 16 bits

  gpu::ImageView<const gpu::Bgr> view() const { return {pixels.data(), size.width, size.height, size.width}; }
  gpu::ImageView<gpu::Bgr> writable() { return {pixels.data(), size.width, size.height, size.width}; }
  // Makes room for a picture of `wanted`; keeps the memory where it is large enough already.
  void resize(gpu::Size wanted, bool page_locked) {
    if (pixels.size() < wanted.pixels()) pixels = gpu::PinnedBuffer<gpu::Bgr>(wanted.pixels(), page_locked);
    size = wanted;
  }
};

// Drops: how many frames of a source, or of a recording, were dropped, by reason. Whoever drops a frame counts it here, where that happens.
enum class DropReason {
  not_taken,  // the source had the next one first: mailbox.h
  failed,     // its picture failed
  no_room,    // of a recording: the encoder or the disk is behind
  gpu_error,  // of a recording: its pixels did not arrive
};

class Drops {
 public:
  void add(DropReason reason, std::uint64_t frames = 1) { counts_[static_cast<std::size_t>(reason)] += frames; }
  std::uint64_t of(DropReason reason) const { return counts_[static_cast<std::size_t>(reason)]; }
  std::uint64_t all() const { return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0}); }

 private:
  std::array<std::uint64_t, 4> counts_{};
};

}  // namespace app::capture
