#include "gpu/simulated/kernel_launch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include "gpu/simulated/place.h"

namespace gpu::simulated {
namespace {

constexpr std::size_t max_lines = 24;  // about waiting threads

// Of a warp operation of some lanes.
std::string mask_of(const Thread& thread) {
  if (thread.mask == thread.warp->all) return {};
  char text[32];
  std::snprintf(text, sizeof text, " with mask 0x%08x", thread.mask);
  return text;
}

std::string state_of(const Thread& thread) {
  switch (thread.wait) {
    case Wait::returned: return "have returned";
    case Wait::peers:
    case Wait::none: return thread.begun ? "run" : "have not begun";
    case Wait::warp: return "wait for their warp at " + place_of(thread.source) + mask_of(thread);
    case Wait::barrier: return "wait at __syncthreads(), " + place_of(thread.source);
    case Wait::word: return "wait for a word at " + place_of(thread.at);
    case Wait::launch: return "wait for the launch before";
  }
  return {};
}

bool alike(const Thread& a, const Thread& b) {
  return a.wait == b.wait && a.begun == b.begun && a.at == b.at && (a.wait != Wait::warp || a.mask == b.mask) &&
         same_place(a.source, b.source);
}

// What the threads of a block that cannot continue wait for, for the message of a Fault:
// "block (0, 0, 0): threads 0 to 31 wait at __syncthreads(), tile_sums.cuh:73; 32 to 63 have returned". Threads that wait
// for the same are listed together.
std::string wait_report(const Block& block) {
  const dim3 index = block.index();
  std::string text = "block (" + std::to_string(index.x) + ", " + std::to_string(index.y) + ", " + std::to_string(index.z) +
                     "):";
  for (unsigned first = 0; first < block.thread_count();) {
    unsigned end = first + 1;
    while (end < block.thread_count() && alike(block.thread(end), block.thread(first))) ++end;
    text += (first == 0 ? " threads " : "; ") + std::to_string(first) +
            (end > first + 1 ? " to " + std::to_string(end - 1) : "") + ' ' + state_of(block.thread(first));
    first = end;
  }
  return text;
}

// Worker: a thread of the operating system that runs blocks of a launch, one at a time.
class Worker {
 public:
  void run(Launch& launch, std::uint64_t seed) {
    launch_ = &launch;
    choose_ = Random(seed);
    rounds_ = 0;
    idle_picks_ = 0;
    const bool random = launch.schedule().kind == Schedule::Kind::random;
    try {
      if (random && launch.begin_early()) run_early();
      while (!launch.ended() && (random ? run_any() : run_first())) {}
    } catch (...) {  // no memory for a block, or an exception of an observer
      launch.fail(std::current_exception());
    }
    if (launch.failed())
      for (const auto& block : active_) launch.add_waiting(block->number(), wait_report(*block));
    while (!active_.empty()) retire(0);
    launch.worker_left();
  }

 private:
  // Some blocks of a dependent launch, each until it waits.
  void run_early() {
    const auto most = 1 + choose_.below(static_cast<unsigned>(launch_->most_resident()));
    for (unsigned i = 0; i < most && !launch_->ended() && start_one(); ++i) {
      auto outcome = Block::Outcome::preempted;
      while (outcome == Block::Outcome::preempted) outcome = active_.back()->run();
      if (outcome == Block::Outcome::done) retire(active_.size() - 1);
    }
    launch_->end_early();
    for (const auto& block : active_) block->previous_launch_ended();
  }

  // In order: the oldest block that can continue continues; if none can, a new one starts.
  bool run_first() {
    if (active_.empty() && !start_one()) return more_will_start();
    const auto seen = launch_->news();
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (progressed(i)) return clear_stuck();
    if (launch_->news() != seen) return clear_stuck();
    if (start_one()) return clear_stuck();
    return wait_for_news(seen);
  }

  // At random: any started block, or a new one.
  bool run_any() {
    const auto pick = choose_.below(static_cast<unsigned>(active_.size()) + 1);
    if (pick == active_.size() && !start_one() && active_.empty()) return more_will_start();
    const auto seen = launch_->news();
    if (progressed(std::min<std::size_t>(pick, active_.size() - 1)) || launch_->news() != seen) return clear_stuck();
    // No progress. Only if every block in turn has polled without news is this worker stuck.
    if (++idle_picks_ < 4 * active_.size() + 4) return true;
    idle_picks_ = 0;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (progressed(i)) return clear_stuck();
    if (launch_->news() != seen || start_one()) return clear_stuck();
    return wait_for_news(seen);
  }

