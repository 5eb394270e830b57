// EffectPreparation: what effects build once, such as a cascade in the host's form, made by a thread of its own, so that the choice
// of an effect, or of a file that one names, costs no frame.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "app/control/selection.h"
#include "app/support/threads.h"
#include "gpu/cuda/device.h"

namespace app {

class EffectPreparation {
 public:
  // Begins with every effect as it is from the start, once. False: something else is still being prepared.
  bool prepare_initial(gpu::Device device);
  // Whether what the effects of `selection` build from files is there; else it is begun. Files of `in_use`, with which a picture
  // was made, are there.
  bool has(const Selection& selection, const Selection& in_use);
  void wait(std::chrono::microseconds patience) { thread_.wait(patience); }  // for what is under way
  // These will be set later: files that they name are read ahead, one after another.
  void expect(std::span<const Change> changes);
  // Begins with the next of them, where there is nothing else to prepare.
  void go_on(gpu::Device device);

 private:
  // What effects prepare with such files, kept so that whoever needs the same finds it. Not changed while the thread prepares one.
  struct Prepared {
    std::vector<std::string> files;
    bool chosen;  // or was, else it is only expected
    std::vector<std::shared_ptr<const void>> kept;
  };

  void begin(std::vector<std::string> files, std::vector<Selection> selections, bool chosen);
  bool is_there(const std::vector<std::string>& files, bool chosen = false);
  bool make_room();

  bool initial_ = false;  // those are prepared, or being so
  std::vector<Prepared> prepared_;
  std::deque<Selection> expected_;  // each with a file that is still to be read ahead
  TaskThread thread_;               // last: its tasks use what is above
};

}  // namespace app
