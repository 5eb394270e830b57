#include "app/control/window_words.h"

#include <algorithm>
#include <span>

namespace app {

namespace {

struct Words {
  std::string_view setting, words;
};

std::string_view find(std::span<const Words> all, std::string_view setting) {
  const auto at = std::ranges::find(all, setting, &Words::setting);
  return at == all.end() ? std::string_view() : at->words;
}

}  // namespace

std::string_view words_for(std::string_view setting) {
  static constexpr Words all[] = {
      {"dock race", "benchmark"},
      {"effect adaptive_threshold", "binarize ink scan"},
      {"effect haar", "face detection viola jones"},
      {"graph_shows interval", "frame graph plot chart"},
      {"graph_shows kernels", "frame graph plot chart"},
      {"graph_shows stages", "frame graph plot chart"},
      {"graph_shows work", "frame graph plot chart"},
      {"trace_colour paper", "figure"},
  };
  return find(all, setting);
}

std::string_view window_words(std::string_view setting) {
  static constexpr Words all[] = {
      {"amplification", "Amplify"},
      {"fps", "Rate"},
      {"graph_frames", "Usual zoom"},
      {"graph_scale log", "Logarithmic"},
      {"graph_shows work", "Work of the main thread"},
      {"graph_shows interval", "Interval between frames"},
      {"graph_shows kernels", "All kernels"},
      {"graph_shows stages", "Kernels, stacked by stage"},
      {"race_parameters on", "All parameters"},
      {"race_parameters off", "All parameters"},
      {"timing every", "Every launch"},
      {"timing kernels", "Each kernel"},
      {"trace_colour paper", "As in the paper"},
      {"ui_scale", "Text size"},
  };
  return find(all, setting);
}

}  // namespace app
