#include "gpu/simulated/observed/recording_observer.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/simulated/block.h"
#include "gpu/simulated/place.h"

namespace gpu::simulated {
namespace {

constexpr unsigned sector_bytes = 32, bank_bytes = 4;

// The sectors that accesses of `bytes` bytes at these addresses, multiples of it, touch.
Transfers sectors_of(std::span<const std::uint64_t> addresses, unsigned bytes) {
  struct Sector {
    std::uint64_t number;
    std::uint32_t touched;  // a bit per byte
  };
  std::array<Sector, lanes_per_warp> sectors;
  std::size_t count = 0;
  const auto access = static_cast<std::uint32_t>((std::uint64_t{1} << bytes) - 1);
  for (const auto address : addresses) {
    const auto number = address / sector_bytes;
    const auto end = sectors.begin() + count;
    // The lane before has nearly always accessed the same sector, or the one before it.
    auto found = end;
    for (auto at = end; at != sectors.begin() && found == end; --at)
      if (at[-1].number == number) found = at - 1;
    if (found == end) sectors[count++] = {number, 0};
    found->touched |= access << address % sector_bytes;
  }
  const auto whole = std::count_if(sectors.begin(), sectors.begin() + count,
                                   [](const Sector& s) { return ~s.touched == 0; });
  return {addresses.size() * bytes, count, count - static_cast<std::uint64_t>(whole)};
}

}  // namespace

void Tally::add(const WarpRequest& request, WarpTrace& trace) {
  std::uint64_t packed[lanes_per_warp];
  unsigned count = 0;
  for (auto lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
    packed[count++] = request.addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  const std::span<const std::uint64_t> addresses(packed, count);
  const bool loads = request.kind != AccessKind::global_store && request.kind != AccessKind::shared_store;
  const bool stores = request.kind != AccessKind::global_load && request.kind != AccessKind::shared_load;

  if (is_shared(request.kind)) {
    const unsigned lanes_per_dispatch = width_ / std::max(1u, request.bytes / bank_bytes);
    const auto stages = dmm_stages(addresses, request.bytes, width_);
    counts_.shared_stages += stages;
    counts_.shared_stages_without_conflicts += (count + lanes_per_dispatch - 1) / lanes_per_dispatch;
    counts_.shared_reads += loads;
    counts_.shared_writes += stores;
    trace.push_back(Step::shared(stages));
  } else {
    const auto moved = sectors_of(addresses, request.bytes);
    if (loads) counts_.read += moved;
    if (stores) counts_.written += moved;
    trace.push_back(Step::global(umm_stages(addresses, request.bytes, width_)));
  }
}

namespace {

constexpr std::size_t widest = 16;  // bytes that a thread moves with one instruction

}  // namespace

Toucher RecordingObserver::toucher(const Thread& thread, bool waited) {
  const auto barriers = static_cast<std::uint16_t>(thread.block->barriers());
  const auto epoch = static_cast<std::uint16_t>(thread.warp->epoch);
  const auto block = state_of(*thread.block).serial;
  return {block, thread.number, barriers, epoch, barriers, epoch, waited ? first_of_launch_ : first_beside_};
}

RecordingObserver::RecordingObserver(const Heap& heap) : heap_(heap), space_(heap), global_shadow_(Heap::reserved_bytes) {}
RecordingObserver::~RecordingObserver() = default;

void RecordingObserver::reset(int width, int latency, int resident) {
  tally_ = Tally(width);
  machine_ = {static_cast<unsigned>(latency), static_cast<std::size_t>(resident)};
  launches_ = 0;
  umm_ = dmm_umm_ = {};
  max_threads_ = 0;
  races_.clear();
  space_.forget();
  global_shadow_.clear();
  next_serial_ = first_of_launch_ = first_beside_ = 1;
  latest_block_ = nullptr;
  residents_.clear();
}

Simulation RecordingObserver::results() const {
  Simulation results;
  results.launches = launches_;
  results.counts = tally_.counts();
  results.races = races_.races();
  results.umm_units = umm_.units;
  results.dmm_umm_units = dmm_umm_.units;
  return results;
}

void RecordingObserver::launch_begins(const void*, dim3, dim3 block, std::uint64_t blocks, Beside beside) {
  ++launches_;
  if (beside != Beside::chain) first_beside_ = beside == Beside::previous ? first_of_launch_ : next_serial_;
  first_of_launch_ = next_serial_;
  resolving_place_ = false;  // the previous launch may have ended meanwhile
  races_.launch_begins(next_serial_);
  trace_.clear();
  const auto at_once = std::min<std::uint64_t>(blocks, machine_.resident);
  max_threads_ = std::max(max_threads_, at_once * block.x * block.y * block.z);
}

void RecordingObserver::launch_ends() {
  umm_ += umm_time(trace_, machine_);
  dmm_umm_ += dmm_umm_time(trace_, machine_);
  trace_.clear();
  latest_block_ = nullptr;
  // A failed launch leaves blocks that never ended.
  for (auto& [block, state] : residents_)
    for (auto& log : state->logs) log->clear();
}

void RecordingObserver::block_begins(Block& block) {
  auto& state = residents_[&block];
  if (!state) state = std::make_unique<Resident>();
  while (state->logs.size() < block.warp_count()) state->logs.push_back(std::make_unique<WarpLog>(pool_));
  state->serial = next_serial_++;
  state->trace = trace_.size();
  trace_.emplace_back(block.warp_count());
}

void RecordingObserver::block_ends(Block& block) {
  auto& state = state_of(block);
  for (unsigned warp = 0; warp < block.warp_count(); ++warp) evaluate(state, warp);
}

void RecordingObserver::warp_synchronised(Block& block, Warp& warp, Rendezvous kind) {
  auto& counts = tally_.counts();
  auto& counter = kind == Rendezvous::shuffle  ? counts.shuffles
                  : kind == Rendezvous::ballot ? counts.ballots
                                               : counts.warp_barriers;
  counter += warp.lanes;
  evaluate(state_of(block), warp.number);
}

void RecordingObserver::block_synchronised(Block& block) {
  auto& state = state_of(block);
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    evaluate(state, w);
    const Warp& warp = block.warp(w);
    if (!warp.alive) continue;
    tally_.counts().barriers += static_cast<unsigned>(std::popcount(warp.alive));
    trace_[state.trace][w].push_back(Step::barrier());
  }
}

void RecordingObserver::touched(Thread& thread, bool writes, const void* at, std::size_t bytes, const void* caller) {
  access(thread, toucher(thread, thread.waited), {!writes, writes}, at, bytes, caller);
}

void RecordingObserver::accessed(Thread& thread, Access access, const void* at, std::size_t bytes, const void* caller) {
  auto& counts = tally_.counts();
  if (access == Access::poll) {
    ++counts.polls;
    counts.poll_bytes += bytes;
    return;
  }
  const bool atomic = access == Access::atomic;
  counts.atomics += atomic;
  this->access(thread, toucher(thread, thread.waited),
               {atomic || access == Access::relaxed_load, atomic || access == Access::relaxed_store, true, atomic}, at,
               bytes, caller);
}

// The source is read when the copy arrives, or earlier; the target may be written at any time after the start of the copy.
void RecordingObserver::copied(Thread& thread, const AsyncCopy& copy) {
  auto who = toucher(thread, copy.waited);
  access(thread, who, {true, false}, copy.from, copy.bytes, copy.caller);
  who.barriers_before = static_cast<std::uint16_t>(copy.barriers);
  who.warp_epoch_before = static_cast<std::uint16_t>(copy.warp_epoch);
  access(thread, who, {false, true}, copy.to, copy.bytes, copy.caller);
}

void RecordingObserver::surface_written(Thread&, std::size_t bytes, const void*) { tally_.counts().surface_bytes += bytes; }

void RecordingObserver::allocated(const void*, std::size_t) { space_.forget(); }
void RecordingObserver::released(const void*, std::size_t) { space_.forget(); }

RecordingObserver::Resident& RecordingObserver::state_of(const Block& block) {
  if (latest_block_ != &block) {
    latest_ = residents_.at(&block).get();
    latest_block_ = &block;
  }
  return *latest_;
}

void RecordingObserver::access(Thread& thread, const Toucher& who, Request request, const void* at, std::size_t bytes,
                               const void* caller) {
  if (resolving_place_) return;
  const Block& block = *thread.block;
  const RaceDetector::Access race_access{request.reads, request.writes, request.strong};
  switch (space_.kind_of(block, at, bytes)) {
    case AddressSpace::Kind::own: return;
    case AddressSpace::Kind::nothing:
      // The linker may have given the simulator an instrumented inline function of the standard library. If source lines
      // are unknown, each such access counts as the kernel's: a false alarm is better than a missed fault. Accesses of
      // such functions while the source line is looked up, or the message made, are ignored.
      resolving_place_ = true;
      if (!request.strong && is_host_code(caller)) return void(resolving_place_ = false);
      fail_outside(thread, request, at, bytes, caller);
    case AddressSpace::Kind::global: {
      const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(at) - heap_.begin());
      races_.touch(RaceDetector::Memory::global, global_shadow_.cells(), offset, bytes, race_access, who, caller);
      return log(thread,
                 request.atomic   ? AccessKind::global_atomic
                 : request.writes ? AccessKind::global_store
                                  : AccessKind::global_load,
                 at, bytes, caller);
    }
    case AddressSpace::Kind::shared: {
      const auto offset = block.shared().offset_of(at);
      auto& cells = state_of(block).shared;
      if (cells.size() * word_bytes < offset + bytes) cells.resize(block.shared().extent() / word_bytes + 1);
      races_.touch(RaceDetector::Memory::shared, cells.data(), offset, bytes, race_access, who, caller);
      if (request.reads && !thread.copies.empty()) check_pending_copies(thread, at, bytes, caller);
      return log(thread,
                 request.atomic   ? AccessKind::shared_atomic
                 : request.writes ? AccessKind::shared_store
                                  : AccessKind::shared_load,
                 at, bytes, caller);
    }
  }
}

