// How an interface shows a parameter of an effect, as data. Nothing here changes a result; the command line ignores it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "gpu/parameter.h"

namespace gpu {

struct ParameterDisplay {
  std::string_view parameter;     // its name
  std::string_view applies = {};  // "method=bradley": it has an effect only with this value of another; empty: always
  std::string_view labels = {};   // what each choice is called, in their order, separated by commas; empty: as written
  // What each choice looks like, likewise: rectangles that are added or subtracted, in rows: "-+/+-".
  std::string_view pictograms = {};
  bool logarithmic = false;  // small values matter as much as large ones
  // What the effect takes in place of 0 on a frame of this size. Null: 0 is a value as any other.
  int (*automatic)(const Arguments& arguments, Size frame) = nullptr;
};

// That of a parameter; the default one if it has none.
const ParameterDisplay& display_of(std::span<const ParameterDisplay> all, std::string_view parameter);
// What an interface calls one of the parameter's choices.
std::string_view label_of_choice(const Parameter& parameter, const ParameterDisplay& display, std::string_view choice);
// Why the parameter has no effect with these values, one line: "Only with method: Bradley"; empty if it has one.
std::string why_unused(std::span<const ParameterDisplay> all, std::string_view parameter, const Arguments& arguments);

}  // namespace gpu
