// What Python passes besides the memory of arrays: names, parameters, devices, streams, and what shapes and types mean. All functions
// need the GIL, and throw TypeError or ValueError of one line.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/cuda/device.h"
#include "gpu/python/array.h"
#include "gpu/sat.h"

namespace satscope::python {

[[noreturn]] void value_error(const std::string& message);
[[noreturn]] void type_error(const std::string& message);

// `name`: of the argument, for messages.
std::string_view text_of(nb::handle text, const char* name);
bool flag_of(nb::handle flag, const char* name);
std::int64_t integer_of(nb::handle number, const char* name, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
// (H, W) and so on, without strides.
Array array_of_shape(nb::handle shape);
// A name, or an Algorithm.
std::string algorithm_name(nb::handle algorithm);
// "W=64 rows=8", or a dict.
std::string parameter_text(nb::handle parameters);
std::optional<gpu::Device> device_named(nb::handle device);
// Where an array is computed on. `what`: "image" or "table", for messages.
gpu::Device device_of(const Array& array, std::optional<gpu::Device> wanted, const char* what = "image");
// A handle as an integer, or an object of CuPy, PyTorch, Numba or cuda.core.
std::uintptr_t stream_of(nb::handle stream);

// Whether the last axis has the channels of each pixel.
bool has_channels(const Array& image, nb::handle layout);
gpu::Size size_of_planes(const Array& image);
// The sums that a library is given if it names none.
Element usual_sum(const Array& image, bool squares);
gpu::SatType type_of(Element image, Element sum, bool squares);
// Tilted tables have one type, and one algorithm without a name: throws if anything else is requested.
void check_tilted(gpu::SatType type, nb::handle algorithm, nb::handle parameters);
// "u8_u32", or as the literature writes it.
gpu::SatType type_named(std::string_view name);
std::string name_of(gpu::SatType type);
Element element_of(gpu::ElementType type);

}  // namespace satscope::python
