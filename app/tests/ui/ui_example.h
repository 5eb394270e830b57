// A fixed state for the tests of the panels, which depends on no clock, machine or source.
#pragma once

#include <chrono>
#include <cmath>
#include <memory>

#include "app/ui/ui.h"
#include "gpu/sat.h"

namespace app::ui {

inline StageRow example_stage(const char* name, double launches, double us, double share) {
  StageRow row;
  row.name = name;
  row.launches = launches;
  row.last = us * 1.02;
  row.mean = us;
  row.p50 = us * 0.99;
  row.p90 = us * 1.11;
  row.p99 = us * 1.32;
  row.max = us * 1.87;
  row.p999 = us * 1.6;
  row.frames = 240;
  row.share = share;
  row.depth = row.name.find('/') == row.name.npos ? 0 : 1;
  for (std::size_t i = 0; i < StageStatistics::recent_frames; ++i)
    row.recent.push_back(static_cast<float>(us * (1 + 0.15 * std::sin(static_cast<double>(i) * 0.7))));
  return row;
}

inline KernelRow example_row(const char* name, double launches, double us, double share) {
  return {example_stage(name, launches, us, share), 0, {}, {}};
}
inline KernelRow group_row(const char* name, double us, double share) {
  auto row = example_row(name, 1, us, share);
  row.stage.leaf = false;
  row.of_bound = 0.71;
  return row;
}
inline KernelRow transfer_row(const char* name, double us) {
  auto row = example_row(name, 1, us, 0);
  row.stage.kind = gpu::SpanKind::transfer;
  return row;
}
inline StageRow example_total(double launches, double us) { return example_stage("frame", launches, us, 1); }

// Spans one after another, each queued `ahead` microseconds before it runs.
inline TimelineState example_timeline(const KernelsState& kernels, double ahead) {
  TimelineState state;
  state.id = 1239;
  state.host_queues = ahead > 0;
  auto paths = std::make_shared<std::vector<std::string>>();
  double now = 0, queued = 3;
  for (const auto& row : kernels.rows) {
    gpu::TimelineSpan span;
    span.path = static_cast<int>(paths->size());
    paths->push_back(row.stage.name);
    span.kind = row.stage.kind;
    for (int i = 0; i < span.path; ++i)
      if (row.stage.depth > 0 && row.stage.name.starts_with((*paths)[static_cast<std::size_t>(i)] + '/')) span.parent = i;
    span.timed = true;
    span.started = now;
    span.ended = now + row.stage.mean;
    span.enqueued = ahead > 0 ? queued : now;
    span.queued = ahead > 0 ? queued + (row.stage.leaf ? 2.5 : 6) : span.ended;
    if (row.stage.leaf) now = span.ended + 1, queued += 3;
    state.frame.spans.push_back(span);
  }
  state.frame.paths = paths;
  state.frame.timed = true;
  state.frame.first_point = ahead;
  return state;
}

// 240 frames around 8 ms, with a slow stretch and one very slow frame.
inline std::vector<FrameRecord> example_frames() {
  std::vector<FrameRecord> frames;
  const auto paths = std::make_shared<std::vector<std::string>>(1, "luma");
  FrameRecord::Clock::time_point presented;
  for (int i = 0; i < 240; ++i) {
    const double wave = 1.1 * std::sin(i * 0.21) + 0.7 * std::sin(i * 1.7);
    const double work = i == 180 ? 41.5 : i > 200 && i < 212 ? 18.2 + wave : 7.9 + wave;
    FrameRecord frame;
    frame.id = static_cast<std::uint64_t>(1000 + i);
    frame.again = i % 2 == 1;
    frame.interval_us = std::max(16.67, work) * 1000;
    frame.work_us = work * 1000;
    presented += std::chrono::microseconds(static_cast<long>(frame.interval_us));
    frame.presented = presented;
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

// Without the `left_out` oldest ones.
inline FrameHistory example_frame_history(int left_out = 0) {
  FrameHistory history;
  std::vector<StageTime> stages;
  for (const auto& frame : example_frames()) {
    if (left_out-- > 0) continue;
    history.add(frame);
    history.complete(frame_times(frame, stages));
  }
  return history;
}

// A race of three rows and a bound.
inline RaceFigures example_race() {
  RaceFigures race;
  race.on = race.finished = true;
  race.size = {960, 540};
  race.bound = "memset";
  race.runs = race.runs_wanted = 75;
  const auto add = [&](const char* name, double us, bool bound) {
    RaceRow row;
    row.name = row.label = name;
    row.arguments = bound ? gpu::Arguments() : gpu::Arguments(gpu::find_sat_algorithm(name)->parameters);
    row.bound = bound;
    row.runs = 25;
    row.us = us;
    row.least_us = us * 0.9;
    row.over_bound = us / 100;
    row.check = bound ? RaceRow::Check::none : RaceRow::Check::equal;
    race.rows.push_back(row);
  };
  add("memset", 100, true);
  add("host_parallel", 150, false);
  add("host_serial", 900, false);
  race.absent = {{"2r1w", "runs on a GPU, or on the simulated GPU"}};
  return race;
}
// More rows, with the second one's times, and a last one that is so much slower that its bar is clipped.
inline void lengthen(RaceFigures& race) {
  for (int i = 0; i < 6; ++i) {
    auto row = race.rows.at(1);
    row.label += " W=" + std::to_string(i);
    race.rows.insert(race.rows.end() - 1, std::move(row));
  }
  race.rows.back().us = 123'456;
}

// Of four sizes, before memory ended it.
inline StudyFigures example_study() {
  StudyFigures study;
  study.on = study.finished = true;
  study.sizes_wanted = 10;
  for (const int side : {256, 512, 1024, 2048}) {
    auto race = example_race();
    race.size = {side, side};
    for (auto& row : race.rows) row.us *= side / 256.0;
    study.sizes.push_back(race);
  }
  study.end = "4096x4096 needs 83 MB, more than a quarter of the free memory";
  return study;
}

// A window of 40x40 pixels that the second of three stages rejects. The last node of each is not evaluated.
inline std::shared_ptr<const CascadeWindow> example_cascade_window() {
  using namespace gpu::vision;
  Cascade cascade;
  cascade.window = {20, 20};
  cascade.tilted = true;
  cascade.features = {{{{4, 5, 12, 6, -1}, {8, 5, 4, 6, 3}}, false}, {{{10, 4, 6, 3, -1}, {10, 4, 3, 3, 2}}, true}};
  CascadeWindow window;
  window.name = "frontalface_alt2";
  window.levels = 24;
  auto& stages = window.stages;
  stages = {7, 30, 20, {130, 110, 40, 40}, true, 1, {}};
  const auto stage = [&](double sum, double threshold, float first, float second) {
    const auto rest = static_cast<float>(sum) + 0.25f;  // votes add up to the sum
    const std::vector<NodeResult> nodes{
        {0, 0, first, 0, true, -0.25f}, {1, 1, second, 0.5f, true, rest}, {0, 1, -0.03125f, 0.25f, false, {}}};
    stages.stages.push_back({sum, threshold, -2, 3, nodes});
    cascade.stages.emplace_back();
  };
  stage(1.5, 0.125, 0.25f, 0.375f);
  stage(-0.625, 0.5, 0.125f, -0.5f);
  stage(0.75, 0.25, 0.875f, 0.0625f);
  window.cascade = std::make_shared<const Cascade>(std::move(cascade));
  return std::make_shared<const CascadeWindow>(std::move(window));
}

// The same window by a cascade of local binary patterns.
inline std::shared_ptr<const CascadeWindow> example_lbp_window() {
  using namespace gpu::vision;
  auto window = *example_cascade_window();
  auto cascade = *window.cascade;
  cascade.tilted = false;
  cascade.kind = FeatureKind::lbp;
  cascade.features = {{{{4, 5, 2, 3, 1}}, false}, {{{10, 4, 3, 3, 1}}, false}};
  window.name = "lbp_frontalface";
  window.cascade = std::make_shared<const Cascade>(std::move(cascade));
  for (auto& stage : window.stages.stages) {
    int code = 0xb1;
    for (auto& node : stage.nodes) {
      node.left = node.tree == 0;
      node.threshold = 0;
      node.value = static_cast<float>(code++);
    }
  }
  return std::make_shared<const CascadeWindow>(std::move(window));
}

inline capture::CameraInfo example_camera(int number, const std::string& name, const std::string& why_not = {}) {
  return {number, "/dev/video" + std::to_string(number), name, "uvcvideo", "", why_not.empty(), why_not};
}

inline Settings example_settings() {
  Settings settings;
  settings.source = "lobby.mp4";
  settings.loop = true;
  settings.dock_open = true;
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
  state.capture.name = "lobby.mp4";
  state.position = 7.3;
  state.frame_age_ms = 11.4;
  state.cameras = {example_camera(0, "HD Webcam"), example_camera(2, "Capture card", "in use by another program")};
  state.recent = {"lobby.mp4", "http://camera.local:8080/stream"};
  state.context.no_cuda = "no NVIDIA driver is loaded";
  state.host_threads = 2;
  state.gl = {"Mesa", "llvmpipe", "4.5", true};
  state.staged_reason = "the CPU computes: there is nothing for CUDA to share";
  state.selection = make_selection(settings, gpu::Device::host);
  state.picture = {960, 540};
  state.memory_bytes = 23'456'789;
  auto& kernels = state.kernels;
  kernels.rows = {example_row("luma", 1, 212.4, 0.09),
                  group_row("host_parallel", 822.1, 0.34),
                  example_row("host_parallel/row sums", 1, 431.7, 0.18),
                  example_row("host_parallel/column sums", 1, 388.2, 0.16),
                  example_row("box blur", 1, 921.5, 0.39),
                  transfer_row("copy to texture", 431.0)};
  number_colours(kernels.rows);
  kernels.total = example_total(5, 2398.2);
  kernels.computing = 1953.7;
  kernels.transfers = 431;
  kernels.timed_frames = 240;
  kernels.timing_share = 0.0021;
  kernels.timing_us = 4.9;
  kernels.timing_points = 12;
  kernels.bound = BoundTime{583.2, "memset", 25};
  state.timeline = example_timeline(kernels, 0);
  static const auto frames = example_frames();
  state.frames = frames;
  static const auto history = example_frame_history();
  state.graph.history = &history;
  state.graph.of = {240, 1000, 1239, false};
  summarise(example_figures(), settings, state.graph);
  state.fps = 59.9;
  state.picture_fps = 30;
  state.context.zoom = 0.97;
  return state;
}

// The same on a machine with a GPU.
// The trace is of the picture and the algorithm that are shown.
inline void show_trace(State& state, const TileHistory& history, double position) {
  state.picture = history.image;
  state.selection.algorithm = gpu::find_sat_algorithm(history.algorithm);
  state.trace = {std::make_shared<TileHistory>(history), position, {}};
}

inline State example_gpu_state(Settings& settings) {
  settings.device = DeviceChoice::cuda;
  auto state = example_state(settings);
  state.device = gpu::Device::cuda;
  state.context.no_cuda.clear();
  state.gpu = gpu::GpuInfo{"NVIDIA H200", 0, 9, 0, 132, 143'000'000'000, 50'000'000, 13000, 13000};
  state.gl = {"NVIDIA Corporation", "NVIDIA H200/PCIe/SSE2", "4.6", false};
  state.interop = true;
  state.staged_reason.clear();
  state.selection = make_selection(settings, gpu::Device::cuda);
  auto& kernels = state.kernels;
  kernels.rows = {transfer_row("upload", 28.4), example_row("luma", 1, 4.1, 0.17), group_row("one_wave", 10.2, 0.43),
                  example_row("one_wave/one_wave", 1, 10.2, 0.43), example_row("box blur", 1, 9.4, 0.40)};
  number_colours(kernels.rows);
  kernels.rows[2].gb_per_s = 307;
  kernels.total = example_total(4, 52.1);
  kernels.computing = 23.7;
  kernels.transfers = 28.4;
  kernels.bound = BoundTime{7.2, "convert_copy", 25};
  state.timeline = example_timeline(kernels, 9);
  return state;
}

}  // namespace app::ui
