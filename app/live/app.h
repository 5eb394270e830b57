// App: the window. It owns the surface, the session, the texture and the panels; frame() is their order. Everything here
// runs on the main thread; sources and the host's computing have threads of their own (capture/, pipeline/).
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/display/drawing_pace.h"
#include "app/display/render_target.h"
#include "app/gl/shared_texture.h"
#include "app/gl/view.h"
#include "app/live/panel_state.h"
#include "app/live/picture_overlays.h"
#include "app/live/view_control.h"
#include "app/session/idle.h"
#include "app/session/session.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/file_dialog.h"
#include "app/ui/ui.h"

namespace app {

class App {
 public:
  using Clock = std::chrono::steady_clock;

  App(std::unique_ptr<RenderTarget> surface, const Settings& settings, const gpu::GpuProbe& probe, const Run& run);
  ~App();

  // Until the window is closed, the run's frames are made, or, offscreen, the source ends. Writes what the run was
  // asked to leave. Throws ExitError (source) where an offscreen run gets no picture at all.
  ExitCode run();
  Session& session() { return session_; }  // for what comes after

 private:
  bool turn(const std::function<void()>& what);
  bool closing();
  void frame();
  void draw_window();
  void go_on_unseen();
  void open_dropped();
  void follow_settings();
  void follow_window();
  void follow_pace();
  float asked_scale() const;
  float usual_scale() const;
  double most_scale() const;
  ui::Look wanted_look() const;
  void take_look(const ui::Look& look);
  void name_window();
  void renew_texture();
  unsigned shown_texture();
  void show_in(gl::SharedTexture& texture, gpu::Context& context, const Picture& picture);
  void draw();
  void ask_desktop_for_file(const std::string& setting);
  bool take_chosen_file();
  void browse_here(const std::string& setting);
  void accept_typed();
  void draw_again();
  Outputs::Job last_picture();
  void act(const Command& command);
  void show_progress();
  void finish();
  void write_results(bool has_window);
  void save_without_display(const std::string& why);

  std::unique_ptr<RenderTarget> target_;
  gl::Interop interop_;
  Session session_;
  Settings& settings_;
  Settings edited_;  // what panels make of them; kept, because each frame would allocate it anew
  gl::ViewRenderer renderer_;
  std::unique_ptr<gl::SharedTexture> texture_;
  InteropChoice texture_for_ = InteropChoice::automatic;
  ViewControl view_control_;
  PictureOverlays overlays_;
  Idle idle_;
  DrawingPace pace_;
  PanelState panel_state_;
  bool draws_where_it_computes_;
  ui::Panels panels_;
  Progress progress_;
  ui::Look look_;
  bool large_;  // the window was at its start: its text is larger
  std::string title_;
  Settings unseen_settings_;    // that the panels of an offscreen run have followed
  gpu::Size unseen_size_;       // likewise, of the picture
  Selection unseen_selection_;  // likewise, what that was made with
  bool fullscreen_ = false;
  bool vsync_ = true, finishing_ = false;
  std::future<ChosenFile> chosen_file_;                 // while the desktop's dialog is open
  std::string file_is_for_;                             // a setting; empty: it is opened
  bool said_dialog_is_open_ = false;                    // whoever asks once more may not find it
  bool changed_ = true;                                 // the window, since it was drawn
  std::optional<std::filesystem::path> screenshot_to_;  // of the next frame; an empty path: a new file
};

}  // namespace app
