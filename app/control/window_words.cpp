#include "app/control/window_words.h"

#include <algorithm>
#include <iterator>

namespace app {

std::string_view window_words(std::string_view setting) {
  struct Words {
    std::string_view setting, words;
  };
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
      {"ui_scale", "Text size"},
  };
  const auto at = std::ranges::find(all, setting, &Words::setting);
  return at == std::end(all) ? std::string_view() : at->words;
}

}  // namespace app
