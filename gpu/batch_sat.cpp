#include "gpu/batch_sat.h"

namespace gpu {
namespace sat {
extern const BatchSat batched_scanrow_column;
}  // namespace sat

const BatchSat* find_batch_sat(std::string_view algorithm) {
  return algorithm == sat::batched_scanrow_column.name ? &sat::batched_scanrow_column : nullptr;
}

}  // namespace gpu
