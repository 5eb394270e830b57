#include "app/commands/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "app/control/change.h"
#include "app/control/fields.h"
#include "app/control/kernel_names.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"

namespace app {
namespace {

std::string footer() {
  std::string text =
      "Commands (satscope COMMAND --help lists the options of each):\n"
      "  live [SOURCE]   the window; the default: the word may be left out\n"
      "  sat IMAGE       write the summed area table of an image\n"
      "  apply IMAGE     apply one effect to one image\n"
      "  detect SOURCE   find faces, or other objects, in images and videos\n"
      "  list WHAT       algorithms, effects, cascades, cameras, settings or commands, with ranges and help\n"
      "  info            GPU, driver, CUDA, simulated GPU, OpenGL, interop, OpenCV\n"
      "  simulate        CUDA algorithms on the simulated GPU: correctness, memory traffic, races\n"
      "  judge FILE      whether kernels of your own are right, and what they move\n"
      "  tune            measure which CUDA algorithm is the fastest on this GPU, and keep it for later runs\n"
      "  new FILE.cu     write a file with a kernel of your own, to begin with\n"
      "  help [TOPIC]    a section of the manual; without TOPIC: which there are\n\n"
      "Exit codes:\n";
  for (const auto& [code, meaning] : exit_meanings) {
    const auto digits = std::to_string(static_cast<int>(code));
    text += "  " + digits + std::string(6 - digits.size(), ' ') + std::string(meaning) + '\n';
  }
  text.pop_back();
  return text;
}

constexpr const char* simulate_text =
    "Every memory access is observed: 1024x1024 takes seconds per algorithm, sizes above 4096x4096\n"
    "take minutes. Exits with 1 if a table is wrong or a race is found.";

constexpr const char* judge_text =
    "Each file is compiled, and runs in a process of its own with limits of time and memory: on small images of\n"
    "many sizes, strides and contents, in several orders of warps and blocks, with every memory access observed.\n"
    "Kernels are native code that runs with your rights: the limits end what never ends, and keep nobody from\n"
    "reading or deleting your files. A server that judges others' files needs a container for each.\n"
    "Without a GPU --at-most compares the sectors of memory that are moved, not times.\n"
    "Exits with 6 if a file does not compile, otherwise with 1 if one is wrong or was not judged,\n"
    "otherwise with 7 if one is too slow.";

// A setting on the command line.
struct Given {
  const Field* field;
  CLI::Option* option = nullptr;
  std::string text;
};

// The arguments as written, for those that CLI11 does not convert.
struct Words {
  std::deque<Given> settings;  // CLI11 keeps references into it
  std::vector<std::string> set;
  std::optional<std::string> frames, listing, size, schedule, model, min_size, max_size, at_most, judge_device;
  bool version = false;
};

void add_setting(CLI::App& cli, Words& words, std::string_view path) {
  const auto& field = *find_field(path);
  auto& given = words.settings.emplace_back(&field);
  const std::string flag(field.flag), help(field.help);
  const auto* toggle = std::get_if<Field::Toggle>(&field.value);
  const bool source = !flag.starts_with("--");
  if (toggle && toggle->bare)
    given.option = cli.add_flag(flag, given.text, help);
  else if (given.option = cli.add_option(flag, given.text, help); !source)
    given.option->type_name(placeholder(field));
}

void add_set(CLI::App& cli, Words& words, const char* help) {
  cli.add_option("--set", words.set, help)
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)  // otherwise it would also take SOURCE
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

constexpr const char* set_help =
    "a setting by its path: a parameter of the algorithm or the effect (W, 2r1w.W, haar.type; algorithm.KEY or effect.KEY "
    "if both have it), or any path that satscope list settings prints";

// `--offscreen=no` would turn it on.
void add_flag(CLI::App& cli, const char* name, bool& on, const char* help) {
  cli.add_flag(name, on, help)->disable_flag_override();
}

// Checks of values: what they return becomes the end of the error, after the option's name.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[=](std::string& word) {
            const auto value = whole_from(word);
            return value && *value >= least && *value <= most ? std::string()
                                                              : "'" + word + "' must be a whole number from " +
                                                                    std::to_string(least) + " to " + std::to_string(most);
          },
          ""};
}
// `range`: in words.
CLI::Validator number(double least, double most, const std::string& range) {
  return {[=](std::string& word) {
            const auto value = number_from_text(word);
            return value && *value >= least && *value <= most ? std::string()
                                                              : "'" + word + "' must be a number from " + range;
          },
          ""};
}
CLI::Validator one_of(std::vector<std::string_view> words) {
  return {[words](std::string& word) {
            return std::ranges::find(words, word) != words.end() ? std::string()
                                                                 : "'" + word + "' must be " + or_list(words);
          },
          ""};
}
// Elsewhere -o takes a table or a picture. `instead`: who writes what is wanted here.
CLI::Validator text_file(const std::string& instead) {
  return {[=](std::string& name) -> std::string {
            if (name.empty()) return "'' must be the name of a file";
            if (!name.ends_with(".npy") && !name.ends_with(".png")) return {};
            return "'" + name + "' is for " + instead;
          },
          ""};
}
// Checks the ending of a file's name.
CLI::Validator ending(std::vector<std::string_view> endings) {
  return {[endings](std::string& name) {
            const bool right = std::ranges::any_of(endings, [&](const auto end) { return name.ends_with(end); });
            return right ? std::string() : "'" + name + "' must end in " + or_list(endings);
          },
          ""};
}

