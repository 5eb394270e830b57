// Race: times every algorithm of the device in use on the gray picture shown, in the background: between two pictures it
// runs one lane (an algorithm and its arguments) a few times, checks the table, and goes on to the lane with the fewest runs.
// Then, if the algorithm computes tables for the effect in use, that is run and checked likewise, on all but the simulated GPU.
// On CUDA a batch is queued on the pipeline's stream and read when its events have passed; on the host and the simulated GPU
// a worker thread runs it. On the simulated GPU it also counts, once per lane, what times cannot tell there.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"
#include "app/output/race_figures.h"
#include "app/pipeline/engine.h"
#include "app/pipeline/picture.h"
#include "app/session/race_bench.h"
#include "app/support/threads.h"
#include "gpu/context.h"

namespace app {

// The pictures that a race, or the bound alone, is measured on.
struct RaceSubject {
  gpu::Device device = gpu::Device::host;
  gpu::Size size;
  std::uint64_t source = 0;  // its number; 0: any
  friend bool operator==(const RaceSubject&, const RaceSubject&) = default;
};

class Race {
 public:
  // How many timed runs each lane gets; on the simulated GPU, where a run can take seconds, fewer.
  static constexpr int enough_runs = 25, enough_simulated_runs = 5;

  // Chooses who takes part, and in what.
  using Lanes = std::function<RaceLanes(const Selection& selection, gpu::Size size, const Settings& settings)>;

  // Sectors of 32 bytes per pixel that a run accesses on an image of that size; none where nobody can count them. Called on a
  // thread of its own, which may outlive the race; throws std::exception.
  using CountSectors = std::function<std::optional<double>(const gpu::SatAlgorithm& algorithm,
                                                           const gpu::Arguments& arguments, gpu::Size size)>;

  explicit Race(RaceBench::Compute compute = {}, Lanes lanes = race_lanes, CountSectors count = count_sectors)
      : compute_(std::move(compute)), choose_lanes_(std::move(lanes)), count_sectors_(std::move(count)) {}
  ~Race() { stop_ = true; }  // then it waits for the run under way, not for the rest of its batch, nor for a count

  // Anew, with the next picture; with a size, on random pixels of it instead of that picture.
  void start(gpu::Size of_random_pixels = {});
  void stop();  // after the run under way. What was measured stays until the work changes; of a finished race it goes
  void end();   // likewise, and waits for it where a thread computes it; nothing follows
  void hold(bool on) { held_ = on; }  // what is under way is taken in, and nothing follows until it is let go
  bool on() const { return figures_.on; }
  bool finished() const { return figures_.on && figures_.finished; }
  bool running() const { return figures_.on && !figures_.finished; }
  bool busy() const { return busy_; }  // a batch of runs is under way, also of a race that was stopped

  // What a race depends on besides the picture's device and size.
  struct Source {
    std::uint64_t number = 0;  // another one: another race
    std::string name;
  };
  // Between two pictures (not while the engine makes one on the host): takes in what was measured, and begins the next
  // batch. A new source, size, device, set of lanes or effect (one that is measured) starts a race that runs anew; one that is
  // finished stays as it is until start(). Throws CudaError if the GPU cannot be used any more.
  void step(Engine& engine, const Settings& settings, const Source& source);
  // The host's processors are free for a picture: waits up to `patience` for the batch under way. On a GPU and the simulated
  // one true at once.
  bool leaves_processors(std::chrono::microseconds patience);
  // For a caller with nothing else to do: waits up to `patience` until step() has something to take in.
  void wait(std::chrono::microseconds patience);

  const RaceFigures& figures() const { return figures_; }
  std::vector<std::string> take_problems();  // tables that are wrong and lanes that failed, once, one line each

  // Counts by the observed simulated GPU; none if its library is missing or fails.
  static std::optional<double> count_sectors(const gpu::SatAlgorithm& algorithm, const gpu::Arguments& arguments,
                                             gpu::Size size);

 private:
  using Part = RaceBench::Part;
  // The runs of one part of a lane.
  struct Runs {
    std::vector<double> us;
    bool warm = false;    // its first run is not counted: it loads kernels and fills caches
    double estimate = 0;  // of a run, in microseconds; 0: there was none

