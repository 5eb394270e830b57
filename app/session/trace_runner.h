// TraceRunner: the tile trace: it is asked for, and arrives after its picture.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "app/control/key_table.h"
#include "app/control/selection.h"
#include "app/pipeline/engine.h"
#include "app/pipeline/tile_history.h"
#include "app/support/simulated_gpu.h"

namespace app {

class TraceRunner {
 public:
  using Trace = std::shared_ptr<const TileHistory>;

  TraceRunner(const Settings& settings, Engine& engine) : settings_(settings), engine_(engine) {}

  // With the next picture. Throws std::invalid_argument with why_not().
  void start() {
    if (const auto why = why_not(); !why.empty()) throw std::invalid_argument(why);
    engine_.trace_next();
  }
  // Takes what has arrived.
  void update() {
    if (auto trace = engine_.take_trace()) trace_ = std::move(trace);
  }
  bool under_way() const { return engine_.traces(); }
  // What was asked for cannot come any more: the settings were changed meanwhile.
  bool in_vain() const { return engine_.trace_wanted() && !why_not().empty(); }
  const Trace& trace() const { return trace_; }  // recorded last; null before the first
  // Throws std::invalid_argument where the last one is `before`: the picture that was to be traced may have failed, or be of an
  // algorithm without tiles by then. Then none is awaited any more.
  void require_after(const Trace& before) {
    if (trace_ != before) return;
    engine_.trace_next(false);
    const auto why = why_not();
    throw std::invalid_argument(why.empty() ? "no tiles were recorded: trace another picture" : why);
  }

  // Why tiles cannot be traced with the settings, one line; empty if they can.
  std::string why_not() const try {
    const auto& probe = engine_.probe();
    const ChangeContext here{probe.gpu ? "" : probe.reason, why_no_simulated_gpu()};
    const auto device = device_for(settings_, here);
    const auto& algorithm = chosen_algorithm(settings_, device);
    if (device != gpu::Device::host) return why_no_tiles(algorithm);
    const auto none = std::string(algorithm.name) + " records no tiles";
    const bool simulated = here.no_simulated.empty();
    if (!simulated && !here.no_cuda.empty()) return none + "; the simulated GPU does, but " + here.no_simulated;
    return none + ": press " + labels(Action::next_device) + " for the " + (simulated ? "simulated GPU" : "GPU") +
           ", which does";
  } catch (const std::invalid_argument& error) {  // the device does not have that algorithm
    return error.what();
  }

 private:
  const Settings& settings_;
  Engine& engine_;
  Trace trace_;
};

}  // namespace app
