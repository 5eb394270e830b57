#include "gpu/pictures/check_views.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/context.h"

namespace gpu {
namespace {

[[noreturn]] void refuse(std::string_view function, const std::string& why) {
  throw std::invalid_argument(std::string(function) + ": " + why);
}

std::string text(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

// The bytes of a row are `start` to `end`, and those of the rows below `pitch` further on.
struct Rows {
  explicit Rows(const ViewArgument& view)
      : start(reinterpret_cast<std::intptr_t>(view.data)),
        end(start + view.size.width * static_cast<std::intptr_t>(view.pixel_bytes)),
        pitch(view.pitch),
        count(view.size.height) {}

  std::intptr_t past() const { return end + pitch * (count - 1); }

  std::intptr_t start, end, pitch, count;
};

void check_size(std::string_view function, const ViewArgument& view, const ViewArgument& first) {
  const auto name = std::string(view.name);
  if (view.size.width <= 0 || view.size.height <= 0) refuse(function, name + " is empty");
  if (std::max(view.size.width, view.size.height) > most_side)
    refuse(function, name + " has " + text(view.size) + " pixels, and a side can have at most " + std::to_string(most_side));
  if (view.size != first.size)
    refuse(function, std::string(first.name) + " has " + text(first.size) + " pixels and " + name + " " + text(view.size));
  const auto row = view.size.width * static_cast<std::ptrdiff_t>(view.pixel_bytes);
  if (view.pitch < row)
    refuse(function, "a row of " + name + " has " + std::to_string(row) + " bytes, and the next one begins after " +
                         std::to_string(view.pitch));
}

void check_memory(std::string_view function, const ViewArgument& view) {
  if (!view.data) refuse(function, std::string(view.name) + " has no memory");
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  if (address % view.alignment != 0 || static_cast<std::uintptr_t>(view.pitch) % view.alignment != 0)
    refuse(function, "a row of " + std::string(view.name) + " does not begin at a multiple of " +
                         std::to_string(view.alignment) + " bytes");
}

void check_all(const Context& context, std::string_view function, std::span<const ViewArgument> views) {
  for (const auto& view : views) check_size(function, view, views.front());
  if (context.is_dry()) return;
  for (const auto& view : views) check_memory(function, view);
  for (auto a = views.begin(); a != views.end(); ++a)
    for (auto b = a + 1; b != views.end(); ++b)
      if ((a->use == ViewArgument::written || b->use == ViewArgument::written) && overlap(*a, *b))
        refuse(function, std::string(a->name) + " and " + std::string(b->name) + " overlap");
}

}  // namespace

bool overlap(const ViewArgument& one, const ViewArgument& other) {
  const Rows a(one), b(other);
  if (a.past() <= b.start || b.past() <= a.start) return false;
  for (std::intptr_t y = 0; y < a.count; ++y) {
    const auto start = a.start + y * a.pitch, end = a.end + y * a.pitch;
    // The first row of b that ends behind `start`.
    const auto row = start < b.end ? 0 : b.pitch > 0 ? (start - b.end) / b.pitch + 1 : b.count;
    if (row < b.count && b.start + row * b.pitch < end) return true;
  }
  return false;
}

void check_views(const Context& context, std::string_view function, std::initializer_list<ViewArgument> views) {
  check_all(context, function, {views.begin(), views.size()});
}

void check_canvas(const Context& context, std::string_view function, const Canvas& canvas,
                  std::initializer_list<ViewArgument> read) {
  if (canvas.has_surface && context.device() == Device::host)
    refuse(function, "only a GPU can draw on a surface: give the canvas pixels in memory alone");
  std::vector<ViewArgument> views(read);
  const bool only_surface = canvas.has_surface && !canvas.gray.data && !canvas.rgba.data;
  if (only_surface && canvas.size() != views.front().size)
    refuse(function, std::string(views.front().name) + " has " + text(views.front().size) + " pixels and the canvas " +
                         text(canvas.size()));
  if (!only_surface && (canvas.gray.data || canvas.rgba.empty()))
    views.emplace_back("the canvas", canvas.gray, ViewArgument::written);
  else if (!only_surface)
    views.emplace_back("the canvas", canvas.rgba, ViewArgument::written);
  check_all(context, function, views);
}

}  // namespace gpu
