// Simulation: one run of one algorithm on the observed simulated GPU, and everything that was observed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/image.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"
#include "gpu/simulated/place.h"
#include "gpu/simulated/schedule.h"

namespace gpu {
struct Effect;
}

namespace gpu::simulated {

struct SimulationRequest {
  std::string_view algorithm;              // its name
  const SatAlgorithm* of_user = nullptr;   // in its place: that of a user's file, as its library for this build has it
  const Effect* effect_of_user = nullptr;  // likewise, an effect, on a gray frame and its table
  Arguments arguments;
  SatType type = SatType::f32_f32;
  Size size{1024, 1024};  // of the image, whose pixels are random
  // Parameters of Nakano's memory machine models (002): words per address group and memory banks, and the latency of the global
  // memory in time units. Width: a power of two from 4 to 32.
  int width = 32, latency = 400;
  GpuSettings gpu;
  // Files whose lines matter, as line_of() takes them: Simulation::lines are counted, and code of other files counts as the line of
  // these that calls it. Empty: lines are not counted.
  std::vector<std::string> lines_of;
};

// Two unordered accesses, at least one of which writes.
struct Race {
  std::string what;           // "global write after read"
  std::string first, second;  // source lines; `first` is empty if only the second is known
  std::uint64_t times = 0;
  SourceLine first_line{}, second_line{};  // of SimulationRequest::lines_of, where the access belongs to one of these
  friend bool operator==(const Race&, const Race&) = default;
};

// One kind of access to global memory: loads, or stores.
struct Transfers {
  std::uint64_t bytes = 0;    // requested by threads, without polls
  std::uint64_t sectors = 0;  // 32 bytes each, distinct within a warp instruction
  std::uint64_t in_part = 0;  // of these sectors: the instruction does not access all of their bytes

  Transfers& operator+=(const Transfers& other) {
    bytes += other.bytes, sectors += other.sectors, in_part += other.in_part;
    return *this;
  }
};

// Totals of all launches. Barriers, shuffles and atomics count per thread: one that a full warp executes counts 32 times.
struct Counts {
  Transfers read, written;
  std::uint64_t polls = 0, poll_bytes = 0;  // loads that returned the value the thread had seen there before
  std::uint64_t shared_stages = 0, shared_stages_without_conflicts = 0;
  std::uint64_t shared_reads = 0, shared_writes = 0;  // warp requests
  std::uint64_t barriers = 0, shuffles = 0, ballots = 0, warp_barriers = 0, atomics = 0;
  std::uint64_t surface_bytes = 0;
};

// What one source line did, in all launches. Everything counts per thread, except stages. Sums over all lines are those of Counts,
// which has requests of warps in place of shared_reads and shared_writes.
struct LineCounts {
  std::string file;  // its name, without folders; empty, with line 0: all that could not be found
  int line = 0;
  Transfers read, written;                            // global memory; an atomic is a load and a store
  std::uint64_t shared_reads = 0, shared_writes = 0;  // loads and stores
  std::uint64_t shared_stages = 0,
                shared_stages_without_conflicts = 0;  // the difference is lost to bank conflicts
  std::uint64_t barriers = 0;                         // __syncthreads() that threads came to
  // How often a thread had to wait there because another warp of its block had more to do: it had made more requests to memory since
  // the barrier before. At most `barriers`; 0 if the work is evenly divided.
  std::uint64_t barrier_waits = 0;
  std::uint64_t atomics = 0;

  LineCounts& operator+=(const LineCounts& other) {  // of the same line
    read += other.read, written += other.written;
    shared_reads += other.shared_reads, shared_writes += other.shared_writes;
    shared_stages += other.shared_stages, shared_stages_without_conflicts += other.shared_stages_without_conflicts;
    barriers += other.barriers, barrier_waits += other.barrier_waits, atomics += other.atomics;
    return *this;
  }
};

struct Simulation {
  bool equal = false;    // the table is right: equal, or within float_error_bound()
  std::string mismatch;  // otherwise what is wrong, one line
  int launches = 0;
  Counts counts;
  std::vector<Race> races;
  std::vector<LineCounts> lines;                   // the files of lines_of first, in order; only those that did something
  std::uint64_t umm_units = 0, dmm_umm_units = 0;  // memory_machine.h
  std::optional<double> formula_units;             // PaperBound
};

}  // namespace gpu::simulated
