#include "gpu/python/functions.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

#include "gpu/effect.h"
#include "gpu/python/arguments.h"
#include "gpu/sat.h"

namespace satscope::python {
namespace {

void check_bytes(const Array& image, const char* function) {
  if (image.element != Element::u8)
    type_error(std::string(function) + "() takes images of uint8, not " + std::string(name(image.element)));
}

}  // namespace

nb::object integral(State& state, nb::handle image, nb::handle algorithm, nb::handle parameters, nb::handle dtype,
                    bool padded, nb::handle out, nb::handle stream, nb::handle device, bool copy, bool squares,
                    nb::handle layout) {
  Call call(state, image, stream, layout, copy);
  const auto where = device_of(call.image(), device_named(device));
  std::optional<Element> sum;
  if (!dtype.is_none()) sum = state.libraries.element(dtype);
  if (!sum && out.is_none()) sum = usual_sum(call.image(), squares);
  if (sum) type_of(call.image().element, *sum, squares);  // before a table is made
  call.set_table(out, sum, padded);

  nb::object algorithm_held, parameters_held;
  const PlanStore::Wanted wanted{Task::table,
                                 call.size(),
                                 type_of(call.image().element, call.table().element, squares),
                                 padded,
                                 where,
                                 std::max(call.image().gpu, 0),
                                 algorithm_name(algorithm, algorithm_held),
                                 parameter_text(parameters, parameters_held),
                                 call.stream()};
  run_kept(state, call, wanted);
  return call.result();
}

nb::object box_filter(State& state, nb::handle image, nb::handle size, nb::handle border, nb::handle out, nb::handle stream,
                      bool copy) {
  Call call(state, image, stream, nb::none(), copy);
  check_bytes(call.image(), "box_filter");
  const bool pair = PyTuple_Check(size.ptr()) || PyList_Check(size.ptr());
  if (pair && nb::len(size) != 2) value_error("size: one number, or (width, height)");
  const auto side = [&](int i) {
    return std::string(nb::str(pair ? nb::object(nb::borrow<nb::sequence>(size)[i]) : nb::borrow(size)).c_str());
  };
  const auto width = side(0), height = side(1), outside = std::string(text_of(border));
  // Before the parameters are one text: spaces separate them.
  gpu::Arguments arguments(gpu::find_effect("box_blur")->parameters);
  arguments.set("window", width + 'x' + height);
  arguments.set("border", outside);
  const auto parameters = "window=" + arguments.text("window") + " border=" + outside;
  call.set_table(out, Element::u8, false);
  run_kept(state, call,
           {Task::box_filter,
            call.size(),
            gpu::SatType::u8_u32,
            false,
            device_of(call.image(), {}),
            std::max(call.image().gpu, 0),
            {},
            parameters,
            call.stream()});
  return call.result();
}

nb::object tilted(State& state, nb::handle image, bool copy) {
  Call call(state, image, nb::none(), nb::none(), copy);
  check_bytes(call.image(), "tilted");
  call.set_table(nb::none(), Element::i32, true);
  run_kept(state, call,
           {Task::tilted,
            call.size(),
            gpu::SatType::u8_u32,
            true,
            device_of(call.image(), {}),
            std::max(call.image().gpu, 0),
            {},
            {},
            call.stream()});
  return call.result();
}

nb::list algorithms(nb::handle device, nb::handle type) {
  const auto where = device_named(device);
  const auto wanted = type.is_none() ? std::nullopt : std::optional(type_named(text_of(type)));
  nb::list list;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (where && !gpu::runs_on(*algorithm, *where)) continue;
    if (wanted && std::ranges::find(algorithm->types, *wanted) == algorithm->types.end()) continue;
    nb::dict entry;
    const auto text = [](std::string_view letters) { return nb::str(letters.data(), letters.size()); };
    entry["name"] = text(algorithm->name);
    entry["year"] = algorithm->year;
    entry["paper"] = text(algorithm->paper);
    entry["idea"] = text(algorithm->idea);
    entry["device"] = text(gpu::name(algorithm->device));
    entry["reads"] = text(algorithm->reads);
    entry["writes"] = text(algorithm->writes);
    entry["repeatable"] = algorithm->repeatable;
    nb::list types;
    for (const auto one : algorithm->types) types.append(name_of(one));
    entry["types"] = nb::tuple(types);
    nb::dict parameters;
    for (const auto& parameter : algorithm->parameters) parameters[text(parameter.name)] = text(parameter.help);
    entry["parameters"] = parameters;
    entry["unavailable"] = gpu::why_unavailable(*algorithm);
    list.append(entry);
  }
  return list;
}

nb::object why_no_gpu() {
  const auto probe = gpu::probe_gpu();
  return probe.gpu ? nb::none() : nb::object(nb::str(probe.reason.c_str()));
}

}  // namespace satscope::python
