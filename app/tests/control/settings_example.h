// For tests of changes and settings files: machines without a GPU, and settings in which every saved field differs from its
// default.
#pragma once

#include <fstream>
#include <string>

#include "app/control/change.h"
#include "app/control/settings.h"
#include "app/tests/support/temporary_folder.h"

namespace app {

// Without a GPU of NVIDIA's, and without the simulated one too.
inline const ChangeContext no_gpu{"no driver is loaded", "", 1, true},
    nothing{"no driver is loaded", "it is not built", 1, true};

}  // namespace app

namespace app::examples {

// A file with a kernel, which settings name only where it is there.
inline std::string example_kernel() {
  static const TemporaryFolder folder;
  const auto file = (folder.path() / "example.cu").string();
  std::ofstream(file) << "void run(Image image, Table table) {}\n";
  return file;
}

inline Settings unusual_settings() {
  Settings s;
  s.size = {1280, 720};
  s.fps = 29.97;
  s.loop = s.max_speed = true;
  s.memory_budget = 4000;
  s.values = capture::ValueWindow{500, 4000};
  s.timing = TimingChoice::every;
  s.dock = Dock::tiles;
  s.dock_open = true;
  s.frame_view = FrameView::one_frame;
  s.feature = 162'336;
  s.feature_scale = 85;
  s.trace_colour = TraceColour::sm;
  s.trace_loop = true;
  s.trace_seconds = 12;
  s.device = DeviceChoice::host;
  s.cuda_algorithm = "2r1w";
  s.host_algorithm = "host_serial";
  s.effect = "none";
  s.kernels = {example_kernel()};
  s.compare = {true, "host_serial", "result"};
  s.compare_mode = Composition::Mode::difference;
  s.wipe = 0.25;
  s.amplification = 16;
  s.effect_values["box_blur"]["window"] = "9x5";
  s.algorithm_values["host_parallel"]["threads"] = "1";
  s.interop = InteropChoice::off;
  s.viewer = Viewer::highgui;
  s.vsync = s.panels = false;
  s.dock_width = 400;
  s.hints = true;
  s.window_width = 1000;
  s.window_height = 700;
  s.target_ms = 8;
  s.cells = CellValues::sums;
  s.matrix_editor = false;
  s.check = true;
  s.output_folder = "/tmp";
  s.columns = "[Table][0x1234ABCD,2];Column 0  Visible=0;";
  s.graph_shows = GraphShows::stages;
  s.graph_histogram = true;
  return s;
}

}  // namespace app::examples
