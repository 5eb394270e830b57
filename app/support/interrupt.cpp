#include "app/support/interrupt.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <string_view>

#include "app/support/console.h"

namespace app {
namespace {

// A signal handler can access nothing else.
volatile std::sig_atomic_t received = 0, console_descriptor = STDERR_FILENO;
std::array<std::atomic<const RemovedWhenKilled*>, 8> unfinished = {};  // each a file under way
std::atomic<bool> ending = false;                                      // the handler reads `unfinished`
// The signal that was noted last, and when.
std::atomic<int> noted = 0;
std::atomic<std::int64_t> noted_at = 0;
static_assert(std::atomic<const RemovedWhenKilled*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t milliseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// Some programs, such as timeout, send a signal to the process and then to its group: that counts once.
void end_at_once(int signal) {
  constexpr std::int64_t same = 50;
  if (signal == noted && milliseconds() - noted_at < same) return;
  ending = true;
  for (const auto& file : unfinished)
    if (const auto* object = file.load()) object->end();
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when this returns
}

// Whoever started the program may have it ignore a signal (nohup, a shell's job in the background): that stays so.
void handle(int signal, void (*handler)(int)) {
  struct sigaction inherited {};
  if (::sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) return;
  std::signal(signal, handler);
}

void note(int signal) {
  received = 1;
  noted_at = milliseconds();
  noted = signal;
  std::signal(signal, end_at_once);
}

}  // namespace

void watch_interrupts() {
  console_descriptor = ::fileno(console());
  handle(SIGINT, note);
  handle(SIGTERM, note);
  handle(SIGHUP, note);  // the terminal was closed: recordings are completed nevertheless
}

bool interrupted() { return received != 0; }

void tell_of_wait(const std::string& what, const std::string& without) {
  tell(what + "; Ctrl-C ends at once" + (without.empty() ? "" : ", without " + without));
  handle(SIGINT, end_at_once);
  handle(SIGTERM, end_at_once);
}

RemovedWhenKilled::RemovedWhenKilled(const std::filesystem::path& path, If condition)
    : path_(path.string()), condition_(condition) {
  for (auto& file : unfinished)
    if (const RemovedWhenKilled* none = nullptr; file.compare_exchange_strong(none, this)) break;
}

// Another thread may handle a signal, and read this object: it lives until the program has ended.
RemovedWhenKilled::~RemovedWhenKilled() {
  for (auto& file : unfinished)
    if (const auto* mine = static_cast<const RemovedWhenKilled*>(this); file.compare_exchange_strong(mine, nullptr)) break;
  while (ending) ::pause();
}

void RemovedWhenKilled::end() const {
  if (condition_ == If::never) {
    constexpr std::string_view words = "satscope: ended at once; what was recorded is in ";
    for (const auto part : {words, std::string_view(path_), std::string_view("\n")})
      [[maybe_unused]] const auto written = ::write(console_descriptor, part.data(), part.size());
    return;
  }
  struct stat status {};
  if (condition_ == If::empty && (::stat(path_.c_str(), &status) != 0 || status.st_size != 0)) return;
  ::unlink(path_.c_str());
}

}  // namespace app
