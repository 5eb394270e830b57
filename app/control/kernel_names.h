// Users' files with kernels of their own, as settings name them: `kernel` lists the files, and each gives its name to an algorithm or an
// effect, which is in the tables of gpu/ once a version of the file works.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"

namespace app {

// Whether the text names such a file, by its ending; also as a URI, as a desktop gives one.
bool is_kernel_file(std::string_view text);
// The absolute path of the file that `text` names: ~ is the home folder. Throws std::invalid_argument with one line where there is no
// such file, or its name cannot be that of an algorithm.
std::string kernel_file(std::string_view text);
// Throws the same where a file of that name, which need not exist, cannot have a kernel.
void check_kernel_name(std::string_view file);
std::string kernel_name(std::string_view file);  // "mine", of "/home/ada/mine.cu"
// Adds it to the settings' list. Throws the same, and where another one has its name.
void add_kernel(Settings& settings, std::string_view text);
// A file of the list has this name, and no version of it works yet: what is chosen by that name is the program's usual choice until then.
bool awaits_kernel(const Settings& settings, std::string_view name);

// The list as text: a line per file.
std::string text_of_kernels(const std::vector<std::string>& files);
std::vector<std::string> kernels_from(std::string_view text);

}  // namespace app
