// tagged_word.cuh, tagged_sums.cuh and run_counter.cuh on the GPU: words that blocks write and read, sums of words that come
// late, and launches that tell their own words from those of earlier ones.
#include "gpu/sat/block/run_counter.cuh"
#include "gpu/sat/block/tagged_sums.cuh"
#include "gpu/sat/block/warp.cuh"
#include "gpu/shared_memory.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

constexpr auto time_limit = std::chrono::seconds(20);

template <class Sum>
class TaggedWords : public PerSum<Sum> {};
TYPED_TEST_SUITE(TaggedWords, Sums);

template <class Sum>
OnDevice<TaggedWord<Sum>> zero_words(std::size_t count) {
  return OnDevice(std::vector<TaggedWord<Sum>>(count, TaggedWord<Sum>{0, 0}));
}

template <class Sum>
__global__ void publish_all(TaggedWord<Sum>* words, const Sum* values) {
  words[threadIdx.x].publish(~threadIdx.x, values[threadIdx.x]);
}
template <class Sum>
__global__ void read_all(const TaggedWord<Sum>* words, Sum* values, std::uint32_t* tags) {
  const auto seen = words[threadIdx.x].read();
  values[threadIdx.x] = seen.value;
  tags[threadIdx.x] = seen.tag;
}

TYPED_TEST(TaggedWords, HoldWhatIsPublished) {
  constexpr std::size_t count = 64;
  const auto values = numbers<TypeParam>(count);
  std::vector<std::uint32_t> tags;
  for (std::uint32_t i = 0; i < count; ++i) tags.push_back(~i);
  const auto words = zero_words<TypeParam>(count);
  const OnDevice<TypeParam> there(values), seen(count);
  const OnDevice<std::uint32_t> seen_tags(count);
  const auto read = [&] { start(read_all<TypeParam>, {dim3(1), dim3(count)}, words.data(), seen.data(), seen_tags.data()); };
  read();
  EXPECT_TRUE(same(seen_tags.back(), std::vector<std::uint32_t>(count, 0)));
  start(publish_all<TypeParam>, {dim3(1), dim3(count)}, words.data(), there.data());
  read();
  EXPECT_TRUE(same(seen.back(), values));
  EXPECT_TRUE(same(seen_tags.back(), tags));
}

// Block 0 adds up, thread t the words t, t + 32, ... of [begin, end); the others publish, one word per block and thread, the
// last ones first and late. Words beyond `end` never come; those before have wrong values with other tags.
constexpr std::uint32_t tag = 7;
struct Range {
  int begin, end, stride;
};
template <class Sum>
__global__ void add_up(TaggedWord<Sum>* words, const Sum* values, Sum* sums, Range range) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const int thread = static_cast<int>(threadIdx.x);
  if (block == 0) {
    sums[thread] = sum_of_words(words + thread, warp_lanes, range.begin, range.end, range.stride, tag);
    return;
  }
  const int k = blocks - 1 - block;
  if (k >= range.end) return;
  __nanosleep(k % 3 == 0 ? 20'000 : 100);
  words[k * warp_lanes + thread].publish(tag, values[k * warp_lanes + thread]);
}

TYPED_TEST(TaggedWords, AreAddedWhenTheyHaveCome) {
  for (const auto& range : {Range{0, 0, 1}, Range{0, 1, 1}, Range{0, 8, 1}, Range{0, 9, 1}, Range{0, 40, 1}, Range{1, 40, 2},
                            Range{3, 17, 4}, Range{5, 3, 1}, Range{2, 3, 16}}) {
    SCOPED_TRACE(std::to_string(range.begin) + ", " + std::to_string(range.end) + ", " + std::to_string(range.stride));
    constexpr std::size_t most = 40;
    const auto values = numbers<TypeParam>(most * warp_lanes);
    std::vector<TypeParam> sums(warp_lanes);
    for (int k = range.begin; k < range.end; k += range.stride)
      for (std::size_t lane = 0; lane < warp_lanes; ++lane)
        sums[lane] += values[static_cast<std::size_t>(k) * warp_lanes + lane];
    std::vector<TaggedWord<TypeParam>> old(most * warp_lanes);
    for (std::size_t i = 0; i < old.size(); ++i) old[i] = {3, static_cast<typename TaggedWord<TypeParam>::Bits>(i % 7)};
    const OnDevice<TaggedWord<TypeParam>> words(old);
    const OnDevice<TypeParam> there(values), seen(warp_lanes);
    // All blocks are resident: the first one waits for all others.
    start(add_up<TypeParam>, {.grid = dim3(most + 1), .block = dim3(warp_lanes), .cooperative = true}, words.data(),
          there.data(), seen.data(), range);
    if (!done_within(time_limit, nullptr)) give_up("sum_of_words()");
    EXPECT_TRUE(same(seen.back(), sums));
  }
}

