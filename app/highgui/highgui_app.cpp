#include "app/highgui/highgui_app.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/display/render_target.h"
#include "app/output/picture_files.h"
#include "app/pipeline/picture.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

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

std::string line_of(const StageRow& row) {
  char text[96];  // milliseconds: OpenCV's letters have no µ
  std::snprintf(text, sizeof text, "%.40s\t%.3f ms", title_of_path(row.name).c_str(), row.p50 / 1000);
  return text;
}

// OpenCV's letters have no thin spaces.
void with_plain_spaces(std::string& line) {
  constexpr std::string_view thin = "\u2009";
  for (auto at = line.find(thin); at != line.npos; at = line.find(thin)) line.replace(at, thin.size(), " ");
}

gpu::ImageView<const gpu::Rgba> view(const gpu::Image<gpu::Rgba>& image) { return image.view(); }

}  // namespace

std::unique_ptr<HighguiWindow> open_highgui_window(const std::string& title) {
  const auto path = find_library();
  // Never unloaded: toolkits start threads and leave handlers.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) throw failed(dlerror());
  auto* const entry = reinterpret_cast<HighguiEntry*>(dlsym(library, highgui_entry_name));
  if (!entry) throw failed(path.string() + " is not a library of satscope");
  // A user who names another Qt platform (offscreen, vnc) needs no X display.
  if (!std::getenv("QT_QPA_PLATFORM")) require_display();
  HighguiWindow* window = nullptr;
  try {
    window = entry(SATSCOPE_VERSION, title.c_str());
  } catch (const std::exception& error) {
    throw RenderTargetError(RenderTargetError::Kind::failed, error.what());
  }
  if (!window) throw failed(path.string() + " belongs to another version of satscope: rebuild both");
  return std::unique_ptr<HighguiWindow>(window);
}

HighguiApp::HighguiApp(std::unique_ptr<HighguiWindow> window, const Settings& settings, const gpu::GpuProbe& probe,
                       const Run& run)
    : window_(std::move(window)), session_(settings, probe, run, false, [this](auto& context, auto& picture) {
        auto here = download(context, picture.pixels);
        draw_annotations(here.view(), with_side_labels(picture, false, true).list());
        picture_ = std::make_shared<const gpu::Image<gpu::Rgba>>(std::move(here));
      }) {
  session_.set_screenshot([this] { return screenshot(); });
  session_.maker().presented(false, "shown by OpenCV's highgui");
  say_if_no_gpu(session_.messages(), settings, probe);
}

ExitCode HighguiApp::run() {
  while (!session_.done() && session_.turn([this] { frame(); })) continue;
  session_.finish();
  session_.saver().write_results([this] { return screenshot(); });
  while (!session_.outputs().finish(100ms)) continue;
  return session_.exit_code();
}

void HighguiApp::frame() {
  session_.log().begin_turn();
  const bool made = session_.step(10ms);
  show(made);
  if (const auto command = from_highgui(window_->key(), session_.settings().keys)) act(*command);
  if (made || !session_.feed().quiet() || session_.engine().busy()) session_.log().drawn();
}

Outputs::Job HighguiApp::screenshot() const {
  return [picture = picture_](const auto& path) {
    if (!picture) throw std::runtime_error("cannot write " + path.string() + ": no picture came");
    write_png(path, view(*picture));
  };
}

// New pictures at once, and otherwise a few times per second: lines change, and the user may have closed the window.
void HighguiApp::show(bool made) {
  if (!picture_) return;
  if (Clock::now() - lines_made_ > 200ms) {
    const auto now = lines_made_ = Clock::now();
    lines_ = lines();
    // A message that never grows old would be said only once.
    session_.messages().age(std::chrono::duration<double>(now - std::exchange(aged_, now)).count());
  } else if (!made) {
    return;
  }
  if (!window_->show(view(*picture_), lines_)) session_.quit();
}

// The list of keys needs the room of the figures. Messages are shown without them, too: one may be a question.
std::vector<std::string> HighguiApp::lines() {
  if (!session_.engine().has_picture() || !session_.engine().selection().algorithm) return {};
  const auto& settings = session_.settings();
  auto lines = settings.help ? highgui_help() : settings.panels ? figures() : std::vector<std::string>();
  for (const auto& message : session_.messages().age(0)) lines.push_back(message.text);
  for (auto& line : lines) with_plain_spaces(line);
  return lines;
}

std::vector<std::string> HighguiApp::figures() {
  const auto& engine = session_.engine();
  const auto& selection = engine.selection();
  char rate[64];
  std::snprintf(rate, sizeof rate, "%.1f fps, %s dropped", session_.log().pictures_per_second(),
                grouped(session_.log().figures().dropped).c_str());
  std::vector<std::string> lines{std::string(selection.algorithm->name) + " on " +
                                     title_of_value("device", gpu::name(engine.device())) + ", " +
                                     std::string(selection.effect->title) + ", " + text_of(picture_->size()),
                                 rate};
  if (session_.outputs().recording()) {
    std::snprintf(rate, sizeof rate, "recording, %.1f s", session_.outputs().recorded_seconds());
    lines.emplace_back(rate);
  }
  for (const auto& row : session_.log().figures().stages.rows()) lines.push_back(line_of(row));
  if (!engine.refusal().empty()) lines.push_back("refused: " + engine.refusal());
  return lines;
}

void HighguiApp::act(const Command& command) {
  const bool quits = command.action == Action::quit;
  lines_made_ = {};
  if (!quits)
    session_.perform(command);
  else if (session_.outputs().recording() && !std::exchange(quit_asked_, true))
    session_.messages().warn("recording: " + labels(Action::quit) + " once more saves the video and quits");
  else
    session_.quit();  // as if the window were closed: nobody was asked about a changed matrix
  quit_asked_ &= quits;
}

}  // namespace app
