#include "app/session/trace_runner.h"

#include <stdexcept>
#include <utility>

#include "app/control/selection.h"
#include "app/support/simulated_gpu.h"

namespace app {

void TraceRunner::start() {
  if (const auto why = why_not(); !why.empty()) throw std::invalid_argument(why);
  engine_.trace_next();
}

void TraceRunner::update() {
  if (auto trace = engine_.take_trace()) trace_ = std::move(trace);
}

void TraceRunner::require_after(const Trace& before) {
  if (trace_ != before) return;
  engine_.trace_next(false);
  const auto why = why_not();
  throw std::invalid_argument(why.empty() ? "no tiles were recorded: trace another picture" : why);
}

std::string TraceRunner::why_not() const try {
  const auto& probe = engine_.probe();
  const ChangeContext here{probe.gpu ? "" : probe.reason, why_no_simulated_gpu()};
  const auto device = device_for(settings_, here);
  const auto& algorithm = chosen_algorithm(settings_, device);
  if (device != gpu::Device::host) return why_no_tiles(algorithm);
  const auto none = std::string(algorithm.name) + " records no tiles";
  const bool simulated = here.no_simulated.empty();
  if (!simulated && !here.no_cuda.empty()) return none + "; the simulated GPU does, but " + here.no_simulated;
  return none + ": choose the device " + (simulated ? "simulated" : "cuda") + ", which does";
} catch (const std::invalid_argument& error) {  // the device does not have that algorithm
  return error.what();
}

}  // namespace app
