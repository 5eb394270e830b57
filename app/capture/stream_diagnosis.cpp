#include "app/capture/stream_diagnosis.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/address.h"
#include "app/support/text.h"

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

// Where an address leads; with the usual port where the caller adds it.
struct Server {
  explicit Server(const Address& address)
      : protocol(address.scheme()), host(address.host()), port(address.port()), has_user(address.has_user()) {}
  std::string protocol, host, port;
  bool has_user;
};

using Addresses = std::unique_ptr<addrinfo, decltype([](addrinfo* first) { freeaddrinfo(first); })>;

Addresses look_up(const Server& address) {
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
  constexpr auto patience = std::chrono::seconds(2);
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
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) break;
    answer.append(part, static_cast<std::size_t>(size));
  }
  return lower(answer);
}

bool is_port(const std::string& digits) {
  const auto number = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  return !number.empty() && number.size() <= 5 && std::stoi(number) <= 65535;
}

std::string request_for(const std::string& url, const Server& address) {
  const auto path = url.find('/', url.find("://") + 3);
  const auto target = path == url.npos ? "/" : url.substr(path, url.find('#', path) - path);
  return "GET " + target + " HTTP/1.0\r\nHost: " + address.host + ":" + address.port + "\r\n\r\n";
}

// The head of what an HTTP server answers; empty where it cannot be reached, or says nothing in time.
std::string head_of(const std::string& url, const Server& address, const addrinfo* found, int& error) {
  const int socket = connected_to_any(found, error);
  if (socket < 0) return {};
  const auto answer = answer_to(socket, request_for(url, address));
  close(socket);
  return answer.substr(0, answer.find("\r\n\r\n"));
}

// "404"; empty if `head` is not the head of an answer.
std::string status_of(std::string_view head) {
  const auto space = head.find(' ');
  return std::string(head.starts_with("http/") && space != head.npos ? head.substr(space + 1, 3) : std::string_view());
}
// The value of the field `name` in a head, in lower case; empty: there is none.
std::string header(std::string_view head, const std::string& name) {
  const auto line = head.find("\r\n" + name + ":");
  if (line == head.npos) return {};
  const auto value = head.substr(line + name.size() + 3), text = value.substr(0, value.find("\r\n"));
  return std::string(text.substr(std::min(text.find_first_not_of(' '), text.size())));
}
bool sends_image(std::string_view head) { return header(head, "content-type").starts_with("image/"); }

// Whether a head announces the bytes of a picture as they are, without a coding that has to be undone.
bool is_whole_picture(std::string_view head) {
  return status_of(head) == "200" && sends_image(head) && header(head, "transfer-encoding").empty() &&
         header(head, "content-encoding").empty();
}
// As the head announces it; else 0.
std::size_t length_of(std::string_view head) {
  const auto digits = header(head, "content-length");
  const bool known = !digits.empty() && digits.size() < 12 && digits.find_first_not_of("0123456789") == digits.npos;
  return known ? std::stoul(digits) : 0;
}

// What is wrong by the head's status. The request has no name and password: where the address has them, a refusal says nothing.
std::string why_no_video(const std::string& head, const Server& address) {
  const auto status = status_of(head);
  const bool known = status.size() == 3 && status.find_first_not_of("0123456789") == status.npos;
  const auto answers = "answers with the status " + status;
  if ((status == "401" || status == "403") && !address.has_user)
    return answers + ": authentication required; write NAME:PASSWORD and @ in front of '" + address.host + ':' +
           address.port + "'";
  if (status == "404" || status == "410") return answers + ": it has nothing at this path; check the path";
  if (known && status.starts_with('5'))
    return answers + ": something is wrong on the server; try again later, or restart the camera";
  return "answers, but sends no video; check the path; it may need a name and a password";
}

std::string why_no_connection(const std::string& url, const Server& address) {
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
  Server address{Address(url)};
  if (address.protocol != "http") return false;
  if (address.port.empty()) address.port = "80";
  const auto found = look_up(address);
  int error = 0;
  return sends_image(head_of(url, address, found.get(), error));
}

