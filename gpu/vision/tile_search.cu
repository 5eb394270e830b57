// The tile kernel (gpu/vision/window_search.h): a block evaluates the windows that begin in one tile of a level, up to a stage.
//
// Windows are evaluated in pairs, one step apart in y, whose table entries share a word: with the table T, the word at (x, y) is
// T(x, y) + T(x, y + step) * 2^16 modulo 2^32. Sums and differences of such words are sums and differences of both halves, as long as
// the results, not the entries, fit 16 bits. So a load serves two windows. A lane evaluates two pairs at once (slots), so that
// loads of one are on their way while the other is added up.
//
//     stage 0        all pairs, a warp 32 neighbours: conflict-free loads
//     stages 1, 2..  the pairs with a window left, from a queue in shared memory. When a warp's worth of them is left for fewer
//                    than half of the warps, the trees of a stage are divided among warps, and sums added up: exact, in any order
//
// The node records of a stage lie in shared memory, where all lanes read the same word at once; those of the next one are on their
// way meanwhile.
//
// What limits it on an H200: the loads from shared memory, the instructions, and the barriers between stages, about equally; memory
// does not. Queues that give each lane pairs in banks of its own avoid the conflicts of loads, but leave lanes idle, and are slower.
#include <algorithm>

#include "gpu/cuda/intrinsics.cuh"
#include "gpu/vision/tile_tables.cuh"
#include "gpu/vision/window_search.cuh"

namespace gpu::vision {
namespace {

// A queue's entry: column and row of the pair in the tile, and which of its windows are left.
struct PairEntry {
  static constexpr unsigned lower = 1u << 13, upper = 1u << 14;  // the window above, the one below
  static constexpr unsigned place = lower - 1;
  unsigned bits;
  __device__ int column() const { return static_cast<int>(bits & 127u); }
  __device__ int row() const { return static_cast<int>(bits >> 7 & 63u); }
};

struct Counts {
  unsigned queued[2];
};

// 1 / sqrt(variance), rounded to double and then to float, as OpenCV has it: by the GPU's approximation and one step of third order
// in double. The result is off by few units in the last place of a double; where that could change the float, divided exactly.
__device__ __forceinline__ float deviation_factor(unsigned long long variance) {
  const auto v = static_cast<double>(variance);
  const double guess = rsqrtf(static_cast<float>(v));
  const double error = fma(-v, guess * guess, 1.0);
  double factor = fma(guess * error, fma(0.375, error, 0.5), guess);
  // The bits that the conversion to float rounds off: half of them and none.
  const unsigned rest = static_cast<unsigned>(__double_as_longlong(factor)) & 0x1fffffffu;
  if (rest - (0x10000000u - 256u) < 512u) factor = 1.0 / sqrt(v);
  return static_cast<float>(factor);
}

// Both halves as numbers with a sign; they contain 2^15 more, so that none borrows from the other. 2^23 + h has h in its last bits.
__device__ __forceinline__ void split(unsigned pair, float& low, float& high) {
  low = __uint_as_float(0x4b000000u | (pair & 0xffffu)) - 8421376.0f;
  high = __uint_as_float(0x4b000000u | pair >> 16) - 8421376.0f;
}
constexpr unsigned both_biased = 0x80008000u;

// The values of a feature for pairs of windows, for add_nodes(): window 2 n is the lower one of pair n.
template <int Slots, RecordForm Form>
struct PairValues {
  const unsigned char* table;
  const uint4* records;
  unsigned tilted;       // bytes from the table to the tilted one
  unsigned base[Slots];  // bytes from the table's first entry to the pair's

