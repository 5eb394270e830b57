#include "app/session/source_places.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "app/capture/source.h"
#include "app/control/settings_file.h"
#include "app/session/session.h"
#include "app/support/address.h"
#include "app/support/files.h"

namespace app {

namespace {

constexpr std::size_t most_sources = 8;

// It is opened from other folders, too.
std::string whole_name(const std::string& source) {
  std::error_code error;
  if (std::filesystem::path(source).is_absolute() || !std::filesystem::is_regular_file(source, error)) return source;
  const auto whole = std::filesystem::absolute(source, error);
  return error ? source : whole.lexically_normal().string();
}

}  // namespace

std::vector<std::string> kept_sources(const std::filesystem::path& file) try {
  constexpr std::uintmax_t largest = 1 << 20;  // far more than is ever written
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error) || std::filesystem::file_size(file, error) > largest) return {};
  std::ifstream stream(file);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto list = json_from<nlohmann::json>(text);
  if (!list.is_array()) return {};
  std::vector<std::string> sources;
  for (const auto& each : list)
    if (const auto source = text_from_json(each); source && !source->empty() && sources.size() < most_sources)
      sources.push_back(*source);
  return sources;
} catch (const std::exception&) {
  return {};
}

void keep_sources(const std::filesystem::path& file, std::vector<std::string> sources) try {
  const auto before = kept_sources(file);
  for (const auto& source : before)
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
  std::erase_if(sources, [](const std::string& source) { return source.empty() || shown_address(source) != source; });
  if (sources.size() > most_sources) sources.resize(most_sources);
  if (sources == before) return;
  auto list = nlohmann::json::array();
  for (const auto& source : sources) list.push_back(text_as_json(source));
  save_settings(file, list);
} catch (const std::exception&) {}

SourcePlaces::SourcePlaces(Session& session, FileBrowserState& browser, std::vector<std::string>& recent)
    : session_(session), browser_(browser), recent_(recent) {
  if (const auto& file = session.run().recent) recent_ = kept_sources(*file);
}

// The source of a lesson is still there for a moment when the lesson was left.
void SourcePlaces::remember_source() {
  const auto* request = session_.feed().request();
  if (session_.lessons().before() || !request || request->source == seen_) return;
  if (request->source != session_.settings().source) return;
  seen_ = request->source;
  if (seen_.empty()) return;
  const auto whole = whole_name(seen_);
  std::erase_if(recent_, [&](const std::string& source) { return whole_name(source) == whole; });
  recent_.insert(recent_.begin(), seen_);  // as the setting names it, so that it is seen which of them plays
  if (recent_.size() > most_sources) recent_.pop_back();
}

void SourcePlaces::keep() const {
  const auto& file = session_.run().recent;
  if (!file) return;
  auto sources = recent_;
  std::ranges::transform(sources, sources.begin(), whole_name);
  keep_sources(*file, std::move(sources));
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
