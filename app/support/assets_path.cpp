#include "app/support/assets_path.h"

#include <cstdlib>
#include <system_error>

namespace app {

std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& executable) {
  std::vector<std::filesystem::path> folders;
  if (const char* chosen = std::getenv("SATSCOPE_ASSETS"); chosen && *chosen) folders.emplace_back(chosen);
  if (executable.empty()) return folders;
  const auto here = executable.parent_path();
  folders.push_back((here / SATSCOPE_ASSETS_FROM_BIN).lexically_normal());
  std::error_code none;
  if (const auto source_tree = std::filesystem::read_symlink(here / "assets", none); !none) folders.push_back(source_tree);
  return folders;
}

std::filesystem::path find_asset(std::string_view name, std::span<const std::filesystem::path> folders) {
  std::error_code ignored;  // an unreadable folder counts as empty
  for (const auto& folder : folders) {
    if (std::filesystem::exists(folder / name, ignored)) return folder / name;
  }
  return folders.empty() ? std::filesystem::path(name) : folders.front() / name;
}

std::filesystem::path asset(std::string_view name) {
  std::error_code ignored;
  return find_asset(name, asset_folders(std::filesystem::read_symlink("/proc/self/exe", ignored)));
}

}  // namespace app
