#include "gpu/vision/device_cascade.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace gpu::vision {
namespace {

constexpr int round_up(int value, int unit) { return (value + unit - 1) / unit * unit; }

// The records of a stage.
class StagePacker {
 public:
  StagePacker(const IntegerCascade& cascade, const TableLayout& layout) : cascade_(cascade), layout_(layout) {}

  // False if it cannot be packed.
  bool pack(const IntegerStage& stage) {
    threshold_ = stage.threshold;
    std::vector<std::size_t> starts;
    for (const auto& tree : stage.trees) {
      starts.push_back(records_.size());
      if (!pack(tree)) return false;
    }
    starts.push_back(records_.size());
    for (std::size_t k = 0; k <= 32; ++k) begin_[k] = static_cast<std::uint16_t>(starts[stage.trees.size() * k / 32]);
    return fits_ && records_.size() < 32768;
  }
  int length() const { return header_length + 2 * static_cast<int>(records_.size()); }
  bool general() const { return general_; }

  void append_to(std::vector<std::uint32_t>& words, int next_length) const {
    StageHeader header{threshold_, static_cast<std::uint16_t>(length()), static_cast<std::uint16_t>(next_length), {}, 0};
    std::ranges::copy(begin_, header.begin);
    append(words, &header, sizeof header);
    append(words, records_.data(), records_.size() * sizeof(NodeRecord));
  }

 private:
  static void append(std::vector<std::uint32_t>& words, const void* data, std::size_t bytes) {
    const auto size = words.size();
    words.resize(size + bytes / sizeof(std::uint32_t));
    if (bytes > 0) std::memcpy(&words[size], data, bytes);
  }

  bool pack(const IntegerTree& tree) {
    const auto& nodes = tree.nodes;
    const auto& root = nodes[0];
    if (nodes.size() == 1) {
      add_node(root, root.above, 0, 0);
    } else if (nodes.size() == 2) {
      add_node(root, nodes[1].below, node_kind::root_of_two | (root.above_node != 0 ? node_kind::other_above : 0), 0);
      add_node(nodes[1], nodes[1].above, 0, 0);
    } else {
      return pack_larger(tree);
    }
    return true;
  }

  // Each node has a bit in a mask of those that were visited, and adds the difference between what its two sides give if no node
  // below adds anything. On the way down, what was added is what some leaf would give: as exact as the leaves' sums.
  bool pack_larger(const IntegerTree& tree) {
    const auto& nodes = tree.nodes;
    if (nodes.size() > 32) return false;
    general_ = true;
    std::vector<double> least(nodes.size());  // what the node gives if all below it are below their thresholds
    for (auto k = nodes.size(); k-- > 0;)
      least[k] = nodes[k].below_node ? least[static_cast<std::size_t>(nodes[k].below_node)] : nodes[k].below;
    threshold_ -= least[0];
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const auto& node = nodes[k];
      const double above = node.above_node ? least[static_cast<std::size_t>(node.above_node)] : node.above;
      const auto place = static_cast<std::uint32_t>(k) | static_cast<std::uint32_t>(node.below_node) << 5 |
                         static_cast<std::uint32_t>(node.above_node) << 10;
      add_node(node, above - least[k], node_kind::in_tree, place);
    }
    return true;
  }

  void add_node(const IntegerNode& node, double addition, std::uint32_t kind, std::uint32_t place) {
    const auto& feature = cascade_.features[static_cast<std::size_t>(node.feature)];
    for (std::size_t part = 0; part < feature.parts.size(); ++part) {
      NodeRecord record{node.threshold, {}, part == 0 ? kind : 0, {}};
      const auto bits = std::bit_cast<std::uint64_t>(addition);
      record.addition[0] = static_cast<std::uint32_t>(bits), record.addition[1] = static_cast<std::uint32_t>(bits >> 32);
      if (part + 1 < feature.parts.size()) record.kind |= node_kind::parts_follow;
      record.kind |= static_cast<std::uint32_t>(feature.parts[part].pattern);
      if (feature.parts[part].pattern == CornerPattern::list)
        add_list(feature.parts[part], feature.tilted, record, place);
      else
        add_grid(feature.parts[part], record, place);
    }
  }

