// Threads that nobody joins: a source that hangs must not hold up who closes it.
#pragma once

#include <chrono>
#include <functional>

namespace app::capture {

// Runs `work` on a detached thread. When the program ends, it gives such threads a moment to finish, because the
// libraries that they are inside are about to be taken down; those that hang are left to the system.
void start_detached(std::function<void()> work);

// Waits until all such threads have finished; false where some have not within `patience`.
bool wait_for_detached(std::chrono::milliseconds patience);

}  // namespace app::capture
