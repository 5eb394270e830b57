// Batches: the tables of many images of one size, by the launches of one.
#pragma once

#include <cstddef>
#include <string_view>

#include "gpu/sat.h"

namespace gpu {

// Image i begins i * image_stride elements behind the first one, and its table i * sat_stride elements behind the first table.
struct ImageBatch {
  int count = 1;
  std::ptrdiff_t image_stride = 0, sat_stride = 0;
};

// An algorithm that takes all images of a batch at once: no block waits for another one, so that each image's can be where they are,
// and nothing lies in scratch memory, so that a plan need not know how many images there will be. Integer tables are those of
// SatAlgorithm::run, and so are floating-point tables of an algorithm that is repeatable.
struct BatchSat {
  std::string_view name;  // of its SatAlgorithm
  // As SatAlgorithm::run. No table overlaps another one or an image.
  void (*run)(Context& context, const AnyConstImageView& first_image, const AnyImageView& first_sat,
              const Arguments& arguments, const ImageBatch& batch);
};

const BatchSat* find_batch_sat(std::string_view algorithm);  // nullptr: it runs once for each image

// The first row and the first column of every table of a batch become zeros, timed as "borders". Tables of 4- and 8-byte sums.
void clear_borders(Context& context, const AnyImageView& first_table, const ImageBatch& batch = {});

}  // namespace gpu
