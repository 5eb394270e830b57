// RecordingObserver: counts memory accesses of device code, finds races, and ends a launch that leaves its allocations.
//
// It sees the plain accesses of kernels compiled with -fsanitize=thread (tsan_entry.cpp). All blocks must run on one core,
// as they do when there is an observer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/heap.h"
#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/race_detector.h"
#include "gpu/simulated/observed/simulation.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {

// AddressSpace: what an address means to device code: global memory, its block's shared memory, its own memory, or memory
// that it must not touch.
class AddressSpace {
 public:
  explicit AddressSpace(const Heap& heap);

  enum class Kind { global, shared, own, nothing };
  // The kind of `bytes` bytes; `nothing` if any lies outside. own: the stacks of the block's threads, and constants and
  // other static data of the program or library that contains this code, and of those that contain kernels.
  Kind kind_of(const Block& block, const void* at, std::size_t bytes) {
    if (heap_.owns(at)) {
      if (known_[0].contains(at, bytes)) return Kind::global;
      return in_allocation(at, bytes) ? Kind::global : Kind::nothing;
    }
    if (const auto offset = block.shared().offset_of(at); offset < SharedSpace::page_bytes)
      return block.shared().in_one_area(offset, bytes) ? Kind::shared : Kind::nothing;
    return block.owns_stack(at) || in_image(at, bytes) ? Kind::own : Kind::nothing;
  }
  // For an address that is `nothing`: its nearest memory, "4 bytes past the end of an allocation of 1024 bytes".
  std::string describe(const Block& block, const void* at) const;
  void begin(const void* kernel);  // a launch of it
  void forget();                   // the cached allocations; call after one was made or released

 private:
  bool in_allocation(const void* at, std::size_t bytes);
  bool in_image(const void* at, std::size_t bytes) const;

  const Heap& heap_;
  std::array<Heap::Range, 4> known_{};  // most recently used first: image, table, workspace
  std::vector<Heap::Range> image_;      // segments of these
};

enum class AccessKind : std::uint8_t { global_load, global_store, global_atomic, shared_load, shared_store, shared_atomic };
constexpr bool is_shared(AccessKind kind) { return kind >= AccessKind::shared_load; }

// One instruction of a warp.
struct WarpRequest {
  AccessKind kind{};
  std::uint8_t bytes = 0;                               // of each access, 16 at most
  std::uint32_t lanes = 0;                              // one bit per participating lane
  std::array<std::uint64_t, lanes_per_warp> addresses;  // of those lanes

  std::uint64_t key = 0;  // of its place; for WarpLog
  std::uint32_t site = 0, position = 0, occurrence = 0;
};

// Requests are many, and live only until their warp synchronises.
class RequestPool {
 public:
  WarpRequest* take() {
    if (free_.empty()) return &all_.emplace_back();
    WarpRequest* request = free_.back();
    free_.pop_back();
    return request;
  }
  void give_back(WarpRequest* request) { free_.push_back(request); }

 private:
  std::deque<WarpRequest> all_;
  std::vector<WarpRequest*> free_;
};

// WarpLog: the lanes of a warp run one after another; this combines their accesses into the instructions that the warp would
// execute: those of the warp since it last synchronised.
//
// Lanes that execute the same instruction equally often since the warp last synchronised belong together: the n-th access
// of one lane from one place joins the n-th of the others from there. This is exact for a warp in lockstep, and an
// approximation where lanes diverge in a loop.
class WarpLog {
 public:
  static constexpr unsigned max_accesses = 512;  // of a lane, until the others should catch up

  explicit WarpLog(RequestPool& pool) : pool_(pool) {}
  ~WarpLog() { clear(); }
  WarpLog(const WarpLog&) = delete;
  WarpLog& operator=(const WarpLog&) = delete;

  void add(unsigned lane, const void* place, AccessKind kind, unsigned bytes, std::uint64_t address);
  bool full(unsigned lane) const { return lanes_[lane].accesses >= max_accesses; }
  // Calls f(const WarpRequest&) for every request, in the order in which its first lane reached it.
  template <class F>
  void drain(F&& f) {
    if (requests_.empty()) return;
    for (const WarpRequest* request : requests_) f(*request);
    clear();
  }
  void clear();

