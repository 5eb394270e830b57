// Where the files of assets/ are: beside the installed program, or in the source tree that it was built from.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace app {

// The path of one file of assets/, e.g. asset("clip.mp4"). The first of these folders that holds it: $SATSCOPE_ASSETS,
// the installed share/satscope (found from the program's own place, so that an installation can be moved), the source
// tree. Where none does, its path in the first folder: whoever opens it then names a place where it should be.
std::filesystem::path asset(std::string_view name);

// The folders that asset() looks into, in that order, for a program at `executable`.
std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& executable);
std::filesystem::path find_asset(std::string_view name, std::span<const std::filesystem::path> folders);

}  // namespace app
