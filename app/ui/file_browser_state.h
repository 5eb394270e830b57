// What the file browser shows.
#pragma once

#include <string>
#include <vector>

#include "app/capture/folder_reader.h"

namespace app::ui {

struct BrowserPlace {
  std::string name, path;
};

struct FileBrowserState {
  capture::Folder folder;            // the one that was read last
  std::uint64_t version = 0;         // changes with `folder`
  bool reading = false;              // another one is being read
  std::vector<BrowserPlace> places;  // home, folders of recent sources and the like
};

}  // namespace app::ui
