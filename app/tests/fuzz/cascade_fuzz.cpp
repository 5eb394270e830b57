// Any bytes as a cascade file: a cascade with all indices in range, or refused with one line.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gpu/vision/cascade.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto cascade = gpu::vision::parse_cascade({reinterpret_cast<const char*>(data), size});
    if (cascade.stages.empty() || cascade.features.empty()) std::abort();
    const bool lbp = cascade.kind == gpu::vision::FeatureKind::lbp;
    for (const auto& feature : cascade.features) {
      const auto& [x, y, width, height, weight] = feature.rectangles.at(0);
      if (lbp && (x < 0 || y < 0 || x + 3 * width > cascade.window.width || y + 3 * height > cascade.window.height))
        std::abort();
    }
    for (const auto& stage : cascade.stages)
      for (const auto& tree : stage.trees) {
        if (tree.code_sets.size() != (lbp ? tree.nodes.size() : 0)) std::abort();
        for (const auto& node : tree.nodes) {
          (void)cascade.features.at(static_cast<std::size_t>(node.feature));
          for (const int child : {node.left, node.right})
            if (child > 0)
              (void)tree.nodes.at(static_cast<std::size_t>(child));
            else
              (void)tree.leaves.at(static_cast<std::size_t>(-child));
        }
      }
  } catch (const gpu::vision::CascadeError& error) {
    const std::string message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
