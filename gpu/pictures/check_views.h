// check_views: the preconditions of every function that takes images, checked in one place before anything is queued: an address
// outside an image would end a GPU's context for the whole process.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string_view>

#include "gpu/image.h"
#include "gpu/pictures/canvas.h"

namespace gpu {

// An image, by the name that its errors give it.
struct ViewArgument {
  enum class Use { read, written };
  static constexpr Use read = Use::read, written = Use::written;

  template <class T>
  ViewArgument(std::string_view name, ImageView<T> view, Use use = read)
      : ViewArgument(name, view.data, view.size(), view.stride * std::ptrdiff_t{sizeof(T)}, sizeof(T), alignof(T), use) {}
  template <class Void>
  ViewArgument(std::string_view name, AnyView<Void> view, Use use = read)
      : ViewArgument(name, view.data, view.size(), view.stride * static_cast<std::ptrdiff_t>(size_of(view.type)),
                     size_of(view.type), size_of(view.type), use) {}
  ViewArgument(std::string_view name, const BgrView& view, Use use = read)
      : ViewArgument(name, view.data, view.size(), view.pitch, sizeof(Bgr), alignof(Bgr), use) {}

  std::string_view name;
  const void* data;
  Size size;
  std::ptrdiff_t pitch;  // in bytes
  std::size_t pixel_bytes, alignment;
  Use use;

 private:
  ViewArgument(std::string_view name, const void* data, Size size, std::ptrdiff_t pitch, std::size_t pixel_bytes,
               std::size_t alignment, Use use)
      : name(name), data(data), size(size), pitch(pitch), pixel_bytes(pixel_bytes), alignment(alignment), use(use) {}
};

// Whether the two have a byte in common. Rows of one may lie between those of the other: the halves of a picture.
bool overlap(const ViewArgument& a, const ViewArgument& b);

constexpr int most_side = 1 << 30;  // pixels: twice as many, and a tile more, must not exceed an int

// Throws std::invalid_argument, one line that begins with `function`, unless the first image has 1 to most_side columns and rows,
// the others have its size, and no row is longer than its pitch; and, except on a dry context, unless their memory is aligned to
// their elements and what is written shares no pixel with another.
void check_views(const Context& context, std::string_view function, std::initializer_list<ViewArgument> views);
// The same for images that are read and a canvas of their size. The canvas must also have memory or a surface that the device can
// draw on.
void check_canvas(const Context& context, std::string_view function, const Canvas& canvas,
                  std::initializer_list<ViewArgument> read);

}  // namespace gpu
