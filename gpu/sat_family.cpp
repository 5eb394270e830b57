#include <algorithm>

#include "gpu/sat.h"
#include "gpu/sat_card.h"

namespace gpu {
namespace {

struct Family {
  SatFamily family;
  std::string_view name, description;
};
constexpr Family families[] = {
    {SatFamily::cpu, "On the CPU", "The definition, and the same in bands on all cores."},
    {SatFamily::rows_and_columns, "Rows and columns", "Prefix sums along one direction, then along the other."},
    {SatFamily::transposes, "Scan and transpose",
     "Rows are scanned and the table is transposed, so that columns become rows."},
    {SatFamily::trees, "Trees and doubling", "Prefix sums in a logarithmic number of steps through global memory."},
    {SatFamily::tiles, "Tiles in several kernels",
     "Tiles are summed, carries are passed between kernels, tiles are finished."},
    {SatFamily::one_kernel, "Tiles in one kernel", "Blocks wait for each other's carries inside a single kernel."},
    {SatFamily::library, "Libraries", "What NVIDIA's libraries offer."},
};
constexpr SatFamily family_order[] = {SatFamily::cpu,   SatFamily::rows_and_columns, SatFamily::transposes, SatFamily::trees,
                                      SatFamily::tiles, SatFamily::one_kernel,       SatFamily::library};

}  // namespace

std::span<const SatFamily> sat_families() { return family_order; }
std::string_view name(SatFamily family) { return families[static_cast<std::size_t>(family)].name; }
std::string_view description(SatFamily family) { return families[static_cast<std::size_t>(family)].description; }

std::vector<const SatAlgorithm*> algorithms_of(SatFamily family) {
  std::vector<const SatAlgorithm*> all;
  for (const auto* algorithm : sat_algorithms())
    if (const auto* card = find_sat_card(algorithm->name); card && card->family == family) all.push_back(algorithm);
  std::ranges::stable_sort(all, {}, &SatAlgorithm::year);
  return all;
}

}  // namespace gpu
