#include "gpu/benchmarks/bench_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gpu::benchmarks {

Progress::Progress(double total, bool shown) : total_(total), shown_(shown && isatty(STDERR_FILENO)) {}

Progress::~Progress() {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double done, const std::string& what) {
  if (!shown_) return;
  constexpr int width = 30;
  const double part = total_ > 0 ? std::clamp(done / total_, 0.0, 1.0) : 0;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const int full = static_cast<int>(part * width);
  std::string line = "\r\033[K[" + std::string(static_cast<std::size_t>(full), '#') +
                     std::string(static_cast<std::size_t>(width - full), '.') + "] ";
  line += std::to_string(static_cast<int>(part * 100)) + "%";
  if (part > 0.02) line += ", about " + std::to_string(static_cast<int>(elapsed * (1 - part) / part) + 1) + " s left";
  std::fputs((line + "  " + what).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace gpu::benchmarks
