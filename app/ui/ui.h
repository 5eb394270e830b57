// The panels around the picture. They are drawn with Dear ImGui from a plain struct and change nothing but Settings;
// whatever is not a setting comes back as actions. No OpenGL and no CUDA here.
//
// Order of a frame: surface.begin_frame(); layout() says where the picture goes; draw the view there; panels.draw();
// surface.end_frame().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/control/key_table.h"
#include "app/control/settings.h"
#include "app/gl/context_info.h"
#include "app/gl/view.h"
#include "app/pipeline/frame_record.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/stage_statistics.h"
#include "app/session/messages.h"
#include "app/ui/frame_summary.h"
#include "gpu/annotation.h"
#include "gpu/device.h"

namespace app::ui {

struct Camera {
  std::string source;   // what to open: "/dev/video0"
  std::string name;     // "HD Webcam"
  std::string problem;  // why it cannot be opened, one line; empty where it can
  friend bool operator==(const Camera&, const Camera&) = default;
};

// The pixel of the picture under the mouse.
struct Pixel {
  int x = 0, y = 0;
  // Where they are on the host: nothing is read back from a GPU for them.
  std::optional<gpu::Rgba> shown;
  std::optional<int> gray;           // before the effect
  std::optional<std::uint32_t> sum;  // the table's entry
};

// Everything there is to show. The statistics may be a few frames old: refresh them some ten times a second.
struct State {
  // Source.
  capture::Status capture;
  std::string failed_source;  // the one asked for last, where it could not be opened; else empty
  bool paused = false;
  double position = 0;      // of the picture shown, seconds into the source
  double frame_age_ms = 0;  // of the picture shown: since it was read
  std::vector<Camera> cameras;
  std::vector<std::string> recent;  // sources opened before, latest first

  // Where it runs.
  gpu::Device device = gpu::Device::host;  // in use
  std::optional<gpu::GpuInfo> gpu;
  std::string cuda_unavailable;  // why there is no CUDA device, one line; empty where there is one
  std::string no_simulated;      // why there is no simulated GPU; empty where there is one
  int host_threads = 1;
  GlInfo gl;
  bool interop = false;
  std::string staged_reason;  // why pixels are staged; empty with interop

  // What is computed.
  Selection selection;  // in use
  std::string refusal;  // why it is not the one in the settings, one line; empty where it is
  gpu::Size picture;
  std::size_t memory_bytes = 0;  // held by the pipeline

  // What it cost: figures of the frames since the work last changed.
  std::vector<StageRow> rows;
  StageRow total;
  std::uint64_t timed_frames = 0, untimed_frames = 0, dropped_spans = 0;
  FrameSummary work;
  std::uint64_t dropped = 0;            // frames that were captured, and never taken
  std::span<const FrameRecord> frames;  // oldest first, some hundreds; the times of the last ones may be missing
  double fps = 0;                       // frames shown a second, over the last second
  double picture_fps = 0;               // new pictures a second
  bool resting = false;                 // nothing changes: the window is not drawn until something does

  // The view.
  double zoom = 1;  // as drawn: screen pixels an image pixel, also where Settings::zoom is 0 (fit)
  std::optional<Pixel> pixel;

  bool recording = false;
  double recorded_seconds = 0;
  std::vector<Message> messages;  // oldest first
};

struct Result {
  // Of keys and buttons, in order, without those that were changes of settings: Panels::draw applied them.
  // The caller opens the source anew where the Settings fields of capture::Request changed, and on Action::reopen.
  std::vector<Action> actions;
  std::vector<std::string> refusals;  // changes that cannot be, one line each
};

// A rectangle of the window, in pixels from its top left corner.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};
struct Layout {
  Rect bar, left, picture, timings, graph, status;  // empty ones are not shown
};
// `scale`: of the display, as given to apply_theme().
float display_scale();
Layout layout(const Settings& settings, int width, int height, float scale = display_scale());

// Colours, spacing and fonts. Once, after the surface is open and before its first frame, with surface.scale().
void apply_theme(float scale = 1);

// Over the picture that `view` shows, and under the panels. Between begin_frame() and end_frame().
void draw_annotations(const View& view, std::span<const gpu::Annotation> annotations);

struct Drafts;  // text being typed

class Panels {
 public:
  Panels();
  ~Panels();
  // Between begin_frame() and end_frame(). Handles the keys, draws everything, and changes `settings` in place.
  Result draw(const State& state, Settings& settings);

 private:
  std::unique_ptr<Drafts> drafts_;
};

}  // namespace app::ui
