#include "gpu/vision/cascade.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>

#include "gpu/vision/cascade_xml.h"

namespace gpu::vision {
namespace {

std::string with_line(int line, std::string_view cause) {
  return line ? "line " + std::to_string(line) + ": " + std::string(cause) : std::string(cause);
}

std::string shown(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

[[noreturn]] void fail(const Element& element, const std::string& cause) { throw CascadeError(element.line, cause); }

// The numbers in an element's text, one after another.
class Numbers {
 public:
  explicit Numbers(const Element& element) : element_(element), rest_(element.text) {}

  bool done() {
    std::size_t blanks = 0;
    while (blanks < rest_.size() && is_blank(rest_[blanks])) ++blanks;
    rest_.remove_prefix(blanks);
    return rest_.empty();
  }
  double real() {
    if (done()) fail(element_, "a number is missing in " + quoted(element_.name));
    const auto word = std::string_view(rest_.begin(), std::ranges::find_if(rest_, is_blank));
    double value = 0;
    const auto digits = word.starts_with('+') ? word.substr(1) : word;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size())
      fail(element_, "no number in " + quoted(element_.name));
    if (error != std::errc() || !std::isfinite(value))
      fail(element_, "a number in " + quoted(element_.name) + " is not finite or out of range");
    rest_.remove_prefix(word.size());
    return value;
  }
  float real32() {
    const double value = real();
    if (std::abs(value) > std::numeric_limits<float>::max())
      fail(element_, "a number in " + quoted(element_.name) + " is too large: " + shown(value));
    return static_cast<float>(value);
  }
  int integer(int least, int most, const char* what) {
    const double value = real();
    if (value != std::floor(value)) fail(element_, std::string(what) + " is not an integer: " + shown(value));
    if (value < least || value > most)
      fail(element_,
           std::string(what) + " must be " + std::to_string(least) + " to " + std::to_string(most) + ": " + shown(value));
    return static_cast<int>(value);
  }
  void end() {
    if (!done()) fail(element_, "too many numbers in " + quoted(element_.name));
  }

 private:
  const Element& element_;
  std::string_view rest_;
};

float single_real(const Element& element) {
  Numbers numbers(element);
  const float value = numbers.real32();
  numbers.end();
  return value;
}
int single_integer(const Element& element, int least, int most, const char* what) {
  Numbers numbers(element);
  const int value = numbers.integer(least, most, what);
  numbers.end();
  return value;
}

// Reads both formats into one cascade.
class CascadeReader {
 public:
  explicit CascadeReader(std::string_view text) : xml_(text) {}

  Cascade read() {
    const Element& root = xml_.root();
    if (root.name != "opencv_storage") fail(root, "the root is not <opencv_storage>: it is not a file of OpenCV");
    const Element* element = xml_.first_child(root);
    if (!element) fail(root, "<opencv_storage> is empty");
    cascade_.name = element->name;
    if (element->type_id == "opencv-haar-classifier" || (element->type_id.empty() && xml_.find(*element, "size")))
      read_old(*element);
    else if (element->type_id == "opencv-cascade-classifier" ||
             (element->type_id.empty() && xml_.find(*element, "stageType")))
      read_new(*element);
    else
      fail(*element,
           quoted(element->name) + " is not a cascade: neither opencv-cascade-classifier nor opencv-haar-classifier");
    return std::move(cascade_);
  }

 private:
  void read_new(const Element& element) {
    require(xml_.get(element, "stageType"), "BOOST", "stages");
    read_kind(element);
    cascade_.window = {single_integer(xml_.get(element, "width"), 3, largest_window, "the window's width"),
                       single_integer(xml_.get(element, "height"), 3, largest_window, "the window's height")};
    for (const Element* feature : items(xml_.get(element, "features"), most_features))
      cascade_.kind == FeatureKind::lbp ? read_blocks(*feature) : read_feature(*feature);
    for (const Element* stage : items(xml_.get(element, "stages"), most_stages)) {
      begin_stage(xml_.get(*stage, "stageThreshold"));
      for (const Element* tree : items(xml_.get(*stage, "weakClassifiers"), most_trees)) read_new_tree(*tree);
    }
  }
  // LBP has a category for each code, and nodes are written with a bit for each.
  void read_kind(const Element& element) {
    const Element& type = xml_.get(element, "featureType");
    if (type.text != "HAAR" && type.text != "LBP")
      fail(type, "features of type " + printable(type.text) + " are not supported: only HAAR and LBP");
    cascade_.kind = type.text == "LBP" ? FeatureKind::lbp : FeatureKind::haar;
    const int categories = cascade_.kind == FeatureKind::lbp ? 256 : 0;
    const Element* parameters = xml_.find(element, "featureParams");
    const Element* count = parameters ? xml_.find(*parameters, "maxCatCount") : nullptr;
    const int found = count ? single_integer(*count, 0, 65536, "maxCatCount") : 0;
    if (found == categories) return;
    fail(count ? *count : type, "maxCatCount of " + std::string(type.text) + " features must be " +
                                    std::to_string(categories) +
                                    (count ? ", not " + std::to_string(found) : std::string(": it is missing")));
  }
  void read_new_tree(const Element& element) {
    CascadeTree tree;
    const Element& nodes = xml_.get(element, "internalNodes");
    for (Numbers numbers(nodes); !numbers.done();) {
      CascadeNode node;
      node.left = numbers.integer(-most_tree_nodes, most_tree_nodes, "a node's left child");
      node.right = numbers.integer(-most_tree_nodes, most_tree_nodes, "a node's right child");
      node.feature = numbers.integer(0, static_cast<int>(cascade_.features.size()) - 1, "a node's feature");
      if (cascade_.kind == FeatureKind::lbp)
        tree.code_sets.push_back(read_code_set(numbers));
      else
        node.threshold = numbers.real32();
      tree.nodes.push_back(node);
    }
    for (Numbers numbers(xml_.get(element, "leafValues")); !numbers.done();) tree.leaves.push_back(numbers.real32());
    if (tree.nodes.empty()) fail(nodes, "a tree has no nodes");
    add_tree(nodes, std::move(tree));
  }

