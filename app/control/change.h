// Change: the one way in which a setting changes, whoever wants it: the command line, the settings file, a key, a panel, a
// script. apply() checks a batch as a whole, and applies all of it or nothing.
//
// Paths: a setting of fields.h ("interop"); a parameter of an algorithm or an effect ("2r1w.W", "haar.type"), or of the one
// in use ("algorithm.W", "effect.window", or the name alone where only one of the two has it).
#pragma once

#include <span>
#include <string>

#include "app/control/settings.h"
#include "gpu/device.h"

namespace app {

struct Change {
  std::string path, text;
  friend bool operator==(const Change&, const Change&) = default;
};

// What changes and actions depend on besides the settings. As initialised: a machine that has everything.
struct ChangeContext {
  std::string no_cuda, no_simulated;  // why there is no GPU, no simulated one: one line; empty where there is
  double zoom = 1;                    // as drawn, also where Settings::zoom is 0 (fit)
  bool running = false;               // what is looked at when the program starts can be changed no more
};

// The order of a batch does not count: settings come first, then the algorithm and the effect, then their parameters. Of two
// changes of one path the later holds. An algorithm decides the device, unless that is in the batch too. Throws
// std::invalid_argument with one line that names the nearest right word, and then changes nothing.
void apply(Settings& settings, std::span<const Change> batch, const ChangeContext& context = {});
void apply(Settings& settings, const Change& change, const ChangeContext& context = {});

// Where `settings` compute, on a machine such as `context` says: what is not there is replaced by the host.
gpu::Device device_for(const Settings& settings, const ChangeContext& context);

// A parameter of the algorithm in use, whichever that is: it can be applied once the machine is known.
bool depends_on_machine(const Change& change);

}  // namespace app
