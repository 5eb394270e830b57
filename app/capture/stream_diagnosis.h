// What a stream's server says: why a stream did not open, of which the video library only says that it did not; and pictures
// that are no streams.
#pragma once

#include <netdb.h>

#include <functional>
#include <stop_token>
#include <string>

namespace app::capture {

// Asks the network once more where `url` leads, and returns what is wrong and what to do, as the end of a sentence that
// begins with the address. Takes a second and a half at most, beyond what the system takes to look the host up.
std::string why_stream_failed(const std::string& url);

// Whether a server, asked once more, says that what it sends for an http:// address is an image and no stream of them. Takes a
// second and a half at most, beyond the same.
bool serves_image(const std::string& url);

// The bytes of the picture that a web server sends for an http:// address that ends as a picture's file does (".png"); empty
// where it sends anything else, or says nothing for 5 seconds. A picture that does not come whole ends where it did. `received`
// is called for each part, with the bytes until then.
std::string picture_from(const std::string& url, const std::stop_token& stop,
                         const std::function<void(std::size_t bytes)>& received = {});

// Connects to one address of a host after the other, within a second: 0 once one accepts, else the errno of the one that
// answered (ECONNREFUSED), or of the last.
int connect_to_any(const addrinfo* addresses);

}  // namespace app::capture
