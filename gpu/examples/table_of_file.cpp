// A picture in, its summed area table out: table_of_file PICTURE.pgm TABLE.npy
//
// The table is padded, as OpenCV's integral(): numpy.load("TABLE.npy")[y, x] is the sum of all pixels above and left of (x, y).
#include <satscope.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Picture {
  satscope::Size size;
  std::vector<std::uint8_t> pixels;
};

// Binary, 8 bits per pixel, without comments.
Picture read_pgm(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(std::string(path) + " cannot be read");
  std::string kind;
  int most = 0;
  Picture picture;
  file >> kind >> picture.size.width >> picture.size.height >> most;
  if (!file || kind != "P5" || most != 255 || picture.size.width < 1 || picture.size.height < 1)
    throw std::runtime_error(std::string(path) + " is not a binary PGM file of 8 bits");
  file.get();
  picture.pixels.resize(static_cast<std::size_t>(picture.size.width) * static_cast<std::size_t>(picture.size.height));
  if (!file.read(reinterpret_cast<char*>(picture.pixels.data()), static_cast<std::streamsize>(picture.pixels.size())))
    throw std::runtime_error(std::string(path) + " is truncated");
  return picture;
}

// NumPy's format, for a processor that stores the low byte first.
void write_npy(const char* path, satscope::Size size, const std::vector<std::uint32_t>& table) {
  std::string header = "{'descr': '<u4', 'fortran_order': False, 'shape': (" + std::to_string(size.height) + ", " +
                       std::to_string(size.width) + "), }";
  header.resize(127 - 10, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY\x01" << '\0' << static_cast<char>(header.size()) << '\0' << header;
  file.write(reinterpret_cast<const char*>(table.data()), static_cast<std::streamsize>(table.size() * sizeof table[0]));
  if (!file.flush()) throw std::runtime_error(std::string(path) + " cannot be written");
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::puts("usage: table_of_file PICTURE.pgm TABLE.npy"), 2;
  try {
    const auto picture = read_pgm(arguments[1]);
    satscope::Options options;
    options.device = satscope::host;  // the vectors are in its memory
    options.padded = true;
    satscope::Plan plan(picture.size, satscope::u8_u32, options);
    const auto size = plan.table_size();
    std::vector<std::uint32_t> table(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
    plan(picture.pixels.data(), static_cast<std::size_t>(picture.size.width), table.data(),
         static_cast<std::size_t>(size.width) * sizeof table[0]);
    write_npy(arguments[2], size, table);
    std::printf("%s: the sum of all pixels is %u\n", plan.algorithm().c_str(), table.back());
  } catch (const std::bad_alloc&) {
    return std::fprintf(stderr, "not enough memory for %s\n", arguments[1]), 1;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
