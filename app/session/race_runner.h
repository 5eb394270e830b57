// RaceRunner: when the race and the study run: between two pictures, on request, and at the end of a run that was asked for
// one of them. What goes wrong is its caller's to report, who may be waiting for it, else a message.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "app/control/settings.h"
#include "app/pipeline/engine.h"
#include "app/session/race.h"
#include "app/session/study.h"

namespace app {

class Messages;
struct Run;

class RaceRunner {
 public:
  using Report = std::function<bool(const std::string& problem)>;  // whether its caller reports it

  // `compute`: computes the tables of the race, for tests.
  RaceRunner(const Run& run, const Settings& settings, Engine& engine, Messages& messages, Report report,
             RaceBench::Compute compute = {})
      : run_(run),
        settings_(settings),
        engine_(engine),
        messages_(messages),
        report_(std::move(report)),
        race_(compute),
        study_(std::move(compute)) {}

  Race& race() { return race_; }
  const Race& race() const { return race_; }
  TableBound& bound() { return bound_; }
  const TableBound& bound() const { return bound_; }
  Study& study() { return study_; }
  const Study& study() const { return study_; }
  bool busy() const { return race_.busy() || study_.busy(); }  // runs are under way, which a simulated GPU may take long for
  void end();                                                  // waits for them; nothing follows

  // Something else takes the processors: what is under way is taken in, and nothing more is measured until they are let go.
  void hold(bool on);
  // Between two pictures of `source`, after `frames`. `last`: the picture shown is the last one.
  void step(const Race::Source& source, std::uint64_t frames, bool last);
  // The run was asked for a race or a study, which can be run and is not finished.
  bool is_due() const;
  bool has_all() const;                                        // that has exclusive use of CPU and GPU: no pictures are made
  bool leaves_processors(std::chrono::microseconds patience);  // as Race's
  void wait(std::chrono::microseconds patience);               // likewise

 private:
  void fail();

  const Run& run_;
  const Settings& settings_;
  Engine& engine_;
  Messages& messages_;
  Report report_;
  Race race_;
  TableBound bound_;
  Study study_;
  bool failed_ = false, held_ = false;
};

}  // namespace app
