// One window of a frame, stage by stage: the sums of a cascade's stages and the features behind them, for views that explain how
// a cascade works. Evaluated as the cascade is written (gpu/vision/evaluation.h), on the host.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/image.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/grouping.h"
#include "gpu/vision/levels.h"

namespace gpu::vision {

// A node of a stage's trees.
struct NodeResult {
  int feature = 0;            // of the cascade
  int tree = 0;               // of the stage
  float value = 0;            // of LBP the code
  float threshold = 0;        // of Haar-like features
  bool reached = false;       // by the tree's path from its root
  std::optional<float> vote;  // the leaf's, where the path ends at this node
  bool left = false;          // the side on which its tree goes on with that value
};

struct StageResult {
  double sum = 0, threshold = 0;  // passed where the sum is at least the threshold
  double least = 0, most = 0;     // sums that there can be
  std::vector<NodeResult> nodes;  // tree by tree, in the order of the file

  bool passed() const { return sum >= threshold; }
};

struct WindowStages {
  int level = 0, column = 0, row = 0;
  Window window;         // in the frame
  bool visited = false;  // false: OpenCV leaves it out, because the first stage rejects the window on its left
  int passed = 0;        // stages until the first that it does not pass
  // The results of all stages, also of those behind the one that refused the window. None: the window has too little contrast to
  // be evaluated.
  std::vector<StageResult> stages;

  bool found() const { return visited && !stages.empty() && passed == static_cast<int>(stages.size()); }
};

// `frame`: gray; its size is that of which `levels` are.
//
// Among the windows whose centre is nearest to pixel (x, y), one per level: the one that passes most stages; of several the one
// whose sum is furthest above its threshold in the last stage evaluated. Windows that are not visited count only where no other
// is there. `level`: the only one that is looked at. `detected`: a detection around that pixel, whose windows, those that are
// similar to it, are looked at, too. Nothing if there is no window.
std::optional<WindowStages> deepest_window_at(const Cascade& cascade, std::span<const Level> levels,
                                              ImageView<const std::uint8_t> frame, int x, int y, std::optional<int> level,
                                              const std::optional<Window>& detected = {});

}  // namespace gpu::vision
