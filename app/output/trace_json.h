// Traces in the Trace Event Format, which Perfetto (ui.perfetto.dev) and Chrome (about:tracing) show: of frames, and of tiles.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "app/pipeline/frame_figures.h"
#include "app/pipeline/tile_history.h"

namespace app {

// A process per multiprocessor, and in it a thread per block that is resident at the same time. Each tile is a slice, and its
// wait for the carries another one inside it. Microseconds since the first tile started. If the algorithm looks back, a slice
// says how many tiles far in each direction.
std::string trace_json(const TileHistory& history);

// Throws std::runtime_error with one line.
void write_trace(const std::filesystem::path& path, const TileHistory& history);

// For each frame its way from capture to screen, what the host queued, and what the device did. Times
// are microseconds since the first frame was captured. The device's are on the host's clock as well as they could be matched:
// gpu::TimelineFrame::first_point.
std::string frame_trace(std::span<const FrameRecord> frames);

}  // namespace app
