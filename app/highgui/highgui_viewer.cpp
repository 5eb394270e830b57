#include "app/highgui/highgui_viewer.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/display/render_target.h"
#include "app/highgui/module/highgui_window.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr char library_name[] = "libsatscope_highgui.so";

RenderTargetError failed(const std::string& why) { return {RenderTargetError::Kind::failed, "no highgui viewer: " + why}; }

// Beside the program, where it is built; else where it is installed.
fs::path find_library() {
  std::error_code ignored;
  const auto here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  const auto installed = (here / SATSCOPE_LIBRARIES_FROM_BIN).lexically_normal();
  for (const auto& folder : {here, installed})
    if (fs::exists(folder / library_name, ignored)) return folder / library_name;
  throw failed(std::string(library_name) + " is not in " + here.string() + " or " + installed.string() +
               "; app/run builds it, and --viewer gl needs none");
}

std::unique_ptr<HighguiWindow> load_window(const std::string& title) {
  const auto path = find_library();
  // Never unloaded: toolkits start threads and leave handlers.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) throw failed(dlerror());
  auto* const entry = reinterpret_cast<HighguiEntry*>(dlsym(library, highgui_entry_name));
  if (!entry) throw failed(path.string() + " is not satscope's");
  // A user who names another Qt platform (offscreen, vnc) needs no X display.
  if (!std::getenv("QT_QPA_PLATFORM")) require_display();
  HighguiWindow* window = nullptr;
  try {
    window = entry(SATSCOPE_VERSION, title.c_str());
  } catch (const std::exception& error) {
    throw RenderTargetError(RenderTargetError::Kind::failed, error.what());
  }
  if (!window) throw failed(path.string() + " belongs to another version of satscope: build both anew");
  return std::unique_ptr<HighguiWindow>(window);
}

}  // namespace

HighguiViewer::HighguiViewer(const std::string& title) : window_(load_window(title)) {}
HighguiViewer::HighguiViewer(std::unique_ptr<HighguiWindow> window) : window_(std::move(window)) {}
HighguiViewer::~HighguiViewer() = default;
HighguiViewer::HighguiViewer(HighguiViewer&&) noexcept = default;

bool HighguiViewer::show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines) {
  return window_->show(picture, lines);
}
int HighguiViewer::key() { return window_->key(); }

}  // namespace app
