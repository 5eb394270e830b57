// PanelState: what the panels show, collected from the session, the texture and the cameras.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "app/capture/camera_watch.h"
#include "app/capture/folder_reader.h"
#include "app/gl/shared_texture.h"
#include "app/live/trace_player.h"
#include "app/session/session.h"
#include "app/ui/ui.h"

namespace app {

class PanelState {
 public:
  PanelState(Session& session, const GlInfo& gl);

  // For a frame that is drawn: cheap figures at once, the others some ten times per second.
  const ui::State& update(const gl::SharedTexture& texture, double zoom, std::optional<ui::Pixel> pixel);
  void renew() { renewed_ = {}; }  // the others too, with the next update
  void set_scales(double of_display, double most) { state_.display_scale = of_display, state_.most_scale = most; }
  void set_probed(const ProbedPixels& pixels) { state_.probed = &pixels; }
  void set_notes(std::vector<ui::Rect> notes) { state_.notes = std::move(notes); }
  void set_wipe_handle(std::optional<ui::Rect> handle) { state_.wipe_handle = handle; }
  void set_idle(bool idle) { state_.idle = idle; }
  void update_unsaved();  // what would end or be lost if the program quits now
  // At the end of the run: updates everything a last time; the source's figures change no more.
  void freeze();
  // True where there are other cameras than before. Looks only while panels show them.
  bool look_for_cameras();
  // The folder that the file browser shows; empty: where the source is, else here. It is read by a thread of its own.
  void read_folder(const std::string& path);
  const ui::State& state() const { return state_; }
  // The window changes by itself.
  bool plays() const { return trace_player_.plays(session_.trace(), session_.settings()); }

 private:
  using Clock = std::chrono::steady_clock;

  void update_all();
  void update_cascade();
  void update_features();
  void update_statistics();
  void follow_graph_pause();
  void remember_source();
  void look_at_folder();

  Session& session_;
  capture::CameraWatch cameras_;
  TracePlayer trace_player_;
  capture::FolderReader folders_;
  ui::State state_;
  Clock::time_point renewed_, said_, looked_;
  struct PausedFigures {
    FrameFigures figures;
    ui::FiguresFrames of;
  };
  std::unique_ptr<const FrameHistory> paused_history_;  // what a paused graph shows
  std::optional<PausedFigures> paused_figures_;         // likewise, of all frames
  bool frozen_ = false;
};

}  // namespace app
