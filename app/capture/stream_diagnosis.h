// Why a stream did not open: the video library only says that it did not.
#pragma once

#include <netdb.h>

#include <string>

namespace app::capture {

// Asks the network once more where `url` leads, and returns what is wrong and what to do, as the end of a sentence that
// begins with the address. Takes a second and a half at most, beyond what the system takes to look the host up.
std::string why_stream_failed(const std::string& url);

// Whether a server, asked once more, says that what it sends for an http:// address is an image and no stream of them. Takes a
// second and a half at most, beyond the same.
bool serves_image(const std::string& url);

// Connects to one address of a host after the other, within a second: 0 once one accepts, else the errno of the one that
// answered (ECONNREFUSED), or of the last.
int connect_to_any(const addrinfo* addresses);

}  // namespace app::capture
