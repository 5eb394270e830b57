#include "app/commands/commands.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <future>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/capture/source.h"
#include "app/control/kernel_names.h"
#include "app/control/selection.h"
#include "app/control/settings_file.h"
#include "app/highgui/highgui_app.h"
#include "app/live/app.h"
#include "app/output/race_figures.h"
#include "app/output/study_text.h"
#include "app/session/script_check.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/interrupt.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t frames_without_display = 300;  // of a source that never ends

// The settings file, what was read from it, and the settings as the run starts with them.
struct Configuration {
  std::optional<fs::path> path;
  LoadedSettings loaded;
  Settings started;
  bool creates = false;             // the file, which the user named, even where nothing is changed
  bool first = false;               // a window that nobody has used
  std::vector<std::string> faults;  // of the file, that were told already: who starts a window sees no stderr
  bool kept = true;                 // false: nothing can be saved, which was told
};

void tell_fault(Configuration& configuration, const std::string& fault) {
  tell(fault);
  configuration.faults.push_back(fault);
}

// Hints are for somebody who starts the program plainly; they wait where a run is repeated, measured, or leaves results, and
// where its settings are elsewhere than usual.
bool greets(const Options& options, const Run& run) {
  return !run.offscreen && !run.script && !run.frames && run.results().empty() && !options.config && !options.no_config;
}

// Runs that measure and end.
bool measures(const Options& options) { return options.race || options.study; }

bool saves_settings(const Options& options) { return !options.offscreen && !measures(options) && !options.script; }

// A file that the user named and that is not there: the window creates it when it closes; other runs do not.
void check_new_settings(const Options& options, const fs::path& path) {
  const auto name = "'" + path.string() + "'";
  if (!saves_settings(options))
    refuse("there is no settings file " + name + ", and only a window without a script creates one; check --config");
  const auto file = behind_links(path), folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(folder, error))
    refuse("there is no settings file " + name + ", and no folder '" + folder.string() +
           "' for a new one; check --config, or create the folder");
  if (::access(folder.c_str(), W_OK) != 0)
    refuse("there is no settings file " + name +
           ", and a new one cannot be created: " + std::generic_category().message(errno) + "; check --config");
}

Configuration configure(const Options& options) {
  Configuration configuration;
  const bool saves = saves_settings(options);
  bool first = saves;  // what is repeated or measured starts with the same settings everywhere
  if (!options.no_config) configuration.path = options.config ? fs::path(*options.config) : default_settings_path();
  if (configuration.path) {
    auto& loaded = configuration.loaded;
    loaded = load_settings(*configuration.path, options.config ? WhenBroken::refuse
                                                : saves        ? WhenBroken::set_aside
                                                               : WhenBroken::leave);
    if (options.config && !loaded.problem.empty()) throw ExitError(ExitCode::usage, loaded.problem);
    if (!loaded.problem.empty()) tell_fault(configuration, loaded.problem);
    configuration.creates = options.config && loaded.missing;
    if (configuration.creates) check_new_settings(options, *configuration.path);
    first = first && loaded.missing;
  }
  if (first) configuration.loaded.settings = first_settings();
  // The window's comparison is one to look at, and on since the first start: half of a file would be the original, hidden faces
  // included. A run without a window compares where it is told to.
  if ((options.offscreen || measures(options)) && !options.config) configuration.loaded.settings.compare.on = false;
  configuration.first = first;
  configuration.started = configuration.loaded.settings;
  if (!options.value_of("source")) configuration.started.loop = true;  // the bundled clip loops until the user unchecks it
  override_settings(options, configuration.started);
  if (first && begins_uncompared(configuration.started.effect) && !options.value_of("compare"))
    configuration.started.compare.on = false;
  if (measures(options))
    configuration.started.max_speed = true;  // no frame is dropped: the N-th one is the same in every run
  return configuration;
}

void tell_if_not_kept(const Options& options, Configuration& configuration) {
  if (options.no_config || !saves_settings(options)) return;
  const auto why = why_not_kept(configuration.path);
  configuration.kept = why.empty();
  if (!configuration.kept) tell_fault(configuration, why);
}

// Names what an earlier run left, as far as the command line does not set it.
void say_what_is_left(const Configuration& configuration, Messages& messages) {
  auto settings = configuration.loaded.settings;
  if (settings.device != configuration.started.device) settings.device = DeviceChoice::automatic;
  settings.panels |= configuration.started.panels;
  if (const auto left = left_by_earlier_run(settings); !left.empty()) messages.info(left);
}

