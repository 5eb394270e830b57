// No text of the window overlaps another or is cut off, and nothing ends outside of it, at three sizes and four scales,
// whatever is shown.
#include "app/control/names.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/text_check_window.h"
#include "app/ui/cell_values.h"
#include "app/ui/rectangle.h"

namespace app::ui {
namespace {

class WindowTextTest : public TextCheckTest {
 protected:
  void check_everything() {
    check_tabs();
    check_overlays();
    check_over_the_picture();
    check_names_beside_handles();
    check_frame_graph();
    check_bar();
    check_states();
  }
  void check_tabs();
  void check_overlays();
  void check_over_the_picture();
  void check_names_beside_handles();
  void check_frame_graph();
  void check_bar();
  void check_states();
};

constexpr PixelBox boxes[] = {{400, 200, 160, 120}, {0, 0, 960, 540},  {0, 0, 40, 30},
                              {920, 500, 40, 40},   {10, 500, 900, 2}, {479, 269, 1, 1}};

RectangleSum sum_of(const PixelBox& box, gpu::Size picture) {
  ProbedPixels pixels;
  pixels.picture = picture;
  ask_for_corners(box, pixels.places);
  for (int i = 0; i < pixels.places.points; ++i) pixels.values.push_back({123'456'789u + static_cast<unsigned>(i), {}, 0});
  const auto sum = rectangle_sum(box, picture, pixels);
  EXPECT_TRUE(sum && sum->known);
  return sum.value_or(RectangleSum{});
}

void WindowTextTest::check_tabs() {
  auto settings = example_settings();
  const auto host = example_state(settings);
  for (std::size_t tab = 0; tab < std::size(dock_names); ++tab) {
    settings.dock = static_cast<Dock>(tab);
    expect_no_faults(host, settings, std::string(dock_names[tab]));
  }
  settings.dock = Dock::frame;
  auto slow = host;
  for (auto& row : slow.kernels.rows) row.stage = example_stage(row.stage.name.c_str(), 1, 345'678, row.stage.share);
  slow.kernels.total = example_total(5, 345'678);
  expect_no_faults(slow, settings, "slow kernels");
  settings.dock = Dock::tiles;
  auto traced = host;
  traced.trace = {std::make_shared<TileHistory>(example_history()), 0.5, {}};
  for (std::size_t meaning = 0; meaning < std::size(trace_colour_names); ++meaning) {
    settings.trace_colour = static_cast<TraceColour>(meaning);
    expect_no_faults(traced, settings, "traced, " + std::string(trace_colour_names[meaning]));
  }
  settings.dock = Dock::detector;
  auto responding = host;
  auto found = std::make_shared<FoundResponses>();
  found->picture = host.picture;
  for (int i = 0; i < 20; ++i) found->strongest.push_back({1000 + i, 2000 + i, -12'345'678 + i});
  responding.features = {found, true};
  for (const int number : {1, 162'336}) {
    settings.feature = number;
    expect_no_faults(responding, settings, "feature " + std::to_string(number));
  }
  auto racing = host;
  racing.race = example_race();
  settings.dock = Dock::race;
  expect_no_faults(racing, settings, "race");
  lengthen(racing.race);
  expect_no_faults(racing, settings, "race with a clipped bar");
  racing.race.device = gpu::Device::simulated;
  racing.race.bound.clear();
  expect_no_faults(racing, settings, "simulated race");
  auto seen = host;
  settings.dock = Dock::detector;
  for (const bool available : {false, true}) {
    seen.cascade.available = seen.cascade.shows_depths = available;
    expect_no_faults(seen, settings, "no window of a cascade");
  }
  seen.cascade.window = example_cascade_window();
  for (const int feature : {0, 1}) {
    settings.cascade_feature = feature;
    expect_no_faults(seen, settings, "the window of a cascade",
                     [&](const Settings& now) { draw_cascade_window(view_of(now, seen.picture), seen.cascade, now); });
  }
}

void WindowTextTest::check_overlays() {
  auto settings = example_settings();
  auto state = example_state(settings);
  settings.cards = true;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    settings.card = algorithm->name;
    expect_no_faults(state, settings, "the card of " + settings.card);
  }
  settings.cards = false;
  settings.palette = true;
  expect_no_faults(state, settings, "palette");
  settings.palette = false;
  settings.help = true;
  expect_no_faults(state, settings, "help");
  settings.help = false;
  settings.export_menu = true;
  expect_no_faults(state, settings, "the menu of saving");
  settings.export_menu = false;
  settings.preferences = true;
  expect_no_faults(state, settings, "preferences");
  settings.preferences = false;
  settings.browse = true;
  state.browser.places = {{"Home", "/home/me"}, {"a folder whose name is rather long", "/films"}};
  state.browser.folder = {
      "/films/old",
      {{.name = "zoo", .folder = true},
       {.name = "a rather long name of a video file that somebody recorded in the last summer.mp4", .openable = true},
       {.name = "brazil.mkv", .openable = true}},
      ""};
  state.browser.version = 1;
  expect_no_faults(state, settings, "file browser");
  state.browser.folder = {"/root/none", {}, "/root/none cannot be read: Permission denied"};
  state.browser.version = 2;
  expect_no_faults(state, settings, "a folder that cannot be read");
  settings.browse = false;
  state.recording = true;
  state.recorded_seconds = 83.4;
  expect_no_faults(state, settings, "the question before quitting", {}, true);
  state.matrix_unsaved = true;
  expect_no_faults(state, settings, "the question before quitting without saving", {}, true);
}

void WindowTextTest::check_over_the_picture() {
  auto settings = example_settings();
  auto state = example_state(settings);
  for (const bool difference : {false, true}) {
    settings.compare = {true, "adaptive_threshold", "host_parallel"};
    settings.compare_mode = difference ? Composition::Mode::difference : Composition::Mode::wipe;
    const auto selection = make_selection(settings, gpu::Device::host);
    for (const double wipe : {0.02, 0.5, 0.98})
      expect_no_faults(state, settings, difference ? "difference" : "wipe",
                       [&](const Settings& now) { draw_comparison(view_of(now, state.picture), selection, wipe); });
  }
  settings.compare.on = false;
  settings.rectangle_tool = true;
  for (const auto& box : boxes) {
    const auto sum = sum_of(box, state.picture);
    expect_no_faults(state, settings, "the rectangle at " + std::to_string(box.x),
                     [&](const Settings& now) { draw_rectangle(view_of(now, state.picture), sum, true); });
  }
  settings.rectangle_tool = false;
  show_matrix(state);
  settings.source = "matrix:3x2";
  expect_no_faults(state, settings, "matrix");
  settings.matrix_editor = false;
  expect_no_faults(state, settings, "a matrix as a picture", [&](const Settings& now) {
    draw_cell_values(view_of(now, state.picture), CellValues::sums, example_matrix());
  });
}

// The names of a comparison, beside a rectangle and the handles of an effect.
void WindowTextTest::check_names_beside_handles() {
  auto settings = example_settings();
  const auto state = example_state(settings);
  settings.compare = {true, "original", "haar"};
  for (const bool difference : {false, true}) {
    settings.compare_mode = difference ? Composition::Mode::difference : Composition::Mode::wipe;
    const auto selection = make_selection(settings, gpu::Device::host);
    for (const auto& box : boxes)
      expect_no_faults(state, settings, "a comparison and the rectangle at " + std::to_string(box.x), [&](const auto& now) {
        const auto view = view_of(now, state.picture);
        const auto names = draw_comparison(view, selection, 0.5, rectangle_lines(view, box, true));
        draw_rectangle(view, sum_of(box, state.picture), true, names);
      });
    for (const auto& [x, y] : {std::pair{490, 4}, {0, 0}, {400, 10}})
      expect_no_faults(state, settings, "a comparison and handles at " + std::to_string(x), [&](const auto& now) {
        const auto view = view_of(now, state.picture);
        draw_comparison(view, selection, 0.5, draw_handles(view, {x, y, 40, 60, 2, 1}, view.area, scale_));
      });
  }
}

void WindowTextTest::check_frame_graph() {
  const auto check = [&](const std::string& what, const std::function<void(Settings&)>& change) {
    auto settings = example_settings();
    change(settings);
    auto state = example_state(settings);
    if (settings.graph_range) {
      state.graph.of = {140, settings.graph_range->first, settings.graph_range->last, true};
      summarise(example_figures(), settings, state.graph);
    }
    expect_no_faults(state, settings, "frame graph, " + what);
  };
  check("a range", [](Settings& s) { s.graph_range = FrameRange{1050, 1189}; });
  check("a pinned frame", [](Settings& s) { s.graph_pinned = 1180; });
  check("a pinned frame in a range", [](Settings& s) {
    s.graph_range = FrameRange{1050, 1189};
    s.graph_pinned = 1180;
  });
  check("stacked", [](Settings& s) { s.graph_shows = GraphShows::stages; });
  check("without its histogram, paused", [](Settings& s) {
    s.graph_shows = GraphShows::interval;
    s.graph_histogram = false;
    s.graph_paused = true;
    s.target_ms = 8.3;
  });
}

void WindowTextTest::check_bar() {
  auto settings = example_settings();
  auto of_gpu = settings;
  for (auto state : {example_state(settings), example_gpu_state(of_gpu)}) {
    if (state.gpu) state.gpu->name = "NVIDIA GeForce RTX 4090 Laptop GPU";
    state.capture.name = "a rather long name of a video file that somebody recorded.mp4";
    state.capture.description = state.capture.name + ", 3840x2160, 59.94/s";
    state.check = {1234567, 0, {}};
    state.recorded_seconds = 3723.4;
    for (const bool saving : {false, true})
      for (const bool checking : {false, true})
        for (const bool recording : {false, true}) {
          state.saving_video = saving;
          settings.check = checking;
          state.recording = recording;
          expect_no_faults(state, settings,
                           std::string("bar") + (saving ? ", saving" : "") + (checking ? ", checking" : "") +
                               (recording ? ", recording" : ""));
        }
  }
}

void WindowTextTest::check_states() {
  auto settings = example_settings();
  const auto host = example_state(settings);
  settings.check = true;
  auto wrong = host;
  wrong.check = {1234567, 12, "wrong at (3, 2): 120 instead of 110"};
  expect_no_faults(wrong, settings, "a wrong table");
  settings.check = false;
  auto told = host;
  using enum Message::Kind;
  told.messages = {
      {info, "Saved satscope-out/screenshot-1.png", 1.5},
      {warning, "this effect needs a window no larger than the picture: 4001x15 is wider", 1},
      {error, "the disk is full: the export was not written to " + std::string(120, 'x') + "; choose another", 1}};
  expect_no_faults(told, settings, "messages");
  settings.panels = false;
  told.recording = told.saving_video = true;
  told.recorded_seconds = 3723.4;
  expect_no_faults(told, settings, "messages and a recording without panels");
  settings.panels = true;
  for (const char* effect : {"haar", "adaptive_threshold", "sat_view", "none"}) {
    settings.effect = effect;
    expect_no_faults(host, settings, effect);
  }
  settings = example_settings();
  settings.dock_open = false;
  for (const char* effect : {"haar", "adaptive_threshold", "box_blur", "faces"}) {
    settings.effect = effect;
    expect_no_faults(told, settings, "without the dock, with " + settings.effect);
  }
  told.refusal = "the window is larger than the picture, which is only 960 pixels wide and 540 high";
  expect_no_faults(told, settings, "a refusal");
  settings = example_settings();
  expect_no_faults(example_gpu_state(settings), settings, "GPU");
}

TEST_F(WindowTextTest, TheWindowAtAllSizesAndScales) {
  for (const float scale : {1.f, 1.5f, 2.f, 3.f})
    for (const ImVec2 size : {ImVec2(800 * scale, 600 * scale), ImVec2(1280 * scale, 800 * scale), ImVec2(3840, 2160)}) {
      open(size, scale);
      check_everything();
    }
}

// Ctrl+plus makes text larger in a window that is not.
TEST_F(WindowTextTest, TheSmallestWindowWithLargerText) {
  for (const float scale : {1.1f, 1.25f, 1.5f}) {
    open({800, 600}, scale);
    auto settings = example_settings();
    for (const auto dock : {Dock::frame, Dock::tiles, Dock::race, Dock::detector}) {
      settings.dock = dock;
      expect_no_faults(example_state(settings), settings, "larger text");
    }
    auto state = example_state(settings);
    show_matrix(state);
    settings.source = "matrix:3x2";
    expect_no_faults(state, settings, "a matrix in larger text");
    EXPECT_TRUE(TextCheck::place_of("Matrix", "matrix")) << where_;
  }
}

TEST_F(WindowTextTest, TheWindowInTheLightTheme) {
  open({1280, 800}, 1, Theme::light);
  check_everything();
}

}  // namespace
}  // namespace app::ui
