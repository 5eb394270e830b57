// Every choice that a user can make, in one plain struct. fields.h has the table of them, change.h the only way to change
// them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/frame.h"
#include "gpu/choice/fastest_algorithm.h"
#include "gpu/image.h"

namespace app {

enum class DeviceChoice { automatic, cuda, host, simulated };
enum class InteropChoice { automatic, on, off };
enum class Viewer { gl, highgui };
enum class Dock { frame, race, tiles, detector, kernel, study };  // what the dock beside the picture shows
enum class FrameView { table, one_frame };                        // of its tab of the frame
// What the colours of a tile trace mean; paper: tiles are drawn as in the papers, not as they ran.
enum class TraceColour { start, state, sm, paper };
enum class Theme { dark, light };
// What of a frame is timed: nothing; its work on the device as one; every launch of algorithms that do not have very many;
// every launch.
enum class TimingChoice { off, frame, kernels, every };
enum class RecordSize { source, lines_1080, lines_720 };     // the largest one of a video: as the picture, 1080p, 720p
enum class CardOrder { family, year, name, reads, writes };  // of the list of algorithms

enum class StudyShows { bound, time };  // of curves over sizes: multiples of the bound, or microseconds

enum class GraphShows { work, interval, kernels, stages };

// Values of parameters by algorithm (or effect) name, then parameter name; only those that are not initial.
using Values = std::map<std::string, std::map<std::string, std::string>>;

// Keys of the user's own, as key_table.h labels them, and the commands that they stand for (command.h): "Ctrl+R", "race".
using OwnKeys = std::map<std::string, std::string>;

// A pixel of the picture.
struct Pointer {
  int x = 0, y = 0;
  friend bool operator==(const Pointer&, const Pointer&) = default;
};

// What is compared: see selection.h. The names stay while nothing is.
struct Sides {
  bool on = false;
  std::string a = "original", b = "result";
  bool off_by_effect = false;  // the effect switched it off; another effect switches it on again
  friend bool operator==(const Sides&, const Sides&) = default;
};

// How two pictures become one: the left part of A beside the right part of B, or their amplified difference.
struct Composition {
  enum class Mode { wipe, difference };

  Mode mode = Mode::wipe;
  double wipe = 0.5;         // 0 to 1: where B begins, in fractions of the width
  double amplification = 8;  // of differences: 1 to gpu::most_amplification

  friend bool operator==(const Composition&, const Composition&) = default;

  // The first column of B; `width` where all columns are of A.
  constexpr int edge(int width) const { return static_cast<int>(wipe * width + 0.5); }
};

// A rectangle of pixels of the picture, which may lie outside in part.
struct PixelBox {
  int x = 0, y = 0, width = 1, height = 1;
  friend bool operator==(const PixelBox&, const PixelBox&) = default;
};

// What the cells of an enlarged picture show. automatic: what is looked at.
enum class CellValues { automatic, gray, rgb, sums };

// Frames by their ids, both inclusive.
struct FrameRange {
  std::uint64_t first = 0, last = 0;
  friend bool operator==(const FrameRange&, const FrameRange&) = default;
};

struct Settings {
  std::string source;  // see capture::Request
  gpu::Size size;      // requested; {0,0}: the source's own
  double fps = 0;
  bool loop = false, max_speed = false;
  double speed = 1;                            // of files and synthetic, times their own
  std::optional<capture::ValueWindow> values;  // of a source of 16 bits, from black to white; none: by its first picture
  int memory_budget = 0;                       // MB that reading a picture may take; 0: capture::usual_memory()

  DeviceChoice device = DeviceChoice::automatic;
  std::string cuda_algorithm{gpu::usual_sat_algorithm(gpu::Device::cuda)};  // and simulated
  std::string host_algorithm{gpu::usual_sat_algorithm(gpu::Device::host)};
  std::string effect = "box_blur";
  std::vector<std::string> kernels;  // absolute paths of users' files; see kernel_names.h
  Values algorithm_values, effect_values;
  std::optional<Pointer> pointer;  // where a click or a handle put the effect: replaces its parameters x and y
  Sides compare;
  Composition::Mode compare_mode = Composition::Mode::wipe;
  double wipe = 0.5, amplification = 8;  // as in Composition

  std::string output_folder = "satscope-out";  // of results that are not named
  RecordSize record_size = RecordSize::lines_1080;

