#include "app/interrupt.h"

#include <csignal>

namespace app {
namespace {

// A signal handler can reach nothing else.
volatile std::sig_atomic_t received = 0;

void note(int signal) {
  received = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_interrupts() {
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
  std::signal(SIGHUP, note);  // the terminal is gone: films are finished all the same
}

bool interrupted() { return received != 0; }

}  // namespace app
