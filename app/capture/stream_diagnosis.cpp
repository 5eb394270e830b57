#include "app/capture/stream_diagnosis.h"

#include <netdb.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
}

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/support/address.h"
#include "app/support/text.h"

namespace app::capture {
namespace {

struct Protocol {
  const char *name, *port;
};
constexpr std::array over_tcp{Protocol{"http", "80"},   Protocol{"https", "443"}, Protocol{"rtsp", "554"},
                              Protocol{"rtsps", "322"}, Protocol{"rtmp", "1935"}, Protocol{"rtmps", "443"},
                              Protocol{"ftp", "21"},    Protocol{"tcp", ""},      Protocol{"tls", ""}};
constexpr std::array without_connection{"udp", "rtp", "srt", "file", "srtp", "rist"};

bool is_port(const std::string& digits) {
  const auto number = digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
  return !number.empty() && number.size() <= 5 && std::stoi(number) <= 65535;
}

bool is_known(const std::string& host) {
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, nullptr, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

std::string why_no_connection(const Address& address, const std::string& port, int error) {
  const auto& host = address.host();
  if (!port.empty() && !is_port(port)) return "could not be opened: " + port + " is not a valid port: it must be 1 to 65535";
  switch (error) {
    case AVERROR(ECONNREFUSED):
      return "could not be opened: nothing listens on port " + port + " of " + host +
             "; check the port, and that the camera is on";
    case AVERROR(ETIMEDOUT):
    case AVERROR(EHOSTUNREACH):
    case AVERROR(ENETUNREACH):
      return "could not be opened: " + host + " cannot be reached; check the address and the network";
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN:
      if (address.has_user()) return "refuses this name and password; check them";
      return "requires authentication; write NAME:PASSWORD and @ in front of '" + host + ':' + port + "'";
    case AVERROR_HTTP_NOT_FOUND: return "answers that it has nothing at this path; check the path";
    case AVERROR_HTTP_SERVER_ERROR:
      return "answers that something is wrong on the server; try again later, or restart the camera";
    default: break;
  }
  // The error of a host that has no address is that of anything that cannot be read.
  if (error == AVERROR(EIO) && !is_known(host))
    return "could not be opened: no host is called '" + host + "'; check the address and the network";
  return "answers, but sends no video; check the path; it may need a name and a password";
}

}  // namespace

bool sends_image(AVIOContext* server) {
  std::uint8_t* type = nullptr;
  if (!server || av_opt_get(server, "mime_type", AV_OPT_SEARCH_CHILDREN, &type) < 0 || !type) return false;
  const bool image = lower(reinterpret_cast<const char*>(type)).starts_with("image/");
  av_free(type);
  return image;
}

bool names_picture(const std::string& url) {
  constexpr std::string_view endings[]{"png", "jpg", "jpeg", "jpe", "bmp", "dib", "tif", "tiff", "webp", "pgm",
                                       "ppm", "pbm", "pnm",  "pfm", "exr", "hdr", "jp2", "sr",   "ras"};
  const auto path = url.substr(0, url.find_first_of("?#"));
  return std::ranges::find(endings, lower(path.substr(path.rfind('.') + 1))) != std::end(endings);
}

SentPicture picture_from(const Request& request, const std::string& url, const std::stop_token& stop,
                         const std::function<void(std::size_t bytes)>& received, SendingTime time) {
  using Clock = std::chrono::steady_clock;
  if (!url.starts_with("http")) return {};
  struct Limits {
    const std::stop_token& stop;
    Clock::time_point silent, whole;
  } limits{stop, Clock::now() + time.silent, Clock::now() + time.whole};
  const AVIOInterruptCB interrupt{[](void* self) {
                                    const auto& [asked, silent, whole] = *static_cast<const Limits*>(self);
                                    return asked.stop_requested() || Clock::now() > std::min(silent, whole) ? 1 : 0;
                                  },
                                  &limits};
  AVIOContext* opened = nullptr;
  if (avio_open2(&opened, url.c_str(), AVIO_FLAG_READ, &interrupt, nullptr) < 0) return {};
  const std::unique_ptr<AVIOContext, decltype([](AVIOContext* context) { avio_close(context); })> server(opened);
  if (!sends_image(opened)) return {};
  SentPicture sent{std::make_unique<MemoryFile>(), static_cast<std::size_t>(std::max<std::int64_t>(0, avio_size(opened)))};
  std::string part(std::size_t{1} << 16, '\0');
  bool checked = false;
  int size = 0;
  while ((size = avio_read_partial(opened, reinterpret_cast<unsigned char*>(part.data()), 1 << 16)) > 0) {
    limits.silent = Clock::now() + time.silent;
    sent.file->append(std::string_view(part).substr(0, static_cast<std::size_t>(size)));
    if (received) received(sent.file->size());
    // Until its header has come, what there is; that is short, if it is a picture.
    if (!checked) checked = check_received(request, *sent.file);
    const auto kept = std::max(sent.file->size(), sent.announced);
    check_memory(static_cast<double>(kept), request.memory, describe_source(request), counted(kept, "byte"));
  }
  sent.late = size == AVERROR_EXIT && Clock::now() > limits.whole;
  if (stop.stop_requested()) return {};
  return sent;
}

std::string why_stream_failed(const std::string& url, int error) {
  const Address address(url);
  for (const auto& protocol : over_tcp)
    if (address.scheme() == protocol.name)
      return why_no_connection(address, address.port().empty() ? protocol.port : address.port(), error);
  for (const std::string_view protocol : without_connection)
    if (address.scheme() == protocol) return "delivered no video; check the address, and that a sender is running";
  return "could not be opened: '" + address.scheme() + "' is not a protocol of streams; use http, https, rtsp, rtmp or udp";
}

}  // namespace app::capture
