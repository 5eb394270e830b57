// The functions of the module, as satscope/__init__.py documents them.
#pragma once

#include <cstdint>
#include <optional>

#include "gpu/python/call.h"

namespace satscope::python {

nb::object integral(State& state, nb::handle image, nb::handle algorithm, nb::handle parameters, nb::handle dtype,
                    bool padded, nb::handle out, nb::handle stream, nb::handle device, bool copy, bool squares,
                    nb::handle layout, bool tilted);
nb::object box_filter(State& state, nb::handle image, nb::handle size, nb::handle border, nb::handle out, nb::handle stream,
                      bool copy);
nb::object box_sum(State& state, nb::handle table, nb::handle boxes, bool padded, nb::handle out, nb::handle stream,
                   nb::handle device, bool copy, nb::handle layout, bool tilted);
nb::list algorithms(nb::handle device, nb::handle type);
nb::dict simulate(State& state, nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters, int width,
                  int latency, int blocks, std::optional<std::uint64_t> seed);
// None, or why there is no GPU.
nb::object why_no_gpu();

}  // namespace satscope::python
