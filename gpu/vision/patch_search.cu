// The patch kernel (gpu/vision/window_search.h): the last stages of the windows that tiles handed over, 32 at a time.
//
// Lane k of every warp has window k of the group. The tables of the 32 windows lie side by side in shared memory, so that a warp,
// whose lanes evaluate the same node of different windows, never has a bank conflict. The trees of a stage are divided among the
// warps, whose sums are added up: exact, in any order.
#include "gpu/cuda/intrinsics.cuh"
#include "gpu/vision/window_search.cuh"

namespace gpu::vision {
namespace {

constexpr std::uint32_t no_level = 0xffff;

// The windows first, so that a load of 16 bytes takes one of them and nothing else: the number may be written again meanwhile.
struct Group {
  OpenWindow windows[patch_windows];
  unsigned number;
};

// The value of a feature of the lane's window, for add_nodes().
template <RecordForm Form>
struct PatchValue {
  const unsigned char* table;  // its first entry
  const uint4* records;
  unsigned tilted;  // bytes from the table to the tilted one

  __device__ __forceinline__ static NodeOffsets offsets(uint4 packed) { return {packed, 2}; }
  __device__ __forceinline__ int part(int& i, unsigned kind, const NodeOffsets& at) const {
    unsigned sum[1];
    const auto load = [&](int, unsigned offset) { return *reinterpret_cast<const unsigned*>(table + offset); };
    if (Form == RecordForm::any && (kind & node_kind::pattern) == static_cast<unsigned>(CornerPattern::list))
      sum_of_list<1>(records, i, kind, at, tilted, 0u, sum, load);
    else
      sum_of_grid<1>(kind, at, 0u, sum, load);
    return static_cast<int>(sum[0]);
  }
  __device__ __forceinline__ unsigned code(const NodeOffsets& at) const {
    unsigned bits = 0;
    for_each_block(
        [&](int row, int column) { return *reinterpret_cast<const unsigned*>(table + (at.row(row) + at.column(column))); },
        [&](unsigned sum, unsigned middle) { bits = 2 * bits + (sum >= middle ? 1u : 0u); });
    return bits;
  }
  __device__ __forceinline__ void operator()(int& i, unsigned kind, const NodeOffsets& at, float (&out)[1]) const {
    if constexpr (Form == RecordForm::codes) {
      out[0] = value_of_code(records, i, code(at));
      ++i;
      return;
    }
    int value = part(i, kind, at);
    while (kind & node_kind::parts_follow) {
      kind = records[2 * i].w;
      const auto next = offsets(records[2 * i + 1]);
      ++i;
      value += part(i, kind, next);
    }
    out[0] = static_cast<float>(value);
  }
};

template <RecordForm Form>
class Patches {
  static constexpr bool general = Form != RecordForm::grids;

 public:
  __device__ Patches(const WindowSearch& search, Group& group, unsigned char* memory)
      : search_(search),
        shape_(search.shape),
        group_(group),
        warp_(static_cast<int>(threadIdx.x / 32)),
        lane_(static_cast<int>(threadIdx.x % 32)),
        columns_(shape_.window.width + 1),
        rows_(shape_.window.height + 1),
        memory_(memory) {
    table_ = reinterpret_cast<unsigned*>(memory);
    tilted_ = table_ + columns_ * rows_ * patch_pitch;
    const int words = columns_ * rows_ * patch_pitch * (general && shape_.tilted ? 2 : 1);
    partial_ = reinterpret_cast<double*>(table_ + (words + 3) / 4 * 4);
    stage_ = reinterpret_cast<uint4*>(partial_ + 2 * search_warps * 32);
  }

  __device__ void run() {
    const unsigned total = min(search_.counters->open, search_.open_capacity);
    while (true) {
      // Nobody needs what the group before has left: all have passed a barrier since they read it.
      if (threadIdx.x == 0) group_.number = atomicAdd(&search_.counters->taken, 1u);
      __syncthreads();
      const unsigned first = group_.number * patch_windows;
      if (first >= total) return;
      if (threadIdx.x < patch_windows) {
        const OpenWindow none{{0, 0, no_level}, 1.0f, 0xffffffffu};
        group_.windows[threadIdx.x] = first + threadIdx.x < total ? search_.open[first + threadIdx.x] : none;
      }
      __syncthreads();
      const auto window = group_.windows[lane_];
      if (evaluate(window) && warp_ == 0) keep_window(search_, window.window);
    }
  }

