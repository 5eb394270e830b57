#include "app/capture/folder_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <system_error>
#include <utility>

#include "app/capture/source_text.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view endings[]{
    "avi", "mp4",  "mkv",   "mov",  "m4v", "webm", "mpg", "mpeg", "ts",  "mts", "m2ts", "wmv", "flv", "ogv",  "ogg", "3gp",
    "gif", "mjpg", "mjpeg", "h264", "264", "hevc", "265", "y4m",  "vob", "asf", "mxf",  "png", "jpg", "jpeg", "jpe", "bmp",
    "dib", "tif",  "tiff",  "webp", "pgm", "ppm",  "pbm", "pnm",  "exr", "hdr", "jp2",  "sr",  "ras", "csv",  "tsv"};

constexpr std::size_t most_entries = 20'000;

FolderEntry entry_of(const fs::path& path) {
  FolderEntry entry{.name = path.filename().string()};
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return entry;  // a link to nowhere
  entry.folder = S_ISDIR(status.st_mode);
  entry.openable = S_ISREG(status.st_mode) && (is_openable(entry.name) || lower(entry.name).ends_with(".cu"));
  entry.changed = status.st_mtime;
  return entry;
}

// Folders first, then by name.
void sort(std::vector<FolderEntry>& entries) {
  std::vector<std::pair<std::string, FolderEntry>> keyed;  // the key is made once per entry, not in every comparison
  keyed.reserve(entries.size());
  for (auto& entry : entries) keyed.emplace_back((entry.folder ? '0' : '1') + lower(entry.name), std::move(entry));
  std::ranges::sort(keyed, {}, [](const auto& each) -> const std::string& { return each.first; });
  std::ranges::transform(keyed, entries.begin(), [](auto& each) { return std::move(each.second); });
}

}  // namespace

std::vector<FolderEntry> found_entries(const Folder& folder, std::string_view part, bool latest_first,
                                       const std::function<bool(const FolderEntry&)>& wants) {
  auto found = folder.entries;
  std::erase_if(found, [&, typed = lower(part)](const FolderEntry& entry) {
    return !wants(entry) || lower(entry.name).find(typed) == std::string::npos;
  });
  if (latest_first)
    std::ranges::stable_sort(found, std::greater{},
                             [](const FolderEntry& entry) { return std::pair(entry.folder, entry.changed); });
  return found;
}

bool is_openable(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot != name.npos && std::ranges::find(endings, lower(name.substr(dot + 1))) != std::end(endings);
}

Folder read_folder(const fs::path& path) {
  std::error_code error;
  Folder folder;
  folder.path = fs::weakly_canonical(fs::absolute(with_home(path), error), error);
  if (error) folder.path = path;
  if (std::error_code ignored; fs::exists(folder.path, ignored) && !fs::is_directory(folder.path, ignored)) {
    folder.file = folder.path.filename().string();
    folder.path = folder.path.parent_path();
  }
  fs::directory_iterator at(folder.path, error);
  if (error) folder.problem = one_line(folder.path.string()) + " cannot be read: " + error.message();
  while (error && folder.file.empty() && folder.path.has_relative_path()) {
    folder.path = folder.path.parent_path();
    at = fs::directory_iterator(folder.path, error);
  }
  if (error) return folder;
  read_entries(folder, [&, begun = false](std::error_code& why) mutable -> std::optional<fs::path> {
    if (std::exchange(begun, true)) at.increment(why);  // which ends there, too
    if (at == fs::directory_iterator()) return {};
    return at->path();
  });
  return folder;
}

void read_entries(Folder& folder, const NextPath& next) {
  std::error_code error;
  while (folder.entries.size() < most_entries) {
    const auto path = next(error);
    if (!path) break;
    if (!path->filename().string().starts_with('.')) folder.entries.push_back(entry_of(*path));
  }
  if (error)
    folder.problem = "not all of it could be read: " + error.message() + "; open the folder again, or type the name";
  else if (folder.entries.size() == most_entries)
    folder.problem = "only " + std::to_string(most_entries) + " entries are shown; type the name to open another";
  sort(folder.entries);
}

void FolderReader::open(const fs::path& path) {
  auto promise = std::make_shared<std::promise<Folder>>();
  coming_ = promise->get_future();
  const auto fail = [promise, path](const std::exception& error) { promise->set_value({path, {}, one_line(error.what())}); };
  try {
    start_detached([promise, path, fail, read = read_] {
      try {
        promise->set_value(read(path));
      } catch (const std::exception& error) {
        fail(error);
      }
    });
  } catch (const std::exception& error) {
    fail(error);
  }
}

bool FolderReader::look() {
  if (!coming_.valid() || coming_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return false;
  folder_ = coming_.get();
  return true;
}

}  // namespace app::capture
