// Runs one algorithm and type through its cases and compares every entry with the reference. Guard bands surround image,
// table and workspace; in the image they make the sums of a kernel that reads them wrong. The table, its padding and the
// workspace are filled with one byte pattern before. Afterwards everything except the entries of the table and the
// workspace must be unchanged, including the image.
//
// `Space` is where it runs: HostSpace of sat_space.h, or DeviceSpace of device_space.cuh.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/sat/block/reference.h"
#include "gpu/tests/sat/sat_cases.h"
#include "gpu/tests/sat/sat_space.h"

namespace gpu {

template <class T>
struct DrawImage {
  ImageView<T> image;
  Content content;
  constexpr void operator()(int x, int y) const { image(x, y) = pixel<T>(content, x, y); }
};
template <class Input, class Ref>
struct DrawTable {
  ImageView<Ref> table;
  Content content;
  constexpr void operator()(int x, int y) const { table(x, y) = table_entry<Input, Ref>(content, x, y); }
};

// An image among guard bands, with its reference.
template <class Space, class Input, class Sum>
class Prepared {
 public:
  using Ref = Reference<Sum>;

  Prepared(Space& space, const Layout& layout, const Content& content)
      : layout_(layout),
        content_(content),
        image_(2 * band() + elements() * sizeof(Input), Space::device),
        untouched_(image_.size(), Space::device),
        sums_(layout.size.pixels(), Space::device) {
    space.fill(image_.span(), guard_byte);
    space.for_each_pixel(layout.size, DrawImage<Input>{drawn(), content});
    space.copy(untouched_.data(), image_.data(), image_.size());
    if (content.has_formula())
      space.for_each_pixel(layout.size, DrawTable<Input, Ref>{tight(sums_.data()), content});
    else
      add_up(space);
  }

  ImageView<const Input> image() const { return drawn(); }
  // The number of changed bytes, in the image or around it.
  std::size_t count_changed(Space& space) const { return space.count_different(image_.span(), untouched_.span()); }
  Comparison<Sum> comparison(ImageView<const Sum> table) const {
    return {table, tight(sums_.data()), tight(absolute_.size() ? absolute_.data() : sums_.data()),
            content_.whole_numbers() || std::is_integral_v<Input>};
  }
  const Layout& layout() const { return layout_; }
  const Content& content() const { return content_; }

 private:
  // Bytes before and after the image: two rows or more, a multiple of 256.
  std::size_t band() const {
    return (guard_bytes + 2 * static_cast<std::size_t>(layout_.image_stride) * sizeof(Input) + 255) / 256 * 256;
  }
  std::size_t elements() const {
    return static_cast<std::size_t>(layout_.offset + layout_.image_stride * layout_.size.height);
  }
  ImageView<Input> drawn() const {
    return {reinterpret_cast<Input*>(image_.data() + band()) + layout_.offset, layout_.size.width, layout_.size.height,
            layout_.image_stride};
  }
  template <class T>
  ImageView<T> tight(T* data) const {
    return {data, layout_.size.width, layout_.size.height, layout_.size.width};
  }
  // The reference, and that of the absolute values, on the host.
  void add_up(Space& space) {
    std::vector<Input> pixels(layout_.size.pixels());
    std::vector<Ref> sums(pixels.size());
    const auto image = tight(pixels.data());
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) image(x, y) = pixel<Input>(content_, x, y);
    sat::reference<Input, Ref>(image, tight(sums.data()));
    space.copy(sums_.data(), sums.data(), sums.size() * sizeof(Ref));
    if constexpr (std::is_floating_point_v<Input>) {
      if (content_.whole_numbers()) return;  // and none is negative
      for (auto& value : pixels) value = std::abs(value);
      sat::reference<Input, Ref>(image, tight(sums.data()));
      absolute_ = Buffer<Ref>(sums.size(), Space::device);
      space.copy(absolute_.data(), sums.data(), sums.size() * sizeof(Ref));
    }
  }

  Layout layout_;
  Content content_;
  Buffer<std::byte> image_, untouched_;
  Buffer<Ref> sums_, absolute_;
};

template <class Space>
class SatMatrix {
 public:
  explicit SatMatrix(const SatTestCase& test) : test_(test) {}

