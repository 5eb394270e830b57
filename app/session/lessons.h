// Lessons: the presentation: each lesson (control/cards.h) is a state of the program, set when it is shown. When the
// presentation is left, all that lessons set is as it was before; what else was changed meanwhile stays.
#pragma once

#include <optional>
#include <string>

#include "app/control/settings.h"
#include "app/session/transport.h"

namespace app {

class Session;

class Lessons {
 public:
  explicit Lessons(Session& session) : session_(session) {}

  // Once per step, before the source is followed: what the settings `presentation` and `lesson` ask for.
  void follow();
  // Settings as they are to be saved: those before the presentation, while there is one.
  Settings as_before(const Settings& settings) const;
  // What the presentation replaced; null while there is none.
  const Settings* before() const { return left_ ? &left_->settings : nullptr; }

 private:
  struct Left {
    Settings settings;
    Transport::Place place;
  };
  void show(int number);
  void leave();
  void do_command();
  void stop_race();

  Session& session_;
  std::optional<Left> left_;  // what the presentation replaced; none while there is no presentation
  int shown_ = 0;             // the lesson
  std::string command_;       // its command, until its picture is there
  bool races_ = false;        // it has started a race
};

}  // namespace app
