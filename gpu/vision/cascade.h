// Cascades of boosted features, as OpenCV's files describe them: P. Viola, M. Jones, "Rapid object detection using a boosted cascade
// of simple features", CVPR 2001; tilted features: R. Lienhart, J. Maydt, "An extended set of Haar-like features for rapid object
// detection", ICIP 2002; local binary patterns (LBP) of blocks: S. Liao, X. Zhu, Z. Lei, L. Zhang, S. Z. Li, "Learning multi-scale
// block local binary patterns for face recognition", ICB 2007. Evaluated as cv::CascadeClassifier does (gpu/vision/detector.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"
#include "gpu/parameter.h"

namespace gpu::vision {

// A cascade that is refused. what() is one line: "line N: ", where N counts from 1, and the cause; the cause alone where no line
// is to blame, such as for a file that cannot be read.
class CascadeError : public ArgumentError {
 public:
  CascadeError(int line, std::string_view cause);  // line 0: none
};

// A name or text from a file, for a message: short, and without characters that would break the line or change a terminal.
std::string printable(std::string_view text);

// Upright: the pixels (x .. x+width-1, y .. y+height-1) of the window. Tilted by 45 degrees: the parallelogram with the corners
// (x, y), (x+width, y+width), (x-height, y+height) and (x+width-height, y+width+height) of the tilted table, 2*width*height
// pixels.
struct WeightedRectangle {
  int x = 0, y = 0, width = 0, height = 0;
  float weight = 0;
  friend bool operator==(const WeightedRectangle&, const WeightedRectangle&) = default;
};

// What all features of a cascade are.
enum class FeatureKind : std::uint8_t {
  haar,  // the value: the sum of weight * (sum of the rectangle's pixels), divided by the window's deviation and area
  // The value: a code of 8 bits. The rectangle is the top left one of 3 x 3 blocks of its size; a bit is set where a block's sum is
  // not below that of the block in the middle.
  lbp,
};

// Where in the 3 x 3 blocks the bits of a code are, from the highest one on.
struct BlockPlace {
  int row, column;
};
inline constexpr BlockPlace blocks_of_code[8] = {{0, 0}, {0, 1}, {0, 2}, {1, 2}, {2, 2}, {2, 1}, {2, 0}, {1, 0}};

struct CascadeFeature {
  std::vector<WeightedRectangle> rectangles;  // 1 to 3, of LBP 1 with weight 1; all, and its blocks, inside the window
  bool tilted = false;                        // all of them
  friend bool operator==(const CascadeFeature&, const CascadeFeature&) = default;
};

// Some of the codes that an LBP feature can have: code c where bit c % 32 of word c / 32 is set.
struct CodeSet {
  std::uint32_t words[8] = {};
  constexpr bool has(unsigned code) const { return (words[code / 32] >> code % 32 & 1u) != 0; }
  friend bool operator==(const CodeSet&, const CodeSet&) = default;
};

// Goes left where the feature's value is below the threshold; of LBP, where the node's set has the code. `left` and `right`: above 0
// the index of a node of the same tree, else minus the index of a leaf.
struct CascadeNode {
  int left = 0, right = 0;
  int feature = 0;
  float threshold = 0;
  friend bool operator==(const CascadeNode&, const CascadeNode&) = default;
};

// A decision tree. Node 0 is its root; every other node and every leaf is the child of exactly one node. One node: a stump.
struct CascadeTree {
  std::vector<CascadeNode> nodes;
  std::vector<float> leaves;            // one more than nodes
  std::vector<CodeSet> code_sets = {};  // LBP: one for each node
  bool goes_left(std::size_t node, float value) const {
    return code_sets.empty() ? value < nodes[node].threshold : code_sets[node].has(static_cast<unsigned>(value));
  }
  friend bool operator==(const CascadeTree&, const CascadeTree&) = default;
};

// A window passes if the sum of its trees' leaves is at least the threshold.
struct CascadeStage {
  float threshold = 0;  // the file's, less 1e-5f as OpenCV has it
  std::vector<CascadeTree> trees;
  friend bool operator==(const CascadeStage&, const CascadeStage&) = default;
};

struct Cascade {
  std::string name;         // of the file's element: "cascade" in most files of the new format
  bool old_format = false;  // opencv-haar-classifier
  Size window;              // 3x3 to largest_window
  bool tilted = false;      // it has a tilted feature
  FeatureKind kind = FeatureKind::haar;
  std::vector<CascadeStage> stages;
  std::vector<CascadeFeature> features;

  int nodes() const;  // of all trees
};

// What a file can have at most. A window of this size keeps sums of squares below 2^32; more stages than a byte counts would not
// fit the depth map of gpu/vision/detector.h.
inline constexpr int largest_window = 256, most_stages = 254, most_trees = 65536, most_tree_nodes = 256,
                     most_features = 262144;

// A cascade file: the new format (opencv-cascade-classifier, whose type_id may be missing) or the old one
// (opencv-haar-classifier). Stages are evaluated one after another; the old format's stage trees (`parent`, `next`) are ignored,
// as OpenCV ignores them. Throws CascadeError, with line and cause, for everything else: XML that is not well-formed, other types
// of stages and features, counts and indices out of range, trees with cycles or with nodes that nothing refers to, rectangles
// outside the window, numbers that are not finite.
Cascade parse_cascade(std::string_view text);
// As parse_cascade(), for a file of at most 64 MiB; the messages begin with its name.
Cascade read_cascade(const std::filesystem::path& file);

}  // namespace gpu::vision