  std::string matrix;  // values of a matrix source, "1,2;3,4"; empty: the source's own
  bool check = false;  // the table of every frame

  InteropChoice interop = InteropChoice::automatic;
  Viewer viewer = Viewer::gl;
  bool vsync = true;

  OwnKeys keys;

  // The window.
  int window_width = 1280, window_height = 800;  // in pixels of a display of scale 1; offscreen: in pixels
  double ui_scale = 0;                           // of text and controls; 0: the display's
  Theme theme = Theme::dark;
  bool fullscreen = false;
  bool panels = true, help = false, palette = false, browse = false, preferences = false;
  bool presentation = false;  // the picture and one statement
  int lesson = 1;             // of the presentation, from 1 on
  bool hints = false;         // where to begin, until the first click or key
  Dock dock = Dock::frame;    // the tab
  bool dock_open = false;     // the dock is shown, where the panels are
  int dock_width = 0;         // in pixels of a display of scale 1; 0: by the window's size
  FrameView frame_view = FrameView::table;
  double zoom = 0;                        // screen pixels per image pixel; 0: fit
  double centre_x = 0.5, centre_y = 0.5;  // of the view, in fractions of the image
  TimingChoice timing = TimingChoice::kernels;
  double timeline_zoom = 0;   // 1: the whole frame; 0: the part with kernels, where that is less than half of it
  double timeline_start = 0;  // what is at the left edge, as a fraction of the frame
  TraceColour trace_colour = TraceColour::start;
  bool trace_play = true, trace_loop = false;
  double trace_seconds = 6;   // of one play, from the first tile's start to the last one's end
  double trace_at = 1;        // the moment that is shown when it does not play, 0 to 1
  bool trace_overlay = true;  // the tiles are drawn over the picture
  CellValues cells = CellValues::automatic;
  std::optional<PixelBox> rectangle;  // whose sum is worked out
  bool rectangle_tool = false;        // a drag on the picture draws it
  bool matrix_editor = true;          // a matrix source is shown as a grid beside its table

  // The algorithms' cards.
  bool cards = false;                 // over the picture
  std::string card = "1r1w_skss_lb";  // the algorithm whose card is read
  CardOrder card_order = CardOrder::family;

  // The window that a cascade is shown on, stage by stage.
  std::optional<Pointer> cascade_at;  // the pixel in its centre; none: no window is chosen
  int cascade_stage = 0;              // from 1 on; 0: the last that the window reached
  int cascade_feature = 0;            // of that stage, from 1 on; 0: all

  // The gallery of features: see feature_gallery.h.
  int feature = 80'690;   // the number of the chosen one; this one: dark eyes above bright cheeks
  int feature_scale = 4;  // pixels of the picture per pixel of its window

  // The race.
  bool race_parameters = false;  // every combination of the algorithms' parameters

  std::string columns;  // of tables: which are hidden, and by which they are sorted: Dear ImGui's settings, in one line

  // The study of the algorithms over sizes.
  std::string study_algorithms;  // which, "2r1w,row_waves"; empty: all that run on the device in use
  StudyShows study_shows = StudyShows::bound;
  std::string study_beside = "none";  // measurements that come with the program; see measured.h
  gpu::Size study_size;               // that the table is of; {0,0}: the one nearest to the picture

  // The frame graph.
  double target_ms = 0;  // the line that bars are compared with; 0: the source's rate
  GraphShows graph_shows = GraphShows::interval;
  bool graph_histogram = false, graph_paused = false;
  bool export_menu = false;               // the menu of what can be saved is open
  int graph_frames = 0;                   // how many; 0: as many as wide bars fit
  int graph_end = 0;                      // the id of the last one; 0: the newest
  int graph_pinned = 0;                   // the id of the frame whose figures stay; 0: none
  std::optional<FrameRange> graph_range;  // that every statistic is of; none: those since the work last changed

  friend bool operator==(const Settings&, const Settings&) = default;
};

// capture::Request's, in bytes.
inline std::uint64_t picture_memory(const Settings& settings) {
  return static_cast<std::uint64_t>(settings.memory_budget) * 1'000'000;
}
// Whether the window shows the dock, and this tab of it.
inline bool shows_dock(const Settings& settings) { return settings.panels && settings.dock_open; }
inline bool shows(const Settings& settings, Dock tab) { return shows_dock(settings) && settings.dock == tab; }

}  // namespace app
