#include "app/support/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

#include "app/support/console.h"

namespace app {
namespace {

// A signal handler can access nothing else.
volatile std::sig_atomic_t received = 0, console_descriptor = STDERR_FILENO;
std::atomic<const char*> unfinished = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free);

void end_at_once(int signal) {
  if (const char* path = unfinished.load()) {
    ::unlink(path);
    constexpr char line[] = "satscope: ended at once, without the recording\n";
    [[maybe_unused]] const auto written = ::write(console_descriptor, line, sizeof line - 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // delivered when this returns
}

void note(int signal) {
  received = 1;
  std::signal(signal, end_at_once);
}

}  // namespace

void watch_interrupts() {
  console_descriptor = ::fileno(console());
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
  std::signal(SIGHUP, note);  // the terminal was closed: recordings are completed nevertheless
}

bool interrupted() { return received != 0; }

void tell_of_wait(const std::string& what, const std::string& without) {
  tell(what + "; Ctrl-C ends at once" + (without.empty() ? "" : ", without " + without));
  std::signal(SIGINT, end_at_once);
  std::signal(SIGTERM, end_at_once);
}

RemovedWhenKilled::RemovedWhenKilled(const std::filesystem::path& path) : path_(path.string()) {
  unfinished = path_.c_str();
}
RemovedWhenKilled::~RemovedWhenKilled() { unfinished = nullptr; }

}  // namespace app
