// Addresses of the network. Each is parsed once, into what connects and what is shown: what is shown, logged, exported or
// offered again takes the second.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace app {

// "rtsp", of "rtsp://camera/1"; empty where the name begins with no scheme.
std::string_view scheme_of(std::string_view source);

// A file that exists: its name is shown as it is, in whole or from any of its folders on, although it may look like an address
// without a scheme (10:30 me@home.mp4). Said by whatever opens or writes one, so that to show a name asks no disk. Any thread.
void note_file(std::string_view path);

// The text of a source, which may also be a file or a camera; then both forms are that text.
class Address {
 public:
  explicit Address(std::string_view source);

  // What a library is given: the scheme in small letters, and what no address can have in a password (/ ? #) as %2F.
  const std::string& connects() const { return connects_; }
  // "rtsp://admin:***@camera/1?channel=2&token=***". Hidden are a password, which reaches from the first colon to the last @
  // before the query (where there is no @, what is no port behind the colon), a user's name that is as long as a token, and
  // the values of the path, the query and behind a #, but for those of a few names that say how it is sent (harmless_keys in
  // address.cpp). An address whose scheme is missing or mistyped has the same form.
  const std::string& shown() const { return shown_; }
  // A library's words about it: with shown() in place of connects().
  std::string hidden_in(std::string text) const;

  // The scheme of connects(), as the standard (RFC 3986) reads it. Empty: it has none.
  const std::string& scheme() const { return scheme_; }
  const std::string& host() const { return host_; }  // without the brackets of IPv6
  const std::string& port() const { return port_; }
  bool has_user() const { return has_user_; }

 private:
  friend std::string with_secrets_of(std::string_view typed, std::string_view known);
  void read(std::string_view before, std::string_view behind);
  void read_file(std::string_view source);
  void find_host();

  std::string connects_, shown_, scheme_, host_, port_;
  std::string hidden_;               // shown_, also of a file that is noted
  std::string front_, shown_front_;  // of the source, up to the path; empty of a file
  std::vector<std::string> pairs_;   // "token=secret": of the query, hidden
  bool has_user_ = false;
};

inline std::string shown_address(std::string_view source) { return Address(source).shown(); }

// A form that was shown and perhaps changed by hand, with the secrets of the source `known` where it is still the same host.
std::string with_secrets_of(std::string_view typed, std::string_view known);

// The last defence, for lines that repeat a user's or a library's words: each word, and each name in quotes, that looks like an
// address in the form that is shown. What knows its address uses that.
std::string without_secrets(std::string_view line);

}  // namespace app
