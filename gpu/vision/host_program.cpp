#include "gpu/vision/host_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace gpu::vision {
namespace {

// The weights that a CornerSum has, in the order of its offsets.
struct Combination {
  CornerSum sum;
  int count;
  std::array<int, 9> weights;
};
constexpr Combination combinations[] = {{CornerSum::once_and_twice, 6, {1, 1, -1, -1, 2, -2}},
                                        {CornerSum::pairs_twice, 8, {1, 1, -1, -1, 2, 2, -2, -2}},
                                        {CornerSum::pairs_three_times, 8, {1, 1, -1, -1, 3, 3, -3, -3}},
                                        {CornerSum::pairs_nine_times, 8, {1, 1, -1, -1, 9, 9, -9, -9}},
                                        {CornerSum::one_two_three, 6, {1, -1, 2, -2, 3, -3}},
                                        {CornerSum::four, 9, {1, 1, 1, 1, -2, -2, -2, -2, 4}},
                                        {CornerSum::four_minus, 9, {-1, -1, -1, -1, 2, 2, 2, 2, -4}}};

// Gives each weight of the combination the next corner of that weight. False if they do not match.
bool assign(const std::vector<Corner>& corners, const Combination& combination, std::array<const Corner*, 9>& order) {
  if (corners.size() != static_cast<std::size_t>(combination.count)) return false;
  std::vector<bool> used(corners.size());
  for (std::size_t i = 0; i < corners.size(); ++i) {
    std::size_t c = 0;
    while (c < corners.size() && (used[c] || corners[c].weight != combination.weights[i])) ++c;
    if (c == corners.size()) return false;
    used[c] = true;
    order[i] = &corners[c];
  }
  return true;
}

}  // namespace

HostPart HostProgramLists::part_of(const FeaturePart& part, bool of_tilted) {
  const auto offset = [&](const Corner& corner) {
    return numbers_.layout.at(corner.x, corner.y) + (of_tilted ? numbers_.plane : 0);
  };
  HostPart result{CornerSum::list, {}};
  std::array<const Corner*, 9> order{};
  for (const auto& combination : combinations)
    if (assign(part.corners, combination, order)) {
      result.sum = combination.sum;
      for (std::size_t i = 0; i < part.corners.size(); ++i) result.offsets[i] = offset(*order[i]);
      return result;
    }
  result.offsets[0] = static_cast<std::int32_t>(corners_.size());
  result.offsets[1] = static_cast<std::int32_t>(part.corners.size());
  for (const auto& corner : part.corners) corners_.push_back({offset(corner), corner.weight});
  return result;
}

HostPart HostProgramLists::part_of(const IntegerFeature& feature) {
  if (feature.parts.size() == 1) return part_of(feature.parts.front(), feature.tilted);
  std::vector<HostPart> several;
  for (const auto& part : feature.parts) several.push_back(part_of(part, feature.tilted));
  const HostPart result{CornerSum::parts,
                        {static_cast<std::int32_t>(parts_.size()), static_cast<std::int32_t>(several.size())}};
  parts_.insert(parts_.end(), several.begin(), several.end());
  return result;
}

// The nodes of a stage: in an order in which parents come before their children, and nodes that are done alike behind each other.
class HostProgramLists::StageWriter {
 public:
  StageWriter(HostProgramLists& program, const IntegerCascade& cascade, const IntegerStage& stage)
      : program_(program), cascade_(cascade), stage_(stage) {
    double most = std::abs(stage.threshold);
    for (const auto& tree : stage.trees) {
      double largest = 0;
      for (const auto& node : tree.nodes) largest = std::max({largest, std::abs(node.below), std::abs(node.above)});
      most += largest;
    }
    // Sums stay below 2^30, and a threshold that is 0 like everything else gets some unit.
    scale_ = std::ldexp(1., 29 - (most > 0 ? std::ilogb(most) + 1 : 0));
  }

