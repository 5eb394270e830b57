#include "app/control/source_request.h"

namespace app {

capture::Request request_of(const Settings& settings, bool page_locked) {
  return {settings.source, settings.size, settings.fps, settings.loop, settings.max_speed, page_locked};
}

void put_request(const capture::Request& request, Settings& settings) {
  settings.source = request.source;
  settings.size = request.size;
  settings.fps = request.fps;
}

}  // namespace app
