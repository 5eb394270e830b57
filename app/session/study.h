// Study: the algorithms of the device in use over the size of the picture, in the background: a race per size (race.h), on
// random pixels, from the smallest size to what memory and time allow. It rests while anything else is measured.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "app/output/study_figures.h"
#include "app/pipeline/engine.h"
#include "app/session/race_bench.h"

namespace app {

class Race;

class Study {
 public:
  // `compute`: computes the tables, for tests. `sizes`: those that are measured, the smallest first; none: the usual ones of
  // the device.
  explicit Study(RaceBench::Compute compute = {}, std::vector<gpu::Size> sizes = {});
  ~Study();

  // Anew, between two pictures. `at_leisure`: no picture waits for it, so that longer runs are measured, too.
  void start(bool at_leisure = false);
  void stop();  // after the run under way. What was measured stays
  void end();   // likewise, and waits for it where a thread computes it; nothing follows
  bool on() const { return figures_.on; }
  bool running() const { return figures_.running(); }
  bool finished() const { return figures_.on && figures_.finished; }
  bool busy() const;  // runs are under way, also of a study that was stopped

  // Between two pictures, after the race's. `alone`: nothing else is measured. Another device starts a study that runs anew.
  // Throws CudaError if the GPU cannot be used any more.
  void step(Engine& engine, const Settings& settings, bool alone);
  bool leaves_processors(std::chrono::microseconds patience);  // as Race's
  void wait(std::chrono::microseconds patience);               // likewise

  const StudyFigures& figures() const { return figures_; }
  std::vector<std::string> take_problems();  // as Race's

 private:
  void begin_anew(Engine& engine, const Settings& settings);
  void begin_next(const Selection& selection);
  RaceLanes lanes_of(const Selection& selection, gpu::Size size) const;
  std::string why_left_out(const RaceLane& lane, gpu::Size size) const;
  void finish(std::string why);

  RaceBench::Compute compute_;
  std::vector<gpu::Size> usual_, sizes_;
  Settings asked_;  // when it began
  StudyFigures figures_;
  std::unique_ptr<Race> race_;  // of one size; null between two
  std::vector<std::string> problems_;
  bool anew_ = false, at_leisure_ = false;
};

// The names of a list as in study_algorithms, "2r1w,row_waves". Throws std::invalid_argument for a name that no algorithm has.
std::vector<std::string> algorithms_in(const std::string& list);

}  // namespace app
