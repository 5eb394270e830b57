// Checks of files named by the user before they are decoded: most errors (missing, empty, not readable) are easy to name,
// and a decoder only says that it failed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace app::capture {

// "rtsp", of "rtsp://camera/1"; empty where the name begins with no scheme.
std::string_view scheme_of(std::string_view source);
// "rtsp://camera/1", but not "file:///home/me/clip.mp4": that is a file of this machine, one of another host is not.
bool is_url(const std::string& source);
// "file:///a%20b", of this machine or another.
bool is_file_url(const std::string& source);
// The host that a file's URL names; empty: this machine, or no such URL.
std::string other_host(const std::string& source);
// The absolute path of a file named by the user: an absolute path is never taken for a protocol of FFmpeg's. Of a file's URL
// (RFC 8089: file:///a%20b, file://localhost/a, file:/a) it is the path, decoded.
std::filesystem::path local_path(const std::string& source);
// Throws SourceError where `path` is missing, a folder, a device, empty, or not readable. What to do about it depends on
// what was `sought`: any source may be a camera or a URL too, pictures an image, a video or a URL, an image is a file.
enum class Sought { source, pictures, image };
void check_readable(const std::filesystem::path& path, Sought sought);
// The file's first bytes are plain text.
bool looks_like_text(const std::filesystem::path& path);

}  // namespace app::capture
