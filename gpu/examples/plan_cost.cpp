// What it costs to make a plan, and to call one on the host: plan_cost [threads]
#include <satscope.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

namespace {

// The median of 15, in microseconds.
template <class F>
double time(const F& f) {
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + 7, times.end());
  return times[7];
}

void print_costs(const satscope::Options& options) {
  for (const satscope::Size size : {satscope::Size{64, 64}, {640, 480}, {1920, 1080}, {3840, 2160}}) {
    std::optional<satscope::Plan> plan;
    const double first = time([&] {
      plan.reset();
      plan.emplace(size, satscope::u8_u32, options);
    });
    std::printf("%4dx%-4d  %-20s  %8.1f us to make, %9zu bytes kept", size.width, size.height, plan->algorithm().c_str(),
                first, plan->memory_bytes());
    if (plan->device() == satscope::host) {
      const auto width = static_cast<std::size_t>(size.width), pixels = width * static_cast<std::size_t>(size.height);
      const std::vector<std::uint8_t> image(pixels, 1);
      std::vector<std::uint32_t> table(pixels);
      std::printf(", %8.1f us per call", time([&] { (*plan)(image.data(), width, table.data(), width * sizeof table[0]); }));
    }
    std::puts("");
  }
}

}  // namespace

int main(int count, char** arguments) {
  char* end = nullptr;
  const long threads = count == 2 ? std::strtol(arguments[1], &end, 10) : 0;
  if (count > 2 || (end && (end == arguments[1] || *end != '\0' || threads < 1 || threads > 1024)))
    return std::puts("usage: plan_cost [threads], from 1 to 1024"), 2;
  try {
    print_costs({.device = satscope::host, .threads = static_cast<int>(threads)});
    print_costs({.device = satscope::cuda});
  } catch (const satscope::Error& error) {
    std::printf("%s\n", error.what());
  }
}
