#include "app/live/panel_state.h"

#include <algorithm>
#include <thread>
#include <tuple>
#include <utility>

#include "app/pipeline/frame_figures.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr auto period = 100ms;

// What can be seen without running a compiler; the rest is said of the file that is opened.
std::string why_no_kernels(const std::string& no_simulated) {
  if (!no_simulated.empty()) return no_simulated;
  const bool named = !environment("CXX").empty();
  return named || is_on_path("g++") ? "" : "Kernels of your own need a compiler: sudo apt install g++";
}

}  // namespace

PanelState::PanelState(Session& session, const gl::GlInfo& gl)
    : session_(session), places_(session, state_.browser, state_.recent) {
  state_.gl = gl;
  state_.host_threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

void PanelState::update(const gl::SharedTexture& texture, double zoom) {
  const auto now = Clock::now();
  const auto& engine = session_.engine();
  const auto& log = session_.log();
  const auto seconds = age_messages();
  state_.context.failed_source = session_.transport().failed_source();
  places_.look();
  state_.paused = session_.feed().paused();
  state_.failed_because = for_window(session_.transport().failed_because());
  state_.seeking = session_.feed().seeking();
  state_.position = session_.transport().position();
  state_.frame_age_ms = log.age_us() / 1000;
  state_.device = engine.device();
  state_.selection = engine.selection();
  update_cascade();
  state_.refusal = engine.refusal();
  state_.picture = texture.size();
  state_.context.zoom = zoom;
  state_.frames = log.latest();
  follow_graph_pause();
  state_.fps = log.drawn_per_second();
  state_.picture_fps = log.pictures_per_second();
  trace_player_.update(session_.trace_runner().trace(), session_.settings(), seconds);
  state_.trace.history = session_.trace_runner().trace();
  state_.trace.position = trace_player_.position();
  state_.trace.simulating = session_.trace_runner().simulates();
  state_.own_kernels = session_.kernels() ? session_.kernels()->files() : std::span<const KernelFile>();
  update_features();
  update_unsaved();
  if (now - renewed_ >= period) {
    renewed_ = now;
    update_all();
  }
}

double PanelState::age_messages() {
  const auto now = Clock::now();
  const auto seconds = std::chrono::duration<double>(now - std::exchange(messages_aged_, now)).count();
  state_.messages = session_.messages().age(seconds);
  for (auto& message : state_.messages) message.text = for_window(std::move(message.text));
  // Nobody reads them there, and they would cover what pictures of the window are made for.
  if (session_.run().offscreen)
    std::erase_if(state_.messages, [](const Message& message) { return message.kind == Message::Kind::info; });
  return seconds;
}

void PanelState::update_cascade() {
  const auto& selection = state_.selection;
  auto& view = session_.maker().cascade_view();
  const bool available = selection.effect && selection.effect->search;
  state_.cascade = {available, available && selection.effect->search(selection.effect_arguments).shows_depths, view.window(),
                    view.problem()};
}

void PanelState::update_features() {
  const auto& settings = session_.settings();
  auto& responses = session_.maker().responses();
  responses.want(shows(settings, Dock::detector) && !state_.cascade.available ? settings.feature : 0,
                 settings.feature_scale);
  state_.features = {responses.found(), responses.of_shown()};
}

void PanelState::update_unsaved() {
  state_.recording = session_.outputs().recording();
  state_.recorded_seconds = session_.outputs().recorded_seconds();
  const auto saved = session_.outputs().saving_video();
  state_.saving_video = saved.has_value();
  state_.saved_part = saved.value_or(0);
  state_.matrix_unsaved = session_.saver().matrix_unsaved();
  state_.matrix_problem = session_.saver().matrix_problem();
}

void PanelState::update_all() {
  if (!frozen_) state_.capture = session_.feed().status();
  state_.capture.message = for_window(std::move(state_.capture.message));
  const auto& engine = session_.engine();
  state_.gpu = engine.probe().gpu;
  if (const auto now = Clock::now(); now - looked_ >= 1s) {
    looked_ = now;
    state_.context.no_simulated = why_no_simulated_gpu();  // it may be built meanwhile
    state_.no_folder = why_no_folder();
    state_.no_editor = why_no_editor();
    state_.no_kernels = why_no_kernels(state_.context.no_simulated);
  }
  state_.trace.unavailable = session_.trace_runner().why_not(state_.context.no_simulated);
  state_.context = session_.context(state_.context.no_simulated);
  state_.interop = session_.maker().interop();
  state_.staged_reason = session_.maker().staged_reason();
  places_.remember_source();
  update_undo();
  update_statistics();
  state_.race = session_.race().figures();
  const auto& study = session_.race_runner().study().figures();
  const auto seen = [](const StudyFigures& s) {
    return std::tuple(s.on, s.finished, s.sizes.size(), s.runs, s.under_way.width);
  };
  if (seen(study) != seen(state_.study)) state_.study = study;  // a copy of hundreds of rows
}

void PanelState::update_undo() {
  const auto& settings = session_.settings();
  if (settings == undone_from_) return;
  undone_from_ = settings;
  state_.undoes = session_.undo().undoes(settings);
  state_.redoes = session_.undo().redoes(settings);
}

void PanelState::update_statistics() {
  const auto& figures = session_.log().shown();
  state_.memory_bytes = session_.maker().memory_bytes();
  const auto& log = session_.log();
  const auto& engine = session_.engine();
  const auto* work = log.shown_work();
  const auto selection = work ? *work->selection : engine.selection();
  const auto size = work ? work->size : state_.picture;
  const auto& settings = session_.settings();
  auto& bound = session_.race_runner().bound();
  if (shows(settings, Dock::frame)) bound.want(selection.device, size);
  state_.kernels = kernels_state(figures, selection, size, bound.of(selection.device, size));
  const auto pinned = static_cast<std::uint64_t>(session_.settings().graph_pinned);
  state_.timeline = timeline_state(log.latest(), pinned > 0 ? std::optional(pinned) : std::nullopt);
  const auto& light = session_.maker().light();
  state_.check = {light.checked(), light.wrong(), light.first_wrong() ? text_of(*light.first_wrong()) : std::string()};
  auto& graph = state_.graph;
  graph.target_ms = target_of(session_.settings(), state_.capture);
  graph.of = {figures.frames, figures.first, figures.last, log.shows_range()};
  // A range's figures are of the frames that there are now; without one those of the pause.
  const bool of_pause = paused_history_ && !graph.of.selected;
  if (!paused_history_) paused_figures_ = {};
  if (of_pause && !paused_figures_) paused_figures_ = {figures, graph.of};
  summarise(of_pause ? paused_figures_->figures : figures, session_.settings(), graph);
  if (of_pause) graph.summary_of = paused_figures_->of;
}

// Later frames may displace those that a paused graph shows: it has its own.
void PanelState::follow_graph_pause() {
  const auto& history = session_.log().history();
  if (session_.settings().graph_paused != (paused_history_ != nullptr))
    paused_history_ = paused_history_ ? nullptr : std::make_unique<const FrameHistory>(history);
  state_.graph.history = paused_history_ ? paused_history_.get() : &history;
}

void PanelState::freeze() {
  update_all();
  places_.keep();
  frozen_ = true;
}

bool PanelState::look_for_cameras() {
  if (session_.run().offscreen || !session_.settings().panels || !cameras_.look()) return false;
  return std::exchange(state_.cameras, cameras_.cameras()) != state_.cameras;
}

}  // namespace app
