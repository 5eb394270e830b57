#include "app/support/cascade_files.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <system_error>

#include "app/support/assets_path.h"
#include "app/support/near_name.h"

namespace app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view file_prefix = "haarcascade_", file_ending = ".xml";
// Where Debian's package, and a build of OpenCV, install theirs.
constexpr const char* data_folders[] = {"/usr/share/opencv4/haarcascades", "/usr/local/share/opencv4/haarcascades"};

std::string short_name(std::string_view name) {
  if (name.starts_with(file_prefix)) name.remove_prefix(file_prefix.size());
  if (name.ends_with(file_ending)) name.remove_suffix(file_ending.size());
  return std::string(name);
}

}  // namespace

std::vector<CascadeFile> cascade_files() {
  std::map<std::string, fs::path> found;
  std::error_code error;
  const auto own = asset(std::string(file_prefix) + std::string(default_cascade) + std::string(file_ending));
  if (fs::is_regular_file(own, error)) found.emplace(default_cascade, own);
  for (const auto* folder : data_folders)
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const auto file = entry->path().filename().string();
      if (file.starts_with(file_prefix) && file.ends_with(file_ending)) found.emplace(short_name(file), entry->path());
    }
  std::vector<CascadeFile> files;
  for (const auto& [name, path] : found) files.push_back({name, path});
  return files;
}

fs::path cascade_path(const std::string& named) {
  std::error_code error;
  if (fs::is_regular_file(named, error)) return named;
  if (named.find('/') != named.npos)
    throw std::invalid_argument(fs::exists(named, error) ? "the cascade '" + named + "' is not a file: name one"
                                                         : "there is no cascade file '" + named + "': check the path");
  const auto files = cascade_files();
  const auto name = short_name(named);
  if (const auto file = std::ranges::find(files, name, &CascadeFile::name); file != files.end()) return file->path;
  if (files.empty()) throw std::invalid_argument("no cascade '" + named + "': install opencv-data, or name a file");
  std::vector<std::string_view> names;
  for (const auto& file : files) names.push_back(file.name);
  throw std::invalid_argument(no_such("cascade", name, names));
}

}  // namespace app
