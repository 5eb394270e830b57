#include "app/support/interrupt.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

#include "app/support/console.h"

namespace app {
namespace {

// A signal handler can access nothing else.
volatile std::sig_atomic_t received = 0, console_descriptor = STDERR_FILENO;
std::atomic<const char*> unfinished = nullptr;
std::array<std::atomic<const char*>, 8> reserved = {};  // names, each for a result under way
static_assert(std::atomic<const char*>::is_always_lock_free);

void end_at_once(int signal) {
  for (const auto& name : reserved) {
    struct stat status {};
    const char* path = name.load();
    if (path && ::stat(path, &status) == 0 && status.st_size == 0) ::unlink(path);
  }
  if (const char* path = unfinished.load()) {
    ::unlink(path);
    constexpr char line[] = "satscope: ended at once, without the recording\n";
    [[maybe_unused]] const auto written = ::write(console_descriptor, line, sizeof line - 1);
  }
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

RemovedWhenKilled::RemovedWhenKilled(const std::filesystem::path& path) : path_(path.string()) {
  unfinished = path_.c_str();
}
RemovedWhenKilled::~RemovedWhenKilled() { unfinished = nullptr; }

ReservedName::ReservedName(const std::filesystem::path& path) : path_(path.string()) {
  for (auto& name : reserved)
    if (const char* none = nullptr; name.compare_exchange_strong(none, path_.c_str())) break;
}
ReservedName::~ReservedName() {
  for (auto& name : reserved)
    if (const char* mine = path_.c_str(); name.compare_exchange_strong(mine, nullptr)) break;
}

}  // namespace app
