#include "app/results.h"

#include <cstdio>
#include <ctime>
#include <utility>

#include "app/png.h"

namespace app {
namespace {

namespace fs = std::filesystem;

// satscope-out/<what>-20260102-030405.<ending>, with a number where two fall into one second.
fs::path new_file(const std::string& what, const std::string& ending) {
  const fs::path folder = "satscope-out";
  std::error_code ignored;
  fs::create_directories(folder, ignored);  // where it fails, writing says why
  const auto now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char stamp[32];
  std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
  auto path = folder / (what + '-' + stamp + ending);
  for (int i = 2; fs::exists(path, ignored); ++i) path = folder / (what + '-' + stamp + '-' + std::to_string(i) + ending);
  return path;
}

void write_window(const fs::path& path, const std::vector<std::uint8_t>& pixels, gpu::Size size) {
  write_png(path, gpu::ImageView<const gpu::Rgba>{reinterpret_cast<const gpu::Rgba*>(pixels.data()), size.width,
                                                 size.height, size.width});
}

}  // namespace

template <class F>
void Results::attempt(const fs::path& path, F&& write) {
  try {
    write();
    messages_.info("written: " + path.string());
    if (run_.announce) std::printf("%s\n", path.c_str());
  } catch (const std::exception& error) {
    messages_.error(error.what());
    failed_ = true;
  }
}

void Results::add(Engine& engine, double fps) {
  if (run_.record && !film_asked_) {
    film_asked_ = true;
    wanted_film_ = run_.record;
  }
  if (!recorder_ && !wanted_film_) return;
  try {
    if (!recorder_) recorder_ = std::make_unique<Recorder>(*std::exchange(wanted_film_, {}), engine.pipeline().size(), fps);
    recorder_->add(engine.pipeline().context(), engine.pipeline().picture());
  } catch (const std::exception& error) {
    messages_.error(error.what());
    recorder_.reset();
    failed_ = true;
  }
}

void Results::toggle_recording() {
  if (recorder_)
    finish_film();
  else if (wanted_film_)
    wanted_film_.reset();
  else
    wanted_film_ = new_file("processed", ".mp4");
}

void Results::finish_film() {
  if (const auto recorder = std::exchange(recorder_, {})) attempt(recorder->target(), [&] { recorder->finish(); });
}

void Results::screenshot_now(const std::vector<std::uint8_t>& pixels, gpu::Size size) {
  const auto path = new_file("screenshot", ".png");
  attempt(path, [&] { write_window(path, pixels, size); });
}

void Results::export_now(const Report& report) {
  const auto path = new_file("timings", ".json");
  attempt(path, [&] { export_report(path, report); });
}

void Results::final_screenshot(const std::vector<std::uint8_t>& pixels, gpu::Size size) {
  if (run_.screenshot) attempt(*run_.screenshot, [&] { write_window(*run_.screenshot, pixels, size); });
}

void Results::final_export(const Report& report) {
  if (run_.export_file) attempt(*run_.export_file, [&] { export_report(*run_.export_file, report); });
}

}  // namespace app
