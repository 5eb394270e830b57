#include "app/capture/image_header.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <optional>
#include <system_error>

namespace app::capture {

using namespace std::string_view_literals;

// Only regular files: opening a pipe would block.
ImageBytes::ImageBytes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  file_.open(path, std::ios::binary);
  if (const auto size = std::filesystem::file_size(path, error); !error) size_ = size;
}

std::uint64_t ImageBytes::big(std::size_t at_byte, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | at(at_byte + static_cast<std::size_t>(i));
  return value;
}

std::uint64_t ImageBytes::little(std::size_t at_byte, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) value = value << 8 | at(at_byte + static_cast<std::size_t>(i));
  return value;
}

bool ImageBytes::has(std::size_t at_byte, std::string_view text) {
  return std::ranges::all_of(text, [&](char c) { return at(at_byte++) == static_cast<unsigned char>(c); });
}

std::size_t ImageBytes::find(std::string_view text, std::size_t from) {
  for (; from + text.size() <= size_; ++from)
    if (has(from, text)) return from;
  return std::string::npos;
}

void ImageBytes::read(std::size_t from) {
  constexpr std::size_t most = 4096;
  if (!file_.is_open()) return;
  part_.resize(most);
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(from));
  file_.read(part_.data(), most);
  part_.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file_.gcount())));
  start_ = from;
}

double ImageHeader::to_show() const {
  constexpr double bgr = 3;
  if (bytes == 2) return decoded() + std::max({scratch, decoded(), bgr * pixels()});
  const double converted = channels == bgr && bytes == 1 ? 0 : bgr * pixels();
  return std::max({decoded() + std::max(scratch, converted), 2 * bgr * pixels()});
}

namespace {

// JPEG's segments are walked by their lengths, since thumbnails among them have markers of their own (ISO/IEC 10918-1, B.1.1):
// the first from the file's start that `wanted` accepts, or the end.
template <class Wanted>
std::size_t jpeg_segment(ImageBytes& file, Wanted&& wanted) {
  constexpr unsigned marker = 0xff;
  std::size_t i = 2;
  while (file.at(i) == marker && !wanted(file.at(i + 1))) i += file.at(i + 1) == marker ? 1 : 2 + file.big(i + 2, 2);
  return i;
}

constexpr unsigned start_of_scan = 0xda;

ImageHeader jpeg_header(ImageBytes& file) {
  const auto is_frame = [](unsigned code) {
    return code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
  };
  const auto i = jpeg_segment(file, [&](unsigned code) { return code == start_of_scan || is_frame(code); });
  ImageHeader header{"JPEG"};
  if (!is_frame(file.at(i + 1))) return header;  // a scan: there is no frame header then
  header.width = file.big(i + 7, 2);
  header.height = file.big(i + 5, 2);
  const auto components = std::max(1u, file.at(i + 9));
  header.channels = components == 1 ? 1 : 3;
  const auto scan = jpeg_segment(file, [](unsigned code) { return code == start_of_scan; });
  const bool by_parts = file.at(i + 1) != 0xc0 || file.at(scan + 4) < components;  // then it keeps every coefficient
  const double coefficients = by_parts ? header.pixels() * components * 2 : 0;
  header.scratch = std::max(coefficients, header.decoded());  // a picture that is turned upright is copied
  return header;
}

// The type of a field of a TIFF: those that decoders accept as a whole number.
struct TiffType {
  int size = 0;  // in bytes; 0: it is none
  bool negative = false;
};
TiffType tiff_type(std::uint64_t type) {
  switch (type) {
    case 1: return {1, false};   // BYTE
    case 3: return {2, false};   // SHORT
    case 4: return {4, false};   // LONG
    case 16: return {8, false};  // LONG8
    case 6: return {1, true};    // SBYTE
    case 8: return {2, true};    // SSHORT
    case 9: return {4, true};    // SLONG
    case 17: return {8, true};   // SLONG8
    default: return {};
  }
}

// What a TIFF, or BigTIFF, says of its first picture; of fields with several values, the first one. Where a field is there twice
// the larger number holds, since it is the decoder's choice which one it takes. A negative number is none.
struct TiffHead {
  std::uint64_t width = 0, height = 0, bits = 1, format = 0, samples = 1, photometric = 0;  // bits, format: of each number
  std::uint64_t tile_width = 0, tile_height = 0, rows_per_strip = 0;
};

bool is_tiff(ImageBytes& file) {
  return file.has(0, "II*\0"sv) || file.has(0, "MM\0*"sv) || file.has(0, "II+\0"sv) || file.has(0, "MM\0+"sv);
}

TiffHead tiff_head(ImageBytes& file) {
  const bool little = file.at(0) == 'I';
  const auto number = [&](std::size_t at, int count) { return little ? file.little(at, count) : file.big(at, count); };
  constexpr std::uint64_t of_big_file = 43, most_entries = 65'535;
  const bool big = number(2, 2) == of_big_file;
  const int offset = big ? 8 : 4;  // bytes of offsets and counts
  const std::size_t directory = number(big ? 8 : 4, offset), step = big ? 20 : 12;
  const auto entries = std::min(most_entries, number(directory, big ? 8 : 2));
  TiffHead head;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + (big ? 8 : 2) + step * i, place = entry + 4 + static_cast<std::size_t>(offset);
    if (entry >= file.size()) break;
    const auto type = tiff_type(number(entry + 2, 2));
    if (type.size == 0) continue;
    const bool elsewhere = number(entry + 4, offset) > static_cast<std::uint64_t>(offset / type.size);
    const auto value = number(elsewhere ? number(place, offset) : place, type.size);
    if (type.negative && value >> (8 * type.size - 1)) continue;
    const auto take = [value](std::uint64_t& field) { field = std::max(field, value); };
    switch (number(entry, 2)) {
      case 256: take(head.width); break;
      case 257: take(head.height); break;
      case 258: take(head.bits); break;
      case 262: take(head.photometric); break;
      case 277: take(head.samples); break;
      case 278: take(head.rows_per_strip); break;
      case 322: take(head.tile_width); break;
      case 323: take(head.tile_height); break;
      case 339: take(head.format); break;
      default: break;
    }
  }
  return head;
}