  void write() {
    for (const auto& tree : stage_.trees) add_tree(tree);
    std::ranges::stable_sort(nodes_, {}, [](const Sortable& n) { return std::tuple(n.generation, n.role, n.sum); });
    HostStage result{};
    result.first_run = static_cast<std::int32_t>(program_.runs_.size());
    result.first_node = static_cast<std::int32_t>(program_.nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const auto& node = nodes_[i];
      if (i == 0 || std::tuple(node.generation, node.role, node.sum) !=
                        std::tuple(nodes_[i - 1].generation, nodes_[i - 1].role, nodes_[i - 1].sum))
        program_.runs_.push_back({node.sum, node.role, 0});
      ++program_.runs_.back().count;
      program_.nodes_.push_back(node.node);
    }
    result.last_run = static_cast<std::int32_t>(program_.runs_.size());
    // Each tree adds one or, on its way down, several rounded numbers; all but one of them are 0, which needs no rounding.
    const double threshold = stage_.threshold * scale_, error = 0.5 * static_cast<double>(stage_.trees.size());
    result.low = static_cast<std::int32_t>(std::floor(threshold - error));
    result.high = static_cast<std::int32_t>(std::ceil(threshold + error));
    program_.numbers_.slots = std::max(program_.numbers_.slots, slots_);
    program_.stages_.push_back(result);
  }

 private:
  struct Sortable {
    int generation;  // 0: a root
    NodeRole role;
    CornerSum sum;
    HostNode node;
  };

  std::int32_t scaled(double number) const { return static_cast<std::int32_t>(std::lrint(number * scale_)); }

  void add_tree(const IntegerTree& tree) {
    std::vector<int> generations(tree.nodes.size()), slots(tree.nodes.size());
    for (std::size_t n = 0; n < tree.nodes.size(); ++n) {
      const auto& node = tree.nodes[n];
      for (const int child : {node.below_node, node.above_node})
        if (child != 0) {
          generations[static_cast<std::size_t>(child)] = generations[n] + 1;
          slots[static_cast<std::size_t>(child)] = slots_++;
        }
      const auto slot_of = [&](int child) {
        return static_cast<std::uint16_t>(child != 0 ? slots[static_cast<std::size_t>(child)] : 0);
      };
      const HostPart value = program_.part_of(cascade_.features[static_cast<std::size_t>(node.feature)]);
      Sortable record{generations[n], role_of(node, n), value.sum, {}};
      record.node = {node.threshold,
                     scaled(node.below),
                     scaled(node.above),
                     static_cast<std::uint16_t>(slots[n]),
                     slot_of(node.below_node),
                     slot_of(node.above_node),
                     {}};
      if (record.role == NodeRole::root_of_two) {
        record.node.below_slot = std::max(record.node.below_slot, record.node.above_slot);
        record.node.above = node.above_node != 0;
      }
      std::ranges::copy(value.offsets, record.node.offsets);
      nodes_.push_back(record);
    }
  }
  // What the root's leaf would add is in the tree's constant.
  static NodeRole role_of(const IntegerNode& node, std::size_t index) {
    const int children = (node.below_node != 0) + (node.above_node != 0);
    if (index == 0 && children < 2) return children == 0 ? NodeRole::stump : NodeRole::root_of_two;
    return children == 0 ? NodeRole::last : NodeRole::inner;
  }

  HostProgramLists& program_;
  const IntegerCascade& cascade_;
  const IntegerStage& stage_;
  double scale_ = 1;
  int slots_ = 1;  // the first one is reached by all
  std::vector<Sortable> nodes_;
};

HostProgramLists::HostProgramLists(const IntegerCascade& cascade, int step) {
  const int width = HostProgram::padded_width(cascade.window), half = width / 2 + 16;
  numbers_ = {.window = cascade.window,
              .tilted = cascade.tilted,
              .step = step,
              .layout = step == 1 ? TableLayout{width + 16, 2, 1} : TableLayout{2 * half, 1, half}};
  numbers_.plane = numbers_.layout.row * (HostProgram::tile_side_down + cascade.window.height + 3);
  for (const auto& stage : cascade.stages) StageWriter(*this, cascade, stage).write();
  numbers_.stage_count = static_cast<int>(stages_.size());
}

HostProgram HostProgramLists::view() const {
  auto program = numbers_;
  program.stages = stages_.data();
  program.runs = runs_.data();
  program.nodes = nodes_.data();
  program.parts = parts_.data();
  program.corners = corners_.data();
  return program;
}

}  // namespace gpu::vision
