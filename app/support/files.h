// Files written whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace app {

// Writes `bytes` to a new file beside `path`, makes sure they are on the disk, and renames it to `path`: whoever reads
// `path` sees the old contents or the new, never a part. A link is followed; what is no regular file (/dev/stdout) is
// written to directly. Throws std::runtime_error with one line: path, cause.
void write_file(const std::filesystem::path& path, std::string_view bytes);
inline void write_file(const std::filesystem::path& path, std::span<const unsigned char> bytes) {
  write_file(path, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// Before the work, not after it: a folder that is not there (ExitError, failed), and a result that would replace the
// `source` it is made from (ExitError, usage).
void check_result(const std::filesystem::path& path, const std::string& source);

}  // namespace app
