// No text of the window overlaps another or is cut off, at three sizes and four scales, whatever is shown.
#include "app/tests/ui/text_check.h"

#include <gtest/gtest.h>

#include <functional>

#include "app/control/names.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/cell_values.h"
#include "app/ui/rectangle_overlay.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

class TextCheckTest : public ::testing::Test {
 protected:
  void SetUp() override { open({800, 600}, 1); }
  void TearDown() override { ImGui::DestroyContext(); }

  void open(ImVec2 size, float scale, Theme theme = Theme::dark) {
    if (ImGui::GetCurrentContext()) ImGui::DestroyContext();
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.DisplaySize = size;
    io.DeltaTime = 1.f / 60;
    io.MousePos = {-1, -1};
    apply_theme({scale, theme});
    scale_ = scale;
    where_ = number(size.x, 0) + "x" + number(size.y, 0) + " at " + number(scale, 1);
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  }
  // Draws a window with `contents`.
  template <class Contents>
  std::vector<TextFault> in_a_window(const Contents& contents) {
    for (int frame = 0; frame < 2; ++frame) {
      ImGui::NewFrame();
      {
        const PanelWindow window("test", {0, 0, 400, 300});
        contents();
      }
      ImGui::Render();
    }
    return TextCheck::faults();
  }
  // `over`: drawn over the picture before the panels. `asked`: the question before the program quits is open.
  void expect_no_faults(const State& state, Settings settings, const std::string& what,
                        const std::function<void(const Settings&)>& over = {}, bool asked = false) {
    Panels panels;
    if (asked) {
      EXPECT_FALSE(panels.may_close(state));
    }
    for (int frame = 0; frame < 4; ++frame) {
      ImGui::NewFrame();
      if (over) over(settings);
      panels.draw(state, settings);
      ImGui::Render();
    }
    for (const auto& fault : TextCheck::faults())
      ADD_FAILURE() << where_ << ", " << what << ": in " << fault.window << " '" << fault.text << "' " << fault.what
                    << (fault.other.empty() ? "" : " '" + fault.other + "'");
  }
  View view_of(const Settings& settings, gpu::Size picture, double zoom = 0) const {
    const auto& display = ImGui::GetIO().DisplaySize;
    const auto area = layout(settings, static_cast<int>(display.x), static_cast<int>(display.y), scale_).picture;
    return {zoom, {0.5, 0.5}, picture, {area.x, area.y, area.width, area.height}};
  }
  void check_everything() {
    check_tabs();
    check_overlays();
    check_over_the_picture();
    check_frame_graph();
    check_states();
  }
  void check_tabs();
  void check_overlays();
  void check_over_the_picture();
  void check_frame_graph();
  void check_states();

  float scale_ = 1;
  std::string where_;
};

void TextCheckTest::check_tabs() {
  auto settings = example_settings();
  const auto host = example_state(settings);
  for (std::size_t tab = 0; tab < std::size(dock_names); ++tab) {
    settings.dock = static_cast<Dock>(tab);
    expect_no_faults(host, settings, std::string(dock_names[tab]));
  }
  settings.dock = Dock::trace;
  auto traced = host;
  traced.trace = {std::make_shared<TileHistory>(example_history()), 0.5, {}};
  for (std::size_t meaning = 0; meaning < std::size(trace_colour_names); ++meaning) {
    settings.trace_colour = static_cast<TraceColour>(meaning);
    expect_no_faults(traced, settings, "traced, " + std::string(trace_colour_names[meaning]));
  }
  auto racing = host;
  racing.race = example_race();
  settings.dock = Dock::race;
  settings.race_a = "host_serial";
  expect_no_faults(racing, settings, "race");
  lengthen(racing.race);
  expect_no_faults(racing, settings, "race with a clipped bar");
  racing.race.device = gpu::Device::simulated;
  racing.race.bound.clear();
  expect_no_faults(racing, settings, "simulated race");
}

