// The simulated GPU, who observes it, and what it keeps from launch to launch.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "gpu/simulated/heap.h"
#include "gpu/simulated/schedule.h"

namespace gpu::simulated {

class Block;
struct AsyncCopy;
struct LaunchedKernel;
struct Thread;
struct Warp;

// What a launch may run beside until its threads wait: nothing, because it starts in order; the launch before it; or also those
// beside which that one might run, since it let the next one start before it had waited itself.
enum class Beside { nothing, previous, chain };

// Observer: is notified of what device code does. The scheduler calls it if one is installed; the observed build of the
// kernels has one that counts accesses and finds races.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const void* kernel, dim3 grid, dim3 block, std::uint64_t blocks, Beside beside) = 0;
  virtual void launch_ends() = 0;
  virtual void block_begins(Block& block) = 0;
  virtual void block_ends(Block& block) = 0;
  // `lanes`, one bit each, have arrived, and none has continued. shuffle: also reductions; ballot: also other votes and matches.
  enum class Rendezvous : std::uint8_t { shuffle, ballot, sync_warp };
  virtual void warp_synchronised(Block& block, Warp& warp, Rendezvous kind, std::uint32_t lanes) = 0;
  virtual void block_synchronised(Block& block) = 0;  // __syncthreads
  // A plain access that the compiler reports, before it is done. `caller`: an address in device code. Accesses of the
  // thread's own stack are among them.
  virtual void touched(Thread& thread, bool writes, const void* at, std::size_t bytes, const void* caller) = 0;
  // Accesses that the compiler does not report, before they are done. A poll is a relaxed load that returned the value that
  // the thread had seen there before; this is known only after the load, when the address has proved valid.
  enum class Access { relaxed_load, poll, relaxed_store, atomic };
  virtual void accessed(Thread& thread, Access access, const void* at, std::size_t bytes, const void* caller) = 0;
  // A copy by cp.async, when it arrives.
  virtual void copied(Thread& thread, const AsyncCopy& copy) = 0;
  virtual void surface_written(Thread& thread, std::size_t bytes, const void* caller) = 0;
  virtual void allocated(const void* data, std::size_t bytes) = 0;
  virtual void released(const void* data, std::size_t bytes) = 0;
};

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

// PreviousLaunches: which launches a dependent launch may run beside (LaunchedKernel::dependent), and what it may see of their
// work until it waits for them. One launch at a time.
//
// On the simulated GPU a launch has ended when its call returns. In random schedules some blocks of a dependent launch therefore
// run, as far as the wait, in memory as it was before the launches that they may run beside: nothing that those write has to be
// visible yet. (What else could be visible lies between this and what the rest of the blocks see.) Where such blocks, and the
// launches beside them, write the same, either may come last.
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

// Gpu: memory, registered kernels and settings. There is one per build of the kernels, like the current device of CUDA's runtime,
// whose calls do not name a device either.
class Gpu {
 public:
  Heap& heap() { return heap_; }

  // Applies to launches that start later.
  void set(const GpuSettings& settings);  // std::invalid_argument if no block may be resident
  GpuSettings settings() const;
  // `observer` sees every launch and allocation from now on; it must outlive this. null: no observer.
  void set_observer(Observer* observer) { observer_ = observer; }
  Observer* observer() const { return observer_.load(); }

  void register_kernel(const void* kernel, Invoke invoke);
  // Allows launches of `kernel` this many bytes of dynamic shared memory, whatever its static variables take.
  void allow_shared(const void* kernel, std::size_t bytes);
  std::size_t allowed_shared(const void* kernel) const;
  // One launch runs at a time. cudaErrorLaunchFailure for a kernel that is not registered, cudaErrorInvalidValue for more
  // than 48 KB of dynamic shared memory without permission; throws Fault.
  cudaError_t launch(const LaunchedKernel& launched, void** arguments);
  // Something other than a launch was queued: a dependent launch waits for it from its start.
  void note_queued() { queued_ = true; }
  // While it is on, the launch under way and later ones begin no other block, and throw Fault.
  void stop(bool on) { stopped_ = on; }
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  Heap heap_;
  struct Kernel {
    Invoke invoke = nullptr;
    std::size_t allowed_shared_bytes = 0;
  };
  mutable std::mutex mutex_;  // of settings and kernels
  GpuSettings settings_;
  std::unordered_map<const void*, Kernel> kernels_;
  std::mutex launch_;
  PreviousLaunches previous_{heap_};
  std::atomic<bool> queued_ = false;  // since the last launch
  std::atomic<Observer*> observer_ = nullptr;
  std::atomic<bool> stopped_ = false;
};

Gpu& the_gpu();

}  // namespace gpu::simulated
