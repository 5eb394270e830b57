#include "app/live/app.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "app/capture/source_text.h"
#include "app/control/card_list.h"
#include "app/control/kernel_names.h"
#include "app/gl/picture_texture.h"
#include "app/output/picture_files.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/console.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "app/ui/rectangle.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr double large_window = 1800, room_to_measure = 1600;  // pixels of a display of scale 1

// How long a frame waits for a new picture before the window is drawn without one: software drawing takes the
// processors that the sources and the host's algorithms need; offscreen there is nothing else to wait for.
std::chrono::microseconds patience(bool offscreen, bool software) { return offscreen ? 50ms : software ? 15ms : 4ms; }

gpu::GpuProbe gpu_of_window(const gpu::GpuProbe& probe, const gl::Interop& interop) {
  return probe.gpu && interop.works && interop.cuda_device != probe.gpu->index ? gpu::probe_gpu(interop.cuda_device) : probe;
}

Run limited_by_texture(Run run) {
  run.largest_side = std::max(maximum_side, gl::largest_texture_side());
  return run;
}

Command open_command(const std::string& file) {
  Command command(Action::open);
  command.text = file;
  return command;
}

// The pixels of the frame drawn last, as a job that writes them.
Outputs::Job writing_of(const RenderTarget& surface) {
  return [pixels = surface.read_pixels(), width = surface.width(), height = surface.height()](const auto& path) {
    write_png(path,
              gpu::ImageView<const gpu::Rgba>{reinterpret_cast<const gpu::Rgba*>(pixels.data()), width, height, width});
  };
}

}  // namespace

App::App(std::unique_ptr<RenderTarget> surface, const Settings& settings, const gpu::GpuProbe& probe, const Run& run)
    : target_(std::move(surface)),
      interop_(probe.gpu ? gl::probe_interop() : gl::Interop{false, 0, probe.reason}),
      session_(settings, gpu_of_window(probe, interop_), limited_by_texture(run), !run.offscreen,
               [this](auto& context, auto& picture) { show_in(*texture_, context, picture); }),
      settings_(session_.settings()),
      view_control_(session_),
      overlays_(session_),
      idle_(session_),
      panel_state_(session_, target_->gl()),
      draws_where_it_computes_(interop_.draws && session_.engine().probe().gpu->index == interop_.cuda_device),
      large_(target_->width() >= large_window * target_->scale()) {
  // At the first start, which has hints, what is measured is seen where the picture leaves room.
  if (settings_.hints && !run.dock_chosen && target_->width() >= room_to_measure * target_->scale())
    session_.put(&Settings::dock_open, true);
  panel_state_.state().browser.by_desktop = !run.offscreen && may_have_file_dialog();
  panel_state_.state().probed = &overlays_.pixels();
  take_look(wanted_look());
  if (settings_.interop == InteropChoice::on && !interop_.works) session_.messages().warn("no interop: " + interop_.reason);
  if (!run.offscreen) say_if_no_gpu(session_.messages(), settings, probe);
  session_.engine().draw_on([this](auto& context, auto size) { return texture_->surface(context, size); });
  session_.set_screenshot([this] { return last_picture(); });
  target_->when_lost([this] { save_without_display("the connection to the display was lost"); });
  vsync_ = settings_.vsync;
  renew_texture();
}

App::~App() { target_->when_lost({}); }

ExitCode App::run() {
  while (!session_.done() && !closing()) {
    const bool goes_on = turn([this] { frame(); });
    if (goes_on && !target_->context_lost()) continue;
    save_without_display(goes_on ? "the GPU was reset, and the window's OpenGL context is lost"
                                 : "no more pictures can be made");
    return ExitCode::failed;
  }
  accept_typed();
  finish();
  // For the next start; a change while the program runs would be refused.
  if (!session_.run().offscreen && !fullscreen_) {
    const auto scale = settings_.ui_scale > 0 ? asked_scale() : target_->scale();
    const auto side = [&](int pixels) {
      return std::clamp(static_cast<int>(std::lround(static_cast<float>(pixels) / scale)), 64, maximum_side);
    };
    settings_.window_width = side(target_->width());
    settings_.window_height = side(target_->height());
  }
  return session_.exit_code();
}

// Session::turn(), with what of it was drawn.
bool App::turn(const std::function<void()>& what) {
  return session_.turn([&] {
    try {
      what();
    } catch (...) {
      target_->give_up_frame();
      changed_ = true;
      throw;
    }
  });
}

// Whether the window is closed by its button; if something is recorded or not saved, the user is asked first.
bool App::closing() {
  if (!target_->closing()) return false;
  accept_typed();
  session_.put(&Settings::presentation, false);  // it may have replaced numbers that are not saved
  panel_state_.update_unsaved();
  if (panels_.may_close(panel_state_.state())) {
    session_.quit();
    return true;
  }
  target_->keep_open();
  return false;
}

