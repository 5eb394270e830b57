// The settings that a source depends on.
#pragma once

#include "app/capture/capture.h"
#include "app/control/settings.h"

namespace app {

capture::Request request_of(const Settings& settings, bool page_locked);
// The reverse; how it plays stays as it is set.
void put_request(const capture::Request& request, Settings& settings);

}  // namespace app
