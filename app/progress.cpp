#include "app/progress.h"

#include <unistd.h>

#include <algorithm>
#include <string>

namespace app {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::FILE* out) : out_(out), terminal_(::isatty(::fileno(out)) == 1), start_(Clock::now()) {}

double Progress::fps(std::uint64_t frames) const {
  const auto seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  return seconds > 0 ? static_cast<double>(frames) / seconds : 0;
}

void Progress::show(std::uint64_t frames, std::uint64_t total) {
  const double part = total > 0 ? std::min(1.0, static_cast<double>(frames) / static_cast<double>(total)) : 0;
  if (terminal_) {
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    drawn_ = true;
    constexpr int width = 40;
    const auto filled = static_cast<std::size_t>(part * width);
    if (total > 0)
      std::fprintf(out_, "\r[%s%s] %3.0f%%  %llu/%llu frames, %.0f/s ", std::string(filled, '#').c_str(),
                   std::string(width - filled, '.').c_str(), part * 100, static_cast<unsigned long long>(frames),
                   static_cast<unsigned long long>(total), fps(frames));
    else
      std::fprintf(out_, "\r%llu frames, %.0f/s ", static_cast<unsigned long long>(frames), fps(frames));
    std::fflush(out_);
    return;
  }
  if (const int tenths = static_cast<int>(part * 10); tenths > tenths_) {
    tenths_ = tenths;
    std::fprintf(out_, "%d%%: %llu/%llu frames, %.0f/s\n", tenths * 10, static_cast<unsigned long long>(frames),
                 static_cast<unsigned long long>(total), fps(frames));
  }
}

void Progress::finish(std::uint64_t frames) {
  if (drawn_) std::fprintf(out_, "\r\033[K");
  std::fprintf(out_, "%llu frames, %.0f/s\n", static_cast<unsigned long long>(frames), fps(frames));
}

}  // namespace app
