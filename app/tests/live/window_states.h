// The whole window, drawn by Mesa's llvmpipe from fixed values, in every state that is worth a look: each tab, list and dialog.
#pragma once

#include <gtest/gtest.h>
#include <imgui.h>

#include <array>
#include <cfloat>
#include <cstdlib>
#include <functional>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "app/display/render_target.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/session/kernel_example.h"
#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/text_check.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/rectangle.h"
#include "app/ui/theme.h"

namespace app::ui {

// A substitute for a camera's picture: a few shapes, flat, so that golden images are small files.
inline void draw_picture(const Rect& rect) {
  auto& draw = *ImGui::GetBackgroundDrawList();
  const ImVec2 from(rect.x, rect.y), to(rect.x + rect.width, rect.y + rect.height);
  draw.AddRectFilled(from, to, IM_COL32(96, 120, 112, 255));
  draw.AddRectFilled({from.x, (from.y + to.y) / 2}, to, IM_COL32(150, 120, 90, 255));
  draw.AddCircleFilled({(from.x + to.x) / 2, (from.y + to.y) / 2}, rect.height / 4, IM_COL32(230, 200, 120, 255), 64);
}

class DrawnWindow {
 public:
  DrawnWindow() : settings(example_settings()), state(example_state(settings)) {}

  // Under with_display everything is drawn in a window, else offscreen: the same pixels.
  static bool on_display() { return std::getenv("SATSCOPE_TEST_DISPLAY") != nullptr; }

  // Why nothing can be drawn, or letters or edges would be drawn differently; else empty.
  std::string open(int width, int height, const Look& look = {}) {
    // A mouse over a panel would change what is drawn, so it is moved into the corner.
    if (on_display() && std::system("xdotool mousemove 1599 999") != 0)
      return "xdotool is missing (apt-get install xdotool)";
    try {
      target = on_display() ? open_window(width, height, false) : open_offscreen(width, height);
    } catch (const RenderTargetError& error) {
      return error.what();
    }
    apply_theme(look);
    target->set_background(panel_background());
    if (target->gl().renderer.find("llvmpipe") != std::string::npos) return {};
    return "golden images are llvmpipe's; here draws " + target->gl().renderer;
  }

  void draw_frame() {
    target->begin_frame();
    const auto area = layout(settings, target->width(), target->height()).picture;
    draw_picture(area);
    if (over_picture) over_picture({0, {0.5, 0.5}, state.picture, {area.x, area.y, area.width, area.height}});
    panels.draw(state, settings);
    target->keep_frame();
    target->end_frame();
  }
  // Three frames, because ImGui only measures a new window in the first; behind a dialog it becomes dark by and by.
  cv::Mat draw() {
    constexpr int frames_of_scrim = 14;
    for (int frame = 0; frame < (ImGui::GetTopMostPopupModal() ? frames_of_scrim : 3); ++frame) draw_frame();
    auto pixels = target->read_pixels();
    const cv::Mat rgba(target->height(), target->width(), CV_8UC4, pixels.data());
    cv::Mat bgr;
    cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
    return bgr;
  }
  void mouse(float x, float y, bool down) {
    ImGui::GetIO().MousePos = {x, y};
    ImGui::GetIO().MouseDown[0] = down;
    draw_frame();
  }
  void point_at(const std::string& text, std::string_view window) {
    for (int frame = 0; frame < 3; ++frame) draw_frame();
    const auto place = TextCheck::place_of(text, window);
    ASSERT_TRUE(place) << "no '" << text << "' in " << window;
    for (int frame = 0; frame < 3; ++frame) mouse(place->GetCenter().x, place->GetCenter().y, false);
  }
  // Then the mouse is gone.
  void click(const std::string& text, std::string_view window) {
    point_at(text, window);
    const auto at = ImGui::GetIO().MousePos;
    click_at(at.x, at.y);
  }
  void click_at(float x, float y) {
    for (const bool down : {false, true, false}) mouse(x, y, down);
    ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
  }

