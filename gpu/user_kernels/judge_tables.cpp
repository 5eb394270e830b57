// Tables of many sizes, strides, offsets and contents, on the plain simulated GPU or on CUDA, compared with the reference.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "gpu/checks/verify.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/event.h"
#include "gpu/sat_runner.h"
#include "gpu/user_kernels/guarded_image.h"
#include "gpu/user_kernels/judge_run.h"

namespace gpu {
namespace {

std::string text_of_number(auto value) {
  if constexpr (std::is_integral_v<decltype(value)>) return std::to_string(value);
  char text[40];
  std::snprintf(text, sizeof text, sizeof value == sizeof(float) ? "%.9g" : "%.17g", static_cast<double>(value));
  return text;
}

template <class Sum>
std::string text_of_entry(const Sum& entry) {
  std::byte bytes[sizeof(Sum)];
  std::memcpy(bytes, &entry, sizeof entry);
  return std::ranges::all_of(bytes, [](std::byte each) { return each == untouched; }) ? "nothing" : text_of_number(entry);
}

template <class Input>
void draw(ImageView<Input> image, const Content& content) {
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image(x, y) = pixel<Input>(content, x, y);
}

template <class Input, class Sum>
WrongEntry wrong_entry(ImageView<const Input> image, ImageView<const Sum> table, const Mismatch& wrong) {
  const auto [width, height] = table.size();
  const Buffer<Reference<Sum>> sums(table.size().pixels(), Device::host);
  const ImageView<Reference<Sum>> right{sums.data(), width, height, width};
  sat::reference(image, right);
  WrongEntry entry;
  entry.x = static_cast<int>(wrong.first % static_cast<unsigned>(width));
  entry.y = static_cast<int>(wrong.first / static_cast<unsigned>(width));
  entry.expected = text_of_number(static_cast<Sum>(right(entry.x, entry.y)));
  entry.got = text_of_entry(table(entry.x, entry.y));
  entry.count = wrong.count;
  entry.columns = std::min(5, width);
  const int rows = std::min(5, height);
  entry.left = std::clamp(entry.x - 2, 0, width - entry.columns);
  entry.top = std::clamp(entry.y - 2, 0, height - rows);
  for (int y = entry.top; y < entry.top + rows; ++y)
    for (int x = entry.left; x < entry.left + entry.columns; ++x) {
      entry.around_got.push_back(text_of_entry(table(x, y)));
      entry.around_expected.push_back(text_of_number(static_cast<Sum>(right(x, y))));
    }
  return entry;
}

// Runs of one algorithm on one device.
class TableRuns {
 public:
  TableRuns(JudgeRun& run, Device device) : run_(run), device_(device) {
    if (device == Device::cuda) stream_.emplace();
  }

  // Two runs with different pixels: what the first one leaves, in its scratch memory and in what persists, must not make the second
  // one wrong. True: both are right.
  bool right(const Layout& layout, SatType type, const Arguments& arguments, const simulated::Schedule& schedule = {}) {
    if (device_ == Device::simulated) run_.plain->set({.schedule = schedule});
    bool right = true;
    with_types(type, [&]<class Input, class Sum>() {
      auto runner = device_ == Device::cuda ? SatRunner::on_stream(*stream_) : SatRunner::on_simulated(*run_.plain);
      const Content contents[] = {{Content::Kind::random}, {Content::Kind::all_max}};
      for (int i = 0; i < 2 && right; ++i) {
        const auto where = std::string(device_ == Device::cuda ? "CUDA, " : "plain, ") + layout.text() + ", " +
                           std::string(info(type).name) + not_initial(arguments) + ", " + contents[i].text() +
                           (schedule.kind == simulated::Schedule::Kind::in_order ? "" : ", " + text_of(schedule)) +
                           (i == 0 ? "" : ", the second of two runs");
        right = run_.attempt(where, [&] { right = compute<Input, Sum>(runner, layout, arguments, contents[i], i == 0); }) &&
                right;
      }
    });
    return right;
  }

  // A table of floating-point numbers in two random orders.
  void compare_orders(Size size, SatType type) {
    std::vector<std::byte> first;
    with_types(type, [&]<class Input, class Sum>() {
      for (std::uint64_t i = 0; i < 2; ++i) {
        run_.plain->set({.schedule = {simulated::Schedule::Kind::random, run_.task.request.seed + i}});
        auto runner = SatRunner::on_simulated(*run_.plain);
        const auto compute_once = [&] {
          GuardedImage<Input> image(size, size.width, 0, device_);
          GuardedImage<Sum> table(size, size.width, 0, device_);
          draw(image.view(), {Content::Kind::random});
          runner.run(algorithm(), ImageView<const Input>(image.view()), table.view(), Arguments(algorithm().parameters));
          const auto bytes = std::as_bytes(std::span(table.view().data, size.pixels()));
          if (i == 0)
            first.assign(bytes.begin(), bytes.end());
          else if (!std::ranges::equal(first, bytes))
            run_.writer.varies();
        };
        if (!run_.attempt("plain, " + text_of(size) + ", " + std::string(info(type).name) + ", two orders", compute_once))
          return;
      }
    });
  }

 private:
  const SatAlgorithm& algorithm() const { return *run_.version->algorithm; }

  void reserve(SatRunner& runner, AnyConstImageView image, AnyImageView table, const Arguments& arguments, bool first) {
    const auto plan = runner.plan(algorithm(), image, table, arguments);
    run_.allow_scratch(plan.workspace_bytes, image.size());
    runner.reserve(plan.workspace_bytes);
    const auto scratch = runner.workspace();
    if (!first || scratch.empty()) return;
    if (device_ == Device::cuda)
      check(cudaMemsetAsync(scratch.data(), static_cast<int>(untouched), scratch.size(), *stream_));
    else
      std::ranges::fill(scratch, untouched);
  }