void add_kernel_option(CLI::App& cli, Options& options) {
  cli.add_option(
         "--kernel", options.kernels,
         "a file with a kernel of your own, or an effect, which is compiled and used; may be given several times; satscope "
         "new FILE.cu writes one")
      ->type_name("FILE.cu")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_live(CLI::App& cli, Options& options, Words& words) {
  for (const auto& field : fields())
    if (!field.flag.empty()) add_setting(cli, words, field.path);
  add_set(cli, words, set_help);
  add_kernel_option(cli, options);
  add_flag(cli, "--offscreen", options.offscreen, "run without a window; only the files that are named are written");
  cli.add_option("--frames", words.frames, "end after N frames; not with --script")->type_name("N");
  add_flag(cli, "--race", options.race,
           "offscreen: time and check every algorithm on the first frame (with --frames N: on the N-th), print a table, "
           "end");
  add_flag(cli, "--study", options.study,
           "offscreen: time and check the algorithms (study_algorithms) over sizes of the picture, print a table, end");
  cli.add_option(
         "--script", options.script,
         "lines of JSON: changes, waits, commands and questions (satscope list commands); -: from the standard input")
      ->type_name("FILE|-");
  add_flag(cli, "--check", options.check, "with --script: say what is wrong with its lines, and run none of them");
  const auto file = [&](const char* flag, auto& path, const char* help, const char* type) {
    return cli.add_option(flag, path, help)->type_name(type);
  };
  file("--screenshot", options.screenshot, "save the window at the end", "F.png")->check(ending({".png"}));
  file("--record", options.record, "record the processed picture; an existing file is replaced", "F.mp4")
      ->check(ending({".mp4"}));
  file("--export", options.export_file, "save the timings at the end", "F.json|F.csv")->check(ending({".json", ".csv"}));
  file("--log", options.log, "write a row per frame as it completes; an existing file is replaced", "F.csv|F.jsonl")
      ->check(ending({".csv", ".jsonl"}));
  file("--config", options.config,
       "settings file instead of the default one; wrong values in it are refused; the window creates it if there is none",
       "F");
  add_flag(cli, "--no-config", options.no_config, "neither read nor write a settings file");
  cli.footer(footer());
}

void add_type(CLI::App& cli, Options& options) {
  cli.add_option(
         "--type", options.type,
         "input and sum: 8u32u 8u32f 32u32u 32f32f 64f64f 8u64u (of squares), 16u32u 16u64u 8u64f 32f64f 8u64u_plain "
         "16u64u_squares 32f64f_squares (of some algorithms)")
      ->type_name("TYPE");
}

void add_image_command(CLI::App& cli, Options& options, Words& words, bool sat) {
  cli.add_option("IMAGE", options.image, "an image file, also AVIF, GIF or TGA of one picture")->required();
  add_setting(cli, words, "algorithm");
  if (!sat) {
    add_setting(cli, words, "effect");
    words.settings.back().option->type_name("NAME REQUIRED");  // check_together() says more than CLI11's required()
  }
  add_kernel_option(cli, options);
  add_setting(cli, words, "device");
  add_setting(cli, words, "memory_budget");
  if (!sat) add_setting(cli, words, "values");
  add_set(cli, words, set_help);
  cli.add_option("-o", options.output, sat ? "NumPy array to write" : "PNG to write")
      ->type_name(sat ? "F.npy" : "F.png")
      ->check(ending({sat ? ".npy" : ".png"}))
      ->required();
  if (!sat) {
    cli.add_option("--annotations", options.annotations, "write the effect's annotations as JSON")
        ->type_name("F.json")
        ->check(ending({".json"}));
    return;
  }
  add_type(cli, options);
  cli.add_option("--trace", options.trace, "also record when and where each tile is computed (8u32u), for ui.perfetto.dev")
      ->type_name("F.json")
      ->check(ending({".json"}));
  add_flag(cli, "--exclusive", options.exclusive, "OpenCV's layout: (W+1)x(H+1), first row and column zero");
}

void add_detect(CLI::App& cli, Options& options, Words& words) {
  cli.add_option("SOURCE", options.sources, "images and videos, every frame of them; also URLs of streams")->required();
  cli.add_option("--cascade", options.cascade,
                 "what to find: an XML file with a cascade of Haar or LBP features, or a name that satscope list cascades "
                 "prints; default: " +
                     std::string(gpu::vision::bundled_cascade))
      ->type_name("F|NAME");
  cli.add_option("--scale-factor", options.detector.levels.scale_factor,
                 "from each size of windows to the next, 1.001 to 1000; default: 1.1")
      ->type_name("X")
      ->check(number(gpu::vision::least_scale_factor, 1000, "1.001 to 1000"));
  cli.add_option("--min-neighbors", options.detector.min_neighbors,
                 "a detection stands for more than N windows, 0 to 1000000; 0: each window is one; default: 3")
      ->type_name("N")
      ->check(whole_number(0, 1'000'000));
  cli.add_option("--min-size", words.min_size, "the smallest window, in pixels; default: the cascade's")->type_name("N|WxH");
  cli.add_option("--max-size", words.max_size, "the largest window, in pixels; default: the picture's")->type_name("N|WxH");
  add_flag(cli, "--raw", options.raw, "all windows that pass the cascade, neither grouped nor clipped to the picture");
  add_setting(cli, words, "device");
  add_setting(cli, words, "memory_budget");
  add_setting(cli, words, "values");
  add_flag(cli, "--json", options.json, "as JSON, one object per picture and line");
  cli.add_option("-o", options.output,
                 "write to a file; a name that ends in .csv, .jsonl or .json says its form, .json: one array")
      ->type_name("F")
      ->check(text_file(
          "detections, which are text, CSV or JSON; satscope apply IMAGE --effect NAME -o F.png writes a picture"));
}

void add_list(CLI::App& cli, Options& options, Words& words) {
  cli.add_option("WHAT", words.listing, or_list(listing_names))->required();
  add_flag(cli, "--json", options.json, "as JSON");
}

void add_simulate(CLI::App& cli, Options& options, Words& words) {
  options.type = "32f32f";
  cli.add_option("ALGORITHM", options.algorithms, "CUDA algorithms to run; default: all of them");
  add_kernel_option(cli, options);
  cli.add_option("--size", words.size, "size of the image, whose pixels are random; default: 1024x1024")->type_name("WxH");
  add_type(cli, options);
  add_set(cli, words, "a parameter, for every algorithm that has it");
  cli.add_option("--latency", options.latency,
                 "global memory latency of the memory machine, 1 to 1000000 time units; default: 400")
      ->type_name("L")
      ->check(whole_number(1, 1'000'000));
  cli.add_option("--width", options.width, "width of the memory machine, in words of 4 bytes; default: 32")
      ->type_name("4|8|16|32")
      ->check(one_of({"4", "8", "16", "32"}));
  cli.add_option("--blocks", options.blocks, "resident blocks, 1 to 1024; default: 264, two per multiprocessor of an H200")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  cli.add_option("--schedule", words.schedule, "the order of blocks, warps and exchanged words")
      ->type_name("in-order|random:SEED");
  add_flag(cli, "--lines", options.lines, "also what each source line does, per pixel");
  cli.add_option("--model", words.model, "instead: clocks by the model of Chen et al. 2018, sec. V, from the counts")
      ->type_name("latency");
  cli.add_option("--latencies", options.latencies,
                 "latencies of another GPU for the model, as satscope-bench --latencies --json F writes them")
      ->type_name("F.json");
  add_flag(cli, "--json", options.json, "as JSON");
  cli.add_option("-o", options.output, "write the report, not a table, to a file; as JSON if its name ends in .json")
      ->type_name("F")
      ->check(text_file("a report, which is text or JSON; satscope sat IMAGE -o F.npy writes a table"));
  cli.footer(simulate_text);
}

void add_judge(CLI::App& cli, Options& options, Words& words) {
  cli.add_option("FILE", options.sources, "files with kernels, as satscope CLIP --kernel FILE takes them")->required();
  cli.add_option("--size", words.size, "a size at which they also have to be right; on a GPU that of the time")
      ->type_name("WxH");
  cli.add_option("--at-most", words.at_most,
                 "how slow they may be: so many times an algorithm that is built in, such as '1.5x 2r1w', or, on a GPU, "
                 "microseconds per table: 120us")
      ->type_name("Fx NAME|Tus");
  cli.add_option("--device", words.judge_device,
                 "auto: also the GPU, where there is one; simulated: only the simulated GPU; default: auto")
      ->type_name("auto|simulated|cuda");
  cli.add_option("--seconds", options.seconds, "for each file, on each device, 1 to 3600; default: 10")
      ->type_name("S")
      ->check(number(1, 3600, "1 to 3600"));
  cli.add_option("--memory", options.memory, "GiB that its process may take, 0.1 to 1024; default: 4")
      ->type_name("GIB")
      ->check(number(0.1, 1024, "0.1 to 1024"));
  cli.add_option("--seed", options.seed, "of the orders that are tried, and of pixels; default: 1")
      ->type_name("N")
      ->check(whole_number(0, std::numeric_limits<std::uint64_t>::max()));
  add_flag(cli, "--json", options.json, "as JSON");
  cli.add_option("--junit", options.junit, "also write the verdicts as JUnit's XML, for CI")
      ->type_name("F.xml")
      ->check(ending({".xml"}));
  cli.footer(judge_text);
}

void add_new(CLI::App& cli, Options& options) {
  cli.add_option("FILE", options.output, "the file to write, NAME.cu: NAME is the algorithm's, or the effect's")->required();
  cli.add_option("--from", options.from, "a copy of a built-in algorithm, as 2r1w, to change")->type_name("ALGORITHM");
  add_flag(cli, "--effect", options.effect_start, "an effect: what is drawn at a pixel, from sums of boxes");
}

// Files with kernels, however they are named: by --kernel, by --set, or where a source is expected.
void take_kernels(Options& options) {
  auto named = std::exchange(options.kernels, {});
  std::erase_if(options.changes, [&](const Change& change) {
    const bool is_one = (change.path == "kernel" && !change.text.empty()) ||
                        (change.path == "source" && is_kernel_file(change.text));
    if (is_one) named.push_back(change.text);
    return is_one;
  });
  Settings files;
  try {
    for (const auto& file : named) add_kernel(files, file);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
  options.kernels = files.kernels;
}

constexpr int largest_simulated = 16384;  // side of an image

void give_types(const Words& words, Options& options) {
  for (const auto& [field, option, text] : words.settings)
    if (option->count() > 0) options.changes.push_back({std::string(field->path), text == "true" ? "on" : text});
  for (const auto& word : words.set) options.changes.push_back(assignment(word));
  take_kernels(options);
  if (words.listing == "actions")
    options.listing = Listing::commands;  // their name before
  else if (words.listing)
    options.listing = choose<Listing>("list", *words.listing, listing_names);
  if (words.frames) options.frames = positive_whole("--frames", *words.frames);
  if (words.size) {
    options.size = size_from_text(*words.size, largest_simulated);
    if (!options.size)
      refuse("--size takes WxH, each from 1 to " + std::to_string(largest_simulated) + ", not '" + *words.size + "'");
  }
  if (words.min_size) options.detector.levels.min_size = square_or_size("--min-size", *words.min_size);
  if (words.max_size) options.detector.levels.max_size = square_or_size("--max-size", *words.max_size);
  if (words.at_most) options.at_most = at_most_from(*words.at_most);
  if (words.judge_device)
    options.judge_device = choose<Options::JudgeDevice>("--device", *words.judge_device, judge_device_names);
  if (words.schedule) options.schedule = schedule_from(*words.schedule);
  if (options.command == Verb::simulate) options.json |= options.output.ends_with(".json");
  if (words.model) options.model = choose<Model>("--model", *words.model, model_names);
}

// Turns `--set A=1 B=2` into `--set A=1 --set B=2`: further words that look like assignments are values of --set too.
std::vector<std::string> repeat_set(std::span<const std::string> arguments) {
  const auto looks_assigned = [](const std::string& word) {
    const auto equals = word.find('=');
    return equals != word.npos && equals > 0 &&
           std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; });
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

// Turns `--at-most 1.5x 2r1w` into `--at-most '1.5x 2r1w'`: the factor's algorithm belongs to it, with quotes or without.
std::vector<std::string> join_factor(std::vector<std::string> words) {
  const auto option = std::ranges::find(words, "--at-most");
  if (words.end() - option < 3) return words;
  const auto factor = option + 1;
  const bool alone = factor->ends_with('x') && number_from_text(std::string_view(*factor).substr(0, factor->size() - 1));
  if (!alone) return words;
  *factor += ' ' + *(factor + 1);
  words.erase(factor + 1);
  return words;
}

// For --set: refuses a name that is an option of the run and not a setting.
void check_set(const CLI::App& cli, const Words& words) {
  for (const auto& word : words.set) {
    const auto [key, text] = assignment(word);
    if (!find_field(key) && cli.get_option_no_throw("--" + key))
      refuse(key + " is an option, not a setting: write --" + key + (text.empty() ? "" : " " + text));
  }
}

void apply_usage(Settings& settings, std::span<const Change> changes, const ChangeContext& context) try {
  apply(settings, changes, context);
  // Now, not when it is used: another effect may be shown first.
  for (const auto& change : changes)
    if (const auto set = find_setting(change.path, settings, context))
      if (set->parameter && set->parameter->kind == gpu::Parameter::Kind::file) file_of(*set->parameter, set->value);
} catch (const std::invalid_argument& error) {
  refuse(error.what());
}

std::vector<Change> chosen(const Options& options, bool of_machine) {
  std::vector<Change> changes;
  for (const auto& change : options.changes)
    if (depends_on_machine(change) == of_machine) changes.push_back(change);
  return changes;
}

// The device for `algorithm`, a CUDA algorithm that was named without a device, on a machine without a GPU.
DeviceDecision without_gpu(const gpu::SatAlgorithm& algorithm, const std::string& why_none) {
  const std::string name(algorithm.name), cause = "no CUDA device: " + why_none + "; ";
  if (!gpu::runs_on(algorithm, gpu::Device::simulated))
    throw ExitError(ExitCode::no_gpu, cause + "not on the simulated GPU either: " + name + ": " +
                                          std::string(algorithm.not_simulated) + "; choose another algorithm");
  await_simulated_gpu();
  const auto& found = find_simulated_gpu(gpu::simulated::Build::plain);
  if (!found.driver) throw ExitError(ExitCode::no_gpu, cause + found.reason);
  return {gpu::Device::simulated, cause + "CUDA algorithms run on the simulated GPU"};
}

DeviceDecision device_of_command(const Options& options, const Settings& settings) {
  // These two do not need the driver, which takes time to start.
  if (settings.device == DeviceChoice::host || settings.device == DeviceChoice::simulated)
    return choose_device(settings, {}, true);
  const auto probe = gpu::probe_gpu();
  if (auto elsewhere = device_without_gpu(options, probe)) return *elsewhere;
  return choose_device(settings, probe, true);
}

// `apply` draws one picture: a parameter that has no part in it is a slip, as an effect that is not drawn.
void check_parameters_used(const Options& options, const Selection& selection) {
  if (options.command != Verb::apply || !selection.sides.empty()) return;
  const auto& effect = *selection.effect;
  for (const auto& change : options.changes) {
    const ParameterPath path(change.path);
    const bool is_its = !path.has_owner || path.owner == of_effect || path.owner == effect.name;
    if (!is_its || gpu::why_unused(effect.display, path.name, selection.effect_arguments).empty()) continue;
    const auto condition = std::string(gpu::display_of(effect.display, path.name).applies);
    refuse(std::string(effect.name) + " uses " + std::string(path.name) + " only with " + condition + ": leave out " +
           change.path + ", or give --set " + std::string(effect.name) + '.' + condition);
  }
}

}  // namespace

std::optional<std::string> Options::value_of(std::string_view path) const {
  const auto at = std::find_if(changes.rbegin(), changes.rend(), [&](const Change& change) { return change.path == path; });
  return at == changes.rend() ? std::nullopt : std::optional(at->text);
}

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  Words words;
  bool named = false;  // whether the first word is a command
  if (!arguments.empty()) {
    if (const auto command = find_name<Verb>(verb_names, arguments[0])) {
      options.command = *command;
      named = true;
    } else {
      check_command(arguments[0]);
    }
  }
  auto rest = repeat_set(arguments.subspan(named ? 1 : 0));
  if (options.command == Verb::judge) rest = join_factor(std::move(rest));

  const bool live = options.command == Verb::live;
  CLI::App cli(live ? "Summed area tables of live video, and the cost of every kernel." : "",
               live ? "satscope" : "satscope " + arguments[0]);
  cli.set_help_flag("-h,--help", "print this text");
  add_flag(cli, "--version", words.version, "print the version");
  switch (options.command) {
    case Verb::live: add_live(cli, options, words); break;
    case Verb::sat: add_image_command(cli, options, words, true); break;
    case Verb::apply: add_image_command(cli, options, words, false); break;
    case Verb::detect: add_detect(cli, options, words); break;
    case Verb::list: add_list(cli, options, words); break;
    case Verb::info: add_flag(cli, "--json", options.json, "as JSON"); break;
    case Verb::simulate: add_simulate(cli, options, words); break;
    case Verb::judge: add_judge(cli, options, words); break;
    case Verb::tune:
      add_flag(cli, "--show", options.show, "print what was measured");
      add_flag(cli, "--remove", options.remove, "remove what was measured, of all GPUs");
      break;
    case Verb::new_kernel: add_new(cli, options); break;
    case Verb::help: cli.add_option("TOPIC", options.topic, "the section to print; default: the list of topics"); break;
  }
  try {
    cli.parse(std::vector<std::string>(rest.rbegin(), rest.rend()));  // CLI11 expects reverse order
  } catch (const CLI::CallForHelp&) {
    options.text = cli.help();
    return options;
  } catch (const CLI::ParseError& error) {
    if (words.version || std::find(rest.begin(), rest.end(), "--version") != rest.end())
      words.version = true;
    else
      refuse(complaint(cli, error));
  }
  if (words.version) {
    options.text = "satscope " SATSCOPE_VERSION "\n";
    return options;
  }
  if (live) check_set(cli, words);
  give_types(words, options);
  // Short files have these types alone.
  if (options.command == Verb::simulate && !options.kernels.empty() && cli.count("--type") == 0) options.type = "8u32u";
  check_together(options);
  return options;
}