  void add_grid(const FeaturePart& part, NodeRecord& record, std::uint32_t place) {
    record.kind |= place << node_kind::first_bit;
    // The corners are sorted row by row, and each row has all columns.
    const auto& corners = part.corners;
    std::size_t across = 0;
    while (across < corners.size() && corners[across].y == corners[0].y) ++across;
    const auto down = across == 0 ? 0 : corners.size() / across;
    if (across > 4 || down > 4) throw std::logic_error("a pattern of corners has more than four rows or columns");
    for (std::size_t k = 0; k < down; ++k) set(record.offsets[k], layout_.row_at(corners[k * across].y));
    for (std::size_t k = 0; k < across; ++k) set(record.offsets[4 + k], layout_.column_at(corners[k].x));
    records_.push_back(record);
  }

  void add_list(const FeaturePart& part, bool tilted, NodeRecord& record, std::uint32_t place) {
    general_ = true;
    std::vector<Corner> corners;  // with weights of four bits
    for (auto corner : part.corners)
      for (int left = corner.weight; left != 0; left -= corner.weight) {
        corner.weight = std::clamp(left, -8, 7);
        corners.push_back(corner);
      }
    record.offsets[6] = tilted;
    record.offsets[7] = static_cast<std::uint16_t>(place);
    for (std::size_t first = 0; first < corners.size(); first += node_kind::corners_per_record) {
      auto one = record;
      if (first > 0) one.kind = record.kind & (node_kind::pattern | node_kind::parts_follow);
      for (std::size_t k = first; k < std::min(first + node_kind::corners_per_record, corners.size()); ++k) {
        const auto& corner = corners[k];
        set(one.offsets[k - first], layout_.at(corner.x, corner.y));
        one.kind |= (static_cast<std::uint32_t>(corner.weight) & 15u)
                    << (node_kind::first_bit + 4 * static_cast<int>(k - first));
      }
      if (first + node_kind::corners_per_record < corners.size()) one.kind |= node_kind::corners_follow;
      records_.push_back(one);
    }
  }

  void set(std::uint16_t& to, int offset) {
    fits_ = fits_ && offset <= std::numeric_limits<std::uint16_t>::max();
    to = static_cast<std::uint16_t>(offset);
  }

  const IntegerCascade& cascade_;
  TableLayout layout_;
  double threshold_ = 0;
  std::vector<NodeRecord> records_;
  std::array<std::uint16_t, 33> begin_{};
  bool fits_ = true, general_ = false;
};

// The least factor f for which OpenCV refuses a window: area * f, rounded to float, is not below 0.1.
float least_refused_factor(std::uint32_t area) {
  const auto refused = [&](float factor) { return static_cast<double>(static_cast<float>(area) * factor) >= 1e-1; };
  float factor = 0.1f / static_cast<float>(area);
  while (refused(factor)) factor = std::nextafter(factor, 0.0f);
  while (!refused(factor)) factor = std::nextafter(factor, 1.0f);
  return factor;
}

// As many rows as fit, at most as many as a queue's entry can name. False if that is none.
bool choose_rows(TileShape& shape, std::size_t bytes) {
  constexpr int least[] = {4, 8}, most[] = {124, 208};
  shape.shared_bytes = 0;
  for (int step : {1, 2}) {
    auto& rows = shape.rows[step - 1];
    rows = most[step - 1];
    auto& table_rows = shape.table_rows[step - 1];
    const auto needed = [&] {
      table_rows = round_up(rows + shape.window.height, 4);
      return static_cast<std::size_t>(tile_memory(shape, step, shape.tilted).end);
    };
    while (rows > 0 && needed() > bytes) rows -= least[step - 1];
    if (rows <= 0) return false;
    shape.shared_bytes = std::max(shape.shared_bytes, needed());
  }
  return true;
}

std::size_t patch_bytes(const TileShape& shape, int longest_stage) {
  return static_cast<std::size_t>(patch_memory(shape.window, shape.tilted).stage) +
         std::size_t{16} * static_cast<std::size_t>(longest_stage);
}

