#include "gpu/vision/cascade_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "cascades.h"

namespace gpu::vision {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view roots[] = {"/usr/share/opencv4", "/usr/local/share/opencv4", "/usr/share/opencv"};
constexpr std::string_view ending = ".xml";

// The cascades of a folder: haarcascade_eye.xml is called eye, lbpcascade_frontalface.xml lbp_frontalface.
struct Family {
  std::string_view folder, file_prefix, name_prefix;

  std::optional<std::string> name_of(std::string_view stem) const {
    if (!stem.starts_with(file_prefix) || stem.size() == file_prefix.size()) return {};
    return std::string(name_prefix) + std::string(stem.substr(file_prefix.size()));
  }
  std::optional<fs::path> file_of(std::string_view root, std::string_view name) const {
    if (!name.starts_with(name_prefix)) return {};
    name.remove_prefix(name_prefix.size());
    return fs::path(root) / folder / (std::string(file_prefix) + std::string(name) + std::string(ending));
  }
};
constexpr Family families[] = {{"haarcascades", "haarcascade_", ""}, {"lbpcascades", "lbpcascade_", "lbp_"}};

// The cascades of opencv-data; what else lies in its folders is called by its name.
struct Title {
  std::string_view name, title;
};
constexpr Title titles[] = {
    {"eye", "Eye"},
    {"eye_tree_eyeglasses", "Eye, with or without glasses"},
    {"frontalcatface", "Cat's face"},
    {"frontalcatface_extended", "Cat's face (extended)"},
    {"frontalface_alt", "Face (alt)"},
    {"frontalface_alt2", "Face (alt2)"},
    {"frontalface_alt_tree", "Face (alt_tree)"},
    {"frontalface_default", "Face (default)"},
    {"fullbody", "Body"},
    {"lefteye_2splits", "Left eye"},
    {"licence_plate_rus_16stages", "Russian licence plate (16 stages)"},
    {"lbp_frontalcatface", "Cat's face (LBP)"},
    {"lbp_frontalface", "Face (LBP)"},
    {"lbp_frontalface_improved", "Face (LBP, improved)"},
    {"lbp_profileface", "Face from the side (LBP)"},
    {"lbp_silverware", "Silverware (LBP)"},
    {"lowerbody", "Lower body"},
    {"profileface", "Face from the side"},
    {"righteye_2splits", "Right eye"},
    {"russian_plate_number", "Russian licence plate"},
    {"smile", "Smile"},
    {"upperbody", "Upper body"},
};
const Title* title_of(std::string_view name) {
  const auto* found = std::ranges::find(titles, name, &Title::name);
  return found == std::end(titles) ? nullptr : found;
}

NamedFile named(std::string_view name, std::string path) {
  const auto* known = title_of(name);
  return {std::string(name), std::string(known ? known->title : name), std::move(path)};
}

// Those of a folder whose names are not listed yet.
void list_installed(std::string_view root, const Family& family, std::vector<NamedFile>& all) {
  std::error_code error;
  const auto folder = fs::path(root) / family.folder;
  for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    if (at->path().extension() != ending) continue;
    const auto name = family.name_of(at->path().stem().string());
    if (name && *name != bundled_cascade && std::ranges::find(all, *name, &NamedFile::name) == all.end())
      all.push_back(named(*name, at->path().string()));
  }
}

std::vector<NamedFile> installed_cascades() {
  std::vector<NamedFile> all;
  for (const auto root : roots)
    for (const auto& family : families) list_installed(root, family, all);
  std::ranges::sort(all, {}, &NamedFile::name);
  all.insert(all.begin(), named(bundled_cascade, {}));
  return all;
}

std::optional<fs::path> installed_file(std::string_view name) {
  for (const auto root : roots)
    for (const auto& family : families) {
      std::error_code error;
      if (auto path = family.file_of(root, name); path && fs::exists(*path, error)) return path;
    }
  return {};
}

// `given`: as the user wrote it.
[[noreturn]] void refuse(std::string_view given, std::string_view name) {
  std::vector<std::string_view> candidates;
  for (const auto& known : known_cascades()) candidates.push_back(known.name);
  const auto near = nearest(name, candidates);
  const std::string text = "no cascade '" + printable(given) + "'";
  if (title_of(name)) throw ArgumentError(text + " is installed: install opencv-data, or name a file");
  if (!near.empty()) throw ArgumentError(text + " (did you mean '" + std::string(near) + "'?)");
  throw ArgumentError(text + ": name a file, or one that satscope list cascades prints");
}

// The cascades of files that are in use; not their owner.
SharedCascade shared_file(const fs::path& named) {
  struct InUse {
    fs::path path;
    fs::file_time_type written;
    std::weak_ptr<const PreparedCascade> cascade;
  };
  static std::mutex mutex;
  static std::vector<InUse> all;
  std::error_code error;
  const auto path = fs::weakly_canonical(named, error);
  const auto written = fs::last_write_time(path, error);
  {
    const std::lock_guard lock(mutex);
    std::erase_if(all, [](const InUse& one) { return one.cascade.expired(); });
    for (const auto& one : all)
      if (auto cascade = one.cascade.lock(); cascade && one.path == path && one.written == written) return cascade;
  }
  const auto cascade = std::make_shared<const PreparedCascade>(read_cascade(named));
  const std::lock_guard lock(mutex);
  all.push_back({path, written, cascade});
  return cascade;
}

}  // namespace

const std::vector<NamedFile>& known_cascades() {
  static const auto all = installed_cascades();
  return all;
}

fs::path cascade_path(std::string_view named) {
  const auto& known = known_cascades();
  if (const auto at = std::ranges::find(known, named, &NamedFile::name); at != known.end()) return at->path;
  const char* home = std::getenv("HOME");
  const auto path = named.starts_with("~/") && home ? fs::path(home) / named.substr(2) : fs::path(named);
  std::error_code error;
  if (fs::is_regular_file(path, error)) return path;
  if (named.find('/') != named.npos)
    throw ArgumentError(fs::exists(path, error) ? "the cascade '" + path.string() + "' is not a file: name one"
                                                : "there is no cascade file '" + path.string() + "': check the path");
  auto stem = named;
  if (stem.ends_with(ending)) stem.remove_suffix(ending.size());
  std::string name(stem);
  for (const auto& family : families)
    if (const auto of_file = family.name_of(stem)) name = *of_file;
  if (name == bundled_cascade) return {};
  if (auto installed = installed_file(name)) return *std::move(installed);
  refuse(named, name);
}

Cascade find_cascade(std::string_view name) {
  const auto path = cascade_path(name);
  return path.empty() ? parse_cascade(cascades::haarcascade_frontalface_alt2_xml) : read_cascade(path);
}

SharedCascade find_shared_cascade(std::string_view name) {
  if (const auto path = cascade_path(name); !path.empty()) return shared_file(path);
  static const auto bundled = std::make_shared<const PreparedCascade>(find_cascade(bundled_cascade));
  return bundled;
}

}  // namespace gpu::vision