std::unique_ptr<LongWait> tell_if_simulation_is_long(gpu::Device device) {
  if (device != gpu::Device::simulated) return {};
  return std::make_unique<LongWait>(
      [] { tell("the simulated GPU has computed for 10 s: large pictures take minutes; Ctrl-C ends the run"); });
}

const gpu::SatAlgorithm& named_algorithm(const std::string& name) {
  if (const auto* algorithm = gpu::find_sat_algorithm(name)) return *algorithm;
  refuse(no_such("algorithm", name, algorithm_names()));
}

const gpu::SatTypeInfo& named_type(const std::string& name) {
  if (const auto* type = gpu::find_sat_type(name)) return *type;
  std::vector<std::string_view> names;
  for (const auto& type : gpu::sat_types) names.push_back(type.name);
  refuse("no type '" + name + "'" + there_are(names, name, names));
}

void override_settings(const Options& options, Settings& settings) { apply_usage(settings, chosen(options, false), {}); }

void assign_parameters(const Options& options, gpu::Device device, Settings& settings) {
  ChangeContext machine;  // one on which the settings lead to `device`
  if (device != gpu::Device::cuda) machine.no_cuda = "not used";
  if (device != gpu::Device::simulated) machine.no_simulated = "not used";
  apply_usage(settings, chosen(options, true), machine);
}

