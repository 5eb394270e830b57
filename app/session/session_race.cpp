// When the race runs: on request, and at the end of a run that was asked for one.
#include "app/control/actions.h"
#include "app/control/fields.h"
#include "app/session/session.h"

namespace app {

// For a key: the race, and its tab.
void Session::show_race() {
  apply(settings_, changes_to_show(Dock::race), context());
  race_.start();
}

// Between two pictures. The race that a run was asked for starts with its last one.
void Session::step_race() {
  if (race_is_due() && !race_.on() && has_run_out()) {
    if (frames_ < run_.frames.value_or(0))
      messages_.warn("the source ended before frame " + std::to_string(*run_.frames) + ": the race is on frame " +
                     std::to_string(frames_) + ", its last one");
    race_.start();
  }
  try {
    bound_.step(engine_, settings_, race_);
    if (!bound_.busy()) race_.step(engine_, settings_, {shown_from_, *source_});  // at once they would slow each other down
  } catch (const gpu::CudaError&) {
    race_failed_ = true;
    engine_.explain(std::current_exception());
  }
  for (const auto& problem : race_.take_problems()) {
    race_failed_ = true;
    script_.races() ? script_.race_failed(problem) : messages_.error(problem);
  }
}

// The run was asked for a race, which can be run and is not finished.
bool Session::race_is_due() const {
  return run_.race && engine_.has_picture() && !race_.finished() && (race_.on() || !race_failed_);
}

}  // namespace app
