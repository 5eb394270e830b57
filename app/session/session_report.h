// The report of a session, for an export.
#pragma once

#include "app/capture/capture.h"
#include "app/output/report.h"
#include "app/pipeline/engine.h"
#include "app/session/frame_log.h"

namespace app {

// How pixels reach the window is the caller's.
Report report_of(Engine& engine, FrameLog& log, const capture::Status& source);
// Of every device that the engine may compute on.
std::string machine_of(const Engine& engine);

}  // namespace app
