#include "app/session/source_places.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/capture/source.h"
#include "app/session/session.h"
#include "app/support/files.h"

namespace app {

void SourcePlaces::remember_source() {
  constexpr std::size_t most = 8;
  const auto* request = session_.feed().request();
  if (!request || (!recent_.empty() && recent_[0] == request->source)) return;
  std::erase(recent_, request->source);
  recent_.insert(recent_.begin(), request->source);
  if (recent_.size() > most) recent_.pop_back();
}

void SourcePlaces::look() {
  browser_.reading = folders_.reading();
  if (!folders_.look()) return;
  browser_.reading = false;
  browser_.folder = folders_.folder();
  ++browser_.version;
}

void SourcePlaces::read_folder(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto folder_of = [&](const std::string& source) {
    const bool file = source.find('/') != source.npos && !source.starts_with("/dev/");
    return file ? capture::source_file(source).parent_path() : fs::path();
  };
  const auto* request = session_.feed().request();
  const auto here = request ? folder_of(request->source) : fs::path();
  folders_.open(!path.empty() ? fs::path(path) : here.empty() ? fs::current_path(ignored) : here);
  auto& places = browser_.places;
  places.clear();
  const auto add = [&](const std::string& name, const fs::path& place) {
    const auto same = [&](const BrowserPlace& other) { return other.path == place.string(); };
    if (!place.empty() && std::ranges::none_of(places, same)) places.push_back({name, place.string()});
  };
  const char* home = std::getenv("HOME");
  add("Home", home ? fs::path(home) : fs::path());
  add("Here", fs::current_path(ignored));
  if (const auto saved = session_.outputs().folder(); fs::exists(saved, ignored))
    add("Saved files", fs::absolute(saved, ignored));
  add("Bundled files", asset("clip.mp4").parent_path());
  for (const auto& source : recent_) add(folder_of(source).filename().string(), folder_of(source));
  add("Computer", "/");
}

}  // namespace app
