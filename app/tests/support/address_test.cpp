// What connects, what is shown, and what of an address that was shown is opened again.
#include "app/support/address.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>

namespace app {
namespace {

struct Case {
  std::string source, shown, connects;  // connects: empty: the source
};
const Case cases[] = {
    {"rtsp://camera:554/1", "rtsp://camera:554/1", ""},
    {"rtsp://admin@camera/1", "rtsp://admin@camera/1", ""},
    {"rtsp://admin:SECRET@camera:554/1", "rtsp://admin:***@camera:554/1", ""},
    {"rtsp://admin:@camera", "rtsp://admin:***@camera", ""},
    {"rtsp://:SECRET@camera/1", "rtsp://:***@camera/1", ""},
    // A password that is not typed to its end; a port is no password.
    {"rtsp://user:SECRET", "rtsp://user:***", ""},
    {"rtsp://user:SECRET/1?width=2&key=SECRET", "rtsp://user:***/1?width=2&key=***", ""},
    {"rtsp:user:SECRET", "rtsp:user:***", ""},
    {"rtsp://camera:554", "rtsp://camera:554", ""},
    {"http://camera:/a:b", "http://camera:/a:b", ""},
    {"http://admin:SEC@RET:SECRET@camera/1", "http://admin:***@camera/1", ""},
    {"http://admin:SEC%2FRET%40@camera/1", "http://admin:***@camera/1", ""},
    {"http://admin%3ASECRET@camera/1", "http://admin%3A***@camera/1", ""},
    {"http://admin:SEC RET@camera/1", "http://admin:***@camera/1", ""},
    // What no address can have there, and where the standard would read a host and a port.
    {"rtsp://user:SEC/RET@h/", "rtsp://user:***@h/", "rtsp://user:SEC%2FRET@h/"},
    {"rtsp://user:SEC?R#ET@h/1", "rtsp://user:***@h/1", "rtsp://user:SEC%3FR%23ET@h/1"},
    {"rtsp://user:S@EC:R?E#T@h:1/1?a=b", "rtsp://user:***@h:1/1?a=***", "rtsp://user:S@EC:R%3FE%23T@h:1/1?a=b"},
    {"rtsp://user:12/SECRET@127.0.0.1:9/x", "rtsp://user:***@127.0.0.1:9/x", "rtsp://user:12%2FSECRET@127.0.0.1:9/x"},
    {"rtsp://user:/SECRET@h/1", "rtsp://user:***@h/1", "rtsp://user:%2FSECRET@h/1"},
    {"http://192.168.1.5:80/front@SECRET@h", "http://192.168.1.5:***@h", ""},  // a host, its port and a path
    {"http://localhost:80/front@h", "http://localhost:***@h", ""},
    {"rtsp://user:12?SECRET@h/1", "rtsp://user:***@h/1", "rtsp://user:12%3FSECRET@h/1"},
    {"rtsp://user:SEC?RET=1@h/1", "rtsp://user:***@h/1", "rtsp://user:SEC%3FRET=1@h/1"},
    {"rtsp://user:SEC@R?ET@h/1?key=SE@C:R?E#T", "rtsp://user:***@h/1?key=***?***#***",
     "rtsp://user:SEC@R%3FET@h/1?key=SE@C:R?E#T"},
    {"http://h/?SECRET@SECRET", "http://h/?***", ""},
    {"rtsp://user:SEC@RET/SECRET@h/1", "rtsp://user:***@h/1", ""},
    {"rtsp://user:12/SECRET@h/1", "rtsp://user:***@h/1", "rtsp://user:12%2FSECRET@h/1"},
    {"http://host/a/SECRET:SECRET@h", "http://host/a/SECRET:***@h", ""},  // perhaps a path
    {"http://camera/a@b:c", "http://camera/a@b:c", ""},
    {"http://user:SECRET@[fe80::1%25eth0]:80/x", "http://user:***@[fe80::1%25eth0]:80/x", ""},
    {"http://[fe80::1]:80/a@b", "http://[fe80::1]:80/a@b", ""},
    {"HTTP://user:SECRET@Host/A", "HTTP://user:***@Host/A", "http://user:SECRET@Host/A"},
    {"http://h/clip.mp4?apikey=SECRET", "http://h/clip.mp4?apikey=***", ""},
    {"http://h/clip.mp4?Key=SECRET&sig=SECRET;signature=SECRET&X-Amz-Credential=SECRET",
     "http://h/clip.mp4?Key=***&sig=***;signature=***&X-Amz-Credential=***", ""},
    {"http://h/?SECRET", "http://h/?***", ""},
    {"http://h/?a=&b=SECRET?SECRET", "http://h/?a=&b=***?***", ""},
    {"http://h/v.cgi?width=640&Resolution=640x480&fps=29.97&user=SECRET",
     "http://h/v.cgi?width=640&Resolution=640x480&fps=29.97&user=***", ""},
    {"http://h/v.cgi?width=SECRETSECRETSECRET", "http://h/v.cgi?width=***", ""},
    {"http://h/v.cgi?width=SEC/RET", "http://h/v.cgi?width=***", ""},
    {"http://h/v.cgi?%77idth=SECRET", "http://h/v.cgi?%77idth=***", ""},
    {"http://h:80/a?mail=SECRET@SECRET", "http://h:80/a?mail=***", ""},
    {"http://h/a#access_token=SECRET", "http://h/a#access_token=***", ""},
    {"http://u:SECRET@h/a?token=SECRET#SECRET", "http://u:***@h/a?token=***#***", ""},
    {"srt://h:9000?mode=caller&passphrase=SECRET&latency=200", "srt://h:9000?mode=caller&passphrase=***&latency=200", ""},
    // A token in place of a user, and values in the path.
    {"https://SECRETSECRETSECRET@h/a", "https://***@h/a", ""},
    {"https://SECRETSECRETSECRET@h?a=SECRET", "https://***@h?a=***", ""},
    {"https://SECRETSECRETSECRET:SECRET@h:80/a", "https://***:***@h:80/a", ""},
    {"https://SECRETSECRETSECRET:@h", "https://***:***@h", ""},
    {"rtsp://h:554/user=SECRET&password=SECRET&channel=1&stream=0.sdp?SECRET",
     "rtsp://h:554/user=***&password=***&channel=1&stream=***?***", ""},
    {"rtsp://h/user=admin_password=SECRET_channel=1", "rtsp://h/user=***", ""},
    {"http://u:SECRET@h/a;jsessionid=SECRET;width=64/b;v=SECRET", "http://u:***@h/a;jsessionid=***;width=64/b;v=***", ""},
    {"http://h;token=SECRET/a", "http://h;token=***/a", ""},
    {"cache:http://u:SECRET@h/a?k=SECRET", "cache:http://u:***@h/a?k=***", ""},
    // Mistyped, or without a scheme.
    {"rtsp//admin:SEC@RE/T?SECRET#1@camera:554/1", "rtsp//admin:***@camera:554/1", ""},
    {"rtsp:/admin:SECRET@camera", "rtsp:/admin:***@camera", ""},
    {"rtsp;//admin:SEC RET@camera", "rtsp;//admin:***@camera", ""},
    {"rtsp:admin:SECRET@camera", "rtsp:admin:***@camera", ""},
    {"srt:h:9000?passphrase=SECRET", "srt:h:9000?passphrase=***", ""},
    {"admin:SECRET@camera:554/1", "admin:***@camera:554/1", ""},
    {"//admin:SECRET@camera/1", "//admin:***@camera/1", ""},
    {"admin:SEC/RET@127.0.0.1/stream", "admin:***@127.0.0.1/stream", ""},
    {"/home/me/admin:SEC/RE:T/SEC@RET@127.0.0.1/stream", "/home/me/admin:***@127.0.0.1/stream", ""},
    {"admin:SEC?RET@camera/1?pwd=SECRET", "admin:***@camera/1?pwd=***", ""},
    {"admin:SEC?RE=T@camera/1?size=2&pwd=SECRET", "admin:***@camera/1?size=2&pwd=***", ""},
    {"/home/me/rtsp:/admin:SEC@RET?SECRET@camera/1", "/home/me/rtsp:***@camera/1", ""},
    {"camera/video.cgi?pwd=SE:CRET@SECRET&size=2", "camera/video.cgi?pwd=***&size=2", ""},
    {"camera/video.cgi?pwd=SECRET&size=2", "camera/video.cgi?pwd=***&size=2", ""},
    {"file://user:SECRET@host/a.mp4", "file://user:***@host/a.mp4", ""},
    // Files and the like stay as they are.
    {"file:///home/me/a:b@c.mp4?d=e", "file:///home/me/a:b@c.mp4?d=e", ""},
    {"/home/me/12/me@home.mp4", "/home/me/12/me@home.mp4", ""},
    {"what?.mp4", "what?.mp4", ""},
    {"matrix:8x8", "matrix:8x8", ""},
    {"0", "0", ""},
    {"", "", ""},
    {"://", "://", ""},
    {"nonsense://", "nonsense://", ""},
};

TEST(AddressTest, WhatIsShownHasNoSecretsAndWhatConnectsHasThem) {
  for (const auto& [source, as_shown, connects] : cases) {
    const Address address(source);
    EXPECT_EQ(address.shown(), as_shown) << source;
    EXPECT_EQ(address.connects(), connects.empty() ? source : connects);
    EXPECT_EQ(address.shown().find("SECRET"), source == "http://host/a/SECRET:SECRET@h" ? 14u : std::string::npos) << source;
    EXPECT_EQ(shown_address(as_shown), as_shown) << "once more";
    EXPECT_EQ(with_secrets_of(as_shown, source), source);
    EXPECT_EQ(address.hidden_in("x " + address.connects() + ": and " + address.connects()),
              "x " + as_shown + ": and " + as_shown);
  }
}

TEST(AddressTest, TheManualListsTheValuesThatAreShown) {
  std::ifstream file("app/README.md");
  const std::string manual(std::istreambuf_iterator<char>(file), {});
  const auto begin = manual.find("short ones of `width`"), end = manual.find('.', begin);
  ASSERT_NE(begin, std::string::npos);
  int words = 0;
  for (auto at = manual.find('`', begin); at < end; at = manual.find('`', at + 1), ++words) {
    const auto close = manual.find('`', at + 1);
    const auto address = "http://h/?" + manual.substr(at + 1, close - at - 1) + "=1x-2.5";
    EXPECT_EQ(shown_address(address), address);
    at = close;
  }
  EXPECT_EQ(words, 27);
}

// A file that looks like an address without a scheme, before and after it is known to exist.
TEST(AddressTest, AFileThatExistsIsShownAsItIs) {
  const std::string folder = "/films/of me@home:1/";
  for (const std::string name : {"10:30 me@home.mp4", "clip?v=1.mp4", "12:30/me@home.mp4", "rtsp:a:b@c.mp4"}) {
    const auto hidden = shown_address(name);
    EXPECT_NE(hidden, name);
    EXPECT_NE(without_secrets("no '" + name + "'"), "no '" + name + "'");
    note_file(folder + name);
    note_file(folder + name);
    for (const auto& known : {name, folder + name}) {
      const Address address(known);
      EXPECT_EQ(address.shown(), known);
      EXPECT_EQ(address.connects(), known);
      EXPECT_EQ(without_secrets("no '" + known + "'"), "no '" + known + "'");
      EXPECT_EQ(with_secrets_of(known, known), known);
    }
    EXPECT_EQ(with_secrets_of(hidden, name), name) << "a form that was shown before";
    for (const auto& other : {'x' + name, name + 'x', "/" + name, "other/" + name}) EXPECT_NE(shown_address(other), other);
  }
  EXPECT_EQ(shown_address("admin:SECRET@camera:554/1"), "admin:***@camera:554/1");
}

// The lines repeat what a user typed.
TEST(AddressTest, ALineHidesWhatLooksLikeAnAddress) {
  for (const auto& [source, as_shown, connects] : cases) {
    const auto line = [](const std::string& name) { return "lost '" + name + "': see it, or c@d"; };
    EXPECT_EQ(without_secrets(line(source)), line(as_shown));
    if (source.find(' ') == source.npos) {
      EXPECT_EQ(without_secrets("no " + source + ", 12:30  (3)"), "no " + as_shown + ", 12:30  (3)");
    }
  }
  for (const std::string line :
       {"me@home: 12:30", "12%: 'clip.mp4' ?pwd=1", "at 12:30 me@home", "", " ", "'", "it's 3:1 'a b' c@d?"})
    EXPECT_EQ(without_secrets(line), line);
}

TEST(AddressTest, TheHostIsThatOfWhatConnects) {
  const auto host = [](const char* source) {
    const Address address(source);
    return address.scheme() + ' ' + address.host() + ' ' + address.port() + (address.has_user() ? " user" : "");
  };
  const std::pair<const char*, const char*> hosts[] = {{"RTSP://u:p/w@cam:554/1?a=b", "rtsp cam 554 user"},
                                                       {"rtsp://u:p@ss:w?rd#1@cam:554", "rtsp cam 554 user"},
                                                       {"rtsp://u:p@cam/a@b", "rtsp cam  user"},
                                                       {"http://[fe80::1]:8080/", "http fe80::1 8080"},
                                                       {"http://cam?x=1", "http cam "},
                                                       {"http://cam/a@b", "http cam "},
                                                       {"clip.mp4", "  "}};
  for (const auto& [source, says] : hosts) EXPECT_EQ(host(source), says) << source;
}

TEST(AddressTest, AShownAddressThatIsEditedKeepsItsSecretsForTheSameHostOnly) {
  const std::string known = "rtsp://u:SECRET@cam/1?token=TOKEN&size=2", as_shown = shown_address(known);
  EXPECT_EQ(with_secrets_of("rtsp://u:***@cam/2?token=***&size=4", known), "rtsp://u:SECRET@cam/2?token=TOKEN&size=4");
  EXPECT_EQ(with_secrets_of("rtsp://u:***@cam/2", known), "rtsp://u:SECRET@cam/2");
  EXPECT_EQ(with_secrets_of("http://h/b?token=***", "http://h/a?token=TOKEN"), "http://h/b?token=TOKEN");
  EXPECT_EQ(with_secrets_of("http://hh/b?token=***", "http://h/a?token=TOKEN"), "http://hh/b?token=***");
  for (const std::string other :
       {"rtsp://u:***@camera/1?token=***", "rtsp://v:***@cam/1", "http://u:***@cam/1", "rtsp://u:new@cam/1", "clip.mp4", ""})
    EXPECT_EQ(with_secrets_of(other, known), other);
}

// Random texts: never an exception, no secret between the first colon and the last @, and the shown form is stable.
TEST(AddressTest, AnyTextIsParsed) {
  std::uint32_t state = 12345;
  const auto next = [&](std::size_t below) { return (state = state * 1664525u + 1013904223u) / 65536 % below; };
  constexpr std::string_view parts[] = {"://", "http", "rtsp", "a", ":", "@", "/",     "?",   "#",    "&", "=",
                                        "[",   "]",    "%3a",  "%", "'", " ", "file:", "***", "\xff", ";", "h"};
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto count = next(14); count > 0; --count) text += parts[next(std::size(parts))];
    const auto once = shown_address(text);
    EXPECT_EQ(shown_address(once), once) << text;
    EXPECT_NO_THROW(without_secrets(text)) << text;
    EXPECT_NO_THROW(with_secrets_of(once, text)) << text;
  }
}

}  // namespace
}  // namespace app
