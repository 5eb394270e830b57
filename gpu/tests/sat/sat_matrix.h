// Runs one algorithm and type through its cases and compares every entry with the reference, where the tables are: of the
// device only verdicts are read back, and no run waits for that of the one before. Guard bands surround image,
// table and workspace; in the image they make the sums of a kernel that reads them wrong. The table, its padding and the
// workspace are filled with one byte pattern before. Afterwards everything except the entries of the table and the
// workspace must be unchanged, including the image.
//
// `Space` is where it runs: HostSpace of sat_space.h, or DeviceSpace of device_space.cuh.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/checks/sat_cases.h"
#include "gpu/tests/sat/sat_space.h"

namespace gpu {

// For INSTANTIATE_TEST_SUITE_P.
inline std::string case_name(const testing::TestParamInfo<SatTestCase>& info) { return name(info.param); }
inline void PrintTo(const SatTestCase& test, std::ostream* out) { *out << name(test); }

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

// An image among guard bands, with its reference, both in memory of the space.
template <class Space, class Input, class Sum>
class Prepared {
 public:
  using Ref = Reference<Sum>;

  // Memory for images of this layout. Exactly as much as they need: compute-sanitizer finds accesses outside.
  explicit Prepared(const Layout& layout)
      : layout_(layout),
        image_(2 * band() + elements() * sizeof(Input), Space::device),
        untouched_(image_.size(), Space::device),
        sums_(layout.size.pixels(), Space::device) {}
  Prepared(Space& space, const Layout& layout, const Content& content) : Prepared(layout) { draw(space, content); }

  // Draws the image and adds it up, after what is queued.
  void draw(Space& space, const Content& content) {
    content_ = content;
    space.fill(image_.span(), guard_byte);
    space.for_each_pixel(layout_.size, DrawImage<Input>{drawn(), content});
    space.copy(untouched_.data(), image_.data(), image_.size());
    if (content.has_formula())
      space.for_each_pixel(layout_.size, DrawTable<Input, Ref>{tight(sums_), content});
    else
      space.add_up(image(), tight(sums_), false);
    if (!has_negative_pixels()) return;
    if (absolute_.size() == 0) absolute_ = Buffer<Ref>(sums_.size(), Space::device);
    space.add_up(image(), tight(absolute_), true);
  }

  ImageView<const Input> image() const { return drawn(); }
  // Adds the number of changed bytes, in the image or around it.
  void count_changed(Space& space, unsigned long long* bytes) const {
    space.count_different(image_.span(), untouched_.span(), bytes);
  }
  Comparison<Sum> comparison(ImageView<const Sum> table) const {
    return {table, tight(sums_), tight(has_negative_pixels() ? absolute_ : sums_),
            content_.whole_numbers() || std::is_integral_v<PixelValue<Input>>};
  }
  const Layout& layout() const { return layout_; }

 private:
  // Bytes before and after the image: two rows or more, a multiple of 256.
  std::size_t band() const {
    return (guard_bytes + 2 * static_cast<std::size_t>(layout_.image_stride) * sizeof(Input) + 255) / 256 * 256;
  }
  std::size_t elements() const {
    return static_cast<std::size_t>(layout_.image_offset + layout_.image_stride * layout_.size.height);
  }
  ImageView<Input> drawn() const {
    return {reinterpret_cast<Input*>(image_.data() + band()) + layout_.image_offset, layout_.size.width, layout_.size.height,
            layout_.image_stride};
  }
  ImageView<Ref> tight(const Buffer<Ref>& sums) const {
    return {sums.data(), layout_.size.width, layout_.size.height, layout_.size.width};
  }
  bool has_negative_pixels() const { return std::is_floating_point_v<Input> && content_.kind == Content::Kind::random; }

  Layout layout_;
  Content content_;
  Buffer<std::byte> image_, untouched_;
  Buffer<Ref> sums_, absolute_;
};

// Of bytes around and between guarded rows, and of two equal ranges: in the last round none is changed.
template <class Space>
void expect_every_changed_byte_is_seen(Space& space, Device device) {
  constexpr std::size_t begin = 5, pitch = 7, row_bytes = 4, rows = 3, size = 31;
  const Buffer<std::byte> bytes(size, device), same(size, device);
  const Buffer<unsigned long long> counts(2, device);
  space.fill(same.span(), guard_byte);
  for (std::size_t i = 0; i <= size; ++i) {
    SCOPED_TRACE(i);
    space.fill(bytes.span(), guard_byte);
    if (i < size) space.fill(bytes.span().subspan(i, 1), guard_byte ^ 0x40);
    space.fill(std::as_writable_bytes(counts.span()), 0);
    space.count_touched({bytes.data(), size, begin, pitch, row_bytes, rows}, counts.data());
    space.count_different(bytes.span(), same.span(), counts.data() + 1);
    unsigned long long found[2];
    space.copy(found, counts.data(), sizeof found);
    space.wait();
    const bool inside = i >= begin && (i - begin) / pitch < rows && (i - begin) % pitch < row_bytes;
    EXPECT_EQ(found[0], inside || i == size ? 0u : 1u);
    EXPECT_EQ(found[1], i == size ? 0u : 1u);
  }
}

template <class Space>
class SatMatrix {
 public:
  explicit SatMatrix(const SatTestCase& test) : test_(test), arguments_(all_arguments(*test.algorithm)) {}

