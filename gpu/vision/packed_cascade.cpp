#include "gpu/vision/packed_cascade.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>

namespace gpu::vision {

// --- for the host

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
  const auto& corners = feature.parts.front().corners;
  if (feature.parts.front().pattern == CornerPattern::blocks) {
    HostCodes codes{{}, {}, feature.codes};
    for (std::size_t k = 0; k < 4; ++k) {
      codes.rows[k] = numbers_.layout.row_at(corners[4 * k].y);
      codes.columns[k] = numbers_.layout.column_at(corners[k].x);
    }
    codes_.push_back(codes);
    return {CornerSum::codes, {static_cast<std::int32_t>(codes_.size()) - 1}};
  }
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
              .has_factors = cascade.kind == FeatureKind::haar,
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
  program.codes = codes_.data();
  return program;
}

// --- for kernels

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
      if (feature.parts[part].pattern != CornerPattern::blocks)
        record.kind |= static_cast<std::uint32_t>(feature.parts[part].pattern);
      if (feature.parts[part].pattern == CornerPattern::list)
        add_list(feature.parts[part], feature.tilted, record, place);
      else
        add_grid(feature.parts[part], record, place);
    }
    if (cascade_.kind == FeatureKind::lbp) records_.push_back(std::bit_cast<NodeRecord>(feature.codes));
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

// Dynamic shared memory of a tile, as TileTables divides it. What stages need from the second one on lies where the squares were.
std::size_t tile_bytes(const TileShape& shape, int step, int rows) {
  const auto table_rows = static_cast<std::size_t>(round_up(rows + shape.window.height, 4));
  const auto tables = table_rows * static_cast<std::size_t>(shape.pitch) * 4 * (shape.tilted ? 2 : 1);
  const auto squares = table_rows * static_cast<std::size_t>(shape.squares_pitch(step)) * 4;
  const auto later = sizeof(double) * partial_sums + std::size_t{search_threads} * 16;
  const auto windows = static_cast<std::size_t>(tile_columns / step) * static_cast<std::size_t>(rows / step);
  const auto factors = windows * sizeof(float), queues = windows * sizeof(std::uint16_t);  // two queues of pairs
  return tables + std::max(squares, later) + factors + queues + static_cast<std::size_t>(shape.first_length) * 16;
}

// As many rows as fit, at most as many as a queue's entry can name. False if that is none.
bool choose_rows(TileShape& shape, std::size_t bytes) {
  constexpr int least[] = {4, 8}, most[] = {124, 208};
  shape.shared_bytes = 0;
  for (int step : {1, 2}) {
    auto& rows = shape.rows[step - 1];
    rows = most[step - 1];
    while (rows > 0 && tile_bytes(shape, step, rows) > bytes) rows -= least[step - 1];
    if (rows <= 0) return false;
    shape.table_rows[step - 1] = round_up(rows + shape.window.height, 4);
    shape.shared_bytes = std::max(shape.shared_bytes, tile_bytes(shape, step, rows));
  }
  return true;
}

std::size_t patch_bytes(const TileShape& shape, int longest_stage) {
  const auto entries = static_cast<std::size_t>(shape.window.width + 1) * static_cast<std::size_t>(shape.window.height + 1);
  return (entries * patch_pitch * 4 * (shape.tilted ? 2 : 1) + 15) / 16 * 16 + sizeof(double) * 2 * search_warps * 32 +
         static_cast<std::size_t>(longest_stage) * 16;
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
  shape.squares = cascade.kind == FeatureKind::haar;
  shape.area = static_cast<std::uint32_t>(deviation_area(cascade.window));
  shape.least_refused = least_refused_factor(shape.area);
  const int rows_per_part = 257 / (width - 2);  // 257 white pixels are 65535
  shape.norm_parts = !shape.squares       ? 0
                     : rows_per_part == 0 ? most_norm_parts + 1
                                          : (height - 2 + rows_per_part - 1) / rows_per_part;
  for (int k = 0; shape.squares && k <= std::min(shape.norm_parts, most_norm_parts); ++k)
    shape.norm_rows[k] = static_cast<std::uint8_t>(1 + (height - 2) * k / shape.norm_parts);
  shape.stages = static_cast<int>(cascade.stages.size());
  return shape;
}

// After how many stages few windows are left, so that it is better to gather those of all tiles.
constexpr int usual_tile_stages = 12;

}  // namespace

std::optional<DeviceCascade> pack(const IntegerCascade& cascade, std::size_t shared_bytes) {
  if (!cascade.exact || cascade.stages.empty()) return {};
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
      if (packer.general() || cascade.tilted) packed.form = RecordForm::any;
      auto& longest = version < 2 ? longest_tile_stage : longest_patch_stage;
      longest = std::max(longest, packer.length());
      if (version == 0 && longest_tile_stage <= search_threads) ++fitting;
    }
  if (cascade.kind == FeatureKind::lbp) packed.form = RecordForm::codes;
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

// --- for all detectors

const IntegerCascade& PreparedCascade::integers() const {
  std::call_once(integers_made_, [this] { integers_ = integer_cascade(cascade_); });
  return integers_;
}

const WrittenCascadeLists& PreparedCascade::written() const {
  std::call_once(written_made_, [this] { written_ = WrittenCascadeLists(cascade_); });
  return written_;
}

const std::array<HostProgramLists, 2>& PreparedCascade::programs() const {
  std::call_once(programs_made_, [this] {
    if (!integers().exact) return;
    for (const int step : {1, 2}) programs_[static_cast<std::size_t>(step - 1)] = HostProgramLists(integers(), step);
  });
  return programs_;
}

std::shared_ptr<const DeviceCascade> PreparedCascade::packed(const GpuLimits& limits) const {
  const std::lock_guard lock(packed_mutex_);
  auto at = packed_.find(limits.shared_bytes);
  if (at == packed_.end()) {
    auto made = pack(integers(), limits.shared_bytes);
    at =
        packed_.emplace(limits.shared_bytes, made ? std::make_shared<const DeviceCascade>(*std::move(made)) : nullptr).first;
  }
  return at->second;
}

}  // namespace gpu::vision
