// Words of 16 bytes that host threads read and write indivisibly.
#include "gpu/simulated/weak_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace gpu::simulated {
namespace {

// 16 bytes at once, with vectors if the processor has them, and by exchanges: halves of two different words are detected.
#if defined(__x86_64__)
TEST(WordRelaxedTest, By16BytesAreWholeByExchangeToo) {
  alignas(16) unsigned __int128 word = 0;
  detail::store_16_by_exchange(&word, static_cast<unsigned __int128>(5) << 64 | 7);
  EXPECT_TRUE(detail::load_16_by_exchange(&word) == (static_cast<unsigned __int128>(5) << 64 | 7));
  EXPECT_TRUE(load_word_once(&word) == (static_cast<unsigned __int128>(5) << 64 | 7));

  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint64_t i = 0; !stop; ++i) {
      const auto both = static_cast<unsigned __int128>(i) << 64 | i;
      if (i % 2 == 0)
        detail::store_16_by_exchange(&word, both);
      else
        store_word_once(&word, both);
    }
  });
  bool torn = false;
  for (int i = 0; i < 100'000; ++i) {
    const auto seen = i % 2 == 0 ? detail::load_16_by_exchange(&word) : load_word_once(&word);
    if (i > 100 && static_cast<std::uint64_t>(seen) != static_cast<std::uint64_t>(seen >> 64) &&
        seen != (static_cast<unsigned __int128>(5) << 64 | 7))
      torn = true;
  }
  stop = true;
  writer.join();
  EXPECT_FALSE(torn);
}
#endif

}  // namespace
}  // namespace gpu::simulated
