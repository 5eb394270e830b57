// Arguments as people write them: "W=64 rows=8".
#pragma once

#include <string>
#include <string_view>

#include "gpu/parameter.h"

namespace gpu {

std::string text_of(const Arguments& arguments);  // of all of them; empty without parameters
// Sets those that `text` names. Throws ArgumentError.
void set_from_text(Arguments& arguments, std::string_view text);

}  // namespace gpu
