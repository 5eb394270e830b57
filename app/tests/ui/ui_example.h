// A fixed state for the tests of the panels, which depends on no clock, machine or source.
#pragma once

#include <cmath>

#include "app/ui/ui.h"

namespace app::ui {

inline StageRow example_row(const char* name, double launches, double us, double share) {
  return {name,      launches,  us * 1.02, us,    us * 0.99,
          us * 1.11, us * 1.32, us * 1.87, share, std::string_view(name).find('/') == std::string_view::npos ? 0 : 1,
          true,      240,       us * 1.6};
}

inline StageRow group_row(const char* name, double us, double share) {
  auto row = example_row(name, 1, us, share);
  row.leaf = false;
  return row;
}

// 240 frames around 8 ms, with a slow stretch and one very slow frame.
inline std::vector<FrameRecord> example_frames() {
  std::vector<FrameRecord> frames;
  const auto paths = std::make_shared<std::vector<std::string>>(1, "luma");
  for (int i = 0; i < 240; ++i) {
    const double wave = 1.1 * std::sin(i * 0.21) + 0.7 * std::sin(i * 1.7);
    const double work = i == 180 ? 41.5 : i > 200 && i < 212 ? 18.2 + wave : 7.9 + wave;
    FrameRecord frame;
    frame.id = static_cast<std::uint64_t>(1000 + i);
    frame.again = i % 2 == 1;
    frame.interval_us = std::max(16.67, work) * 1000;
    frame.work_us = work * 1000;
    frame.times.timed = true;
    frame.times.paths = paths;
    frame.times.spans = {{0, -1, 0, 0, 3100, true}};
    frames.push_back(frame);
  }
  return frames;
}

inline FrameFigures example_figures() {
  FrameFigures figures;
  for (const auto& frame : example_frames()) figures.add(frame);
  return figures;
}

inline FrameHistory example_history() {
  FrameHistory history;
  std::vector<StageTime> stages;
  for (const auto& frame : example_frames()) {
    history.add(frame);
    history.complete(frame_times(frame, stages));
  }
  return history;
}

inline Settings example_settings() {
  Settings settings;
  settings.source = "lobby.mp4";
  settings.loop = true;
  settings.effect_values["box_blur"]["window"] = "31x31";
  return settings;
}

// A video on a machine without a GPU.
inline State example_state(const Settings& settings) {
  State state;
  state.capture = {capture::Status::Phase::playing,
                   "",
                   "lobby.mp4, 960x540, 30/s",
                   capture::SourceKind::video,
                   {960, 540},
                   30,
                   16,
                   1234,
                   0};
  state.position = 7.3;
  state.frame_age_ms = 11.4;
  state.cameras = {{"/dev/video0", "HD Webcam", ""}, {"/dev/video2", "Capture card", "in use by another program"}};
  state.recent = {"lobby.mp4", "http://camera.local:8080/stream"};
  state.cuda_unavailable = "no NVIDIA driver is loaded";
  state.host_threads = 2;
  state.gl = {"Mesa", "llvmpipe", "4.5", true};
  state.staged_reason = "the CPU computes: there is nothing for CUDA to share";
  state.selection = make_selection(settings, gpu::Device::host);
  state.picture = {960, 540};
  state.memory_bytes = 23'456'789;
  state.rows = {example_row("luma", 1, 212.4, 0.09),
                group_row("host_parallel", 822.1, 0.34),
                example_row("host_parallel/row sums", 1, 431.7, 0.18),
                example_row("host_parallel/column sums", 1, 388.2, 0.16),
                example_row("box blur", 1, 921.5, 0.39),
                example_row("copy to texture", 1, 431.0, 0.18)};
  state.total = {"", 5, 2431.5, 2398.2, 2391.7, 2544, 2891.3, 4120.8, 1, 0, true, 240, 3004.2};
  state.timed_frames = 240;
  static const auto frames = example_frames();
  state.frames = frames;
  static const auto history = example_history();
  state.graph.history = &history;
  state.graph.of = {240, 1000, 1239, false};
  summarise(example_figures(), settings, state.graph);
  state.fps = 59.9;
  state.picture_fps = 30;
  state.zoom = 0.97;
  state.pixel = Pixel{412, 233, gpu::Rgba{120, 88, 70, 255}, 97, 12'345'678u};
  return state;
}

// The same on a machine with a GPU.
inline State example_gpu_state(Settings& settings) {
  settings.device = DeviceChoice::cuda;
  auto state = example_state(settings);
  state.device = gpu::Device::cuda;
  state.cuda_unavailable.clear();
  state.gpu = gpu::GpuInfo{"NVIDIA H200", 0, 9, 0, 132, 143'000'000'000, 50'000'000, 13000, 13000};
  state.gl = {"NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2", "4.6", false};
  state.interop = true;
  state.staged_reason.clear();
  state.selection = make_selection(settings, gpu::Device::cuda);
  state.rows = {example_row("upload", 1, 28.4, 0.44),
                example_row("luma", 1, 4.1, 0.06),
                group_row("1r1w_skss_lb", 14.9, 0.22),
                example_row("1r1w_skss_lb/clear", 1, 1.9, 0.03),
                example_row("1r1w_skss_lb/1r1w_skss_lb", 1, 12.2, 0.19),
                example_row("box blur", 1, 9.4, 0.15),
                example_row("copy to texture", 1, 8.6, 0.13)};
  state.total = {"", 6, 68.4, 66.2, 65.8, 70.1, 78.9, 101.3, 1, 0, true, 240, 90.4};
  return state;
}

}  // namespace app::ui
