#include "gpu/simulated/observed/recording_observer.h"

#include <link.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "gpu/simulated/place.h"

namespace gpu::simulated {
namespace {

// The segments of the program or library that contains `inside`.
std::vector<Heap::Range> segments_around(const void* inside) {
  struct Search {
    const void* inside;
    std::vector<Heap::Range> segments;
  } search{inside, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        std::vector<Heap::Range> segments;
        bool found = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          segments.push_back({reinterpret_cast<std::byte*>(info->dlpi_addr + header.p_vaddr), header.p_memsz});
          found = found || segments.back().contains(search.inside, 1);
        }
        if (found) search.segments = std::move(segments);
        return found ? 1 : 0;
      },
      &search);
  return search.segments;
}

const char here = 0;  // in this image

std::string bytes_text(std::size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

constexpr std::size_t first_slots = 64;

// Addresses of code have 47 bits.
std::uint64_t make_key(const void* place, AccessKind kind, unsigned bytes) {
  return reinterpret_cast<std::uintptr_t>(place) << 16 | static_cast<std::uint64_t>(kind) << 8 | bytes;
}
std::uintptr_t place_of_key(std::uint64_t key) { return static_cast<std::uintptr_t>(key >> 16); }
std::size_t hash(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32); }

constexpr unsigned sector_bytes = 32, bank_bytes = 4;
constexpr std::size_t widest = 16;  // bytes that a thread moves with one instruction

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

AddressSpace::AddressSpace(const Heap& heap) : heap_(heap), image_(segments_around(&here)) {}

void AddressSpace::begin(const void* kernel) {
  if (in_image(kernel, 1)) return;
  const auto segments = segments_around(kernel);
  image_.insert(image_.end(), segments.begin(), segments.end());
}

