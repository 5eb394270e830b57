#include "gpu/choice/tuned.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "gpu/pictures/check_views.h"

namespace gpu {
namespace {

constexpr std::string_view first_line = "satscope tune 1";
constexpr std::size_t largest_file = std::size_t{1} << 20;

std::string_view take(std::string_view& text, char end) {
  const auto at = std::min(text.find(end), text.size());
  const auto part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

template <class T>
bool read_number(std::string_view word, T& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// Whether a word can be the name of an algorithm or a type.
bool is_name(std::string_view word) {
  return !word.empty() &&
         std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}
bool is_date(std::string_view word) {
  return word.size() == 10 && std::ranges::all_of(word, [](char c) { return (c >= '0' && c <= '9') || c == '-'; });
}
bool is_printable(std::string_view text) {
  return !text.empty() && std::ranges::none_of(text, [](unsigned char c) { return c < ' ' || c == 0x7f; });
}

bool read_size(std::string_view word, Size& size) {
  const auto width = take(word, 'x');
  const auto is_side = [](int side) { return side > 0 && side <= most_side; };
  return read_number(width, size.width) && read_number(word, size.height) && is_side(size.width) && is_side(size.height);
}

bool read_fastest(std::string_view& line, TunedSize::Fastest& fastest) {
  const auto name = take(line, ' '), time = take(line, ' ');
  fastest.algorithm = name;
  return is_name(name) && read_number(time, fastest.microseconds) && std::isfinite(fastest.microseconds) &&
         fastest.microseconds > 0;
}

// "8u32u 1920x1080 one_wave 6.99 one_wave 9.1"
bool read_measurement(std::string_view line, TunedSize& size) {
  size.type = take(line, ' ');
  return is_name(size.type) && read_size(take(line, ' '), size.size) && read_fastest(line, size.in_graph) &&
         read_fastest(line, size.launched) && line.empty();
}

bool read_line(std::string_view line, std::vector<TunedGpu>& gpus) {
  constexpr std::string_view gpu = "gpu ", measured = "measured ";
  if (line.starts_with(gpu)) {
    if (!gpus.empty() && gpus.back().date.empty()) return false;
    gpus.push_back({std::string(line.substr(gpu.size())), {}, {}});
    return is_printable(gpus.back().name);
  }
  if (gpus.empty()) return false;
  if (line.starts_with(measured)) {
    gpus.back().date = line.substr(measured.size());
    return is_date(gpus.back().date);
  }
  return !gpus.back().date.empty() && read_measurement(line, gpus.back().sizes.emplace_back());
}

std::string in_microseconds(double time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", time);
  return text;
}

// Empty if it cannot be read: errno says why; 0: it is not a regular file, or too large.
std::optional<std::string> text_of_file(const char* path) {
  const int file = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);  // a pipe without a writer is not waited for
  if (file < 0) return {};
  struct stat status {};
  std::optional<std::string> text;
  int error = ::fstat(file, &status) != 0 ? errno : 0;
  if (error == 0 && S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) <= largest_file) {
    text.emplace(static_cast<std::size_t>(status.st_size), '\0');  // it is replaced as a whole, and does not grow
    std::size_t size = 0;
    ssize_t count = 0;
    while (size < text->size() && (count = ::read(file, text->data() + size, text->size() - size)) > 0)
      size += static_cast<std::size_t>(count);
    if (count < 0) error = errno, text.reset();
    if (text) text->resize(size);
  }
  ::close(file);
  errno = error;
  return text;
}

}  // namespace

const TunedGpu* Tuned::find(std::string_view gpu) const {
  const auto found = std::ranges::find(gpus, gpu, &TunedGpu::name);
  return found == gpus.end() ? nullptr : &*found;
}

void Tuned::put(TunedGpu gpu) {
  std::erase_if(gpus, [&](const TunedGpu& other) { return other.name == gpu.name; });
  gpus.push_back(std::move(gpu));
}

std::optional<std::filesystem::path> user_folder() {
  const auto folder = [](const char* name) -> std::filesystem::path {
    const char* const value = std::getenv(name);
    return value ? value : "";
  };
  const auto config = folder("XDG_CONFIG_HOME"), home = folder("HOME");
  if (config.is_absolute()) return config / "satscope";  // by the XDG specification a relative path is ignored
  if (home.is_absolute()) return home / ".config" / "satscope";
  return {};
}

std::optional<std::filesystem::path> tuned_path() {
  auto folder = user_folder();
  if (folder) *folder /= "tuned.txt";
  return folder;
}

Tuned parse_tuned(std::string_view text) {
  const auto refuse = [](std::string problem) { return Tuned{.problem = std::move(problem)}; };
  const bool begins_whole = text.find('\n') != text.npos;
  if (take(text, '\n') != first_line || !begins_whole) return refuse("it was written by another version of satscope tune");
  Tuned tuned;
  for (int number = 2; !text.empty(); ++number) {
    const bool whole = text.find('\n') != text.npos;
    if (const auto line = take(text, '\n'); !whole || !read_line(line, tuned.gpus))
      return refuse("line " + std::to_string(number) + " is not a measurement");
  }
  if (!tuned.gpus.empty() && tuned.gpus.back().date.empty()) return refuse("its last line is not a measurement");
  return tuned;
}

std::string text_of(const Tuned& tuned) {
  std::string text(first_line);
  text += '\n';
  for (const auto& gpu : tuned.gpus) {
    text += "gpu " + gpu.name + "\nmeasured " + gpu.date + '\n';
    for (const auto& [type, size, in_graph, launched] : gpu.sizes) {
      text += type + ' ' + std::to_string(size.width) + 'x' + std::to_string(size.height);
      for (const auto* fastest : {&in_graph, &launched})
        text += ' ' + fastest->algorithm + ' ' + in_microseconds(fastest->microseconds);
      text += '\n';
    }
  }
  return text;
}

Tuned load_tuned(const std::optional<std::filesystem::path>& path) {
  if (!path) return {};
  const auto text = text_of_file(path->c_str());
  if (!text && (errno == ENOENT || errno == ENOTDIR)) return {};
  auto tuned = text ? parse_tuned(*text)
                    : Tuned{.problem = errno == 0 ? "it is not a file of at most 1 MiB" : std::strerror(errno)};
  if (!tuned.problem.empty())
    tuned.problem = path->string() + " is not used: " + tuned.problem + "; satscope tune measures again";
  return tuned;
}

}  // namespace gpu
