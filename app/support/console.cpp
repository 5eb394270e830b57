#include "app/support/console.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <mutex>

#include "app/support/address.h"
#include "app/support/files.h"
#include "app/support/text.h"

extern "C" __attribute__((weak)) void __sanitizer_set_report_fd(void* fd);

namespace app {
namespace {

constexpr off_t most_kept = 64 << 10;  // bytes of silenced output

// A signal handler can access only lock-free atomics.
std::atomic<int> kept = -1;      // the standard error output that the program started with
std::atomic<int> silenced = -1;  // a file in memory, to which file descriptor 2 is redirected meanwhile
std::atomic<bool> ended_well = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

std::atomic<std::FILE*> kept_stream = nullptr;

std::atomic<int> print_error = 0;  // the first one

// Reports of sanitizers always go to the original standard error output.
[[maybe_unused]] const bool reports_kept = [] {
  if (!__sanitizer_set_report_fd) return false;
  __sanitizer_set_report_fd(reinterpret_cast<void*>(static_cast<std::intptr_t>(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3))));
  return true;
}();

// Output of a library without the addresses in it, of which the scheme is left: "rtsp://***". Safe in a signal handler, where
// without_secrets() is not.
class WithoutAddresses {
 public:
  // `shown` has room for twice as much. Returns how much is shown.
  std::size_t pass(const char* part, std::size_t size, char* shown) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const char c = part[i];
      hides_ = hides_ && static_cast<unsigned char>(c) > ' ' && c != '\'' && c != '"';
      if (hides_) continue;
      shown[count++] = c;
      seen_ = c == "://"[seen_] ? seen_ + 1 : c == ':';
      if (seen_ < 3) continue;
      for (int star = 0; star < 3; ++star) shown[count++] = '*';  // behind three characters, which were passed
      hides_ = true;
      seen_ = 0;
    }
    return count;
  }

 private:
  int seen_ = 0;  // of "://"
  bool hides_ = false;
};

// Prints the latest silenced output. Safe in a signal handler.
void pass_on_last_words() {
  if (kept < 0 || silenced < 0 || ended_well) return;
  struct stat status {};
  if (::fstat(silenced, &status) != 0) return;
  char part[4096], shown[2 * sizeof part + 3];
  WithoutAddresses addresses;
  off_t at = status.st_size > most_kept ? status.st_size - most_kept : 0;
  for (ssize_t size; (size = ::pread(silenced, part, sizeof part, at)) > 0; at += size)
    if (::write(kept, shown, addresses.pass(part, static_cast<std::size_t>(size), shown)) < 0) return;
}

void on_abort(int signal) {
  pass_on_last_words();
  std::signal(signal, SIG_DFL);  // abort() raises it once more
}

bool same_file(int a, int b) {
  struct stat one {
  }, other{};
  return ::fstat(a, &one) == 0 && ::fstat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// The number of SilentStderr objects, and the original of file descriptor 2.
struct Silence {
  std::mutex mutex;
  int silent = 0, before = -1;
};

Silence& silence() {
  static auto* shared = new Silence;  // never freed: detached threads use it until the process ends
  return *shared;
}

}  // namespace

void outlive_readers() { std::signal(SIGPIPE, SIG_IGN); }

void tell(const std::string& line) { std::fprintf(console(), "satscope: %s\n", without_secrets(line).c_str()); }

bool print(std::string_view text, bool now) {
  errno = 0;
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && (!now || std::fflush(stdout) == 0);
  if (!written && print_error == 0) print_error = errno != 0 ? errno : EIO;
  return written;
}

// The standard output blocks, and must not be made non-blocking: it is shared with other processes. A pipe that has room takes so
// much without blocking.
bool print_in_time(std::string_view text, const std::stop_token& hurry) {
  while (!text.empty() && print_error == 0) {
    if (!await_room(STDOUT_FILENO, hurry)) {
      print_error = EAGAIN;
      break;
    }
    const auto written = ::write(STDOUT_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) print_error = errno;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return print_error == 0;
}

int finish_printing() {
  print({}, true);
  return print_error;
}

std::FILE* console() {
  auto* stream = kept_stream.load();
  return stream ? stream : stderr;
}

KeptConsole::KeptConsole() {
  ended_well = false;
  const int copy = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  std::FILE* stream = copy < 0 ? nullptr : ::fdopen(copy, "w");
  if (!stream) return;
  std::setvbuf(stream, nullptr, _IONBF, 0);
  kept = copy;
  kept_stream = stream;
  std::signal(SIGABRT, on_abort);
  std::atexit(pass_on_last_words);
}

// The stream stays open: objects destroyed later may still print.
KeptConsole::~KeptConsole() { ended_well = true; }

SilentStderr::SilentStderr() {
  auto& all = silence();
  const std::lock_guard lock(all.mutex);
  if (all.silent++ > 0) return;
  if (silenced < 0) {
    const int file = ::memfd_create("satscope-stderr", MFD_CLOEXEC);
    if (file < 0 || ::fcntl(file, F_SETFL, O_APPEND) != 0) return;
    silenced = file;
  }
  if (same_file(STDERR_FILENO, silenced)) return;
  if (all.before >= 0) ::close(all.before);
  all.before = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  if (all.before >= 0) ::dup2(silenced, STDERR_FILENO);
}

SilentStderr::~SilentStderr() {
  auto& all = silence();
  const std::lock_guard lock(all.mutex);
  if (--all.silent > 0 || all.before < 0) return;
  // If others have redirected it meanwhile, as tests do, they may restore our file later: then the next object undoes that.
  if (!same_file(STDERR_FILENO, silenced)) return;
  ::dup2(all.before, STDERR_FILENO);
  ::close(all.before);
  all.before = -1;
}

void SilentStderr::forget_old() {
  struct stat status {};
  if (silenced >= 0 && ::fstat(silenced, &status) == 0 && status.st_size > most_kept) (void)!::ftruncate(silenced, 0);
}

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
  const auto count = (total > 0 ? std::to_string(done) + "/" + counted(total, unit_) : counted(done, unit_)) +
                     (note.empty() ? rate(done) : ", " + std::string(note));
  draw(total > 0 ? std::optional(static_cast<double>(done) / static_cast<double>(total)) : std::nullopt, count);
}

void Progress::show_part(double part, std::string_view what) { draw(part, what); }

void Progress::draw(std::optional<double> part, std::string_view text) {
  const double drawn = std::clamp(part.value_or(0), 0.0, 1.0);
  const auto length = static_cast<int>(text.size());
  if (terminal_) {
    const auto now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    drawn_ = true;
    constexpr int width = 40;
    const auto filled = static_cast<std::size_t>(drawn * width);
    if (part)
      std::fprintf(out_, "\r[%s%s] %3.0f%%  %.*s ", std::string(filled, '#').c_str(),
                   std::string(width - filled, '.').c_str(), drawn * 100, length, text.data());
    else
      std::fprintf(out_, "\r%.*s ", length, text.data());
    std::fputs("\033[K", out_);  // the rest of a longer line
    std::fflush(out_);
    return;
  }
  if (const int tenths = static_cast<int>(drawn * 10); tenths > tenths_) {
    tenths_ = tenths;
    std::fprintf(out_, "%d%%: %.*s\n", tenths * 10, length, text.data());
  }
}

void Progress::erase() {
  if (drawn_) std::fprintf(out_, "\r\033[K");
  drawn_ = false;
  shown_ = {};
}

void Progress::finish(std::uint64_t done) {
  erase();
  std::fprintf(out_, "%s%s\n", counted(done, unit_).c_str(), rate(done).c_str());
}

}  // namespace app