TileShape shape_of(const IntegerCascade& cascade) {
  const auto [width, height] = cascade.window;
  TileShape shape{};
  shape.window = cascade.window;
  shape.column_groups = (tile_columns + width + 7) / 8;
  shape.pitch = 8 * shape.column_groups + 4;
  shape.half = 4 * shape.column_groups;
  shape.tilted = cascade.tilted;
  shape.odd_width = width % 2 != 0;
  shape.area = static_cast<std::uint32_t>(deviation_area(cascade.window));
  shape.least_refused = least_refused_factor(shape.area);
  const int rows_per_part = 257 / (width - 2);  // 257 white pixels are 65535
  shape.norm_parts = rows_per_part == 0 ? most_norm_parts + 1 : (height - 2 + rows_per_part - 1) / rows_per_part;
  for (int k = 0; k <= std::min(shape.norm_parts, most_norm_parts); ++k)
    shape.norm_rows[k] = static_cast<std::uint8_t>(1 + (height - 2) * k / shape.norm_parts);
  shape.stages = static_cast<int>(cascade.stages.size());
  return shape;
}

// After how many stages few windows are left, so that it is better to gather those of all tiles.
constexpr int usual_tile_stages = 12;

}  // namespace

std::optional<DeviceCascade> pack(const IntegerCascade& cascade, std::size_t shared_bytes) {
  if (!cascade.exact || !cascade.packed || cascade.stages.empty()) return {};
  DeviceCascade packed{};
  auto& shape = packed.shape;
  shape = shape_of(cascade);
  if (shape.column_groups > 32 || shape.norm_parts > most_norm_parts || cascade.window.height > 255) return {};
  const int row = shape.pitch * 4;
  const TableLayout layouts[] = {
      {row, 8, 4}, {row, 4, shape.half * 4}, {(cascade.window.width + 1) * patch_pitch, 2 * patch_pitch, patch_pitch}};
  std::vector<StagePacker> stages[3];
  int longest_tile_stage = 0, longest_patch_stage = 0, fitting = 0;
  for (int version = 0; version < 3; ++version)
    for (const auto& stage : cascade.stages) {
      auto& packer = stages[version].emplace_back(cascade, layouts[version]);
      if (!packer.pack(stage)) {
        if (version < 2) return {};
        longest_patch_stage = std::numeric_limits<int>::max();
      }
      packed.general = packed.general || packer.general() || cascade.tilted;
      auto& longest = version < 2 ? longest_tile_stage : longest_patch_stage;
      longest = std::max(longest, packer.length());
      if (version == 0 && longest_tile_stage <= search_threads) ++fitting;
    }
  if (fitting == 0) return {};

  // Two blocks on a multiprocessor, each of which also takes 1 KB for the system and some static memory; one where only so tiles
  // are of a good height.
  shape.first_length = stages[0][0].length();
  const std::size_t own = 1024, fixed = 512, all = shared_bytes - fixed;
  if (!choose_rows(shape, (shared_bytes + own) / 2 - own - fixed) || shape.rows[0] < 16)
    if (!choose_rows(shape, all)) return {};

  // Where patches of whole windows do not fit, tiles go on to the end.
  const bool patches = longest_patch_stage <= 2 * search_threads && patch_bytes(shape, longest_patch_stage) <= all;
  if (!patches && fitting < shape.stages) return {};
  shape.tile_stages = patches ? std::min(fitting, usual_tile_stages) : shape.stages;
  packed.patch_bytes = patches ? patch_bytes(shape, longest_patch_stage) : 0;
  const auto write = [&](const std::vector<StagePacker>& packers, std::vector<std::uint32_t>& words) {
    for (std::size_t k = 0; k < packers.size(); ++k)
      packers[k].append_to(words, k + 1 < packers.size() ? packers[k + 1].length() : 0);
  };
  write(stages[0], packed.tile_words[0]);
  write(stages[1], packed.tile_words[1]);
  if (patches) write(stages[2], packed.patch_words);
  std::uint32_t start = 0;
  for (const auto& packer : stages[2]) {
    packed.patch_starts.push_back(start);
    start += static_cast<std::uint32_t>(packer.length());
  }
  return packed;
}

}  // namespace gpu::vision
