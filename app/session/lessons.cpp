#include "app/session/lessons.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/control/cards.h"
#include "app/control/command.h"
#include "app/control/fields.h"
#include "app/control/settings_file.h"
#include "app/session/session.h"

namespace app {
namespace {

void restore(Values& values, const Values& before, const ParameterPath& path) {
  const std::string owner(path.owner), name(path.name);
  if (const auto of = before.find(owner); of != before.end() && of->second.contains(name)) {
    values[owner][name] = of->second.at(name);
  } else if (const auto now = values.find(owner); now != values.end()) {
    now->second.erase(name);
    if (now->second.empty()) values.erase(now);
  }
}

// The settings `now`, with all that lessons set as it was `before`. What they do not set was chosen by hand, and stays.
Settings with_restored(Settings now, const Settings& before) {
  for (const auto& lesson : lessons())
    for (const auto* changes : {&lesson.changes, &lesson.changes_without_gpu})
      for (const auto& [path, text] : *changes)
        if (const auto* field = find_field(path))
          set_field(*field, now, text_of(*field, before), path);
        else
          restore(now.effect_values, before.effect_values, ParameterPath(path));
  now.compare = before.compare;  // its sides, too, where it is off
  return now;
}

}  // namespace

void Lessons::follow() {
  const auto& settings = session_.settings();
  if (!settings.presentation) {
    if (left_) leave();
    return;
  }
  if (!left_) left_ = Left{settings, session_.transport().here()};
  if (shown_ != settings.lesson) show(settings.lesson);
  do_command();
}

Settings Lessons::as_before(const Settings& settings) const {
  if (!left_) return settings;
  auto before = with_restored(settings, left_->settings);
  before.presentation = false;
  return before;
}

// Every lesson begins with the settings before the presentation: whatever was shown in between.
void Lessons::show(int number) {
  shown_ = number;
  stop_race();
  const auto& lesson = lessons().at(static_cast<std::size_t>(number - 1));
  const auto context = session_.context();
  auto changes = lesson.changes;
  if (device_for(left_->settings, context) == gpu::Device::host && context.no_simulated.empty())
    changes.insert(changes.end(), lesson.changes_without_gpu.begin(), lesson.changes_without_gpu.end());
  auto next = with_restored(session_.settings(), left_->settings);
  try {
    apply(next, changes, context);
    session_.settings() = std::move(next);
    command_ = lesson.command;
  } catch (const std::invalid_argument& error) {
    command_.clear();
    session_.messages().warn(error.what());
  }
  session_.transport().set_paused(false);
}

void Lessons::leave() {
  stop_race();
  command_.clear();
  shown_ = 0;
  const auto left = *std::exchange(left_, {});
  auto& settings = session_.settings();
  const bool reset = settings == as_at_first_start(settings);
  settings = with_restored(std::move(settings), left.settings);
  if (reset) settings = as_at_first_start(settings);
  session_.transport().go_on_at(left.place);
}

void Lessons::do_command() {
  if (command_.empty()) return;
  const auto& maker = session_.maker();
  const bool there = maker.has_picture_of_source() && !maker.goes_elsewhere() &&
                     session_.engine().shows(session_.settings()) && maker.shows_values();
  if (!there) return;
  const auto command = parse_command(std::exchange(command_, {}));
  races_ = command.action == Action::start_race;
  try {
    session_.act(command);
  } catch (const std::invalid_argument& error) {
    session_.messages().warn(error.what());
  }
}

void Lessons::stop_race() {
  auto& race = session_.race_runner().race();
  if (std::exchange(races_, false) && race.running()) race.stop();
}

}  // namespace app