    int count() const { return static_cast<int>(us.size()); }
  };
  struct RacedLane {
    RaceLane lane;
    Runs table, effect;
    bool counted = false;  // its sectors, or nobody can
    RaceRow row;

    Runs& runs(Part part) { return part == Part::table ? table : effect; }
  };

  RaceSubject subject(Engine& engine, const Source& source) const;
  bool measures_other_effect(const Selection& selection);
  void follow(Engine& engine, const Settings& settings, const Source& source);
  static bool try_kernels(const Engine& engine, RaceLanes& lanes, gpu::Size size);
  void begin_anew(Engine& engine, RaceLanes lanes, const Source& source);
  bool collect();
  void stop_endless();
  bool collect_count();
  void take_in(RacedLane& entry, RaceBench::Outcome outcome);
  bool draws_effect() const;
  RacedLane* next(Part part);
  bool times_bound_again();
  RacedLane* next_to_count();
  int wanted_runs() const;
  int batch_of(const Runs& runs) const;
  void begin(RacedLane& entry, Part part);
  void begin_count(RacedLane& entry);
  void renew_figures();
  void forget();
  void give_up(const std::string& why);

  RaceBench::Compute compute_;
  Lanes choose_lanes_;
  CountSectors count_sectors_;
  gpu::Size own_size_;  // of random pixels; empty: the picture is what is summed
  RaceSubject work_;
  std::optional<Settings> asked_;      // the settings that the lanes were chosen by
  std::uint64_t asked_kernels_ = 0;    // and the versions of users' kernels
  Selection selected_;                 // likewise the effect
  std::optional<Selection> compared_;  // with it, once the race is finished
  bool differs_ = false;               // what that showed
  std::vector<RaceLane> lanes_;        // as chosen, also those that there was no memory for
  RaceEffect effect_;                  // likewise
  std::vector<RacedLane> entries_;
  RaceFigures figures_;
  std::vector<std::string> problems_;
  bool anew_ = false, busy_ = false;                // started, but not with a picture yet; a batch is under way
  bool held_ = false, stopping_ = false;            // stopping_: the batch takes too long
  std::chrono::steady_clock::time_point looked_{};  // whether it is there
  std::chrono::steady_clock::duration waited_{};    // until then
  int bound_turns_ = 0;                             // how often the bound was timed again
  std::size_t under_way_ = 0;                       // its entry
  std::future<std::optional<double>> counting_;     // the batch counts sectors; not valid: it does not
  std::atomic<bool> stop_ = false;                  // what the batch measures is not wanted any more
  std::unique_ptr<RaceBench> bench_;
  TaskThread worker_;  // last: its task uses what is above
};

// TableBound: how long the bound takes over which the race states its times (gpu/choice/bounds.h), for tables of 8-bit pictures of one
// size: convert_copy on a GPU, memset on the host. There is one way to measure it, that of the race:
// runs between two pictures, of which the median counts. Once a race has run at that size, the race's own number is used.
class TableBound {
 public:
  // From now on it is measured for pictures of `size` on `device`, while the engine makes such ones.
  void want(gpu::Device device, gpu::Size size) { wanted_ = {device, size}; }
  // Empty until it is measured, on the simulated GPU, and where it could not be measured: memory is exhausted.
  std::optional<BoundTime> of(gpu::Device device, gpu::Size size) const;

  // Between two pictures, as Race::step(), and before that of `race`; while that runs, nothing else is measured. Throws
  // CudaError if the GPU cannot be used any more.
  void step(Engine& engine, const Settings& settings, const Race& race);
  void hold(bool on) { held_ = on; }  // as Race's
  bool measuring() const { return own_ != nullptr; }
  bool busy() const { return own_ && own_->busy(); }                 // runs are under way
  bool leaves_processors(std::chrono::microseconds patience) const;  // as Race's
  void wait(std::chrono::microseconds patience) const;               // likewise

 private:
  static std::optional<BoundTime> figure_in(const RaceFigures& race, const RaceSubject& work);

  // What is known for the pictures that are made now.
  struct Known {
    RaceSubject work{};
    std::optional<BoundTime> figure{};
    bool failed = false;  // it could not be measured
  };

  RaceSubject wanted_;
  Known known_;
  std::unique_ptr<Race> own_;  // of the bound alone; null while nothing is measured
  bool held_ = false;
};

}  // namespace app
