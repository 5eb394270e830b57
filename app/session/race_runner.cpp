#include "app/session/race_runner.h"

#include <algorithm>
#include <iterator>
#include <thread>

#include "app/session/messages.h"
#include "app/session/outputs.h"

namespace app {

using namespace std::chrono_literals;

void RaceRunner::hold(bool on) {
  held_ = on;
  race_.hold(on);
  bound_.hold(on);
}

void RaceRunner::step(const Race::Source& source, std::uint64_t frames, bool last) {
  if (last && is_due() && !race_.on() && !study_.on()) {
    if (frames < run_.frames.value_or(0))
      messages_.warn("the source ended before frame " + std::to_string(*run_.frames) + ": the " +
                     (run_.study ? "study" : "race") + " is on frame " + std::to_string(frames) + ", its last one");
    run_.study ? study_.start(true) : race_.start();
  }
  const bool works = engine_.attempt([&] {
    bound_.step(engine_, settings_, race_);
    if (!bound_.busy()) race_.step(engine_, settings_, source);  // at once they would slow each other down
    study_.step(engine_, settings_, !held_ && !bound_.measuring() && !race_.running() && !race_.busy());
  });
  if (!works) fail();
  auto problems = race_.take_problems();
  std::ranges::move(study_.take_problems(), std::back_inserter(problems));
  for (const auto& problem : problems) {
    fail();
    if (!report_(problem)) messages_.error(problem);
  }
}

void RaceRunner::fail() {
  failed_ = true;
  messages_.fail(Messages::Rank::result, ExitCode::failed);
}

bool RaceRunner::is_due() const {
  if (!engine_.has_picture()) return false;
  if (run_.study) return !study_.finished() && (study_.on() || !failed_);
  return run_.race && !race_.finished() && (race_.on() || !failed_);
}

bool RaceRunner::has_all() const { return (run_.race && race_.running()) || (run_.study && study_.running()); }

bool RaceRunner::leaves_processors(std::chrono::microseconds patience) {
  return race_.leaves_processors(patience) && bound_.leaves_processors(patience) && study_.leaves_processors(patience);
}

void RaceRunner::wait(std::chrono::microseconds patience) {
  if (bound_.busy())
    bound_.wait(patience);
  else if (!busy())  // it is held up, or a user's kernel is tried
    std::this_thread::sleep_for(std::min<std::chrono::microseconds>(patience, 5ms));
  else
    study_.busy() ? study_.wait(patience) : race_.wait(patience);
}

void RaceRunner::end() {
  race_.end();
  study_.end();
}

}  // namespace app
