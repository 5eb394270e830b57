// Streams over a real network interface, the loopback one.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/capture.h"
#include "app/capture/image_file.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/capture/stream_diagnosis.h"
#include "app/capture/video.h"
#include "app/support/address.h"
#include "app/support/text.h"
#include "app/tests/capture/fake_source.h"
#include "app/tests/capture/http_camera.h"
#include "app/tests/support/temporary_folder.h"
#include "gpu/tests/refusal.h"

namespace app::capture {
namespace {

using Phase = Status::Phase;
using namespace std::chrono_literals;

Status wait_for_end(Capture& capture) {
  for (int wait = 0; wait < 3000; ++wait) {
    const Status status = capture.status();
    if (status.phase == Phase::failed || status.phase == Phase::ended) return status;
    capture.take(10ms);
  }
  return capture.status();
}

std::string url_of(const FileServer& server, const std::string& path) {
  return "http://127.0.0.1:" + std::to_string(server.port()) + path;
}
std::string encoded_image(const std::string& ending, const cv::Mat& picture = cv::Mat(48, 64, CV_8UC3, {10, 20, 30})) {
  std::vector<std::uint8_t> bytes;
  cv::imencode(ending, picture, bytes);
  return {bytes.begin(), bytes.end()};
}

TEST(VideoStreamTest, AnHttpCameraPlaysAndItsEndIsReported) {
  HttpCamera camera;
  if (!camera.started()) GTEST_SKIP() << "ffmpeg is not installed";
  ASSERT_TRUE(camera.wait_until_it_listens());
  testing::internal::CaptureStderr();
  Capture capture({.source = camera.url()});
  std::uint64_t last = 0;
  for (int taken = 0; taken < 20; ++taken) {
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(frame->size, (gpu::Size{320, 240}));
    EXPECT_GE(frame->sequence, last + (taken > 0));
    last = frame->sequence;
  }
  Status status = capture.status();
  EXPECT_EQ(status.phase, Phase::playing);
  EXPECT_EQ(status.kind, SourceKind::video);
  EXPECT_EQ(status.length, 0);
  EXPECT_EQ(status.description, camera.url() + ", 320x240") << "no rate is stated: OpenCV guesses one";
  EXPECT_EQ(status.fps, 0);
  EXPECT_TRUE(status.live);

  camera.unplug();
  status = wait_for_end(capture);
  EXPECT_EQ(status.phase, Phase::failed);
  EXPECT_EQ(status.message, "'" + camera.url() + "' stopped sending frames; check the camera or its network");
  EXPECT_GE(status.delivered, 20u);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(VideoStreamTest, AnImageWhoseAddressIsNotCalledSoEndsAsAFileDoes) {
  const auto status_of = [](const std::string& ending, const std::string& type) {
    const FileServer server(type, encoded_image(ending));
    Capture capture({.source = url_of(server, "/image"), .loop = true, .retry = type.starts_with("image/")});
    const Frame* frame = capture.take(20s);
    EXPECT_TRUE(frame && frame->size == (gpu::Size{64, 48})) << capture.status().message;
    return wait_for_end(capture);
  };
  for (const auto& [ending, type] : {std::pair(".png", "image/png"), {".jpg", "image/jpeg"}}) {
    const auto status = status_of(ending, type);
    EXPECT_EQ(status.phase, Phase::ended) << type;
    EXPECT_EQ(status.message, "");
    EXPECT_EQ(status.delivered, 1u);
  }
  const auto camera = status_of(".jpg", "video/x-motion-jpeg");
  EXPECT_EQ(camera.phase, Phase::failed);
  EXPECT_NE(camera.message.find("stopped sending frames"), std::string::npos) << camera.message;
}

TEST(VideoStreamTest, AnImageIsReadAsItsFileIs) {
  const TemporaryFolder folder;
  cv::Mat pixels(96, 128, CV_8UC4);
  cv::RNG random(5);
  random.fill(pixels, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(pixels, pixels, {5, 5}, 0);
  for (const std::string ending : {".png", ".jpg", ".tiff"}) {
    cv::Mat opaque;
    if (ending == ".jpg") cv::cvtColor(pixels, opaque, cv::COLOR_BGRA2BGR);
    const auto bytes = encoded_image(ending, opaque.empty() ? pixels : opaque),
               path = (folder.path() / ("a" + ending)).string();
    std::ofstream(path, std::ios::binary) << bytes;
    const auto request = [&](const FileServer& server) {
      return Request{.source = url_of(server, "/a" + ending + "?width=128")};
    };
    const FileServer whole("image/" + ending.substr(1), bytes);
    Capture capture(request(whole));
    const Frame* frame = next_frame(capture);
    EXPECT_EQ(capture.status().kind, SourceKind::image);
    const auto file = read_image(path);
    EXPECT_EQ(std::memcmp(frame->pixels.data(), file.pixels.data, file.pixels.total() * 3), 0) << ending;

    std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
    const FileServer half("image/" + ending.substr(1), bytes.substr(0, bytes.size() / 2));
    const auto why = gpu::test::refusal_of<SourceError>([&] { read_image(path); }).substr(path.size() + 2);
    Capture truncated(request(half));
    EXPECT_EQ(wait_for_end(truncated).message, describe_source(request(half)) + why) << ending;
  }
}

TEST(VideoStreamTest, AnImageIsReadBehindARedirectionAndWithAName) {
  const FileServer image("image/png", encoded_image(".png"));
  const FileServer gate("text/html\r\nLocation: " + url_of(image, "/1"), "", "302 Found");
  for (const auto& source : {url_of(gate, "/a.png"), url_of(image, "/a.png").insert(7, "admin:secret@")}) {
    Capture capture({.source = source});
    EXPECT_NE(capture.take(20s), nullptr) << capture.status().message;
    EXPECT_EQ(capture.status().kind, SourceKind::image) << source;
  }
}

TEST(VideoStreamTest, APictureThatIsCutOffOnTheWaySaysSo) {
  cv::Mat pixels(96, 128, CV_8UC3);
  cv::RNG(5).fill(pixels, cv::RNG::UNIFORM, 0, 256);
  for (const std::string ending : {"png", "jpg"}) {
    const auto whole = encoded_image('.' + ending, pixels), half = whole.substr(0, whole.size() / 2);
    const FileServer server("image/" + ending, half, "200 OK", whole.size());
    for (const auto& source : {url_of(server, "/a." + ending), url_of(server, "/image")}) {
      Capture capture({.source = source});
      EXPECT_EQ(wait_for_end(capture).message, "'" + source + "' was cut off: " + grouped(half.size()) + " of its " +
                                                   grouped(whole.size()) +
                                                   " bytes came; try again, or download it and open the file");
    }
  }
}

// The header is enough, and an announced length, before the rest comes.
TEST(VideoStreamTest, APictureThatNeedsMoreThanTheBudgetIsRefusedOnTheWay) {
  const auto bytes = encoded_image(".png", cv::Mat(600, 800, CV_8UC3, cv::Scalar(10, 20, 30)));
  const auto says = [](const FileServer& server, std::uint64_t memory) {
    const Request request{.source = url_of(server, "/a.png"), .memory = memory};
    Capture capture(request);
    const auto message = wait_for_end(capture).message;
    EXPECT_TRUE(message.starts_with(describe_source(request))) << message;
    return message;
  };
  const FileServer whole("image/png", bytes);
  Capture fits({.source = url_of(whole, "/a.png"), .memory = 4'000'000});
  EXPECT_NE(fits.take(20s), nullptr) << fits.status().message;
  EXPECT_NE(says(whole, 2'000'000).find("is 800x600, colour: reading it takes 3 MB of memory, and the budget is 2 MB; "),
            std::string::npos);
  const FileServer head("image/png", bytes.substr(0, 40));  // the rest never comes
  EXPECT_NE(says(head, 2'000'000).find("is 800x600, colour: "), std::string::npos);
  const FileServer announces("image/png", "\x89PNG", "200 OK", 5'000'000'000);
  EXPECT_NE(says(announces, 2'000'000'000).find("is " + counted(5'000'000'000, "byte") + ": reading it takes 5.0 GB"),
            std::string::npos);
  const FileServer endless("image/png", std::string(3'000'000, 'x'));  // says nothing of itself
  EXPECT_NE(says(endless, 2'000'000).find("bytes: reading it takes 3 MB of memory"), std::string::npos);
}

// A byte now and then keeps a connection alive; not for ever.
TEST(VideoStreamTest, APictureThatComesTooSlowlyIsGivenUp) {
  const SilentServer listener;
  std::jthread server([&](const std::stop_token& stop) {
    const int client = ::accept4(listener.socket(), nullptr, nullptr, SOCK_CLOEXEC);
    const std::string head = "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n";
    ::send(client, head.data(), head.size(), MSG_NOSIGNAL);
    pollfd closed{client, POLLIN | POLLHUP, 0};
    for (int sent = 0; sent < 600 && !stop.stop_requested(); ++sent) {
      if (::send(client, "x", 1, MSG_NOSIGNAL) != 1) break;
      poll(&closed, 0, 20);
    }
    ::close(client);
  });
  const Request request{.source = "http://127.0.0.1:" + std::to_string(listener.port()) + "/a.png"};
  const auto sent = picture_from(request, request.source, {}, {}, {.silent = 5s, .whole = 300ms});
  ASSERT_TRUE(sent.file);
  EXPECT_TRUE(sent.late);
  EXPECT_TRUE(sent.cut());
  EXPECT_LT(sent.file->size(), 600u);
  EXPECT_EQ(sent.announced, 100'000u);
}

TEST(VideoStreamTest, APictureWithoutALengthIsToldToBeDamaged) {
  const auto whole = encoded_image(".jpg");
  const FileServer server("image/jpeg", whole.substr(0, whole.size() - 20));
  Capture capture({.source = url_of(server, "/image")});
  EXPECT_NE(wait_for_end(capture).message.find("is damaged: it is truncated"), std::string::npos)
      << capture.status().message;
}

// A stream that is called as a picture is; and what no decoder of images knows.
TEST(VideoStreamTest, AnAddressThatEndsAsAPictureMayBeAStream) {
  const auto jpeg = encoded_image(".jpg");
  std::string parts;
  for (int i = 0; i < 30; ++i)
    parts += "--next\r\nContent-Type: image/jpeg\r\nContent-Length: " + std::to_string(jpeg.size()) + "\r\n\r\n" + jpeg +
             "\r\n";
  const FileServer camera("multipart/x-mixed-replace; boundary=next", parts);
  Capture capture({.source = url_of(camera, "/video.jpg")});
  const auto* frame = capture.take(20s);
  EXPECT_TRUE(frame && frame->size == (gpu::Size{64, 48})) << capture.status().message;
  EXPECT_EQ(capture.status().kind, SourceKind::video);
  const FileServer page("image/png", "<p>No.</p>\n");
  Capture none({.source = url_of(page, "/a.png")});
  EXPECT_EQ(wait_for_end(none).phase, Phase::failed) << none.status().message;
}

TEST(VideoStreamTest, AStreamWithoutAFrameThatCanBeDecodedHasNotStopped) {
  const FileServer camera(
      "multipart/x-mixed-replace; boundary=next",
      "--next\r\nContent-Type: image/jpeg\r\nContent-Length: 4000\r\n\r\n" + std::string(4000, 'x') + "\r\n--next\r\n");
  const auto url = url_of(camera, "/video");
  Capture capture({.source = url});
  EXPECT_EQ(wait_for_end(capture).message,
            "'" + url + "' sent no frame that can be decoded; check the format that the camera sends");
}

TEST(VideoStreamTest, AUrlThatNeverAnswersIsGivenUp) {
  const SilentServer server;
  ASSERT_NE(server.port(), 0);
  testing::internal::CaptureStderr();
  const std::string url = "http://127.0.0.1:" + std::to_string(server.port()) + "/camera";
  Capture capture({.source = url});
  const Status status = wait_for_end(capture);
  EXPECT_EQ(status.phase, Phase::failed);
  EXPECT_EQ(status.message, "'" + url + "' sent no video within 5 s; check the address, and that the camera is on");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(VideoStreamTest, AUrlThatNeverAnswersDoesNotBlockClosing) {
  const SilentServer server;
  { const Capture capture({.source = "http://127.0.0.1:" + std::to_string(server.port())}); }
  SUCCEED();
}

// The message about `url`, without its name; nothing else is printed.
std::string complaint(const std::string& url) {
  testing::internal::CaptureStderr();
  Capture capture({.source = url});
  const Status status = wait_for_end(capture);
  EXPECT_EQ(status.phase, Phase::failed);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  const std::string name = "'" + url + "' ";
  EXPECT_TRUE(status.message.starts_with(name)) << status.message;
  return status.message.substr(std::min(name.size(), status.message.size()));
}

TEST(VideoStreamTest, EveryKindOfFailureHasItsOwnMessage) {
  const std::string port = std::to_string(free_port());
  EXPECT_EQ(complaint("http://127.0.0.1:" + port + "/x"), "could not be opened: nothing listens on port " + port +
                                                              " of 127.0.0.1; check the port, and that the camera is on");
  EXPECT_EQ(complaint("nonsense://127.0.0.1/x"),
            "could not be opened: 'nonsense' is not a protocol of streams; use http, https, rtsp, rtmp or udp");
  EXPECT_EQ(complaint("http://no-such-host.invalid/x"),
            "could not be opened: no host is called 'no-such-host.invalid'; check the address and the network");
}

// What FFmpeg says of each, with the address that it is given.
std::string why_not_opened(const std::string& source) {
  const auto url = Address(source).connects();
  VideoReader reader(url, 5s);
  EXPECT_FALSE(reader.open()) << source;
  return why_stream_failed(url, reader.error());
}

TEST(VideoStreamTest, AddressesAreReadInAllTheirForms) {
  const std::string port = std::to_string(free_port());
  const auto refused = "could not be opened: nothing listens on port " + port + " of 127.0.0.1; check the port, and that ";
  for (const std::string before : {"", "user@", "admin:secret@", "admin:p@ss:w?rd#1@", ":@"})
    for (const char* after : {"", "/", "/stream?a=b@c:1", "?x", "#y"}) {
      const auto url = "rtsp://" + before + "127.0.0.1:" + port + after;
      EXPECT_TRUE(why_not_opened(url).starts_with(refused)) << url << ": " << why_not_opened(url);
    }
  const auto six = why_not_opened("http://[::1]:" + port + "/x");
  EXPECT_NE(six.find("::1"), std::string::npos) << six;
  EXPECT_EQ(six.find("[::1]"), std::string::npos) << six;
  for (const std::string host : {"no-such-host.invalid", "no-such-host.invalid:80", "no-such-host.invalid?a"})
    EXPECT_NE(why_not_opened("http://" + host).find("no host is called 'no-such-host.invalid'"), std::string::npos) << host;
  for (const std::string number : {"0", "65536", "99999999999999999999"})
    EXPECT_EQ(why_not_opened("http://127.0.0.1:" + number + "/x"),
              "could not be opened: " + number + " is not a valid port: it must be 1 to 65535");
  for (const char* nonsense : {"", "127.0.0.1/x", "://127.0.0.1", "4tp://127.0.0.1", "ht tp://127.0.0.1"})
    EXPECT_NE(why_not_opened(nonsense).find("'' is not a protocol"), std::string::npos) << nonsense;
  EXPECT_NE(why_stream_failed("rtp://127.0.0.1:" + port, -1).find("delivered no video"), std::string::npos);
}

TEST(VideoStreamTest, PasswordsAreInNoMessage) {
  const auto port = ":" + std::to_string(free_port()) + "/x";
  Capture refused({.source = "http://admin:secret@127.0.0.1" + port});
  const Status status = wait_for_end(refused);
  EXPECT_TRUE(status.message.starts_with("'http://admin:***@127.0.0.1" + port + "' could not")) << status.message;
  HttpCamera camera;
  if (!camera.started()) GTEST_SKIP() << "ffmpeg is not installed";
  ASSERT_TRUE(camera.wait_until_it_listens());
  auto url = camera.url();
  Capture capture({.source = url.insert(url.find("127"), "admin:secret@") + "?pwd=secret"});
  ASSERT_NE(capture.take(20s), nullptr) << capture.status().message;
  EXPECT_EQ(capture.status().name.find("secret"), std::string::npos) << capture.status().name;
  EXPECT_EQ(capture.status().description.find("secret"), std::string::npos) << capture.status().description;
}

TEST(VideoStreamTest, AServerWithoutAVideoIsNotReportedAsNone) {
  const FileServer server("text/html", "<p>Welcome.</p>\n");
  ASSERT_NE(server.port(), 0);
  EXPECT_EQ(complaint(url_of(server, "/index.html")),
            "answers, but sends no video; check the path; it may need a name and a password");
}

TEST(VideoStreamTest, TheStatusOfAServerSaysWhatIsWrong) {
  const auto says = [](const std::string& status, const std::string& user = "") {
    const FileServer server("text/html", "<p>No.</p>\n", status);
    return why_not_opened("http://" + user + "127.0.0.1:" + std::to_string(server.port()) + "/x.mjpg");
  };
  EXPECT_EQ(says("404 Not Found"), "answers that it has nothing at this path; check the path");
  const auto locked = says("401 Unauthorized");
  EXPECT_TRUE(locked.starts_with("requires authentication; write NAME:PASSWORD and @ in front of '127.0.0.1:")) << locked;
  EXPECT_EQ(one_line(locked), locked) << "the placeholder is no password";
  EXPECT_EQ(says("401 Unauthorized", "admin:secret@"), "refuses this name and password; check them");
  EXPECT_TRUE(says("503 Busy").starts_with("answers that something is wrong on the server")) << says("503 Busy");
  EXPECT_TRUE(says("200 OK").starts_with("answers, but sends no video"));
}

}  // namespace
}  // namespace app::capture