bool AddressSpace::in_allocation(const void* at, std::size_t bytes) {
  for (std::size_t i = 1; i < known_.size(); ++i)
    if (known_[i].contains(at, bytes)) {
      std::rotate(known_.begin(), known_.begin() + static_cast<std::ptrdiff_t>(i),
                  known_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return true;
    }
  const auto range = heap_.at_or_before(at);
  if (!range || !range->contains(at, bytes)) return false;
  std::rotate(known_.begin(), known_.end() - 1, known_.end());
  known_[0] = *range;
  return true;
}

bool AddressSpace::in_image(const void* at, std::size_t bytes) const {
  return std::any_of(image_.begin(), image_.end(), [&](const auto& segment) { return segment.contains(at, bytes); });
}

std::string AddressSpace::describe(const Block& block, const void* at) const {
  const auto* address = static_cast<const std::byte*>(at);
  if (const auto offset = block.shared().offset_of(at); offset < SharedSpace::page_bytes)
    return block.shared().describe(offset);
  if (!heap_.owns(at)) return "at an address that is not in the GPU's memory";
  const auto before = heap_.at_or_before(at), after = heap_.first_after(at);
  const auto past = [&] { return static_cast<std::size_t>(address - before->data) - before->bytes; };
  const auto ahead = [&] { return static_cast<std::size_t>(after->data - address); };
  if (before && address < before->data + before->bytes)
    return "at offset " + std::to_string(address - before->data) + " of an allocation of " + bytes_text(before->bytes);
  if (before && (!after || past() <= ahead()))
    return bytes_text(past()) + " past the end of an allocation of " + bytes_text(before->bytes);
  if (after) return bytes_text(ahead()) + " before the start of an allocation of " + bytes_text(after->bytes);
  return "in memory that is not allocated";
}

void AddressSpace::forget() { known_ = {}; }

void WarpLog::add(unsigned lane, const void* place, AccessKind kind, unsigned bytes, std::uint64_t address) {
  const auto key = make_key(place, kind, bytes);
  Lane& who = lanes_[lane];
  WarpRequest* request = nullptr;
  if (who.expected < requests_.size()) {
    WarpRequest* const expected = requests_[who.expected];
    if (expected->key == key && sites_[expected->site].next[lane] == expected->occurrence) request = expected;
  }
  if (!request) request = find(lane, key, kind, bytes);
  request->lanes |= 1u << lane;
  request->addresses[lane] = address;
  ++sites_[request->site].next[lane];
  who.expected = request->position + 1;
  ++who.accesses;
}

WarpRequest* WarpLog::find(unsigned lane, std::uint64_t key, AccessKind kind, unsigned bytes) {
  const auto index = site_of(key);
  Site& site = sites_[index];
  const std::uint32_t occurrence = site.next[lane];
  if (occurrence < site.requests.size()) return site.requests[occurrence];
  WarpRequest* const request = pool_.take();
  request->kind = kind;
  request->bytes = static_cast<std::uint8_t>(bytes);
  request->lanes = 0;
  request->key = key;
  request->site = index;
  request->position = static_cast<std::uint32_t>(requests_.size());
  request->occurrence = occurrence;
  requests_.push_back(request);
  site.requests.push_back(request);
  return request;
}

std::uint32_t WarpLog::site_of(std::uint64_t key) {
  if (2 * (site_count_ + 1) > slots_.size()) rehash(std::max(first_slots, 2 * slots_.size()));
  std::size_t slot = hash(key) & (slots_.size() - 1);
  while (slots_[slot] >= 0 && sites_[static_cast<std::size_t>(slots_[slot])].key != key)
    slot = (slot + 1) & (slots_.size() - 1);
  if (slots_[slot] < 0) {
    if (site_count_ == sites_.size()) sites_.emplace_back();
    Site& site = sites_[site_count_];
    site.key = key;
    site.requests.clear();
    site.next.fill(0);
    slots_[slot] = static_cast<std::int32_t>(site_count_++);
  }
  return static_cast<std::uint32_t>(slots_[slot]);
}

void WarpLog::rehash(std::size_t slots) {
  slots_.assign(slots, -1);
  for (std::size_t i = 0; i < site_count_; ++i) {
    std::size_t slot = hash(sites_[i].key) & (slots - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

void WarpLog::clear() {
  for (WarpRequest* request : requests_) pool_.give_back(request);
  requests_.clear();
  lanes_.fill({});
  if (site_count_ > 0) std::fill(slots_.begin(), slots_.end(), -1);
  site_count_ = 0;
}

void Tally::add(const WarpRequest& request, WarpTrace& trace) {
  std::uint64_t packed[lanes_per_warp];
  unsigned count = 0;
  for (auto lanes = request.lanes; lanes != 0; lanes &= lanes - 1)
    packed[count++] = request.addresses[static_cast<unsigned>(std::countr_zero(lanes))];
  const std::span<const std::uint64_t> addresses(packed, count);
  const bool loads = request.kind != AccessKind::global_store && request.kind != AccessKind::shared_store;
  const bool stores = request.kind != AccessKind::global_load && request.kind != AccessKind::shared_load;

  LineCounts* const place = by_place_ ? &places_[place_of_key(request.key)] : nullptr;
  if (place && (request.kind == AccessKind::global_atomic || request.kind == AccessKind::shared_atomic))
    place->atomics += count;

  if (is_shared(request.kind)) {
    const unsigned lanes_per_dispatch = width_ / std::max(1u, request.bytes / bank_bytes);
    const auto stages = dmm_stages(addresses, request.bytes, width_);
    const auto without_conflicts = (count + lanes_per_dispatch - 1) / lanes_per_dispatch;
    counts_.shared_stages += stages;
    counts_.shared_stages_without_conflicts += without_conflicts;
    counts_.shared_reads += loads;
    counts_.shared_writes += stores;
    trace.push_back(Step::shared(stages));
    if (!place) return;
    place->shared_stages += stages;
    place->shared_stages_without_conflicts += without_conflicts;
    place->shared_reads += loads ? count : 0;
    place->shared_writes += stores ? count : 0;
  } else {
    const auto moved = sectors_of(addresses, request.bytes);
    if (loads) counts_.read += moved;
    if (stores) counts_.written += moved;
    trace.push_back(Step::global(umm_stages(addresses, request.bytes, width_)));
    if (place && loads) place->read += moved;
    if (place && stores) place->written += moved;
  }
}

void Tally::add_barrier(const void* place, unsigned threads, bool wait) {
  counts_.barriers += threads;
  if (!by_place_) return;
  auto& counts = places_[reinterpret_cast<std::uintptr_t>(place)];
  counts.barriers += threads;
  counts.barrier_waits += wait ? threads : 0;
}

std::vector<LineCounts> Tally::lines(std::span<const std::string> lines_of) const {
  std::vector<const void*> addresses;
  for (const auto& [place, counts] : places_) addresses.push_back(reinterpret_cast<const void*>(place));
  learn_places(addresses);
  std::map<std::tuple<std::ptrdiff_t, std::string, int>, LineCounts> merged;
  for (const auto& [place, counts] : places_) {
    const auto [file, line] = line_of(reinterpret_cast<const void*>(place), lines_of);
    auto& sum = merged[{std::ranges::find(lines_of, file) - lines_of.begin(), file, line}];
    sum.file = file;
    sum.line = line;
    sum += counts;
  }
  std::vector<LineCounts> lines;
  for (auto& [order, counts] : merged) lines.push_back(std::move(counts));
  return lines;
}

void LaneClocks::synchronise(std::uint32_t lanes, std::uint32_t completed) {
  const auto now = static_cast<std::uint16_t>(completed), before = static_cast<std::uint16_t>(completed - 1);
  if (!std::exchange(active_, true))
    for (auto& known : known_) known.fill(before);
  const auto takes_part = [&](unsigned lane) { return (lanes >> lane & 1) != 0; };
  for (unsigned of = 0; of < lanes_per_warp; ++of) {
    auto latest = known_[static_cast<unsigned>(std::countr_zero(lanes))][of];
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      if (takes_part(lane) && static_cast<std::int16_t>(known_[lane][of] - latest) > 0) latest = known_[lane][of];
    if (takes_part(of)) latest = now;
    for (unsigned lane = 0; lane < lanes_per_warp; ++lane)
      if (takes_part(lane)) known_[lane][of] = latest;
  }
}

Toucher RecordingObserver::toucher(const Thread& thread, bool waited) {
  const auto barriers = static_cast<std::uint16_t>(thread.block->barriers());
  const auto epoch = static_cast<std::uint16_t>(thread.warp->epoch);
  const auto& state = state_of(*thread.block);
  Toucher who{state.serial, thread.number, barriers, epoch, barriers, epoch, waited ? first_of_launch_ : first_beside_};
  if (!state.clocks.empty() && state.clocks[thread.warp->number].active()) {
    const auto& clocks = state.clocks[thread.warp->number];
    who.warp_epoch = clocks.epoch(thread.lane);
    who.known = clocks.known(thread.lane);
  }
  return who;
}

RecordingObserver::RecordingObserver(const Heap& heap) : heap_(heap), space_(heap), global_shadow_(Heap::reserved_bytes) {}
RecordingObserver::~RecordingObserver() = default;

void RecordingObserver::reset(int width, int latency, int resident, std::vector<std::string> lines_of) {
  lines_of_ = std::move(lines_of);
  tally_ = Tally(width, !lines_of_.empty());
  machine_ = {static_cast<unsigned>(latency), static_cast<std::size_t>(resident)};
  launches_ = 0;
  umm_ = dmm_umm_ = 0;
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
  results.races = races_.races(lines_of_);
  results.lines = tally_.lines(lines_of_);
  results.umm_units = umm_;
  results.dmm_umm_units = dmm_umm_;
  return results;
}

void RecordingObserver::launch_begins(const void* kernel, dim3, dim3 block, std::uint64_t blocks, Beside beside) {
  ++launches_;
  space_.begin(kernel);
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
  state->clocks.clear();
  state->at_barrier.assign(block.warp_count(), 0);
  trace_.emplace_back(block.warp_count());
}

void RecordingObserver::block_ends(Block& block) {
  auto& state = state_of(block);
  for (unsigned warp = 0; warp < block.warp_count(); ++warp) evaluate(state, warp);
}

// What a part of the warp has done is combined with what the others do: a warp whose lanes all run the same code does so in lockstep.
void RecordingObserver::warp_synchronised(Block& block, Warp& warp, Rendezvous kind, std::uint32_t lanes) {
  auto& counts = tally_.counts();
  auto& counter = kind == Rendezvous::shuffle  ? counts.shuffles
                  : kind == Rendezvous::ballot ? counts.ballots
                                               : counts.warp_barriers;
  counter += static_cast<unsigned>(std::popcount(lanes));
  auto& state = state_of(block);
  const bool whole = lanes == warp.alive;
  if (kind == Rendezvous::sync_warp && !(whole && state.clocks.empty())) {
    state.clocks.resize(block.warp_count());
    if (whole)
      state.clocks[warp.number].clear();
    else
      state.clocks[warp.number].synchronise(lanes, warp.epoch);
  }
  if (whole) evaluate(state, warp.number);
}

void RecordingObserver::block_synchronised(Block& block) {
  auto& state = state_of(block);
  for (auto& clocks : state.clocks) clocks.clear();
  auto& traces = trace_[state.trace];
  const auto requests = [&](unsigned w) { return traces[w].size() - state.at_barrier[w]; };
  std::size_t most = 0;  // of a warp, since the barrier before
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    evaluate(state, w);
    most = std::max(most, requests(w));
  }
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    const Warp& warp = block.warp(w);
    const bool waits = requests(w) < most;
    // All are at one place in the source, of which the compiler may have made several.
    for (auto lanes = warp.alive; lanes != 0;) {
      const auto at = [&](auto bits) {
        return block.thread(w * lanes_per_warp + static_cast<unsigned>(std::countr_zero(bits))).at;
      };
      const void* const place = at(lanes);
      unsigned threads = 0;
      for (auto others = lanes; others != 0; others &= others - 1)
        if (at(others) == place) ++threads, lanes &= ~(others & -others);
      tally_.add_barrier(place, threads, waits);
    }
    if (warp.alive) traces[w].push_back(Step::barrier());
    state.at_barrier[w] = traces[w].size();
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
  thread.block->fail(
      thread, "out of bounds: " + what + " of " + bytes_text(bytes) + ' ' + space_.describe(*thread.block, at), caller);
}

}  // namespace gpu::simulated
