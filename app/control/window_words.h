// What the window calls settings, where that is not their name: for the window itself, and for the palette, which finds them by
// these words.
#pragma once

#include <string>
#include <string_view>

namespace app {

// `setting`: its path, or the path and the value that the words stand for: "ui_scale", "graph_scale log". Empty where the window
// uses the setting's own name. The words end with a zero.
std::string_view window_words(std::string_view setting);
// The same, with a name made of the setting's own where the window uses that: "Theme", "Linear".
std::string title_of_setting(std::string_view setting);
std::string title_of_value(std::string_view setting, std::string_view value);
// What a sentence calls a device, which is a value of a setting: "GPU", "CPU", "simulated GPU".
std::string device_words(std::string_view device);
// What else people call it: "face" for Haar-like features. Empty where nothing is known.
std::string_view words_for(std::string_view setting);

}  // namespace app
