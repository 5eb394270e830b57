#include "app/highgui/highgui_app.h"

#include <cstdio>

#include "app/control/names.h"
#include "app/control/source_request.h"
#include "app/output/png.h"
#include "app/support/download.h"
#include "app/support/interrupt.h"

namespace app {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::string line_of(const gpu::TimelineRow& row) {
  char text[96];
  std::snprintf(text, sizeof text, "%-20.40s %9.1f us", row.name.c_str(), row.p50);
  return text;
}

gpu::ImageView<const gpu::Rgba> view(const gpu::Image<gpu::Rgba>& image) { return image.view(); }

}  // namespace

HighguiApp::HighguiApp(const Settings& settings, const gpu::GpuProbe& probe, const Run& run)
    : run_(run), settings_(settings), viewer_("satscope"), engine_(probe, 600), results_(run_, messages_) {
  requested_ = request_of(settings_, probe.gpu.has_value());
  feed_.open(requested_);
}

ExitCode HighguiApp::run() {
  while (!quit_ && !interrupted() && !(run_.frames && frames_ >= *run_.frames)) frame();
  results_.final_screenshot([&](const auto& path) { write_picture(path); });
  results_.finish_film();
  results_.final_export(report());
  return results_.failed() ? ExitCode::failed : ExitCode::ok;
}

void HighguiApp::frame() {
  meter_.begin();
  if (const auto request = request_of(settings_, requested_.page_locked); !same_request(request, requested_)) {
    requested_ = request;
    feed_.open(requested_);
  }
  const auto* fresh = engine_.uploaded() ? feed_.take(10ms) : nullptr;
  if (!fresh && engine_.uploaded() && run_.frames) fresh = feed_.still();
  const auto* source = fresh || engine_.wants(settings_) ? (fresh ? fresh : feed_.last()) : nullptr;
  const bool made = source && make_picture(*source);
  frames_ += fresh != nullptr;
  tell();
  show();
  if (const auto action = from_highgui(viewer_.key())) act(*action);
  meter_.end(made, 0);
}

bool HighguiApp::make_picture(const capture::Frame& frame) {
  if (!engine_.process(frame, settings_)) return false;
  auto& pipeline = engine_.pipeline();
  picture_ = download(pipeline.context(), pipeline.picture());
  pipeline.finish();
  results_.add(engine_, feed_);
  ++pictures_;
  return true;
}

void HighguiApp::write_picture(const std::filesystem::path& path) const {
  if (picture_.size().width == 0) throw std::runtime_error("cannot write " + path.string() + ": no picture came");
  write_png(path, view(picture_));
}

void HighguiApp::show() {
  if (picture_.size().width == 0) return;
  if (Clock::now() - lines_made_ > 200ms) {
    lines_made_ = Clock::now();
    lines_ = lines();
  }
  const bool text = settings_.panels || settings_.help;
  if (!viewer_.show(view(picture_), text ? std::span<const std::string>(lines_) : std::span<const std::string>()))
    quit_ = true;
}

std::vector<std::string> HighguiApp::lines() {
  const auto& recipe = engine_.recipe();
  if (!engine_.has_picture() || !recipe.algorithm) return {};
  char rate[64];
  std::snprintf(rate, sizeof rate, "%.1f pictures/s, %llu dropped", meter_.picture_fps(),
                static_cast<unsigned long long>(feed_.status().dropped));
  std::vector<std::string> lines{std::string(recipe.algorithm->name) + " on " +
                                     std::string(gpu::name(engine_.device())) + ", " +
                                     std::string(recipe.effect->name) + ", " + text_of(picture_.size()),
                                 rate};
  auto& timeline = engine_.pipeline().timeline();
  timeline.collect();
  for (const auto& row : timeline.rows()) lines.push_back(line_of(row));
  if (settings_.help)
    for (auto& line : highgui_help()) lines.push_back(std::move(line));
  for (const auto& message : messages_.age(std::chrono::duration<double>(Clock::now() - said_).count()))
    lines.push_back(message.text);
  said_ = Clock::now();
  return lines;
}

void HighguiApp::act(Action action) {
  lines_made_ = {};
  switch (action) {
    case Action::pause: feed_.set_paused(!feed_.paused()); break;
    case Action::reopen: feed_.open(requested_); break;
    case Action::screenshot: results_.screenshot_now([&](const auto& path) { write_picture(path); }); break;
    case Action::record: results_.toggle_recording(); break;
    case Action::export_timings: results_.export_now(report()); break;
    case Action::reset_statistics:
      meter_.reset();
      if (engine_.has_picture()) engine_.pipeline().timeline().reset();
      break;
    case Action::quit: quit_ = true; break;
    default:
      if (!apply(action, settings_, {engine_.device(), engine_.probe().gpu.has_value(), 1}))
        messages_.warn("no CUDA device: " + engine_.probe().reason);
  }
}

void HighguiApp::tell() {
  if (const auto why = engine_.take_failure())
    messages_.say(why->code == ExitCode::ok ? Message::Kind::warning : Message::Kind::error, why->text);
  if (const auto warning = feed_.take_warning()) messages_.warn(*warning);
  if (const auto why = feed_.take_failure()) {
    messages_.error(*why);
    // There is no field here in which another source could be typed.
    if (!feed_.last() && !feed_.opening()) throw ExitError(ExitCode::source, *why);
  }
}

Report HighguiApp::report() {
  auto report = report_of(engine_, meter_, feed_.status());
  report.frames = pictures_;
  report.staged_reason = "shown by OpenCV's highgui";
  return report;
}

}  // namespace app
