// Runs one algorithm and type through its cases and compares every entry with the reference. Around image, table and
// workspace lie guard bands; the table, its padding and the workspace start out as one byte pattern, and everything but
// the table's own entries and the workspace must still hold it afterwards.
//
// `Space` is where it runs: HostSpace below, or DeviceSpace of device_space.cuh.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "gpu/sat/reference.h"
#include "gpu/tests/compare_tables.h"
#include "gpu/tests/sat_cases.h"

namespace gpu {

inline constexpr unsigned char guard_byte = 0xCD;
inline constexpr std::size_t guard_bytes = 4096;

// `rows` rows of `row_bytes`, `pitch` apart, from `begin` on: what may be written among `bytes` bytes.
struct GuardedRows {
  const std::byte* data;
  std::size_t bytes, begin, pitch, row_bytes, rows;

  constexpr bool touched(std::size_t i) const {
    const bool inside = i >= begin && (i - begin) / pitch < rows && (i - begin) % pitch < row_bytes;
    return !inside && static_cast<unsigned char>(data[i]) != guard_byte;
  }
};

class HostSpace {
 public:
  static constexpr Device device = Device::host;
  Context context(std::span<std::byte> workspace) { return Context::on_host(pool_, workspace); }
  Context dry() { return Context::dry(device, pool_.threads()); }
  void fill(std::span<std::byte> bytes, unsigned char value) { std::memset(bytes.data(), value, bytes.size()); }
  void upload(void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
  void wait() {}
  std::size_t count_touched(const GuardedRows& rows) {
    const auto* data = reinterpret_cast<const unsigned char*>(rows.data);
    const auto between = [&](std::size_t from, std::size_t to) {
      return static_cast<std::size_t>(to - from) -
             static_cast<std::size_t>(std::count(data + from, data + to, guard_byte));
    };
    std::size_t count = between(0, rows.begin), at = rows.begin;
    for (std::size_t row = 0; row < rows.rows; ++row, at += rows.pitch)
      count += between(at + rows.row_bytes, row + 1 < rows.rows ? at + rows.pitch : rows.bytes);
    return count;
  }
  template <class Sum>
  Mismatch compare(const Comparison<Sum>& comparison) {
    return compare_on_host(comparison);
  }

 private:
  ThreadPool pool_{5};  // an odd number, more than many machines have cores
};

// An image with its reference, on the host and uploaded.
template <class Space, class Input, class Sum>
class Prepared {
 public:
  Prepared(Space& space, const Layout& layout, const Content& content) : layout_(layout), content_(content) {
    const auto pixels = layout.size.pixels();
    // Outside the image lies what ruins every sum.
    std::vector<Input> host(elements(), static_cast<Input>(~std::uint64_t{0} >> 33));
    std::vector<Input> absolute_host;
    std::vector<Reference<Sum>> sums(pixels);
    const ImageView<Input> image{host.data() + layout.offset, layout.size.width, layout.size.height,
                                 layout.image_stride};
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) image(x, y) = pixel<Input>(content, x, y);
    const ImageView<Reference<Sum>> table{sums.data(), image.width, image.height, image.width};
    sat::reference<Input, Reference<Sum>>(image, table);
    image_ = upload(space, host);
    sums_ = upload(space, sums);
    if constexpr (std::is_floating_point_v<Input>) {
      if (content.whole_numbers()) return;  // and none is negative
      for (auto& value : host) value = std::abs(value);
      sat::reference<Input, Reference<Sum>>(image, table);
      absolute_ = upload(space, sums);
    }
  }

  ImageView<const Input> image() const {
    return {reinterpret_cast<const Input*>(image_.data()) + layout_.offset, layout_.size.width, layout_.size.height,
            layout_.image_stride};
  }
  Comparison<Sum> comparison(ImageView<const Sum> table) const {
    const auto view = [&](const Buffer<std::byte>& buffer) {
      return ImageView<const Reference<Sum>>{reinterpret_cast<const Reference<Sum>*>(buffer.data()), layout_.size.width,
                                             layout_.size.height, layout_.size.width};
    };
    return {table, view(sums_), absolute_.size() ? view(absolute_) : view(sums_),
            content_.whole_numbers() || std::is_integral_v<Input>};
  }
  const Layout& layout() const { return layout_; }
  const Content& content() const { return content_; }

 private:
  std::size_t elements() const {
    return static_cast<std::size_t>(layout_.image_stride) * static_cast<std::size_t>(layout_.size.height) +
           static_cast<std::size_t>(layout_.offset);
  }
  template <class T>
  static Buffer<std::byte> upload(Space& space, const std::vector<T>& values) {
    Buffer<std::byte> buffer(values.size() * sizeof(T), Space::device);
    space.upload(buffer.data(), values.data(), buffer.size());
    return buffer;
  }

  Layout layout_;
  Content content_;
  Buffer<std::byte> image_, sums_, absolute_;
};

template <class Space>
class SatMatrix {
 public:
  explicit SatMatrix(const SatTestCase& test) : test_(test) {}

  // Stops at the first wrong table: the rest would say the same.
  void check(const std::vector<Layout>& layouts, std::size_t most_contents = ~std::size_t{0}) {
    with_types(test_.type, [&]<class Input, class Sum>() {
      for (const auto& layout : layouts) {
        auto all = contents(*test_.algorithm, layout.size);
        if (all.size() > most_contents) all.resize(most_contents);
        for (const auto& content : all) {
          const Prepared<Space, Input, Sum> prepared(space_, layout, content);
          // What depends on the parameters shows in every content; on large images two of them are enough.
          const bool every = layout.size.pixels() <= 300'000 || content.kind == Content::Kind::random ||
                             content.kind == Content::Kind::all_max;
          for (const auto& arguments : all_arguments(*test_.algorithm)) {
            check_run<Input, Sum>(prepared, arguments);
            if (testing::Test::HasFailure()) return;
            if (!every) break;
          }
        }
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

    auto dry = space_.dry();
    compute_sat(dry, *test_.algorithm, prepared.image(), view, arguments);
    const auto work_bytes = dry.workspace_bytes();
    Buffer<std::byte>& work = grown(work_, work_bytes + 2 * guard_bytes);
    const auto work_span = work.span().first(work_bytes + 2 * guard_bytes);
    space_.fill(work_span, guard_byte);

    auto context = space_.context(work_span.subspan(guard_bytes, work_bytes));
    compute_sat(context, *test_.algorithm, prepared.image(), view, arguments);
    space_.wait();
    EXPECT_EQ(context.workspace_bytes(), work_bytes) << "the dry replay counted another workspace";

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
  }

  // Kept from run to run: allocating costs more than most runs.
  static Buffer<std::byte>& grown(Buffer<std::byte>& buffer, std::size_t bytes) {
    if (buffer.size() < bytes) buffer = Buffer<std::byte>(bytes, Space::device);
    return buffer;
  }

  SatTestCase test_;
  Space space_;
  Buffer<std::byte> table_, work_;
};

}  // namespace gpu
