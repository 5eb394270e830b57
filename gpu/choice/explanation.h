// What a span of the timeline does, in a sentence: for panels and for exports. The test replays every algorithm and every
// effect, and finds a sentence for each of their spans.
#pragma once

#include <string_view>

namespace gpu {

// The explanation of a span by its path: "2r1w/tile sums", "lane 1/luma". An algorithm's own span has its idea; a kernel has a
// sentence of its algorithm where the path names one, otherwise one that suits every algorithm that has a kernel of this name.
// Empty for unknown names.
std::string_view explanation(std::string_view path);

}  // namespace gpu
