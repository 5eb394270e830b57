// Stage: the images and tables of one measurement (one type, one size, one device), and the check of a table.
//
// There are so many copies of image and table that, when a run uses a copy again, the cache no longer contains it ("cold"),
// or one copy ("hot"). All copies have the same random pixels, so that one reference serves all of them. Each image is
// directly followed by its table.
//
// Image and table of a batch are those of all its images, one below another: each begins in the row behind the one before it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/checks/verify.h"
#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/sat.h"

namespace gpu::benchmarks {

// Where the rows of image and table begin.
enum class Layout {
  pitched,     // at multiples of 256 bytes, as cudaMallocPitch aligns them
  contiguous,  // where the row before ends
  padded,  // as for cv::integral: a contiguous image; its table lies within one that has a row and a column more, contiguous
  offset,  // one pixel behind those of `pitched`, as in a view
};
inline constexpr std::array<std::string_view, 4> layout_names{"pitched", "contiguous", "padded", "offset"};
inline std::string_view name(Layout layout) { return layout_names[static_cast<std::size_t>(layout)]; }

// Pixels before the first, and from row to row; of a table, or of an image.
struct Rows {
  std::size_t first, step;
};
Rows table_rows_in(Layout layout, int width, std::size_t element_bytes);
Rows image_rows_in(Layout layout, int width, std::size_t element_bytes);

// An image in memory of its own, whose rows begin where a layout says.
template <class T>
class PlacedImage {
 public:
  PlacedImage(Size size, Rows rows, Device device)
      : size_(size), rows_(rows), memory_(rows.first + rows.step * static_cast<std::size_t>(size.height), device) {}

  ImageView<T> view() const {
    return {memory_.data() + rows_.first, size_.width, size_.height, static_cast<std::ptrdiff_t>(rows_.step)};
  }
  std::span<T> memory() const { return memory_.span(); }  // with what lies between rows

 private:
  Size size_;
  Rows rows_;
  Buffer<T> memory_;
};

struct Footprint {
  std::size_t image_bytes, table_bytes, reference_bytes;  // of every layout, with the padding of rows
  int copies;
  std::size_t pair_bytes() const { return image_bytes + table_bytes; }
  std::size_t total() const { return pair_bytes() * static_cast<std::size_t>(copies) + reference_bytes; }
};
// `cache_bytes`: the size of the last-level cache; 0: one copy. `images`: of the size, in a batch.
Footprint footprint(SatType type, Size size, std::size_t cache_bytes, int images = 1);

class Stage {
 public:
  // Allocates, fills the images and computes the reference. Device work is queued on `stream`; waits for it.
  Stage(Device device, cudaStream_t stream, SatType type, Size size, Layout layout, const Footprint& footprint,
        int images = 1);

  SatType type() const { return type_; }
  Size size() const { return size_; }  // of each image
  int images() const { return images_; }
  int copies() const { return footprint_.copies; }
  AnyConstImageView image(int copy) const { return image_in(layout_, copy); }
  AnyImageView table(int copy) const { return table_in(layout_, copy); }
  // The same memory in another layout; only `layout` is filled.
  AnyConstImageView image_in(Layout layout, int copy) const;
  AnyImageView table_in(Layout layout, int copy) const;

  // Fills every table with one byte pattern, so that entries that are not written are detected.
  void spoil();
  // One of a batch: the view of a copy that begins with it.
  AnyConstImageView image_of(int copy, int number) const { return part_of<AnyConstImageView>(image(copy), number); }
  AnyImageView table_of(int copy, int number) const { return part_of<AnyImageView>(table(copy), number); }
  // Empty if table `copy` is correct, all tables of a batch are, otherwise what is wrong with it. Waits.
  std::string wrong(int copy) const;

 private:
  std::byte* pair(int copy) const { return pairs_.data() + footprint_.pair_bytes() * static_cast<std::size_t>(copy); }
  void fill();
  Size whole_size() const { return {size_.width, size_.height * images_}; }
  template <class View>
  View part_of(View whole, int number) const {
    const auto elements = whole.stride * size_.height * number;
    const auto bytes = elements * static_cast<std::ptrdiff_t>(size_of(whole.type));
    const auto address = reinterpret_cast<std::uintptr_t>(whole.data) + static_cast<std::uintptr_t>(bytes);
    return {reinterpret_cast<decltype(whole.data)>(address), size_.width, size_.height, whole.stride, whole.type};
  }

  Device device_;
  cudaStream_t stream_;
  SatType type_;
  Size size_;
  Layout layout_;
  Footprint footprint_;
  int images_;
  Buffer<std::byte> pairs_;
  std::vector<Verifier> verifiers_;  // of each image, which is the same in all copies
};

}  // namespace gpu::benchmarks
