// RecordingObserver: counts memory accesses of device code, finds races, and ends a launch that leaves its allocations.
//
// It sees the plain accesses of kernels compiled with -fsanitize=thread (tsan_entry.cpp). All blocks must run on one core,
// as they do when there is an observer.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "gpu/simulated/gpu.h"
#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/access_log.h"
#include "gpu/simulated/observed/address_space.h"
#include "gpu/simulated/observed/race_detector.h"
#include "gpu/simulated/observed/simulation.h"

namespace gpu::simulated {

// Adds up the requests of warps, and records them for the memory machine models. An atomic counts as one atomic and also as one
// load and one store of its size, so that memory traffic includes it (the counters of GPUs show it as neither). For the memory
// machines it is one request.
class Tally {
 public:
  explicit Tally(int width) : width_(static_cast<unsigned>(width)) {}

  // `trace`: of the warp.
  void add(const WarpRequest& request, WarpTrace& trace);
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }

 private:
  unsigned width_;  // of the memory machines
  Counts counts_;
};

class RecordingObserver final : public Observer {
 public:
  // Throws std::runtime_error if the address space is limited: it reserves 8 times as much as the simulated GPU.
  explicit RecordingObserver(const Heap& heap);
  ~RecordingObserver() override;

  // Clears everything. `width` and `latency` of the memory machines, as in SimulationRequest; `resident`: blocks at once.
  void reset(int width = 32, int latency = 400, int resident = 264);
  // What the launches since reset() did: launches, counts, races, umm_units, dmm_umm_units. Members about tables stay unset.
  Simulation results() const;
  // The largest number of resident threads.
  std::uint64_t max_resident_threads() const { return max_threads_; }

  void launch_begins(const void* kernel, dim3 grid, dim3 block, std::uint64_t blocks, Beside beside) override;
  void launch_ends() override;
  void block_begins(Block& block) override;
  void block_ends(Block& block) override;
  void warp_synchronised(Block& block, Warp& warp, Rendezvous kind) override;
  void block_synchronised(Block& block) override;
  void touched(Thread& thread, bool writes, const void* at, std::size_t bytes, const void* caller) override;
  void accessed(Thread& thread, Access access, const void* at, std::size_t bytes, const void* caller) override;
  void copied(Thread& thread, const AsyncCopy& copy) override;
  void surface_written(Thread& thread, std::size_t bytes, const void* caller) override;
  void allocated(const void* data, std::size_t bytes) override;
  void released(const void* data, std::size_t bytes) override;

 private:
  struct Resident {  // the state of a resident block
    std::uint32_t serial = 0;
    std::size_t trace = 0;  // its index in trace_
    std::vector<std::unique_ptr<WarpLog>> logs;
    std::vector<ShadowCell> shared;
  };
  struct Request {
    bool reads, writes, strong = false, atomic = false;
  };
  Resident& state_of(const Block& block);
  // `waited`: for the launch before.
  Toucher toucher(const Thread& thread, bool waited);
  void access(Thread& thread, const Toucher& who, Request request, const void* at, std::size_t bytes, const void* caller);
  void log(Thread& thread, AccessKind kind, const void* at, std::size_t bytes, const void* caller);
  void check_pending_copies(const Thread& thread, const void* at, std::size_t bytes, const void* caller);
  void evaluate(Resident& state, unsigned warp);
  [[noreturn]] void fail_outside(Thread& thread, Request request, const void* at, std::size_t bytes, const void* caller);

  const Heap& heap_;
  AddressSpace space_;
  ShadowMemory global_shadow_;
  RaceDetector races_;
  Tally tally_{32};
  MachineParameters machine_;
  int launches_ = 0;
  MachineTime umm_, dmm_umm_;
  std::uint64_t max_threads_ = 0;

  LaunchTrace trace_;              // of the launch
  std::uint32_t next_serial_ = 1;  // of a block
  // The first blocks of the launch, and of those that it may run beside until its threads wait.
  std::uint32_t first_of_launch_ = 1, first_beside_ = 1;
  RequestPool pool_;
  std::unordered_map<const Block*, std::unique_ptr<Resident>> residents_;
  const Block* latest_block_ = nullptr;
  Resident* latest_ = nullptr;
  bool resolving_place_ = false;  // of an access that may be a fault
};

}  // namespace gpu::simulated