  void wait() const {
    if (stream_) check(cudaStreamSynchronize(*stream_));
  }

  template <class Input, class Sum>
  bool compute(SatRunner& runner, const Layout& layout, const Arguments& arguments, const Content& content, bool first) {
    GuardedImage<Input> image(layout.size, layout.image_stride, layout.image_offset, device_);
    GuardedImage<Sum> table(layout.size, layout.table_stride, layout.table_offset, device_);
    draw(image.view(), content);
    const cudaStream_t stream = stream_ ? cudaStream_t{*stream_} : nullptr;
    image.upload(stream), table.upload(stream);
    reserve(runner, ImageView<const Input>(image.on_device()), table.on_device(), arguments, first);
    runner.run(algorithm(), ImageView<const Input>(image.on_device()), table.on_device(), arguments);
    image.download(stream), table.download(stream);
    wait();
    return holds(image, table, content);
  }

  template <class Input, class Sum>
  bool holds(const GuardedImage<Input>& image, const GuardedImage<Sum>& table, const Content& content) {
    const ImageView<const Input> pixels = image.view();
    const ImageView<const Sum> sums = table.view();
    const bool beside_table = !table.surroundings_are_untouched(), beside_image = !image.surroundings_are_untouched();
    run_.has_faulted |= beside_table || beside_image;
    for (int y = 0; y < pixels.height; ++y)
      for (int x = 0; x < pixels.width; ++x) {
        const auto expected = pixel<Input>(content, x, y);
        if (std::memcmp(&pixels(x, y), &expected, sizeof expected) != 0) return say("wrong: it writes to the image");
      }
    run_.writer.compared(pixels.size());
    const bool signed_pixels = is_floating(element_type<Input>()) && content.kind == Content::Kind::random;
    const auto wrong = Verifier(Device::host, nullptr, pixels, element_type<Sum>(), !signed_pixels).check(sums);
    if (wrong.count > 0) {
      run_.writer.entry(wrong_entry(pixels, sums, wrong));
      return say("wrong: the table");
    }
    if (beside_table) return say("wrong: it writes beside the table");
    if (beside_image) return say("wrong: it writes beside the image");
    return true;
  }
  bool say(const std::string& sentence) {
    run_.writer.wrong(sentence);
    return false;
  }

  JudgeRun& run_;
  Device device_;
  std::optional<Stream> stream_;
};

std::vector<Layout> smallest_first(std::vector<Layout> layouts) {
  std::ranges::stable_sort(layouts, {}, [](const Layout& layout) { return layout.size.pixels(); });
  return layouts;
}

Layout usual_layout(Size size) {
  const auto stride = pitched_stride(size.width, 1);  // of bytes: a multiple of 256
  return {size, stride, stride};
}

// With the initial values of its parameters, then with the others on fewer layouts. Small ones are always judged, however slow the
// kernel is: otherwise it would be right untried.
bool judge_layouts(JudgeRun& run, TableRuns& tables, double until) {
  constexpr std::size_t most_pixels = 2'100'000, most_of_small_ones = 10'000;
  const auto& algorithm = *run.version->algorithm;
  for (const auto& layout : smallest_first(reduced_layouts(algorithm)))
    if (layout.size.pixels() <= most_of_small_ones && layout.size.height <= algorithm.most_rows &&
        !tables.right(layout, algorithm.types.front(), Arguments(algorithm.parameters)))
      return false;
  JudgeBudget budget(run, until);
  const auto all = run.full() ? all_arguments(algorithm) : std::vector{Arguments(algorithm.parameters)};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto layouts = i == 0 && run.full() ? gpu::layouts(algorithm, most_pixels) : reduced_layouts(algorithm);
    for (const auto& layout : smallest_first(layouts))
      for (const auto type : algorithm.types) {
        if (layout.size.height > algorithm.most_rows) continue;
        if (!budget.allows(layout.size.pixels())) break;
        budget.begin();
        if (!tables.right(layout, type, all[i])) return false;
        budget.end(layout.size.pixels());
      }
  }
  return true;
}

// Other orders of blocks and warps, in which other threads' words may come late.
bool judge_orders(JudgeRun& run, TableRuns& tables, double until) {
  const auto& algorithm = *run.version->algorithm;
  const Arguments arguments(algorithm.parameters);
  JudgeBudget budget(run, until);
  constexpr Size size{311, 239};
  for (std::uint64_t i = 0; i < 3; ++i)
    for (const auto type : algorithm.types) {
      if (!budget.allows(size.pixels())) return true;
      budget.begin();
      if (!tables.right({size, size.width + 3, size.width + 5, 1, 1}, type, arguments,
                        {simulated::Schedule::Kind::random, run.task.request.seed + i}))
        return false;
      budget.end(size.pixels());
    }
  for (const auto type : algorithm.types)
    if (is_floating(info(type).sum) && budget.allows(size.pixels())) tables.compare_orders(size, type);
  return true;
}

}  // namespace

bool judge_tables(JudgeRun& run, Device device) {
  TableRuns tables(run, device);
  const Arguments arguments(run.version->algorithm->parameters);
  const bool simulated = device == Device::simulated;
  bool right = judge_layouts(run, tables, simulated ? 0.6 : 0.5);
  // A trial is whether it may run: a table that is wrong elsewhere is no reason to stop, as a fault is.
  for (const auto size : run.task.request.sizes)
    if (right || (!run.full() && !run.has_faulted))
      right = tables.right(usual_layout(size), run.version->algorithm->types.front(), arguments) && right;
  if (!right) return false;
  return !simulated || !run.full() || judge_orders(run, tables, 0.7);
}

}  // namespace gpu
