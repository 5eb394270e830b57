// Cascades for tests: a small one made by hand, and any cascade as a file of either format.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "gpu/vision/cascade.h"

namespace gpu::vision {

// Every digit that a float needs, in the notation of OpenCV's files.
inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.16e", value);
  return text;
}

inline std::string rect_text(const WeightedRectangle& r) {
  return std::to_string(r.x) + ' ' + std::to_string(r.y) + ' ' + std::to_string(r.width) + ' ' + std::to_string(r.height);
}

inline std::string rects_text(const CascadeFeature& feature) {
  std::string text = "<rects>\n";
  for (const auto& r : feature.rectangles) text += "<_>" + rect_text(r) + ' ' + number_text(r.weight) + "</_>\n";
  return text + "</rects>" + (feature.tilted ? "<tilted>1</tilted>" : "<tilted>0</tilted>");
}

// What decides which side a node takes.
inline std::string decision_text(const CascadeTree& tree, std::size_t node) {
  if (tree.code_sets.empty()) return number_text(tree.nodes[node].threshold);
  std::string text;
  for (const auto word : tree.code_sets[node].words)
    text += (text.empty() ? "" : " ") + std::to_string(static_cast<std::int32_t>(word));
  return text;
}

// In stages, the thresholds are the file's: more than the cascade's by OpenCV's 1e-5f, which the reader subtracts again.
inline std::string stage_threshold_text(float threshold) {
  float in_file = threshold + 1e-5f;
  while (in_file - 1e-5f < threshold) in_file = std::nextafterf(in_file, 1e30f);
  while (in_file - 1e-5f > threshold) in_file = std::nextafterf(in_file, -1e30f);
  return number_text(in_file);
}

inline std::string new_format_text(const Cascade& cascade) {
  const bool lbp = cascade.kind == FeatureKind::lbp;
  std::string text =
      "<?xml version=\"1.0\"?>\n<opencv_storage>\n<cascade "
      "type_id=\"opencv-cascade-classifier\"><stageType>BOOST</stageType>\n"
      "<featureType>" +
      std::string(lbp ? "LBP" : "HAAR") + "</featureType>\n<height>" + std::to_string(cascade.window.height) +
      "</height>\n<width>" + std::to_string(cascade.window.width) +
      "</width>\n<stageParams><maxWeakCount>1</maxWeakCount></stageParams>\n<featureParams><maxCatCount>" +
      std::string(lbp ? "256" : "0") + "</maxCatCount></featureParams>\n<stageNum>" + std::to_string(cascade.stages.size()) +
      "</stageNum>\n<stages>\n";
  for (const auto& stage : cascade.stages) {
    text += "<_>\n<stageThreshold>" + stage_threshold_text(stage.threshold) + "</stageThreshold>\n<weakClassifiers>\n";
    for (const auto& tree : stage.trees) {
      text += "<_><internalNodes>\n";
      for (std::size_t n = 0; n < tree.nodes.size(); ++n)
        text += std::to_string(tree.nodes[n].left) + ' ' + std::to_string(tree.nodes[n].right) + ' ' +
                std::to_string(tree.nodes[n].feature) + ' ' + decision_text(tree, n) + '\n';
      text += "</internalNodes><leafValues>\n";
      for (const float leaf : tree.leaves) text += number_text(leaf) + '\n';
      text += "</leafValues></_>\n";
    }
    text += "</weakClassifiers></_>\n";
  }
  text += "</stages>\n<features>\n";
  for (const auto& feature : cascade.features)
    text += "<_>" + (lbp ? "<rect>" + rect_text(feature.rectangles[0]) + "</rect>" : rects_text(feature)) + "</_>\n";
  return text + "</features></cascade>\n</opencv_storage>\n";
}

inline std::string old_format_text(const Cascade& cascade) {
  std::string text = "<?xml version=\"1.0\"?>\n<opencv_storage>\n<by_hand type_id=\"opencv-haar-classifier\">\n<size>" +
                     std::to_string(cascade.window.width) + ' ' + std::to_string(cascade.window.height) +
                     "</size>\n<stages>\n";
  int stages = 0;
  for (const auto& stage : cascade.stages) {
    text += "<_>\n<!-- stage -->\n<trees>\n";
    for (const auto& tree : stage.trees) {
      text += "<_>\n";
      for (const auto& node : tree.nodes) {
        text += "<_><feature>" + rects_text(cascade.features[static_cast<std::size_t>(node.feature)]) +
                "</feature><threshold>" + number_text(node.threshold) + "</threshold>\n";
        const auto child = [&](const std::string& side, int index) {
          return index > 0 ? '<' + side + "_node>" + std::to_string(index) + "</" + side + "_node>"
                           : '<' + side + "_val>" + number_text(tree.leaves[static_cast<std::size_t>(-index)]) + "</" +
                                 side + "_val>";
        };
        text += child("left", node.left) + child("right", node.right) + "</_>\n";
      }
      text += "</_>\n";
    }
    text += "</trees>\n<stage_threshold>" + stage_threshold_text(stage.threshold) + "</stage_threshold>\n<parent>" +
            std::to_string(stages++ - 1) + "</parent><next>-1</next></_>\n";
  }
  return text + "</stages></by_hand>\n</opencv_storage>\n";
}

