// What the first bytes of an image file say of its picture, before anything is decoded: its format, its size, and how much memory
// reading it takes. Not a decoder: what it does not understand it reports as unknown, and nothing in a file makes it allocate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace app::capture {

// The bytes of a file, of which it reads those that are asked for, or of a text; behind their end there are zeros.
class ImageBytes {
 public:
  explicit ImageBytes(const std::filesystem::path& path);
  explicit ImageBytes(std::string_view bytes) : size_(bytes.size()), part_(bytes) {}

  std::size_t size() const { return size_; }
  unsigned at(std::size_t i) {
    if (i >= size_) return 0;
    if (i < start_ || i >= start_ + part_.size()) read(i);
    return i - start_ < part_.size() ? static_cast<unsigned char>(part_[i - start_]) : 0u;
  }
  // Numbers of up to 8 bytes; the highest byte is the first, or the last.
  std::uint64_t big(std::size_t at_byte, int count);
  std::uint64_t little(std::size_t at_byte, int count);
  bool has(std::size_t at_byte, std::string_view text);
  std::size_t find(std::string_view text, std::size_t from);  // npos: it is not there

 private:
  void read(std::size_t from);

  std::ifstream file_;
  std::size_t size_ = 0, start_ = 0;  // start_: where part_ is
  std::string part_;
};

struct ImageHeader {
  std::string_view format;              // "PNG"; empty: none that is known
  std::uint64_t width = 0, height = 0;  // as announced; 0: not known (yet)
  int channels = 3, bytes = 1;          // of the decoded picture; bytes of each number
  double scratch = 0;                   // bytes that the decoder takes besides the picture

  bool known() const { return width > 0 && height > 0; }
  double pixels() const { return static_cast<double>(width) * static_cast<double>(height); }
  double decoded() const { return pixels() * channels * bytes; }
  // Bytes that it takes until the picture is there, and in gray; or until it is a Frame (frame.h), in 8-bit BGR. One of 16 bits keeps
  // its values, too, and is copied once.
  double to_gray() const { return decoded() + std::max(scratch, channels > 1 ? pixels() * bytes : 0); }
  double to_show() const;
};

ImageHeader image_header(ImageBytes& file);

// libpng's own limit, in pixels per side, which OpenCV leaves as it is.
inline constexpr std::uint64_t longest_of_libpng = 1'000'000;

// What an intact file has that the decoders do not read, as the rest of a sentence; empty: nothing that is known.
std::string what_is_not_read(ImageBytes& file);

// JPEG has neither alpha nor more than 8 bits, but it has EXIF data, which imread obeys only when it converts.
inline bool is_jpeg(ImageBytes& file) { return file.has(0, "\xff\xd8"); }
// Whether a JPEG ends before its end marker: the decoder fills what is missing with gray and says nothing.
bool is_truncated_jpeg(ImageBytes& file);

}  // namespace app::capture
