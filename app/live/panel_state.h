// PanelState: what the panels show, collected from the session, the texture and the cameras.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "app/capture/camera_list.h"
#include "app/control/settings.h"
#include "app/gl/shared_texture.h"
#include "app/pipeline/frame_figures.h"
#include "app/pipeline/tile_history.h"
#include "app/session/kernel_rows.h"
#include "app/session/session.h"
#include "app/session/source_places.h"
#include "app/session/timeline_view.h"
#include "app/session/trace_player.h"
#include "app/ui/ui.h"

namespace app {

class PanelState {
 public:
  PanelState(Session& session, const gl::GlInfo& gl);

  // For a frame that is drawn: cheap figures at once, the others some ten times per second.
  void update(const gl::SharedTexture& texture, double zoom);
  double age_messages();           // since the last call: seconds. For a frame that is not drawn
  void renew() { renewed_ = {}; }  // the others too, with the next update
  void update_unsaved();           // what would end or be lost if the program quits now
  // At the end of the run: updates everything a last time; the source's figures change no more.
  void freeze();
  // True where there are other cameras than before. Looks only while panels show them.
  bool look_for_cameras();
  void read_folder(const std::string& path) { places_.read_folder(path); }
  // What the window knows is put into it by the window.
  ui::State& state() { return state_; }
  const ui::State& state() const { return state_; }
  // The window changes by itself.
  bool plays() const { return trace_player_.plays(session_.trace_runner().trace(), session_.settings()); }

 private:
  using Clock = std::chrono::steady_clock;

  void update_all();
  void update_cascade();
  void update_features();
  void update_statistics();
  void update_undo();
  void follow_graph_pause();

  Session& session_;
  capture::CameraWatch cameras_;
  TracePlayer trace_player_;
  ui::State state_;
  SourcePlaces places_;
  Clock::time_point renewed_, looked_;  // looked_: for what may come meanwhile: a simulated GPU, a way to open folders
  Clock::time_point messages_aged_ = Clock::now();  // those before the first frame are as young as those of it
  struct PausedFigures {
    FrameFigures figures;
    FiguresFrames of;
  };
  // What a paused graph shows: a copy, because the log's history goes on and drops its oldest frames.
  std::unique_ptr<const FrameHistory> paused_history_;
  std::optional<PausedFigures> paused_figures_;  // likewise, of all frames
  Settings undone_from_;                         // that what can be undone was worked out for
  bool frozen_ = false;
};

}  // namespace app
