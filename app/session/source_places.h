// SourcePlaces: where sources were lately, and the folders in which the file browser looks for others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/capture/folder_reader.h"

namespace app {

class Session;

struct BrowserPlace {
  std::string name, path;
};

// What the file browser shows.
struct FileBrowserState {
  capture::Folder folder;            // the one that was read last
  std::uint64_t version = 0;         // changes with `folder`
  bool reading = false;              // another one is being read
  std::vector<BrowserPlace> places;  // home, folders of recent sources and the like
  bool by_desktop = false;           // the desktop has a dialog for files: that one is asked for
};

class SourcePlaces {
 public:
  // It keeps both up to date: `recent`, the sources that were opened, latest first, each once.
  SourcePlaces(Session& session, FileBrowserState& browser, std::vector<std::string>& recent)
      : session_(session), browser_(browser), recent_(recent) {}

  void remember_source();
  // The folder that the file browser shows; empty: where the source is, else here. It is read by a thread of its own.
  void read_folder(const std::string& path);
  void look();  // takes what was read

 private:
  Session& session_;
  capture::FolderReader folders_;
  FileBrowserState& browser_;
  std::vector<std::string>& recent_;
};

}  // namespace app
