// The panels around the picture. They are drawn with Dear ImGui from a plain struct and change nothing but Settings;
// everything else that the user wants is returned as actions. No OpenGL and no CUDA here.
//
// Order of a frame: target.begin_frame(); layout() gives the place of the picture; target.fill() there; draw the view;
// panels.draw(); target.end_frame(), where `target` is a RenderTarget.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/capture/camera_list.h"
#include "app/capture/capture.h"
#include "app/control/key_table.h"
#include "app/control/settings.h"
#include "app/gl/gl_object.h"
#include "app/gl/view.h"
#include "app/output/race_figures.h"
#include "app/output/study_figures.h"
#include "app/pipeline/frame_figures.h"
#include "app/pipeline/pipeline.h"
#include "app/pipeline/pixel_probe.h"
#include "app/pipeline/tile_history.h"
#include "app/session/frame_graph_state.h"
#include "app/session/frame_search.h"
#include "app/session/kernel_files.h"
#include "app/session/kernel_rows.h"
#include "app/session/messages.h"
#include "app/session/source_places.h"
#include "app/session/timeline_view.h"
#include "gpu/cuda/device.h"
#include "gpu/pictures/annotation.h"

namespace app::ui {

// A rectangle of the window, in pixels from its top left corner.
struct Rect {
  float x = 0, y = 0, width = 0, height = 0;
};

// A window of the picture that a cascade is shown on.
struct CascadeState {
  bool available = false;                            // the effect in use has a cascade
  bool shows_depths = false;                         // and colours the picture by the windows' depths
  std::shared_ptr<const CascadeWindow> window = {};  // null: none is chosen
  std::string problem = {};                          // why there is none where one is chosen, one line; else empty
};

// Where the picture responds to the chosen feature.
struct FeaturesState {
  std::shared_ptr<const FoundResponses> found = {};  // null: nothing was found yet
  bool of_shown = false;                             // in the frame that is shown; else in an earlier one
};

// What the bar shows of the checks of tables.
struct CheckState {
  std::uint64_t checked = 0, wrong = 0;  // pictures since the last reset
  std::string first_wrong;               // one line; empty if none was wrong
};

// The tile trace, as the panels show it.
struct TraceState {
  std::shared_ptr<const TileHistory> history;  // null: nothing was traced yet
  double position = 1;                         // the moment shown, as a fraction of the history's time
  std::string unavailable;                     // why the tiles of the next picture cannot be traced; empty if they can
  bool simulating = false;  // those of a picture are being traced on the simulated GPU, which takes a while

  double nanoseconds() const { return history ? position * static_cast<double>(history->end) : 0; }
};

// Everything that the panels show. The statistics may be a few frames old: refresh them about ten times per second.
struct State {
  ChangeContext context{.no_cuda = {}, .no_simulated = {}, .running = true};  // its `picture` is the one below

  // Source.
  capture::Status capture;
  FileBrowserState browser;
  std::string failed_because;            // why the latest one requested could not be opened, one line; empty where it could
  bool paused = false, seeking = false;  // seeking: the picture that was asked for last is not shown yet
  double position = 0;                   // of the picture shown, in seconds from the source's start
  double frame_age_ms = 0;               // of the picture shown: the time since it was read
  std::vector<capture::CameraInfo> cameras;
  std::vector<std::string> recent;  // sources opened before, latest first

  // Where it is computed and drawn.
  gpu::Device device = gpu::Device::host;  // in use
  std::optional<gpu::GpuInfo> gpu;
  int host_threads = 1;
  gl::GlInfo gl;
  bool interop = false;
  std::string staged_reason;  // why pixels are staged; empty with interop

  // What is computed.
  Selection selection;     // in use
  std::string no_kernels;  // why none can be compiled, and what to install, one line; empty if they can
  std::string refusal;     // why it differs from the settings, one line; empty if it does not
  gpu::Size picture;
  std::size_t memory_bytes = 0;  // held by the pipeline

  // Its cost: figures of the frames since the work last changed, or of the range that is selected in the graph.
  KernelsState kernels;
  TimelineState timeline;
  FrameGraphState graph;
  std::span<const FrameRecord> frames;  // oldest first, some hundreds; the times of the last ones may be missing
  double fps = 0;                       // frames drawn per second: Rate
  double picture_fps = 0;               // likewise, pictures of new frames of the source
  bool idle = false;                    // nothing changes: the window is not drawn until something does

  // The view.
  const ProbedPixels* probed = nullptr;  // what is known of pixels; null: nothing
  CheckState check;

  std::span<const KernelFile> own_kernels;  // users' files, in the order in which they were opened

  TraceState trace;
  RaceFigures race;
  StudyFigures study;
  CascadeState cascade;
  FeaturesState features;

