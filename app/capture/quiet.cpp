#include "app/capture/quiet.h"

#include <opencv2/core/utils/logger.hpp>

#include <cstdlib>
#include <iostream>
#include <mutex>
#include <streambuf>

#include "app/capture/quiet_codecs.h"

namespace app::capture {
namespace {

thread_local int quiet_scopes = 0;

// Passes on what comes from threads that are not to be quiet. It stays in place for good: exchanging the buffer of
// std::cerr while others write to it would be a race.
class QuietBuffer : public std::streambuf {
 public:
  explicit QuietBuffer(std::streambuf* to) : to_(to) {}

 protected:
  int_type overflow(int_type character) override {
    if (quiet_scopes > 0 || traits_type::eq_int_type(character, traits_type::eof()))
      return traits_type::not_eof(character);
    return to_->sputc(traits_type::to_char_type(character));
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    return quiet_scopes > 0 ? size : to_->sputn(text, size);
  }
  int sync() override { return quiet_scopes > 0 ? 0 : to_->pubsync(); }

 private:
  std::streambuf* to_;
};

}  // namespace

void quiet_libraries() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (!std::getenv("OPENCV_LOG_LEVEL")) cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
    setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0);            // AV_LOG_QUIET
    setenv("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "1", 0);  // seconds that a read waits for a camera; 10 if unset
    quiet_codecs();
    // Never freed: std::cerr is used until the very end.
    std::cerr.rdbuf(new QuietBuffer(std::cerr.rdbuf()));
  });
}

QuietHere::QuietHere() { ++quiet_scopes; }
QuietHere::~QuietHere() { --quiet_scopes; }

}  // namespace app::capture