std::optional<DeviceDecision> device_without_gpu(const Options& options, const gpu::GpuProbe& probe,
                                                 const gpu::SatAlgorithm* of_file) {
  const auto device = options.value_of("device").value_or("auto");
  if (probe.gpu || device != "auto") return {};
  std::vector<const gpu::SatAlgorithm*> named;
  if (const auto name = options.value_of("algorithm"))
    named.push_back(&named_algorithm(*name));
  else if (of_file)
    named.push_back(of_file);
  if (const auto compare = options.value_of("compare"); compare && named.empty()) {
    const auto sides = sides_from_text(*compare);
    for (const auto& side : {sides.a, sides.b}) named.push_back(gpu::find_sat_algorithm(side));
  }
  for (const auto* algorithm : named)
    if (algorithm && algorithm->device != gpu::Device::host) return without_gpu(*algorithm, probe.reason);
  return {};
}

std::uint64_t picture_memory(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  return picture_memory(settings);
}

std::optional<capture::ValueWindow> shown_values(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  return settings.values;
}

CommandSelection selection_of_command(const Options& options) {
  Settings settings;
  override_settings(options, settings);
  if (options.command == Verb::sat) settings.effect = "none";
  auto decision = device_of_command(options, settings);
  if (decision.device == gpu::Device::simulated) settings.device = DeviceChoice::simulated;
  assign_parameters(options, decision.device, settings);
  auto selection = make_selection(settings, decision.device);
  check_parameters_used(options, selection);
  return {std::move(selection), std::move(decision.warning)};
}

}  // namespace app