  __device__ __forceinline__ static NodeOffsets offsets(uint4 packed) { return {packed, 0}; }
  __device__ __forceinline__ void part(int& i, unsigned kind, const NodeOffsets& at, float (&out)[2 * Slots]) const {
    unsigned sums[Slots];
    const auto load = [&](int n, unsigned offset) { return *reinterpret_cast<const unsigned*>(table + (base[n] + offset)); };
    if (Form == RecordForm::any && (kind & node_kind::pattern) == static_cast<unsigned>(CornerPattern::list))
      sum_of_list<Slots>(records, i, kind, at, tilted, both_biased, sums, load);
    else
      sum_of_grid<Slots>(kind, at, both_biased, sums, load);
#pragma unroll
    for (int n = 0; n < Slots; ++n) split(sums[n], out[2 * n], out[2 * n + 1]);
  }
  __device__ __forceinline__ void code(int n, const NodeOffsets& at, unsigned& low, unsigned& high) const {
    const auto* const first = table + base[n];
    low = high = 0;
    for_each_block(
        [&](int row, int column) { return *reinterpret_cast<const unsigned*>(first + (at.row(row) + at.column(column))); },
        [&](unsigned sum, unsigned middle) {
          low = 2 * low + ((sum & 0xffffu) >= (middle & 0xffffu) ? 1u : 0u);
          high = 2 * high + (sum >> 16 >= middle >> 16 ? 1u : 0u);
        });
  }
  __device__ __forceinline__ void operator()(int& i, unsigned kind, const NodeOffsets& at, float (&out)[2 * Slots]) const {
    if constexpr (Form == RecordForm::codes) {
#pragma unroll
      for (int n = 0; n < Slots; ++n) {
        unsigned low, high;
        code(n, at, low, high);
        out[2 * n] = value_of_code(records, i, low), out[2 * n + 1] = value_of_code(records, i, high);
      }
      ++i;
      return;
    }
    part(i, kind, at, out);
    while (kind & node_kind::parts_follow) {
      kind = records[2 * i].w;
      const auto next = offsets(records[2 * i + 1]);
      ++i;
      float more[2 * Slots];
      part(i, kind, next, more);
#pragma unroll
      for (int n = 0; n < 2 * Slots; ++n) out[n] += more[n];
    }
  }
};

// Evaluates the windows of a tile by its tables; all threads call the same functions in the same order.
template <int Step, RecordForm Form>
class TileStages : TileTables<Step, Form> {
  static constexpr bool general = Form != RecordForm::grids;
  using Tile = TileTables<Step, Form>;
  using Tile::columns, Tile::has_squares, Tile::pairs, Tile::column, Tile::search_, Tile::shape_, Tile::level_,
      Tile::level_index_, Tile::warp_;
  using Tile::factors_, Tile::queues_, Tile::first_stage_, Tile::partial_, Tile::stage_;
  using Tile::lane_, Tile::rows_, Tile::pair_rows_, Tile::x0_, Tile::y0_, Tile::memory_, Tile::table_, Tile::squares_;

 public:
  using Tile::Tile;

  __device__ void run(Counts& counts) {
    const auto* stages = search_.tile_stages[Step - 1];
    for (int k = static_cast<int>(threadIdx.x); k < shape_.first_length; k += search_threads) first_stage_[k] = stages[k];
    if (threadIdx.x < 2) counts.queued[threadIdx.x] = 0;
    Tile::make();
    first_stage(counts.queued[0]);
    __syncthreads();
    later_stages(counts, stages + shape_.first_length);
  }

 private:
  __device__ unsigned pair_base(int i, int q) const { return static_cast<unsigned>(4 * (2 * q * Step * shape_.pitch + i)); }
  __device__ unsigned tilted_bytes() const { return static_cast<unsigned>(4 * rows_ * shape_.pitch); }

