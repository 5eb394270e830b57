// one_wave in memory that persists: run after run without clearing, of different sizes and shapes, when tags start again,
// after a run that was aborted, in two streams, and in launches of any number of tiles.
#include "gpu/sat/block/run_counter.cuh"
#include "gpu/tests/sat/persistent_runs.cuh"

namespace gpu {
namespace {

const SatAlgorithm& one_wave() { return *find_sat_algorithm("one_wave"); }

Arguments with_tile(std::string_view tile) {
  Arguments arguments(one_wave().parameters);
  arguments.set("tile", tile);
  return arguments;
}

template <class Input, class Sum>
class Place : public PersistentRuns<Input, Sum> {
 public:
  using PersistentRuns<Input, Sum>::PersistentRuns;

  void start(Size size, std::string_view tile) { PersistentRuns<Input, Sum>::start(one_wave(), with_tile(tile), size); }
  void run(Size size, std::string_view tile) { PersistentRuns<Input, Sum>::run(one_wave(), with_tile(tile), size); }
  sat::RunCounter counter() {
    sat::RunCounter counter{};
    check(cudaMemcpy(&counter, memory(), sizeof counter, cudaMemcpyDefault));
    return counter;
  }
  void set_counter(const sat::RunCounter& counter) {
    check(cudaMemcpy(memory(), &counter, sizeof counter, cudaMemcpyDefault));
  }

 private:
  std::byte* memory() {
    return PersistentRuns<Input, Sum>::memory(sizeof(Sum) == 4 ? "one_wave, sums of 4 bytes" : "one_wave, sums of 8 bytes");
  }
};

class OneWave : public NeedsGpu<testing::Test> {};

template <class Input, class Sum>
void check_runs() {
  Place<Input, Sum> place;
  std::uint64_t launches = 0;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto* tile : {"auto", "16x1", "8x4", "8x16"})
      for (const Size size : {Size{300, 200}, Size{200, 300}, Size{1, 1}, Size{131, 257}}) {
        place.run(size, tile);
        EXPECT_EQ(place.counter().launches, ++launches) << "it was cleared, or counted wrongly";
        EXPECT_EQ(place.counter().arrived, 0u);
      }
}

TEST_F(OneWave, RunsFollowOneAnotherWithoutClearing) {
  check_runs<std::uint8_t, std::uint32_t>();
  check_runs<double, double>();
}

// Words of earlier launches have the tags 1, 2, ... and lie where the new launches read, which have the same tags again.
TEST_F(OneWave, TagsStartAgain) {
  Place<std::uint8_t, std::uint32_t> place;
  for (int i = 0; i < 4; ++i) place.run({390, 300}, "8x4");
  place.set_counter({sat::RunCounter::last_tag - 2, 0});
  for (const std::uint64_t launches : {std::uint64_t{sat::RunCounter::last_tag - 1}, std::uint64_t{0}, std::uint64_t{1},
                                       std::uint64_t{2}, std::uint64_t{3}}) {
    place.run({390, 300}, "8x4");
    EXPECT_EQ(place.counter().launches, launches);
  }
}

// Some blocks had arrived, and had published sums of another image.
TEST_F(OneWave, AnAbortedRunIsForgotten) {
  Place<float, float> place;
  for (int i = 0; i < 3; ++i) place.run({390, 300}, "8x4");
  place.set_counter({0, 5});
  place.persistent().distrust();
  place.run({390, 300}, "8x4");
  EXPECT_EQ(place.counter().launches, 1u) << "it was not cleared";
  place.run({390, 300}, "8x4");
}

TEST_F(OneWave, TwoStreamsDoNotDisturbEachOther) {
  Place<std::uint8_t, std::uint32_t> first, second;
  for (int i = 0; i < 6; ++i) {
    first.start({600, 500}, "8x4");
    second.start({500, 601}, i % 2 ? "8x8" : "auto");
    first.expect_right();
    second.expect_right();
  }
}

// On few multiprocessors: launches of several tile rows, of one, and of parts of one.
template <class Input, class Sum>
void check_bands() {
  for (const int multiprocessors : {1, 2, 3, 5}) {
    SCOPED_TRACE(std::to_string(multiprocessors) + " multiprocessors");
    Place<Input, Sum> place({.multiprocessors = multiprocessors});
    for (const auto* tile : {"auto", "16x1", "8x4", "8x8", "16x4", "8x16"})
      for (const Size size : {Size{390, 300}, Size{129, 515}, Size{1100, 140}}) place.run(size, tile);
  }
}

TEST_F(OneWave, BandsContinueEachOther) {
  check_bands<std::uint8_t, std::uint32_t>();
  check_bands<float, float>();
  check_bands<double, double>();
  check_bands<std::uint8_t, std::uint64_t>();
}

}  // namespace
}  // namespace gpu
