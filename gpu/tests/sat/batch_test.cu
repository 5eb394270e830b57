// Algorithms that take several images, or the channels of pixels, at once (SatAlgorithm::run_batch): every table is that of its image or
// channel, what lies between the tables stays what it is, whatever was computed before in the same memory.
#include <string>
#include <vector>

#include "gpu/sat.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/wave_shape.h"
#include "gpu/sat_runner.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/sat/impatient_algorithms.h"

namespace gpu {
namespace {

// Elements before the first, and from row to row.
struct Rows {
  std::ptrdiff_t first, step;
};
struct BatchCase {
  std::string name;
  Size size;
  ImageBatch batch;
  Rows image, sat;
};

enum class Arrangement { one_behind_another, with_gaps, aligned, side_by_side };
BatchCase arranged(Arrangement arrangement, Size size, int count, int channels) {
  const std::ptrdiff_t width = size.width, height = size.height, row = width * channels, tables = count * channels;
  const auto aligned = [](std::ptrdiff_t elements) { return (elements + 15) / 16 * 16; };
  const auto strides = [=](std::ptrdiff_t image, std::ptrdiff_t sat) { return ImageBatch{count, image, sat, channels}; };
  switch (arrangement) {
    case Arrangement::one_behind_another:
      return {"one behind another", size, strides(row * height, width * height), {0, row}, {0, width}};
    case Arrangement::with_gaps:
      return {"with gaps", size, strides((row + 3) * height + 5, (width + 3) * height + 2), {1, row + 3}, {1, width + 3}};
    case Arrangement::aligned:
      return {"aligned",
              size,
              strides(aligned(row) * height + 16, aligned(width) * height + 48),
              {0, aligned(row)},
              {0, aligned(width)}};
    case Arrangement::side_by_side:
      return {"side by side", size, strides(row, width), {3, count * row}, {2, tables * width + 1}};
  }
  return {};
}
constexpr Arrangement arrangements[] = {Arrangement::one_behind_another, Arrangement::with_gaps, Arrangement::aligned,
                                        Arrangement::side_by_side};

// Batches one after another in one stream, over one persistent memory.
template <class Input, class Sum>
class BatchRuns {
 public:
  void run(const SatAlgorithm& algorithm, const BatchCase& test) {
    const auto& [name, size, batch, image_rows, sat_rows] = test;
    SCOPED_TRACE(std::string(algorithm.name) + " " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                 " and " + std::to_string(batch.count) + " of " + std::to_string(batch.channels) + " channels, " + name +
                 ", run " + std::to_string(number_));
    // No byte more than the last pixel and the last sum.
    const auto elements = [&](const Rows& rows, std::ptrdiff_t stride, int count, int in_row) {
      return static_cast<std::size_t>(rows.first + stride * (count - 1) + rows.step * (size.height - 1) + in_row);
    };
    std::vector<Input> pixels(elements(image_rows, batch.image_stride, batch.count, size.width * batch.channels));
    // Sums are exact in every type.
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<Input>((i * i + i / 7 + 13 * number_) % 41);
    ++number_;
    std::vector<Sum> found(elements(sat_rows, batch.sat_stride, batch.tables(), size.width), Sum(99)), expected = found;
    const Buffer<Input> images(pixels.size(), Device::cuda);
    const Buffer<Sum> tables(found.size(), Device::cuda);
    test::copy_bytes(images.data(), pixels.data(), pixels.size() * sizeof(Input));
    test::copy_bytes(tables.data(), found.data(), found.size() * sizeof(Sum));
    const ImageView<const Input> image{images.data() + image_rows.first, size.width, size.height, image_rows.step};
    const ImageView<Sum> sat{tables.data() + sat_rows.first, size.width, size.height, sat_rows.step};
    const auto work = [&](Context& context) {
      algorithm.run_batch(context, image, sat, Arguments(algorithm.parameters), batch);
    };
    runner_.reserve(runner_.plan(work).workspace_bytes);
    work(runner_.context());
    check(cudaDeviceSynchronize());
    test::copy_bytes(found.data(), tables.data(), found.size() * sizeof(Sum));

    std::vector<Input> channel(size.pixels());
    for (int table = 0; table < batch.tables(); ++table) {
      const Input* const from = pixels.data() + image_rows.first + table / batch.channels * batch.image_stride;
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
          channel[static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) + static_cast<std::size_t>(x)] =
              from[y * image_rows.step + x * batch.channels + table % batch.channels];
      sat::reference(ImageView<const Input>{channel.data(), size.width, size.height, size.width},
                     ImageView<Sum>{expected.data() + sat_rows.first + table * batch.sat_stride, size.width, size.height,
                                    sat_rows.step});
    }
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], expected[i]) << "sum " << i << " of " << found.size();
  }

  // The tickets in the only piece of persistent memory.
  sat::RunTickets* tickets() {
    return reinterpret_cast<sat::RunTickets*>(
        runner_.context().template persistent<std::byte>(sat::RunSlots<Sum>::name, runner_.persistent_bytes()));
  }

 private:
  SatRunner runner_ = SatRunner::on_stream(nullptr);
  std::size_t number_ = 0;
};

