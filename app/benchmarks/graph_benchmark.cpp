#include "app/benchmarks/graph_benchmark.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "app/benchmarks/samples.h"
#include "app/ui/frame_graph.h"

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
    history_.complete(times);
  }
  void draw() {
    ImGui::NewFrame();
    ui::Result result;
    ui::PanelContext context{state_, settings, {}, result, drafts_, 1};
    ui::frame_graph_panel(context, place);
    ImGui::EndFrame();
  }
  Settings settings;

 private:
  std::uint64_t frames_ = 0;
  FrameHistory history_;
  ui::State state_;
  ui::Drafts drafts_;
};

}  // namespace

void time_frame_graph(double seconds) {
  for (const int frames : {0, 4096, static_cast<int>(FrameHistory::frames_kept)}) {
    Window window;
    window.settings.graph_frames = frames;
    window.draw();
    std::vector<Contender> contenders;
    contenders.push_back({"graph", [&] {
                            window.add();
                            window.draw();
                          }});
    alternate(contenders, seconds / 3);
    std::printf("frame graph, %s frames seen  median %9.3f ms   min %9.3f ms\n",
                frames ? std::to_string(frames).c_str() : "some", contenders[0].median() / 1000,
                contenders[0].minimum() / 1000);
  }
}

}  // namespace app::benchmarks