bool names_picture(const std::string& url) {
  constexpr std::string_view endings[]{"png", "jpg", "jpeg", "jpe", "bmp", "dib", "tif", "tiff", "webp", "pgm",
                                       "ppm", "pbm", "pnm",  "pfm", "exr", "hdr", "jp2", "sr",   "ras"};
  const auto path = url.substr(0, url.find_first_of("?#"));
  return std::ranges::find(endings, lower(path.substr(path.rfind('.') + 1))) != std::end(endings);
}

namespace {

// The bytes that a server answers with, as they come: the head is taken off, the rest goes to a file in memory.
class PictureReceiver {
 public:
  explicit PictureReceiver(const Request& request) : request_(request) {}

  // False: no more is wanted.
  bool add(std::string_view bytes) {
    if (!sent_.file) {
      head_ += bytes;
      const auto end = head_.find("\r\n\r\n");
      if (end == head_.npos) return head_.size() < longest_head;
      const auto head = lower(head_.substr(0, end));
      if (!is_whole_picture(head)) return false;
      sent_.announced = length_of(head);
      sent_.file = std::make_unique<MemoryFile>();
      return add(std::string_view(head_).substr(end + 4));
    }
    sent_.file->append(bytes);
    // Until its header has come, what there is; that is short, if it is a picture.
    if (!checked_) checked_ = check_received(request_, *sent_.file);
    const auto kept = std::max(sent_.file->size(), sent_.announced);
    check_memory(static_cast<double>(kept), request_.memory, describe_source(request_), counted(kept, "byte"));
    return sent_.announced == 0 || sent_.file->size() < sent_.announced;
  }
  SentPicture take() { return std::move(sent_); }
  SentPicture& sent() { return sent_; }

 private:
  static constexpr std::size_t longest_head = 8192;
  const Request& request_;
  std::string head_;
  SentPicture sent_;
  bool checked_ = false;
};

struct Closed {
  int socket;
  ~Closed() { close(socket); }
};

}  // namespace

SentPicture picture_from(const Request& request, const std::string& url, const std::stop_token& stop,
                         const std::function<void(std::size_t bytes)>& received, SendingTime time) {
  using Clock = std::chrono::steady_clock;
  Server address{Address(url)};
  if (address.protocol != "http" || address.has_user) return {};
  if (address.port.empty()) address.port = "80";
  const auto found = look_up(address);
  int error = 0;
  const int socket = connected_to_any(found.get(), error);
  if (socket < 0) return {};
  const Closed closed{socket};
  const auto question = request_for(url, address);
  ::send(socket, question.data(), question.size(), MSG_NOSIGNAL);
  PictureReceiver receiver(request);
  std::string part(std::size_t{1} << 16, '\0');
  std::size_t bytes = 0;
  const auto start = Clock::now();
  for (auto last = start; Clock::now() - last < time.silent && !stop.stop_requested();) {
    if (Clock::now() - start > time.whole) {
      receiver.sent().late = receiver.sent().file != nullptr;
      break;
    }
    pollfd wait{socket, POLLIN, 0};
    if (poll(&wait, 1, 100) != 1) continue;
    const auto size = ::recv(socket, part.data(), part.size(), 0);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size <= 0) break;
    last = Clock::now();
    if (received) received(bytes += static_cast<std::size_t>(size));
    if (!receiver.add(std::string_view(part).substr(0, static_cast<std::size_t>(size)))) break;
  }
  if (stop.stop_requested()) return {};
  return receiver.take();
}

std::string why_stream_failed(const std::string& url) {
  Server address{Address(url)};
  for (const auto& protocol : over_tcp) {
    if (address.protocol != protocol.name) continue;
    if (address.port.empty()) address.port = protocol.port;
    return why_no_connection(url, address);
  }
  for (const std::string_view protocol : without_connection)
    if (address.protocol == protocol) return "delivered no video; check the address, and that a sender is running";
  return "could not be opened: '" + address.protocol + "' is not a protocol of streams; use http, https, rtsp, rtmp or udp";
}

}  // namespace app::capture
