#include "gpu/simulated/memory_machine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <queue>
#include <stdexcept>

namespace gpu::simulated {
namespace {

using Time = std::uint64_t;

// Runs one launch, event by event. An event: a warp becomes ready for its next step.
class Machine {
 public:
  Machine(const LaunchTrace& launch, const MachineParameters& parameters, bool shared_costs)
      : launch_(launch), latency_(parameters.latency), shared_costs_(shared_costs) {
    if (parameters.latency == 0 || parameters.resident == 0)
      throw std::invalid_argument("latency and resident blocks of a memory machine must be 1 or more");
    for (const auto& block : launch) warps_per_seat_ = std::max(warps_per_seat_, block.size());
    seats_.resize(std::min(parameters.resident, launch.size()));
    warps_.resize(seats_.size() * warps_per_seat_);
    if (warps_.size() > slot_mask) throw std::invalid_argument("more resident warps than a memory machine can run");
  }

  Time run() {
    for (std::size_t seat = 0; seat < seats_.size(); ++seat) start_block(seat);
    while (next_event()) step(slot_);
    return now_;
  }

 private:
  struct Seat {                            // of a resident block
    std::size_t running = 0, arrived = 0;  // warps that have not ended; warps among these that wait at the barrier
    std::size_t warps = 0;
    Time shared_free = 0;  // when its DMM accepts the next stage
  };
  struct Warp {
    const Step* next = nullptr;
    const Step* end = nullptr;
    bool waits = false;  // at a barrier
  };
  struct Event {
    Time at;
    std::size_t slot;
  };
  static constexpr unsigned slot_bits = 24;  // leaves 40 bits for the time: the heap then sorts single words
  static constexpr std::size_t slot_mask = (std::size_t{1} << slot_bits) - 1;

  void start_block(std::size_t seat) {
    // A block without warps has ended as soon as it starts.
    while (next_block_ < launch_.size() && launch_[next_block_].empty()) ++next_block_;
    if (next_block_ == launch_.size()) return;
    const auto& block = launch_[next_block_++];
    seats_[seat] = {.running = block.size(), .warps = block.size()};
    for (std::size_t w = 0; w < block.size(); ++w) {
      const auto slot = seat * warps_per_seat_ + w;
      warps_[slot] = {block[w].data(), block[w].data() + block[w].size(), false};
      ready_.push_back(slot);
    }
  }

  // Takes the earliest event: now_ and slot_.
  bool next_event() {
    if (!ready_.empty()) {
      slot_ = ready_.front();
      ready_.pop_front();
      return true;
    }
    constexpr auto never = std::numeric_limits<Time>::max();
    const Time global_at = global_done_.empty() ? never : global_done_.front().at;
    const Time shared_at = shared_done_.empty() ? never : shared_done_.top() >> slot_bits;
    if (std::min(global_at, shared_at) == never) return false;
    now_ = std::min(global_at, shared_at);
    if (global_at <= shared_at) {
      slot_ = global_done_.front().slot;
      global_done_.pop_front();
    } else {
      slot_ = shared_done_.top() & slot_mask;
      shared_done_.pop();
    }
    return true;
  }

  void step(std::size_t slot) {
    auto& warp = warps_[slot];
    while (warp.next != warp.end && warp.next->is_shared() && !shared_costs_) ++warp.next;
    if (warp.next == warp.end) return end_warp(slot / warps_per_seat_);
    const Step step = *warp.next++;
    if (step.is_barrier()) {
      warp.waits = true;
      ++seats_[slot / warps_per_seat_].arrived;
      return open_barrier(slot / warps_per_seat_);
    }
    if (step.is_shared()) {
      auto& free = seats_[slot / warps_per_seat_].shared_free;
      free = std::max(free, now_) + step.stages();
      return shared_done_.push(free << slot_bits | slot);
    }
    // A request that enters the pipeline later is complete later, so that a queue keeps the order.
    global_free_ = std::max(global_free_, now_) + step.stages();
    global_done_.push_back({global_free_ + latency_ - 1, slot});
  }

  void open_barrier(std::size_t seat_index) {
    auto& seat = seats_[seat_index];
    if (seat.arrived < seat.running) return;
    seat.arrived = 0;
    for (std::size_t w = 0; w < seat.warps; ++w) {
      const auto slot = seat_index * warps_per_seat_ + w;
      if (!warps_[slot].waits) continue;
      warps_[slot].waits = false;
      ready_.push_back(slot);
    }
  }

  void end_warp(std::size_t seat_index) {
    if (--seats_[seat_index].running == 0)
      start_block(seat_index);
    else
      open_barrier(seat_index);  // the others may have waited for this warp only
  }

  const LaunchTrace& launch_;
  Time latency_;
  bool shared_costs_;
  std::size_t warps_per_seat_ = 1, next_block_ = 0;
  std::vector<Seat> seats_;
  std::vector<Warp> warps_;  // [seat][warp]

