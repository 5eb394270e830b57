// tagged_word.cuh on the GPU: words that blocks write and read, sums of words that come late, and launches
// that tell their own words from those of earlier ones.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat/block/tagged_word.cuh"
#include "gpu/sat/block/warp.cuh"

#include "gpu/tests/sat/block/pieces.cuh"

namespace gpu::sat {
namespace {

template <class Sum>
class TaggedWordTest : public PerSum<Sum> {};
TYPED_TEST_SUITE(TaggedWordTest, Sums);

template <class Sum>
OnDevice<TaggedWord<Sum>> zero_words(std::size_t count) {
  return OnDevice(std::vector<TaggedWord<Sum>>(count, TaggedWord<Sum>{0, 0}));
}

// Block 0 adds up, thread t the words t, t + 32, ... of [begin, end); the others publish, one word per block and thread, the
// last ones first and late. Words beyond `end` never come; those before have wrong values with other tags.
constexpr std::uint32_t tag = 7;
struct Range {
  int begin, end, stride;
};
template <class Sum>
__device__ void publish_late(TaggedWord<Sum>* words, const Sum* values, int end) {
  const int k = static_cast<int>(gridDim.x) - 1 - static_cast<int>(blockIdx.x), thread = static_cast<int>(threadIdx.x);
  if (k >= end) return;
  __nanosleep(k % 3 == 0 ? 20'000 : 100);
  words[k * warp_lanes + thread].publish(tag, values[k * warp_lanes + thread]);
}
template <class Sum>
__device__ Places<Sum> places(const TaggedWord<Sum>* words, Range range) {
  return {words + threadIdx.x, warp_lanes, range.begin, range.end, range.stride};
}
template <class Sum>
__global__ void add_up(TaggedWord<Sum>* words, const Sum* values, Sum* sums, Range range) {
  Endless endless;
  if (blockIdx.x == 0)
    sums[threadIdx.x] = sum_of_words<Sum>(places(words, range), tag, endless);
  else
    publish_late(words, values, range.end);
}
template <class Sum>
__global__ void add_up_two(TaggedWord<Sum>* words, const Sum* values, Sum* sums, Range a, Range b) {
  if (blockIdx.x > 0) return publish_late(words, values, a.end > b.end ? a.end : b.end);
  Sum sum_a = 0, sum_b = 0;
  Endless endless;
  add_words(places(words, a), sum_a, places(words, b), sum_b, tag, endless);
  sums[threadIdx.x] = sum_a;
  sums[warp_lanes + threadIdx.x] = sum_b;
}

constexpr std::size_t most = 40;  // words per thread

template <class Sum>
std::vector<Sum> expected_sums(const std::vector<Sum>& values, Range range) {
  std::vector<Sum> sums(warp_lanes);
  for (int k = range.begin; k < range.end; k += range.stride)
    for (std::size_t lane = 0; lane < warp_lanes; ++lane)
      sums[lane] += values[static_cast<std::size_t>(k) * warp_lanes + lane];
  return sums;
}
template <class Sum>
OnDevice<TaggedWord<Sum>> words_of_another_tag() {
  std::vector<TaggedWord<Sum>> old(most * warp_lanes);
  for (std::size_t i = 0; i < old.size(); ++i) old[i] = {3, static_cast<typename TaggedWord<Sum>::Bits>(i % 7)};
  return OnDevice<TaggedWord<Sum>>(old);
}
std::string text(Range range) {
  return std::to_string(range.begin) + ", " + std::to_string(range.end) + ", " + std::to_string(range.stride);
}
// All blocks are resident: the first one waits for all others.
const Grid all_resident{.grid = dim3(most + 1), .block = dim3(warp_lanes), .start = Start::cooperative};

TYPED_TEST(TaggedWordTest, AreAddedWhenTheyHaveCome) {
  for (const auto& range : {Range{0, 0, 1}, Range{0, 1, 1}, Range{0, 8, 1}, Range{0, 9, 1}, Range{0, 40, 1}, Range{1, 40, 2},
                            Range{3, 17, 4}, Range{5, 3, 1}, Range{2, 3, 16}}) {
    SCOPED_TRACE(text(range));
    const auto values = numbers<TypeParam>(most * warp_lanes);
    const auto words = words_of_another_tag<TypeParam>();
    const OnDevice<TypeParam> there(values), seen(warp_lanes);
    start(add_up<TypeParam>, all_resident, words.data(), there.data(), seen.data(), range);
    if (!done_within(time_limit, nullptr)) give_up("sum_of_words()");
    EXPECT_TRUE(same(seen.back(), expected_sums(values, range)));
  }
}

TYPED_TEST(TaggedWordTest, OfTwoKindsAreWaitedForTogether) {
  for (const auto& [a, b] : {std::pair{Range{0, 0, 1}, Range{0, 9, 1}},
                             {Range{0, 13, 1}, Range{0, 0, 1}},
                             {Range{0, 20, 3}, Range{1, 7, 2}},
                             {Range{5, 3, 1}, Range{2, 3, 16}},
                             {Range{0, 40, 1}, Range{3, 40, 1}}}) {
    SCOPED_TRACE(text(a) + " and " + text(b));
    const auto values = numbers<TypeParam>(most * warp_lanes);
    const auto words = words_of_another_tag<TypeParam>();
    const OnDevice<TypeParam> there(values), seen(2 * warp_lanes);
    start(add_up_two<TypeParam>, all_resident, words.data(), there.data(), seen.data(), a, b);
    if (!done_within(time_limit, nullptr)) give_up("add_words()");
    auto both = expected_sums(values, a);
    const auto second = expected_sums(values, b);
    both.insert(both.end(), second.begin(), second.end());
    EXPECT_TRUE(same(seen.back(), both));
  }
}

// Words of which one never comes: a sum of all before those read together with it; then the budget is spent, also for what comes next.
template <class Sum>
__global__ void add_up_to_a_gap(const TaggedWord<Sum>* words, Sum* sums, int* over, Range before, Range all) {
  PollBudget budget{3};
  sums[threadIdx.x] = sum_of_words<Sum>(places(words, before), tag, budget);
  over[threadIdx.x] = budget.spent();
  sums[warp_lanes + threadIdx.x] = sum_of_words<Sum>(places(words, all), tag, budget);
  over[warp_lanes + threadIdx.x] = budget.spent();
  PollBudget of_two{3};
  Sum sum_a = 0, sum_b = 0;
  add_words(places(words, before), sum_a, places(words, all), sum_b, tag, of_two);
  over[2 * warp_lanes + threadIdx.x] = of_two.spent();
}

TYPED_TEST(TaggedWordTest, AreNoLongerWaitedForWhenTheBudgetIsSpent) {
  constexpr int gap = words_at_once<TypeParam> + 1;
  const auto values = numbers<TypeParam>(most * warp_lanes);
  std::vector<TaggedWord<TypeParam>> published(most * warp_lanes);
  for (std::size_t i = 0; i < published.size(); ++i) {
    memcpy(&published[i].value, &values[i], sizeof values[i]);
    published[i].tag = i / warp_lanes == gap ? tag - 1 : tag;
  }
  const OnDevice<TaggedWord<TypeParam>> words(published);
  const OnDevice<TypeParam> sums(2 * warp_lanes);
  const OnDevice<int> over(3 * warp_lanes);
  start(add_up_to_a_gap<TypeParam>, {dim3(1), dim3(warp_lanes)}, words.data(), sums.data(), over.data(), Range{0, gap, 1},
        Range{0, most, 1});
  if (!done_within(time_limit, nullptr)) give_up("sum_of_words(), a word that never comes");
  auto expected = expected_sums(values, {0, gap, 1});
  const auto of_first_batch = expected_sums(values, {0, words_at_once<TypeParam>, 1});
  expected.insert(expected.end(), of_first_batch.begin(), of_first_batch.end());
  EXPECT_TRUE(same(sums.back(), expected));
  std::vector<int> expected_over(3 * warp_lanes, 1);
  std::fill_n(expected_over.begin(), warp_lanes, 0);
  EXPECT_TRUE(same(over.back(), expected_over));
}

// Each block publishes its number plus `run`, and adds up all words.
template <class Sum>
__global__ void exchange(RunTickets* tickets, TaggedWord<Sum>* words, Sum* sums, int run) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  const auto its_tag = tag_of_run(tickets->take(gridDim.x).run);
  words[block].publish(its_tag, static_cast<Sum>(block + run));
  Endless endless;
  sums[block] = sum_of_words<Sum, Sum>({words, 1, 0, blocks, 1}, its_tag, endless);
}

class TaggedWordLaunchesTest : public NeedsGpu<testing::Test> {};

// Each launch has fewer blocks than the one before, so that words of earlier launches remain.
TEST_F(TaggedWordLaunchesTest, TellTheirWordsFromThoseOfEarlierOnes) {
  using Sum = std::uint32_t;
  constexpr int blocks = 20;
  const OnDevice<RunTickets> tickets{std::vector<RunTickets>(1, RunTickets{0, 0})};
  const auto words = zero_words<Sum>(blocks);
  const OnDevice<Sum> sums{blocks};
  for (int run = 0; run < 10; ++run) {
    const int used = blocks - run;
    start(exchange<Sum>, {.grid = dim3(static_cast<unsigned>(used)), .block = dim3(1), .start = Start::cooperative},
          tickets.data(), words.data(), sums.data(), run);
    if (!done_within(time_limit, nullptr)) give_up("tag_of_run()");
    const auto seen = sums.back();
    for (int b = 0; b < used; ++b)
      ASSERT_EQ(seen[static_cast<std::size_t>(b)], static_cast<Sum>(used * (used - 1) / 2 + used * run)) << b;
  }
}

}  // namespace
}  // namespace gpu::sat