void TextCheckTest::check_overlays() {
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
  expect_no_faults(state, settings, "export menu");
  settings.export_menu = false;
  settings.browse = true;
  state.browser.places = {{"Home", "/home/me"}, {"a folder whose name is rather long", "/films"}};
  state.browser.folder = {"/films/old",
                          {{.name = "zoo", .folder = true, .changed = 1'700'000'000},
                           {.name = "a rather long name of a video file that somebody recorded in the last summer.mp4",
                            .openable = true,
                            .bytes = 4'321'987'654,
                            .changed = 1'710'000'000},
                           {.name = "brazil.mkv", .openable = true, .bytes = 10}},
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

void TextCheckTest::check_over_the_picture() {
  auto settings = example_settings();
  auto state = example_state(settings);
  for (const bool difference : {false, true}) {
    settings.compare = {true, "adaptive_threshold", "host_parallel"};
    settings.compare_mode = difference ? gpu::Composition::Mode::difference : gpu::Composition::Mode::wipe;
    const auto selection = make_selection(settings, gpu::Device::host);
    for (const double wipe : {0.02, 0.5, 0.98})
      expect_no_faults(state, settings, difference ? "difference" : "wipe",
                       [&](const Settings& now) { draw_comparison(view_of(now, state.picture), selection, wipe); });
  }
  settings.compare.on = false;
  settings.rectangle_tool = true;
  for (const auto& box : {PixelBox{400, 200, 160, 120}, PixelBox{0, 0, 960, 540}, PixelBox{0, 0, 40, 30},
                          PixelBox{920, 500, 40, 40}, PixelBox{10, 500, 900, 2}, PixelBox{479, 269, 1, 1}}) {
    ProbedPixels pixels;
    pixels.picture = state.picture;
    ask_for_corners(box, pixels.places);
    for (int i = 0; i < pixels.places.points; ++i) pixels.values.push_back({123'456'789u + static_cast<unsigned>(i), {}, 0});
    const auto sum = rectangle_sum(box, state.picture, pixels);
    ASSERT_TRUE(sum && sum->known);
    expect_no_faults(state, settings, "the rectangle at " + std::to_string(box.x),
                     [&](const Settings& now) { draw_rectangle(view_of(now, state.picture), *sum, true); });
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

void TextCheckTest::check_frame_graph() {
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
    s.graph_axis = GraphAxis::frames;
  });
  check("stacked, logarithmic", [](Settings& s) {
    s.graph_shows = GraphShows::stages;
    s.graph_scale = GraphScale::log;
  });
  check("without its histogram, paused", [](Settings& s) {
    s.graph_shows = GraphShows::interval;
    s.graph_histogram = false;
    s.graph_paused = true;
    s.target_ms = 8.3;
  });
}

void TextCheckTest::check_states() {
  auto settings = example_settings();
  const auto host = example_state(settings);
  auto recording = host;
  recording.recording = true;
  recording.recorded_seconds = 3723.4;
  recording.capture.description = "a rather long name of a video file that somebody recorded.mp4, 3840x2160, 59.94/s";
  recording.check = {1234567, 0, {}};
  settings.check = true;
  expect_no_faults(recording, settings, "recording and checking");
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
  expect_no_faults(told, settings, "messages without panels");
  settings.panels = true;
  for (const char* effect : {"haar", "adaptive_threshold", "sat_view", "none"}) {
    settings.effect = effect;
    expect_no_faults(host, settings, effect);
  }
  settings = example_settings();
  expect_no_faults(example_gpu_state(settings), settings, "GPU");
}

TEST_F(TextCheckTest, finds_texts_that_overlap) {
  const auto faults = in_a_window([] {
    text("the first text");
    ImGui::SameLine(40);
    text("another one");
  });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].what, "overlaps");
  EXPECT_EQ(faults[0].text, "thefirsttext");
  EXPECT_EQ(faults[0].other, "anotherone");
}

TEST_F(TextCheckTest, finds_a_text_that_is_cut_off) {
  const auto faults = in_a_window([] { text("wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"); });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].what, "is cut off");
}

TEST_F(TextCheckTest, accepts_lines_neighbours_shapes_and_shortened_text) {
  EXPECT_TRUE(in_a_window([] {
                text("one line");
                text("the next line");
                ImGui::Button("a button");
                ImGui::SameLine();
                bool on = true;
                ImGui::Checkbox("a box", &on);
                text(shortened("far too long for the width of this narrow window of 400 pixels, so it is shortened", 300));
              }).empty());
}

TEST_F(TextCheckTest, the_window_at_all_sizes_and_scales) {
  for (const float scale : {1.f, 1.5f, 2.f, 3.f})
    for (const ImVec2 size : {ImVec2(800 * scale, 600 * scale), ImVec2(1280 * scale, 800 * scale), ImVec2(3840, 2160)}) {
      open(size, scale);
      check_everything();
    }
}

TEST_F(TextCheckTest, the_window_in_the_light_theme) {
  open({1280, 800}, 1, Theme::light);
  check_everything();
}

}  // namespace
}  // namespace app::ui
