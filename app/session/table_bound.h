// TableBound: how long the bound takes over which the race states its times (gpu/bounds.h), for tables of 8-bit pictures of one
// size: convert_copy on a GPU, memset on the host. There is one way to measure it, that of the race:
// runs between two pictures, of which the median counts. Once a race has run at that size, the race's own number is used.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "app/session/race.h"

namespace app {

class TableBound {
 public:
  struct Figure {
    double us = 0;  // median
    std::string_view name;
    int runs = 0;
  };

  // From now on it is measured for pictures of `size` on `device`, while the engine makes such ones.
  void want(gpu::Device device, gpu::Size size) { wanted_ = {device, size}; }
  // Empty until it is measured, on the simulated GPU, and where it could not be measured: memory is exhausted.
  std::optional<Figure> of(gpu::Device device, gpu::Size size) const;

  // Between two pictures, as Race::step(), and before that of `race`; while that runs, nothing else is measured. Throws
  // CudaError if the GPU cannot be used any more.
  void step(Engine& engine, const Settings& settings, const Race& race);
  bool measuring() const { return own_ != nullptr; }
  bool busy() const { return own_ && own_->busy(); }                 // runs are under way
  bool leaves_processors(std::chrono::microseconds patience) const;  // as Race's
  void wait(std::chrono::microseconds patience) const;               // likewise

 private:
  struct Work {
    gpu::Device device = gpu::Device::host;
    gpu::Size size;
    friend bool operator==(const Work&, const Work&) = default;
  };
  static std::optional<Figure> figure_in(const RaceFigures& race, const Work& work);

  // Of the pictures that are made now.
  struct Known {
    Work work{};
    std::optional<Figure> figure{};
    bool failed = false;  // it could not be measured
  };

  Work wanted_;
  Known known_;
  std::unique_ptr<Race> own_;  // of the bound alone; null while nothing is measured
};

}  // namespace app