void save(const Configuration& configuration, const Settings& current) {
  const auto& [path, loaded, started, creates, first, faults, kept] = configuration;
  if (!path || (!creates && settings_to_json(current) == settings_to_json(started))) return;
  try {
    const auto now = set_aside_if_broken(*path, loaded);
    if (!now.problem.empty()) tell(now.problem);
    save_settings(*path, changes_to_save(now, started, current));
  } catch (const std::exception& error) {
    if (kept) tell(std::string("settings: ") + error.what());
  }
}

// Kernels of users' files are there before the first picture where pictures must not depend on time, or words name them. In a window they
// are compiled while the source plays.
bool compiles_first(const Options& options) {
  if (options.offscreen || measures(options) || options.script) return true;
  const auto is_named = [&](const Change& change) {
    return std::ranges::any_of(options.kernels, [&](const std::string& file) {
      const auto name = kernel_name(file);
      const auto sides = ',' + change.text + ',';
      return change.path.starts_with(name + '.') || sides.find(',' + name + ',') != sides.npos;
    });
  };
  return std::ranges::any_of(options.changes, is_named);
}

Run run_of(const Options& options, const Configuration& configuration) {
  Run run;
  run.offscreen = options.offscreen || measures(options);
  run.race = options.race;
  run.study = options.study;
  run.progress = run.offscreen && ::isatty(STDERR_FILENO) == 1;
  run.dock_chosen = !configuration.first || options.value_of("dock_open") || options.value_of("dock");
  run.frames = measures(options) && !options.frames ? 1 : options.frames;
  run.script = options.script;
  if (!compiles_first(options)) std::ranges::transform(options.kernels, std::back_inserter(run.chosen_kernels), kernel_name);
  if (configuration.path && saves_settings(options) && !options.config)
    run.recent = configuration.path->parent_path() / "recent.json";
  if (options.screenshot) run.screenshot = *options.screenshot;
  if (options.record) run.record = *options.record;
  if (options.export_file) run.export_file = *options.export_file;
  if (options.log) run.log = *options.log;
  return run;
}

// Throws ExitError where a result would replace another one or what the run reads, or cannot be written.
void check_results_of_run(const Run& run, const Settings& settings) {
  const auto results = run.results();
  check_results(results, capture::source_file(settings.source));
  for (const auto& result : results) check_kept(result, run.read(settings));
}

// Replaces the window if there is no display (`why`): no frame is dropped, and where nothing else was asked for, the last picture goes
// to a file. That is said once there is a picture: where the source is wrong, only that is.
void run_without_window(const Options& options, const std::string& why, Run& run, Settings& settings) {
  run.offscreen = run.progress = true;
  run.recent.reset();
  run.announce = run.script != "-";  // then the standard output is for the answers
  if (!run.script) run.frames_of_endless = frames_without_display;
  if (!options.value_of("source")) settings.source = asset("clip.mp4").string();
  settings.max_speed = true;
  settings.loop = false;
  run.instead_of_window = why + "; running offscreen";
  if (run.script || !run.results().empty()) return;
  const fs::path folder = settings.output_folder;
  run.screenshot = folder / "screenshot.png";
  run.instead_of_window += ", the last picture goes to " + run.screenshot->string();
  const auto refuse = [&run](ExitCode code, const std::exception& why) {
    throw ExitError(code,
                    run.instead_of_window + ": " + why.what() + "; name a result with --screenshot, --record or --export");
  };
  try {
    make_folder(folder);
    check_results_of_run(run, settings);
  } catch (const ExitError& error) {
    refuse(error.code(), error);
  } catch (const std::runtime_error& error) {
    refuse(ExitCode::failed, error);
  }
}

std::unique_ptr<RenderTarget> open_target(const Options& options, Run& run, Settings& settings) {
  if (!run.offscreen) try {
      return open_window(settings.window_width, settings.window_height, settings.vsync, settings.ui_scale);
    } catch (const RenderTargetError& error) {
      if (error.kind() != RenderTargetError::Kind::no_display) throw;
      run_without_window(options, error.what(), run, settings);
    }
  return open_offscreen(settings.window_width, settings.window_height);
}

