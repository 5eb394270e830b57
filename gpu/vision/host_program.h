// HostProgram: an integer cascade in the form that the host's vector code runs: what every record reads lies at fixed distances in
// tables of one shape, and the nodes of a stage are sorted so that loops over many of them have no branches. HostSearch: plain
// pointers to that and to a tile, because the vector code is compiled for processors that not every machine has, and must not
// instantiate functions that other files share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/image.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {

// What is computed from the table entries a, b, c ... at a node's offsets.
enum class CornerSum : std::uint8_t {
  once_and_twice,     // a + b - c - d + 2 (e - f)
  pairs_twice,        // a + b - c - d + 2 (e + f - g - h)
  pairs_three_times,  // a + b - c - d + 3 (e + f - g - h)
  pairs_nine_times,   // a + b - c - d + 9 (e + f - g - h)
  one_two_three,      // a - b + 2 (c - d) + 3 (e - f)
  four,               // a + b + c + d - 2 (e + f + g + h) + 4 i
  four_minus,         // the negative of that
  list,               // offsets[1] of HostProgram::corners from offsets[0] on
  parts,              // the sum of offsets[1] of HostProgram::parts from offsets[0] on
};

// What a node does with the windows that reach it.
enum class NodeRole : std::uint8_t {
  stump,        // adds `above` to those that are not below the threshold
  root_of_two,  // tells its only child, `below_slot`, which windows reach it: those below, or if above != 0 the others
  last,         // both children are leaves: adds `below` or `above` to those that reach it
  inner,        // anything else: adds, and tells its children; slot 0 is reached by all
};

struct HostPart {
  CornerSum sum;
  std::int32_t offsets[9];
};
struct HostNode {
  float threshold;
  std::int32_t below, above;                   // numbers to add, in the stage's unit
  std::uint16_t slot, below_slot, above_slot;  // where it is said which windows reach it, and its children; 0: a leaf
  std::int32_t offsets[9];
};
// Nodes that are done alike.
struct HostRun {
  CornerSum sum;
  NodeRole role;
  std::int32_t count;
};
struct HostCorner {
  std::int32_t offset, weight;
};

// The same trees for one window alone, exact.
struct HostSingleNode {
  float threshold;
  std::int32_t first_corner, last_corner;  // of HostProgram::single_corners
  std::int32_t below_node, above_node;     // indices; 0: a leaf
  double below, above;
};

// Sums of a stage are integers in a unit of the stage's own, rounded for each leaf. A sum of at least `high` passes for certain, one
// below `low` fails for certain; between them the exact sum decides.
struct HostStage {
  std::int32_t first_run, last_run, first_node;
  std::int32_t low, high;
  std::int32_t first_root, last_root;  // of HostProgram::roots
  double threshold;
};

// The tables of a tile, one behind the other, `plane` words each: sums; tilted sums, if any feature is tilted; words with two
// windows' sums, of which the upper half is that of the row below (FeaturePart); the same of tilted sums; squares. Entry (x, y)
// lies at y * pitch + column(x); at step 2 the even columns come first.
class HostProgram {
 public:
  HostProgram() = default;
  // The cascade must be exact and packed.
  HostProgram(const IntegerCascade& cascade, int step);

  // Windows of a tile, and the most pixels that they cover. Rows of pixels that the vector code reads are `padded_width` bytes.
  int most_across() const { return tile_side_across / step; }
  int most_down() const { return tile_side_down / step; }
  int padded_width() const { return padded_width_; }
  // Words of the tables, and of the slots behind them: two vectors of at most 32 bytes for each, aligned.
  std::size_t words() const { return static_cast<std::size_t>(plane * (tilted ? 5 : 3) + (slots + 1) * 16); }
  int column(int x) const { return step == 1 ? x : (x & 1) * half + (x >> 1); }

  static constexpr int tile_side_across = 256, tile_side_down = 160;  // in pixels, without what the last windows have beyond

  Size window;
  bool tilted = false;
  int step = 1, pitch = 0, half = 0, plane = 0, slots = 1;
  std::vector<HostStage> stages;
  std::vector<HostRun> runs;
  std::vector<HostNode> nodes;
  std::vector<HostPart> parts;
  std::vector<HostCorner> corners;
  std::vector<std::int32_t> roots;
  std::vector<HostSingleNode> single_nodes;
  std::vector<HostCorner> single_corners;

 private:
  class StageWriter;
  int offset(int x, int y, bool of_tilted) const { return y * pitch + column(x) + (of_tilted ? plane : 0); }
  HostPart part_of(const FeaturePart& part, bool of_tilted);
  HostPart part_of(const IntegerFeature& feature);
  int add_single_tree(const IntegerTree& tree, const IntegerCascade& cascade);

  int padded_width_ = 0;
};

// A tile and its program, for the vector code.
struct HostSearch {
  // Parts of the tile: rows of padded_width bytes; windows; results as in HostTile.
  const std::uint8_t* pixels;
  int width, height;  // of the pixels
  // Global tables (HostTile) from the entry above and to the left of the first pixel on; null: the tile's own are made of the pixels.
  const std::uint32_t *global_sums, *global_squares, *global_tilted;
  std::ptrdiff_t global_stride;
  int across, down;
  std::uint32_t* words;  // room for the tables
  std::uint32_t* failed;
  std::ptrdiff_t failed_stride;
  std::uint8_t* depths;
  std::ptrdiff_t depths_stride;
  // Parts of the program.
  int padded_width, step, pitch, half, plane, slots, stage_count;
  bool tilted;
  Size window;
  const HostStage* stages;
  const HostRun* runs;
  const HostNode* nodes;
  const HostPart* parts;
  const HostCorner* corners;
  const std::int32_t* roots;
  const HostSingleNode* single_nodes;
  const HostCorner* single_corners;
};

}  // namespace gpu::vision
