#include "gpu/vision/host_tile.h"

#include <algorithm>

#define HOST_VARIANTS_OF "gpu/vision/host_tile_simd.h"
#include "gpu/pictures/host_variants.h"

namespace gpu::vision {
namespace {

constexpr HostCode as_written{"as written", 0, nullptr};

// The tables that the vector code has made, from a window's first entry on.
struct WindowTables {
  const HostProgram& program;
  const std::uint32_t* sums;
  std::uint32_t sum(int x, int y) const { return sums[program.layout.at(x, y)]; }
  std::uint32_t triangle(int x, int y) const { return sums[program.layout.at(x, y) + program.plane]; }
};

void search_with_vectors(const HostCode& code, const HostProgram& program, const WrittenCascade& written,
                         const HostTile& tile, HostMemory& memory) {
  memory.words.resize(std::max(memory.words.size(), program.words()));
  memory.room.resize(std::max(memory.room.size(), tile.size.pixels()));
  for (int row = 0; row < tile.size.height; ++row)
    std::fill_n(tile.failed + row * tile.failed_stride, (tile.size.width + 31) / 32, 0);
  HostSearch search{program, written, tile, nullptr, nullptr, nullptr, 0, memory.words.data()};
  if (const auto* const tables = tile.tables) {
    search.global_sums = &tables->sum(tile.x, tile.y);
    search.global_squares = &tables->square(tile.x, tile.y);
    if (program.tilted) search.global_tilted = &tables->triangle(tile.x, tile.y);
    search.global_stride = tables->stride();
  }
  const int found = code.search(search, memory.room.data());
  memory.hits.assign(memory.room.begin(), memory.room.begin() + found);
  std::ranges::sort(memory.hits, {}, [](const HostHit& hit) { return std::pair(hit.row, hit.column); });
}

// The cascade as it is written, by tables in which the tile's pixel (0, 0) is (x, y).
void search_as_written(const WrittenCascade& cascade, const LevelTables& tables, int x, int y, const HostTile& tile,
                       std::vector<HostHit>& hits) {
  hits.clear();
  const auto all = static_cast<std::uint8_t>(cascade.stage_count);
  for (int row = 0; row < tile.size.height; ++row) {
    auto* const failed = tile.failed + row * tile.failed_stride;
    std::fill_n(failed, (tile.size.width + 31) / 32, 0);
    for (int column = 0; column < tile.size.width; ++column) {
      const auto depth = WindowEvaluation(cascade, tables, x + column * tile.step, y + row * tile.step).depth();
      if (tile.depths.data) tile.depths(column, row) = depth;
      if (depth == 0) failed[column / 32] |= 1u << column % 32;
      if (depth == all) hits.push_back({column, row});
    }
  }
}

}  // namespace

bool passes_as_written(const HostSearch& search, const std::uint32_t* sums, float factor, int stage) {
  const WindowTables tables{search.program, sums};
  return WindowEvaluation(search.written, tables, 0, 0, factor).passes(search.written.stages[stage]);
}

std::span<const HostCode* const> host_codes_here() {
  static constexpr const HostCode* all[] = {&as_written, &baseline::host_code,
#ifdef SATSCOPE_HOST_VARIANTS
                                            &avx2::host_code
#endif
  };
  return std::span(all).first(std::min(std::size(all), 1 + host_vectors_here().size()));
}

void search_tile(const HostCode& code, const PreparedCascade& cascade, const HostTile& tile, HostMemory& memory) {
  if (!code.search) {
    if (!tile.tables) memory.tables.compute(tile.pixels, cascade.cascade().tilted);
    return search_as_written(cascade.written().view(), tile.tables ? *tile.tables : memory.tables, tile.x, tile.y, tile,
                             memory.hits);
  }
  const auto program = cascade.programs()[tile.step == 1 ? 0 : 1].view();
  search_with_vectors(code, program, cascade.written().view(), tile, memory);
}

}  // namespace gpu::vision
