#include "app/session/cascade_words.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <set>

#include "app/control/fields.h"
#include "app/support/text.h"

namespace app {

int shown_feature(const gpu::vision::WindowStages& window, const Settings& settings) {
  const int stage = shown_stage(window, settings);
  if (stage < 0) return -1;
  return std::min(settings.cascade_feature, static_cast<int>(window.stages[static_cast<std::size_t>(stage)].nodes.size())) -
         1;
}

std::string result_words(const CascadeWindow& window) {
  const auto& stages = window.stages;
  if (stages.stages.empty()) return "too little contrast: rejected before the first stage";
  const auto all = "passes " + std::to_string(stages.passed) + " of " + std::to_string(stages.stages.size()) + " stages";
  return stages.visited ? all : all + ", but is left out: the window on its left fails at the first stage";
}

std::string stage_words(const gpu::vision::WindowStages& window, int index) {
  const auto& stage = window.stages[static_cast<std::size_t>(index)];
  const auto result = index <= window.passed ? stage.passed() ? "passed" : "rejected"
                      : stage.passed()       ? "not reached (would pass)"
                                             : "not reached (would be rejected)";
  return "stage " + std::to_string(index + 1) + ": sum " + number(stage.sum, 3) + ", threshold " +
         number(stage.threshold, 3) + ": " + result;
}

std::string feature_words(const gpu::vision::Cascade& cascade, const gpu::vision::NodeResult& node, int index) {
  auto words = "feature " + std::to_string(index + 1) + ": ";
  if (cascade.kind == gpu::vision::FeatureKind::lbp)
    words += "code " + std::bitset<8>(static_cast<unsigned>(node.value)).to_string() +
             (node.left ? " is in its set" : " is not in its set");
  else
    words += number(static_cast<double>(node.value), 4) + (node.value < node.threshold ? " is below " : " is not below ") +
             number(static_cast<double>(node.threshold), 4);
  if (node.vote) words += ": vote " + number(static_cast<double>(*node.vote), 3);
  if (node.reached && !node.vote) words += ": another feature of its tree votes";
  return node.reached ? words : words + ", not evaluated";
}

std::string drawing_words(const gpu::vision::Cascade& cascade, const gpu::vision::NodeResult& node) {
  const auto& feature = cascade.features[static_cast<std::size_t>(node.feature)];
  if (cascade.kind == gpu::vision::FeatureKind::lbp) {
    const auto& block = feature.rectangles.front();
    return "3x3 blocks of " + text_of(gpu::Size{block.width, block.height}) +
           ": white where not below the middle, else black";
  }
  std::set<float> weights;
  for (const auto& rectangle : feature.rectangles) weights.insert(rectangle.weight);
  std::string words;
  for (const auto weight : weights)
    words += (words.empty() ? "" : ", ") + std::string(weight < 0 ? "black " : "white +") +
             number_as_text(static_cast<double>(weight));
  return words;
}

std::string votes_words(const gpu::vision::StageResult& stage) {
  std::string votes;
  for (const auto& node : stage.nodes) {
    if (!node.vote) continue;
    const auto value = static_cast<double>(*node.vote);
    votes += (votes.empty() ? value < 0 ? "-" : "" : value < 0 ? " - " : " + ") + number(std::abs(value), 3);
  }
  return "Votes of " + counted(stage.nodes.size(), "feature") + ": " + votes + " = " + number(stage.sum, 3);
}

std::string place_words(const CascadeWindow& window) {
  const auto& box = window.stages.window;
  return text_of(gpu::Size{box.width, box.height}) + " at (" + std::to_string(box.x) + ", " + std::to_string(box.y) +
         "), size " + std::to_string(window.stages.level + 1) + " of " + std::to_string(window.levels) + ", " + window.name;
}

}  // namespace app
