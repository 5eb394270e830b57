// What the command palette offers: every action, algorithm, effect, setting and parameter, with the choices of each, from the
// tables that everything else uses.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/control/actions.h"
#include "gpu/sat.h"

namespace app {

struct PaletteEntry {
  // A setting, or the action of going to a time, whose value is typed: the palette asks for it.
  struct Ask {
    std::string path, value;  // the current one
  };
  struct Seek {
    double seconds;
  };
  using Does = std::variant<Action, Change, Ask, Seek>;

  std::string title;    // "Effect: Box blur"
  std::string help;     // one line
  std::string keys;     // "Ctrl+P"; empty if it has none
  std::string value;    // the current one of a setting; "in use" of a choice
  std::string why_not;  // why it cannot be chosen now; empty if it can
  Does does;
  bool out_of_use = false;  // a parameter of an algorithm or an effect that is not in use
};

// Why an action cannot be done now although the settings allow it, one line; empty if it can.
using WhyNot = std::function<std::string(Action)>;
// All of them, in the order of the tables; last the parameters that are not in use.
std::vector<PaletteEntry> palette_entries(const Settings& settings, const ChangeContext& context,
                                          const WhyNot& why_not = {});
// Those that match, the best first; of equal ones actions that begin with it, then those that can be chosen, then those
// in use, then the shortest. All in their order if the query is empty.
std::vector<PaletteEntry> matching(std::vector<PaletteEntry> entries, std::string_view query);

// Why this machine cannot run it, one line; empty if it can. Without a GPU, the simulated GPU runs CUDA's algorithms.
std::string why_unavailable(const gpu::SatAlgorithm& algorithm, const ChangeContext& context);

}  // namespace app
