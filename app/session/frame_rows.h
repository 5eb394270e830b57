// The rows of a history as CSV, as the log has them: what a history keeps of each frame.
#pragma once

#include <string>

#include "app/session/frame_history.h"

namespace app {

// `start`: that presented_us counts from. Lines that start with # hold machine and units; then a line of column names.
std::string frame_rows(const FrameHistory& history, FrameRecord::Clock::time_point start, const std::string& machine);

}  // namespace app
