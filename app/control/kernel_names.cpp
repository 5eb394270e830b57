#include "app/control/kernel_names.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "app/capture/source_text.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/sat.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {
namespace {

constexpr std::string_view ending = ".cu";
constexpr std::string_view own_words[] = {"algorithm", "effect", "original", "result", "stand-in"};

bool is_built_in(std::string_view name) {
  const auto is = [&](const auto* one) { return one->name == name; };
  return std::ranges::any_of(gpu::built_in_sat_algorithms(), is) || std::ranges::any_of(gpu::built_in_effects(), is);
}

// As settings, paths of parameters and C++ take it.
bool can_be_a_name(std::string_view name) {
  const auto fits = [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '_' || c == '-'); };
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, fits);
}

}  // namespace

bool is_kernel_file(std::string_view text) { return text.size() > ending.size() && lower(text).ends_with(ending); }

std::string kernel_name(std::string_view file) { return std::filesystem::path(file).stem().string(); }

void check_kernel_name(std::string_view file) {
  const auto named = capture::in_quotes(file);
  if (!is_kernel_file(file)) throw std::invalid_argument("a kernel takes the name of a file that ends in .cu, not " + named);
  if (file.find_first_of(std::string_view("\n\0", 2)) != file.npos)
    throw std::invalid_argument("a kernel takes the name of a file without line breaks, not " + named);
  const auto name = kernel_name(file);
  if (!can_be_a_name(name))
    throw std::invalid_argument(
        "a kernel has the name of its file, of at most 64 letters, digits, _ and - before .cu: rename " + named);
  if (is_built_in(name) || std::ranges::find(own_words, name) != std::end(own_words))
    throw std::invalid_argument("'" + name + "' is a name of satscope's own: rename " + named);
}

std::string kernel_file(std::string_view text) {
  std::error_code error;
  const auto path =
      std::filesystem::absolute(capture::local_path(with_home(text).string()), error).lexically_normal().string();
  check_kernel_name(path);
  if (error || !std::filesystem::is_regular_file(path, error))
    throw std::invalid_argument("there is no file " + capture::in_quotes(text) + "; satscope new " +
                                std::filesystem::path(path).filename().string() + " writes one to begin with");
  return path;
}

void add_kernel(Settings& settings, std::string_view text) {
  const auto path = kernel_file(text);
  auto& files = settings.kernels;
  if (std::ranges::find(files, path) != files.end()) return;
  const auto name = kernel_name(path);
  const auto same = std::ranges::find(files, name, [](const std::string& file) { return kernel_name(file); });
  if (same != files.end())
    throw std::invalid_argument("kernel: " + capture::in_quotes(*same) + " has the name '" + name +
                                "', too: rename one of the files");
  files.push_back(path);
}

bool awaits_kernel(const Settings& settings, std::string_view name) {
  return !gpu::find_user_kernel(name) &&
         std::ranges::any_of(settings.kernels, [&](const std::string& file) { return kernel_name(file) == name; });
}

std::string text_of_kernels(const std::vector<std::string>& files) {
  std::string text;
  for (const auto& file : files) text += (text.empty() ? "" : "\n") + file;
  return text;
}

std::vector<std::string> kernels_from(std::string_view text) {
  std::vector<std::string> files;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (end > at) files.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return files;
}

}  // namespace app
