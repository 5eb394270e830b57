// SourcePlaces: where sources were lately, and the folders in which the file browser looks for others.
#pragma once

#include <cstdint>
#include <filesystem>
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

// The sources of earlier runs, latest first; none where the file is missing, or is no such list. Throws nothing.
std::vector<std::string> kept_sources(const std::filesystem::path& file);
// Keeps these, and behind them those of other windows, which the file has. No address with a password. Throws nothing: where it
// cannot be written, as settings cannot, they are of this run alone.
void keep_sources(const std::filesystem::path& file, std::vector<std::string> sources);

class SourcePlaces {
 public:
  // It keeps both up to date: `recent`, the sources that were opened, latest first, each once; those of earlier runs, too.
  SourcePlaces(Session& session, FileBrowserState& browser, std::vector<std::string>& recent);

  void remember_source();  // not those of lessons
  void keep() const;       // for later runs
  // The folder that the file browser shows; empty: where the source is, else here. It is read by a thread of its own.
  void read_folder(const std::string& path);
  void look();  // takes what was read

 private:
  Session& session_;
  capture::FolderReader folders_;
  FileBrowserState& browser_;
  std::vector<std::string>& recent_;
  std::string seen_;  // the source that was remembered last, as it was named
};

}  // namespace app
