// Cascades of random features and trees, which windows of a smooth random picture pass in stages: for tests that compare two ways to
// evaluate a cascade.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

#include "gpu/image.h"
#include "gpu/vision/cascade.h"

namespace gpu::vision {

struct RandomCascadeKind {
  Size window = {20, 20};
  int stages = 16;
  int trees = 6;              // of the first stage; later ones have more
  bool tilted = false;        // every third feature, but of LBP
  bool larger_trees = false;  // of three and four nodes, too
  bool lbp = false;           // local binary patterns instead of rectangles
  bool grids = false;         // every feature's corners are a CornerPattern other than a list, as in most cascades
};

class RandomCascade {
 public:
  RandomCascade(const RandomCascadeKind& kind, unsigned seed) : kind_(kind), random_(seed) {}

  Cascade make() {
    cascade_ = {};
    cascade_.window = kind_.window;
    cascade_.tilted = kind_.tilted && !kind_.lbp;
    cascade_.kind = kind_.lbp ? FeatureKind::lbp : FeatureKind::haar;
    for (int s = 0; s < kind_.stages; ++s) {
      CascadeStage stage;
      const int trees = kind_.trees + s * 2;
      for (int t = 0; t < trees; ++t) stage.trees.push_back(tree());
      // Sums of as many leaves between -1 and 1 have about this deviation: most pass.
      stage.threshold = static_cast<float>(-0.6 * std::sqrt(trees));
      cascade_.stages.push_back(stage);
    }
    return cascade_;
  }

 private:
  int number(int least, int most) { return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1)); }
  float leaf() { return static_cast<float>(number(-1024, 1024)) / 1024.0f; }
  float threshold() { return static_cast<float>(number(-400, 400)) / 8192.0f; }

  CascadeTree tree() {
    const int kind = number(0, kind_.larger_trees ? 5 : 2);
    CascadeTree tree;
    const auto node = [&](int left, int right) {
      tree.nodes.push_back({left, right, feature(), kind_.lbp ? 0 : threshold()});
      if (kind_.lbp) tree.code_sets.push_back(code_set());
    };
    switch (kind) {
      case 0: node(0, -1); break;
      case 1: node(1, 0), node(-1, -2); break;
      case 2: node(0, 1), node(-1, -2); break;
      case 3: node(1, 2), node(0, -1), node(-2, -3); break;
      case 4: node(1, 0), node(2, -1), node(-2, -3); break;
      default: node(1, 2), node(0, 3), node(-1, -2), node(-3, -4); break;
    }
    for (std::size_t k = 0; k <= tree.nodes.size(); ++k) tree.leaves.push_back(leaf());
    return tree;
  }

  CodeSet code_set() {
    CodeSet set;
    for (auto& word : set.words) word = static_cast<std::uint32_t>(random_());
    return set;
  }

  int feature() {
    CascadeFeature feature;
    const auto [width, height] = kind_.window;
    if (kind_.lbp) {
      const int w = number(1, std::min(width / 3, 16)), h = number(1, std::min(height / 3, 16));
      feature.rectangles = {{number(0, width - 3 * w), number(0, height - 3 * h), w, h, 1}};
    } else if (kind_.tilted && number(0, 2) == 0) {
      // Both directions together are no more than half of the window.
      const int w = number(1, std::min(width, height) / 4), h = number(1, std::min(width, height) / 4);
      const int x = number(2 * h, width - 2 * w), y = number(0, height - 2 * w - 2 * h);
      feature.tilted = true;
      if (number(0, 1))
        feature.rectangles = {{x, y, 2 * w, h, -1}, {x, y, w, h, 2}};
      else
        feature.rectangles = {{x, y, w, 2 * h, -1}, {x, y, w, h, 2}};
    } else {
      const int columns = number(1, 3), rows = columns == 1 ? number(2, 3) : columns == 2 ? number(1, 2) : 1;
      const int w = number(1, width / columns), h = number(1, height / rows);
      const int x = number(0, width - columns * w), y = number(0, height - rows * h);
      feature.rectangles = {{x, y, columns * w, rows * h, -1}};
      if (columns == 2 && rows == 2)
        feature.rectangles.insert(feature.rectangles.end(), {{x, y, w, h, 2}, {x + w, y + h, w, h, 2}});
      else if (columns == 3 || rows == 3)
        feature.rectangles.push_back({x + (columns == 3 ? w : 0), y + (rows == 3 ? h : 0), w, h, 3});
      else if (!kind_.grids && number(0, 4) == 0 && w > 2 && h > 2)  // no grid that has a name
        feature.rectangles.push_back({x + 1, y + 1, w - 1, h - 1, 2});
      else
        feature.rectangles.push_back({x, kind_.grids && rows == 2 ? y + h : y, w, h, 2});
    }
    cascade_.features.push_back(feature);
    return static_cast<int>(cascade_.features.size()) - 1;
  }

  RandomCascadeKind kind_;
  std::mt19937 random_;
  Cascade cascade_;
};

// Gray waves and noise, with a flat and a dark part.
inline Image<std::uint8_t> wavy_picture(Size size, unsigned seed) {
  Image<std::uint8_t> image(size, Device::host);
  std::mt19937 random(seed);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double wave = std::sin(x * 0.21 + seed) + std::sin(y * 0.17 + x * 0.05) + std::sin((x + y) * 0.4);
      const int noise = static_cast<int>(random() % 40);
      const bool flat = x > size.width / 2 && y < size.height / 5;
      image.view()(x, y) = static_cast<std::uint8_t>(flat ? 90 : 100 + 30 * wave + noise);
    }
  return image;
}

}  // namespace gpu::vision