ImageHeader tiff_header(ImageBytes& file) {
  const auto head = tiff_head(file);
  constexpr std::uint64_t rgb = 2, log_luminance = 32'844;  // and log_luv: floating point, whatever the number of bits
  ImageHeader header{"TIFF", head.width, head.height};
  const auto samples = static_cast<int>(std::clamp<std::uint64_t>(head.samples, 1, 4));
  header.channels = head.photometric >= rgb ? std::max(3, samples) : samples;
  header.bytes = head.bits <= 8 ? 1 : head.bits <= 16 ? 2 : head.bits <= 32 ? 4 : 8;
  if (head.photometric >= log_luminance) header.bytes = std::max(header.bytes, 4);
  // A tile or strip is decoded as a whole, by the library and for OpenCV.
  const auto columns = static_cast<double>(head.tile_width > 0 ? head.tile_width : head.width);
  const auto strip = head.rows_per_strip > 0 ? std::min(head.rows_per_strip, head.height) : head.height;
  const auto rows = static_cast<double>(head.tile_height > 0 ? head.tile_height : strip);
  const auto of_file = static_cast<double>(head.samples) * header.bytes;
  header.scratch = columns * rows * (of_file + std::max(4.0, of_file));
  return header;
}

bool is_webp(ImageBytes& file) { return file.has(0, "RIFF") && file.has(8, "WEBP"); }

ImageHeader webp_header(ImageBytes& file) {
  ImageHeader header{"WebP"};
  bool alpha = false;
  if (file.has(12, "VP8X")) {
    header.width = file.little(24, 3) + 1;
    header.height = file.little(27, 3) + 1;
    alpha = file.at(20) & 0x10;
  } else if (file.has(12, "VP8L")) {
    const auto sides = file.little(21, 4);
    header.width = (sides & 0x3fff) + 1;
    header.height = (sides >> 14 & 0x3fff) + 1;
    alpha = sides >> 28 & 1;
  } else {
    header.width = file.little(26, 2) & 0x3fff;
    header.height = file.little(28, 2) & 0x3fff;
  }
  header.channels = alpha ? 4 : 3;
  header.scratch = 4 * header.pixels();  // what is coded without loss is decoded as a whole first
  return header;
}

