#include "app/control/source_request.h"

namespace app {

capture::Request request_of(const Settings& settings, bool page_locked) {
  return {.source = settings.source,
          .size = settings.size,
          .fps = settings.fps,
          .loop = settings.loop,
          .max_speed = settings.max_speed,
          .page_locked = page_locked,
          .matrix = settings.matrix};
}

void put_request(const capture::Request& request, Settings& settings) {
  settings.source = request.source;
  settings.size = request.size;
  settings.fps = request.fps;
  settings.matrix = request.matrix;
}

}  // namespace app
