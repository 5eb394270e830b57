// FolderReader: what a folder holds that can be opened as a source. It reads on threads of its own: a disk or a network that
// hangs holds up nobody.
#pragma once

#include <ctime>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace app::capture {

struct FolderEntry {
  std::string name;
  bool folder = false, openable = false;  // openable: by its ending, also a kernel's; not of folders
  std::time_t changed = 0;                // 0: not known
  friend bool operator==(const FolderEntry&, const FolderEntry&) = default;
};

struct Folder {
  std::filesystem::path path;  // absolute, without . and ..
  std::vector<FolderEntry> entries;
  std::string problem;  // why it cannot be read, one line; else empty
  std::string file{};   // of the folder: the path that was asked for names it; empty: it named the folder
};

// Of its entries, those that `wants` lets through and whose names contain `part`, in capitals or not. In their order, or with
// folders and files each from the latest on.
std::vector<FolderEntry> found_entries(const Folder& folder, std::string_view part, bool latest_first,
                                       const std::function<bool(const FolderEntry&)>& wants);
bool is_openable(std::string_view name);  // a video, an image or a matrix, by its ending
// Without hidden files. Folders come first, names in the order of their letters, whatever their case. `path`: of the folder,
// or of a file in it; ~ is the home folder. Where that cannot be read, the nearest one above it that can is read, and the problem
// says so.
Folder read_folder(const std::filesystem::path& path);
// The same from what lists the paths of a folder, one after another, in any order: nullopt at the end, or where `error` says why there
// are no more. Then the folder has those that came before, and its problem is that.
using NextPath = std::function<std::optional<std::filesystem::path>(std::error_code& error)>;
void read_entries(Folder& folder, const NextPath& next);

class FolderReader {
 public:
  using Read = std::function<Folder(const std::filesystem::path&)>;

  explicit FolderReader(Read read = read_folder) : read_(std::move(read)) {}

  // Starts to read and returns at once. A folder that is still being read is abandoned.
  void open(const std::filesystem::path& path);
  // Does not wait. True if folder() has changed.
  bool look();
  bool reading() const { return coming_.valid(); }
  const Folder& folder() const { return folder_; }

 private:
  Read read_;
  std::future<Folder> coming_;
  Folder folder_;
};

}  // namespace app::capture
