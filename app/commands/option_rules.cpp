#include "app/commands/option_rules.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/commands/option_values.h"
#include "app/control/fields.h"
#include "app/control/parameter_path.h"
#include "app/support/size_text.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

// A flag and --set may name the same setting; which of two values is meant, nobody can say.
void check_said_once(const Options& options) {
  for (const auto& change : options.changes) {
    const auto last = *options.value_of(change.path);
    if (last != change.text)
      refuse(change.path + " is given twice, as '" + change.text + "' and as '" + last + "': leave out one of them");
  }
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

bool uses_setting(std::string_view command, std::string_view path) {
  constexpr std::string_view of_sat[] = {"algorithm", "cuda_algorithm", "host_algorithm", "device"};
  constexpr std::string_view of_apply[] = {"effect", "pointer", "compare", "compare_mode", "wipe", "amplification"};
  if (command == "live") return true;
  if (command != "sat" && command != "apply") return false;
  return std::ranges::count(of_sat, path) > 0 || (command == "apply" && std::ranges::count(of_apply, path) > 0);
}

void check_together(const Options& options) {
  check_said_once(options);
  if (options.command == Verb::apply && !options.value_of("effect"))
    refuse("apply needs --effect NAME; satscope list effects prints them");
  check_used(options);
  check_detection(options);
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
  if (options.frames && options.script)
    refuse("--frames and --script both say when the run ends: leave out --frames; {\"do\": \"quit\"} ends a script");
}

}  // namespace app
