// Which actions go to another place of the source: they need one that has places, and a picture to go on from.
#pragma once

#include "app/control/actions.h"

namespace app {

constexpr bool seeks(Action action) {
  switch (action) {
    case Action::step_back:
    case Action::step_forward:
    case Action::seek:
    case Action::seek_near_back:
    case Action::seek_near_forward:
    case Action::seek_back:
    case Action::seek_forward:
    case Action::seek_far_back:
    case Action::seek_far_forward:
    case Action::to_start: return true;
    default: return false;
  }
}

}  // namespace app