  Time now_ = 0, global_free_ = 0;
  std::size_t slot_ = 0;
  std::deque<std::size_t> ready_;                                                               // now
  std::deque<Event> global_done_;                                                               // ascending in time
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> shared_done_;  // time, slot
};

constexpr unsigned max_lanes = 32;
constexpr unsigned word_shift = 2;

// How many distinct groups accesses of `size` bytes at `addresses` touch; a group has 2^shift bytes.
unsigned groups(std::span<const std::uint64_t> addresses, unsigned size, unsigned shift) {
  std::uint64_t seen[2 * max_lanes];  // an access touches two groups at most: no group is smaller than 16 bytes
  unsigned count = 0;
  const auto see = [&](std::uint64_t group) {
    // Neighbouring lanes mostly access the latest group or one beyond all others.
    if (count == 0 || group > seen[count - 1]) {
      seen[count++] = group;
    } else if (group != seen[count - 1]) {
      const auto at = std::lower_bound(seen, seen + count, group);
      if (*at == group) return;
      std::move_backward(at, seen + count, seen + count + 1);
      *at = group;
      ++count;
    }
  };
  for (const auto address : addresses) {
    const auto first = address >> shift, last = (address + size - 1) >> shift;
    see(first);
    if (last != first) see(last);
  }
  return count;
}

// The largest number of distinct accessed words in any of the `banks` banks.
unsigned conflict_degree(std::span<const std::uint64_t> addresses, unsigned size, unsigned banks) {
  // The words of a bank are chained, so that identical ones are found without sorting.
  constexpr unsigned max_words = 2 * max_lanes;  // 32 accesses of two words each if they are not aligned
  struct Word {
    std::uint64_t address;
    int next;
  } words[max_words];
  int first_of_bank[max_lanes];
  unsigned in_bank[max_lanes] = {};
  std::fill_n(first_of_bank, banks, -1);
  int count = 0;
  unsigned most = 0;
  std::uint64_t greatest = 0;
  const auto see = [&](std::uint64_t word) {
    const auto bank = static_cast<unsigned>(word & (banks - 1));
    // Ascending words, the common case, are known to be new without a search: a column then costs no more than a row.
    if (word <= greatest)
      for (int i = first_of_bank[bank]; i >= 0; i = words[i].next)
        if (words[i].address == word) return;
    greatest = std::max(greatest, word);
    words[count] = {word, first_of_bank[bank]};
    first_of_bank[bank] = count++;
    most = std::max(most, ++in_bank[bank]);
  };
  for (const auto address : addresses)
    for (auto word = address >> word_shift; word <= (address + size - 1) >> word_shift; ++word) see(word);
  return most;
}

template <class Stages>
unsigned sum_over_dispatches(std::span<const std::uint64_t> addresses, unsigned lanes, const Stages& stages) {
  unsigned sum = 0;
  for (std::size_t from = 0; from < addresses.size(); from += lanes)
    sum += stages(addresses.subspan(from, std::min<std::size_t>(lanes, addresses.size() - from)));
  return sum;
}

double numbers(const MemoryProblem& problem) { return problem.width * problem.height; }
// Section 5's names of the three terms.
double bandwidth_limitation(const MemoryProblem& problem) { return numbers(problem) / problem.memory_width; }
double latency_limitation(const MemoryProblem& problem) { return numbers(problem) * problem.latency / problem.threads; }
double reduction_limitation(const MemoryProblem& problem) { return problem.latency * std::log2(numbers(problem)); }

}  // namespace

std::uint64_t umm_time(const LaunchTrace& launch, const MachineParameters& parameters) {
  return Machine(launch, parameters, false).run();
}

std::uint64_t dmm_umm_time(const LaunchTrace& launch, const MachineParameters& parameters) {
  return Machine(launch, parameters, true).run();
}

unsigned umm_stages(std::span<const std::uint64_t> addresses, unsigned size, unsigned width) {
  const auto shift = static_cast<unsigned>(std::countr_zero(width)) + word_shift;
  return sum_over_dispatches(addresses, width, [&](auto lanes) { return groups(lanes, size, shift); });
}

unsigned dmm_stages(std::span<const std::uint64_t> addresses, unsigned size, unsigned width) {
  const unsigned words = std::max(1u, size >> word_shift);
  return sum_over_dispatches(addresses, width / words, [&](auto lanes) { return conflict_degree(lanes, size, width); });
}

std::optional<PaperBound> paper_bound(std::string_view algorithm, const MemoryProblem& problem) {
  const double both = bandwidth_limitation(problem) + latency_limitation(problem);
  if (algorithm == "prefix_tree")
    return PaperBound{both + reduction_limitation(problem), "n/w + nl/p + l log n", "Theorem 7"};
  if (algorithm == "prefix_tree_blocked") {
    const double k = problem.work_space;
    return PaperBound{both + numbers(problem) * problem.latency * std::log2(k) / k, "n/w + nl/p + nl log k / k",
                      "Corollary 6"};
  }
  if (algorithm == "prefix_doubling")
    return PaperBound{both * std::log2(numbers(problem)) + reduction_limitation(problem),
                      "n log n / w + nl log n / p + l log n", "Lemma 4"};
  return std::nullopt;
}

}  // namespace gpu::simulated
