#include "app/commands/options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <limits>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/capture/camera_list.h"
#include "app/capture/source.h"
#include "app/control/change.h"
#include "app/control/fields.h"
#include "app/support/exit_code.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"

namespace app {

void refuse(const std::string& message) { throw ExitError(ExitCode::usage, message); }

std::optional<std::uint64_t> whole_from(std::string_view word) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// The largest value is mentioned only if it was exceeded.
std::uint64_t whole_number(std::string_view option, const std::string& word, std::uint64_t least) {
  const auto value = whole_from(word);
  if (value && *value >= least) return *value;
  const bool too_large = !value && !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  const auto most = too_large ? " to " + std::to_string(std::numeric_limits<std::uint64_t>::max()) : std::string();
  refuse(std::string(option) + " takes a whole number from " + std::to_string(least) + most + ", not '" + word + "'");
}

std::uint64_t positive_whole(std::string_view option, const std::string& word) { return whole_number(option, word, 1); }

gpu::Size square_or_size(std::string_view option, const std::string& word) {
  if (const auto size = size_from_text(word.find('x') == word.npos ? word + 'x' + word : word)) return *size;
  refuse(std::string(option) + " takes N or WxH, each from 1 to " + std::to_string(maximum_side) + ", not '" + word + "'");
}

gpu::simulated::Schedule schedule_from(const std::string& word) {
  using gpu::simulated::Schedule;
  constexpr std::string_view random = "random:";
  constexpr std::string_view names[] = {"in-order", "random:SEED"};
  if (word == names[0]) return {};
  if (word.starts_with(random))
    return {Schedule::Kind::random, whole_number("--schedule random:SEED", word.substr(random.size()), 0)};
  refuse("--schedule takes " + or_list(names) + ", not '" + word + "'" + did_you_mean(word, names));
}

Options::AtMost at_most_from(const std::string& word) {
  const auto text = trimmed(word);
  for (const std::string_view unit : {"us", "\u00b5s", "\u03bcs"}) {  // both letters look like a micro sign
    if (!text.ends_with(unit)) continue;
    const auto time = number_from_text(trimmed(text.substr(0, text.size() - unit.size())));
    if (time && *time > 0) return {0, *time, {}};
  }
  if (const auto x = text.find('x'); x != text.npos) {
    const auto factor = number_from_text(text.substr(0, x));
    const std::string name(trimmed(text.substr(x + 1)));
    if (factor && *factor > 0 && !name.empty()) {
      const auto& algorithm = named_algorithm(name);
      if (algorithm.device != gpu::Device::host) return {*factor, 0, std::string(algorithm.name)};
      refuse("--at-most compares with CUDA's algorithms: " + name + " runs on the CPU");
    }
  }
  refuse("--at-most takes a time as 120us, or a factor and an algorithm as '1.5x 2r1w', not '" + word + "'");
}

Change assignment(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == word.npos || equals == 0) refuse("--set takes KEY=VALUE, not '" + word + "'");
  return {word.substr(0, equals), word.substr(equals + 1)};
}

void check_command(const std::string& word) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  std::error_code error;
  if (!std::ranges::all_of(word, letter) || std::filesystem::exists(word, error)) return;
  std::vector<std::string_view> names(std::begin(verb_names), std::end(verb_names));
  names.insert(names.end(), {"--help", "--version"});
  const auto& sources = capture::source_words;
  names.insert(names.end(), std::begin(sources), std::end(sources));
  const auto nearest = gpu::nearest(word, names);
  if (nearest.empty() || std::ranges::find(sources, nearest) != std::end(sources)) return;  // errors are reported there
  if (!capture::find_camera(word, capture::list_cameras()))
    refuse("no such source or command: '" + word + "' (did you mean " + (nearest.starts_with("--") ? "'" : "the command '") +
           std::string(nearest) + "'?)");
}

