// The part of a level that one thread of the host searches at a time, small enough for the caches, and the ways to search it: the
// cascade as written, and with vectors, from one source compiled for several kinds of processors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/image.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

// Windows of a level: `size` of them, `step` pixels apart, the first one at pixel (0, 0) of `pixels`. All are evaluated.
struct HostTile {
  ImageView<const std::uint8_t> pixels;  // in rows of HostProgram::padded_width()
  // Global tables, in which that pixel is (x, y), in place of the tile's own: then the pixels have a size and no data.
  const LevelTables* tables = nullptr;
  int x = 0, y = 0;
  int step = 1;
  Size size;  // at most HostProgram::tile_side_across / step x tile_side_down / step
  // One bit each: fails at the first stage. Rows begin with a word, and are `failed_stride` words apart.
  std::uint32_t* failed = nullptr;
  std::ptrdiff_t failed_stride = 0;
  ImageView<std::uint8_t> depths;  // without data if they are not wanted
};

// A window that passes all stages: its column and row in the tile.
struct HostHit {
  int column, row;
};

// Memory of one thread, kept from tile to tile.
struct HostMemory {
  std::vector<std::uint8_t> pixels;
  LevelTables tables;                // for the cascade as written
  std::vector<std::uint32_t> words;  // the tables of HostProgram
  std::vector<HostHit> room;         // for the hits of HostCode::search
  std::vector<HostHit> hits;         // the result, row by row
};

// For the vector code, which reads members alone.
struct HostSearch {
  const HostProgram& program;
  const WrittenCascade& written;
  const HostTile& tile;
  // Global tables from the entry above and to the left of the first pixel on; null: the tile's own are made of the pixels.
  const std::uint32_t *global_sums, *global_squares, *global_tilted;
  std::ptrdiff_t global_stride;
  std::uint32_t* words;  // room for the tables
};

// Whether a window passes a stage, exactly. `sums`: the window's first entry in the tile's sums.
bool passes_as_written(const HostSearch& search, const std::uint32_t* sums, float factor, int stage);

struct HostCode {
  std::string_view name;
  // The length of the vectors of `search`, in windows side by side; 0: it evaluates the cascade as written, and `search` is null.
  int lanes;
  // How many windows that pass all stages are written to `hits`, which has room for all of the tile's.
  int (*search)(const HostSearch& search, HostHit* hits);
};

// The host codes that this processor can run, the fastest last; the first one evaluates the cascade as written.
std::span<const HostCode* const> host_codes_here();

void search_tile(const HostCode& code, const PreparedCascade& cascade, const HostTile& tile, HostMemory& memory);

}  // namespace gpu::vision