  // Stops at the first wrong table: the others would fail in the same way.
  void check(const std::vector<Layout>& layouts, std::size_t most_contents = ~std::size_t{0}) {
    for (const auto& layout : layouts) {
      auto all = contents(*test_.algorithm, layout.size);
      if (all.size() > most_contents) all.resize(most_contents);
      if (!check(layout, all)) return;
    }
  }
  // Every content, with all parameters. Returns whether all tables are right.
  bool check(const Layout& layout, const std::vector<Content>& contents) {
    bool right = false;
    try {
      with_types(test_.type, [&]<class Input, class Sum>() { right = check_contents<Input, Sum>(layout, contents); });
    } catch (const CudaError&) {
      if (!runs_.empty())
        ADD_FAILURE() << "one of " << runs_.size() << " runs failed, from " << text(layout, runs_.front()) << ", to "
                      << text(layout, runs_.back());
      throw;
    }
    return right;
  }
  bool check(const Layout& layout, const Content& content) { return check(layout, std::vector{content}); }

 private:
  struct Run {
    Content content;
    const Arguments* arguments;
  };

  // The runs are queued one after another, and each leaves its verdict.
  template <class Input, class Sum>
  bool check_contents(const Layout& layout, const std::vector<Content>& contents) {
    Prepared<Space, Input, Sum> prepared(layout);
    for (const auto& content : contents) {
      prepared.draw(space_, content);
      // The parameter of the host is the number of threads: for a large image, pixels of all values are enough to test it.
      using Kind = Content::Kind;
      const bool every = Space::device == Device::cuda || layout.size.pixels() <= 300'000 || content.kind == Kind::random ||
                         content.kind == Kind::positive || content.kind == Kind::all_max;
      for (const auto& arguments : arguments_) {
        runs_.push_back({content, &arguments});
        queue_run<Input, Sum>(prepared);
        if (runs_.size() == Space::most_queued && !judge(layout)) return false;
        if (!every) break;
      }
    }
    return judge(layout);
  }

  // The last of runs_.
  template <class Input, class Sum>
  void queue_run(const Prepared<Space, Input, Sum>& prepared) {
    const auto& layout = prepared.layout();
    const auto& arguments = *runs_.back().arguments;
    const auto pitch = static_cast<std::size_t>(layout.table_stride) * sizeof(Sum);
    const auto rows = static_cast<std::size_t>(layout.size.height);
    const auto begin = guard_bytes + static_cast<std::size_t>(layout.table_offset) * sizeof(Sum);
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
    EXPECT_EQ(context.workspace_bytes(), work_bytes) << "the dry replay counted a different workspace";

    Verdict* const verdict = verdicts_.next();
    space_.template compare<Sum>(prepared.comparison(view), &verdict->table);
    space_.count_touched({table_span.data(), table_span.size(), begin, pitch,
                          static_cast<std::size_t>(layout.size.width) * sizeof(Sum), rows},
                         &verdict->around_table);
    const auto inner = std::max<std::size_t>(work_bytes, 1);
    space_.count_touched({work_span.data(), work_span.size(), guard_bytes, inner, work_bytes, 1},
                         &verdict->around_workspace);
    prepared.count_changed(space_, &verdict->image);
  }

  // Waits for the queued runs; whether nothing is wrong after any of them. Reports the first that is wrong.
  bool judge(const Layout& layout) {
    if (runs_.empty()) return true;
    const auto verdicts = verdicts_.take(space_);
    const auto runs = std::exchange(runs_, {});
    const auto wrong = std::ranges::find_if_not(verdicts, &Verdict::right);
    if (wrong == verdicts.end()) return true;
    SCOPED_TRACE(text(layout, runs[static_cast<std::size_t>(wrong - verdicts.begin())]));
    EXPECT_EQ(gpu::text(wrong->table, layout.size.width), "");
    EXPECT_EQ(wrong->around_table, 0u) << "bytes around the table or in its padding were written";
    EXPECT_EQ(wrong->around_workspace, 0u) << "bytes around the workspace were written";
    EXPECT_EQ(wrong->image, 0u) << "bytes of the image or around it were written";
    return false;
  }
  std::string text(const Layout& layout, const Run& run) const {
    return name(test_) + gpu::text(*run.arguments) + ", " + layout.text() + ", " + run.content.text();
  }

  // Kept between runs: an allocation takes longer than most runs.
  static Buffer<std::byte>& grown(Buffer<std::byte>& buffer, std::size_t bytes) {
    if (buffer.size() < bytes) buffer = Buffer<std::byte>(bytes, Space::device);
    return buffer;
  }

  SatTestCase test_;
  std::vector<Arguments> arguments_;
  Space space_;
  Buffer<std::byte> table_, work_;
  Verdicts<Space> verdicts_{space_, Space::most_queued};
  std::vector<Run> runs_;  // queued, and not yet judged
};

}  // namespace gpu