  // The factor of every window, and the first stage. Each warp takes 32 neighbours in two rows of pairs.
  __device__ void first_stage(unsigned& queued) {
    const int across = columns / 32, down = pair_rows_ / slots_per_warp;
    for (int item = warp_; item < down * across; item += search_warps) {
      const int row = item / across * slots_per_warp, chunk = item % across;
      if (y0_ + 2 * row >= level_.down || x0_ + chunk * 32 >= level_.across) continue;
      const int i = chunk * 32 + lane_;
      PairValues<slots_per_warp, Form> values{memory_, records_of(first_stage_), tilted_bytes(), {}};
      float factors[2 * slots_per_warp];
      bool valid[2 * slots_per_warp];
      NodeSum<general> sums[2 * slots_per_warp];
#pragma unroll
      for (int slot = 0; slot < slots_per_warp; ++slot) {
        values.base[slot] = pair_base(i, row + slot);
        factors_of(i, row + slot, &factors[2 * slot], &valid[2 * slot]);
      }
      const auto& header = header_of(first_stage_);
      add_nodes(values.records, 0, header.begin[32], factors, sums, values);
#pragma unroll
      for (int slot = 0; slot < slots_per_warp; ++slot) {
        const int q = row + slot;
        const bool low = valid[2 * slot], high = valid[2 * slot + 1];
        const bool low_passes = low && !(sums[2 * slot].sum < header.threshold);
        const bool high_passes = high && !(sums[2 * slot + 1].sum < header.threshold);
        keep_rejections(chunk, 2 * q, low && !low_passes, high && !high_passes);
        if (search_.depth) {
          write_depth(i, 2 * q, low ? low_passes : refused_depth);
          write_depth(i, 2 * q + 1, high ? high_passes : refused_depth);
        }
        if (low_passes || high_passes) {
          factors_[q * columns + i] = factors[2 * slot];
          factors_[pairs() + q * columns + i] = factors[2 * slot + 1];
        }
        const unsigned place = static_cast<unsigned>(i | q << 7);
        append(queued, queues_, place, low_passes, high_passes);
      }
    }
  }

  // The factors of both windows of a pair, and whether they are windows of the level that OpenCV evaluates.
  __device__ __forceinline__ void factors_of(int i, int q, float* factors, bool* valid) const {
    if constexpr (!has_squares) {
#pragma unroll
      for (int k = 0; k < 2; ++k) {
        factors[k] = 1.0f;
        valid[k] = x0_ + i < level_.across && y0_ + 2 * q + k < level_.down;
      }
      return;
    }
    const int y = 2 * q * Step, pitch = shape_.pitch, width = shape_.window.width, height = shape_.window.height;
    // The box's sums exceed 16 bits: parts of it do not.
    const auto *left = table_ + y * pitch + i + column(1), *right = table_ + y * pitch + i + column(width - 1);
    unsigned sum[2] = {0, 0}, above = 0;
    for (int part = 0; part <= shape_.norm_parts; ++part) {
      const int row = shape_.norm_rows[part] * pitch;
      const unsigned below = right[row] - left[row], both = below - above;
      if (part > 0) sum[0] += both & 0xffffu, sum[1] += both >> 16;
      above = below;
    }
    const int squares_pitch = shape_.squares_pitch(Step);
    const bool odd_only = Step == 2 && !shape_.odd_width;
    const auto square_column = [&](int x) { return odd_only ? x >> 1 : column(x); };
    const auto* squares = squares_ + (y + 1) * squares_pitch + i;
    const int first = square_column(1), last = square_column(width - 1), rows = (height - 2) * squares_pitch;
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const auto* at = squares + k * Step * squares_pitch;
      const unsigned square = at[first] - at[last] - at[rows + first] + at[rows + last];
      const auto have = static_cast<unsigned long long>(shape_.area) * square;
      const auto mean = static_cast<unsigned long long>(sum[k]) * sum[k];
      factors[k] = have > mean ? deviation_factor(have - mean) : 1.0f;
      valid[k] = have > mean && factors[k] < shape_.least_refused && x0_ + i < level_.across &&
                 y0_ + 2 * q + k < level_.down;
    }
  }

  __device__ __forceinline__ void keep_rejections(int chunk, int row, bool low, bool high) const {
    const unsigned low_bits = __ballot_sync(whole_warp, low), high_bits = __ballot_sync(whole_warp, high);
    if (lane_ != 0) return;
    auto* word = search_.rejected + level_.first_word +
                 static_cast<std::size_t>(y0_ + row) * static_cast<std::size_t>(level_.row_words) + (x0_ >> 5) + chunk;
    if (y0_ + row < level_.down) word[0] = low_bits;
    if (y0_ + row + 1 < level_.down) word[level_.row_words] = high_bits;
  }
  __device__ __forceinline__ void write_depth(int i, int row, unsigned stages) const {
    if (x0_ + i < level_.across && y0_ + row < level_.down)
      search_.depth[level_.first_depth + static_cast<std::size_t>(y0_ + row) * static_cast<std::size_t>(level_.across) +
                    x0_ + i] = static_cast<unsigned char>(stages);
  }
  // All lanes call it together. Entries are in no order.
  __device__ __forceinline__ void append(unsigned& queued, unsigned short* queue, unsigned place, bool low,
                                         bool high) const {
    const unsigned mask = __ballot_sync(whole_warp, low || high);
    if (mask == 0) return;
    unsigned first = 0;
    if (lane_ == 0) first = atomicAdd(&queued, static_cast<unsigned>(__popc(mask)));
    first = __shfl_sync(whole_warp, first, 0);
    if (low || high)
      queue[first + static_cast<unsigned>(__popc(mask & ((1u << lane_) - 1u)))] = static_cast<unsigned short>(
          place | (low ? PairEntry::lower : 0u) | (high ? PairEntry::upper : 0u));
  }

