// Options: the parsed command line. Settings in it are changes (control/change.h), everything else applies to one run; what
// the changes make of the settings, and the device that follows from them; and what a command line may say: values of options,
// which options need or exclude one another, which settings a command uses, and what is said of a wrong one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/change.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/pipeline.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/cuda/device.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/simulated/schedule.h"
#include "gpu/vision/cascade_files.h"
#include "gpu/vision/detector.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace app {

enum class Verb { live, sat, apply, detect, list, info, simulate, judge, tune, new_kernel, help };
inline constexpr std::string_view judge_child_word = "judge-child";  // in place of a verb; nobody types it
enum class Listing { algorithms, effects, cascades, cameras, settings, commands };
enum class Model { latency };

struct Options {
  Verb command = Verb::live;
  std::string text;  // --help, --version: print this and end; nothing else is set

  // Changes of settings: by their flags and SOURCE, then by --set.
  std::vector<Change> changes;
  // The text of those of `path`, which are equal; nullopt if there is none.
  std::optional<std::string> value_of(std::string_view path) const;

  // live, sat, apply, simulate: users' files with kernels, absolute paths
  std::vector<std::string> kernels;

  // live
  bool offscreen = false, race = false, study = false, check = false;  // check: the script's lines, which are not run
  std::optional<std::uint64_t> frames;
  std::optional<std::string> script, screenshot, record, export_file, log;
  std::optional<std::string> config;
  bool no_config = false;

  // sat, apply; detect and simulate also have output, simulate has type
  std::string image, output, type = "8u32u";
  bool exclusive = false;
  std::optional<std::string> annotations;  // of apply: the file for them
  std::optional<std::string> trace;        // of sat: the file for a tile trace

  // detect; judge: files of kernels
  std::vector<std::string> sources;
  std::string cascade{gpu::vision::bundled_cascade};  // a file or a name
  gpu::vision::DetectorOptions detector;
  bool raw = false;  // windows as they are found, not grouped

  // simulate
  std::vector<std::string> algorithms;  // empty: all
  std::optional<gpu::Size> size;
  int latency = 400, width = 32;  // of the memory machine
  int blocks = 264;               // resident at a time
  gpu::simulated::Schedule schedule;
  bool lines = false;  // also what each source line does
  std::optional<Model> model;
  std::optional<std::string> latencies;  // file with those of a GPU, for the model

  // judge, which also has size
  std::optional<std::string> junit;
  // The most that a kernel may take: microseconds, or so many times what an algorithm takes.
  struct AtMost {
    double factor = 0, microseconds = 0;  // one of them
    std::string algorithm;                // of the factor
  };
  std::optional<AtMost> at_most;
  enum class JudgeDevice { automatic, simulated, cuda };
  JudgeDevice judge_device = JudgeDevice::automatic;
  double seconds = 10, memory = 4;  // per file and device; GiB
  std::uint64_t seed = 1;

  // detect, list, info, simulate, judge
  Listing listing = Listing::algorithms;
  bool json = false;

  bool show = false, remove = false;  // tune

  // new: the output is the file
  std::optional<std::string> from;  // a built-in algorithm
  bool effect_start = false;

  std::string topic;  // help; empty: the list of topics
};

// Parses the arguments after the program's name. Throws ExitError (usage) with one line.
Options parse_options(std::span<const std::string> arguments);

// Applies the command line's changes, except parameters of the current algorithm or effect. Throws ExitError (usage).
void override_settings(const Options& options, Settings& settings);

// Applies those parameters, once the device, and with it the algorithm, is known. Throws ExitError (usage).
void assign_parameters(const Options& options, gpu::Device device, Settings& settings);

// On a machine without a GPU, a CUDA algorithm that is named without a device runs on the simulated GPU, with a line that
// says so. nullopt in all other cases. Throws ExitError (no_gpu) if the simulated GPU cannot run it. `of_file`: the algorithm
// that the settings file names, if the command line names none.
std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe,
                                                 const gpu::SatAlgorithm* of_file = nullptr);

// The selection of `satscope sat` and `satscope apply`: defaults and the command line, no settings file.
struct CommandSelection {
  Selection selection;
  std::string notice;  // device_without_gpu()'s line, to be told once nothing is refused any more; empty elsewhere
};
CommandSelection selection_of_command(const Options& options);  // throws ExitError (usage, no_gpu)

// How many bytes reading a picture may take; 0: the usual ones.
std::uint64_t picture_memory(const Options& options);

// The values of a picture of 16 bits that are shown; none: the automatic choice.
std::optional<capture::ValueWindow> shown_values(const Options& options);

// Says once that the simulated GPU takes long, where it is the device.
std::unique_ptr<LongWait> tell_if_simulation_is_long(gpu::Device device);

// Looked up by name. Throw ExitError (usage) that suggests the nearest name.
const gpu::SatAlgorithm& named_algorithm(const std::string& name);
const gpu::SatTypeInfo& named_type(const std::string& name);

// The rest is in option_rules.cpp.

// Values of options, from the words of the command line. A wrong one is refused in one line that says what is accepted:
// ExitError (usage).
[[noreturn]] void refuse(const std::string& message);

template <class Enum>
Enum choose(std::string_view option, const std::string& word, std::span<const std::string_view> names) {
  if (const auto value = find_name<Enum>(names, word)) return *value;
  refuse(std::string(option) + " takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

std::optional<std::uint64_t> whole_from(std::string_view word);  // nullopt: it is not a whole number, or too large
std::uint64_t positive_whole(std::string_view option, const std::string& word);
gpu::Size square_or_size(std::string_view option, const std::string& word);  // "24" is 24x24
gpu::simulated::Schedule schedule_from(const std::string& word);             // --schedule
Options::AtMost at_most_from(const std::string& word);                       // --at-most: "1.5x 2r1w", "120us"
Change assignment(const std::string& word);                                  // --set
// Refuses a first word that is near a command, and is neither a file nor a camera.
void check_command(const std::string& word);

// Throws ExitError (usage) with one line that says what to leave out or to add.
void check_together(const Options& options);

// What the parser of the command line refuses, in our words: one line with the cause and the next step; for an unknown option,
// with the nearest one.
std::string complaint(const CLI::App& cli, const CLI::ParseError& error);

}  // namespace app
