// The location of the files of assets/: installed with the program, or in the source tree from which it was built.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace app {

// The path of one file of assets/, e.g. asset("clip.mp4"), in the first of these folders that contains it:
// $SATSCOPE_ASSETS, the installed share/satscope (found from the program's path, so that an installation can be moved),
// the source tree, to which the link `assets` beside programs of a build tree leads. If none does, its path in the first
// folder, so that an error message names a sensible place.
std::filesystem::path asset(std::string_view name);

// The folders that asset() searches, in order, for a program at `executable`.
std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& executable);
std::filesystem::path find_asset(std::string_view name, std::span<const std::filesystem::path> folders);

}  // namespace app
