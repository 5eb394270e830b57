// Clipboard: a picture that other programs can paste. GLFW's has text only. Under X11 the picture has an owner of its own,
// with a connection of its own: GLFW would answer what is asked on its connection itself. Under Wayland wl-copy has it.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace app {

class Clipboard {
 public:
  Clipboard();
  // Hands a picture that is still to be pasted to the desktop's clipboard manager, where one runs: for that it may wait some
  // seconds. Without one it is gone with this program, as X11 has it.
  ~Clipboard();
  Clipboard(const Clipboard&) = delete;
  Clipboard& operator=(const Clipboard&) = delete;

  // Other programs paste this picture, the bytes of a PNG file, until somebody copies something else. On any thread; it waits
  // for the display. Throws std::runtime_error with one line: the cause and the next step.
  void offer(std::vector<unsigned char> png);

 private:
  class Owner;

  std::mutex mutex_;
  std::unique_ptr<Owner> owner_;  // null until something is offered, under X11
};

}  // namespace app