// device_without_gpu() also of the algorithm that the settings file names, unless the command line chose another one, or a
// device. What cannot run is a wrong value in that file.
std::optional<DeviceDecision> start_without_gpu(const Options& options, const gpu::GpuProbe& probe,
                                                Configuration& configuration) {
  const auto& settings = configuration.started;
  const auto* named = configuration.loaded.algorithm;
  if (!named || options.value_of("algorithm") || settings.device != DeviceChoice::automatic ||
      settings.cuda_algorithm != named->name)
    return device_without_gpu(options, probe);
  try {
    return device_without_gpu(options, probe, named);
  } catch (const ExitError& error) {
    const auto problem = "settings " + configuration.path->string() + ": " + error.what();
    if (options.config) throw ExitError(error.code(), problem);
    tell_fault(configuration, problem + "; the algorithm is ignored");
    return {};
  }
}

// Chooses the device and applies the parameters that depend on it, before anything is opened, so that wrong words are
// reported first. Returns device_without_gpu()'s line.
std::string choose_start_device(const Options& options, const gpu::GpuProbe& probe, Configuration& configuration) {
  auto& settings = configuration.started;
  const auto elsewhere = start_without_gpu(options, probe, configuration);
  if (elsewhere) settings.device = DeviceChoice::simulated;
  const auto asked = options.value_of("device");
  const bool required = asked == "cuda" || asked == "simulated";
  const auto decision = choose_device(settings, probe, required);
  assign_parameters(options, decision.device, settings);
  if (options.value_of("compare"))
    if (const auto why = why_not_compared(settings, decision.device); !why.empty()) refuse("--compare: " + why);
  return elsewhere ? elsewhere->warning : std::string();
}

// Whether the command line, or the settings file, can be checked only when the device is known.
bool needs_device(const Options& options, const Configuration& configuration) {
  using gpu::Device;
  const auto& settings = configuration.started;
  const bool sides = options.value_of("compare") && (!why_not_compared(settings, Device::host).empty() ||
                                                     !why_not_compared(settings, Device::cuda).empty());
  return options.value_of("device") || options.value_of("algorithm") || configuration.loaded.algorithm || sides ||
         std::ranges::any_of(options.changes, depends_on_machine);
}

// Prints what ran, also of a race that was interrupted, which is a failure.
ExitCode print_race(const RaceFigures& race) {
  const auto ran = std::ranges::count_if(race.rows, [](const RaceRow& row) { return row.runs > 0; });
  if (ran > 0) print(race_table(race));
  if (race.finished || !interrupted()) return ExitCode::ok;
  tell(ran == 0 ? "the race was interrupted before a row of it had run"
                : "the race was interrupted: " + counted(static_cast<std::uint64_t>(ran), "row") + " of " +
                      std::to_string(race.rows.size()) + " ran, not all of them often enough");
  return ExitCode::failed;
}

ExitCode print_study(const StudyFigures& study) {
  if (!study.sizes.empty()) print(study_table(study));
  if (study.finished && study.problem.empty()) return ExitCode::ok;
  tell("the study " + (study.problem.empty() ? "was interrupted after " + counted(study.sizes.size(), "size")
                                             : "measured nothing: " + study.problem));
  return interrupted() || !study.problem.empty() ? ExitCode::failed : ExitCode::ok;
}

// A window that nobody has used begins with the fastest algorithm that was measured on this GPU, and keeps it.
void begin_with_the_fastest(const Options& options, const gpu::GpuProbe& probe, Configuration& configuration) {
  if (!configuration.first || !probe.gpu || options.value_of("algorithm") || options.value_of("cuda_algorithm")) return;
  const auto tuned = gpu::load_tuned(gpu::tuned_path());
  if (!tuned.problem.empty()) tell(tuned.problem);
  configuration.loaded.settings.cuda_algorithm = configuration.started.cuda_algorithm = first_cuda_algorithm(*probe.gpu,
                                                                                                             tuned);
}

// The window was to compile them, and there is none.
void load_without_window(const Options& options, const gpu::GpuProbe& probe, Run& run, Settings& settings) {
  auto chosen = options;
  run.kernels = load_kernels(chosen, probe, true);
  run.chosen_kernels.clear();
  const std::span<const Change> more(chosen.changes.begin() + static_cast<std::ptrdiff_t>(options.changes.size()),
                                     chosen.changes.end());
  ChangeContext machine;
  if (!probe.gpu) machine.no_cuda = probe.reason;
  apply(settings, more, machine);
}

