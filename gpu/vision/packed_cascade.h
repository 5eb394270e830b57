// An integer cascade (gpu/vision/integer_cascade.h) packed as those read it that evaluate it: HostProgram for the host's vector code,
// DeviceCascade for the kernels that search tiles and patches, and PreparedCascade, which has every form of a cascade.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/cuda/device.h"
#include "gpu/image.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/integer_cascade.h"

namespace gpu::vision {

// HostProgram: an integer cascade in the form that the host's vector code runs: what every record reads lies at fixed distances in
// tables of one shape, and the nodes of a stage are sorted so that loops over many of them have no branches. It has plain pointers,
// because the vector code is compiled for processors that not every machine has, and must not instantiate functions that other
// files share.

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
  codes,              // LBP: -1 where the set of HostProgram::codes[offsets[0]] has the code of its blocks, else 0
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
struct HostCodes {
  std::int32_t rows[4], columns[4];  // of the blocks' corners: offsets
  CodeSet set;
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
  bool has_factors = true;  // LBP: all windows have the factor 1, and there are no squares
  int step = 1, plane = 0, slots = 1, stage_count = 0;
  TableLayout layout = {};
  const HostStage* stages = nullptr;
  const HostRun* runs = nullptr;
  const HostNode* nodes = nullptr;
  const HostPart* parts = nullptr;
  const HostCorner* corners = nullptr;
  const HostCodes* codes = nullptr;
};

// Its owner.
class HostProgramLists {
 public:
  HostProgramLists() = default;
  // The cascade must be exact.
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
  std::vector<HostCodes> codes_;
};

// DeviceCascade: the same for the kernels that search tiles and patches, and the shape of their tiles.
//
// Three versions of the same stages differ in the offsets of their corners: in the table of a tile whose windows are one pixel
// apart, of one whose windows are two pixels apart (columns with even numbers first, then those with odd ones, so that the lanes of a
// warp read neighbours), and in the tables of 32 windows that lie side by side.

// The widths of what a block does, for its kernels and for the plan.
inline constexpr int search_threads = 512, search_warps = search_threads / 32;
inline constexpr int tile_columns = 128;  // pixels from one tile to the next, to the right
inline constexpr int slots_per_warp = 2;  // pairs of windows that a lane evaluates at once
inline constexpr int partial_sums = search_warps * slots_per_warp * 2 * 32;  // of parts of a stage's trees
inline constexpr int patch_windows = 32;  // windows side by side in the tables of the patch kernel
inline constexpr int patch_pitch = 33;    // words between entries of one window: no two lanes use the same bank
inline constexpr int most_norm_parts = 16;

// What the records of all nodes are: each is for kernels of its own.
enum class RecordForm : std::uint8_t {
  grids,  // grids of corners, in stumps and trees of two nodes: no tilted table
  any,
  codes,  // LBP: behind each node's record comes its CodeSet. In trees of any shape; no squares, and all factors are 1
};

// A node, or a further part of its feature. In memory two uint4: the first four members, and the offsets.
struct NodeRecord {
  float threshold;
  std::uint32_t addition[2];  // a double: what a window adds to its sum, see `kind`
  std::uint32_t kind;         // NodeKind
  std::uint16_t
      offsets[8];  // a grid or blocks: four rows, four columns. A list: six corners, whether tilted, the place in the tree
};
static_assert(sizeof(NodeRecord) == 32 && sizeof(CodeSet) == 32);

// The bits of NodeRecord::kind.
namespace node_kind {
inline constexpr std::uint32_t pattern = 7;       // CornerPattern
inline constexpr std::uint32_t parts_follow = 8;  // the next record has another part of this feature: values are added
// The root of a tree of two nodes, with a leaf on one side that adds nothing: its `addition` is what the other node adds below its
// threshold, the addition of which is what it adds above. Unless it is one: above its threshold, a node adds its addition.
inline constexpr std::uint32_t root_of_two = 16;
inline constexpr std::uint32_t other_above = 32;     // the other node is on the side above the root's threshold
inline constexpr std::uint32_t corners_follow = 64;  // the next record has more corners of this list
// A node of any other tree; its place in the tree is in `kind` from bit 8 on, or, if it has a list of corners, in the last offset.
inline constexpr std::uint32_t in_tree = 128;
// From bit 8 on, a list: the weights of six corners, four bits each, with their sign.
inline constexpr int corners_per_record = 6, first_bit = 8;
}  // namespace node_kind

// Before the records of a stage; their lengths are in uint4.
struct StageHeader {
  double threshold;
  std::uint16_t length, next_length;  // of this stage with its header, of the next one; 0: there is none
  std::uint16_t begin[33];            // the first record of each 32nd part of the trees, and the end
  std::uint16_t unused;
};
static_assert(sizeof(StageHeader) == 80);
inline constexpr int header_length = sizeof(StageHeader) / 16;

// A tile: 128 pixels by rows[step - 1], and what its last windows have beyond. Entry (x, y) of its table contains the pixels above
// and left of (x, y), some of which belong to no window and may have any value.
struct TileShape {
  Size window;
  int column_groups;  // of 8 columns: all that the table has
  int pitch;          // words from one row of the table to the next
  int half;           // where the columns with odd numbers begin in a row, at step 2
  int rows[2];        // of windows, in pixels
  int table_rows[2];  // of the table
  bool tilted;        // there is a second table, right behind the first
  bool squares;       // there is one of squares; else all factors are 1, and no window is refused
  bool odd_width;     // at step 2 the squares of all columns are needed, not only those of odd ones
  std::size_t shared_bytes;
  int norm_parts;  // the rectangle for the deviation is summed in as many parts, whose sums fit 16 bits
  std::uint8_t norm_rows[most_norm_parts + 1];  // where they begin and end
  std::uint32_t area;                           // of that rectangle
  float least_refused;                          // factors from here on are refused
  int first_length;                             // of the first stage, in uint4
  int stages;                                   // of the cascade
  int tile_stages;                              // how many of them the tile kernel evaluates

