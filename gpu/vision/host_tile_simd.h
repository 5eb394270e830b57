// The source of the vector codes of host_tile.h. Included by host_tile.cpp by way of host_variants.h.
//
// A vector has neighbouring windows of a row; each of its words has two windows, the lower one `step` rows below (FeaturePart). A
// stage is evaluated for all of them as long as any is left: for one window alone it would take half as long, because a processor
// cannot predict where that window goes in each tree.

// With vectors of 64 bytes too many of a vector's windows would be rejected already.
#if SIMD_LANES <= 8 || !defined(SATSCOPE_HOST_VARIANTS)
namespace gpu::vision::HOST_VECTORS {
namespace {

constexpr int lanes = SIMD_LANES < 8 ? SIMD_LANES : 8;
using Vector = gpu::HOST_VECTORS::Simd<lanes>;
using Words = Vector::Words;
typedef std::int32_t Ints __attribute__((vector_size(lanes * 4)));
typedef float Floats __attribute__((vector_size(lanes * 4)));
typedef std::uint16_t Halves __attribute__((vector_size(lanes * 4)));  // of words: of the upper row, of the lower one
constexpr auto every_lane = Vector::every_lane;

inline Words load(const std::uint32_t* from) { return Vector::load_terms(from); }
inline Words pixels_at(const std::uint8_t* pixels) { return Vector::load_terms(pixels); }
inline void store(std::uint32_t* to, Words words) { std::memcpy(to, &words, sizeof words); }
inline Words inclusive_scan(Words v) { return Vector::inclusive_scan(v); }

// A bit for each lane that is not 0.
inline unsigned bits_of(Ints mask) {
#if SIMD_LANES >= 8
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#elif defined(__SSE2__)
  return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
  unsigned bits = 0;
  for (int k = 0; k < lanes; ++k) bits |= (mask[k] != 0 ? 1u : 0u) << k;
  return bits;
#endif
}

// A bit of a set for each lane: -1 or 0. codes: below 256.
inline Ints has(const CodeSet& set, Words codes) {
#if SIMD_LANES >= 8
  const auto words = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(set.words)),
                                                 reinterpret_cast<__m256i>(codes >> 5));
  return -reinterpret_cast<Ints>(reinterpret_cast<Words>(words) >> (codes & 31) & 1);
#else
  Ints bits;
  for (int k = 0; k < lanes; ++k) bits[k] = -static_cast<std::int32_t>(set.words[codes[k] >> 5] >> (codes[k] & 31) & 1);
  return bits;
#endif
}

template <int First, int... Lane>
inline Words every_second(Words a, Words b, std::integer_sequence<int, Lane...>) {
  return __builtin_shufflevector(a, b, (2 * Lane + First)...);
}

class TileSearch {
 public:
  TileSearch(const HostSearch& search, HostHit* hits)
      : s_(search),
        p_(search.program),
        t_(search.tile),
        sums_(search.words),
        pairs_(search.words + (search.program.tilted ? 2 : 1) * search.program.plane),
        squares_(search.words + (search.program.tilted ? 4 : 2) * search.program.plane),
        slots_(
            reinterpret_cast<Ints*>((reinterpret_cast<std::uintptr_t>(squares_ + search.program.plane) + sizeof(Ints) - 1) /
                                    sizeof(Ints) * sizeof(Ints))),
        hits_(hits) {}

  int search() {
    make_tables();
    const auto area = static_cast<double>(deviation_area(p_.window));
    for (int j = 0; j < t_.size.height; j += 2)
      for (int i = 0; i < t_.size.width; i += lanes) search_windows(i, j, area);
    return found_;
  }

 private:
  std::uint32_t* row(std::uint32_t* table, int y) const { return table + std::ptrdiff_t{y} * p_.layout.row; }

  // --- tables

