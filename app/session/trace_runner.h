// TraceRunner: the tile trace: it is asked for, and arrives after its picture. On the CPU no algorithm records tiles: there the one
// that is chosen for a GPU runs on the simulated GPU, in the background, and the live choice stays.
#pragma once

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/control/change.h"
#include "app/control/selection.h"
#include "app/control/settings.h"
#include "app/pipeline/engine.h"
#include "app/pipeline/tile_history.h"
#include "gpu/image.h"

namespace app {

class TraceRunner {
 public:
  using Trace = std::shared_ptr<const TileHistory>;

  // Traces the tiles of an image on the simulated GPU, on a thread of its own. Throws std::exception.
  using Simulate = std::function<Trace(gpu::ImageView<const std::uint8_t> gray, const Selection& selection)>;

  TraceRunner(const Settings& settings, Engine& engine, Simulate simulate = simulated_trace)
      : settings_(settings), engine_(engine), simulate_(std::move(simulate)) {}

  // With the next picture. Throws std::invalid_argument with why_not(), and while it simulates.
  void start();
  void update();                      // takes what has arrived
  void hold(bool on) { held_ = on; }  // something else takes the processors: no simulation begins
  bool under_way() const { return engine_.traces() || wanted_.has_value() || simulated_.valid(); }
  // The tiles of a picture are being traced on the simulated GPU, in the background, which takes all processors.
  bool simulates() const { return simulated_.valid(); }
  bool waits() const { return wanted_.has_value(); }  // for its picture, or until it is not held
  // It arrives by itself: without a picture, or in vain, nothing does.
  bool arrives() const { return simulates() || (under_way() && engine_.has_picture() && !in_vain()); }
  // What was asked for cannot come any more: the settings were changed meanwhile.
  bool in_vain() const { return (engine_.trace_wanted() || wanted_) && !why_not().empty(); }
  const Trace& trace() const { return trace_; }  // recorded last; null before the first
  // Why the one that was asked for last on the simulated GPU has failed, one line; empty if it has not.
  const std::string& problem() const { return problem_; }
  // Throws std::invalid_argument where the last one is `before`: the picture that was to be traced may have failed, or be of an
  // algorithm without tiles by then. Then none is awaited any more.
  void require_after(const Trace& before);

  // Why tiles cannot be traced with the settings, one line; empty if they can. `no_simulated`: why_no_simulated_gpu(), which looks
  // for files, for those who ask often.
  std::string why_not() const;
  std::string why_not(const std::string& no_simulated) const;

  static Trace simulated_trace(gpu::ImageView<const std::uint8_t> gray, const Selection& selection);

 private:
  struct Simulated {
    Trace trace;
    std::string problem;  // where it is null
  };
  static Simulated outcome_of(const Simulate& simulate, gpu::ImageView<const std::uint8_t> gray, const Selection& selection);
  ChangeContext here(const std::string& no_simulated) const;

  const Settings& settings_;
  Engine& engine_;
  Simulate simulate_;
  Trace trace_;
  std::string problem_;
  bool held_ = false;
  std::optional<Selection> wanted_;   // on the CPU, of the next picture
  std::future<Simulated> simulated_;  // of it; not valid: none is under way
};

}  // namespace app
