// Work: what frames have in common whose figures belong together. Whatever of it changes starts the statistics anew.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/control/selection.h"

namespace app {

// Anything else that the cost or the rate of frames depends on: how they reach the window, how fast the source plays.
struct Circumstance {
  std::string name, value;  // "path to the window", "interop"
  friend bool operator==(const Circumstance&, const Circumstance&) = default;
};

struct Work {
  std::uint64_t number = 0;  // counts them in a run, from 1
  std::shared_ptr<const std::string> source;
  std::shared_ptr<const Selection> selection;  // but for an effect's position, which changes no work
  gpu::Size size;
  std::vector<Circumstance> circumstances;
};

// What the second has that the first has not: "effect: Box blur, before None", a line each; or "statistics reset".
std::string what_changed(const Work& before, const Work& after);
bool same_source(const Work& a, const Work& b);

}  // namespace app
