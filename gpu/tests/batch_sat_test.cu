// Batches on the GPU: the tables of as many runs of the same algorithm; what lies between them stays what it is.
#include <vector>

#include "gpu/sat.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu::test {
namespace {

class BatchSatTest : public NeedsGpu<testing::Test> {};

template <class Input, class Sum>
void expect_batch(Context& context, const SatAlgorithm& algorithm, Size size, int count) {
  SCOPED_TRACE(std::string(algorithm.name) + ' ' + std::to_string(size.width) + 'x' + std::to_string(size.height) + " and " +
               std::to_string(count));
  const Arguments arguments(algorithm.parameters);
  const std::ptrdiff_t stride = size.width + 3, image_stride = stride * size.height + 5, sat_stride = image_stride + 2;
  const auto all = [count](std::ptrdiff_t each) { return static_cast<std::size_t>(each * count); };
  std::vector<Input> pixels(all(image_stride));
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<Input>((i * i + i / 7) % 251);
  std::vector<Sum> expected(all(sat_stride), Sum(99)), found(expected.size(), Sum(99));
  const Buffer<Input> images(pixels.size(), Device::cuda);
  const Buffer<Sum> tables(found.size(), Device::cuda), others(found.size(), Device::cuda);
  copy_bytes(images.data(), pixels.data(), pixels.size() * sizeof(Input));
  for (const auto* memory : {&tables, &others}) copy_bytes(memory->data(), found.data(), found.size() * sizeof(Sum));

  const ImageView<const Input> image{images.data(), size.width, size.height, stride};
  algorithm.run_batch(context, image, ImageView<Sum>{tables.data(), size.width, size.height, stride}, arguments,
                      {count, image_stride, sat_stride});
  for (int i = 0; i < count; ++i)
    compute_sat(context, algorithm,
                ImageView<const Input>{images.data() + i * image_stride, size.width, size.height, stride},
                ImageView<Sum>{others.data() + i * sat_stride, size.width, size.height, stride}, arguments);
  check(cudaDeviceSynchronize());
  copy_bytes(found.data(), tables.data(), found.size() * sizeof(Sum));
  copy_bytes(expected.data(), others.data(), expected.size() * sizeof(Sum));
  EXPECT_EQ(found, expected);
}

TEST_F(BatchSatTest, HasTheTablesOfSingleRuns) {
  auto context = Context::on_stream(nullptr, {});
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->run_batch)
      for (const Size size : {Size{1, 1}, {37, 5}, {130, 70}})
        for (const int count : {1, 2, 5}) {
          expect_batch<std::uint8_t, std::uint32_t>(context, *algorithm, size, count);
          expect_batch<std::uint8_t, std::uint64_t>(context, *algorithm, size, count);
          expect_batch<std::uint8_t, float>(context, *algorithm, size, count);
          expect_batch<std::uint32_t, std::uint32_t>(context, *algorithm, size, count);
          expect_batch<float, float>(context, *algorithm, size, count);
          expect_batch<double, double>(context, *algorithm, size, count);
        }
}

}  // namespace
}  // namespace gpu::test