  std::string undoes, redoes;  // the setting that undo and redo would change; empty: there is nothing
  std::string no_editor;       // why no file can be opened in an editor, one line; empty if it can
  std::string no_folder;       // why the folder of saved files cannot be shown, one line; empty if it can
  bool recording = false;
  double recorded_seconds = 0;
  bool saving_video = false;        // one was stopped, and is still being written
  double saved_part = 0;            // of it, 0 to 1
  bool matrix_unsaved = false;      // its numbers were changed, and are in no file
  std::string matrix_problem;       // why they could not be saved, one line; else empty
  std::vector<Message> messages;    // oldest first
  std::optional<Rect> wipe_handle;  // of a comparison's line; none: there is none in sight
  std::vector<Rect> side_names;     // of a comparison, where they are drawn: of a wipe each side's, of a difference one
  std::vector<Rect> notes;          // drawn over the picture, the most important first: messages are placed beside them
};

struct Result {
  // The commands of keys and buttons, in order, without those that change settings: Panels::draw() has applied them.
  std::vector<Command> commands;
  std::vector<std::string> refusals;  // changes that were refused, one line each
  bool drags = false;                 // the mouse is down: settings may be dragged, and are not final
  std::optional<std::string> browse;  // the folder that the file browser is to show; empty: where it begins
  std::optional<std::string> shown;   // a saved file that the desktop is to show in its folder
  // A file that is to be opened in the user's editor, at a line.
  struct EditedPlace {
    std::string file;
    int line = 0;  // from 1; 0: anywhere
  };
  std::optional<EditedPlace> in_editor;
  // The desktop is to ask for a file: for the setting of that name, a cascade; empty: to open it.
  std::optional<std::string> asks_desktop;
};

struct Layout {
  Rect bar, strip, picture, dock, playback;  // empty ones are not shown
};
// The scale of the fonts, as given to apply_theme().
float display_scale();
Layout layout(const Settings& settings, int width, int height, float scale = display_scale());
// Whether a window of that width has no room for words on its buttons, and for the dock beside the picture.
bool is_narrow(float width, float scale = display_scale());
// The largest scale with which the panels of a window leave room for the picture; at least that of its display.
double most_scale(int width, int height, double display_scale);

// How the interface is drawn. `scale`: 1 has text of 16 pixels.
struct Look {
  float scale = 1;
  Theme theme = Theme::dark;
  bool code = false;  // with the font of source text, which only a kernel of one's own needs
  friend bool operator==(const Look&, const Look&) = default;
};
// Sets colours, spacing and fonts. After the render target is open and before its first frame; then between two frames,
// followed by RenderTarget::renew_fonts().
void apply_theme(const Look& look = {});
// The colours under all that is drawn: begin_frame() clears with the panels', which have no background of their own, then
// RenderTarget::fill() with the picture's where that lies: software renderers blend slowly.
std::array<float, 3> panel_background();
std::array<float, 3> picture_background();

// Draws over the picture that `view` shows, and under the panels. Between begin_frame() and end_frame(). Returns where labels
// are: beside the `numbers` in the picture's cells, as far as there is room; of what is in view. `explains`: what the number
// of a detection is, where the mouse is on it.
std::vector<Rect> draw_annotations(const View& view, std::span<const gpu::Annotation> annotations,
                                   std::span<const Rect> numbers = {}, bool explains = false);

// Draws what a comparison shows: `in_use` is what the picture was made with, `wipe` where its line is now. The names of its sides
// are put beside what is `taken` and, where there is such a place on the picture or around it, beside the `numbers` in its cells.
// Returns where they are.
std::vector<Rect> draw_comparison(const View& view, const Selection& in_use, double wipe, std::span<const Rect> taken = {},
                                  std::span<const Rect> numbers = {});
// Where it draws the handle of that line; none: no line is in sight.
std::optional<Rect> wipe_handle(const View& view, const Selection& in_use, double wipe);
// Draws the tiles of the trace, where the dock shows them and the picture has the size of the traced one. Then it returns true.
// Tiles that have not begun stay uncovered. Tiles have their own numbers where these hide none of the `numbers` in the cells.
bool draw_tile_trace(const View& view, const TraceState& trace, const Settings& settings,
                     std::span<const Rect> numbers = {});

// Draws, where the dock shows the cascade, the window, and the rectangles of the chosen features, white where pixels are added
// and black where they are subtracted. What it says is put beside what is `taken`. Returns where.
std::vector<Rect> draw_cascade_window(const View& view, const CascadeState& cascade, const Settings& settings,
                                      std::span<const Rect> taken = {});
// Draws, where the dock shows the features, the window of the chosen one, and the strongest responses with their ranks.
// Returns where the ranks are, beside the `numbers` in the picture's cells.
std::vector<Rect> draw_features(const View& view, const FeaturesState& features, const Settings& settings,
                                std::span<const Rect> numbers = {});

// What the dialog for a file is called: for that setting, or where that is empty for a source.
const char* title_of_browser(std::string_view setting);

struct Drafts;  // text that is being typed

class Panels {
 public:
  Panels();
  ~Panels();
  // Between begin_frame() and end_frame(). Handles the keys, draws everything, and changes `settings` in place.
  Result draw(const State& state, Settings& settings);
  // Opens it with the next draw(); the source that plays already is reopened.
  void open_source(const std::string& source);
  // The file browser that the setting `browse` opens next is for the setting of that name, a cascade; empty: for a source.
  void browse_next_for(const std::string& setting);
  // Somebody closes the window: false where the user is asked first, because something is recorded or not saved.
  bool may_close(const State& state);
  // Before a change may be the last one: a number that is being typed and is valid counts as entered.
  void accept_typed(const State& state, Settings& settings);

 private:
  std::unique_ptr<Drafts> drafts_;
};

}  // namespace app::ui
