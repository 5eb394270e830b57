// satscope.simulate(): an algorithm on the simulated GPU, and what it counts.
#include <nanobind/stl/string.h>

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include "gpu/python/arguments.h"
#include "gpu/python/functions.h"
#include "gpu/simulated/memory_machine.h"

namespace satscope::python {
namespace {

nb::object ratio(double part, double whole) { return whole > 0 ? nb::object(nb::float_(part / whole)) : nb::none(); }

}  // namespace

nb::dict simulate(State& state, nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters, int width,
                  int latency, int blocks, std::optional<std::uint64_t> seed) {
  gpu::simulated::SimulationRequest request;
  nb::object name_held, text_held;
  if (algorithm.is_none()) type_error("algorithm: a name such as \"2r1w\", or one of satscope.algorithms(\"simulated\")");
  const auto& chosen = algorithm_on(algorithm_name(algorithm, name_held), gpu::Device::cuda);
  if (!gpu::runs_on(chosen, gpu::Device::simulated))
    throw Error(std::string(chosen.name) + " does not run on the simulated GPU: " + std::string(chosen.not_simulated));
  request.algorithm = chosen.name;
  request.arguments = arguments_of(chosen, parameter_text(parameters, text_held));
  if (PyTuple_Check(image.ptr()) || PyList_Check(image.ptr())) {
    const auto like = array_of_shape(image);
    if (like.axes != 2) value_error("a simulation is of one image: its shape is (H, W)");
    request.size = size_of_planes(like);
  } else {
    const auto like = state.libraries.describe(image, "image", false);
    if (like.axes != 2) value_error("a simulation is of one image, (H, W), not " + shape_text(like.shape, like.axes));
    request.size = size_of_planes(like);
    request.type = type_of(like.element, unsigned_of(like.element) == Element::u8 ? Element::u32 : like.element, false);
  }
  if (!type.is_none()) request.type = type_named(text_of(type, "type"));
  if (width < 4 || width > 32 || (width & (width - 1)) != 0) value_error("width: 4, 8, 16 or 32");
  request.width = width;
  request.latency = latency;
  request.gpu.resident_blocks = blocks;
  if (seed) request.gpu.schedule = {gpu::simulated::Schedule::Kind::random, *seed};

  gpu::simulated::Simulation found;
  {
    const nb::gil_scoped_release released;
    const auto& driver = simulated_driver(gpu::simulated::Build::observed);
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    try {
      found = driver.simulate(request);
    } catch (const std::invalid_argument&) {
      throw;
    } catch (const std::exception& error) {  // a fault of the kernel: its first line
      const std::string message = error.what();
      throw Error(std::string(chosen.name) + ": " + message.substr(0, message.find('\n')));
    }
  }
  const auto& counts = found.counts;
  const auto pixels = static_cast<double>(request.size.pixels());
  const auto per_pixel = [&](std::uint64_t count) { return static_cast<double>(count) / pixels; };
  nb::dict result;
  result["algorithm"] = nb::str(chosen.name.data(), chosen.name.size());
  nb::dict values;
  for (const auto& parameter : request.arguments.parameters())
    values[nb::str(parameter.name.data(), parameter.name.size())] = request.arguments.text(parameter.name);
  result["parameters"] = values;
  result["shape"] = nb::make_tuple(request.size.height, request.size.width);
  result["type"] = name_of(request.type);
  result["equal"] = found.equal;
  if (!found.equal) result["mismatch"] = found.mismatch;
  result["launches"] = found.launches;
  result["read_bytes_per_pixel"] = per_pixel(counts.read.bytes);
  result["written_bytes_per_pixel"] = per_pixel(counts.written.bytes);
  result["read_sectors_per_pixel"] = per_pixel(counts.read.sectors);
  result["written_sectors_per_pixel"] = per_pixel(counts.written.sectors);
  result["coalescing"] = ratio(static_cast<double>(counts.read.bytes + counts.written.bytes),
                               32.0 * static_cast<double>(counts.read.sectors + counts.written.sectors));
  result["bank_conflict_factor"] = ratio(static_cast<double>(counts.shared_stages),
                                         static_cast<double>(counts.shared_stages_without_conflicts));
  result["barriers_per_pixel"] = per_pixel(counts.barriers);
  result["shuffles_per_pixel"] = per_pixel(counts.shuffles);
  result["atomics_per_pixel"] = per_pixel(counts.atomics);
  result["polls_per_pixel"] = per_pixel(counts.polls);
  nb::list races;
  for (const auto& race : found.races) {
    nb::dict entry;
    entry["what"] = race.what;
    entry["first"] = race.first;
    entry["second"] = race.second;
    entry["times"] = race.times;
    races.append(entry);
  }
  result["races"] = races;
  result["umm_units"] = found.umm_units;
  result["dmm_umm_units"] = found.dmm_umm_units;
  result["formula_units"] = found.formula_units ? nb::object(nb::float_(*found.formula_units)) : nb::none();
  if (const auto bound = gpu::simulated::paper_bound(chosen.name, {})) {
    result["formula"] = nb::str(bound->formula.data(), bound->formula.size());
    result["formula_source"] = nb::str(bound->source.data(), bound->source.size());
  }
  return result;
}

}  // namespace satscope::python
