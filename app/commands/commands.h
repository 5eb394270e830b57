// The commands, each in a file of its own. Each throws ExitError or another std::exception, whose what() is the one
// line for the user; report_failure() prints it and chooses the exit code.
#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "app/commands/options.h"
#include "app/output/verdict_text.h"
#include "app/support/exit_code.h"
#include "gpu/choice/tune.h"

namespace app {

class KernelFiles;

// The window; without a display, the same program runs offscreen.
ExitCode run_live(const Options& options);

void run_sat(const Options& options);
void run_apply(const Options& options);
// Failed where it was interrupted; a source that fails costs one line, and the others are searched.
ExitCode run_detect(const Options& options);
void run_list(const Options& options);
void run_info(const Options& options);
void run_help(const Options& options);
// A section of the manual; of an empty topic, the list of topics. Throws ExitError (usage) if there is none.
std::string help_text(const std::string& topic);
ExitCode run_simulate(const Options& options);  // failed: a table is wrong, a race was found, or it was interrupted

// Says of every file whether its kernels are right. failed: one is wrong, or it was interrupted; does_not_compile, too_slow.
ExitCode run_judge(const Options& options);
// Its parts, for tests. A kernel that is right may still exceed --at-most: by times where a GPU measured them, else by the sectors
// that it moves.
void apply_limit(JudgedFile& judged, const Options::AtMost& most);
ExitCode exit_code_of(std::span<const JudgedFile> files);
// One after another, until `stop` interrupts one of them; prints and writes what the options ask for. Throws what `judge` does, when
// everything until then is printed.
ExitCode judge_all(const Options& options, const std::function<JudgedFile(const std::string& name)>& judge,
                   const std::atomic<bool>& stop);

void run_new(const Options& options);

// --kernel: compiles and tries its files, and chooses the last algorithm and effect of them in `options` unless those name others. Null:
// there are none. Where one does not work, it prints what compilers say, and throws ExitError (failed).
std::shared_ptr<KernelFiles> load_kernels(Options& options, const gpu::GpuProbe& probe, bool first_type_first = false);
// Waits until a selection with kernels of these is tried on pictures of a size. Throws ExitError (failed) where it may not make such
// ones. `kernels`: null: there are none.
void require_tried(KernelFiles* kernels, const Selection& selection, gpu::Size size);
// The line that says where they run, if that is not the GPU that is there; else empty.
std::string where_kernels_run(const Options& options, const gpu::GpuProbe& probe);

ExitCode run_tune(const Options& options);  // failed: it was interrupted, and nothing was saved
// Its parts, for tests with other times than a GPU's. Measures, prints what is the fastest, and keeps it in the file `path`, in which
// other GPUs' entries stay; a file that is damaged is set aside, with a line.
ExitCode tune(const std::string& gpu, const std::optional<std::filesystem::path>& path, const gpu::TimeAlgorithm& time);
// Writes it there, also where another program does so at the same time. Where a damaged file is now, the end of a sentence; empty:
// there was none. Throws std::runtime_error with one line.
std::string keep_tuned(const std::filesystem::path& path, const gpu::TunedGpu& gpu);

// Prints "satscope: cause; next step" on stderr, always as one line.
ExitCode report_failure(const std::exception& error);

// `satscope list settings` and `satscope list commands`: what --set, the settings file and scripts can name, from the tables
// of fields, parameters and actions.

// An object per setting, those of algorithms and effects included: path, accepted, default, help; flag if it has one; kept:
// "saved", "run" or "start" (saved, and read only when the program starts).
nlohmann::ordered_json settings_json();
// An object per action: name, help, keys; endings of the file that it writes.
nlohmann::ordered_json commands_json();

// The same as text, from that JSON.
std::string settings_text(const nlohmann::ordered_json& settings);
std::string commands_text(const nlohmann::ordered_json& actions);

}  // namespace app
