// A matrix source of 3 x 2 numbers that has been computed.
#pragma once

#include "app/pipeline/pixel_probe.h"
#include "app/tests/ui/ui_example.h"

namespace app::ui {

inline const ProbedPixels& example_matrix() {
  static const ProbedPixels pixels = [] {
    ProbedPixels all;
    all.picture = {3, 2};
    all.places.width = 3;
    all.places.height = 2;
    for (const auto& [gray, sum] : {std::pair{11, 11u}, {12, 23u}, {13, 36u}, {21, 32u}, {22, 66u}, {27, 106u}}) {
      const auto level = static_cast<std::uint8_t>(gray);
      all.values.push_back({sum, {level, level, level, 255}, level});
    }
    return all;
  }();
  return pixels;
}

inline void show_matrix(State& state) {
  state.capture.kind = capture::SourceKind::matrix;
  state.capture.description = state.capture.name = "matrix:3x2";
  state.capture.size = state.picture = {3, 2};
  state.probed = &example_matrix();
}

}  // namespace app::ui
