// The frame graph's part of a drawing, on the CPU.
#pragma once

namespace app::benchmarks {

// Prints the median time of a drawing with all the frames that a history keeps, and one more for each drawing.
void time_frame_graph(double seconds);

}  // namespace app::benchmarks
