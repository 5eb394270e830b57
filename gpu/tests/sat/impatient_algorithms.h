// Algorithms with a fallback, run by contexts that are impatient: those of their blocks that start first need the fallback, because
// the blocks before theirs, in decoupled_fallback and row_waves, have the last tiles. Not among sat_algorithms().
#pragma once

#include "gpu/sat.h"

namespace gpu::sat {

extern const SatAlgorithm sat_decoupled_fallback, sat_one_wave, sat_row_waves;

template <const SatAlgorithm& algorithm>
struct Impatient {
  struct Runs {
    explicit Runs(Context& context) : context(context) { context.set_impatient(true); }
    ~Runs() { context.set_impatient(false); }
    Context& context;
  };
  static void run(Context& context, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
    const Runs impatient(context);
    algorithm.run(context, image, sat, arguments);
  }
  static void run_batch(Context& context, const AnyConstImageView& image, const AnyImageView& sat,
                        const Arguments& arguments, const ImageBatch& batch) {
    const Runs impatient(context);
    algorithm.run_batch(context, image, sat, arguments, batch);
  }
  static SatAlgorithm make() {
    auto impatient = algorithm;
    impatient.run = run;
    if (algorithm.run_batch) impatient.run_batch = run_batch;
    return impatient;
  }
};
inline const SatAlgorithm decoupled_fallback_backward = Impatient<sat_decoupled_fallback>::make();
inline const SatAlgorithm row_waves_backward = Impatient<sat_row_waves>::make();
inline const SatAlgorithm one_wave_impatient = Impatient<sat_one_wave>::make();

// One of these by its name, or of all others by theirs; null if there is none.
inline const SatAlgorithm* find_algorithm(std::string_view name) {
  return name == "decoupled_fallback_backward" ? &decoupled_fallback_backward
         : name == "row_waves_backward"        ? &row_waves_backward
         : name == "one_wave_impatient"        ? &one_wave_impatient
                                               : find_sat_algorithm(name);
}

}  // namespace gpu::sat
