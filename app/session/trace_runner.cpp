#include "app/session/trace_runner.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "app/control/selection.h"
#include "app/support/simulated_gpu.h"
#include "app/support/threads.h"
#include "gpu/image.h"
#include "gpu/sat_runner.h"

namespace app {
namespace {

std::shared_ptr<const gpu::Image<std::uint8_t>> copy_of(gpu::ImageView<const std::uint8_t> gray) {
  auto copy = std::make_shared<gpu::Image<std::uint8_t>>(gray.size(), gpu::Device::host);
  for (int y = 0; y < gray.height; ++y) std::copy_n(gray.row(y), gray.width, copy->view().row(y));
  return copy;
}

}  // namespace

TraceRunner::Trace TraceRunner::simulated_trace(gpu::ImageView<const std::uint8_t> gray, const Selection& selection) {
  auto runner = gpu::SatRunner::on_simulated(simulated_gpu());
  const gpu::Image<std::uint32_t> table(gray.size(), gpu::Device::host);
  runner.run(*selection.algorithm, gray, table.view(),
             selection.algorithm_arguments);  // it has memory for the next run then
  TileTracing tracing(runner.device());
  tracing.prepare(gray.size(), selection, 0);
  tracing.run(runner.context(), gray);
  return tracing.take(true);
}

TraceRunner::Simulated TraceRunner::outcome_of(const Simulate& simulate, gpu::ImageView<const std::uint8_t> gray,
                                               const Selection& selection) {
  const std::string failed = "the tile trace failed: ";
  try {
    auto trace = simulate(gray, selection);
    return {trace, trace ? std::string() : failed + "no tiles were recorded; trace another picture"};
  } catch (const std::bad_alloc&) {
    return {nullptr, failed + "memory is exhausted: choose a smaller picture"};
  } catch (const std::exception& error) {
    return {nullptr, failed + error.what()};
  }
}

void TraceRunner::start() {
  if (const auto why = why_not(); !why.empty()) throw std::invalid_argument(why);
  if (simulates()) throw std::invalid_argument("tiles are being traced on the simulated GPU: wait for the trace");
  problem_.clear();
  if (device_for(settings_, here(why_no_simulated_gpu())) == gpu::Device::host)
    wanted_ = make_selection(settings_, gpu::Device::simulated);
  else
    engine_.trace_next();
}

void TraceRunner::update() {
  using namespace std::chrono_literals;
  if (auto trace = engine_.take_trace()) trace_ = std::move(trace);
  const bool has_picture = !engine_.busy() && engine_.has_picture();
  if (has_picture && engine_.device() != gpu::Device::host) wanted_.reset();
  const auto trial = wanted_ && has_picture ? engine_.may_run(*wanted_, engine_.size()) : "";  // of a user's kernel
  if (trial && !trial->empty()) {
    wanted_.reset();
    problem_ = "the tile trace failed: " + *trial;
  }
  if (wanted_ && trial && has_picture && !held_ && !simulated_.valid() && why_not().empty()) {
    // Detached: a simulation cannot be stopped, and takes seconds.
    const auto selection = *std::exchange(wanted_, {});  // first: where memory for a copy is exhausted, once is enough
    simulated_ = result_detached([gray = copy_of(engine_.pipeline().picture().gray), selection, simulate = simulate_] {
      return outcome_of(simulate, gray->view(), selection);
    });
  }
  if (!simulated_.valid() || simulated_.wait_for(0s) != std::future_status::ready) return;
  auto [trace, problem] = simulated_.get();
  if (trace) trace_ = std::move(trace);
  problem_ = std::move(problem);
}

void TraceRunner::require_after(const Trace& before) {
  if (trace_ != before) return;
  engine_.trace_next(false);
  wanted_.reset();
  if (!problem_.empty()) throw std::invalid_argument(problem_);
  const auto why = why_not();
  throw std::invalid_argument(why.empty() ? "no tiles were recorded: trace another picture" : why);
}

ChangeContext TraceRunner::here(const std::string& no_simulated) const {
  const auto& probe = engine_.probe();
  return {probe.gpu ? "" : probe.reason, no_simulated};
}

std::string TraceRunner::why_not() const { return why_not(why_no_simulated_gpu()); }

std::string TraceRunner::why_not(const std::string& no_simulated) const try {
  const auto device = device_for(settings_, here(no_simulated));
  if (device != gpu::Device::host) return why_no_tiles(chosen_algorithm(settings_, device));
  if (no_simulated.empty()) return why_no_tiles(chosen_algorithm(settings_, gpu::Device::simulated));
  return std::string(chosen_algorithm(settings_, device).name) + " records no tiles; the simulated GPU does, but " +
         no_simulated;
} catch (const std::invalid_argument& error) {  // the device does not have that algorithm
  return error.what();
}

}  // namespace app