  std::function<void(const View&)> over_picture;  // what else is drawn over the picture, as it is fitted
  Settings settings;
  State state;
  std::vector<KernelFile> kernels;  // that the state shows
  std::unique_ptr<RenderTarget> target;
  Panels panels;
};

// Annotations of every kind: filled in part, outlined, a line, a label.
inline std::vector<gpu::Annotation> example_annotations() {
  gpu::Annotation part, outline, label, line;
  outline.x0 = 240, outline.y0 = 130, outline.x1 = 480, outline.y1 = 270;
  part = outline;
  part.x1 = 360, part.stroke.a = 0, part.fill = {60, 160, 255, 112};
  label = outline;
  label.kind = gpu::Annotation::Kind::label, label.has = gpu::Annotation::Value::signed_number, label.value = -4071;
  line = outline;
  line.kind = gpu::Annotation::Kind::line, line.stroke = {255, 170, 60, 255};
  return {part, outline, line, label};
}

inline void show_comparison(DrawnWindow& w) {
  w.settings.compare = {true, "original", "adaptive_threshold"};
  w.state.selection = make_selection(w.settings, gpu::Device::host);
  w.over_picture = [&w](const View& view) {
    w.state.notes = w.state.side_names = draw_comparison(view, w.state.selection, 0.4);
    w.state.wipe_handle = wipe_handle(view, w.state.selection, 0.4);
  };
}

inline void show_tab(DrawnWindow& w, Dock tab) {
  w.settings.dock = tab;
  w.settings.dock_open = true;
}

// The values at the corners of a box of the example's picture.
inline const PixelBox example_box{350, 180, 240, 150};
inline const ProbedPixels& example_corners() {
  static const ProbedPixels pixels = [] {
    ProbedPixels all;
    all.picture = {960, 540};
    ask_for_corners(example_box, all.places);
    for (const auto entry : {8'123'456u, 21'654'321u, 14'246'810u, 31'415'926u}) all.values.push_back({entry, {}, 0});
    return all;
  }();
  return pixels;
}
inline RectangleSum example_sum() { return rectangle_sum(example_box, {960, 540}, example_corners()).value(); }

inline void show_rectangle(DrawnWindow& w) {
  w.settings.dock_open = false;
  w.settings.rectangle_tool = true;
  w.over_picture = [](const View& view) { draw_rectangle(view, example_sum(), true); };
}

// The lesson of what a rectangle costs.
inline void show_presentation(DrawnWindow& w) {
  w.settings.presentation = true;
  w.settings.lesson = 2;
  w.settings.rectangle = example_box;
  w.state.probed = &example_corners();
  w.over_picture = [](const View& view) { draw_rectangle(view, example_sum(), false, {}, false); };
}

// The mouse is over the video.
inline void show_hover(DrawnWindow& w) {
  w.settings.dock_open = false;
  show_comparison(w);
  w.over_picture = [&w, below = w.over_picture](const View& view) {
    below(view);
    const Hover::Box hover{example_sum(), {{470, 255}, gpu::Rgba{230, 200, 120, 255}, 200, 18'765'432}};
    w.state.notes.push_back(draw_hover(view, hover, true, w.state.notes));
  };
}

inline void show_matrix_rectangle(DrawnWindow& w) {
  w.settings.dock_open = false;
  w.settings.source = "matrix:3x2";
  w.settings.rectangle_tool = true;
  w.settings.rectangle = PixelBox{1, 0, 2, 2};
  show_matrix(w.state);
}

inline void show_compared(DrawnWindow& w) {
  w.settings.dock_open = false;
  show_comparison(w);
  for (int frame = 0; frame < 3; ++frame) w.draw_frame();
  ASSERT_EQ(w.state.side_names.size(), 2u);
  const auto& name = w.state.side_names[1];
  w.click_at(name.x + name.width / 2, name.y + name.height / 2);
}

inline void show_faces(DrawnWindow& w) {
  w.settings.dock_open = false;
  w.settings.effect = "faces";
  w.state.selection = make_selection(w.settings, gpu::Device::host);
  w.over_picture = [](const View& view) { draw_annotations(view, example_annotations()); };
}

// The Test scenes.
inline void show_submenu(DrawnWindow& w) {
  w.settings.dock_open = false;
  w.click("mp4", "bar");
  w.point_at("Test scene", "##Popup");
  ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
}

inline void show_race(DrawnWindow& w) {
  show_tab(w, Dock::race);
  w.state.race = example_race();
}

// On the CPU, where those of a GPU can be added.
inline void show_race_on_cpu(DrawnWindow& w) {
  show_race(w);
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (algorithm->device != gpu::Device::cuda || algorithm->name == "2r1w") continue;
    w.state.race.absent.push_back({std::string(algorithm->name), "runs on a GPU, or on the simulated GPU",
                                   5 + static_cast<double>(w.state.race.absent.size())});
  }
}

// One that has a row for every combination of parameters.
inline void show_long_race(DrawnWindow& w) {
  show_race(w);
  for (int i = 0; w.state.race.rows.size() < 24; ++i) {
    auto row = w.state.race.rows[1];
    row.label += " W=" + std::to_string(1 << i % 11) + (i % 2 == 0 ? ", R=1" : ", R=2");
    row.us *= 1 + 0.13 * i;
    row.over_bound = row.us / 100;
    w.state.race.rows.insert(w.state.race.rows.end() - 1, std::move(row));
  }
}

