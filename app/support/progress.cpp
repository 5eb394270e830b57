#include "app/support/progress.h"

#include <unistd.h>

#include <algorithm>

#include "app/support/count_text.h"

namespace app {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::FILE* out, std::string_view unit)
    : out_(out), unit_(unit), terminal_(::isatty(::fileno(out)) == 1), start_(Clock::now()) {}

std::string Progress::rate(std::uint64_t done) const {
  if (done < 2) return {};
  const auto seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  char text[32];
  std::snprintf(text, sizeof text, ", %.0f/s", seconds > 0 ? static_cast<double>(done) / seconds : 0);
  return text;
}

void Progress::show(std::uint64_t done, std::uint64_t total, std::string_view note) {
  const double part = total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 0;
  const auto count = (total > 0 ? std::to_string(done) + "/" + counted(total, unit_) : counted(done, unit_)) +
                     (note.empty() ? rate(done) : ", " + std::string(note));
  if (terminal_) {
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    drawn_ = true;
    constexpr int width = 40;
    const auto filled = static_cast<std::size_t>(part * width);
    if (total > 0)
      std::fprintf(out_, "\r[%s%s] %3.0f%%  %s ", std::string(filled, '#').c_str(), std::string(width - filled, '.').c_str(),
                   part * 100, count.c_str());
    else
      std::fprintf(out_, "\r%s ", count.c_str());
    std::fputs("\033[K", out_);  // the rest of a longer line
    std::fflush(out_);
    return;
  }
  if (const int tenths = static_cast<int>(part * 10); tenths > tenths_) {
    tenths_ = tenths;
    std::fprintf(out_, "%d%%: %s\n", tenths * 10, count.c_str());
  }
}

void Progress::erase() {
  if (drawn_) std::fprintf(out_, "\r\033[K");
  drawn_ = false;
}

void Progress::finish(std::uint64_t done) {
  erase();
  std::fprintf(out_, "%s%s\n", counted(done, unit_).c_str(), rate(done).c_str());
}

}  // namespace app