 private:
  // Whether the lane's window passes.
  __device__ bool evaluate(const OpenWindow& window) {
    bool passes = window.window.level != no_level;
    unsigned s = window.stage;  // the first one that any of the windows needs: the others pass it again
    for (int distance = 16; distance > 0; distance /= 2) s = min(s, __shfl_xor_sync(whole_warp, s, distance));
    const auto stages = static_cast<unsigned>(shape_.stages);
    if (s >= stages) return passes;
    const auto* next = search_.patch_stages + search_.patch_starts[s];
    load_pixels();
    fetch_first(next);
    __syncthreads();
    if (general && shape_.tilted) {
      sum_rising_diagonals();
      __syncthreads();
      sum_falling_diagonals();
    }
    sum_rows();
    __syncthreads();
    sum_columns();
    __syncthreads();
    const float factors[] = {window.factor};
    for (; s < stages; ++s) {
      constexpr int pieces = 2;
      const auto& header = header_of(stage_);
      const int next_length = header.next_length;
      const double threshold = header.threshold;
      next += header.length;
      uint4 prefetched[pieces];
#pragma unroll
      for (int k = 0; k < pieces; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * search_threads;
        prefetched[k] = at < next_length ? next[at] : make_uint4(0, 0, 0, 0);
      }
      const PatchValue<Form> value{memory_ + 4 * lane_, records_of(stage_),
                                   static_cast<unsigned>(4 * columns_ * rows_ * patch_pitch)};
      NodeSum<general> sums[1];
      add_nodes(value.records, header.begin[2 * warp_], header.begin[2 * warp_ + 2], factors, sums, value);
      // In turn two sets, so that one barrier is enough.
      auto* partial = partial_ + (s & 1u) * (search_warps * 32);
      partial[warp_ * 32 + lane_] = sums[0].sum;
      __syncthreads();
#pragma unroll
      for (int k = 0; k < pieces; ++k) {
        const int at = static_cast<int>(threadIdx.x) + k * search_threads;
        if (at < next_length) stage_[at] = prefetched[k];
      }
      double sum = 0;
#pragma unroll
      for (int k = 0; k < search_warps; ++k) sum += partial[k * 32 + lane_];
      passes = passes && !(sum < threshold);
      if (search_.depth && passes && warp_ == 0) *depth_of(window.window) = static_cast<std::uint8_t>(s + 1);
      if (__ballot_sync(whole_warp, passes) == 0) return false;
      __syncthreads();
    }
    return passes;
  }

  __device__ std::uint8_t* depth_of(const LevelPoint& window) const {
    const auto& level = search_.places[window.level];
    return search_.depth + level.first_depth + static_cast<std::size_t>(window.y) * static_cast<std::size_t>(level.across) +
           window.x;
  }
  __device__ void fetch_first(const uint4* stage) {
    const int length = reinterpret_cast<const StageHeader*>(stage)->length;
    for (int k = static_cast<int>(threadIdx.x); k < length; k += search_threads) stage_[k] = stage[k];
  }

  __device__ unsigned* entry(unsigned* table, int x, int y, int window) const {
    return table + (y * columns_ + x) * patch_pitch + window;
  }
  // One warp per window, one lane per column. The first row and column of a table are zeros; all of it is, where there is no window.
  __device__ void load_pixels() {
    for (int k = warp_; k < patch_windows; k += search_warps) {
      const auto window = group_.windows[k].window;
      const bool exists = window.level != no_level;
      const auto& level = search_.places[exists ? window.level : 0];
      const auto* pixels = search_.pixels + level.first_pixel +
                           static_cast<std::size_t>(window.y * level.step) * level.pitch + window.x * level.step;
      for (int x = lane_; x < columns_; x += 32) {
        *entry(table_, x, 0, k) = 0;
#pragma unroll 4
        for (int y = 1; y < rows_; ++y)
          *entry(table_, x, y, k) = exists && x > 0 ? pixels[static_cast<std::size_t>(y - 1) * level.pitch + x] : 0u;
      }
    }
  }
  __device__ void sum_rows() {
    for (int y = warp_; y < rows_; y += search_warps) {
      unsigned sum = 0;
#pragma unroll 5
      for (int x = 0; x < columns_; ++x) {
        auto* at = entry(table_, x, y, lane_);
        *at = sum += *at;
      }
    }
  }
  __device__ void sum_columns() {
    for (int x = warp_; x < columns_; x += search_warps) {
      unsigned sum = 0;
#pragma unroll 5
      for (int y = 0; y < rows_; ++y) {
        auto* at = entry(table_, x, y, lane_);
        *at = sum += *at;
      }
    }
  }
  // As in the tile kernel. The table still contains pixels: that at (x - 1, y - 1) is its entry (x, y).
  __device__ void sum_rising_diagonals() {
    sum_diagonals<rising>(
        columns_, rows_, warp_, search_warps,
        [this](int x, int y) { return *entry(table_, x, y, lane_) + (y > 0 ? *entry(table_, x, y - 1, lane_) : 0u); },
        [this](int x, int y) -> unsigned& { return *entry(tilted_, x, y, lane_); });
  }
  __device__ void sum_falling_diagonals() {
    const auto tilted = [this](int x, int y) -> unsigned& { return *entry(tilted_, x, y, lane_); };
    sum_diagonals<falling>(columns_, rows_, warp_, search_warps, tilted, tilted);
  }

  const WindowSearch& search_;
  const TileShape& shape_;
  Group& group_;
  int warp_, lane_;
  int columns_, rows_;  // of a window's table
  unsigned char* memory_;
  unsigned *table_, *tilted_;
  double* partial_;
  uint4* stage_;
};

template <RecordForm Form>
__global__ void __launch_bounds__(search_threads, 2) patch_kernel(WindowSearch search) {
  Patches<Form>(search, static_shared<Group>(), dynamic_shared()).run();
}

}  // namespace

void detail::queue_patches(Context& context, const WindowSearch& search) {
  const auto blocks = static_cast<unsigned>(2 * context.limits().multiprocessors);
  context.launch("patches",
                 kernel_for(search.form, patch_kernel<RecordForm::grids>, patch_kernel<RecordForm::any>,
                            patch_kernel<RecordForm::codes>),
                 {dim3(blocks), dim3(search_threads), search.patch_bytes}, search);
}

}  // namespace gpu::vision
