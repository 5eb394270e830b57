#include "app/commands/option_rules.h"

#include <algorithm>
#include <string_view>

#include "app/commands/option_values.h"
#include "app/control/fields.h"

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

// `sat` and `apply` read an image and write a file: few settings mean anything there. Parameters are checked elsewhere.
void check_used(const Options& options) {
  constexpr std::string_view of_sat[] = {"algorithm", "cuda_algorithm", "host_algorithm", "device"};
  constexpr std::string_view of_apply[] = {"effect", "pointer", "compare", "compare_mode", "wipe", "amplification"};
  const bool apply = options.command == Command::apply;
  if (!apply && options.command != Command::sat) return;
  for (const auto& change : options.changes) {
    const bool used = std::ranges::count(of_sat, change.path) || (apply && std::ranges::count(of_apply, change.path));
    if (find_field(change.path) && !used)
      refuse(std::string(apply ? "apply" : "sat") + " does not use the setting " + change.path + ": leave it out");
  }
}

}  // namespace

void check_together(const Options& options) {
  check_said_once(options);
  check_used(options);
  if (options.command == Command::apply && !options.value_of("effect"))
    refuse("apply needs --effect NAME; satscope list effects prints them");
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
        "--race and --script both say when the run ends: leave out --race; {\"do\": \"start_race\"} is the same in a "
        "script");
  if (options.frames && options.script)
    refuse("--frames and --script both say when the run ends: leave out --frames; {\"do\": \"quit\"} ends a script");
}

}  // namespace app