  // Stage after stage. `next`: the second one in the device's memory.
  __device__ void later_stages(Counts& counts, const uint4* next) {
    int s = 1, current = 0, length = header_of(first_stage_).next_length;
    if (shape_.tile_stages > 1) fetch(next, length);
    __syncthreads();
    unsigned total;
    while (true) {
      total = counts.queued[current];
      if (s >= shape_.tile_stages || total <= search_.hand_over_pairs) break;
      const int next_length = header_of(stage_).next_length;
      next += length;
      const bool prefetches = s + 1 < shape_.tile_stages && static_cast<int>(threadIdx.x) < next_length;
      const uint4 prefetched = prefetches ? next[threadIdx.x] : make_uint4(0, 0, 0, 0);
      later_stage(s, total, queues_ + current * pairs(), queues_ + (1 - current) * pairs(), counts.queued[1 - current]);
      __syncthreads();
      if (threadIdx.x == 0) counts.queued[current] = 0;
      if (prefetches) stage_[threadIdx.x] = prefetched;
      length = next_length;
      current = 1 - current;
      ++s;
      __syncthreads();
    }
    hand_over(s, total, queues_ + current * pairs());
  }
  __device__ void fetch(const uint4* from, int length) {
    for (int k = static_cast<int>(threadIdx.x); k < length; k += search_threads) stage_[k] = from[k];
  }

  __device__ void later_stage(int s, unsigned total, const unsigned short* queue, unsigned short* left,
                              unsigned& left_count) {
    const auto& header = header_of(stage_);
    const unsigned slots = (total + 31) / 32, groups = (slots + slots_per_warp - 1) / slots_per_warp;
    unsigned chunks = 1;  // of the trees
    while (groups * chunks * 2 <= search_warps) chunks *= 2;
    const auto entry_of = [&](unsigned slot) {
      const unsigned at = slot * 32 + static_cast<unsigned>(lane_);
      return PairEntry{at < total ? queue[at] : 0u};
    };
    const auto finish = [&](PairEntry entry, double low_sum, double high_sum) {
      const bool low = (entry.bits & PairEntry::lower) && !(low_sum < header.threshold);
      const bool high = (entry.bits & PairEntry::upper) && !(high_sum < header.threshold);
      if (search_.depth) {
        if (low) write_depth(entry.column(), 2 * entry.row(), static_cast<unsigned>(s) + 1);
        if (high) write_depth(entry.column(), 2 * entry.row() + 1, static_cast<unsigned>(s) + 1);
      }
      append(left_count, left, entry.bits & PairEntry::place, low, high);
    };
    for (unsigned item = static_cast<unsigned>(warp_); item < groups * chunks; item += search_warps) {
      const unsigned group = item / chunks, chunk = item % chunks;
      const int first = header.begin[chunk * 32 / chunks], end = header.begin[(chunk + 1) * 32 / chunks];
      const auto evaluate = [&](auto constant) {
        constexpr int Slots = decltype(constant)::value;
        PairEntry entries[Slots];
        PairValues<Slots, Form> values{memory_, records_of(stage_), tilted_bytes(), {}};
        float factors[2 * Slots];
        NodeSum<general> sums[2 * Slots];
#pragma unroll
        for (int k = 0; k < Slots; ++k) {
          const auto entry = entries[k] = entry_of(group * slots_per_warp + static_cast<unsigned>(k));
          const int pair = entry.row() * columns + entry.column();
          // A lane without a pair loads from a bank of its own.
          values.base[k] = entry.bits ? pair_base(entry.column(), entry.row()) : static_cast<unsigned>(4 * lane_);
          factors[2 * k] = entry.bits ? factors_[pair] : 0.0f;
          factors[2 * k + 1] = entry.bits ? factors_[pairs() + pair] : 0.0f;
        }
        add_nodes(values.records, first, end, factors, sums, values);
#pragma unroll
        for (int k = 0; k < Slots; ++k) {
          if (chunks > 1) {
            auto* to = partial_ + ((item * slots_per_warp + static_cast<unsigned>(k)) * 2) * 32 +
                       static_cast<unsigned>(lane_);
            to[0] = sums[2 * k].sum, to[32] = sums[2 * k + 1].sum;
          } else {
            finish(entries[k], sums[2 * k].sum, sums[2 * k + 1].sum);
          }
        }
      };
      if (group * slots_per_warp + 1 >= slots)
        evaluate(std::integral_constant<int, 1>());
      else
        evaluate(std::integral_constant<int, slots_per_warp>());
    }
    if (chunks == 1) return;
    __syncthreads();
    const auto slot = static_cast<unsigned>(warp_);
    if (slot >= slots) return;
    double low = 0, high = 0;
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      const unsigned item = slot / slots_per_warp * chunks + chunk;
      const auto* from = partial_ + ((item * slots_per_warp + slot % slots_per_warp) * 2) * 32 +
                         static_cast<unsigned>(lane_);
      low += from[0], high += from[32];
    }
    finish(entry_of(slot), low, high);
  }