void App::frame() {
  const bool offscreen = session_.run().offscreen;
  const bool input = target_->wait_for_input(idle_.patience());
  session_.log().begin_turn();
  follow_settings();
  if (idle_.measuring()) session_.maker().measure_again();
  const auto usual = patience(offscreen, target_->gl().software);
  const bool traced = session_.trace_runner().simulates();
  const bool made = session_.step(idle_.now() ? 0us : pace_.patience(usual, Clock::now()));
  if (made && !session_.maker().measured_again() && !session_.maker().moved_wipe()) idle_.measure_from_now();
  if (traced && !session_.trace_runner().simulates())
    idle_.measure_from_now();  // what was measured beside it does not count
  if (offscreen) return made ? go_on_unseen() : void();
  const bool other_cameras = panel_state_.look_for_cameras(), chosen = take_chosen_file();
  const auto& io = ImGui::GetIO();
  const bool used = io.WantTextInput || ImGui::IsAnyMouseDown() || ImGui::IsAnyItemActive();
  changed_ |= idle_.draws(input || used || made || other_cameras || chosen || panel_state_.plays());
  panel_state_.state().idle = idle_.now();
  if (idle_.begins()) panel_state_.renew();
  const bool drawn = screenshot_to_ || (changed_ && pace_.due(Clock::now()));
  if (drawn) {
    draw_window();
  } else {
    panel_state_.age_messages();
    if (target_->iconified()) target_->take_events();  // else they come with the next drawing, which is soon
  }
  if (made || drawn) session_.log().drawn(drawn);
}

void App::draw_window() {
  const auto began = Clock::now();
  changed_ = false;
  target_->begin_frame();
  draw();
  if (screenshot_to_) target_->keep_frame();
  target_->end_frame();
  pace_.drawn(began, Clock::now());
  if (const auto to = std::exchange(screenshot_to_, {}))
    session_.outputs().save(*to, "screenshot", ".png", writing_of(*target_));
}

// Nobody sees an offscreen run until a picture of its window is asked for: last_picture() draws that. But the panels follow
// settings, and what the picture is made with, and its size: they know how large it is drawn, and what is to be measured or
// searched for them.
void App::go_on_unseen() {
  shown_texture();  // takes over what has arrived
  const auto* work = session_.log().shown_work();
  const bool other_work = work && unseen_selection_ != *work->selection;
  if (panel_state_.plays() || unseen_settings_ != settings_ || unseen_size_ != texture_->size() || other_work) {
    draw_again();
    unseen_settings_ = settings_;
    unseen_size_ = texture_->size();
    if (work) unseen_selection_ = *work->selection;
  }
  panel_state_.age_messages();
  session_.log().drawn();
  if (session_.run().progress) show_progress();
}

// What the settings ask of the window: when it is drawn, its look, a texture with or without interop; and files dropped on it.
void App::follow_settings() {
  open_dropped();
  follow_pace();
  if (pace_.due(Clock::now())) follow_window();  // else it would be asked many times before it is drawn
  if (texture_for_ != settings_.interop && !session_.engine().busy()) renew_texture();
}

void App::follow_window() {
  session_.set_scales(usual_scale(), most_scale());
  if (const auto look = wanted_look(); look != look_) {
    take_look(look);
    target_->renew_fonts();
  }
  if (fullscreen_ != settings_.fullscreen) target_->set_fullscreen(fullscreen_ = settings_.fullscreen);
  name_window();
}

void App::follow_pace() {
  if (session_.run().offscreen) return;
  const bool every_frame = settings_.max_speed || session_.transport().needs_every_frame();
  pace_.follow(target_->iconified(), every_frame, every_frame ? target_->refresh_rate() : 0);
  if (const bool vsync = settings_.vsync && pace_.swap_may_wait(); vsync_ != vsync) target_->set_vsync(vsync_ = vsync);
  session_.log().set_circumstance("vsync", settings_.vsync ? "on" : "off");
}

// The scale of text that is asked for; the window may have no room for it.
float App::asked_scale() const {
  const auto scale = settings_.ui_scale > 0 ? static_cast<float>(settings_.ui_scale) : usual_scale();
  return std::clamp(scale, 0.5f, 4.0f);
}

float App::usual_scale() const { return target_->scale() * (large_ ? 1.15f : 1); }

double App::most_scale() const { return ui::most_scale(target_->width(), target_->height(), usual_scale()); }

ui::Look App::wanted_look() const {
  const bool code = !settings_.kernels.empty() || !panel_state_.state().own_kernels.empty();
  return {std::min(asked_scale(), static_cast<float>(most_scale())), settings_.theme, code};
}

