#include "gpu/simulated/kernel_launch.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "gpu/simulated/place.h"
#include "gpu/simulated/worker.h"

namespace gpu::simulated {
namespace {

constexpr std::size_t max_lines = 24;  // about waiting threads

}  // namespace

Launch::Launch(const void* kernel, Invoke invoke, void** arguments, dim3 grid, dim3 block, std::size_t shared_bytes,
               std::size_t shared_limit, const GpuSettings& settings, Observer* observer, const std::atomic<bool>& stopped)
    : kernel_(kernel),
      invoke_(invoke),
      arguments_(arguments),
      grid_(grid),
      block_(block),
      shared_bytes_(shared_bytes),
      shared_limit_(shared_limit),
      settings_(settings),
      observer_(observer),
      stopped_(stopped),
      choose_(settings.schedule.seed) {}

void Launch::run(int cores) {
  workers_ = static_cast<int>(std::min<std::uint64_t>(blocks(), static_cast<std::uint64_t>(std::max(cores, 1))));
  if (observer_) observer_->launch_begins(kernel_, grid_, block_, blocks());
  run_workers(*this, workers_);
  if (observer_) observer_->launch_ends();
  if (!failed()) return;
  if (exception_) std::rethrow_exception(exception_);
  const auto place = fault_at_ ? " (" + place_of(fault_at_) + ")" : std::string();
  std::string text = fault_ + place + "\n  kernel " + function_at(kernel_) + ", " + std::to_string(blocks()) + " blocks";
  std::size_t lines = 0;
  for (const auto& [number, line] : waiting_)
    if (lines++ < max_lines) text += "\n  " + line;
  if (lines > max_lines) text += "\n  and " + std::to_string(lines - max_lines) + " more blocks";
  throw Fault(text);
}

bool Launch::take(BlockStart& start) {
  const std::lock_guard lock(mutex_);
  if (resident_ >= settings_.resident_blocks) return false;
  if (settings_.schedule.kind == Schedule::Kind::in_order) {
    if (next_ == blocks()) return false;
    start.number = next_++;
  } else {
    // A GPU may start blocks in any order. The next is drawn from as many as can be resident.
    while (next_ < blocks() && window_.size() < static_cast<std::size_t>(settings_.resident_blocks))
      window_.push_back(next_++);
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
