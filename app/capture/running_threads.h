// Threads that nobody joins: a source that hangs must not block whoever closes it.
#pragma once

#include <chrono>
#include <functional>

namespace app::capture {

// Runs `work` on a detached thread. At the end of the program such threads get a moment to finish, because the
// libraries that they use are about to be destroyed; the system ends those that hang.
void start_detached(std::function<void()> work);

// Waits until all such threads have finished; false where some have not within `patience`.
bool wait_for_detached(std::chrono::milliseconds patience);

}  // namespace app::capture
