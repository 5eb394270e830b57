// What a stream's server says: why a stream did not open; and pictures that are not streams.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "app/capture/capture.h"
#include "app/capture/image_file.h"

struct AVIOContext;

namespace app::capture {

// What is wrong and what to do where FFmpeg could not open `url`, with this `error`: the end of a sentence that begins with
// the address. Takes as long as the system takes to look the host up.
std::string why_stream_failed(const std::string& url, int error);

// Whether a server says that what it sends is an image and no stream of them. Null: there is none.
bool sends_image(AVIOContext* server);

// What a web server sends of a picture.
struct SentPicture {
  std::unique_ptr<MemoryFile> file;  // of what came; null: it is not a picture
  std::size_t announced = 0;         // bytes of the whole; 0: not known
  bool late = false;                 // not all of it came in time
  bool cut() const { return late || (file && file->size() < announced); }
};

// How long a server may take to send a picture: without a byte, and in all.
struct SendingTime {
  std::chrono::milliseconds silent{5'000}, whole{120'000};
};

// The picture that a web server sends for `url`, which is the request's source, as it is; none where it sends anything else.
// `received` is called for each part, with the bytes until then. Throws SourceError as soon as it needs more memory than
// the request allows.
SentPicture picture_from(const Request& request, const std::string& url, const std::stop_token& stop,
                         const std::function<void(std::size_t bytes)>& received = {}, SendingTime time = {});

// Whether an address ends as a picture's file does (".png"): other streams may serve one client only, and are not asked
// whether they are a picture before they are opened.
bool names_picture(const std::string& url);

}  // namespace app::capture