 private:
  struct Lane {
    std::uint32_t accesses = 0;
    std::uint32_t expected = 0;  // the request that it joins next if it follows the other lanes
  };
  struct Site {  // a place in the code
    std::uint64_t key = 0;
    std::vector<WarpRequest*> requests;
    std::array<std::uint16_t, lanes_per_warp> next{};  // each lane's
  };
  WarpRequest* find(unsigned lane, std::uint64_t key, AccessKind kind, unsigned bytes);
  std::uint32_t site_of(std::uint64_t key);
  void rehash(std::size_t slots);

  RequestPool& pool_;
  std::vector<WarpRequest*> requests_;
  std::array<Lane, lanes_per_warp> lanes_;
  std::vector<Site> sites_;  // the first site_count_ are in use; the others keep their memory
  std::size_t site_count_ = 0;
  std::vector<std::int32_t> slots_;  // hash table of sites: -1 is free
};

// Tally: adds up the requests of warps, and records them for the memory machine models. An atomic counts as one atomic and also as
// one load and one store of its size, so that memory traffic includes it (the counters of GPUs show it as neither). For the memory
// machines it is one request.
class Tally {
 public:
  // `by_place`: also for each place in the code.
  Tally(int width, bool by_place) : width_(static_cast<unsigned>(width)), by_place_(by_place) {}

  // `trace`: of the warp.
  void add(const WarpRequest& request, WarpTrace& trace);
  // Threads at a barrier at `place`, an address in device code.
  void add_barrier(const void* place, unsigned threads, bool wait);
  Counts& counts() { return counts_; }
  const Counts& counts() const { return counts_; }
  // `lines_of`: as in SimulationRequest.
  std::vector<LineCounts> lines(std::span<const std::string> lines_of) const;

 private:
  unsigned width_;  // of the memory machines
  bool by_place_;
  Counts counts_;
  std::unordered_map<std::uintptr_t, LineCounts> places_;  // addresses in device code; files and lines stay unset
};

// LaneClocks: which warp epochs of each lane each other one has synchronised with, where a part of a warp does (vector clocks).
class LaneClocks {
 public:
  // `completed`: __syncwarp()s of the warp, this one included. `lanes` have taken part, a bit each.
  void synchronise(std::uint32_t lanes, std::uint32_t completed);
  // The epoch in which the lane is: it began with its latest __syncwarp().
  std::uint16_t epoch(unsigned lane) const { return known_[lane][lane]; }
  // Of each lane: what it did before this epoch is known to `lane`.
  const std::uint16_t* known(unsigned lane) const { return known_[lane].data(); }
  bool active() const { return active_; }
  void clear() { active_ = false; }  // the whole warp is in one epoch

 private:
  bool active_ = false;
  std::array<std::array<std::uint16_t, lanes_per_warp>, lanes_per_warp> known_;
};

class RecordingObserver final : public Observer {
 public:
  // Throws std::runtime_error if the address space is limited: it reserves 8 times as much as the simulated GPU.
  explicit RecordingObserver(const Heap& heap);
  ~RecordingObserver() override;

  // Clears everything. `width` and `latency` of the memory machines and `lines_of`, as in SimulationRequest; `resident`: blocks at
  // once.
  void reset(int width = 32, int latency = 400, int resident = 264, std::vector<std::string> lines_of = {});
  // What the launches since reset() did: launches, counts, races, lines, umm_units, dmm_umm_units. Members about tables stay unset.
  Simulation results() const;
  // The largest number of resident threads.
  std::uint64_t max_resident_threads() const { return max_threads_; }

  void launch_begins(const void* kernel, dim3 grid, dim3 block, std::uint64_t blocks, Beside beside) override;
  void launch_ends() override;
  void block_begins(Block& block) override;
  void block_ends(Block& block) override;
  void warp_synchronised(Block& block, Warp& warp, Rendezvous kind, std::uint32_t lanes) override;
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
    std::vector<LaneClocks> clocks;       // of warps; empty: all their lanes have always synchronised together
    std::vector<std::size_t> at_barrier;  // of each warp: its steps up to the latest barrier
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
  std::vector<std::string> lines_of_;
  Tally tally_{32, false};
  MachineParameters machine_;
  int launches_ = 0;
  std::uint64_t umm_ = 0, dmm_umm_ = 0;  // time units of all launches
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