  // Runs the block; false if it did nothing but poll.
  bool progressed(std::size_t i) {
    if (active_[i]->rests()) return true;
    switch (active_[i]->run()) {
      case Block::Outcome::done:
        launch_->note_news();
        retire(i);
        return true;
      case Block::Outcome::preempted: return true;
      case Block::Outcome::waits:
        if (active_[i]->reads_on()) rounds_ = 0;  // it waits for nobody yet
        return false;
      case Block::Outcome::failed: return true;
    }
    return true;
  }

  bool start_one() {
    BlockStart start;
    if (!launch_->take(start)) return false;
    if (idle_.empty()) idle_.push_back(std::make_unique<Block>());
    active_.push_back(std::move(idle_.back()));
    idle_.pop_back();
    active_.back()->begin(*launch_, start, choose_());
    return true;
  }

  void retire(std::size_t i) {
    const int place = active_[i]->resident_place();
    idle_.push_back(std::move(active_[i]));
    active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(i));
    launch_->block_retired(place);
  }

  // If all resident blocks belong to other workers.
  bool more_will_start() {
    const auto seen = launch_->news();
    return launch_->more_to_take() && wait_for_news(seen);
  }
  bool wait_for_news(std::uint64_t seen) {
    if (launch_->stuck(++rounds_, seen)) launch_->fail("deadlock: every block waits for a word that nobody writes");
    if (launch_->news() != seen) rounds_ = 0;
    return true;
  }
  bool clear_stuck() {
    rounds_ = 0;
    idle_picks_ = 0;
    return true;
  }

  Launch* launch_ = nullptr;
  Random choose_;
  std::vector<std::unique_ptr<Block>> active_, idle_;  // started, oldest first; kept for reuse
  int rounds_ = 0;                                     // in which every block only polled, since news or a first load
  std::size_t idle_picks_ = 0;                         // picks without progress in succession, at random
};

// The calling thread is the first worker; the others, and the stacks and shared memory of blocks, are kept between launches.
class Pool {
 public:
  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void run(Launch& launch, int workers) {
    std::unique_lock lock(mutex_);
    while (static_cast<int>(threads_.size()) < workers - 1)
      threads_.emplace_back([this, index = static_cast<int>(threads_.size())] { work(index); });
    launch_ = &launch;
    wanted_ = running_ = workers - 1;
    ++generation_;
    lock.unlock();
    wake_.notify_all();
    first_.run(launch, launch.schedule().seed);
    lock.lock();
    done_.wait(lock, [&] { return running_ == 0; });
    launch_ = nullptr;
  }

 private:
  void work(int index) {
    Worker worker;
    std::uint64_t seen = 0;
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [&] { return ending_ || (generation_ != seen && launch_ && index < wanted_); });
      if (ending_) return;
      seen = generation_;
      Launch& launch = *launch_;
      lock.unlock();
      worker.run(launch, launch.schedule().seed + static_cast<std::uint64_t>(index) + 1);
      lock.lock();
      if (--running_ == 0) done_.notify_all();
    }
  }

  Worker first_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Launch* launch_ = nullptr;
  int wanted_ = 0, running_ = 0;
  std::uint64_t generation_ = 0;
  bool ending_ = false;
};

// Returns when the launch has no block left to run, or has failed. One launch at a time.
void run_workers(Launch& launch, int workers) {
  static Pool pool;  // of the one simulated GPU
  pool.run(launch, workers);
}

}  // namespace

Launch::Launch(const LaunchedKernel& launched, Invoke invoke, void** arguments, std::size_t shared_limit,
               const GpuSettings& settings, Observer* observer, PreviousLaunches& previous, const std::atomic<bool>& stopped)
    : launched_(launched),
      invoke_(invoke),
      arguments_(arguments),
      shared_limit_(shared_limit),
      settings_(settings),
      observer_(observer),
      previous_(previous),
      stopped_(stopped),
      choose_(settings.schedule.seed) {
  if (settings.schedule.kind == Schedule::Kind::random) weak_memory_.emplace(settings.schedule.seed);
}

