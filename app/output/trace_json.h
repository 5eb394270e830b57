// A tile trace in the Trace Event Format, which Perfetto (ui.perfetto.dev) and chrome://tracing open.
#pragma once

#include <filesystem>
#include <string>

#include "app/pipeline/tile_history.h"

namespace app {

// A process per multiprocessor, and in it a thread per block that is resident at the same time. Each tile is a slice, and its
// wait for the carries another one inside it. Microseconds since the first tile started. If the algorithm looks back, a slice
// says how many tiles far in each direction.
std::string trace_json(const TileHistory& history);

// Throws std::runtime_error with one line.
void write_trace(const std::filesystem::path& path, const TileHistory& history);

}  // namespace app