namespace {

// Whether `live`, `sat` or `apply` does anything with a setting; parameters of algorithms and effects are none.
bool uses_setting(std::string_view command, std::string_view path) {
  constexpr std::string_view of_sat[] = {"algorithm", "cuda_algorithm", "host_algorithm", "device", "memory_budget"};
  constexpr std::string_view of_apply[] = {"effect", "pointer",       "compare", "compare_mode",
                                           "wipe",   "amplification", "values"};
  if (command == "live") return true;
  if (command != "sat" && command != "apply") return false;
  return std::ranges::count(of_sat, path) > 0 || (command == "apply" && std::ranges::count(of_apply, path) > 0);
}

// A flag and --set may name the same setting, also a parameter with its owner and without; which of two values is meant, nobody
// can say.
void check_said_once(const Options& options) {
  const auto chosen = [&](std::string_view owner) {
    return owner == options.value_of("effect") || owner == options.value_of("algorithm");
  };
  for (const auto& change : options.changes) {
    const ParameterPath full(change.path);
    for (const auto& other : options.changes) {
      const bool same = other.path == change.path || (full.has_owner && other.path == full.name && chosen(full.owner));
      if (same && other.text != change.text)
        refuse(change.path + " is given twice, as '" + change.text + "' and as '" + other.text + "': leave out one of them");
    }
  }
}

void check_judged(const Options& options) {
  if (options.command != Verb::judge) return;
  if (std::ranges::count(options.sources, "") > 0) refuse("a file is an empty text: name a file with kernels");
  if (options.at_most && options.at_most->microseconds > 0 && options.judge_device == Options::JudgeDevice::simulated)
    refuse("--at-most in microseconds needs a GPU: give a factor and an algorithm, as '1.5x 2r1w', or leave out --device");
}

void check_detection(const Options& options) {
  if (options.command != Verb::detect) return;
  if (std::ranges::count(options.sources, "") > 0) refuse("a source is an empty text: name an image or a video");
  const auto& [min, max] = std::pair(options.detector.levels.min_size, options.detector.levels.max_size);
  if (max.width > 0 && (min.width > max.width || min.height > max.height))
    refuse("--min-size " + text_of(min) + " exceeds --max-size " + text_of(max) + ": no window is between them");
  const int fewest = options.detector.min_neighbors;
  if (options.raw && fewest != Options().detector.min_neighbors)
    refuse("--raw groups no windows: leave out --min-neighbors " + std::to_string(fewest));
  if (options.json && options.output.ends_with(".csv"))
    refuse("--json and " + options.output + " are two forms: leave out --json, or name a .json or .jsonl file");
}

// `sat` and `apply` compute one picture, with one algorithm and at most one effect.
void check_used(const Options& options) {
  if (options.command != Verb::sat && options.command != Verb::apply) return;
  const std::string command = options.command == Verb::sat ? "sat" : "apply";
  const auto effect = options.value_of("effect").value_or("");
  const bool others = options.value_of("compare").has_value();  // then sides may be other algorithms and effects
  for (const auto& change : options.changes) {
    const auto owner = ParameterPath(change.path).owner;
    if (find_field(change.path) && !uses_setting(command, change.path))
      refuse(command + " does not use the setting " + change.path + ": leave it out");
    if (others) continue;
    if (gpu::find_effect(owner) && owner != effect)
      refuse(command + " draws " + (effect.empty() ? "no effect" : "the effect " + effect) + ": leave out " + change.path);
    const auto algorithm = options.value_of("algorithm").value_or(std::string(owner));
    if (gpu::find_sat_algorithm(owner) && owner != algorithm)
      refuse(command + " computes with " + algorithm + ": leave out " + change.path);
  }
}

}  // namespace

void check_together(const Options& options) {
  check_said_once(options);
  if (options.from && options.effect_start)
    refuse("--from copies an algorithm, --effect begins an effect: leave out one of them");
  if (options.command == Verb::apply && !options.value_of("effect") && options.kernels.empty())
    refuse("apply needs --effect NAME; satscope list effects prints them");
  check_used(options);
  check_detection(options);
  check_judged(options);
  if (options.show && options.remove) refuse("--show prints what --remove removes: leave out one of them");
  if (options.model && !options.algorithms.empty())
    refuse("--model latency always runs scanrow_brlt, brlt_scanrow and scanrow_column: leave out the names");
  if (options.model && options.width != 32)
    refuse("--model latency counts stages of 32 words: leave out --width " + std::to_string(options.width));
  if (options.model && options.latency != Options().latency)
    refuse("--model latency uses the latencies of its GPUs: leave out --latency " + std::to_string(options.latency));
  if (options.model && options.schedule.kind != gpu::simulated::Schedule::Kind::in_order)
    refuse("--model latency counts the same in every order: leave out --schedule");
  if (options.model && options.blocks != Options().blocks)
    refuse("--model latency counts the same for any number of blocks: leave out --blocks " + std::to_string(options.blocks));
  if (options.model && options.lines) refuse("--model latency prints no source lines: leave out --lines");
  if (options.latencies && !options.model) refuse("--latencies is for --model latency: give both");
  if (options.offscreen && options.value_of("viewer") == "highgui")
    refuse("--offscreen has no window: leave out --viewer highgui");
  if (options.value_of("source") == "")
    refuse("the source is an empty text: name one, or leave it out for the first camera, else the bundled clip");
  if (options.config && options.no_config)
    refuse("--config names a settings file, --no-config wants none: leave out one of them");
  if (options.config == "") refuse("--config takes the name of a settings file, not an empty text");
  if (options.race && options.value_of("viewer") == "highgui") refuse("--race has no window: leave out --viewer highgui");
  if (options.race && options.script)
    refuse(
        "--race and --script both say when the run ends: leave out --race; {\"do\": \"race\"} is the same in a "
        "script");
  if (options.study && (options.race || options.script || options.value_of("viewer") == "highgui"))
    refuse("--study has no window, and says itself when the run ends: leave out --race, --script and --viewer");
  if (options.check && !options.script)
    refuse("--check checks the lines of a script: give --script FILE; --set check=on verifies tables");
  if (options.frames && options.script)
    refuse("--frames and --script both say when the run ends: leave out --frames; {\"do\": \"quit\"} ends a script");
}

