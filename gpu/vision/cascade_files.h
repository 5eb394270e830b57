// Where cascades come from: the library's own one, those of Debian's opencv-data, and any other file.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "gpu/parameter.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

// The name of the library's own cascade, for frontal faces: its text is compiled in, so that it is found where there are no files.
inline constexpr std::string_view bundled_cascade = "frontalface_alt2";

// The library's own cascade, then the others of opencv-data, sorted by name ("eye": haarcascade_eye.xml, "lbp_frontalface":
// lbpcascade_frontalface.xml), as they are installed when this is called for the first time.
const std::vector<NamedFile>& known_cascades();

// The file that a user means: a name of known_cascades(), or else its path (~/ is the home folder), or else such a name written as
// the file is ("haarcascade_eye", "haarcascade_eye.xml"). Empty for the library's own cascade. Throws ArgumentError, one line with cause and next step, where it is
// neither a file nor a name; what the file contains is not checked.
std::filesystem::path cascade_path(std::string_view name_or_path);
// The cascade in that file. Throws CascadeError, too, for what the file contains.
Cascade find_cascade(std::string_view name_or_path);
// Likewise, for detectors. The library's own one is read once, and is the same each time; so is a file's for as long as somebody has
// it and the file is not written to.
SharedCascade find_shared_cascade(std::string_view name_or_path);

}  // namespace gpu::vision