void App::take_look(const ui::Look& look) {
  look_ = look;
  ui::apply_theme(look);
  target_->set_ui_scale(look.scale);
  target_->set_background(ui::panel_background());
}

// "lobby.mp4 - 1r1w_skss_lb - satscope"
void App::name_window() {
  const auto& source = panel_state_.state().capture.name;
  const auto* algorithm = session_.engine().selection().algorithm;
  auto title = source.empty() ? std::string() : source + " - ";
  title += (algorithm ? title_of(*algorithm) + " - " : "") + "satscope";
  if (title != title_) target_->set_title(title_ = std::move(title));
}

// Of several sources, the first one is opened; kernels are all loaded.
void App::open_dropped() {
  std::string first;
  std::size_t others = 0;
  for (std::string file; target_->take_dropped(file);)
    if (is_kernel_file(file)) {
      session_.perform(open_command(file));
      session_.messages().say_once("dropped kernels", Messages::Kind::info,
                                   "kernels are native code, which runs with your rights: open what you trust");
    } else if (first.empty()) {
      first = file;
    } else {
      ++others;
    }
  if (first.empty()) return;
  panels_.open_source(first);
  if (others > 0)
    session_.messages().info("opened " + std::filesystem::path(first).filename().string() + ", the first of " +
                             counted(others + 1, "file") + "; drop one at a time");
}

void App::renew_texture() {
  texture_for_ = settings_.interop;
  const bool off = settings_.interop == InteropChoice::off;
  auto next = std::make_unique<gl::SharedTexture>(interop_.works && !off, off ? "switched off" : interop_.reason);
  auto& engine = session_.engine();
  try {
    if (engine.has_picture() && engine.pipeline().draw_pixels())
      show_in(*next, engine.pipeline().context(), engine.pipeline().picture());
    else if (engine.has_picture())
      session_.maker().measure_again();    // its pixels are lost, and a still source has no other picture
  } catch (const std::exception& error) {  // costs the picture; the next one finds the texture
    session_.messages().error(error.what());
  }
  texture_ = std::move(next);
}

unsigned App::shown_texture() {
  const auto texture = texture_->texture();
  if (const auto error = texture_->take_error(); !error.empty()) session_.messages().error(error);
  return texture;
}

void App::show_in(gl::SharedTexture& texture, gpu::Context& context, const Picture& picture) {
  if (!picture.on_surface || !texture.show_surface(picture.size(), picture.annotations)) {
    auto& pipeline = session_.engine().pipeline();
    pipeline.draw_pixels();  // the picture is the one published last: they are not lost
    texture.show(context, pipeline.picture().pixels, picture.annotations);
  }
  const bool cuda = context.device() == gpu::Device::cuda;
  session_.maker().presented(cuda && texture.interop(), cuda ? texture.reason() : "computed on the CPU");
  session_.maker().draws_on_gpu(cuda && draws_where_it_computes_ && !target_->iconified());
}

void App::draw() {
  const auto picture = shown_texture();  // first: it takes over what has arrived, which may have another size
  const auto layout = ui::layout(settings_, target_->width(), target_->height());
  const auto pixel = view_control_.navigate(texture_->size(), layout.picture);
  const auto& view = view_control_.view();
  auto& state = panel_state_.state();
  session_.set_zoom(view.scale());
  overlays_.ask(view, pixel, has_matrix(settings_, state.capture.kind));
  panel_state_.update(*texture_, view.scale());
  target_->fill(view.area, ui::picture_background());
  renderer_.draw(view, picture, target_->width(), target_->height(), overlays_.gain());
  const auto numbers = overlays_.numbers(view);
  auto taken = ui::draw_annotations(view, texture_->annotations(), numbers, !settings_.presentation);
  const bool covered = ui::draw_tile_trace(view, state.trace, settings_, numbers);
  auto said = taken;
  said.insert(said.end(), numbers.begin(), numbers.end());
  const auto take = [&](const std::vector<ui::Rect>& more) { taken.insert(taken.end(), more.begin(), more.end()); };
  take(ui::draw_cascade_window(view, state.cascade, settings_, said));
  take(ui::draw_features(view, state.features, settings_, numbers));
  if (const auto placement = view_control_.placement(); placement && settings_.panels)
    take(ui::draw_handles(view, *placement, view_control_.area_of_effect(), look_.scale));
  state.notes = overlays_.draw(view, std::move(taken), covered);
  state.side_names = overlays_.side_names();
  state.wipe_handle = ui::wipe_handle(view, session_.engine().selection(), settings_.wipe);
  edited_ = settings_;
  const auto asked = panels_.draw(state, edited_);
  session_.accept(edited_, asked.drags);
  for (const auto& refusal : asked.refusals) session_.messages().warn(refusal);
  for (const auto& command : asked.commands) act(command);
  if (asked.browse) panel_state_.read_folder(*asked.browse);
  if (asked.asks_desktop) ask_desktop_for_file(*asked.asks_desktop);
  try {
    if (asked.shown) show_file(*asked.shown);
    if (asked.in_editor) open_in_editor(asked.in_editor->file, asked.in_editor->line);
  } catch (const std::invalid_argument& error) {
    session_.messages().error(error.what());
  }
}

