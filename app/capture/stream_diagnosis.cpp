#include "app/capture/stream_diagnosis.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "app/capture/local_file.h"

namespace app::capture {
namespace {

constexpr int connect_ms = 1000;

struct Protocol {
  const char *name, *port;
};
constexpr std::array over_tcp{Protocol{"http", "80"},   Protocol{"https", "443"}, Protocol{"rtsp", "554"},
                              Protocol{"rtsps", "322"}, Protocol{"rtmp", "1935"}, Protocol{"rtmps", "443"},
                              Protocol{"ftp", "21"},    Protocol{"tcp", ""},      Protocol{"tls", ""}};
constexpr std::array without_connection{"udp", "rtp", "srt", "file", "srtp", "rist"};

struct Address {
  std::string protocol, host, port;
  bool has_user = false;
};

// scheme://[user@]host[:port][/...]; nothing where it is no such address. Cameras' passwords may hold any character but '/'.
Address parse(std::string_view url) {
  const auto scheme = scheme_of(url);
  if (scheme.empty()) return {};
  auto rest = url.substr(scheme.size() + 3);
  rest = rest.substr(0, rest.find('/'));
  const bool has_user = rest.find('@') != rest.npos;
  rest = rest.substr(rest.rfind('@') + 1);  // all of it where there is none
  const bool bracketed = rest.starts_with('[') && rest.find(']') != rest.npos;
  const auto host_end = std::min(bracketed ? rest.find(']') + 1 : rest.find_first_of(":?#"), rest.size());
  const auto host = bracketed ? rest.substr(1, host_end - 2) : rest.substr(0, host_end);
  rest = rest.substr(host_end);
  const auto port = rest.starts_with(':') ? rest.substr(1, rest.find_first_not_of("0123456789", 1) - 1) : std::string_view();
  return {std::string(scheme), std::string(host), std::string(port), has_user};
}

using Addresses = std::unique_ptr<addrinfo, decltype([](addrinfo* first) { freeaddrinfo(first); })>;

Addresses look_up(const Address& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  return Addresses(getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found) == 0 ? found : nullptr);
}

// A connected socket that does not block; or -1, with the errno of the try.
int connected_to(const addrinfo& there, int patience_ms, int& error) {
  const int socket = ::socket(there.ai_family, there.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, there.ai_protocol);
  error = socket < 0 || ::connect(socket, there.ai_addr, there.ai_addrlen) != 0 ? errno : 0;
  if (socket >= 0 && error == EINPROGRESS) {
    pollfd wait{socket, POLLOUT, 0};
    socklen_t size = sizeof error;
    if (poll(&wait, 1, patience_ms) == 1)
      getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    else
      error = ETIMEDOUT;
  }
  if (error == 0 || socket < 0) return socket;
  close(socket);
  return -1;
}

// The same to one address after the other; `error` as connect_to_any() returns it.
int connected_to_any(const addrinfo* addresses, int& error) {
  int count = 0, result = 0;
  for (const auto* address = addresses; address; address = address->ai_next) ++count;
  for (const auto* address = addresses; address; address = address->ai_next) {
    const int socket = connected_to(*address, connect_ms / count, error);
    if (socket >= 0) return socket;
    if (result != ECONNREFUSED) result = error;
  }
  error = result;
  return -1;
}

// The beginning of what a server answers, in lower case, as far as it comes within a moment.
std::string answer_to(int socket, const std::string& request) {
  constexpr std::size_t most = 8192;
  constexpr auto patience = std::chrono::milliseconds(500);
  const auto end = std::chrono::steady_clock::now() + patience;
  const auto left_ms = [end] {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    return static_cast<int>(std::max(left.count(), std::chrono::milliseconds::rep{0}));
  };
  std::string answer;
  if (::send(socket, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return answer;
  pollfd wait{socket, POLLIN, 0};
  while (answer.size() < most && answer.find("\r\n\r\n") == answer.npos && poll(&wait, 1, left_ms()) == 1) {
    char part[1024];
    const auto size = ::recv(socket, part, sizeof part, 0);
    if (size <= 0) break;
    answer.append(part, static_cast<std::size_t>(size));
  }
  std::ranges::transform(answer, answer.begin(), [](unsigned char c) { return std::tolower(c); });
  return answer;
}

bool is_port(const std::string& digits) {
  const auto number = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  return !number.empty() && number.size() <= 5 && std::stoi(number) <= 65535;
}

// The head of what an HTTP server answers; empty where it cannot be reached, or says nothing in time.
std::string head_of(const std::string& url, const Address& address, const addrinfo* found, int& error) {
  const auto path = url.find('/', url.find("://") + 3);
  const auto target = path == url.npos ? "/" : url.substr(path, url.find('#', path) - path);
  const int socket = connected_to_any(found, error);
  if (socket < 0) return {};
  const auto answer = answer_to(socket,
                                "GET " + target + " HTTP/1.0\r\nHost: " + address.host + ":" + address.port + "\r\n\r\n");
  close(socket);
  return answer.substr(0, answer.find("\r\n\r\n"));
}

// What is wrong by the head's status. The request has no name and password: where the address has them, a refusal says nothing.
std::string why_no_video(const std::string& head, const Address& address) {
  const auto space = head.find(' ');
  const auto status = head.starts_with("http/") && space != head.npos ? head.substr(space + 1, 3) : std::string();
  const bool known = status.size() == 3 && status.find_first_not_of("0123456789") == status.npos;
  const auto answers = "answers with the status " + status;
  if ((status == "401" || status == "403") && !address.has_user)
    return answers + ": it does not admit everybody; give a name and a password, as in " + address.protocol +
           "://NAME:PASSWORD@" + address.host;
  if (status == "404" || status == "410") return answers + ": it has nothing at this path; check the path";
  if (known && status.starts_with('5'))
    return answers + ": something is wrong on the server; try again later, or restart the camera";
  return "answers, but sends no video; check the path; it may need a name and a password";
}

std::string why_no_connection(const std::string& url, const Address& address) {
  if (!address.port.empty() && !is_port(address.port))
    return "could not be opened: " + address.port + " is not a valid port: it must be 1 to 65535";
  const auto found = look_up(address);
  if (!found) return "could not be opened: no host is called '" + address.host + "'; check the address and the network";
  int error = 0;
  std::string head;
  if (address.protocol == "http")
    head = head_of(url, address, found.get(), error);
  else
    error = connect_to_any(found.get());
  switch (error) {
    case 0: return why_no_video(head, address);
    case ECONNREFUSED:
      return "could not be opened: nothing listens on port " + address.port + " of " + address.host +
             "; check the port, and that the camera is on";
    default: return "could not be opened: " + address.host + " cannot be reached; check the address and the network";
  }
}

}  // namespace

int connect_to_any(const addrinfo* addresses) {
  int error = 0;
  if (const int socket = connected_to_any(addresses, error); socket >= 0) close(socket);
  return error;
}

bool serves_image(const std::string& url) {
  auto address = parse(url);
  if (address.protocol != "http") return false;
  if (address.port.empty()) address.port = "80";
  const auto found = look_up(address);
  int error = 0;
  const auto head = head_of(url, address, found.get(), error);
  constexpr std::string_view name = "\r\ncontent-type:";
  const auto at = head.find(name);
  const auto type = at == head.npos ? head.npos : head.find_first_not_of(' ', at + name.size());
  return type != head.npos && head.compare(type, 6, "image/") == 0;
}

std::string why_stream_failed(const std::string& url) {
  auto address = parse(url);
  for (const auto& protocol : over_tcp) {
    if (address.protocol != protocol.name) continue;
    if (address.port.empty()) address.port = protocol.port;
    return why_no_connection(url, address);
  }
  for (const std::string_view protocol : without_connection)
    if (address.protocol == protocol) return "delivered no video; check the address, and that somebody sends to it";
  return "could not be opened: '" + address.protocol + "' is no protocol of streams; use http, https, rtsp, rtmp or udp";
}

}  // namespace app::capture
