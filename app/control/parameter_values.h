// Values of parameters as numbers: the text of a number that a parameter accepts, and which values fit a picture.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/change.h"
#include "gpu/effect.h"
#include "gpu/parameter.h"

namespace app {

int decimals(const gpu::Parameter& parameter);
// "15.5", "31x9": one number, or both sides of a size.
std::vector<double> numbers_of(const gpu::Parameter& parameter, std::string_view value);
// The text nearest to the numbers that a parameter accepts: within its limits, multiples of its step, without trailing zeros.
std::string text_of_numbers(const gpu::Parameter& parameter, std::span<const double> numbers);
inline std::string number_text(const gpu::Parameter& parameter, double value) {
  return text_of_numbers(parameter, std::span(&value, 1));
}

// What parameters are shown with. Sliders end with the largest values that fit the picture; larger ones can be typed.
struct Fit {
  std::span<const gpu::ParameterDisplay> display;
  gpu::Size picture;                        // empty: not known
  std::optional<gpu::Placement> placement;  // of an effect that has a place
};
Fit fit_of(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size picture);
double slider_end(const gpu::Parameter& parameter, const Fit& fit);
// The same of a short logarithmic slider: near enough that a pixel changes a usual value little, and with what 0 stands for.
double short_slider_end(double end, const std::optional<gpu::Size>& automatic);
// The parameter's value where it is used: an effect that has a place is moved into the picture.
std::string placed_text(const gpu::Parameter& parameter, const gpu::Arguments& arguments, const Fit& fit);
// The changes with which an effect that has a place fits the picture: another type of feature has more rectangles, which become
// smaller then. What is automatic stays so, and fits as far as anything does.
std::vector<Change> changes_to_fit(const gpu::Effect& effect, const gpu::Arguments& arguments, gpu::Size picture);

}  // namespace app
