#include "gpu/simulated/block.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "gpu/simulated/heap.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/place.h"

namespace gpu::simulated {
namespace {

// Bytes per thread. Not a power of two, so that the frames of neighbouring threads do not share cache sets.
constexpr std::size_t stack_bytes = 48 * 1024 + 192;
constexpr std::size_t all_stacks_bytes = stack_bytes * max_threads;
// Between areas of shared memory: twice all 32 banks, so that every area begins in the first bank. (On a GPU static arrays
// follow each other directly.)
constexpr std::size_t gap = 256;
constexpr std::uint32_t whole_warp = 0xffffffffu;
// A random schedule switches to another warp, or another block, at one in this many points.
constexpr unsigned preempt_warp = 4, preempt_block = 8, most_rests_in_bits = 9;

thread_local Thread* running [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

SharedSpace::SharedSpace() : pages_(static_cast<std::byte*>(map_pages(page_bytes))) { begin(0, usual_capacity); }
SharedSpace::~SharedSpace() { munmap(pages_, page_bytes); }

void SharedSpace::begin(std::size_t dynamic_bytes, std::size_t limit) {
  areas_.assign(1, {nullptr, gap, dynamic_bytes});
  dynamic_bytes_ = used_ = dynamic_bytes;
  limit_ = limit;
}

std::byte* SharedSpace::find_or_place(const void* key, std::size_t bytes, std::size_t alignment) {
  for (const auto& area : areas_)
    if (area.key == key) return pages_ + area.offset;
  const std::size_t coarse = std::max(alignment, gap);
  const std::size_t offset = (extent() + gap + coarse - 1) / coarse * coarse;
  const bool fits = used_ + bytes <= limit_ && used_ - dynamic_bytes_ + bytes <= usual_capacity;
  if (!fits || offset + bytes > page_bytes) return nullptr;
  used_ += bytes;
  areas_.push_back({key, offset, bytes});
  return pages_ + offset;
}

bool SharedSpace::in_one_area(std::size_t offset, std::size_t bytes) const {
  return std::any_of(areas_.begin(), areas_.end(),
                     [&](const Area& area) { return offset >= area.offset && offset + bytes <= area.offset + area.bytes; });
}

// The nearer of the areas before and after.
std::string SharedSpace::describe(std::size_t offset) const {
  const auto of = [](const Area& area) { return " a shared array of " + std::to_string(area.bytes) + " bytes"; };
  std::string text = "in shared memory, but the block has none";
  std::size_t nearest = page_bytes;
  for (const auto& area : areas_) {
    if (area.bytes == 0) continue;
    const std::size_t end = area.offset + area.bytes;
    if (offset >= area.offset && offset < end) return "at offset " + std::to_string(offset - area.offset) + " of" + of(area);
    const std::size_t away = offset < area.offset ? area.offset - offset : offset - end;
    if (away >= nearest) continue;
    nearest = away;
    text = std::to_string(away) + " bytes " + (offset < area.offset ? "before the start of" : "past the end of") + of(area);
  }
  return text;
}

void ThreadScheduler::begin(bool random, std::uint64_t seed) {
  random_ = random;
  choose_ = Random(seed);
  last_to_poll_ = 0;
}

Thread& ThreadScheduler::first() { return block_.thread(random_ ? choose_.below(block_.warp_count()) * lanes_per_warp : 0); }

bool ThreadScheduler::runnable(const Thread& thread) const {
  return thread.warp->ready >> thread.lane & 1 && (thread.wait != Wait::peers || !peers_runnable(thread));
}

bool ThreadScheduler::peers_runnable(const Thread& thread) const {
  const Thread* const lanes = &block_.thread(thread.warp->number * lanes_per_warp);
  for (auto others = thread.warp->ready & ~(1u << thread.lane); others != 0; others &= others - 1)
    if (lanes[std::countr_zero(others)].wait != Wait::peers) return true;
  return false;
}

unsigned ThreadScheduler::waiting_for(Wait wait) const {
  unsigned waiting = 0;
  for (unsigned i = 0; i < block_.thread_count(); ++i) waiting += block_.thread(i).wait == wait;
  return waiting;
}

Thread& ThreadScheduler::next_waiting() {
  do
    if (++last_to_poll_ >= block_.thread_count()) last_to_poll_ = 0;
  while (block_.thread(last_to_poll_).wait != Wait::word);
  return block_.thread(last_to_poll_);
}

// The next runnable lane of this warp, otherwise of the next warp that has one; at random: starting anywhere.
Thread* ThreadScheduler::next_with_work(const Thread& thread) {
  const unsigned warps = block_.warp_count();
  const unsigned mine = thread.warp->number, first_warp = random_ ? choose_.below(warps) : mine;
  for (unsigned v = 0; v < warps; ++v) {
    const unsigned w = first_warp + v < warps ? first_warp + v : first_warp + v - warps;
    const Warp& warp = block_.warp(w);
    const unsigned first_lane = random_ ? choose_.below(warp.lanes) : w == mine ? (thread.lane + 1) % lanes_per_warp : 0;
    const auto ready = w == mine ? warp.ready & ~(1u << thread.lane) : warp.ready;
    // Bit i is lane first_lane + i, around the end.
    for (auto rotated = std::rotr(ready, static_cast<int>(first_lane)); rotated != 0; rotated &= rotated - 1) {
      const unsigned lane = (first_lane + static_cast<unsigned>(std::countr_zero(rotated))) % lanes_per_warp;
      Thread& other = block_.thread(w * lanes_per_warp + lane);
      if (other.wait != Wait::peers || runnable(other)) return &other;
    }
  }
  return nullptr;
}

Thread* current_thread() { return running; }

Block::Block()
    : threads_(max_threads),
      warps_(max_threads / lanes_per_warp),
      stacks_(static_cast<char*>(map_pages(all_stacks_bytes))),
      scheduler_(*this) {}

Block::~Block() { munmap(stacks_, all_stacks_bytes); }

bool Block::owns_stack(const void* address) const {
  return static_cast<std::size_t>(static_cast<const char*>(address) - stacks_) < all_stacks_bytes;
}

void Block::begin(Launch& launch, BlockStart start, std::uint64_t seed) {
  launch_ = &launch;
  start_ = start;
  const auto number = start.number;
  const dim3 grid = launch.grid(), block = launch.block();
  index_ = dim3(static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
                static_cast<unsigned>(number / grid.x / grid.y));
  thread_count_ = alive_ = block.x * block.y * block.z;
  at_barrier_ = barriers_ = idle_polls_ = 0;
  votes_[0] = votes_[1] = 0;
  some_lanes_.clear();
  lets_next_start_ = false;
  rests_ = 0;
  known_.clear();
  observer_ = launch.observer();
  scheduler_.begin(launch.schedule().kind == Schedule::Kind::random, seed);
  shared_.begin(launch.shared_bytes(), launch.shared_limit());

  for (unsigned w = 0; w < warp_count(); ++w) {
    const unsigned lanes = std::min(lanes_per_warp, thread_count_ - w * lanes_per_warp);
    const auto all = lanes == lanes_per_warp ? whole_warp : (1u << lanes) - 1;
    warps_[w] = {.number = w, .lanes = lanes, .all = all, .alive = all, .ready = all};
  }
  dim3 index(0, 0, 0);
  for (unsigned t = 0; t < thread_count_; ++t) {
    Thread& thread = threads_[t];
    thread.begin(*this, warps_[t / lanes_per_warp], t, index, launch.waits_for_previous());
    if (++index.x == block.x) {
      index.x = 0;
      if (++index.y == block.y) index.y = 0, ++index.z;
    }
  }
  resume_ = &scheduler_.first();
  if (observer_) observer_->block_begins(*this);
}

Block::Outcome Block::run() {
  outcome_ = Outcome::done;
  idle_polls_ = 0;
  reads_on_ = false;
  enter(*resume_);
  switch_fiber(worker_, resume_->fiber);
  running = nullptr;
  if (outcome_ == Outcome::done && observer_) observer_->block_ends(*this);
  return outcome_;
}

// A thread that returns passes its stack to the next one that has not begun. Threads that never wait therefore cost one
// call each, and share one stack.
void Block::body() {
  while (true) {
    Thread& me = *running;
    Block& block = *me.block;
    if (!block.invoke()) block.leave(me, Outcome::failed);
    if (!me.waited)
      block.fail(
          me,
          "a thread of a dependent launch ends without wait_for_previous_launch(): the next launch would not wait either",
          nullptr);
    me.wait = Wait::returned;
    me.warp->alive &= ~(1u << me.lane);
    me.warp->ready &= ~(1u << me.lane);
    if (--block.alive_ == 0) block.leave(me, Outcome::done);
    if (block.at_barrier_ == block.alive_) block.complete_barrier();
    block.complete_without(*me.warp);
    Thread* const next = block.next_after_return(me);
    running = next;
    if (next->begun) switch_fiber(me.fiber, next->fiber);
    next->begun = true;
  }
}

// An exception must not leave a fiber, and fibers must not be switched while one is handled.
bool Block::invoke() {
  try {
    launch_->invoke();
    return true;
  } catch (...) {
    launch_->fail(std::current_exception());
    return false;
  }
}

Thread* Block::next_after_return(Thread& from) {
  while (true) {
    if (Thread* next = scheduler_.next_with_work(from)) return next;
    if (scheduler_.waiting_for_word() > 0) return &scheduler_.next_waiting();
    if (scheduler_.waiting_for(Wait::launch) == 0) fail(from, "deadlock: no thread of a block can continue", nullptr);
    leave(from, Outcome::waits);
  }
}

void Block::run_next(Thread& from) {
  Thread* next = scheduler_.next_with_work(from);
  if (!next) next = &next_to_poll(from);
  if (next != &from) pass_to(from, *next);
}

// If no thread has work, those that wait for a word poll it again, in turn, because a thread of this block may have written
// it. If all of them have polled without news since any other work was done, the block yields: another block has to write
// the word. (A vote between two polls does not count as work: look_back_warp() votes on the words that it polled.)
Thread& Block::next_to_poll(Thread& from) {
  const unsigned pollers = scheduler_.waiting_for_word();  // includes `from` if it waits for a word
  const bool from_runnable = from.wait != Wait::word && scheduler_.runnable(from);
  if (from_runnable) return pollers > 0 ? scheduler_.next_waiting() : from;
  if (pollers == 0) {
    if (scheduler_.waiting_for(Wait::launch) == 0) fail(from, "deadlock: no thread of a block can continue", nullptr);
    leave(from, Outcome::waits);
    if (Thread* next = scheduler_.next_with_work(from)) return *next;
    return from;
  }
  if (idle_polls_ >= pollers) {
    idle_polls_ = 0;
    leave(from, Outcome::waits);
  }
  return scheduler_.next_waiting();
}

void Block::pass_to(Thread& from, Thread& next) {
  enter(next);
  switch_fiber(from.fiber, next.fiber);
}

// Makes `thread` the running one; gives it a stack of its own if it has not begun.
void Block::enter(Thread& thread) {
  if (!thread.begun) prepare_fiber(thread.fiber, stacks_ + thread.number * stack_bytes, stack_bytes, body);
  thread.begun = true;
  running = &thread;
}

void Block::wait_as(Thread& thread, Wait wait) {
  const auto lane = 1u << thread.lane;
  thread.wait = wait;
  thread.warp->ready &= ~lane;
  run_next(thread);
  thread.wait = Wait::none;
  thread.warp->ready |= lane;
}

void Block::leave(Thread& from, Outcome outcome) {
  outcome_ = outcome;
  resume_ = &from;
  switch_fiber(from.fiber, worker_);
  running = &from;
}

void Block::maybe_preempt(Thread& thread) {
  if (!scheduler_.random()) return;
  if (scheduler_.one_in(preempt_block)) leave(thread, Outcome::preempted);
  if (scheduler_.one_in(preempt_warp)) run_next(thread);
}

// There are few fences, and what goes wrong without the next one needs all that others do until they are there, too.
void Block::fenced(Thread& thread) {
  if (!scheduler_.random()) return;
  if (scheduler_.one_in(2)) return maybe_preempt(thread);
  rests_ = scheduler_.below(1u << scheduler_.below(most_rests_in_bits));
  leave(thread, Outcome::preempted);
}

void Block::complete_barrier() {
  if (at_barrier_ == 0) return;
  at_barrier_ = 0;
  ++barriers_;
  votes_[barriers_ & 1] = 0;
  idle_polls_ = 0;
  for (unsigned w = 0; w < warp_count(); ++w) warps_[w].ready = warps_[w].alive;
  if (auto* memory = launch_->weak_memory()) memory->barrier(*this);
  if (observer_) observer_->block_synchronised(*this);
}

// A thread that has returned counts as arrived, as on a GPU. If threads arrive at different barriers, CUDA leaves the
// behaviour undefined; here it is a fault.
unsigned Block::barrier(Thread& thread, std::source_location source, const void* caller, bool vote) {
  if (at_barrier_ > 0 && !same_place(barrier_source_, source))
    fail(thread,
         "divergent barrier: threads of a block wait at " + place_of(barrier_source_) + " and at " + place_of(source),
         nullptr);
  barrier_source_ = thread.source = source;
  thread.at = caller;
  const unsigned& result = votes_[barriers_ & 1];
  votes_[barriers_ & 1] += vote;
  if (++at_barrier_ == alive_)
    complete_barrier();
  else
    wait_as(thread, Wait::barrier);
  const unsigned votes = result;
  maybe_preempt(thread);
  return votes;
}

// Lanes that have returned count as arrived, as on a GPU. Where a whole warp meets, nothing is searched for: nearly all operations
// are of this kind.
const Meeting& Block::rendezvous(Thread& thread, unsigned mask, std::uint64_t value, Observer::Rendezvous kind,
                                 std::source_location source) {
  Warp& warp = *thread.warp;
  thread.source = source;
  thread.mask = mask & warp.all;
  const bool whole = thread.mask == warp.all;
  if (!(mask >> thread.lane & 1))
    fail(thread, "a warp operation with a mask that lacks the lane that executes it, at " + place_of(source), nullptr);
  Meeting& meeting = whole ? warp.whole[thread.rendezvous++ & 1] : meeting_of_some(warp, thread.mask);
  if (meeting.arrived && !same_place(meeting.source, source))
    fail(thread, "divergent warp: lanes wait at " + place_of(meeting.source) + " and at " + place_of(source), nullptr);
  meeting.source = source;
  meeting.kind = kind;
  const auto lane = 1u << thread.lane;
  meeting.value[thread.lane] = value;
  if (value) meeting.ballot |= lane;
  meeting.arrived |= lane;
  if (meeting.arrived == (thread.mask & warp.alive))
    complete(meeting, warp);
  else
    wait_as(thread, Wait::warp);
  if (!whole) meeting.unread &= ~lane;
  return meeting;
}

// The one to which lanes come with this mask, or a new one.
Meeting& Block::meeting_of_some(const Warp& warp, unsigned mask) {
  Meeting* unused = nullptr;
  for (auto& meeting : some_lanes_) {
    if (meeting.arrived && meeting.warp == &warp && meeting.mask == mask) return meeting;
    if (!meeting.arrived && !meeting.unread) unused = &meeting;
  }
  if (!unused) unused = &some_lanes_.emplace_back();
  unused->warp = &warp;
  unused->mask = mask;
  unused->ballot = 0;
  return *unused;
}

void Block::complete(Meeting& meeting, Warp& warp) {
  meeting.lanes = std::exchange(meeting.arrived, 0);
  warp.ready |= meeting.lanes;
  if (&meeting == &warp.whole[warp.rendezvous & 1])
    warp.whole[++warp.rendezvous & 1].ballot = 0;
  else
    meeting.unread = meeting.lanes;
  if (meeting.kind == Observer::Rendezvous::sync_warp) {
    ++warp.epoch;
    if (auto* memory = launch_->weak_memory()) memory->warp_barrier(*this, warp, meeting.lanes);
  }
  if (observer_) observer_->warp_synchronised(*this, warp, meeting.kind, meeting.lanes);
}

// A lane has returned, for which others may have waited.
void Block::complete_without(Warp& warp) {
  if (auto& whole = warp.whole[warp.rendezvous & 1]; whole.arrived && whole.arrived == warp.alive) complete(whole, warp);
  for (auto& meeting : some_lanes_)
    if (meeting.arrived && meeting.warp == &warp && meeting.arrived == (meeting.mask & warp.alive)) complete(meeting, warp);
}

// Lanes wait here until no other lane of the warp can continue; those that then wait at the same place are together. CUDA does not
// promise that they are: in random schedules a lane sometimes does not wait for the others.
std::uint32_t Block::active_lanes(Thread& thread, std::source_location source) {
  constexpr unsigned alone = 32;  // in one of this many cases
  thread.source = source;
  thread.mask = 0;
  thread.gathers = true;
  while (thread.mask == 0 && scheduler_.peers_runnable(thread) && !(scheduler_.random() && scheduler_.one_in(alone))) {
    thread.wait = Wait::peers;
    run_next(thread);
    thread.wait = Wait::none;
  }
  if (thread.mask == 0) {
    Thread* const lanes = &threads_[thread.warp->number * lanes_per_warp];
    const auto together = [&](const Thread& other) {
      return &other == &thread || (other.gathers && other.mask == 0 && same_place(other.source, source));
    };
    std::uint32_t mask = 0;
    for (unsigned i = 0; i < thread.warp->lanes; ++i) mask |= static_cast<std::uint32_t>(together(lanes[i])) << i;
    for (auto rest = mask; rest != 0; rest &= rest - 1) {
      Thread& lane = lanes[std::countr_zero(rest)];
      lane.mask = mask;
      lane.wait = Wait::none;
    }
  }
  thread.gathers = false;
  return thread.mask;
}

std::byte* Block::static_shared(const void* key, std::size_t bytes, std::size_t alignment) {
  if (auto* area = shared_.find_or_place(key, bytes, alignment)) return area;
  fail(*running, "more shared memory than a block may have: " + std::to_string(shared_.used() + bytes) + " bytes",
       __builtin_return_address(0));
}

// A thread that loads the value it saw before lets the others run.
void Block::loaded(Thread& thread, bool again, const void* caller) {
  if (!again) {
    idle_polls_ = 0;
    reads_on_ = true;
    maybe_preempt(thread);
    return;
  }
  ++idle_polls_;
  thread.at = caller;
  wait_as(thread, Wait::word);
}

// A loop of atomics may find the same word for long without waiting for it. Only one that goes on and on counts as a wait that may never
// end.
void Block::found_again(Thread& thread, const void* caller) {
  constexpr unsigned surely_waits = 20'000;
  if (++thread.found_again < surely_waits) return pause(thread);
  loaded(thread, true, caller);
}

void Block::wrote() {
  running->found_again = 0;
  idle_polls_ = 0;
  launch_->note_news();
  maybe_preempt(*running);
}

void Block::yield(Thread& thread) {
  if (Thread* next = scheduler_.next_with_work(thread)) pass_to(thread, *next);
}

// Whether the thread waits is unknown: it does not count as waiting.
void Block::pause(Thread& thread) {
  if (++pauses_ % (alive_ + 1) != 0) {
    if (Thread* next = scheduler_.next_with_work(thread)) return pass_to(thread, *next);
    if (scheduler_.waiting_for_word() > 0) return pass_to(thread, scheduler_.next_waiting());
  }
  reads_on_ = true;
  leave(thread, Outcome::waits);
}

// One thread speaks for its block.
void Block::let_next_launch_start(Thread& thread) {
  if (std::exchange(lets_next_start_, true)) return;
  if (!thread.waited) launch_->note_early_let();
}

void Block::wait_for_previous_launch(Thread& thread) {
  if (!thread.waited && launch_->previous_runs()) wait_as(thread, Wait::launch);
  thread.waited = true;
}

void Block::previous_launch_ended() {
  for (unsigned i = 0; i < thread_count_; ++i)
    if (threads_[i].wait == Wait::launch) threads_[i].warp->ready |= 1u << threads_[i].lane;
}

void Block::let_warp_catch_up(Thread& thread) {
  if (scheduler_.peers_runnable(thread)) {
    thread.wait = Wait::peers;
    run_next(thread);
    const bool released = thread.wait == Wait::none;  // by the lane that arrived last and released all
    thread.wait = Wait::none;
    if (released) return;
  }
  Thread* const lanes = &threads_[thread.warp->number * lanes_per_warp];
  for (unsigned lane = 0; lane < thread.warp->lanes; ++lane)
    if (lanes[lane].wait == Wait::peers) lanes[lane].wait = Wait::none;
}

void Block::fail(Thread& thread, const std::string& what, const void* caller) {
  launch_->fail(what, caller);
  leave(thread, Outcome::failed);
  __builtin_unreachable();  // a block of a failed launch is not entered again
}

}  // namespace gpu::simulated
