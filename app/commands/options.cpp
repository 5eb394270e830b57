#include "app/commands/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/commands/option_values.h"
#include "app/control/names.h"
#include "app/support/exit_code.h"
#include "app/support/near_name.h"

namespace app {
namespace {

constexpr const char* commands_text =
    "Commands (satscope COMMAND --help tells more):\n"
    "  live [SOURCE]   the window; the default, and the word may be left out\n"
    "  sat IMAGE       write the summed area table of an image\n"
    "  apply IMAGE     apply one effect to one image\n"
    "  list WHAT       algorithms, effects or cameras, with their parameters\n"
    "  info            GPU, driver, CUDA, simulated GPU, OpenGL, interop, OpenCV\n"
    "  simulate        CUDA's algorithms on the simulated GPU: right or not, memory traffic, races\n\n"
    "Exit codes: 0 ok, 1 a result could not be written, or is wrong, 2 usage, 3 no display,\n"
    "4 source, 5 GPU asked for but absent.";

constexpr const char* simulate_text =
    "Every memory access is observed: 1024x1024 takes seconds per algorithm, sizes above 4096x4096\n"
    "take minutes. Exits with 1 where a table is wrong or a race is found.";

// The words as written; they are given their types after CLI11 has sorted them, so that every error reads alike.
struct Words {
  std::optional<std::string> device, interop, size, fps, vsync, frames, viewer, listing;
  std::optional<std::string> latency, width, blocks, schedule, model;
  std::vector<std::string> set;
  bool version = false;
};

void add_set(CLI::App& cli, Words& words, const char* help) {
  cli.add_option("--set", words.set, help)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)  // else it would take SOURCE too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_choices(CLI::App& cli, Options& options, Words& words, bool effect) {
  cli.add_option("--algorithm", options.algorithm, "how tables are computed")->type_name("NAME");
  if (effect) cli.add_option("--effect", options.effect, "what is drawn from the table")->type_name("NAME");
  add_set(cli, words, "a parameter of the algorithm or the effect; algorithm.KEY or effect.KEY where both have it");
}

void add_device(CLI::App& cli, Words& words, const char* choices) {
  cli.add_option("--device", words.device, "where to compute")->type_name(choices);
}

void add_live(CLI::App& cli, Options& options, Words& words) {
  cli.add_option("SOURCE", options.source,
                 "camera number, name or /dev/videoN; video; image; URL; synthetic[:WxH]. None: the first camera that "
                 "delivers, else the bundled clip");
  add_choices(cli, options, words, true);
  add_device(cli, words, "auto|cuda|host");
  cli.add_option("--interop", words.interop, "CUDA writes into OpenGL's texture")->type_name("auto|on|off");
  cli.add_option("--size", words.size, "asked of the source")->type_name("WxH");
  cli.add_option("--fps", words.fps, "asked of the source")->type_name("N");
  cli.add_flag("--loop", options.loop, "files start again at their end");
  cli.add_flag("--max-speed", options.max_speed, "files and synthetic as fast as they are processed, none dropped");
  cli.add_option("--vsync", words.vsync, "wait for the monitor")->type_name("on|off");
  cli.add_flag("--offscreen", options.offscreen, "the whole program without a window");
  cli.add_option("--frames", words.frames, "end after N frames")->type_name("N");
  cli.add_option("--screenshot", options.screenshot, "at the end, the whole window")->type_name("F.png");
  cli.add_option("--record", options.record, "the processed picture")->type_name("F.mp4");
  cli.add_option("--export", options.export_file, "at the end, the timings")->type_name("F.json|F.csv");
  cli.add_option("--viewer", words.viewer, "highgui: OpenCV's window, where OpenGL is broken")->type_name("gl|highgui");
  cli.add_option("--config", options.config, "settings file instead of the user's own")->type_name("F");
  cli.add_flag("--no-config", options.no_config, "neither read nor write settings");
  cli.footer(commands_text);
}

void add_type(CLI::App& cli, Options& options) {
  cli.add_option("--type", options.type, "input and sum: 8u32u 8u32f 32u32u 32f32f 64f64f 8u64u (of squares)")
      ->type_name("TYPE");
}

void add_image_command(CLI::App& cli, Options& options, Words& words, bool sat) {
  cli.add_option("IMAGE", options.image, "any file that OpenCV reads")->required();
  add_choices(cli, options, words, !sat);
  add_device(cli, words, "auto|cuda|host|simulated");
  cli.add_option("-o", options.output, sat ? "NumPy array to write" : "PNG to write")
      ->type_name(sat ? "F.npy" : "F.png")
      ->required();
  if (!sat) {
    cli.add_option("--annotations", options.annotations, "what marks the picture, as JSON")->type_name("F.json");
    return;
  }
  add_type(cli, options);
  cli.add_flag("--exclusive", options.exclusive, "OpenCV's layout: (W+1)x(H+1), first row and column zero");
}

void add_list(CLI::App& cli, Options& options, Words& words) {
  cli.add_option("WHAT", words.listing, "algorithms, effects or cameras")->required();
  cli.add_flag("--json", options.json, "for programs");
}

void add_simulate(CLI::App& cli, Options& options, Words& words) {
  options.type = "32f32f";
  cli.add_option("ALGORITHM", options.algorithms, "CUDA algorithms to run; without a name, all of them");
  cli.add_option("--size", words.size, "of the image, whose pixels are random; 1024x1024")->type_name("WxH");
  add_type(cli, options);
  add_set(cli, words, "a parameter, of every algorithm that has it");
  cli.add_option("--latency", words.latency, "of global memory on the memory machine, in time units; 400")
      ->type_name("L");
  cli.add_option("--width", words.width, "of the memory machine in words of 4 bytes; 32")->type_name("4|8|16|32");
  cli.add_option("--blocks", words.blocks, "resident at once; 264, two on each multiprocessor of an H200")
      ->type_name("N");
  cli.add_option("--schedule", words.schedule, "which block and warp runs next")->type_name("in-order|random:SEED");
  cli.add_option("--model", words.model, "instead: clocks by Chen et al. 2018, sec. V, from what was counted")
      ->type_name("latency");
  cli.add_option("--latencies", options.latencies, "of one more GPU for the model: satscope-bench --latencies --json F")
      ->type_name("F.json");
  cli.add_flag("--json", options.json, "for programs");
  cli.add_option("-o", options.output, "write the table, or the JSON, to a file")->type_name("F");
  cli.footer(simulate_text);
}

void give_types(const Words& words, Options& options) {
  if (words.device) options.device = choose<DeviceChoice>("--device", *words.device, device_choice_names);
  if (words.interop) options.interop = choose<InteropChoice>("--interop", *words.interop, interop_choice_names);
  if (words.viewer) options.viewer = choose<Viewer>("--viewer", *words.viewer, viewer_names);
  if (words.vsync) options.vsync = choose<bool>("--vsync", *words.vsync, toggle_names);
  if (words.listing) options.listing = choose<Listing>("list", *words.listing, listing_names);
  if (words.frames) options.frames = positive_whole("--frames", *words.frames);
  if (words.fps) options.fps = frame_rate(*words.fps);
  if (words.size) {
    options.size = size_from_text(*words.size);
    if (!options.size)
      refuse("--size takes WxH, each from 1 to " + std::to_string(maximum_side) + ", not '" + *words.size + "'");
  }
  for (const auto& word : words.set) options.set.push_back(assignment(word));
  if (words.latency) options.latency = whole_between("--latency", *words.latency, 1, 1'000'000);
  if (words.width) options.width = memory_width(*words.width);
  if (words.blocks) options.blocks = whole_between("--blocks", *words.blocks, 1, 1024);
  if (words.schedule) options.schedule = schedule_from(*words.schedule);
  if (words.model) options.model = choose<Model>("--model", *words.model, model_names);
}

void check_together(const Options& options) {
  if (options.config && options.no_config) refuse("--config and --no-config exclude each other: give one of them");
  if (options.export_file && !options.export_file->ends_with(".json") && !options.export_file->ends_with(".csv"))
    refuse("--export writes .json or .csv: '" + *options.export_file + "' ends in neither");
  if (options.screenshot && !options.screenshot->ends_with(".png"))
    refuse("--screenshot writes .png: '" + *options.screenshot + "' does not end so");
  if (options.record && !options.record->ends_with(".mp4"))
    refuse("--record writes .mp4: '" + *options.record + "' does not end so");
  if (options.command == Command::sat && !options.output.ends_with(".npy"))
    refuse("sat writes .npy: '" + options.output + "' does not end so");
  if (options.command == Command::apply && !options.effect)
    refuse("apply needs --effect NAME; satscope list effects names them");
  if (options.command == Command::apply && !options.output.ends_with(".png"))
    refuse("apply writes .png: '" + options.output + "' does not end so");
  if (options.annotations && !options.annotations->ends_with(".json"))
    refuse("--annotations writes .json: '" + *options.annotations + "' does not end so");
  if (options.model && !options.algorithms.empty())
    refuse("--model latency always runs scanrow_brlt, brlt_scanrow and scanrow_column: name no algorithm");
  if (options.model && options.width != 32)
    refuse("--model latency counts stages of 32 words: leave out --width " + std::to_string(options.width));
  if (options.model && options.latency != Options().latency)
    refuse("--model latency has its GPUs' own latencies: leave out --latency " + std::to_string(options.latency));
  if (options.model && options.schedule.kind != gpu::simulated::Schedule::Kind::in_order)
    refuse("--model latency counts the same in every order: leave out --schedule");
  if (options.model && options.blocks != Options().blocks)
    refuse("--model latency counts the same for any number of blocks: leave out --blocks " +
           std::to_string(options.blocks));
  if (options.latencies && !options.model) refuse("--latencies is for --model latency: give both");
  if (options.offscreen && options.viewer == Viewer::highgui)
    refuse("--offscreen has no window: leave out --viewer highgui");
}

// `--set A=1 B=2` as `--set A=1 --set B=2`: the words after the first that look like assignments too.
std::vector<std::string> repeat_set(std::span<const std::string> arguments) {
  const auto looks_assigned = [](const std::string& word) {
    const auto equals = word.find('=');
    return equals != word.npos && equals > 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals), [](unsigned char c) {
             return std::isalnum(c) || c == '_' || c == '.';
           });
  };
  std::vector<std::string> words;
  bool after_value = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (after_value && looks_assigned(arguments[i])) words.emplace_back("--set");
    words.push_back(arguments[i]);
    after_value = looks_assigned(arguments[i]) && words.size() > 1 && words[words.size() - 2] == "--set";
  }
  return words;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// CLI11's complaint in one line, with the nearest option where one was unknown.
