// What the panels say of an algorithm: shared by the section at the left and the cards.
#pragma once

#include <string>
#include <string_view>

#include "app/ui/panel.h"
#include "gpu/sat.h"

namespace app::ui {

// The algorithm that the settings choose for the device in use; null if there is none.
const gpu::SatAlgorithm* chosen_algorithm(const PanelContext& ui);
std::string_view device_tag(gpu::Device device);                   // "CUDA", "CPU"
std::string reads_and_writes(const gpu::SatAlgorithm& algorithm);  // "Per pixel: 2 reads, 1 write"
std::string_view whose_count(const gpu::SatAlgorithm& algorithm);  // what follows it: ", as the paper counts"
// The exact figures for pictures of `size`, one line; empty if the algorithm states none.
std::string exact_traffic(const gpu::SatAlgorithm& algorithm, gpu::Size size, const gpu::Arguments& arguments);

}  // namespace app::ui