std::vector<const SatAlgorithm*> algorithms_of_batches() {
  std::vector<const SatAlgorithm*> found{&sat::one_wave_impatient};
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->run_batch) found.push_back(algorithm);
  return found;
}

class BatchTest : public NeedsGpu<testing::Test> {};

template <class Input, class Sum>
void check_type() {
  for (const auto* algorithm : algorithms_of_batches()) {
    BatchRuns<Input, Sum> runs;
    for (const auto arrangement : arrangements) {
      // One tile, tiles that end inside, two and more in both directions; then fewer images in the same memory.
      for (const int channels : {1, 3}) {
        runs.run(*algorithm, arranged(arrangement, {1, 1}, 3, channels));
        runs.run(*algorithm, arranged(arrangement, {5, 3}, 2, channels));
        runs.run(*algorithm, arranged(arrangement, {64, 64}, 2, channels));
      }
      runs.run(*algorithm, arranged(arrangement, {257, 129}, 3, 1));
      runs.run(*algorithm, arranged(arrangement, {130, 70}, 1, 4));
      runs.run(*algorithm, arranged(arrangement, {257, 129}, 1, 1));
      runs.run(*algorithm, arranged(arrangement, {131, 66}, 2, 2));
    }
  }
}
TEST_F(BatchTest, SumsOfBytes) {
  check_type<std::uint8_t, std::uint32_t>();
  check_type<std::uint8_t, float>();
  check_type<std::uint8_t, std::uint64_t>();
}
TEST_F(BatchTest, SumsOfWords) {
  check_type<std::uint32_t, std::uint32_t>();
  check_type<float, float>();
}
TEST_F(BatchTest, SumsOfDoubles) { check_type<double, double>(); }

TEST_F(BatchTest, ManyImages) {
  for (const auto* algorithm : algorithms_of_batches()) {
    BatchRuns<std::uint8_t, std::uint32_t> runs;
    for (const auto arrangement : arrangements) {
      runs.run(*algorithm, arranged(arrangement, {1, 1}, 64, 1));
      runs.run(*algorithm, arranged(arrangement, {5, 3}, 64, 3));
    }
    runs.run(*algorithm, arranged(Arrangement::aligned, {64, 65}, 64, 1));
  }
}

// More tiles than one launch has words for: the next launch has the others.
TEST_F(BatchTest, MoreImagesThanOneLaunchTakes) {
  const auto& algorithm = *find_sat_algorithm("one_wave");
  constexpr Size two_tiles{129, 1};
  constexpr int many = sat::most_tiles_of_batch / 2 + 3;
  BatchRuns<std::uint8_t, std::uint32_t> runs;
  auto colours = arranged(Arrangement::one_behind_another, two_tiles, many / 3 + 1,
                          3);      // the last launch begins between two channels
  colours.batch.image_stride = 5;  // images may overlap
  runs.run(algorithm, colours);
  sat::RunTickets tickets{};
  test::copy_bytes(&tickets, runs.tickets(), sizeof tickets);
  EXPECT_EQ(tickets.word >> 32, 2u) << "launches";
}

// Slots of runs with other counts, when run numbers start again.
TEST_F(BatchTest, NumbersStartAgain) {
  for (const auto* algorithm : {find_sat_algorithm("one_wave"), &sat::one_wave_impatient}) {
    BatchRuns<std::uint8_t, std::uint32_t> runs;
    const auto run = [&](int count) { runs.run(*algorithm, arranged(Arrangement::with_gaps, {200, 100}, count, 1)); };
    for (const int count : {5, 2, 4}) run(count);
    const sat::RunTickets late{static_cast<unsigned long long>(sat::RunTickets::last_run - 2) << 32, 0};
    test::copy_bytes(runs.tickets(), &late, sizeof late);
    for (const int count : {3, 2, 5, 1, 5}) run(count);
  }
}

}  // namespace
}  // namespace gpu
