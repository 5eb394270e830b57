#include "app/live/app.h"

#include <utility>

#include "app/control/source_request.h"
#include "app/output/png.h"
#include "app/support/interrupt.h"

namespace app {
namespace {

using namespace std::chrono_literals;

// How long a frame waits for a new picture before the window is drawn without one: software drawing takes the
// processors that the sources and the host's algorithms need; offscreen there is nothing else to wait for.
std::chrono::microseconds patience(bool offscreen, bool software) { return offscreen ? 50ms : software ? 15ms : 4ms; }

gpu::GpuProbe that_draws(const gpu::GpuProbe& probe, const gl::Interop& interop) {
  return probe.gpu && interop.works && interop.cuda_device != probe.gpu->index ? gpu::probe_gpu(interop.cuda_device)
                                                                               : probe;
}

void write_window(const std::filesystem::path& path, const Surface& surface) {
  const auto pixels = surface.read_pixels();
  write_png(path, gpu::ImageView<const gpu::Rgba>{reinterpret_cast<const gpu::Rgba*>(pixels.data()), surface.width(),
                                                 surface.height(), surface.width()});
}

int history(const Run& run) { return static_cast<int>(std::min<std::uint64_t>(run.frames.value_or(600), 2000)); }

}  // namespace

App::App(std::unique_ptr<Surface> surface, const Settings& settings, const gpu::GpuProbe& probe, const Run& run)
    : run_(run),
      settings_(settings),
      surface_(std::move(surface)),
      interop_(probe.gpu ? gl::probe_interop() : gl::Interop{false, 0, probe.reason}),
      engine_(that_draws(probe, interop_), std::max(600, history(run))),
      results_(run_, messages_) {
  ui::apply_theme(surface_->scale());
  if (settings_.interop == InteropChoice::on && !interop_.works) messages_.warn("no interop: " + interop_.reason);
  requested_ = request_of(settings_, engine_.probe().gpu.has_value());
  feed_.open(requested_);
  vsync_ = settings_.vsync;
  follow_settings();  // makes the texture
}

App::~App() = default;

ExitCode App::run() {
  while (!done()) frame();
  finish();
  if (!run_.offscreen) {
    settings_.window_width = surface_->width();
    settings_.window_height = surface_->height();
  }
  if (results_.failed()) return ExitCode::failed;
  return source_failed_ && pictures_ == 0 ? ExitCode::source : ExitCode::ok;
}

void App::frame() {
  const bool input = look_for_input();
  meter_.begin();
  follow_settings();
  const auto* fresh = next_frame();
  const auto* source = fresh || engine_.wants(settings_) ? (fresh ? fresh : feed_.last()) : nullptr;
  const bool made = source && make_picture(*source);
  if (!source && measuring() && engine_.uploaded()) compute(*feed_.last());
  if (fresh && made) {
    state_.position = fresh->position;
    state_.frame_age_ms = std::chrono::duration<double, std::milli>(Clock::now() - fresh->captured).count();
  }
  frames_ += fresh != nullptr;
  tell();
  if (run_.offscreen && !made && feed_.last()) return;  // nobody looks: nothing new, nothing drawn
  if (!stay_awake(input || made)) return;
  surface_->begin_frame();
  draw();
  if (screenshot_wanted_) surface_->keep_frame();
  surface_->end_frame();
  if (std::exchange(screenshot_wanted_, false))
    results_.screenshot_now([&](const auto& path) { write_window(path, *surface_); });
  meter_.end(made, gpu_ms_);
  if (run_.progress && made) show_progress();
}

// A new source, texture or rhythm, where the settings ask for one.
void App::follow_settings() {
  if (std::string dropped; surface_->take_dropped(dropped)) settings_.source = dropped;
  auto request = request_of(settings_, engine_.probe().gpu.has_value());
  if (!same_request(request, requested_)) {
    requested_ = request;
    feed_.open(requested_);
  }
  if (vsync_ != settings_.vsync) surface_->set_vsync(vsync_ = settings_.vsync);
  if (texture_ && texture_for_ == settings_.interop) return;
  texture_for_ = settings_.interop;
  const bool off = settings_.interop == InteropChoice::off;
  auto next = std::make_unique<gl::SharedTexture>(interop_.works && !off, off ? "switched off" : interop_.reason);
  if (engine_.has_picture()) next->show(engine_.pipeline().context(), engine_.pipeline().picture());
  texture_ = std::move(next);
}

// The newest frame. The slot of the one before may be used again only once the GPU has read it.
const capture::Frame* App::next_frame() {
  if (!engine_.uploaded()) return nullptr;
  const auto start = Clock::now();
  const auto* frame = feed_.take(resting_ ? 0ms : patience(run_.offscreen, surface_->gl().software));
  meter_.waited(Clock::now() - start);
  idle_ = !frame;
  return !frame && run_.frames ? feed_.still() : frame;
}

bool App::make_picture(const capture::Frame& frame) {
  if (!compute(frame)) return false;
  results_.add(engine_, feed_);
  measure_from_now();
  return true;
}

bool App::compute(const capture::Frame& frame) {
  if (!engine_.process(frame, settings_)) return false;
  auto& pipeline = engine_.pipeline();
  try {
    texture_->show(pipeline.context(), pipeline.picture());
  } catch (const std::exception& error) {
    messages_.error(error.what());
  }
  pipeline.finish();
  ++pictures_;
  return true;
}

void App::draw() {
  navigate();
  show_state();
  renderer_.draw(view_, texture_->texture(), surface_->width(), surface_->height());
  for (const auto action : panels_.draw(state_, settings_).actions) act(action);
}

void App::act(Action action) {
  switch (action) {
    case Action::pause: feed_.set_paused(!feed_.paused()); break;
    case Action::reopen: feed_.open(requested_); break;
    case Action::screenshot: screenshot_wanted_ = true; break;
    case Action::record: results_.toggle_recording(); break;
    case Action::export_timings: results_.export_now(report()); break;
    case Action::reset_statistics:
      meter_.reset();
      if (engine_.has_picture()) engine_.pipeline().timeline().reset();
      measure_from_now();
      break;
    case Action::switch_device: messages_.warn("no CUDA device: " + engine_.probe().reason); break;
    case Action::quit: quit_ = true; break;
    default: break;  // the others are settings
  }
}

// What went wrong, once; and the settings say again what is true.
void App::tell() {
  if (const auto why = engine_.take_failure()) {
    if (run_.offscreen && why->code != ExitCode::ok && !engine_.has_picture()) throw ExitError(why->code, why->text);
    messages_.say(why->code == ExitCode::ok ? Message::Kind::warning : Message::Kind::error, why->text);
  }
  warn_of_source();
  if (const auto why = feed_.take_failure()) {
    // Nobody types another source where nobody looks, or where a run has a task.
    const bool unattended = run_.offscreen || run_.frames || run_.record || run_.screenshot || run_.export_file;
    if (unattended && !feed_.last()) throw ExitError(ExitCode::source, *why);
    source_failed_ = true;
    messages_.error(*why);
    if (const auto* request = feed_.request(); request && !same_request(*request, requested_)) {
      put_request(*request, settings_);
      requested_ = *request;
    }
  }
}

void App::warn_of_source() {
  if (const auto warning = feed_.take_warning()) messages_.warn(*warning);
}

bool App::done() {
  if (quit_ || interrupted() || surface_->closing()) return true;
  if (run_.frames && frames_ >= *run_.frames) return true;
  if (!run_.offscreen) return false;
  if (run_.frames_of_endless && !run_.frames && feed_.last() && frames_ >= *run_.frames_of_endless &&
      feed_.status().length <= 0)
    return true;
  if (!idle_) return false;
  return feed_.still() ? !run_.frames : feed_.ended();
}

void App::show_progress() {
  const auto& capture = state_.capture;
  const auto all = static_cast<std::uint64_t>(capture.length * capture.fps + 0.5);
  progress_.show(pictures_, run_.frames ? std::min(*run_.frames, all ? all : *run_.frames) : all);
}

// Everything that was asked for is tried, whatever became of the rest.
void App::finish() {
  if (run_.progress) progress_.finish(pictures_);
  warn_of_source();  // of an end that the last frame came before
  const auto last = report();  // before films and pictures are written: the source goes on meanwhile
  finished_ = true;
  results_.final_screenshot([&](const auto& path) {
    texture_->flush();
    for (int i = 0; i < 3; ++i) draw_again();  // panels find their sizes within two frames
    write_window(path, *surface_);
  });
  results_.finish_film();
  results_.final_export(last);
}

void App::draw_again() {
  refreshed_ = {};
  surface_->begin_frame();
  draw();
  surface_->keep_frame();
  surface_->end_frame();
}

}  // namespace app
