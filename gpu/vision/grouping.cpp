#include "gpu/vision/grouping.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <utility>

namespace gpu::vision {
namespace {

constexpr double eps = 0.2;

// The classes of the numbers 0 .. count - 1.
class DisjointSets {
 public:
  explicit DisjointSets(std::size_t count) : parents_(count) { std::iota(parents_.begin(), parents_.end(), 0); }
  int root(int i) {
    while (parent(i) != i) i = parent(i) = parent(parent(i));
    return i;
  }
  void join(int a, int b) { parent(root(b)) = root(a); }

 private:
  int& parent(int i) { return parents_[static_cast<std::size_t>(i)]; }
  std::vector<int> parents_;
};

// Windows of one size whose positions lie in one square of a grid. The square's side is the largest distance at which windows of
// that size are similar, plus one, so that all of its windows are: only whole cells need to be connected. That makes crowds, in
// which every object is found by dozens of windows, fast.
class Cells {
 public:
  explicit Cells(std::span<const Window> windows) : sorted_(windows.begin(), windows.end()), sets_(0) {
    left_ = std::ranges::min(sorted_, {}, &Window::x).x;
    top_ = std::ranges::min(sorted_, {}, &Window::y).y;
    find_sizes();
    make_cells();
    make_table();
    connect();
  }

  std::vector<WindowClass> classes() {
    std::vector<int> number(cells_.size(), -1);
    std::vector<WindowClass> classes;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      int& of_root = number[static_cast<std::size_t>(sets_.root(static_cast<int>(c)))];
      if (of_root < 0) {
        of_root = static_cast<int>(classes.size());
        classes.push_back({});
      }
      auto& sum = classes[static_cast<std::size_t>(of_root)];
      for (const auto& w : windows_of(cells_[c])) {
        sum.x += static_cast<std::uint64_t>(w.x);
        sum.y += static_cast<std::uint64_t>(w.y);
        sum.width += static_cast<std::uint32_t>(w.width);
        sum.height += static_cast<std::uint32_t>(w.height);
        ++sum.count;
      }
    }
    return classes;
  }

 private:
  struct WindowSize {
    int width, height;
    int reach;  // the largest whole distance at which windows of this size, or a larger one, are similar
  };
  struct Cell {
    int size, x, y;   // index of the size; place in its grid
    int first, last;  // of sorted_
  };

