#include "app/control/names.h"

#include <algorithm>
#include <span>

#include "app/support/text.h"

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
      {"dock detector", "cascade x-ray stages features gallery lbp"},
      {"dock frame", "kernels timeline"},
      {"dock kernel", "own cu source code lines bytes data race compiler errors"},
      {"dock race", "benchmark"},
      {"dock tiles", "trace"},
      {"effect adaptive_threshold", "binarize ink scan"},
      {"effect faces", "face detection viola jones cascade eyes lbp local binary patterns"},
      {"effect haar", "face detection viola jones"},
      {"faces.show blurred", "blur faces privacy hide anonymous"},
      {"faces.show pixelated", "pixelate faces privacy hide anonymous"},
      {"graph_shows interval", "frame graph plot chart"},
      {"graph_shows kernels", "frame graph plot chart"},
      {"graph_shows stages", "frame graph plot chart"},
      {"graph_shows work", "frame graph plot chart"},
      {"race", "fastest algorithm"},
      {"toggle browse", "open file photo picture image video film"},
      {"trace_colour paper", "figure"},
  };
  return find(all, setting);
}

std::string_view window_words(std::string_view setting) {
  static constexpr Words all[] = {
      {"amplification", "Amplify"},
      {"cells auto", "What is looked at"},
      {"cells gray", "Gray levels"},
      {"cells rgb", "Colours"},
      {"compare_mode", "Comparison"},
      {"cuda_algorithm", "GPU algorithm"},
      {"device cuda", "CUDA"},
      {"device host", "CPU"},
      {"device simulated", "Simulated GPU"},
      {"dock", "Tab"},
      {"dock_open", "Measure"},
      {"fps", "Rate"},
      {"frame_view", "Frame"},
      {"graph_frames", "Usual zoom"},
      {"graph_shows work", "Work of the main thread"},
      {"graph_shows interval", "Interval between frames"},
      {"graph_shows kernels", "All kernels"},
      {"graph_shows stages", "Kernels, stacked by stage"},
      {"host_algorithm", "CPU algorithm"},
      {"interop off", "Off (staged)"},
      {"memory_budget", "Memory, MB"},
      {"output_folder", "Save to"},
      {"race_parameters on", "All parameters"},
      {"race_parameters off", "All parameters"},
      {"record_size", "Video size"},
      {"record_size source", "As the picture"},
      {"study_algorithms", "Algorithms of the study"},
      {"study_beside", "Beside the study"},
      {"study_shows", "Study shows"},
      {"study_shows bound", "Times the bound"},
      {"study_shows time", "Microseconds"},
      {"timing every", "Every launch"},
      {"timing kernels", "Each kernel"},
      {"trace_colour paper", "As in the paper"},
      {"trace_colour sm", "Multiprocessor"},
      {"trace_colour start", "Start time"},
      {"ui_scale", "Text size"},
      {"values", "Values"},
      {"viewer gl", "OpenGL"},
      {"viewer highgui", "OpenCV's window"},
  };
  return find(all, setting);
}

std::string_view present_name(std::string_view setting, std::string_view value) {
  static constexpr Words all[] = {
      {"kernels", "frame"}, {"timeline", "frame"}, {"trace", "tiles"}, {"cascade", "detector"}, {"features", "detector"}};
  const auto now = setting == "dock" ? find(all, value) : std::string_view();
  return now.empty() ? value : now;
}

std::string device_words(std::string_view device) {
  static constexpr Words all[] = {{"cuda", "GPU"}, {"host", "CPU"}, {"simulated", "simulated GPU"}};
  return std::string(find(all, device));
}

std::string title_of_setting(std::string_view setting) {
  if (const auto dot = setting.rfind('.'); dot != setting.npos) return label_of(setting.substr(dot + 1));
  const auto words = window_words(setting);
  return words.empty() ? label_of(setting) : std::string(words);
}

std::string titles_of_settings(std::string_view settings) {
  constexpr std::string_view comma = ", ";
  const auto end = settings.find(comma);
  const auto first = title_of_setting(settings.substr(0, end));
  return end == settings.npos ? first : first + ", " + titles_of_settings(settings.substr(end + comma.size()));
}

std::string title_of_value(std::string_view setting, std::string_view value) {
  const auto words = window_words(std::string(setting) + ' ' + std::string(value));
  return words.empty() ? label_of(value) : std::string(words);
}

}  // namespace app
