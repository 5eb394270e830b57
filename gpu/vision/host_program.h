// HostProgram: an integer cascade in the form that the host's vector code runs: what every record reads lies at fixed distances in
// tables of one shape, and the nodes of a stage are sorted so that loops over many of them have no branches. It has plain pointers,
// because the vector code is compiled for processors that not every machine has, and must not instantiate functions that other
// files share.
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

// Sums of a stage are integers in a unit of the stage's own, rounded for each leaf. A sum of at least `high` passes for certain, one
// below `low` fails for certain; between them the cascade as it is written decides.
struct HostStage {
  std::int32_t first_run, last_run, first_node;
  std::int32_t low, high;
};

// The tables of a tile, one behind the other, `plane` words each: sums; tilted sums, if any feature is tilted; words with two
// windows' sums, of which the upper half is that of the row below (FeaturePart); the same of tilted sums; squares.
struct HostProgram {
  static constexpr int tile_side_across = 256, tile_side_down = 160;  // in pixels, without what the last windows have beyond
  // Bytes of a row of a tile's pixels, as the vector code reads it.
  static constexpr int padded_width(Size window) { return (tile_side_across + window.width + 31) / 32 * 32; }
  // Words of the tables, and of the slots behind them: two vectors of at most 32 bytes for each, aligned.
  std::size_t words() const { return static_cast<std::size_t>(plane * (tilted ? 5 : 3) + (slots + 1) * 16); }

  Size window;
  bool tilted = false;
  int step = 1, plane = 0, slots = 1, stage_count = 0;
  TableLayout layout = {};
  const HostStage* stages = nullptr;
  const HostRun* runs = nullptr;
  const HostNode* nodes = nullptr;
  const HostPart* parts = nullptr;
  const HostCorner* corners = nullptr;
};

// Its owner.
class HostProgramLists {
 public:
  HostProgramLists() = default;
  // The cascade must be exact and packed.
  HostProgramLists(const IntegerCascade& cascade, int step);
  // Valid as long as the lists.
  HostProgram view() const;

 private:
  class StageWriter;
  HostPart part_of(const FeaturePart& part, bool of_tilted);
  HostPart part_of(const IntegerFeature& feature);

  HostProgram numbers_;  // without pointers
  std::vector<HostStage> stages_;
  std::vector<HostRun> runs_;
  std::vector<HostNode> nodes_;
  std::vector<HostPart> parts_;
  std::vector<HostCorner> corners_;
};

}  // namespace gpu::vision
