// What the text of a source says, and what is written of it: which names are files and which URLs; checks of files before they are
// decoded; and how sources stand in messages, descriptions and files: always one line, whatever the user or a library put into
// the words, and without secrets (address.h).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/capture/capture.h"

namespace app::capture {

// "rtsp://camera/1", but not "file:///home/me/clip.mp4": that is a file of this machine, one of another host is not.
bool is_url(const std::string& source);
// "file:///a%20b", of this machine or another.
bool is_file_url(const std::string& source);
// The host that a file's URL names; empty: this machine, or no such URL.
std::string other_host(const std::string& source);
// The absolute path of a file named by the user: an absolute path is never taken for a protocol of FFmpeg's. Of a file's URL
// (RFC 8089: file:///a%20b, file://localhost/a, file:/a) it is the path, decoded.
std::filesystem::path local_path(const std::string& source);

// Most errors of files (missing, empty, not readable) are easy to name, and a decoder only says that it failed.

// Throws SourceError where `path` is missing, a folder, a device, empty, or not readable. What to do about it depends on
// what was `sought`: any source may be a camera or a URL too, pictures an image, a video or a URL, an image is a file.
enum class Sought { source, pictures, image };
void check_readable(const std::filesystem::path& path, Sought sought);
// The file's first bytes, at most so many; empty where it cannot be read.
std::string first_bytes(const std::filesystem::path& path, std::size_t most = 512);
// They are plain text.
bool looks_like_text(const std::filesystem::path& path);

// Control characters and line ends become spaces; runs of spaces become one; the ends are trimmed. without_secrets() too.
std::string one_line(std::string_view text);
// "'holiday.mp4'": a name in a message, without secrets and in one line; of a very long one both ends.
std::string in_quotes(std::string_view name);
// "'holiday.mp4'", "camera 0", "the bundled clip": what the user asked for.
std::string describe_source(const Request& request);
// What to do where a source holds no picture: "try another file". Of a URL it may be the way that it came.
std::string instead_of(const Request& request);
// The name of a codec from its code: "MJPG".
std::string four_letters(double code);
// "30", "29.97"
std::string format_number(double value);
// "requested 640x480, the file gives 960x540"; empty where nothing else was requested.
std::string why_other_size(gpu::Size requested, gpu::Size given, std::string_view giver);
// Likewise "requested 10/s, the file gives 30/s; the speed can be chosen instead". 0: no rate.
std::string why_other_rate(double requested, double given, std::string_view giver);
// "clip.mp4, 960x540, 30/s"; what is zero is left out.
std::string describe(std::string_view name, gpu::Size size, double fps);

}  // namespace app::capture
