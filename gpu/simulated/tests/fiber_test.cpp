// Fibers: stacks are suspended and resumed with all registers.
#include "gpu/simulated/thread.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace gpu::simulated {
namespace {

// For entry functions, which take no argument.
struct Play {
  Fiber host, fibers[3];
  std::vector<int> said;
  int running = 0;
};
Play* play = nullptr;

void give_way(int to) {
  const int from = play->running;
  play->running = to;
  switch_fiber(play->fibers[from], play->fibers[to]);
}

// Each fiber records its number three times, in turn with the others; values of every kind survive.
void speak() {
  const int me = play->running;
  double real = me + 0.25;
  long whole[6] = {me, me + 1, me + 2, me + 3, me + 4, me + 5};
  for (int round = 0; round < 3; ++round) {
    play->said.push_back(static_cast<int>(real * 4) - 1 + static_cast<int>(whole[5] - me - 5));
    real += 0;
    give_way((me + 1) % 3);
    for (int i = 0; i < 6; ++i)
      if (whole[i] != me + i) play->said.push_back(-1);
  }
  switch_fiber(play->fibers[me], play->host);
}

TEST(FiberTest, SuspendsAndResumes) {
  constexpr std::size_t bytes = 64 * 1024;
  std::vector<std::unique_ptr<char[]>> stacks;
  Play here;
  play = &here;
  for (auto& fiber : here.fibers) {
    stacks.push_back(std::make_unique<char[]>(bytes));
    prepare_fiber(fiber, stacks.back().get(), bytes, speak);
  }
  switch_fiber(here.host, here.fibers[0]);
  EXPECT_EQ(here.said, (std::vector<int>{0, 4, 8, 0, 4, 8, 0, 4, 8}));
}

}  // namespace
}  // namespace gpu::simulated