  void make_tables() {
    s_.global_sums ? copy_tables() : compute_tables();
    for (int plane = 0; plane <= (p_.tilted ? 1 : 0); ++plane)
      make_pairs(sums_ + plane * p_.plane, pairs_ + plane * p_.plane);
  }
  // Differences of entries are the same.
  void copy_tables() {
    for (int y = 0; y <= t_.pixels.height; ++y) {
      const auto at = y * s_.global_stride;
      put_row(s_.global_sums + at, row(sums_, y), t_.pixels.width + 1);
      if (p_.has_factors) put_row(s_.global_squares + at, row(squares_, y), t_.pixels.width + 1);
      if (p_.tilted) put_row(s_.global_tilted + at, row(sums_ + p_.plane, y), t_.pixels.width + 1);
    }
  }
  void compute_tables() {
    std::memset(sums_, 0, static_cast<std::size_t>(p_.layout.row) * 4);
    std::memset(squares_, 0, static_cast<std::size_t>(p_.layout.row) * 4);
    for (int y = 0; y < t_.pixels.height; ++y) {
      // The column of zeros before the first pixel.
      row(sums_, y + 1)[0] = row(squares_, y + 1)[0] = 0;
      if (p_.step == 1)
        add_row(y);
      else
        add_row_of_two_halves(y);
    }
    if (p_.tilted) make_tilted();
  }
  void add_row(int y) {
    const auto* pixel = t_.pixels.data + std::ptrdiff_t{y} * t_.pixels.stride;
    std::uint32_t *sums = row(sums_, y), *squares = row(squares_, y);
    Words sum{}, square{};
    for (int x = 0; x < t_.pixels.width; x += lanes) {
      const Words p = pixels_at(pixel + x);
      sum = inclusive_scan(p) + Vector::last_lane_everywhere(sum);
      store(sums + p_.layout.row + x + 1, load(sums + x + 1) + sum);
      if (!p_.has_factors) continue;
      square = inclusive_scan(p * p) + Vector::last_lane_everywhere(square);
      store(squares + p_.layout.row + x + 1, load(squares + x + 1) + square);
    }
  }
  // Pixel x adds to entry x + 1: an odd one for the first, third ... lane.
  void add_row_of_two_halves(int y) {
    const auto* pixel = t_.pixels.data + std::ptrdiff_t{y} * t_.pixels.stride;
    const int half = p_.layout.odd, pitch = p_.layout.row;
    std::uint32_t *sums = row(sums_, y), *squares = row(squares_, y);
    Words sum{}, square{};
    for (int x = 0; x < t_.pixels.width; x += 2 * lanes) {
      const Words p = pixels_at(pixel + x), q = pixels_at(pixel + x + lanes);
      const Words first = inclusive_scan(p) + Vector::last_lane_everywhere(sum);
      sum = inclusive_scan(q) + Vector::last_lane_everywhere(first);
      const int odd = half + x / 2, even = x / 2 + 1;
      store(sums + pitch + odd, load(sums + odd) + every_second<0>(first, sum, every_lane));
      store(sums + pitch + even, load(sums + even) + every_second<1>(first, sum, every_lane));
      if (!p_.has_factors) continue;
      const Words first_square = inclusive_scan(p * p) + Vector::last_lane_everywhere(square);
      square = inclusive_scan(q * q) + Vector::last_lane_everywhere(first_square);
      store(squares + pitch + odd, load(squares + odd) + every_second<0>(first_square, square, every_lane));
      store(squares + pitch + even, load(squares + even) + every_second<1>(first_square, square, every_lane));
    }
  }
  // As LevelTables, in rows of the usual order, of which three are kept.
  void make_tilted() {
    constexpr int most = HostProgram::tile_side_across + largest_window + 32;
    std::uint32_t rows[3][most];
    auto* two_above = rows[0];
    auto* above = rows[1];
    auto* here = rows[2];
    auto* out = sums_ + p_.plane;
    std::memset(two_above, 0, sizeof rows[0]);
    std::memset(above, 0, sizeof rows[0]);
    std::memset(out, 0, static_cast<std::size_t>(p_.layout.row) * 4);
    const int width = t_.pixels.width;
    for (int y = 1; y <= t_.pixels.height; ++y) {
      const auto* pixel = t_.pixels.data + std::ptrdiff_t{y - 1} * t_.pixels.stride;
      const auto* pixel_above = pixel - t_.pixels.stride;
      if (y == 1) {
        here[0] = 0;
        for (int x = 1; x <= width; ++x) here[x] = pixel[x - 1];
      } else {
        here[0] = above[1];
        for (int x = 1; x < width; ++x)
          here[x] = above[x - 1] + above[x + 1] - two_above[x] + pixel[x - 1] + pixel_above[x - 1];
        here[width] = above[width - 1] + pixel[width - 1] + pixel_above[width - 1];
      }
      put_row(here, row(out, y), width + 1);
      auto* free = two_above;
      two_above = above;
      above = here;
      here = free;
    }
  }
  void put_row(const std::uint32_t* from, std::uint32_t* to, int count) const {
    if (p_.step == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * 4);
      return;
    }
    for (int x = 0; x < count; x += 2) to[x / 2] = from[x];
    for (int x = 1; x < count; x += 2) to[p_.layout.odd + x / 2] = from[x];
  }
  // The rows below the last belong to windows that do not exist.
  void make_pairs(const std::uint32_t* from, std::uint32_t* to) const {
    const std::ptrdiff_t below = std::ptrdiff_t{p_.step} * p_.layout.row,
                         all = std::ptrdiff_t{t_.pixels.height + 1} * p_.layout.row;
    for (std::ptrdiff_t i = 0; i < all - below; ++i) to[i] = from[i] + (from[i + below] << 16);
    std::memcpy(to + all - below, from + all - below, static_cast<std::size_t>(below) * 4);
  }

  // --- windows

  Words box(const std::uint32_t* table, int x0, int y0, int x1, int y1) const {
    const auto at = [&](int x, int y) {
      return load(table + std::ptrdiff_t{y} * p_.layout.row + (p_.step == 1 ? x : (x & 1) * p_.layout.odd + (x >> 1)));
    };
    return at(x0, y0) - at(x1, y0) - at(x0, y1) + at(x1, y1);
  }
  // As WindowEvaluation::factor(): of a window that is not valid, a value that is not below 0.1 / area.
  Floats factors(std::ptrdiff_t base, double area) const {
    const int right = p_.window.width - 1, bottom = p_.window.height - 1;
    constexpr std::uint32_t middle = 1u << 31;
    const Ints sum = reinterpret_cast<Ints>(box(sums_ + base, 1, 1, right, bottom) ^ middle);
    const Ints square = reinterpret_cast<Ints>(box(squares_ + base, 1, 1, right, bottom) ^ middle);
    Floats factor;
    for (int k = 0; k < lanes; ++k) {
      const double s = sum[k] + 2147483648., q = square[k] + 2147483648.;
      factor[k] = static_cast<float>(1. / __builtin_sqrt(area * q - s * s));
    }
    return factor;
  }

  // Sums of two rows of windows.
  struct Values {
    Ints upper, lower;
  };
  static Values halves(Words r) {
    const Ints upper = reinterpret_cast<Ints>(r << 16) >> 16;
    return {upper, reinterpret_cast<Ints>(r - reinterpret_cast<Words>(upper)) >> 16};
  }
  template <CornerSum Sum>
  static Words combined(const std::uint32_t* base, const std::int32_t* o) {
    const auto at = [base, o](int n) { return load(base + o[n]); };
    if constexpr (Sum == CornerSum::one_two_three) {
      const Words twice = at(2) - at(3), three = at(4) - at(5);
      return at(0) - at(1) + twice + twice + three + three + three;
    } else if constexpr (Sum == CornerSum::four || Sum == CornerSum::four_minus) {
      const Words once = at(0) + at(1) + at(2) + at(3), twice = at(4) + at(5) + at(6) + at(7);
      const Words sum = once - twice - twice + (at(8) << 2);
      return Sum == CornerSum::four ? sum : -sum;
    } else {
      const Words once = at(0) + at(1) - at(2) - at(3);
      if constexpr (Sum == CornerSum::once_and_twice) {
        const Words twice = at(4) - at(5);
        return once + twice + twice;
      } else {
        const Words more = at(4) + at(5) - at(6) - at(7);
        if constexpr (Sum == CornerSum::pairs_twice) return once + more + more;
        if constexpr (Sum == CornerSum::pairs_three_times) return once + more + more + more;
        return once + more + (more << 3);
      }
    }
  }
  Words listed(const std::uint32_t* base, const std::int32_t* o) const {
    Words sum{};
    const auto* corner = p_.corners + o[0];
    for (int n = 0; n < o[1]; ++n) sum += load(base + corner[n].offset) * static_cast<std::uint32_t>(corner[n].weight);
    return sum;
  }
  Words combined(CornerSum sum, const std::uint32_t* base, const std::int32_t* o) const {
    switch (sum) {
      case CornerSum::once_and_twice: return combined<CornerSum::once_and_twice>(base, o);
      case CornerSum::pairs_twice: return combined<CornerSum::pairs_twice>(base, o);
      case CornerSum::pairs_three_times: return combined<CornerSum::pairs_three_times>(base, o);
      case CornerSum::pairs_nine_times: return combined<CornerSum::pairs_nine_times>(base, o);
      case CornerSum::one_two_three: return combined<CornerSum::one_two_three>(base, o);
      case CornerSum::four: return combined<CornerSum::four>(base, o);
      case CornerSum::four_minus: return combined<CornerSum::four_minus>(base, o);
      default: return listed(base, o);
    }
  }
  // As for_each_block(), whose code would be for every processor.
  static Values coded(const std::uint32_t* base, const HostCodes& node) {
    Words entries[4][4];
    for (int row = 0; row < 4; ++row)
      for (int column = 0; column < 4; ++column) entries[row][column] = load(base + node.rows[row] + node.columns[column]);
    const auto block = [&entries](int row, int column) {
      return reinterpret_cast<Halves>(entries[row][column] - entries[row][column + 1] - entries[row + 1][column] +
                                      entries[row + 1][column + 1]);
    };
    const Halves middle = block(1, 1);
    Halves codes{};
    for (const auto& [row, column] : blocks_of_code) codes += codes - reinterpret_cast<Halves>(block(row, column) >= middle);
    const Words both = reinterpret_cast<Words>(codes);
    return {has(node.set, both & 0xffff), has(node.set, both >> 16)};
  }
  template <CornerSum Sum>
  Values values(const std::uint32_t* base, const std::int32_t* o) const {
    if constexpr (Sum == CornerSum::list) return halves(listed(base, o));
    if constexpr (Sum == CornerSum::codes) return coded(base, p_.codes[o[0]]);
    if constexpr (Sum == CornerSum::parts) {
      Values total{};
      for (int n = 0; n < o[1]; ++n) {
        const auto& part = p_.parts[o[0] + n];
        const auto [upper, lower] = halves(combined(part.sum, base, part.offsets));
        total.upper += upper;
        total.lower += lower;
      }
      return total;
    }
    if constexpr (Sum < CornerSum::list) return halves(combined<Sum>(base, o));
  }

  // A stage of two rows of windows.
  struct Rows {
    const std::uint32_t* base;
    Floats upper_factor, lower_factor;
    Ints upper, lower;  // sums
  };
  template <NodeRole Role, CornerSum Sum>
  void run(const HostNode* node, int count, Rows& rows) {
    for (const auto* end = node + count; node != end; ++node) {
      const auto [upper, lower] = values<Sum>(rows.base, node->offsets);
      const Ints below_upper = __builtin_convertvector(upper, Floats) * rows.upper_factor < node->threshold;
      const Ints below_lower = __builtin_convertvector(lower, Floats) * rows.lower_factor < node->threshold;
      if constexpr (Role == NodeRole::stump) {
        rows.upper += ~below_upper & node->above;
        rows.lower += ~below_lower & node->above;
      } else if constexpr (Role == NodeRole::root_of_two) {
        const std::int32_t other = -node->above;
        slots_[2 * node->below_slot] = below_upper ^ other;
        slots_[2 * node->below_slot + 1] = below_lower ^ other;
      } else {
        const Ints at_upper = slots_[2 * node->slot], at_lower = slots_[2 * node->slot + 1];
        rows.upper += at_upper & ((below_upper & node->below) | (~below_upper & node->above));
        rows.lower += at_lower & ((below_lower & node->below) | (~below_lower & node->above));
        if constexpr (Role == NodeRole::inner) {
          if (node->below_slot != 0) {
            slots_[2 * node->below_slot] = at_upper & below_upper;
            slots_[2 * node->below_slot + 1] = at_lower & below_lower;
          }
          if (node->above_slot != 0) {
            slots_[2 * node->above_slot] = at_upper & ~below_upper;
            slots_[2 * node->above_slot + 1] = at_lower & ~below_lower;
          }
        }
      }
    }
  }
  template <NodeRole Role>
  void run(CornerSum sum, const HostNode* node, int count, Rows& rows) {
    switch (sum) {
      case CornerSum::once_and_twice: return run<Role, CornerSum::once_and_twice>(node, count, rows);
      case CornerSum::pairs_twice: return run<Role, CornerSum::pairs_twice>(node, count, rows);
      case CornerSum::pairs_three_times: return run<Role, CornerSum::pairs_three_times>(node, count, rows);
      case CornerSum::pairs_nine_times: return run<Role, CornerSum::pairs_nine_times>(node, count, rows);
      case CornerSum::one_two_three: return run<Role, CornerSum::one_two_three>(node, count, rows);
      case CornerSum::four: return run<Role, CornerSum::four>(node, count, rows);
      case CornerSum::four_minus: return run<Role, CornerSum::four_minus>(node, count, rows);
      case CornerSum::list: return run<Role, CornerSum::list>(node, count, rows);
      case CornerSum::parts: return run<Role, CornerSum::parts>(node, count, rows);
      case CornerSum::codes: return run<Role, CornerSum::codes>(node, count, rows);
    }
  }
  void evaluate(const HostStage& stage, Rows& rows) {
    rows.upper = rows.lower = Ints{};
    const auto* node = p_.nodes + stage.first_node;
    for (int r = stage.first_run; r < stage.last_run; ++r) {
      const auto& [sum, role, count] = p_.runs[r];
      switch (role) {
        case NodeRole::stump: run<NodeRole::stump>(sum, node, count, rows); break;
        case NodeRole::root_of_two: run<NodeRole::root_of_two>(sum, node, count, rows); break;
        case NodeRole::last: run<NodeRole::last>(sum, node, count, rows); break;
        case NodeRole::inner: run<NodeRole::inner>(sum, node, count, rows); break;
      }
      node += count;
    }
  }

  // One row of `lanes` windows: which are alive, and what is said of those that are not.
  struct Line {
    int i, j;
    std::ptrdiff_t base;
    Ints alive{};
    Floats factor{};
    unsigned bits() const { return bits_of(alive); }
  };
  void start(Line& line, double area) {
    line.factor = p_.has_factors ? factors(line.base, area) : Floats{} + 1;
    line.alive = p_.has_factors ? static_cast<float>(area) * line.factor < 0.1f : ~Ints{};
    const int here = t_.size.width - line.i;
    if (here < lanes)
      for (int k = here; k < lanes; ++k) line.alive[k] = 0;
    if (t_.depths.data)
      for (int k = 0; k < lanes && k < here; ++k) depth(line, k) = line.alive[k] != 0 ? 0 : refused_depth;
  }
  std::uint8_t& depth(const Line& line, int lane) const { return t_.depths.data[line.j * t_.depths.stride + line.i + lane]; }

  void finish_stage(int number, Line& line, Ints sum) {
    const auto& stage = p_.stages[number];
    const Ints before = line.alive;
    line.alive &= sum >= stage.low;
    const Ints unsure = line.alive & (sum < stage.high);
    for (unsigned bits = bits_of(unsure); bits != 0; bits &= bits - 1) {
      const int k = __builtin_ctz(bits);
      if (!passes_as_written(s_, sums_ + line.base + k, line.factor[k], number)) line.alive[k] = 0;
    }
    if (number == 0) t_.failed[line.j * t_.failed_stride + line.i / 32] |= bits_of(before & ~line.alive) << line.i % 32;
    if (t_.depths.data)
      for (unsigned bits = line.bits(); bits != 0; bits &= bits - 1) ++depth(line, __builtin_ctz(bits));
  }
  void add_hits(const Line& line) {
    for (unsigned bits = line.bits(); bits != 0; bits &= bits - 1) hits_[found_++] = {line.i + __builtin_ctz(bits), line.j};
  }

  void search_windows(int i, int j, double area) {
    const std::ptrdiff_t base = std::ptrdiff_t{j} * p_.step * p_.layout.row + i;
    Line upper{i, j, base}, lower{i, j + 1, base + std::ptrdiff_t{p_.step} * p_.layout.row};
    start(upper, area);
    if (lower.j < t_.size.height) start(lower, area);
    Rows rows{pairs_ + base, upper.factor, lower.factor, {}, {}};
    slots_[0] = slots_[1] = ~Ints{};
    for (int stage = 0; (upper.bits() | lower.bits()) != 0; ++stage) {
      if (stage == p_.stage_count) {
        add_hits(upper);
        add_hits(lower);
        return;
      }
      evaluate(p_.stages[stage], rows);
      finish_stage(stage, upper, rows.upper);
      if (lower.j < t_.size.height) finish_stage(stage, lower, rows.lower);
    }
  }

  const HostSearch& s_;
  const HostProgram& p_;
  const HostTile& t_;
  std::uint32_t *sums_, *pairs_, *squares_;
  Ints* slots_;
  HostHit* hits_;
  int found_ = 0;
};

constexpr HostCode host_code{name_of(HostVectors::HOST_VECTORS), lanes,
                             [](const HostSearch& search, HostHit* hits) { return TileSearch(search, hits).search(); }};

}  // namespace
}  // namespace gpu::vision::HOST_VECTORS
#endif