std::string complaint(const CLI::App& cli, const CLI::ParseError& error, std::span<const std::string> arguments) {
  std::vector<std::string> known;
  for (const auto* option : cli.get_options()) known.push_back(option->get_name());
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const auto& argument : arguments) {
    if (argument == "--") break;
    const auto word = argument.substr(0, argument.find('='));
    if (!word.starts_with("--") || std::find(names.begin(), names.end(), word) != names.end()) continue;
    const auto near = did_you_mean(word, names);
    return "no option '" + word + "'" + (near.empty() ? "; see " + cli.get_name() + " --help" : near);
  }
  return one_line(error.what()) + "; see " + cli.get_name() + " --help";
}

}  // namespace

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  Words words;
  bool named = false;  // the first word is a command
  if (!arguments.empty())
    if (const auto command = find_name<Command>(command_names, arguments[0])) {
      options.command = *command;
      named = true;
    }
  const auto rest = repeat_set(arguments.subspan(named ? 1 : 0));

  const bool live = options.command == Command::live;
  CLI::App cli(live ? "Summed area tables of moving pictures, and what every kernel costs." : "",
               live ? "satscope" : "satscope " + arguments[0]);
  cli.add_flag("--version", words.version, "print the version");
  switch (options.command) {
    case Command::live: add_live(cli, options, words); break;
    case Command::sat: add_image_command(cli, options, words, true); break;
    case Command::apply: add_image_command(cli, options, words, false); break;
    case Command::list: add_list(cli, options, words); break;
    case Command::info: cli.add_flag("--json", options.json, "for programs"); break;
    case Command::simulate: add_simulate(cli, options, words); break;
  }
  try {
    cli.parse(std::vector<std::string>(rest.rbegin(), rest.rend()));  // CLI11 takes them last first
  } catch (const CLI::CallForHelp&) {
    options.text = cli.help();
    return options;
  } catch (const CLI::ParseError& error) {
    if (words.version || std::find(rest.begin(), rest.end(), "--version") != rest.end()) words.version = true;
    else refuse(complaint(cli, error, rest));
  }
  if (words.version) {
    options.text = "satscope " SATSCOPE_VERSION "\n";
    return options;
  }
  give_types(words, options);
  check_together(options);
  return options;
}

}  // namespace app