  // Words of a row of squares, and a column's place in a row.
  constexpr int squares_pitch(int step) const { return !squares ? 0 : step == 1 || odd_width ? pitch : half; }
};

struct DeviceCascade {
  TileShape shape;
  // Headers and records, stage by stage, for step 1, for step 2, and for patches; in uint4, as words.
  std::vector<std::uint32_t> tile_words[2], patch_words;
  std::vector<std::uint32_t> patch_starts;  // where each stage begins, in uint4
  std::size_t patch_bytes;                  // dynamic shared memory of the patch kernel; 0: tiles evaluate all stages
  RecordForm form;
};

// Nothing if the kernels cannot evaluate it: it is not exact, or its window, a stage or a tree is too large.
// `shared_bytes`: of the GPU (GpuLimits), which determine the tiles' size and which kernel evaluates which stages.
std::optional<DeviceCascade> pack(const IntegerCascade& cascade, std::size_t shared_bytes);

// PreparedCascade: a cascade and the forms of it that detectors evaluate. They depend on nothing but the cascade and a GPU's shared
// memory, and take longer to make than a frame has time: each is made once, when it is asked for first, by whatever thread, and
// shared by all detectors.
class PreparedCascade {
 public:
  explicit PreparedCascade(Cascade cascade) : cascade_(std::move(cascade)) {}

  const Cascade& cascade() const { return cascade_; }
  const IntegerCascade& integers() const;
  const WrittenCascadeLists& written() const;
  // For steps 1 and 2; empty where the integers are not exact.
  const std::array<HostProgramLists, 2>& programs() const;
  // As pack() makes it; null where that gives nothing.
  std::shared_ptr<const DeviceCascade> packed(const GpuLimits& limits) const;

 private:
  Cascade cascade_;
  mutable std::once_flag integers_made_, written_made_, programs_made_;
  mutable IntegerCascade integers_;
  mutable WrittenCascadeLists written_;
  mutable std::array<HostProgramLists, 2> programs_;
  mutable std::mutex packed_mutex_;
  mutable std::map<std::size_t, std::shared_ptr<const DeviceCascade>> packed_;  // by the shared memory of the GPU
};

using SharedCascade = std::shared_ptr<const PreparedCascade>;

}  // namespace gpu::vision