void Launch::run(int cores) {
  workers_ = static_cast<int>(std::min<std::uint64_t>(blocks(), static_cast<std::uint64_t>(std::max(cores, 1))));
  const auto beside = previous_.begin(waits_for_previous(), weak_memory_.has_value());
  if (observer_) observer_->launch_begins(launched_.kernel, grid(), block(), blocks(), beside);
  run_workers(*this, workers_);
  if (observer_) observer_->launch_ends();
  if (!failed()) return previous_.end(early_lets_ == blocks());
  previous_.forget();
  if (exception_) std::rethrow_exception(exception_);
  const auto place = fault_at_ ? " (" + place_of(fault_at_) + ")" : std::string();
  std::string text = fault_ + place + "\n  kernel " + function_at(launched_.kernel) + ", " + std::to_string(blocks()) +
                     " blocks";
  std::size_t lines = 0;
  for (const auto& [number, line] : waiting_)
    if (lines++ < max_lines) text += "\n  " + line;
  if (lines > max_lines) text += "\n  and " + std::to_string(lines - max_lines) + " more blocks";
  throw Fault(text);
}

bool Launch::take(BlockStart& start) {
  const std::lock_guard lock(mutex_);
  const int room = settings_.resident_blocks - settings_.taken;
  if (resident_ >= room) return false;
  if (settings_.schedule.kind == Schedule::Kind::in_order) {
    if (next_ == blocks()) return false;
    start.number = next_++;
  } else {
    // A GPU may start blocks in any order. The next is drawn from as many as can be resident.
    while (next_ < blocks() && window_.size() < static_cast<std::size_t>(room)) window_.push_back(next_++);
    if (window_.empty()) return false;
    auto& drawn = window_[choose_.below(static_cast<unsigned>(window_.size()))];
    start.number = drawn;
    drawn = window_.back();
    window_.pop_back();
  }
  ++resident_;
  const auto place = std::find(places_.begin(), places_.end(), false);
  start.place = static_cast<int>(place - places_.begin());
  if (place == places_.end())
    places_.push_back(true);
  else
    *place = true;
  return true;
}

bool Launch::begin_early() {
  if (!previous_.can_run_early()) return false;
  previous_.enter_early();
  return previous_runs_ = true;
}

void Launch::end_early() {
  previous_runs_ = false;
  previous_.leave_early(choose_.below(2) == 0);
}

bool Launch::ended() {
  if (stopped_.load(std::memory_order_relaxed)) fail("stopped: the program ends");
  return failed();
}

bool Launch::more_to_take() {
  const std::lock_guard lock(mutex_);
  return next_ < blocks() || !window_.empty();
}

void Launch::block_retired(int place) {
  const std::lock_guard lock(mutex_);
  places_[static_cast<std::size_t>(place)] = false;
  --resident_;
}

// A single worker knows immediately that no word will be written. With several, another may still be computing it: all
// must be idle here, or have ended, and remain so for a while.
bool Launch::stuck(int rounds, std::uint64_t seen) {
  constexpr int patience_rounds = 32;  // a thread may poll several words in turn, one per round (RecentLoads)
  constexpr int patience = 5000;       // checks, 1 ms apart; counted, so that a stopped process does not time out
  if (workers_ == 1) return rounds > patience_rounds;
  if (rounds <= patience_rounds) return std::this_thread::yield(), false;
  count_idle(1);
  int checks = 0, quiet = 0;
  for (; news() == seen && !failed() && quiet <= patience; ++checks) {
    quiet = all_idle() ? quiet + 1 : 0;
    std::this_thread::sleep_for(checks < 100 ? std::chrono::microseconds(50) : std::chrono::milliseconds(1));
  }
  count_idle(-1);
  return quiet > patience;
}

void Launch::count_idle(int workers) {
  const std::lock_guard lock(mutex_);
  idle_workers_ += workers;
}

bool Launch::all_idle() {
  const std::lock_guard lock(mutex_);
  return idle_workers_ == workers_;
}

void Launch::worker_left() { count_idle(1); }

void Launch::fail(const std::string& what, const void* caller) {
  const std::lock_guard lock(mutex_);
  if (!failed()) fault_ = what, fault_at_ = caller;
  failed_.store(true);
}

void Launch::fail(std::exception_ptr exception) {
  const std::lock_guard lock(mutex_);
  if (!failed()) exception_ = std::move(exception);
  failed_.store(true);
}

void Launch::add_waiting(std::uint64_t number, const std::string& line) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(number, line);
}

}  // namespace gpu::simulated
