#include "app/capture/source_text.h"

#include <fcntl.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "app/capture/folder_reader.h"
#include "app/capture/source.h"
#include "app/support/address.h"
#include "app/support/text.h"
#include "gpu/parameter.h"

namespace app::capture {
namespace {

namespace fs = std::filesystem;

// A file's URL; of this machine where `host` is empty.
struct FileUrl {
  std::string host, path;
};

std::optional<FileUrl> file_url(const std::string& source) {
  constexpr std::string_view scheme = "file:";
  if (::strncasecmp(source.c_str(), scheme.data(), scheme.size()) != 0) return {};
  auto rest = std::string_view(source).substr(scheme.size());
  if (!rest.starts_with('/')) return {};
  if (!rest.starts_with("//")) return FileUrl{{}, percent_decoded(rest)};
  rest.remove_prefix(2);
  const auto end = std::min(rest.find('/'), rest.size());
  const std::string host(rest.substr(0, end));
  return FileUrl{::strcasecmp(host.c_str(), "localhost") == 0 ? std::string() : host, percent_decoded(rest.substr(end))};
}

// The file in the same folder, or the word, that was probably meant. Empty if none that can be opened is near. Extensions
// are not compared: all of them are near to each other.
std::string near_neighbour(const fs::path& path, Sought sought) {
  constexpr std::size_t enough = 1000;  // of a huge folder
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(path.parent_path(), error), end; !error && entry != end && names.size() < enough;
       entry.increment(error))
    if (std::error_code unknown; is_openable(entry->path().native()) && entry->is_regular_file(unknown))
      names.push_back(entry->path().filename().string());
  if (!path.has_extension() && sought == Sought::source)
    names.insert(names.end(), std::begin(source_words), std::end(source_words));
  std::vector<std::string> stems;
  for (const auto& name : names) stems.push_back(fs::path(name).stem().string());
  const std::vector<std::string_view> views(stems.begin(), stems.end());
  const auto near = gpu::nearest(path.stem().string(), views);
  if (near.empty()) return {};
  const auto same_ending = std::find(names.begin(), names.end(), std::string(near) + path.extension().string());
  if (same_ending != names.end()) return *same_ending;
  return names[static_cast<std::size_t>(std::find(stems.begin(), stems.end(), near) - stems.begin())];
}

bool is_link(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::symlink;
}

[[noreturn]] void missing(const fs::path& path, Sought sought) {
  const std::string near = near_neighbour(path, sought);
  const bool camera = sought == Sought::source;
  throw SourceError("there is no file " + in_quotes(path.string()) + (camera ? ", and no camera of that name" : "") +
                    "; check the path" +
                    (!near.empty() ? " (did you mean '" + one_line(near) + "'?)"
                     : camera      ? ", or see `satscope list cameras`"
                                   : ""));
}

}  // namespace

bool is_file_url(const std::string& source) { return file_url(source).has_value(); }

std::string other_host(const std::string& source) {
  const auto url = file_url(source);
  return url ? url->host : std::string();
}

bool is_url(const std::string& source) {
  return file_url(source) ? !other_host(source).empty() : !scheme_of(source).empty();
}

fs::path local_path(const std::string& source) {
  const auto url = file_url(source);
  std::error_code error;
  const fs::path path = url && url->host.empty() ? url->path : source;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute;
}

void check_readable(const fs::path& path, Sought sought) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status)) note_file(path.string());
  const std::string name = in_quotes(path.string());
  if (status.type() == fs::file_type::not_found && is_link(path))
    throw SourceError(name + " is a link to a missing file; check where it leads");
  if (status.type() == fs::file_type::not_found) missing(path, sought);
  if (error)
    throw SourceError(name + " cannot be reached: " + error.message() +
                      "; check the path and the permissions of its folders");
  if (status.type() == fs::file_type::directory) throw SourceError(name + " is a folder; name a file in it");
  if (status.type() != fs::file_type::regular)
    throw SourceError(name + (sought == Sought::image ? " is not a file; name an image"
                              : sought == Sought::pictures
                                  ? " is not a file; name an image, a video or a URL"
                                  : " is neither a file nor a camera; name a file, a camera or a URL"));
  if (faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
    throw SourceError(name + " cannot be read: " + std::strerror(errno) + "; change its permissions with chmod +r");
  if (fs::file_size(path, error) == 0 && !error) throw SourceError(name + " is empty; copy or download it again");
}

std::string first_bytes(const fs::path& path, std::size_t most) {
  std::string head(most, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(head.data(), static_cast<std::streamsize>(most));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return head;
}

bool looks_like_text(const fs::path& path) {
  const auto head = first_bytes(path);
  return !head.empty() && std::ranges::all_of(head, [](unsigned char c) {
    return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\r' || c == '\t';
  });
}

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return without_secrets(line);
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t most = 400;
  // As many blanks as it has: they are a part of the name.
  return both_ends("'" + without_controls(shown_address(name)) + "'", most);
}

std::string describe_source(const Request& request) {
  const std::string& source = request.source;
  if (source.empty()) return "the bundled clip";
  if (std::all_of(source.begin(), source.end(), [](char c) { return c >= '0' && c <= '9'; })) return "camera " + source;
  return in_quotes(source);
}

std::string instead_of(const Request& request) {
  return is_url(request.source)
             ? "if it is a picture or a video, it came too slowly or not whole: download it, and open the file"
             : "try another file";
}

std::string four_letters(double code) {
  const auto bits = static_cast<unsigned>(code);
  std::string letters;
  for (int shift = 0; shift < 32; shift += 8) letters += static_cast<char>(bits >> shift & 0xff);
  return one_line(letters);
}

std::string format_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  std::string number = text;
  while (number.back() == '0') number.pop_back();
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string why_other_size(gpu::Size requested, gpu::Size given, std::string_view giver) {
  if (requested.pixels() == 0 || requested == given) return {};
  return "requested " + text_of(requested) + ", " + std::string(giver) + " gives " + text_of(given);
}

std::string why_other_rate(double requested, double given, std::string_view giver) {
  if (requested <= 0 || given <= 0 || std::abs(requested - given) < 0.01 * given) return {};
  return "requested " + format_number(requested) + "/s, " + std::string(giver) + " gives " + format_number(given) +
         "/s; the speed can be chosen instead";
}

std::string describe(std::string_view name, gpu::Size size, double fps) {
  std::string text = one_line(name);
  if (size.pixels() > 0) text += ", " + text_of(size);
  if (fps > 0) text += ", " + format_number(fps) + "/s";
  return text;
}

}  // namespace app::capture
