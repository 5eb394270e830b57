// Groups of lines in columns of about the same height.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace app::ui {

// The groups of each of at most `columns` columns, for groups of these heights, such that the highest column is low. In their
// order, unless another distribution is clearly lower.
std::vector<std::vector<std::size_t>> balanced_columns(std::span<const float> heights, std::size_t columns);

}  // namespace app::ui
