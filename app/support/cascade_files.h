// Cascades by name: the face cascade that the program brings (assets/), and those of OpenCV's package opencv-data.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace app {

struct CascadeFile {
  std::string name;  // "eye", of haarcascade_eye.xml
  std::filesystem::path path;
};

inline constexpr std::string_view default_cascade = "frontalface_alt2";

// Those that are found, sorted by name. The program's own takes the place of opencv-data's file of that name.
std::vector<CascadeFile> cascade_files();

// The file that a user means: its path, or a name of cascade_files(), also written as its file is ("haarcascade_eye",
// "haarcascade_eye.xml"). Throws std::invalid_argument, one line, where it is neither a file nor such a name; what the file
// contains is not checked.
std::filesystem::path cascade_path(const std::string& named);

}  // namespace app
