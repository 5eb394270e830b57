// The tile trace: it is asked for, arrives after its picture, and is exported.
#include <stdexcept>

#include "app/control/actions.h"
#include "app/control/key_table.h"
#include "app/pipeline/tile_tracing.h"
#include "app/session/session.h"

namespace app {

// A picture that stays is made once more for it.
void Session::trace_next() {
  if (const auto why = why_no_trace(); !why.empty()) throw std::invalid_argument(why);
  engine_.trace_next();
  auto changes = changes_to_show(Dock::trace);
  changes.push_back({"trace_overlay", "on"});
  change(changes);
  measure_again();
}

void Session::export_trace(const std::filesystem::path& to) {
  if (!trace_) throw std::invalid_argument("there is no tile trace yet: trace a picture first");
  outputs_.export_to(to, trace_);
}

std::string Session::why_no_trace() const try {
  const auto here = context();
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

void Session::take_trace() {
  if (auto trace = engine_.take_trace()) trace_ = std::move(trace);
}

}  // namespace app
