#include "app/capture/source_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "app/capture/local_file.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

constexpr std::string_view hidden = "***";

// "user:password@" at `begin`. Passwords of cameras may hold any character but '/'; a quote and a blank end a URL in a message.
void hide_in_user(std::string& text, std::size_t begin) {
  const auto end = std::min({text.find('/', begin), text.find("' ", begin), text.size()});
  const auto at = std::string_view(text).substr(begin, end - begin).rfind('@');
  const auto colon = text.find(':', begin);
  if (at != text.npos && colon < begin + at) text.replace(colon + 1, begin + at - colon - 1, hidden);
}

// "user:password@" outside of URLs, where it may be an address whose scheme is mistyped: "rtsp//user:password@camera". A quoted
// name may have blanks in it. What follows a URL's host is a path.
std::string hidden_without_scheme(std::string_view text) {
  std::string shown;
  auto colon = text.npos;  // behind a user's name, in `shown`
  bool quoted = false;
  int slashes = 0;  // of a URL: 2 before its host, 3 behind
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], before = i > 0 ? text[i - 1] : ' ', next = i + 1 < text.size() ? text[i + 1] : ' ';
    const bool opens = c == '\'' && !quoted && before == ' ', closes = c == '\'' && quoted && std::strchr(" ;,:.)", next);
    if (opens || closes) quoted = opens;
    if (opens || closes || (c == ' ' && !quoted)) slashes = 0;
    if (c == '/') slashes = text.substr(0, i + 1).ends_with("://") ? 2 : slashes > 1 ? 3 : 0;
    if (opens || closes || c == '/' || (c == ' ' && !quoted)) colon = text.npos;
    if (c == ':' && colon == text.npos && slashes < 3) colon = shown.size();
    if (c == '@' && colon != text.npos) shown.replace(colon + 1, text.npos, hidden);
    shown += c;
  }
  return shown;
}

// "?user=admin&pwd=secret" at `i`. Returns where it ends.
std::size_t hide_in_query(std::string& text, std::size_t i) {
  constexpr std::string_view secret[] = {"password", "passwd", "pass", "pwd",     "psw",    "pw",
                                         "token",    "auth",   "key",  "api_key", "secret", "access_token"};
  const auto end_of = [&](std::string_view stops, std::size_t from) {
    return std::min(text.find_first_of(stops, from), text.size());
  };
  while (i < text.size() && (text[i] == '?' || text[i] == '&')) {
    const auto equals = end_of("=& '", i + 1);
    const auto name = lower(text.substr(i + 1, equals - i - 1));
    i = end_of("&# '", equals);
    if (equals == i || std::ranges::find(secret, name) == std::end(secret)) continue;
    text.replace(equals + 1, i - equals - 1, hidden);
    i = equals + 1 + hidden.size();
  }
  return i;
}

}  // namespace

std::string without_passwords(std::string text) {
  constexpr std::string_view after_scheme = "://";
  for (std::size_t i = 0; (i = text.find(after_scheme, i)) != text.npos;) {
    i += after_scheme.size();
    hide_in_user(text, i);
  }
  text = hidden_without_scheme(text);
  for (auto i = text.find('?', 1); i < text.size(); i = text.find('?', i)) {
    const bool behind_name = text[i - 1] != ' ' && text[i - 1] != '\'';  // with or without a scheme
    i = behind_name ? hide_in_query(text, i) : i + 1;
  }
  return text;
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
  return without_passwords(std::move(line));
}

std::string in_quotes(std::string_view name) {
  constexpr std::size_t most = 400;
  // As many blanks as it has: they are a part of the name.
  return both_ends(without_passwords("'" + without_controls(name) + "'"), most);
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