inline void show_race_by_traffic(DrawnWindow& w) {
  show_race(w);
  auto& race = w.state.race;
  w.state.device = race.device = gpu::Device::simulated;
  race.bound.clear();
  race.absent.clear();
  race.rows.erase(race.rows.begin());
  const auto count = [](RaceRow& row, const char* name, double us, double bytes, double sectors) {
    row.name = row.label = name;
    row.us = us;
    row.over_bound.reset();
    row.bytes_per_pixel = bytes;
    row.sectors_per_pixel = sectors;
  };
  count(race.rows[0], "1r1w_skss_lb", 83'247, 5.1, 0.17);
  count(race.rows[1], "2r2w", 1355, 13, 2.3);
}

inline void show_selected_frames(DrawnWindow& w) {
  w.settings.graph_range = FrameRange{1150, 1219};
  w.settings.graph_pinned = 1180;
  w.state.graph.of = {70, 1150, 1219, true};
  FrameFigures figures;
  for (const auto& frame : example_frames())
    if (frame.id >= 1150 && frame.id <= 1219) figures.add(frame);
  summarise(figures, w.settings, w.state.graph);
}

inline void show_tiles(DrawnWindow& w) {
  show_tab(w, Dock::tiles);
  w.settings.trace_colour = TraceColour::state;
  w.settings.trace_play = false;
  show_trace(w.state, example_history(), 0.76);
  w.over_picture = [&w](const View& view) { draw_tile_trace(view, w.state.trace, w.settings); };
}

inline void show_cascade(DrawnWindow& w) {
  show_tab(w, Dock::detector);
  w.state.cascade.available = true;
  w.state.cascade.window = example_cascade_window();
  w.settings.cascade_at = Pointer{150, 130};
  w.over_picture = [&w](const View& view) { draw_cascade_window(view, w.state.cascade, w.settings); };
}

inline void show_features(DrawnWindow& w) {
  show_tab(w, Dock::detector);
  w.settings.effect = "haar";
  w.state.selection = make_selection(w.settings, gpu::Device::host);
  auto found = std::make_shared<FoundResponses>();
  found->picture = w.state.picture;
  found->strongest = {{40, 30, 123'456}, {400, 200, -98'765}, {7, 9, 1'234}};
  w.state.features = {found, true};
}

inline void show_busy(DrawnWindow& w) {
  w.settings.dock_open = false;
  w.settings.check = true;
  w.state.check = {1'234'567, 12, "wrong at (3, 2): 120 instead of 110"};
  w.state.recording = true;
  w.state.recorded_seconds = 83.4;
  w.state.refusal = "the window is larger than the picture, which is only 960 pixels wide and 540 high";
  using enum Message::Kind;
  w.state.messages = {{info, "Saved satscope-out/screenshot-1.png", 1.5},
                      {warning, "this effect needs a window no larger than the picture: 4001x15 is wider", 1},
                      {error, "the disk is full: the export was not written", 1}};
}

inline void show_browser(DrawnWindow& w) {
  w.settings.browse = true;
  w.state.browser.places = {{"Home", "/home/me"}, {"Films", "/films"}};
  w.state.browser.folder = {
      "/films/old",
      {{.name = "zoo", .folder = true},
       {.name = "a rather long name of a video file that somebody recorded in the last summer.mp4", .openable = true},
       {.name = "brazil.mkv", .openable = true}},
      ""};
  w.state.browser.version = 1;
}

// With the files of the user's own, and the font of their text.
inline void show_kernels(DrawnWindow& w, const std::vector<KernelFile>& files) {
  w.kernels = files;
  w.state.own_kernels = w.kernels;
  apply_theme({display_scale(), &colours() == &light_colours ? Theme::light : Theme::dark, true});
  w.target->renew_fonts();
}

// On the simulated GPU: its table is wrong.
inline void show_kernel(DrawnWindow& w, const KernelFile& file) {
  show_tab(w, Dock::kernel);
  w.state.device = gpu::Device::simulated;
  (file.is_effect ? w.settings.effect : w.settings.cuda_algorithm) = file.name;
  if (file.verdict.wrong) w.state.check = {1234, 254, "wrong at (3, 0): 7 instead of 6"};
  show_kernels(w, {file});
}

// `at_every_size`: a tab, a list or a dialog, whose place depends on the window's size.
struct WindowState {
  const char* name;
  bool at_every_size;
  void (*show)(DrawnWindow&);  // after open()
};

inline const WindowState window_states[] = {
    {"start", true,
     [](DrawnWindow& w) {
       w.settings.dock_open = false;
       show_comparison(w);
     }},
    {"welcome", false,
     [](DrawnWindow& w) {
       w.settings.dock_open = false;
       w.settings.hints = true;
       show_comparison(w);
     }},
    {"alone", false,
     [](DrawnWindow& w) {
       w.settings.panels = false;
       w.over_picture = [](const View& view) { draw_annotations(view, example_annotations()); };
     }},
    {"busy", false, show_busy},
    {"message_of_file", false,
     [](DrawnWindow& w) {
       w.settings.dock_open = false;
       w.state.messages = {
           {Message::Kind::info, "Saved satscope-out/picture-1.png", 1.5, "/home/me/satscope-out/picture-1.png"}};
     }},
    {"faces", false, show_faces},
    {"hover", false, show_hover},
    {"rectangle", false, show_rectangle},
    {"matrix", true,
     [](DrawnWindow& w) {
       w.settings.dock_open = false;
       w.settings.source = "matrix:3x2";
       show_matrix(w.state);
     }},
    {"matrix_rectangle", false, show_matrix_rectangle},
    {"presentation", true, show_presentation},
    {"presented_race", false,
     [](DrawnWindow& w) {
       w.settings.presentation = true;
       w.settings.lesson = 5;
       w.state.race = example_race();
     }},
    // Tabs.
    {"measure", true, [](DrawnWindow& w) { show_tab(w, Dock::frame); }},
    {"one_frame", true,
     [](DrawnWindow& w) {
       show_tab(w, Dock::frame);
       w.settings.frame_view = FrameView::one_frame;
     }},
    {"selected_frames", false, show_selected_frames},
    {"race", true,
     [](DrawnWindow& w) {
       show_race(w);
       lengthen(w.state.race);
     }},
    {"race_options", false,
     [](DrawnWindow& w) {
       show_race(w);
       w.click("...", "dock/tab_");
     }},
    {"race_on_cpu", false, show_race_on_cpu},
    {"long_race", false, show_long_race},
    {"race_by_traffic", false, show_race_by_traffic},
    {"tiles", true, show_tiles},
    {"no_tiles", false, [](DrawnWindow& w) { show_tab(w, Dock::tiles); }},
    {"detector", true, show_cascade},
    {"features", true, show_features},
    {"study", true,
     [](DrawnWindow& w) {
       show_tab(w, Dock::study);
       w.state.study = example_study();
     }},
    {"kernel", true, [](DrawnWindow& w) { show_kernel(w, refused_kernel()); }},
    {"kernel_wrong", false, [](DrawnWindow& w) { show_kernel(w, example_kernel()); }},
    {"kernel_compiling", false, [](DrawnWindow& w) { show_kernel(w, new_kernel(KernelFile::Phase::compiling)); }},
    {"kernel_effect", false, [](DrawnWindow& w) { show_kernel(w, example_effect()); }},
    {"no_kernel", false, [](DrawnWindow& w) { show_tab(w, Dock::kernel); }},
    {"own_kernels", false,
     [](DrawnWindow& w) {
       show_kernels(w, {new_kernel(KernelFile::Phase::compiling), refused_kernel()});
       w.kernels[1].version = 0;  // it is in no table
       w.settings.cards = true;
     }},
    // Lists.
    {"source", true, [](DrawnWindow& w) { w.click("mp4", "bar"); }},
    {"submenu", false, show_submenu},
    {"compared", false, show_compared},
    {"algorithm", true,
     [](DrawnWindow& w) {
       w.settings.cards = true;
       w.settings.card = "1r1w_skss_lb";
       w.over_picture = [](const View&) { ImGui::GetIO().DeltaTime = 0.6f; };  // the diagram moves on
     }},
    {"effect", true, [](DrawnWindow& w) { w.click("blur", "bar"); }},
    {"save", true, [](DrawnWindow& w) { w.settings.export_menu = true; }},
    {"menu", true,
     [](DrawnWindow& w) {
       const auto scale = display_scale();
       w.click_at(static_cast<float>(w.target->width()) - 28 * scale, 22 * scale);
     }},
    {"more", true, [](DrawnWindow& w) { w.click("More", "strip"); }},
    {"zoom", true, [](DrawnWindow& w) { w.click("%", "strip"); }},
    // Dialogs.
    {"preferences", true, [](DrawnWindow& w) { w.settings.preferences = true; }},
    {"help", true, [](DrawnWindow& w) { w.settings.help = true; }},
    {"palette", true, [](DrawnWindow& w) { w.settings.palette = true; }},
    {"browser", true, show_browser},
    {"quit", true,
     [](DrawnWindow& w) {
       w.state.recording = w.state.matrix_unsaved = true;
       w.state.recorded_seconds = 83.4;
       EXPECT_FALSE(w.panels.may_close(w.state));
     }},
    {"tooltip", false, [](DrawnWindow& w) { w.point_at("CPU", "bar"); }},
};

}  // namespace app::ui
