#include "gpu/sat.h"

#include <algorithm>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/user_kernels/kernel_version.h"

namespace gpu {

const SatTypeInfo& info(SatType type) { return sat_types[static_cast<std::size_t>(type)]; }

const SatTypeInfo* find_sat_type(std::string_view name) {
  if (name == "8u64u_squares") name = "8u64u";
  for (const auto& type : sat_types)
    if (type.name == name) return &type;
  return nullptr;
}

SatType sat_type(ElementType input, ElementType sum) {
  for (const auto& type : sat_types)
    if (type.input == input && type.sum == sum) return type.type;
  throw std::invalid_argument("no summed area table has this pair of input and sum types");
}

const SatAlgorithm* find_sat_algorithm(std::string_view name) {
  for (const auto* algorithm : sat_algorithms())
    if (algorithm->name == name) return algorithm;
  return nullptr;
}

std::string why_unavailable(const SatAlgorithm& algorithm) {
  return algorithm.unavailable ? algorithm.unavailable() : std::string();
}

bool runs_on(const SatAlgorithm& algorithm, Device device) {
  if (const auto* version = algorithm.version)
    return device == Device::simulated || (device == Device::cuda && version->on_cuda);
  return device == algorithm.device ||
         (device == Device::simulated && algorithm.device == Device::cuda && algorithm.not_simulated.empty());
}

namespace {

[[noreturn]] void refuse(const SatAlgorithm& algorithm, const std::string& why) {
  throw std::invalid_argument(std::string(algorithm.name) + ": " + why);
}

// A user's algorithm is found by its version, not by its name: a picture that is under way keeps what it began with.
const SatAlgorithm& here(const Context& context, const SatAlgorithm& algorithm) {
  if (const auto* version = algorithm.version) {
    const auto* driver = context.driver();
    const auto* of_build =
        version->simulated_algorithm[static_cast<std::size_t>(driver ? driver->build : simulated::Build::plain)];
    if (!of_build) refuse(algorithm, "it is not compiled for this build of the simulated GPU");
    return *of_build;
  }
  return simulated::here(context, algorithm, &simulated::Driver::find_sat_algorithm);
}

}  // namespace

void check_run(const Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat) {
  const auto refuse = [&](const std::string& why) { gpu::refuse(algorithm, why); };
  if (image.height > algorithm.most_rows)
    refuse("takes images of at most " + std::to_string(algorithm.most_rows) + " rows, not " + std::to_string(image.height));
  check_views(context, algorithm.name, {{"the image", image}, {"its table", sat, ViewArgument::written}});
  const auto type = sat_type(image.type, sat.type);
  if (std::find(algorithm.types.begin(), algorithm.types.end(), type) == algorithm.types.end())
    refuse("does not support " + std::string(info(type).name) + ": " + std::string(algorithm.types_note));
  if (!runs_on(algorithm, context.device()))
    refuse(algorithm.version && context.device() == Device::cuda ? algorithm.version->no_cuda
           : context.device() == Device::simulated && !algorithm.not_simulated.empty()
               ? std::string(algorithm.not_simulated)
               : "runs on " + std::string(name(algorithm.device)) + ", not on " + std::string(name(context.device())));
  if (!context.is_dry())
    if (const auto why = why_unavailable(algorithm); !why.empty()) refuse(why);
}

void compute_sat(Context& context, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments) {
  check_run(context, algorithm, image, sat);
  const Context::ScratchScope scope(context);
  const LoadedScope loaded(context, algorithm.version);
  here(context, algorithm).run(context, image, sat, arguments);
}

void compute_sat_batch(Context& context, const SatAlgorithm& algorithm, const AnyConstImageView& first_image,
                       const AnyImageView& first_sat, const Arguments& arguments, const ImageBatch& batch) {
  check_run(context, algorithm, first_image, first_sat);
  if (!algorithm.run_batch) refuse(algorithm, "it takes one image at a time");
  const Context::ScratchScope scope(context);
  const LoadedScope loaded(context, algorithm.version);
  here(context, algorithm).run_batch(context, first_image, first_sat, arguments, batch);
}

}  // namespace gpu