  void find_sizes() {
    std::ranges::sort(sorted_, {}, [](const Window& w) { return std::pair(w.width, w.height); });
    for (const auto& w : sorted_)
      if (sizes_.empty() || sizes_.back().width != w.width || sizes_.back().height != w.height)
        sizes_.push_back({w.width, w.height, static_cast<int>(eps * (w.width + w.height) * 0.5)});
  }
  int side(int size) const { return sizes_[static_cast<std::size_t>(size)].reach + 1; }
  void make_cells() {
    std::vector<std::pair<std::uint64_t, Window>> keyed(sorted_.size());
    int size = 0;
    const auto place = [&](int at, int origin) { return static_cast<std::uint32_t>((at - origin) / side(size)); };
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      const auto& w = sorted_[i];
      const auto& [width, height, reach] = sizes_[static_cast<std::size_t>(size)];
      if (w.width != width || w.height != height) ++size;
      keyed[i] = {
          static_cast<std::uint64_t>(size) << 48 | static_cast<std::uint64_t>(place(w.y, top_)) << 24 | place(w.x, left_),
          w};
    }
    std::ranges::sort(keyed);
    constexpr std::uint64_t mask = (std::uint64_t{1} << 24) - 1;  // a frame's sides fit (most_frame_side)
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      const auto [key, window] = keyed[i];
      sorted_[i] = window;
      if (i == 0 || key != keyed[i - 1].first)
        cells_.push_back({static_cast<int>(key >> 48), static_cast<int>(key & mask), static_cast<int>(key >> 24 & mask),
                          static_cast<int>(i), static_cast<int>(i)});
      ++cells_.back().last;
    }
    sets_ = DisjointSets(cells_.size());
  }

  std::size_t slot(int size, int x, int y) const {
    const auto mixed = (static_cast<std::uint64_t>(size) << 48 ^ static_cast<std::uint64_t>(y) << 24 ^
                        static_cast<std::uint64_t>(x)) *
                       0x9E3779B97F4A7C15u;
    return static_cast<std::size_t>(mixed >> 32) & (table_.size() - 1);
  }
  void make_table() {
    std::size_t slots = 64;
    while (slots < 2 * cells_.size()) slots *= 2;
    table_.assign(slots, -1);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      auto at = slot(cells_[c].size, cells_[c].x, cells_[c].y);
      while (table_[at] >= 0) at = (at + 1) & (slots - 1);
      table_[at] = static_cast<int>(c);
    }
  }
  int cell_at(int size, int x, int y) const {  // -1: none
    for (auto at = slot(size, x, y); table_[at] >= 0; at = (at + 1) & (table_.size() - 1)) {
      const auto& cell = cells_[static_cast<std::size_t>(table_[at])];
      if (cell.size == size && cell.x == x && cell.y == y) return table_[at];
    }
    return -1;
  }

  std::span<const Window> windows_of(const Cell& cell) const {
    return std::span(sorted_).subspan(static_cast<std::size_t>(cell.first),
                                      static_cast<std::size_t>(cell.last - cell.first));
  }
  // With cells of the same size and of all larger ones near enough.
  void connect() {
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const auto& [width, height, reach] = sizes_[static_cast<std::size_t>(cells_[c].size)];
      for (int size = cells_[c].size; size < static_cast<int>(sizes_.size()); ++size) {
        const auto& larger = sizes_[static_cast<std::size_t>(size)];
        if (larger.width - width > 2 * reach + 1) break;
        if (std::abs(larger.height - height) <= 2 * reach + 1) connect(static_cast<int>(c), size);
      }
    }
  }
  void connect(int c, int size) {
    const Cell& cell = cells_[static_cast<std::size_t>(c)];
    const int from = side(cell.size), to = side(size), reach = from - 1;
    const auto first = [&](int place) { return std::max(place * from - reach, 0) / to; };
    const auto last = [&](int place) { return (place * from + from - 1 + reach) / to; };
    for (int y = first(cell.y); y <= last(cell.y); ++y)
      for (int x = first(cell.x); x <= last(cell.x); ++x)
        if (const int other = cell_at(size, x, y);
            other >= 0 && sets_.root(c) != sets_.root(other) && any_similar(cell, cells_[static_cast<std::size_t>(other)]))
          sets_.join(c, other);
  }
  bool any_similar(const Cell& a, const Cell& b) const {
    for (const auto& v : windows_of(a))
      for (const auto& w : windows_of(b))
        if (similar(v, w)) return true;
    return false;
  }

  std::vector<Window> sorted_;
  int left_ = 0, top_ = 0;
  std::vector<WindowSize> sizes_;  // by width, then height
  std::vector<Cell> cells_;
  std::vector<int> table_;  // of cells, by slot(); -1: free
  DisjointSets sets_;       // of cells
};

// Appended if any of it is inside the frame.
void append_clipped(std::vector<Detection>& detections, const Window& window, int neighbors, Size frame) {
  const auto [x, y, width, height] = inside_frame(window, frame);
  if (width > 0 && height > 0) detections.push_back({x, y, width, height, neighbors});
}

void sort_by_place(std::vector<Detection>& detections) {
  std::ranges::sort(detections, {}, [](const Detection& d) { return std::tuple(d.y, d.x, d.width, d.height, d.neighbors); });
}

}  // namespace

std::vector<Detection> detections_of(std::span<const WindowClass> classes, int min_neighbors, Size frame) {
  struct Candidate {
    Window mean;
    int count, left;  // from which on weaker classes give way to it
  };
  std::vector<Candidate> candidates;
  for (const auto& sum : classes)
    if (sum.count > min_neighbors) {
      const auto mean = mean_of(sum);
      candidates.push_back({mean, sum.count, mean.x - (2 * mean.width + 5) / 10});
    }
  std::ranges::sort(candidates, {}, &Candidate::left);
  std::vector<Detection> detections;
  for (const auto& a : candidates) {
    bool inside = false;
    for (const auto& b : candidates) {
      if (b.left > a.mean.x) break;
      inside = &a != &b && gives_way(a.mean, a.count, b.mean, b.count);
      if (inside) break;
    }
    if (!inside) append_clipped(detections, a.mean, a.count, frame);
  }
  sort_by_place(detections);
  return detections;
}

std::vector<Detection> group_windows(std::span<const Window> windows, int min_neighbors, Size frame) {
  if (windows.empty()) return {};
  if (min_neighbors > 0) return detections_of(Cells(windows).classes(), min_neighbors, frame);
  std::vector<Detection> detections;
  for (const auto& window : windows) append_clipped(detections, window, 1, frame);
  sort_by_place(detections);
  return detections;
}

}  // namespace gpu::vision