// In a window of 24x24: the usual ones, tilted ones, some whose values do not fit 16 bits, and some without a pattern.
inline std::vector<CascadeFeature> features_of_every_kind() {
  return {{{{2, 2, 12, 12, -1}, {2, 8, 12, 6, 2}}, false},
          {{{2, 2, 12, 12, -1}, {2, 2, 6, 12, 2}}, false},
          {{{2, 2, 12, 12, -1}, {8, 2, 6, 12, 2}}, false},
          {{{2, 2, 12, 12, -1}, {2, 6, 12, 4, 3}}, false},
          {{{2, 2, 12, 12, -1}, {6, 2, 4, 12, 3}}, false},
          {{{2, 2, 12, 12, -1}, {2, 2, 6, 6, 2}, {8, 8, 6, 6, 2}}, false},
          {{{2, 2, 12, 12, -1}, {8, 2, 6, 6, 2}, {2, 8, 6, 6, 2}}, false},
          {{{2, 2, 12, 12, -1}, {6, 6, 4, 4, 9}}, false},
          {{{12, 1, 6, 10, -1}, {12, 1, 3, 10, 2}}, true},
          {{{12, 1, 9, 6, -1}, {15, 4, 3, 6, 3}}, true},
          {{{0, 0, 24, 24, -1}, {0, 8, 24, 8, 3}}, false},
          {{{0, 0, 24, 24, -1}, {0, 0, 12, 12, 2}, {12, 12, 12, 12, 2}}, false},
          {{{12, 0, 12, 12, -1}, {12, 0, 12, 4, 3}}, true},
          {{{0, 0, 24, 24, 3}}, false},
          {{{3, 1, 5, 7, -4}, {4, 3, 2, 2, 7}, {10, 10, 13, 14, 1}}, false}};
}

// Two stages in a window of 8x6: a stump; a stump and a tree of three nodes, one of them tilted.
inline Cascade small_cascade() {
  Cascade cascade;
  cascade.name = "cascade";
  cascade.window = {8, 6};
  cascade.tilted = true;
  cascade.features = {{{{0, 0, 8, 6, -1}, {0, 2, 8, 2, 3}}, false},
                      {{{1, 1, 4, 4, -1}, {3, 1, 2, 4, 2}}, false},
                      {{{4, 0, 2, 2, -1}, {4, 0, 1, 2, 2}}, true},
                      {{{0, 0, 4, 4, -1}, {0, 0, 2, 2, 2}, {2, 2, 2, 2, 2}}, false}};
  cascade.stages = {{-0.25f, {{{{0, -1, 0, 0.0125f}}, {-0.5f, 0.75f}}}},
                    {0.125f,
                     {{{{0, -1, 1, -0.5f}}, {0.25f, -0.125f}},
                      {{{1, 2, 1, 0.f}, {0, -1, 2, 0.01f}, {-2, -3, 3, -0.02f}}, {0.5f, -0.25f, 0.125f, 1.f}}}}};
  return cascade;
}

// Two stages of LBP in a window of 8x7: a stump; a stump and a tree of three nodes.
inline Cascade small_lbp_cascade() {
  Cascade cascade;
  cascade.name = "cascade";
  cascade.window = {8, 7};
  cascade.kind = FeatureKind::lbp;
  cascade.features = {{{{0, 0, 2, 2, 1}}, false}, {{{1, 1, 1, 2, 1}}, false}, {{{5, 4, 1, 1, 1}}, false}};
  constexpr CodeSet low{{~0u, ~0u, ~0u, ~0u, 0, 0, 0, 0}},
      odd{{0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa, 0xaaaaaaaa}},
      some{{1u << 31, 1, 0xf0f0f0f0, 0x0ff00ff0, 2, 3, 5, ~0u}};
  cascade.stages = {{-0.25f, {{{{0, -1, 0, 0}}, {-0.5f, 0.75f}, {low}}}},
                    {0.125f,
                     {{{{0, -1, 1, 0}}, {0.25f, -0.125f}, {odd}},
                      {{{1, 2, 1, 0}, {0, -1, 2, 0}, {-2, -3, 0, 0}}, {0.5f, -0.25f, 0.125f, 1.f}, {some, low, odd}}}}};
  return cascade;
}

}  // namespace gpu::vision
