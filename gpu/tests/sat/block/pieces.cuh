// Shared by the tests of device pieces: small kernels run one piece alone, and the results are compared with plain loops
// on the host.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "gpu/context.h"
#include "gpu/cuda/memory.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu {

// For kernels that wait for one another, and may wait forever.
inline constexpr auto time_limit = std::chrono::seconds(20);

// Numbers whose sums are exact in every order and every type: integers of all bits, which wrap around, and for floating
// point integers from -8 to 8.
template <class T>
std::vector<T> numbers(std::size_t count, unsigned seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<T> values(count);
  for (T& value : values)
    value = std::is_integral_v<T> ? static_cast<T>(random()) : static_cast<T>(static_cast<int>(random() % 17) - 8);
  return values;
}

// A copy of a vector on the device.
template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& values) : buffer_(test::on_device(values)) {}
  // Elements with arbitrary content.
  explicit OnDevice(std::size_t size) : OnDevice(numbers<T>(size, 99)) {}
  T* data() const { return buffer_.data(); }
  // The content after all kernels have run.
  std::vector<T> back() const { return test::from_device(buffer_); }

 private:
  Buffer<T> buffer_;
};

// Starts a kernel in the same way as algorithms.
template <class... Parameters, class... Args>
void start(void (*kernel)(Parameters...), const Grid& shape, Args&&... args) {
  Context::on_stream(nullptr, {}).launch("piece", kernel, shape, std::forward<Args>(args)...);
}

template <class T>
testing::AssertionResult same(const std::vector<T>& seen, const std::vector<T>& expected) {
  if (seen.size() != expected.size())
    return testing::AssertionFailure() << seen.size() << " elements, not " << expected.size();
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = seen.size(); i-- > 0;)
    if (seen[i] != expected[i]) ++wrong, first = i;
  if (wrong == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << wrong << " of " << seen.size() << " are wrong; the first is number " << first << ": "
                                     << +seen[first] << ", not " << +expected[first];
}

// Adds in the type itself: bytes and words wrap around, int would not.
template <class T>
void add_to(T& sum, T value) {
  sum = static_cast<T>(sum + value);
}

// The types of sums, one test each.
template <class T>
class PerSum : public NeedsGpu<testing::Test> {};
using Sums = testing::Types<std::uint32_t, float, double, std::uint64_t>;

// The layout of a test's image or table: alone with aligned rows, or an unaligned part of a larger one.
struct Lie {
  Size size;
  std::ptrdiff_t stride;
  int offset;

  static Lie aligned(Size size) { return {size, (static_cast<std::ptrdiff_t>(size.width) + 31) / 16 * 16, 0}; }
  static Lie odd(Size size) { return {size, static_cast<std::ptrdiff_t>(size.width) + 3 - size.width % 2, 1}; }
  // With two extra rows.
  std::size_t elements() const { return static_cast<std::size_t>(offset + stride * (size.height + 2)); }
  template <class T>
  ImageView<T> view(T* data) const {
    return {data + offset, size.width, size.height, stride};
  }
};

}  // namespace gpu
