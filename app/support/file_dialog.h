// The desktop's own dialog for files, by its portal.
#pragma once

#include <future>
#include <string>

namespace app {

struct ChosenFile {
  bool asked = false;    // false: the desktop has no such dialog, or it failed
  std::string uri = {};  // "file:///home/me/a%20b.png"; empty: none was chosen
};

// Whether a desktop may have one: there is a session bus, and the library of portals can be loaded.
bool may_have_file_dialog();
// Shows it, on a thread of its own, which nobody waits for.
std::future<ChosenFile> ask_for_file(const std::string& title);

}  // namespace app
