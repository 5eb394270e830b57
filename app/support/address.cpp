#include "app/support/address.h"

#include <strings.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <mutex>

#include "app/support/text.h"

namespace app {
namespace {

constexpr std::string_view hidden = "***", behind_scheme = "://";

// What a picture's size, rate and transport are, in the queries of cameras and of FFmpeg's protocols. Their values are shown where
// they are as short and plain as such a value is.
constexpr std::string_view harmless_keys[] = {
    "width",     "height",  "size",       "resolution", "fps",   "rate",    "framerate", "quality",     "compression",
    "channel",   "camera",  "subtype",    "format",     "codec", "profile", "mode",      "latency",     "rtsp_transport",
    "transport", "timeout", "rw_timeout", "pkt_size",   "ttl",   "reuse",   "fifo_size", "buffer_size", "overrun_nonfatal"};

// As a number, a word and a person's name are, and a token is not.
bool is_short_and_plain(std::string_view value) {
  constexpr std::size_t longest = 16;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_'; };
  return value.size() <= longest && std::ranges::all_of(value, is_plain);
}

bool is_harmless(std::string_view key, std::string_view value) {
  return is_short_and_plain(value) && std::ranges::find(harmless_keys, lower(key)) != std::end(harmless_keys);
}

bool is_number(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

// "[fe80::1%eth0]:554": a host, whose colons separate no password.
bool is_ipv6(std::string_view authority) {
  const auto end = authority.find(']');
  if (!authority.starts_with('[') || end == authority.npos) return false;
  const auto rest = authority.substr(end + 1);
  return rest.empty() || (rest.starts_with(':') && is_number(rest.substr(1)));
}

// Where the query begins, or what is behind a #. A password may have such characters, too: behind them is an @, without a value
// in between.
std::size_t query_of(std::string_view text) {
  for (auto at = text.find_first_of("?#"); at != text.npos; at = text.find_first_of("?#", at + 1)) {
    const auto behind = text.substr(at + 1), next = behind.substr(0, behind.find('@'));
    if (next.size() == behind.size() || next.find('=') != next.npos) return at;
  }
  return text.size();
}

struct UserEnd {
  std::size_t at = std::string_view::npos, colon = std::string_view::npos;  // of the @, and of what separates a password
  std::size_t password = 0;                                                 // where that begins
};

// The end of the user's name and password, in the text that follows a scheme.
UserEnd user_of(std::string_view rest) {
  const auto authority = rest.substr(0, rest.find_first_of("/?#"));
  if (is_ipv6(authority)) return {};
  UserEnd user;
  user.at = rest.substr(0, query_of(rest)).rfind('@');
  const auto port = authority.substr(std::min(authority.rfind(':'), authority.size()));
  if (user.at == rest.npos && !port.empty() && !is_number(port.substr(1))) user.at = rest.rfind('@');  // no host's port
  // Nor is it where no @ follows: a password whose end is not typed yet.
  const auto behind = authority.substr(std::min(authority.find(':'), authority.size()));
  if (user.at == rest.npos && !behind.empty() && !is_number(behind.substr(1))) user.at = authority.size();
  if (user.at == rest.npos) return user;
  const auto name = lower(rest.substr(0, user.at));
  user.colon = std::min(name.find(':'), name.find("%3a"));
  if (user.colon != rest.npos) user.password = user.colon + (name[user.colon] == ':' ? 1 : 3);
  if (user.colon == rest.npos && user.at > authority.size()) user.at = authority.rfind('@');  // not of the path
  return user;
}

// "/user=***&channel=1/live;token=***": a path may have names and values, too. What is hidden goes into `pairs`.
std::string shown_values(std::string_view path, std::vector<std::string>& pairs) {
  std::string text;
  while (!path.empty()) {
    const auto part = path.substr(0, path.find_first_of("/;&", 1));
    path.remove_prefix(part.size());
    const auto equals = part.find('=');
    const auto key = part.substr(std::min(part.find_first_not_of("/;&"), part.size()));
    const auto value = equals == part.npos ? std::string_view() : part.substr(equals + 1);
    if (value.empty() || is_harmless(key.substr(0, key.find('=')), value)) {
      text += part;
      continue;
    }
    text.append(part.substr(0, equals + 1)).append(hidden);
    if (value != hidden) pairs.emplace_back(part);
  }
  return text;
}

// "?user=***&size=2": from a ? or a # on. What is hidden goes into `pairs`.
std::string shown_query(std::string_view query, std::vector<std::string>& pairs) {
  std::string text;
  while (!query.empty()) {
    text += query.front();
    query.remove_prefix(1);
    const auto part = query.substr(0, query.find_first_of("?#&;"));
    query.remove_prefix(part.size());
    const auto equals = part.find('=');
    const auto key = part.substr(0, equals), value = equals == part.npos ? part : part.substr(equals + 1);
    if (equals != part.npos) text += std::string(key) + '=';
    if (value.empty() || (equals != part.npos && is_harmless(key, value))) {
      text += value;
      continue;
    }
    text += hidden;
    if (value != hidden) pairs.emplace_back(part);
  }
  return text;
}

// The length of "rtsp//", "http:/", "rtsp:": a scheme that is mistyped. 0: none.
std::size_t mistyped_scheme(std::string_view source) {
  for (const std::string_view scheme : {"rtsps", "rtsp", "https", "http", "rtmps", "rtmp", "srt", "udp", "tcp", "ftp"}) {
    const auto rest = source.substr(std::min(source.size(), scheme.size()));
    if (!begins_with(source, scheme) || !(rest.starts_with(':') || rest.starts_with(';') || rest.starts_with("//")))
      continue;
    return source.size() - rest.size() + std::min(rest.find_first_not_of(":;/"), rest.size());
  }
  return 0;
}

// Neither is a secret of the network's.
bool is_local_file(std::string_view scheme, std::string_view rest) {
  return lower(scheme) == "file" && (rest.starts_with('/') || begins_with(rest, "localhost/"));
}

// A user's name: it may be a token, or perhaps a host and a path.
std::string_view shown_user(std::string_view name) {
  return is_short_and_plain(name) || name.find('/') != name.npos ? name : hidden;
}

// Where the standard reads a host and a port before a path with an @: a user's name and a password that begins with digits, unless
// it looks like a host's name.
bool is_host_and_port(std::string_view host, std::string_view port) {
  return is_number(port) && (host.find('.') != host.npos || lower(host) == "localhost");
}

// Files that exist, of those whose names would not be shown.
struct NotedFiles {
  std::mutex mutex;
  std::vector<std::string> paths;

  bool have(std::string_view name) {
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(paths, [&](const std::string& path) {
      if (!path.ends_with(name)) return false;
      const auto before = path.size() - name.size();
      return before == 0 || (!name.empty() && name.front() != '/' && path[before - 1] == '/');
    });
  }
};

NotedFiles& noted_files() {
  static auto* files = new NotedFiles;  // never freed: detached threads use it until the process ends
  return *files;
}

}  // namespace

std::string_view scheme_of(std::string_view source) {
  const auto end = source.find(behind_scheme);
  if (end == source.npos || end == 0 || !std::isalpha(static_cast<unsigned char>(source[0]))) return {};
  const auto scheme = source.substr(0, end);
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '.' || c == '-'; };
  return std::ranges::all_of(scheme, fits) ? scheme : std::string_view();
}

Address::Address(std::string_view source) : connects_(source), shown_(source) {
  const auto scheme = source.find(behind_scheme);
  if (scheme != source.npos) {
    const auto end = scheme + behind_scheme.size();
    if (!is_local_file(source.substr(0, scheme), source.substr(end))) read(source.substr(0, end), source.substr(end));
  } else if (const auto mistyped = mistyped_scheme(source); mistyped > 0) {
    read(source.substr(0, mistyped), source.substr(mistyped));
  } else {
    read_file(source);
  }
  hidden_ = shown_;
  if (scheme == source.npos && shown_ != source && noted_files().have(source)) shown_ = connects_ = source;
}

// What has no scheme is a file, most likely, or "user:password@host/path". A query has a name and a value.
void Address::read_file(std::string_view source) {
  const auto query_from = [&](std::size_t from) {
    const auto at = source.find('?', from);
    return at != source.npos && source.find('=', at) != source.npos ? at : source.size();
  };
  const auto at = source.rfind('@'), colon = source.find(':');
  auto end = query_from(1);
  std::string front(source.substr(0, end));
  if (at != source.npos && colon < std::min(at, end)) {
    end = query_from(at);
    front = std::string(source.substr(0, colon + 1)).append(hidden).append(source.substr(at, end - at));
  }
  shown_ = front + shown_query(source.substr(end), pairs_);
}

// `before`: the scheme and what separates it.
void Address::read(std::string_view before, std::string_view rest) {
  const auto user = user_of(rest);
  auto behind = rest;
  if (user.colon != rest.npos) {
    const auto name = rest.substr(0, user.password), password = rest.substr(user.password, user.at - user.password);
    behind = rest.substr(user.at);
    const auto path = std::min(behind.find_first_of("/?#"), behind.size());
    front_ = std::string(before) + std::string(rest.substr(0, user.at + path));
    shown_ = std::string(before)
                 .append(shown_user(rest.substr(0, user.colon)))
                 .append(rest.substr(user.colon, user.password - user.colon))
                 .append(hidden);
    shown_front_ = std::string(shown_).append(behind.substr(0, path));
    // Where the standard reads a user, or certainly a host and port, before a /, that is what connects. Else all up to the @ is
    // the password.
    const auto first = std::min(rest.find_first_of("/?#"), rest.size());
    const auto authority = rest.substr(0, first);
    const bool slash = first < rest.size() && rest[first] == '/';
    const bool host = authority.find('@') != authority.npos ||
                      (user.colon < first &&
                       is_host_and_port(rest.substr(0, user.colon), authority.substr(std::min(user.password, first))));
    const bool fits = first > user.at || (slash && host);
    if (!fits) {
      std::string coded;
      for (const char c : password) coded += c == '/' ? "%2F" : c == '?' ? "%3F" : c == '#' ? "%23" : std::string(1, c);
      connects_ = std::string(before).append(name).append(coded).append(behind);
    }
  } else {
    const auto path = std::min(behind.find_first_of("/?#"), behind.size());
    shown_ = before;
    front_ = std::string(before).append(behind.substr(0, path));
    if (user.at < path) {
      shown_ += shown_user(rest.substr(0, user.at));
      behind = rest.substr(user.at);
    }
    shown_front_ = std::string(shown_).append(rest.substr(rest.size() - behind.size(), path + behind.size() - rest.size()));
  }
  const auto query = std::min(behind.find_first_of("?#"), behind.size());
  shown_ += shown_values(behind.substr(0, query), pairs_);
  shown_ += shown_query(behind.substr(query), pairs_);
  find_host();
}

void Address::find_host() {
  const auto scheme = scheme_of(connects_);
  if (scheme.empty()) return;
  scheme_ = lower(scheme);
  connects_.replace(0, scheme_.size(), scheme_);
  auto rest = std::string_view(connects_).substr(scheme_.size() + behind_scheme.size());
  rest = rest.substr(0, rest.find_first_of("/?#"));
  has_user_ = rest.find('@') != rest.npos;
  rest = rest.substr(rest.rfind('@') + 1);  // all of it where there is none
  const bool bracketed = rest.starts_with('[') && rest.find(']') != rest.npos;
  const auto end = std::min(bracketed ? rest.find(']') + 1 : rest.find(':'), rest.size());
  host_ = bracketed ? rest.substr(1, end - 2) : rest.substr(0, end);
  rest = rest.substr(end);
  if (rest.starts_with(':')) port_ = rest.substr(1, rest.find_first_not_of("0123456789", 1) - 1);
}

void note_file(std::string_view path) {
  constexpr std::size_t most = 1000;
  if (shown_address(path) == path) return;
  auto& files = noted_files();
  const std::lock_guard lock(files.mutex);
  if (files.paths.size() == most) files.paths.erase(files.paths.begin());
  files.paths.emplace_back(path);
}

std::string Address::hidden_in(std::string text) const {
  for (std::size_t at = 0; connects_ != shown_ && (at = text.find(connects_, at)) != text.npos; at += shown_.size())
    text.replace(at, connects_.size(), shown_);
  return text;
}

std::string with_secrets_of(std::string_view typed, std::string_view known) {
  const Address address(known);
  if (typed == address.shown_ || typed == address.hidden_) return std::string(known);
  std::string text(typed);
  const auto& front = address.shown_front_;
  const bool same_host = !front.empty() && typed.starts_with(front) &&
                         (typed.size() == front.size() || std::string_view("/?#").find(typed[front.size()]) != typed.npos);
  if (!same_host) return text;
  text.replace(0, front.size(), address.front_);
  for (const auto& pair : address.pairs_)
    if (const auto equals = pair.find('='); equals != pair.npos) {
      const auto shown = pair.substr(0, equals + 1) + std::string(hidden);
      if (const auto at = text.find(shown, address.front_.size()); at != text.npos) text.replace(at, shown.size(), pair);
    }
  return text;
}

std::string without_secrets(std::string_view line) {
  constexpr std::string_view opens = "'\"(", closes = "'\").,;:";
  std::string text;
  while (!line.empty()) {
    auto end = std::min(line.find(' '), line.size());
    // A name in quotes may have blanks in it.
    const bool quoted = line.front() == '\'' && (text.empty() || text.back() == ' ');
    for (auto close = quoted ? line.find('\'', 1) : line.npos; close != line.npos; close = line.find('\'', close + 1))
      if (close + 1 == line.size() || closes.find(line[close + 1]) != closes.npos || line[close + 1] == ' ') {
        end = close + 1;
        break;
      }
    auto word = line.substr(0, end);
    line.remove_prefix(end);
    const auto first = std::min(word.find_first_not_of(opens), word.size());
    const auto last = std::max(first, word.find_last_not_of(closes) + 1);
    text += word.substr(0, first);
    const auto name = word.substr(first, last - first);
    text += shown_address(name);
    text += word.substr(last);
    for (; line.starts_with(' '); line.remove_prefix(1)) text += ' ';
  }
  return text;
}

}  // namespace app