// For a PNG without an alpha channel: a chunk before the pixels says what is transparent.
bool has_transparency(ImageBytes& file) {
  for (std::size_t at = 8; at < file.size() && !file.has(at + 4, "IDAT"); at += 12 + file.big(at, 4))
    if (file.has(at + 4, "tRNS")) return true;
  return false;
}

ImageHeader png_header(ImageBytes& file) {
  constexpr unsigned gray = 0, colour = 2, palette = 3;
  const auto type = file.at(25);
  ImageHeader header{"PNG", file.big(16, 4), file.big(20, 4)};
  header.channels = type == gray ? 1 : (type == colour || type == palette) && !has_transparency(file) ? 3 : 4;
  header.bytes = file.at(24) > 8 ? 2 : 1;
  return header;
}

ImageHeader bmp_header(ImageBytes& file) {
  constexpr unsigned of_os2 = 12;
  const bool os2 = file.little(14, 4) == of_os2;
  const auto side = [&](std::size_t at) {
    return static_cast<std::uint64_t>(std::abs(std::int64_t{static_cast<std::int32_t>(file.little(at, 4))}));
  };
  ImageHeader header{"BMP", os2 ? file.little(18, 2) : side(18), os2 ? file.little(20, 2) : side(22)};
  header.channels = !os2 && file.little(28, 2) == 32 ? 4 : 3;
  return header;
}