  __device__ void hand_over(int stage, unsigned total, const unsigned short* queue) {
    for (unsigned k = threadIdx.x; k < total; k += search_threads) {
      const PairEntry entry{queue[k]};
      const bool left[] = {(entry.bits & PairEntry::lower) != 0, (entry.bits & PairEntry::upper) != 0};
      unsigned at = atomicAdd(&search_.counters->open, static_cast<unsigned>(left[0]) + static_cast<unsigned>(left[1]));
      for (int k2 = 0; k2 < 2; ++k2) {
        if (!left[k2]) continue;
        if (at < search_.open_capacity)
          search_.open[at] = {{x0_ + entry.column(), y0_ + 2 * entry.row() + k2, level_index_},
                              factors_[k2 * pairs() + entry.row() * columns + entry.column()],
                              static_cast<std::uint32_t>(stage)};
        ++at;
      }
    }
  }
};

template <RecordForm Form>
__global__ void __launch_bounds__(search_threads, 2) tile_kernel(WindowSearch search) {
  auto& counts = static_shared<Counts>();
  const auto place = search.tiles[blockIdx.x];
  if (search.places[place.level].step == 1)
    TileStages<1, Form>(search, place, dynamic_shared()).run(counts);
  else
    TileStages<2, Form>(search, place, dynamic_shared()).run(counts);
}

}  // namespace

std::vector<LevelPoint> plan_tiles(const PyramidPlan& pyramid, const TileShape& shape) {
  std::vector<LevelPoint> tiles;
  // Tiles of step 1 have more windows, and are given out first.
  for (const int step : {1, 2})
    for (std::size_t k = 0; k < pyramid.places.size(); ++k) {
      const auto& place = pyramid.places[k];
      if (place.step != step) continue;
      const int columns = tile_columns / step, rows = shape.rows[step - 1] / step;
      for (int y = 0; y * rows < place.down; ++y)
        for (int x = 0; x * columns < place.across; ++x) tiles.push_back({x, y, static_cast<unsigned>(k)});
    }
  return tiles;
}

void queue_search(Context& context, const WindowSearch& search) {
  const Grid shape{dim3(search.tile_count), dim3(search_threads), search.shape.shared_bytes};
  const auto kernel = kernel_for(search.form, tile_kernel<RecordForm::grids>, tile_kernel<RecordForm::any>,
                                 tile_kernel<RecordForm::codes>);
  context.launch("tiles", kernel, shape, search);
  detail::queue_patches(context, search);
}

}  // namespace gpu::vision