namespace {

std::string help_of(const CLI::App& cli) { return "; see " + cli.get_name() + " --help"; }

// "sat", of "satscope sat".
std::string command_of(const CLI::App& cli) {
  const auto space = cli.get_name().find(' ');
  return space == std::string::npos ? "live" : cli.get_name().substr(space + 1);
}

// As the command's `--set` takes it, if it does: what has no flag of its own is often tried as one. A parameter that one
// algorithm or effect alone has is written with that.
std::optional<std::string> as_set(const CLI::App& cli, const std::string& key) {
  if (!cli.get_option_no_throw("--set")) return {};
  const auto command = command_of(cli);
  if (const auto* field = find_field(key))
    return uses_setting(command, key) && (command != "live" || field->flag.empty()) ? std::optional(key) : std::nullopt;
  const ParameterPath path(key);
  std::vector<std::string> owners;
  const auto look = [&](const auto& all) {
    for (const auto* one : all)
      if ((!path.has_owner || path.owner == one->name) &&
          std::ranges::count(one->parameters, path.name, &gpu::Parameter::name) > 0)
        owners.emplace_back(one->name);
  };
  look(gpu::sat_algorithms());
  if (command == "live" || command == "apply") look(gpu::all_effects());
  if (owners.empty()) return {};
  return owners.size() == 1 && !path.has_owner ? owners.front() + '.' + key : key;
}

std::string no_option(const CLI::App& cli, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  if (cli.get_option_no_throw(name)) return "options come before '--': move " + name + " there";
  auto key = name.substr(std::min<std::size_t>(2, name.size()));
  std::ranges::replace(key, '-', '_');  // as flags are written, and paths are not
  if (const auto path = name.starts_with("--") ? as_set(cli, key) : std::nullopt)
    return "no option '" + name + "': it is a setting, write --set " + *path + "=VALUE";
  if (std::error_code error; std::filesystem::exists(word, error))
    return "no option '" + word + "': to name the file, write ./" + word;
  std::vector<std::string> known;
  for (const auto* option : cli.get_options()) known.push_back(option->get_name());
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto nearest = gpu::nearest(name, names);
  if (!nearest.empty() && !nearest.starts_with('-'))  // a positional: it is named by itself
    return "no option '" + name + "': " + std::string(nearest) + " is named without one, as in satscope " +
           (command_of(cli) == "live" ? "" : command_of(cli) + ' ') + std::string(nearest);
  const auto near = did_you_mean(name, names);
  return "no option '" + name + "'" + (near.empty() ? help_of(cli) : near);
}

// A word beyond those that the command takes.
std::string one_too_many(const CLI::App& cli, const std::string& word) {
  const auto options = cli.get_options();
  const auto taken = std::ranges::find_if(options, [](const auto* option) { return option->get_positional(); });
  auto kind = lower(taken == options.end() ? "names" : (*taken)->get_name());
  if (kind == "what") kind = "word";
  return command_of(cli) + " takes " + (taken == options.end() ? "no " : "one ") + kind + ": leave out '" + word + "'";
}

// Words that CLI11 has put aside, whatever else it complains of.
std::string unexpected(const CLI::App& cli) {
  for (const auto& word : cli.remaining()) {
    if (word == "--") continue;
    return word.size() > 1 && word.starts_with('-') ? no_option(cli, word) : one_too_many(cli, word);
  }
  return {};
}

std::string missing(const CLI::App& cli) {
  for (const auto* option : cli.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    const auto rest = option->get_positional() ? " (" + option->get_description() + ")" : ' ' + option->get_type_name();
    return command_of(cli) + " needs " + option->get_name() + rest + help_of(cli);
  }
  return {};
}

// The option whose name the error begins with: "--frames: ...", "offscreen was ...".
const CLI::Option* blamed(const CLI::App& cli, std::string_view error) {
  const std::string name(error.substr(0, error.find_first_of(": ")));
  const auto* option = cli.get_option_no_throw(name);
  return option ? option : cli.get_option_no_throw("--" + name);
}

std::string wrong_count(const CLI::App& cli, const CLI::Option& option) {
  const auto& name = option.get_name();
  if (option.count() > 1) return name + " is given " + std::to_string(option.count()) + " times: leave out all but one";
  if (option.get_disable_flag_override()) return name + " takes no value: write " + name + " alone";
  auto type = option.get_type_name();
  type = type.substr(0, type.find(' '));
  return name + " needs a value: " + name + ' ' + type + help_of(cli);
}

}  // namespace

std::string complaint(const CLI::App& cli, const CLI::ParseError& error) {
  if (auto line = unexpected(cli); !line.empty()) return line;
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return text;  // from our own checks
  if (dynamic_cast<const CLI::RequiredError*>(&error))
    if (auto line = missing(cli); !line.empty()) return line;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error))
    if (const auto* option = blamed(cli, text)) return wrong_count(cli, *option);
  return text + help_of(cli);
}

}  // namespace app
