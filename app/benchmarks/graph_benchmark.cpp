#include "app/benchmarks/host_benchmarks.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "app/ui/frame_graph.h"
#include "app/ui/widgets.h"

namespace app::benchmarks {
namespace {

constexpr ui::Rect place{0, 0, 1000, 320};

class Window {
 public:
  Window() {
    ImGui::CreateContext();
    auto& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    io.DisplaySize = {1920, 1080};
    io.DeltaTime = 1.f / 60;
    ui::apply_theme();
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    for (std::size_t i = 0; i < FrameHistory::frames_kept; ++i) add();
    state_.graph.history = &history_;
    draw();
  }
  ~Window() { ImGui::DestroyContext(); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void add() {
    FrameRecord frame;
    frame.id = ++frames_;
    frame.presented = FrameRecord::Clock::time_point(std::chrono::milliseconds(16 * frames_));
    frame.work_us = 8000 + 3000 * std::sin(static_cast<double>(frames_) * 1.7) + (frames_ % 1000 == 0 ? 40'000 : 0);
    history_.add(frame);
    FrameTimes times;
    times.id = frames_;
    times.work_us = frame.work_us;
    times.timed = true;
    std::vector<StageTime> stages;
    for (const auto& path : paths_) {
      stages.push_back({&path, path.find('/') == path.npos ? 0 : 1, true, 1, frame.work_us / 10});
      times.device.computing += frame.work_us / 10;
    }
    times.stages = stages;
    history_.complete(times);
  }
  void draw() {
    ImGui::NewFrame();
    ui::Result result;
    ui::PanelContext context{state_, settings, {}, result, drafts_, 1};
    if (const ui::PanelWindow window("graph", place); window.visible()) ui::frame_graph(context);
    ImGui::EndFrame();
  }
  FrameFigures figures_of_all() const { return history_.figures({0, history_.frames().size()}); }
  Settings settings;

 private:
  const std::vector<std::string> paths_{"upload", "luma", "2r1w", "2r1w/tile sums", "2r1w/tables", "box blur", "copy"};
  std::uint64_t frames_ = 0;
  FrameHistory history_;
  ui::State state_;
  ui::Drafts drafts_;
};

}  // namespace

void time_frame_graph(double seconds) {
  constexpr auto all = static_cast<int>(FrameHistory::frames_kept);
  for (const auto shows : {GraphShows::work, GraphShows::stages})
    for (const int frames : {0, 4096, all}) {
      Window window;
      window.settings.graph_frames = frames;
      window.settings.graph_shows = shows;
      window.draw();
      std::vector<Contender> contenders;
      contenders.push_back({"graph", [&] {
                              window.add();
                              window.draw();
                            }});
      alternate(contenders, seconds / 8);
      std::printf("frame graph%s, %5s frames seen  median %9.3f ms   min %9.3f ms\n",
                  shows == GraphShows::stages ? ", stacked" : "         ", frames ? std::to_string(frames).c_str() : "some",
                  contenders[0].median() / 1000, contenders[0].minimum() / 1000);
    }
  Window window;
  std::vector<Contender> contenders;
  contenders.push_back({"figures", [&] { (void)window.figures_of_all(); }});
  alternate(contenders, seconds / 8);
  std::printf("figures of a range of %d frames    median %9.3f ms   min %9.3f ms\n", all, contenders[0].median() / 1000,
              contenders[0].minimum() / 1000);
}

}  // namespace app::benchmarks
