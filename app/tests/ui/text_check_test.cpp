// No text of the window overlaps another or is cut off, at three sizes and four scales, whatever is shown.
#include "app/tests/ui/text_check.h"

#include <gtest/gtest.h>

#include "app/control/names.h"
#include "app/tests/pipeline/tile_example.h"
#include "app/tests/ui/ui_example.h"
#include "app/ui/widgets.h"

namespace app::ui {
namespace {

class TextCheckTest : public ::testing::Test {
 protected:
  void SetUp() override { open({800, 600}, 1); }
  void TearDown() override { ImGui::DestroyContext(); }

  void open(ImVec2 size, float scale) {
    if (ImGui::GetCurrentContext()) ImGui::DestroyContext();
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.DisplaySize = size;
    io.DeltaTime = 1.f / 60;
    io.MousePos = {-1, -1};
    apply_theme({scale, Theme::dark});
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
  void expect_no_faults(const State& state, Settings settings, const std::string& what) {
    Panels panels;
    for (int frame = 0; frame < 4; ++frame) {
      ImGui::NewFrame();
      panels.draw(state, settings);
      ImGui::Render();
    }
    for (const auto& fault : TextCheck::faults())
      ADD_FAILURE() << what << ": in " << fault.window << " '" << fault.text << "' " << fault.what
                    << (fault.other.empty() ? "" : " '" + fault.other + "'");
  }
};

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
  const auto faults = in_a_window(
      [] { text("far too long for the width of this narrow window of 400 pixels, so it is cut"); });
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
      const auto where = number(size.x, 0) + "x" + number(size.y, 0) + " at " + number(scale, 1);
      auto settings = example_settings();
      const auto host = example_state(settings);
      for (std::size_t tab = 0; tab < std::size(dock_names); ++tab) {
        settings.dock = static_cast<Dock>(tab);
        expect_no_faults(host, settings, where + ", " + std::string(dock_names[tab]));
      }
      settings.dock = Dock::trace;
      auto traced = host;
      traced.trace = {std::make_shared<TileHistory>(example_history()), 0.5, {}};
      for (std::size_t meaning = 0; meaning < std::size(trace_colour_names); ++meaning) {
        settings.trace_colour = static_cast<TraceColour>(meaning);
        expect_no_faults(traced, settings, where + ", traced, " + std::string(trace_colour_names[meaning]));
      }
      settings = example_settings();
      auto recording = host;
      recording.recording = true;
      recording.recorded_seconds = 3723.4;
      recording.capture.description = "a rather long name of a video file that somebody recorded.mp4, 3840x2160, 59.94/s";
      expect_no_faults(recording, settings, where + ", recording");
      auto racing = host;
      racing.race = example_race();
      settings.dock = Dock::race;
      settings.race_a = "host_serial";
      expect_no_faults(racing, settings, where + ", race");
      settings.dock = Dock::kernels;
      settings.cards = true;
      for (const auto* algorithm : gpu::sat_algorithms()) {
        settings.card = algorithm->name;
        expect_no_faults(host, settings, where + ", the card of " + settings.card);
      }
      settings.cards = false;
      settings.palette = true;
      expect_no_faults(host, settings, where + ", palette");
      settings.palette = false;
      settings.help = true;
      expect_no_faults(host, settings, where + ", help");
      settings.help = false;
      for (const char* effect : {"haar", "adaptive_threshold", "sat_view", "none"}) {
        settings.effect = effect;
        expect_no_faults(host, settings, where + ", " + effect);
      }
      settings = example_settings();
      const auto gpu = example_gpu_state(settings);
      expect_no_faults(gpu, settings, where + ", GPU");
    }
}

}  // namespace
}  // namespace app::ui