// Each block publishes its number plus `run`, adds up all words, and counts a launch. More words exist than are in use.
constexpr std::size_t spare = 5;
template <class Sum>
__global__ void exchange(RunCounter* counter, TaggedWord<Sum>* words, std::size_t count, Sum* sums, int run) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const auto its_tag = counter->tag();
  words[block].publish(its_tag, static_cast<Sum>(block + run));
  sums[block] = sum_of_words(words, 1, 0, blocks, 1, its_tag);
  if (counter->arrive(gridDim.x, its_tag)) counter->begin_next(gridDim.x, its_tag, words, count);
}

class Counted : public NeedsGpu<testing::Test> {
 protected:
  using Sum = std::uint32_t;
  static constexpr int blocks = 20;
  // A launch of fewer and fewer blocks, so that words of earlier launches remain.
  void run(int number) {
    const int used = blocks - number;
    start(exchange<Sum>, {.grid = dim3(static_cast<unsigned>(used)), .block = dim3(1), .cooperative = true}, counter_.data(),
          words_.data(), std::size_t{blocks} + spare, sums_.data(), number);
    if (!done_within(time_limit, nullptr)) give_up("RunCounter");
    const auto sums = sums_.back();
    for (int b = 0; b < used; ++b)
      ASSERT_EQ(sums[static_cast<std::size_t>(b)], static_cast<Sum>(used * (used - 1) / 2 + used * number)) << b;
  }
  RunCounter counter() const { return counter_.back()[0]; }

  OnDevice<RunCounter> counter_{std::vector<RunCounter>(1, RunCounter{0, 0})};
  OnDevice<TaggedWord<Sum>> words_ = zero_words<Sum>(blocks + spare);
  OnDevice<Sum> sums_{blocks};
};

TEST_F(Counted, ALaunchTellsItsWordsFromThoseOfEarlierOnes) {
  for (int i = 0; i < 10; ++i) {
    ASSERT_NO_FATAL_FAILURE(run(i));
    EXPECT_EQ(counter().launches, static_cast<std::uint64_t>(i) + 1);
    EXPECT_EQ(counter().arrived, 0u);
  }
}

// Words with the tags 1 and 2 remain from long ago, when the tags start again: they would be taken for new ones.
TEST_F(Counted, TagsStartAgainWithClearedWords) {
  std::vector<TaggedWord<Sum>> old(blocks + spare);
  for (std::size_t i = 0; i < old.size(); ++i) old[i] = {1000, static_cast<Sum>(1 + i % 2)};
  check(cudaMemcpy(words_.data(), old.data(), old.size() * sizeof old[0], cudaMemcpyHostToDevice));
  const RunCounter late{RunCounter::last_tag - 2, 0};
  check(cudaMemcpy(counter_.data(), &late, sizeof late, cudaMemcpyHostToDevice));
  for (int i = 0; i < 6; ++i) {
    ASSERT_NO_FATAL_FAILURE(run(i));
    const std::uint64_t expected[] = {RunCounter::last_tag - 1, 0, 1, 2, 3, 4};
    EXPECT_EQ(counter().launches, expected[i]) << i;
    if (i != 1) continue;
    for (const auto& word : words_.back()) EXPECT_EQ(word.tag, 0u);
  }
}

}  // namespace
}  // namespace gpu::sat
