// PreviousLaunches: which launches a dependent launch may run beside (LaunchedKernel::dependent), and what it may see of their
// work until it waits for them.
//
// On the simulated GPU a launch has ended when its call returns. In random schedules some blocks of a dependent launch therefore
// run, as far as the wait, in memory as it was before the launches that they may run beside: nothing that those write has to be
// visible yet. (What else could be visible lies between this and what the rest of the blocks see.) Where such blocks, and the
// launches beside them, write the same, either may come last.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/simulated/heap.h"
#include "gpu/simulated/observer.h"

namespace gpu::simulated {

// HeapCopy: what all allocations hold at one moment.
class HeapCopy {
 public:
  // Nothing, if the allocations are larger than what is worth copying at each launch.
  void take(const Heap& heap);
  void clear() { allocations_.clear(); }
  bool empty() const { return allocations_.empty(); }

  // Puts it back.
  void restore() const;
  // The same, except for the bytes in which the allocations now differ from `begun`, a copy of the same allocations. Where this copy
  // differs from it, too, `last` decides whether what is there now came last.
  void restore_unless_changed(const HeapCopy& begun, bool last) const;

 private:
  std::vector<Heap::Range> allocations_;
  std::vector<std::byte> bytes_;
};

// One launch at a time.
class PreviousLaunches {
 public:
  explicit PreviousLaunches(const Heap& heap) : heap_(heap) {}

  // What a launch that starts now may run beside. `copies`: blocks will run early, if there are such launches.
  Beside begin(bool dependent, bool copies);
  bool can_run_early() const { return runs_early_; }
  // Around the time in which blocks run early. `last`: where the launches beside them write, too, theirs comes last.
  void enter_early() { early_.restore(); }
  void leave_early(bool last) { now_.restore_unless_changed(early_, last); }
  // `lets_next_start_early`: before it has waited itself.
  void end(bool lets_next_start_early);
  // Something else was queued, for which the next launch waits from its start.
  void forget();

 private:
  const Heap& heap_;
  bool known_ = false,
       chained_ = false;  // there was a launch; the next one may also run beside those beside which that one ran
  bool runs_early_ = false;
  Beside beside_ = Beside::nothing;  // of the launch under way
  HeapCopy early_, now_;             // before the launches that it may run beside; before itself
};

}  // namespace gpu::simulated