  // Stops at the first wrong table: the others would fail in the same way.
  void check(const std::vector<Layout>& layouts, std::size_t most_contents = ~std::size_t{0}) {
    with_types(test_.type, [&]<class Input, class Sum>() {
      for (const auto& layout : layouts) {
        auto all = contents(*test_.algorithm, layout.size);
        if (all.size() > most_contents) all.resize(most_contents);
        for (const auto& content : all) {
          const Prepared<Space, Input, Sum> prepared(space_, layout, content);
          // The parameter of the host is the number of threads: for a large image, random pixels are enough to test it.
          const bool every = Space::device == Device::cuda || layout.size.pixels() <= 300'000 ||
                             content.kind == Content::Kind::random || content.kind == Content::Kind::all_max;
          for (const auto& arguments : all_arguments(*test_.algorithm)) {
            check_run<Input, Sum>(prepared, arguments);
            if (testing::Test::HasFailure()) return;
            if (!every) break;
          }
        }
      }
    });
  }
  // One content, with all parameters.
  void check(const Layout& layout, const Content& content) {
    with_types(test_.type, [&]<class Input, class Sum>() {
      const Prepared<Space, Input, Sum> prepared(space_, layout, content);
      for (const auto& arguments : all_arguments(*test_.algorithm)) {
        check_run<Input, Sum>(prepared, arguments);
        if (testing::Test::HasFailure()) return;
      }
    });
  }

 private:
  template <class Input, class Sum>
  void check_run(const Prepared<Space, Input, Sum>& prepared, const Arguments& arguments) {
    const auto& layout = prepared.layout();
    SCOPED_TRACE(name(test_) + text(arguments) + ", " + layout.text() + ", " + prepared.content().text());
    const auto pitch = static_cast<std::size_t>(layout.table_stride) * sizeof(Sum);
    const auto rows = static_cast<std::size_t>(layout.size.height);
    const auto begin = guard_bytes + static_cast<std::size_t>(layout.offset) * sizeof(Sum);
    Buffer<std::byte>& table = grown(table_, begin + pitch * rows + guard_bytes);
    const auto table_span = table.span().first(begin + pitch * rows + guard_bytes);
    space_.fill(table_span, guard_byte);
    const ImageView<Sum> view{reinterpret_cast<Sum*>(table.data() + begin), layout.size.width, layout.size.height,
                              layout.table_stride};

    const auto work_bytes = space_.plan(*test_.algorithm, prepared.image(), view, arguments).workspace_bytes;
    Buffer<std::byte>& work = grown(work_, work_bytes + 2 * guard_bytes);
    const auto work_span = work.span().first(work_bytes + 2 * guard_bytes);
    space_.fill(work_span, guard_byte);

    auto context = space_.context(work_span.subspan(guard_bytes, work_bytes));
    compute_sat(context, *test_.algorithm, prepared.image(), view, arguments);
    space_.wait();
    EXPECT_EQ(context.workspace_bytes(), work_bytes) << "the dry replay counted a different workspace";

    const auto mismatch = space_.template compare<Sum>(prepared.comparison(view));
    const auto width = static_cast<unsigned long long>(layout.size.width);
    EXPECT_EQ(mismatch.count, 0u) << "the first wrong entry is at (" << mismatch.first % width << ", "
                                  << mismatch.first / width << ")";
    EXPECT_EQ(space_.count_touched({table_span.data(), table_span.size(), begin, pitch,
                                    static_cast<std::size_t>(layout.size.width) * sizeof(Sum), rows}),
              0u)
        << "bytes around the table or in its padding were written";
    const auto inner = std::max<std::size_t>(work_bytes, 1);
    EXPECT_EQ(space_.count_touched({work_span.data(), work_span.size(), guard_bytes, inner, work_bytes, 1}), 0u)
        << "bytes around the workspace were written";
    EXPECT_EQ(prepared.count_changed(space_), 0u) << "bytes of the image or around it were written";
  }

  // Kept between runs: an allocation takes longer than most runs.
  static Buffer<std::byte>& grown(Buffer<std::byte>& buffer, std::size_t bytes) {
    if (buffer.size() < bytes) buffer = Buffer<std::byte>(bytes, Space::device);
    return buffer;
  }

  SatTestCase test_;
  Space space_;
  Buffer<std::byte> table_, work_;
};

}  // namespace gpu