CheckedScript check_script(const Options& options, const Run& run, const Settings& settings, const gpu::GpuProbe& probe) {
  ChangeContext machine;
  if (!probe.gpu) machine.no_cuda = probe.reason;
  if (!simulated_gpu_is_being_built()) machine.no_simulated = why_no_simulated_gpu();  // it will be there by then
  return check_script(*options.script, settings, machine, run.results());
}

std::string line_of_fault(const CheckedScript::Fault& fault, const std::string& script) {
  return (script == "-" ? "line " : script + ':') + std::to_string(fault.line) + ": " + fault.why;
}

ExitCode report_check(const CheckedScript& checked, const std::string& script) {
  if (checked.wrong == 0) {
    print((script == "-" ? "standard input" : script) + ": " + counted(checked.lines, "line") + ", nothing wrong\n");
    return ExitCode::ok;
  }
  for (const auto& fault : checked.faults) tell(line_of_fault(fault, script));
  if (const auto more = checked.wrong - checked.faults.size(); more > 0) tell("and " + counted(more, "line") + " more");
  return checked.faults.front().code;
}

// A pipe's lines are checked as they come.
void require_right_lines(const Options& options, const Run& run, const Settings& settings, const gpu::GpuProbe& probe) {
  std::error_code ignored;
  if (*options.script == "-" || !fs::is_regular_file(*options.script, ignored)) return;
  const auto checked = check_script(options, run, settings, probe);
  if (checked.wrong == 0) return;
  const auto& first = checked.faults.front();
  const auto more = checked.wrong - 1;
  throw ExitError(first.code, line_of_fault(first, *options.script) +
                                  (more > 0 ? "; " + counted(more, "line") + " more: --check lists them" : ""));
}

}  // namespace

ExitCode run_live(const Options& given) {
  // Starting the driver takes long; the window opens meanwhile.
  auto probing = std::async([] { return gpu::probe_gpu(); }).share();
  auto options = given;
  std::shared_ptr<KernelFiles> kernels;
  if (compiles_first(options)) kernels = load_kernels(options, probing.get(), true);
  for (const auto& file : options.kernels) options.changes.push_back({"kernel", file});
  auto configuration = configure(options);
  auto& settings = configuration.started;
  auto run = run_of(options, configuration);
  run.kernels = kernels;
  if (kernels) run.notice = where_kernels_run(options, probing.get());
  if (needs_device(options, configuration))
    if (auto notice = choose_start_device(options, probing.get(), configuration); !notice.empty())
      run.notice = std::move(notice);
  if (options.check) return report_check(check_script(options, run, settings, probing.get()), *options.script);
  if (options.script) require_right_lines(options, run, settings, probing.get());
  run.config = configuration.path;
  check_results_of_run(run, settings);
  outlive_readers();
  watch_interrupts();
  if (settings.viewer == Viewer::highgui && !run.offscreen) {
    auto window = open_highgui_window("satscope");  // before waiting for the driver
    tell_if_not_kept(options, configuration);
    HighguiApp app(std::move(window), settings, probing.get(), run);
    const auto code = app.run();
    if (!run.script) save(configuration, app.settings_to_save());
    return code;
  }
  auto target = open_target(options, run, settings);  // before waiting for the driver
  if (run.offscreen && !run.kernels && !options.kernels.empty()) load_without_window(options, probing.get(), run, settings);
  if (!run.offscreen) tell_if_not_kept(options, configuration);
  if (!greets(options, run) && !options.value_of("hints")) settings.hints = false;
  begin_with_the_fastest(options, probing.get(), configuration);
  App app(std::move(target), settings, probing.get(), run);
  if (!run.offscreen)
    for (const auto& fault : configuration.faults) app.session().messages().show(Messages::Kind::warning, fault);
  if (!run.offscreen && !run.script) say_what_is_left(configuration, app.session().messages());
  // A terminal has a bar, and a script says how long it waits.
  const bool silent = run.offscreen && !run.progress && !run.script;
  auto wait = tell_if_simulation_is_long(silent && settings.device == DeviceChoice::simulated ? gpu::Device::simulated
                                                                                              : gpu::Device::host);
  const auto ended = app.run();
  wait.reset();
  auto& session = app.session();
  if (!run.offscreen && !run.script) save(configuration, session.lessons().as_before(session.saver().settings_to_save()));
  const auto printed = run.race    ? print_race(session.race().figures())
                       : run.study ? print_study(session.race_runner().study().figures())
                                   : ExitCode::ok;
  return ended == ExitCode::ok ? printed : ended;
}

}  // namespace app
