// Any bytes as the beginning of an image file: a header of finite numbers, or none.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/capture/image_header.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace app::capture;
  ImageBytes file{std::string_view(reinterpret_cast<const char*>(data), size)};
  const auto header = image_header(file);
  if (header.channels < 1 || header.channels > 4 || header.bytes < 1 || header.bytes > 8) std::abort();
  for (const double bytes : {header.to_show(), header.to_gray()})
    if (!std::isfinite(bytes) || bytes < header.decoded()) std::abort();
  if (header.format.empty() && header.known()) std::abort();
  if (what_is_not_read(file).find('\n') != std::string::npos) std::abort();
  if (is_jpeg(file)) (void)is_truncated_jpeg(file);
  return 0;
}
