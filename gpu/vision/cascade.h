// Cascades of boosted Haar-like features, as OpenCV's files describe them: P. Viola, M. Jones, "Rapid object detection using a
// boosted cascade of simple features", CVPR 2001; tilted features: R. Lienhart, J. Maydt, "An extended set of Haar-like features
// for rapid object detection", ICIP 2002. Evaluated as cv::CascadeClassifier does (gpu/vision/detector.h).
#pragma once

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

// Its value: the sum of weight * (sum of the rectangle's pixels), divided by the window's deviation and area.
struct CascadeFeature {
  std::vector<WeightedRectangle> rectangles;  // 1 to 3, all inside the window
  bool tilted = false;                        // all of them
  friend bool operator==(const CascadeFeature&, const CascadeFeature&) = default;
};

// Goes left where the feature's value is below the threshold. `left` and `right`: above 0 the index of a node of the same tree,
// else minus the index of a leaf.
struct CascadeNode {
  int left = 0, right = 0;
  int feature = 0;
  float threshold = 0;
  friend bool operator==(const CascadeNode&, const CascadeNode&) = default;
};

// A decision tree. Node 0 is its root; every other node and every leaf is the child of exactly one node. One node: a stump.
struct CascadeTree {
  std::vector<CascadeNode> nodes;
  std::vector<float> leaves;  // one more than nodes
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
