#include "gpu/vision/host_tile.h"

#include <algorithm>

namespace gpu::vision {

#ifdef __x86_64__
extern const HostCode host_code_avx2;
#endif
extern const HostCode host_code_baseline;

namespace {

constexpr HostCode as_written{"as written", 0, nullptr};

void search_with_vectors(const HostCode& code, const HostProgram& program, const HostTile& tile, HostMemory& memory) {
  memory.words.resize(std::max(memory.words.size(), program.words()));
  memory.room.resize(std::max(memory.room.size(), tile.size.pixels()));
  const auto* const tables = tile.tables;
  const HostSearch search{.pixels = tile.pixels.data,
                          .width = tile.pixels.width,
                          .height = tile.pixels.height,
                          .global_sums = tables ? &tables->sum(tile.x, tile.y) : nullptr,
                          .global_squares = tables ? &tables->square(tile.x, tile.y) : nullptr,
                          .global_tilted = tables && program.tilted ? &tables->triangle(tile.x, tile.y) : nullptr,
                          .global_stride = tables ? tables->stride() : 0,
                          .across = tile.size.width,
                          .down = tile.size.height,
                          .words = memory.words.data(),
                          .failed = tile.failed,
                          .failed_stride = tile.failed_stride,
                          .depths = tile.depths.data,
                          .depths_stride = tile.depths.stride,
                          .padded_width = program.padded_width(),
                          .step = program.step,
                          .pitch = program.pitch,
                          .half = program.half,
                          .plane = program.plane,
                          .slots = program.slots,
                          .stage_count = static_cast<int>(program.stages.size()),
                          .tilted = program.tilted,
                          .window = program.window,
                          .stages = program.stages.data(),
                          .runs = program.runs.data(),
                          .nodes = program.nodes.data(),
                          .parts = program.parts.data(),
                          .corners = program.corners.data(),
                          .roots = program.roots.data(),
                          .single_nodes = program.single_nodes.data(),
                          .single_corners = program.single_corners.data()};
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

std::span<const HostCode* const> host_codes_here() {
  static const auto here = [] {
    std::vector<const HostCode*> codes{&as_written, &host_code_baseline};
#ifdef __x86_64__
    __builtin_cpu_init();  // it also checks that the operating system saves the registers
    if (__builtin_cpu_supports("avx2")) codes.push_back(&host_code_avx2);
#endif
    return codes;
  }();
  return here;
}

void search_tile(const HostCode& code, const PreparedCascade& cascade, const HostTile& tile, HostMemory& memory) {
  if (!code.search) {
    if (!tile.tables) memory.tables.compute(tile.pixels, cascade.cascade().tilted);
    return search_as_written(cascade.written().view(), tile.tables ? *tile.tables : memory.tables, tile.x, tile.y, tile,
                             memory.hits);
  }
  for (int row = 0; row < tile.size.height; ++row)
    std::fill_n(tile.failed + row * tile.failed_stride, (tile.size.width + 31) / 32, 0);
  search_with_vectors(code, cascade.programs()[tile.step == 1 ? 0 : 1], tile, memory);
}

}  // namespace gpu::vision