  static CodeSet read_code_set(Numbers& numbers) {
    using Limits = std::numeric_limits<std::int32_t>;
    CodeSet set;
    for (auto& word : set.words)
      word = static_cast<std::uint32_t>(numbers.integer(Limits::min(), Limits::max(), "a word of a node's set of codes"));
    return set;
  }

  void read_old(const Element& element) {
    cascade_.old_format = true;
    Numbers size(xml_.get(element, "size"));
    cascade_.window.width = size.integer(3, largest_window, "the window's width");
    cascade_.window.height = size.integer(3, largest_window, "the window's height");
    size.end();
    for (const Element* stage : items(xml_.get(element, "stages"), most_stages)) {
      begin_stage(xml_.get(*stage, "stage_threshold"));
      for (const Element* tree : items(xml_.get(*stage, "trees"), most_trees)) read_old_tree(*tree);
    }
  }
  // Every node brings its feature, and its leaves are numbered in the order in which they come.
  void read_old_tree(const Element& element) {
    CascadeTree tree;
    for (const Element* item : items(element, most_tree_nodes)) {
      CascadeNode node;
      read_feature(xml_.get(*item, "feature"));
      node.feature = static_cast<int>(cascade_.features.size()) - 1;
      node.threshold = single_real(xml_.get(*item, "threshold"));
      node.left = read_old_child(*item, "left_val", "left_node", tree);
      node.right = read_old_child(*item, "right_val", "right_node", tree);
      tree.nodes.push_back(node);
    }
    add_tree(element, std::move(tree));
  }
  int read_old_child(const Element& node, const char* value, const char* index, CascadeTree& tree) {
    if (const Element* leaf = xml_.find(node, value)) {
      if (xml_.find(node, index)) fail(*leaf, std::string("a node has both <") + value + "> and <" + index + ">");
      tree.leaves.push_back(single_real(*leaf));
      return 1 - static_cast<int>(tree.leaves.size());
    }
    return single_integer(xml_.get(node, index), 1, most_tree_nodes, "a node's child");
  }

  void require(const Element& element, std::string_view value, const std::string& things) const {
    if (element.text != value)
      fail(element, things + " of type " + printable(element.text) + " are not supported: only " + std::string(value));
  }
  // The elements <_> of a sequence, of which there must be at least one.
  std::vector<const Element*> items(const Element& sequence, int most) const {
    const auto all = xml_.children(sequence);
    if (all.empty() || !sequence.text.empty()) fail(sequence, quoted(sequence.name) + " is not a sequence of elements <_>");
    for (const Element* item : all)
      if (item->name != "_") fail(*item, quoted(sequence.name) + " has an element that is not <_>");
    if (all.size() > static_cast<std::size_t>(most))
      fail(sequence, quoted(sequence.name) + " has " + std::to_string(all.size()) + " elements; at most " +
                         std::to_string(most) + " are possible");
    return all;
  }

  void begin_stage(const Element& threshold) {
    cascade_.stages.emplace_back();
    cascade_.stages.back().threshold = single_real(threshold) - 1e-5f;
  }

