// SpanLabel: what Context calls the work that it starts, and what a Timeline times.
#pragma once

#include <string_view>
#include <type_traits>

namespace gpu {

// Where the times of a span come from. whole: from points where it begins and where it ends; the spans inside it then have
// none. parts: from the points of the spans inside it.
enum class SpanTiming { whole, parts };

// What a span's time is spent on. transfer: frames and results on their way to the device, from it, or to where they are
// shown. wait: nothing, because something else uses the device.
enum class SpanKind { compute, transfer, wait };

// A span's name, from anything that converts to a string_view, and its kind.
struct SpanLabel {
  template <class Name>
  requires std::is_convertible_v<const Name&, std::string_view>
  constexpr SpanLabel(const Name& name, SpanKind kind = SpanKind::compute) : name(name), kind(kind) {}

  std::string_view name;
  SpanKind kind;
};

}  // namespace gpu
