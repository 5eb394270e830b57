// The pass of check_table(): one thread per entry on a GPU, bands of rows on the host. Wrong entries are rare, so that only
// they cost an atomic operation.
#include "gpu/checks/check_table.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <stdexcept>

#include "gpu/execution/driver.h"
#include "gpu/pictures/check_views.h"
#include "gpu/pictures/host_vectors.h"
#include "gpu/pictures/row_grid.cuh"

namespace gpu {
namespace {

using Pixels = ImageView<const std::uint8_t>;
using Sums = ImageView<const std::uint32_t>;

constexpr int block_width = 32, block_height = 8;

// The entry that the identity wants at (x, y), from the pixel there and the three entries around it.
constexpr std::uint32_t wanted_at(Pixels image, Sums table, int x, int y) {
  const auto left = x > 0 ? table(x - 1, y) : 0u, above = y > 0 ? table(x, y - 1) : 0u;
  const auto both = x > 0 && y > 0 ? table(x - 1, y - 1) : 0u;
  return left + above - both + image(x, y);
}
// The words of TableFindings.
constexpr unsigned long long word(int x, int y, int width, std::uint32_t entry) {
  const auto index = static_cast<unsigned long long>(y) * static_cast<unsigned long long>(width);
  return (index + static_cast<unsigned long long>(x)) << 32 | entry;
}

// A kernel, because the words must begin with all bits set.
__global__ void no_findings(TableFindings* findings) { *findings = TableFindings(); }

__global__ void __launch_bounds__(block_width* block_height) four_points(Pixels image, Sums table, TableFindings* findings) {
  const int x = static_cast<int>(blockIdx.x) * block_width + static_cast<int>(threadIdx.x);
  const int y = row_of_block() * block_height + static_cast<int>(threadIdx.y);
  if (x >= image.width || y >= image.height) return;
  const auto wanted = wanted_at(image, table, x, y), found = table(x, y);
  if (wanted == found) return;
  atomicAdd(&findings->count, 1ull);
  atomicMin(&findings->expected, word(x, y, image.width, wanted));
  atomicMin(&findings->found, word(x, y, image.width, found));
}

void check_on_device(Context& context, Pixels image, Sums table, TableFindings* findings) {
  context.launch("no findings", no_findings, {dim3(1), dim3(1)}, findings);
  const auto grid = row_grid(ceil_div(image.width, block_width), ceil_div(image.height, block_height));
  context.launch("four points", four_points, {grid, dim3(block_width, block_height)}, image, table, findings);
}

// The findings in the rows begin .. end - 1. Rows are counted first, in a loop that the compiler vectorises.
TableFindings find_in(Pixels image, Sums table, int begin, int end) {
  TableFindings findings;
  for (int y = begin; y < end; ++y) {
    const auto* pixels = image.row(y);
    const auto* entries = table.row(y);
    const auto* above = y > 0 ? table.row(y - 1) : nullptr;
    unsigned wrong = entries[0] != wanted_at(image, table, 0, y);
    if (above)
      for (int x = 1; x < image.width; ++x)
        wrong += entries[x] - entries[x - 1] - above[x] + above[x - 1] != std::uint32_t{pixels[x]};
    else
      for (int x = 1; x < image.width; ++x) wrong += entries[x] - entries[x - 1] != std::uint32_t{pixels[x]};
    if (wrong > 0 && findings.count == 0) {
      int x = 0;
      while (entries[x] == wanted_at(image, table, x, y)) ++x;
      findings.expected = word(x, y, image.width, wanted_at(image, table, x, y));
      findings.found = word(x, y, image.width, entries[x]);
    }
    findings.count += wrong;
  }
  return findings;
}

void check_on_host(Context& context, Pixels image, Sums table, TableFindings* findings) {
  std::mutex mutex;
  if (!context.is_dry()) *findings = {};
  context.for_each_band("four points", image.height, [&](int begin, int end) {
    TableFindings of_band;
    run_with(host_vectors_here().back(), [&] { of_band = find_in(image, table, begin, end); });
    const std::lock_guard lock(mutex);
    findings->count += of_band.count;
    findings->expected = std::min(findings->expected, of_band.expected);
    findings->found = std::min(findings->found, of_band.found);
  });
}

}  // namespace

std::optional<WrongTable> wrong_table(const TableFindings& findings, int width) {
  if (findings.count == 0) return {};
  const auto columns = static_cast<std::uint64_t>(width), index = std::uint64_t{findings.expected} >> 32;
  return WrongTable{findings.count, static_cast<int>(index % columns), static_cast<int>(index / columns),
                    static_cast<std::uint32_t>(findings.expected), static_cast<std::uint32_t>(findings.found)};
}

std::string text(const WrongTable& wrong) {
  return "wrong at (" + std::to_string(wrong.x) + ", " + std::to_string(wrong.y) + "): " + std::to_string(wrong.found) +
         " instead of " + std::to_string(wrong.expected) + "; the four-point identity fails in " +
         std::to_string(wrong.count) + (wrong.count == 1 ? " place" : " places");
}

TableFindings* check_table(Context& context, Pixels image, Sums table) {
  if (const auto there = simulated::elsewhere(context, &simulated::Driver::check_table)) return there(context, image, table);
  check_views(context, "check_table", {{"the image", image}, {"its table", table}});
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();  // TableFindings has 32 bits for the place
  if (image.size().pixels() > most)
    throw std::invalid_argument("check_table: takes images of at most " + std::to_string(most) + " pixels, not " +
                                std::to_string(image.size().pixels()));
  auto* const findings = context.scratch<TableFindings>(1);
  const auto check = context.device() == Device::host ? check_on_host : check_on_device;
  context.group("check", [&] { check(context, image, table, findings); });
  return findings;
}

}  // namespace gpu