  static WeightedRectangle read_rectangle(Numbers& numbers) {
    constexpr int side = largest_window;
    WeightedRectangle rectangle;
    rectangle.x = numbers.integer(0, side, "a rectangle's x");
    rectangle.y = numbers.integer(0, side, "a rectangle's y");
    rectangle.width = numbers.integer(0, side, "a rectangle's width");
    rectangle.height = numbers.integer(0, side, "a rectangle's height");
    return rectangle;
  }
  void read_blocks(const Element& element) {
    const Element& item = xml_.get(element, "rect");
    Numbers numbers(item);
    auto block = read_rectangle(numbers);
    numbers.end();
    block.weight = 1;
    if (block.width < 1 || block.height < 1) fail(item, "a rectangle has no pixels");
    const auto [width, height] = cascade_.window;
    if (block.x + 3 * block.width > width || block.y + 3 * block.height > height)
      fail(item, "the nine blocks of a feature are not inside the window of " + std::to_string(width) + "x" +
                     std::to_string(height));
    cascade_.features.push_back({{block}, false});
  }
  void read_feature(const Element& element) {
    if (cascade_.features.size() == most_features) fail(element, "more than " + std::to_string(most_features) + " features");
    CascadeFeature feature;
    if (const Element* tilted = xml_.find(element, "tilted")) feature.tilted = single_integer(*tilted, 0, 1, "tilted") != 0;
    for (const Element* item : items(xml_.get(element, "rects"), 3)) {
      Numbers numbers(*item);
      auto rectangle = read_rectangle(numbers);
      rectangle.weight = numbers.real32();
      numbers.end();
      if (is_unused(rectangle)) continue;
      check_inside(*item, rectangle, feature.tilted);
      feature.rectangles.push_back(rectangle);
    }
    if (feature.rectangles.empty()) fail(element, "a feature has no rectangle with a weight");
    cascade_.tilted |= feature.tilted;
    cascade_.features.push_back(std::move(feature));
  }
  // Files of the old format fill up features with these.
  static bool is_unused(const WeightedRectangle& r) { return r.weight == 0 && r.width == 0 && r.height == 0; }
  void check_inside(const Element& element, const WeightedRectangle& r, bool tilted) const {
    if (r.width < 1 || r.height < 1) fail(element, "a rectangle has no pixels");
    const auto [width, height] = cascade_.window;
    const bool inside = tilted ? r.x - r.height >= 0 && r.x + r.width <= width && r.y + r.width + r.height <= height
                               : r.x + r.width <= width && r.y + r.height <= height;
    if (!inside)
      fail(element, std::string(tilted ? "a tilted" : "a") + " rectangle is not inside the window of " +
                        std::to_string(width) + "x" + std::to_string(height));
    if (std::abs(r.weight) > 65536) fail(element, "a rectangle's weight is too large: " + shown(r.weight));
  }

  void add_tree(const Element& element, CascadeTree tree) {
    if (tree.nodes.size() > most_tree_nodes)
      fail(element, "a tree has more than " + std::to_string(most_tree_nodes) + " nodes");
    if (tree.leaves.size() != tree.nodes.size() + 1)
      fail(element, "a tree of " + std::to_string(tree.nodes.size()) + " nodes must have " +
                        std::to_string(tree.nodes.size() + 1) + " leaves, not " + std::to_string(tree.leaves.size()));
    check_shape(element, tree);
    if (++trees_ > most_trees) fail(element, "more than " + std::to_string(most_trees) + " trees");
    cascade_.stages.back().trees.push_back(std::move(tree));
  }
  // Every node but the root, and every leaf, must be reached from the root once.
  static void check_shape(const Element& element, const CascadeTree& tree) {
    std::vector<bool> node_seen(tree.nodes.size()), leaf_seen(tree.leaves.size());
    std::vector<int> to_visit{0};
    std::size_t reached = 0;
    while (!to_visit.empty()) {
      const auto& node = tree.nodes[static_cast<std::size_t>(to_visit.back())];
      to_visit.pop_back();
      ++reached;
      for (const int child : {node.left, node.right}) {
        auto& seen = child > 0 ? node_seen : leaf_seen;
        const auto index = static_cast<std::size_t>(std::abs(child));
        if (index >= seen.size()) fail(element, "a node's child is out of range: " + std::to_string(child));
        if (seen[index])
          fail(element, "a node or leaf of a tree is the child of two nodes, or of itself: " + std::to_string(child));
        seen[index] = true;
        if (child > 0) to_visit.push_back(child);
      }
    }
    if (reached != tree.nodes.size()) fail(element, "a tree has nodes that its root does not reach");
  }

  Xml xml_;
  Cascade cascade_;
  int trees_ = 0;
};

}  // namespace

std::string printable(std::string_view text) {
  std::string shown(text.substr(0, 40));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > shown.size() ? shown + "..." : shown;
}

CascadeError::CascadeError(int line, std::string_view cause) : ArgumentError(with_line(line, cause)) {}

int Cascade::nodes() const {
  int count = 0;
  for (const auto& stage : stages)
    for (const auto& tree : stage.trees) count += static_cast<int>(tree.nodes.size());
  return count;
}

Cascade parse_cascade(std::string_view text) { return CascadeReader(text).read(); }

Cascade read_cascade(const std::filesystem::path& file) {
  constexpr std::uintmax_t most_bytes = 64 << 20;
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) throw CascadeError(0, file.string() + ": is a folder, not a cascade file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw CascadeError(0, file.string() + ": cannot be opened");
  std::string text;
  for (char block[65536]; stream.read(block, sizeof block) || stream.gcount();) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_bytes) throw CascadeError(0, file.string() + ": is larger than 64 MiB: not a cascade file");
  }
  if (stream.bad()) throw CascadeError(0, file.string() + ": cannot be read");
  try {
    return parse_cascade(text);
  } catch (const CascadeError& refusal) {
    throw CascadeError(0, file.string() + ": " + refusal.what());
  }
}

}  // namespace gpu::vision