void RecordingObserver::check_pending_copies(const Thread& thread, const void* at, std::size_t bytes, const void* caller) {
  const auto* begin = static_cast<const char*>(at);
  for (const auto& copy : thread.copies) {
    const auto* to = static_cast<const char*>(copy.to);
    if (begin < to + copy.bytes && to < begin + bytes) return races_.read_early(copy.caller, caller);
  }
}

// An access that is too wide for one instruction, or not aligned to its size, takes several.
void RecordingObserver::log(Thread& thread, AccessKind kind, const void* at, std::size_t bytes, const void* caller) {
  auto address = reinterpret_cast<std::uintptr_t>(at);
  WarpLog* log = state_of(*thread.block).logs[thread.warp->number].get();
  while (bytes > 0) {
    std::size_t piece = std::min(widest, std::bit_floor(bytes));
    while (address % piece != 0) piece /= 2;
    log->add(thread.lane, caller, kind, static_cast<unsigned>(piece), address);
    address += piece;
    bytes -= piece;
  }
  if (!log->full(thread.lane)) return;
  thread.block->let_warp_catch_up(thread);
  if (log->full(thread.lane)) evaluate(state_of(*thread.block), thread.warp->number);
}

void RecordingObserver::evaluate(Resident& state, unsigned warp) {
  auto& trace = trace_[state.trace][warp];
  state.logs[warp]->drain([&](const WarpRequest& request) { tally_.add(request, trace); });
}

void RecordingObserver::fail_outside(Thread& thread, Request request, const void* at, std::size_t bytes,
                                     const void* caller) {
  const std::string what = request.atomic ? "an atomic" : request.writes ? "a store" : "a load";
  thread.block->fail(thread,
                     "out of bounds: " + what + " of " + std::to_string(bytes) + (bytes == 1 ? " byte " : " bytes ") +
                         space_.describe(*thread.block, at),
                     caller);
}

}  // namespace gpu::simulated