// Numbers and words in the text at the beginning of a file.
class HeadText {
 public:
  HeadText(ImageBytes& file, std::size_t from) : file_(file), at_(from) {}
  // The next word; comments, which begin with #, go to the end of their line.
  std::string word() {
    while (at_ < end() && (blank() || file_.at(at_) == '#'))
      if (blank())
        ++at_;
      else
        while (at_ < end() && file_.at(at_) != '\n') ++at_;
    std::string text;
    for (; at_ < end() && !blank(); ++at_) text += static_cast<char>(file_.at(at_));
    return text;
  }
  std::uint64_t number() {
    const auto text = word();
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  std::size_t at() const { return at_; }

 private:
  bool blank() { return file_.at(at_) <= ' '; }
  std::size_t end() const { return std::min<std::size_t>(file_.size(), 65'536); }

  ImageBytes& file_;
  std::size_t at_;
};

// PBM, PGM and PPM, as text or not, PFM and PAM: https://netpbm.sourceforge.net/doc
ImageHeader pnm_header(ImageBytes& file) {
  HeadText text(file, 2);
  const auto kind = static_cast<char>(file.at(1));
  ImageHeader header{"PNM"};
  if (kind != '7') {
    header.width = text.number();
    header.height = text.number();
    const bool bits = kind == '1' || kind == '4', floating = kind == 'F' || kind == 'f';
    header.channels = kind == '3' || kind == '6' || kind == 'F' ? 3 : 1;
    header.bytes = floating ? 4 : !bits && text.number() > 255 ? 2 : 1;
    return header;
  }
  for (auto word = text.word(); !word.empty() && word != "ENDHDR"; word = text.word()) {
    if (word == "WIDTH") header.width = text.number();
    if (word == "HEIGHT") header.height = text.number();
    if (word == "DEPTH") header.channels = static_cast<int>(std::clamp<std::uint64_t>(text.number(), 1, 4));
    if (word == "MAXVAL") header.bytes = text.number() > 255 ? 2 : 1;
  }
  return header;
}

bool is_pnm(ImageBytes& file) {
  return file.at(0) == 'P' && file.at(1) != 0 &&
         "1234567Ff"sv.find(static_cast<char>(file.at(1))) != std::string_view::npos && file.at(2) <= ' ';
}

// Radiance: lines, then an empty one, then "-Y HEIGHT +X WIDTH".
ImageHeader hdr_header(ImageBytes& file) {
  ImageHeader header{"Radiance HDR"};
  header.bytes = 4;
  std::size_t line = 0;
  while (line + 1 < std::min<std::size_t>(file.size(), 65'536) && !file.has(line, "\n\n")) ++line;
  HeadText text(file, line + 2);
  if (text.word() != "-Y") return header;
  header.height = text.number();
  if (text.word() == "+X") header.width = text.number();
  return header;
}

// OpenEXR's attributes: a name, a type, the number of bytes, these. https://openexr.com/en/latest/OpenEXRFileLayout.html
ImageHeader exr_header(ImageBytes& file) {
  ImageHeader header{"OpenEXR"};
  header.channels = 4;
  header.bytes = 4;
  const auto text = [&](std::size_t& at) {
    std::string name;
    for (; file.at(at) != 0 && name.size() < 256; ++at) name += static_cast<char>(file.at(at));
    ++at;
    return name;
  };
  for (std::size_t at = 8; at < file.size() && file.at(at) != 0;) {
    const auto name = text(at), type = text(at);
    if (const auto box = at + 4; name == "dataWindow" && type == "box2i") {
      const auto side = [&](std::size_t from) {
        const auto coordinate = [&](std::size_t i) { return std::int64_t{static_cast<std::int32_t>(file.little(i, 4))}; };
        return static_cast<std::uint64_t>(std::max(std::int64_t{0}, coordinate(from + 8) - coordinate(from) + 1));
      };
      header.width = std::max(header.width, side(box));
      header.height = std::max(header.height, side(box + 4));
    }
    at += 4 + file.little(at, 4);
  }
  header.scratch = header.decoded();
  return header;
}

// Boxes of ISO/IEC 14496-12 and 15444-1: a length, a type, the content.
struct Box {
  std::size_t at = 0, end = 0;  // of the content
};
// The first of `type` among those in `within`.
std::optional<Box> find_box(ImageBytes& file, Box within, std::string_view type) {
  for (std::size_t at = within.at; at < within.end && within.end - at >= 8;) {
    auto size = file.big(at, 4);
    const std::size_t head = size == 1 ? 16 : 8;
    if (size == 1) size = file.big(at + 8, 8);
    const auto left = within.end - at;
    if (size == 0 || size > left) size = left;  // to the end; or more than there is yet
    if (size < head) return {};
    if (file.has(at + 4, type)) return Box{at + head, at + size};
    at += size;
  }
  return {};
}

// The size of a JPEG 2000 codestream (ISO/IEC 15444-1, A.5.1).
void take_codestream(ImageBytes& file, std::size_t at, ImageHeader& header) {
  if (!file.has(at, "\xff\x4f\xff\x51")) return;
  const auto side = [&](std::size_t from) {
    const auto end = file.big(from, 4), start = file.big(from + 8, 4);
    return end > start ? end - start : 0;
  };
  header.width = std::max(header.width, side(at + 8));
  header.height = std::max(header.height, side(at + 12));
  header.channels = static_cast<int>(std::clamp<std::uint64_t>(file.big(at + 40, 2), 1, 4));
  header.bytes = (file.at(at + 42) & 0x7f) >= 8 ? 2 : 1;
}

ImageHeader jpeg2000_header(ImageBytes& file) {
  ImageHeader header{"JPEG 2000"};
  take_codestream(file, 0, header);
  // What decides is the codestream, whatever the box before it says.
  if (const auto stream = find_box(file, {0, file.size()}, "jp2c")) take_codestream(file, stream->at, header);
  header.scratch = 8 * header.channels * header.pixels();  // two copies in 32 bits
  return header;
}

// Sizes of AVIF and HEIC: of the picture and its parts, of which the largest is it.
ImageHeader heif_header(ImageBytes& file, const Box& type) {
  ImageHeader header;
  for (auto at = type.at; at + 4 <= type.end; at += 4)
    if (file.has(at, "avif") || file.has(at, "avis")) header.format = "AVIF";
  for (const auto brand : {"heic", "heix", "heim", "heis", "mif1"})
    if (header.format.empty() && file.has(type.at, brand)) header.format = "HEIC";
  if (header.format.empty()) return {};  // a video
  const auto meta = find_box(file, {0, file.size()}, "meta");
  const auto properties = meta ? find_box(file, {meta->at + 4, meta->end}, "iprp") : std::nullopt;
  auto sizes = properties ? find_box(file, *properties, "ipco") : std::nullopt;
  while (sizes) {
    const auto size = find_box(file, *sizes, "ispe");
    if (!size) break;
    header.width = std::max(header.width, file.big(size->at + 4, 4));
    header.height = std::max(header.height, file.big(size->at + 8, 4));
    sizes->at = size->end;
  }
  return header;
}

// What the decoder of videos keeps of a picture, and its copies of it in 8-bit BGR.
ImageHeader by_video_decoder(ImageHeader header) {
  header.scratch = 14 * header.pixels();
  return header;
}

}  // namespace

ImageHeader image_header(ImageBytes& file) {
  if (file.has(0, "\x89PNG")) return png_header(file);
  if (is_jpeg(file)) return jpeg_header(file);
  if (is_tiff(file)) return tiff_header(file);
  if (is_webp(file)) return webp_header(file);
  if (file.has(0, "BM")) return bmp_header(file);
  if (is_pnm(file)) return pnm_header(file);
  if (file.has(0, "#?R")) return hdr_header(file);
  if (file.has(0, "\x76\x2f\x31\x01")) return exr_header(file);
  if (file.has(0, "\x59\xa6\x6a\x95")) return {"Sun raster", file.big(4, 4), file.big(8, 4)};
  if (file.has(0, "\xff\x4f\xff\x51") || file.has(4, "jP  ")) return jpeg2000_header(file);
  if (file.has(0, "GIF8")) return by_video_decoder({"GIF", file.little(6, 2), file.little(8, 2)});
  if (file.has(0, "\xff\x0a") || file.has(4, "JXL ")) return {"JPEG XL"};
  if (!file.has(4, "ftyp")) return {};
  const auto type = find_box(file, {0, file.size()}, "ftyp");
  return type ? by_video_decoder(heif_header(file, *type)) : ImageHeader();
}

std::string what_is_not_read(ImageBytes& file) {
  constexpr unsigned animated = 2;
  if (is_webp(file) && file.has(12, "VP8X") && (file.at(20) & animated))
    return " is an animated WebP, which is not read; convert it to GIF or MP4";
  const auto header = image_header(file);
  if (header.format == "PNG" && std::max(header.width, header.height) > longest_of_libpng)
    return " is " + std::to_string(header.width) + "x" + std::to_string(header.height) + ": libpng reads at most " +
           std::to_string(longest_of_libpng) + " pixels per side; convert it to TIFF, or make it smaller";
  if (const auto format = header.format; format == "HEIC" || format == "JPEG XL")
    return " is a picture in " + std::string(format) + ", which is not read; convert it to PNG or JPEG, e.g. " +
           (format == "HEIC" ? "heif-convert IN.heic OUT.png" : "djxl IN.jxl OUT.png");
  if (!is_tiff(file)) return {};
  const auto head = tiff_head(file);
  constexpr unsigned with_sign = 2, floating = 3;
  if (head.format >= floating || (head.bits <= 16 && head.format != with_sign)) return {};
  return " has " + std::to_string(head.bits) + "-bit integers" + (head.format == with_sign ? " with a sign" : "") +
         ", which are not supported; convert it to unsigned 8 or 16 bits, or to floating point";
}

// Behind the first scan's header FF D9 is the end.
bool is_truncated_jpeg(ImageBytes& file) {
  const auto scan = jpeg_segment(file, [](unsigned code) { return code == start_of_scan; });
  return file.find("\xff\xd9", scan) == std::string::npos;
}

}  // namespace app::capture