// One at a time. A dialog may be out of sight, or never be answered: whoever asks a third time gets the program's own.
void App::ask_desktop_for_file(const std::string& setting) {
  if (!chosen_file_.valid()) {
    file_is_for_ = setting;
    said_dialog_is_open_ = false;
    chosen_file_ = ask_for_file(ui::title_of_browser(setting));
  } else if (!std::exchange(said_dialog_is_open_, true)) {
    session_.messages().info("the desktop's dialog is open; ask once more for the program's own");
  } else {
    browse_here(setting);
  }
}

// The answer of the desktop's dialog, also in a window that is not drawn. Where it fails the program's own takes its place,
// until one is answered. True where there was one.
bool App::take_chosen_file() {
  if (!chosen_file_.valid() || chosen_file_.wait_for(0s) != std::future_status::ready) return false;
  const auto file = chosen_file_.get();
  panel_state_.state().browser.by_desktop = file.asked;
  if (!file.asked)
    browse_here(file_is_for_);
  else if (is_kernel_file(file.uri) && file_is_for_.empty())
    session_.perform(open_command(file.uri));
  else if (!file.uri.empty() && file_is_for_.empty())
    panels_.open_source(file.uri);
  else if (!file.uri.empty())
    session_.change({file_is_for_, capture::local_path(file.uri).string()});
  return true;
}

void App::browse_here(const std::string& setting) {
  panel_state_.state().browser.by_desktop = false;
  panels_.browse_next_for(setting);
  session_.put(&Settings::browse, true);
}

// Before the program ends.
void App::accept_typed() {
  edited_ = settings_;
  panels_.accept_typed(panel_state_.state(), edited_);
  session_.accept(edited_);
}

void App::act(const Command& command) {
  if (command.action != Action::screenshot) {
    session_.perform(command);
  } else if (session_.may_write(command)) {
    if (const auto before = std::exchange(screenshot_to_, command.to)) session_.outputs().release(*before);
  }
  if (command.action == Action::reset_statistics) idle_.measure_from_now();
}

void App::show_progress() {
  const auto source = session_.feed().status();
  const auto all = static_cast<std::uint64_t>(source.length * source.fps + 0.5);
  const auto frames = session_.run().frames;
  progress_.show(session_.pictures(), frames ? std::min(*frames, all ? all : *frames) : all);
}

// Everything that was asked for is tried, even if a part of it fails.
void App::finish() {
  turn([this] { write_results(true); });
  target_->set_vsync(false);  // a window that is covered may never show a frame
  while (!session_.outputs().finish(patience(session_.run().offscreen, true)))
    if (!session_.run().offscreen) turn([this] { target_->iconified() ? target_->take_events() : draw_again(); });
}

// Hands the session's results to their writers. A screenshot needs the window.
void App::write_results(bool has_window) {
  finishing_ = true;
  session_.finish();
  if (session_.run().progress) progress_.finish(session_.pictures());
  panel_state_.freeze();
  if (session_.has_nothing()) return;
  session_.saver().write_results(has_window ? std::function([this] { return last_picture(); }) : nullptr);
}

// Saves, at the end, what needs no window.
void App::save_without_display(const std::string& why) try {
  std::signal(SIGTERM, SIG_IGN);  // the end of a desktop's session sends it along; SIGINT still ends at once
  tell(why + ": saving what was recorded or changed");
  if (const auto& screenshot = session_.run().screenshot)
    tell(screenshot->string() + " was not written: the window can no longer be drawn");
  if (!finishing_) {
    turn([this] { accept_typed(); });
    write_results(false);
  }
  while (!session_.outputs().finish(patience(true, true))) continue;
} catch (const std::exception& error) {
  tell(error.what());
}

// The last picture in the window, as a job that writes it; or that says why there is none.
Outputs::Job App::last_picture() try {
  texture_->flush();
  follow_window();               // what was set just now, too: fonts of a new scale, or of a kernel's text
  for (int i = 0; i < 3; ++i) {  // panels find their sizes within two frames
    draw_again();
    overlays_.wait();
    session_.maker().wait_for_tabs();
  }
  return writing_of(*target_);
} catch (...) {
  return [why = std::current_exception()](const auto&) { std::rethrow_exception(why); };
}

void App::draw_again() {
  panel_state_.renew();
  target_->begin_frame();
  draw();
  target_->keep_frame();
  target_->end_frame();
}

}  // namespace app
