// PanelState: what the panels show, collected from the session, the texture and the cameras.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>

#include "app/capture/camera_list.h"
#include "app/capture/folder_reader.h"
#include "app/control/settings.h"
#include "app/gl/shared_texture.h"
#include "app/pipeline/frame_figures.h"
#include "app/pipeline/tile_history.h"
#include "app/session/session.h"
#include "app/ui/kernel_rows.h"
#include "app/ui/one_frame.h"
#include "app/ui/ui.h"

namespace app {

// What the tabs of kernels and of the timeline show, from the log's figures and records: of frames of `size`, made with `selection`.
ui::KernelsState kernels_state(const FrameFigures& figures, const Selection& selection, gpu::Size size,
                               const std::optional<BoundTime>& bound);

// The timeline of the frame with the id `pinned`; without one, of the latest frame whose times are there. `frames`: oldest first.
ui::TimelineState timeline_state(std::span<const FrameRecord> frames, std::optional<std::uint64_t> pinned);

// The moment of the tile trace that is shown, as the settings play, stop and move it.
class TracePlayer {
 public:
  using Trace = std::shared_ptr<const TileHistory>;

  // For a frame that is drawn `seconds` after the one before: moves on. Where playing has stopped, the settings then say which
  // moment is shown; at the end they do not play any more.
  void update(const Trace& trace, Settings& settings, double seconds);
  double position() const { return position_; }  // 0: the first tile starts; 1: the last one has finished
  // The window changes by itself.
  bool plays(const Trace& trace, const Settings& settings) const;

 private:
  Trace trace_;
  double position_ = 1, at_ = 1;  // as shown; as the settings said last
  bool played_ = false;
  bool ended_ = false;  // it played until the end, and nobody has touched it since: the next trace plays, too
};

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
  // The folder that the file browser shows; empty: where the source is, else here. It is read by a thread of its own.
  void read_folder(const std::string& path);
  // What the window knows is put into it by the window.
  ui::State& state() { return state_; }
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
  void remember_source();
  void look_at_folder();

  Session& session_;
  capture::CameraWatch cameras_;
  TracePlayer trace_player_;
  capture::FolderReader folders_;
  ui::State state_;
  Clock::time_point renewed_, looked_;
  Clock::time_point said_ = Clock::now();  // what is said before the first frame is as young as what is said in it
  struct PausedFigures {
    FrameFigures figures;
    ui::FiguresFrames of;
  };
  // What a paused graph shows: a copy, because the log's history goes on and drops its oldest frames.
  std::unique_ptr<const FrameHistory> paused_history_;
  std::optional<PausedFigures> paused_figures_;  // likewise, of all frames
  Settings undone_from_;                         // that what can be undone was worked out for
  bool frozen_ = false;
};

}  // namespace app
