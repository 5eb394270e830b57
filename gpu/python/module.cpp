// The extension satscope._core: what satscope/__init__.py offers and documents, as near to the library as can be.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "gpu/cuda/error.h"
#include "gpu/effect.h"
#include "gpu/pictures/box_sums.h"
#include "gpu/python/arguments.h"
#include "gpu/python/call.h"
#include "gpu/python/user_kernels.h"
#include "gpu/sat.h"
#include "gpu/satscope.h"
#include "gpu/simulated/memory_machine.h"
#include "gpu/simulated/observed/simulation.h"
#include "gpu/user_kernels/kernel_version.h"

namespace satscope::python {
namespace {

constexpr std::int64_t longest_list = std::int64_t{1} << 30;

gpu::ElementType table_element(Element element) {
  switch (unsigned_of(element)) {
    case Element::u32: return gpu::ElementType::u32;
    case Element::f32: return gpu::ElementType::f32;
    case Element::f64: return gpu::ElementType::f64;
    default: return gpu::ElementType::u64;
  }
}

void check_bytes(const Array& image, const char* function) {
  if (image.element != Element::u8)
    type_error(std::string(function) + "() takes images of uint8, not " + std::string(name(image.element)));
}

nb::object list_of_boxes(nb::handle list) {
  auto numpy = nb::module_::import_("numpy");
  return nb::len(list) > 0 ? numpy.attr("asarray")(list) : numpy.attr("empty")(nb::make_tuple(0, 4), "int32");
}

// (N, 4) integers that follow each other in a row; of a list too.
Array boxes_of(State& state, nb::handle boxes, Call& call) {
  const auto described = [&](nb::handle array) { return state.libraries.describe(array, "boxes", false, call.stream()); };
  const bool is_list = PyList_Check(boxes.ptr()) || PyTuple_Check(boxes.ptr());
  auto array = !is_list ? described(boxes) : described(list_of_boxes(boxes));
  if (array.axes != 2 || array.shape[1] != 4)
    value_error("boxes have the shape (N, 4): x, y, width and height of each; this is " +
                shape_text(array.shape, array.axes));
  if (array.element != Element::i32 && array.element != Element::i64)
    type_error("boxes are int32 or int64, not " + std::string(name(array.element)) + ": astype() converts");
  if (array.gpu != call.image().gpu)
    value_error(call.image().gpu < 0
                    ? "the table is in the host's memory, and the boxes are in a GPU's: copy either of them"
                    : "the table is in a GPU's memory, and the boxes are in the host's or another one's: cupy.asarray() or "
                      "cuda() copies them there");
  if (why_not_rows(array).empty()) return array;
  return described(call.contiguous(array));
}

nb::str str_of(std::string_view text) { return nb::str(text.data(), text.size()); }
nb::object ratio(double part, double whole) { return whole > 0 ? nb::object(nb::float_(part / whole)) : nb::none(); }

nb::object integral(State& state, nb::handle image, nb::handle algorithm, nb::handle parameters, nb::handle dtype,
                    nb::handle is_padded, nb::handle out, nb::handle stream, nb::handle device, nb::handle copy,
                    nb::handle of_squares, nb::handle layout, nb::handle is_tilted) {
  const bool padded = flag_of(is_padded, "padded"), squares = flag_of(of_squares, "squares"),
             tilted = flag_of(is_tilted, "tilted");
  Call call(state, image, stream, layout, flag_of(copy, "copy"), "image", true);
  const auto where = device_of(call.image(), device_named(device));
  std::optional<Element> sum;
  if (!dtype.is_none()) sum = state.libraries.element(dtype);
  if (!sum && out.is_none()) sum = usual_sum(call.image(), squares);
  const auto check = [&](Element of_sums) {
    const auto type = type_of(call.image().element, of_sums, squares);
    if (tilted) check_tilted(type, algorithm, parameters);
    return type;
  };
  if (sum) check(*sum);  // before a table is made
  call.set_table(out, sum, padded);

  run_kept(state, call,
           {.size = call.size(),
            .type = check(call.table().element),
            .device = where,
            .gpu = call.image().gpu,
            .options = {.algorithm = algorithm_name(algorithm),
                        .parameters = parameter_text(parameters),
                        .padded = padded,
                        .tilted = tilted}});
  return call.result();
}

nb::object box_filter(State& state, nb::handle image, nb::handle size, nb::handle border, nb::handle out, nb::handle stream,
                      nb::handle copy) {
  Call call(state, image, stream, nb::none(), flag_of(copy, "copy"));
  check_bytes(call.image(), "box_filter");
  const bool pair = PyTuple_Check(size.ptr()) || PyList_Check(size.ptr());
  if (pair && nb::len(size) != 2) value_error("size: one number, or (width, height)");
  const auto side = [&](int i) {
    return std::to_string(integer_of(pair ? nb::object(nb::borrow<nb::sequence>(size)[i]) : nb::borrow(size), "size"));
  };
  const auto window = side(0) + 'x' + side(1), outside = std::string(text_of(border, "border"));
  // Before the parameters are one text: spaces separate them.
  gpu::Arguments arguments(gpu::find_effect("box_blur")->parameters);
  arguments.set("window", window);
  arguments.set("border", outside);
  call.set_table(out, Element::u8, false);
  run_kept(state, call,
           {.size = call.size(),
            .device = device_of(call.image(), {}),
            .gpu = call.image().gpu,
            .is_filter = true,
            .options = {.parameters = "window=" + window + " border=" + outside}});
  return call.result();
}

nb::object box_sum(State& state, nb::handle table, nb::handle boxes, nb::handle is_padded, nb::handle out, nb::handle stream,
                   nb::handle device, nb::handle copy, nb::handle layout, nb::handle is_tilted) {
  const bool padded = flag_of(is_padded, "padded"), tilted = flag_of(is_tilted, "tilted");
  Call call(state, table, stream, layout, flag_of(copy, "copy"), "table");
  const auto& entries = call.image();
  const auto where = device_of(entries, device_named(device), "table");
  if (size_of(entries.element) < 4)
    type_error("the table is " + std::string(name(entries.element)) +
               ", which is not a type of sums: pass satscope.integral(image), not the image");
  const auto list = boxes_of(state, boxes, call);
  const auto count = list.shape[0];

  // As many planes as the table has, of one column. The caller has the channels of a box side by side.
  const int planes = entries.axes - 2;
  std::int64_t shape[most_axes] = {}, planar[most_axes] = {};
  std::copy_n(entries.shape, planes, planar);
  planar[planes] = count;
  planar[planes + 1] = 1;
  std::copy_n(planar, planes + 1, shape);
  if (call.has_channels()) std::swap(shape[0], shape[1]);
  const auto made = out.is_none() ? state.libraries.empty(entries, shape, planes + 1, entries.element) : nb::borrow(out);
  auto sums = state.libraries.describe(made, "sums", true, call.stream());
  if (sums.element != entries.element)
    type_error("the table is " + std::string(name(entries.element)) + ", and so must out= be, which is " +
               std::string(name(sums.element)));
  if (sums.axes != planes + 1 || !std::equal(shape, shape + sums.axes, sums.shape))
    value_error("the sums of these boxes have the shape " + shape_text(shape, planes + 1) + ", not " +
                shape_text(sums.shape, sums.axes));
  if (call.has_channels()) sums.permute({1, 0});
  sums.shape[sums.axes] = 1;
  sums.strides[sums.axes++] = static_cast<std::int64_t>(size_of(sums.element));
  if (count > 0) {
    check_written(entries, "table", sums, "sums", planar);
    const auto type = table_element(entries.element);
    const auto elements = [](std::size_t bytes, Element element) {
      return static_cast<std::ptrdiff_t>(bytes / size_of(element));
    };
    const auto stride = elements(pitch_of(entries), entries.element), step = elements(pitch_of(sums), sums.element);
    if (count > longest_list) value_error("there are more than 2^30 boxes");
    const gpu::Boxes rows{list.data, static_cast<int>(count), elements(pitch_of(list), list.element),
                          list.element == Element::i64, tilted};
    call.run_planes(sums, [&](const void* plane, void* column) {
      sum_boxes(where, entries.gpu, {plane, call.size().width, call.size().height, stride, type}, padded, rows,
                {column, 1, rows.count, step, type}, reinterpret_cast<CUstream_st*>(call.stream()));
    });
  }
  return out.is_none() ? state.libraries.finished(entries, made) : made;
}

nb::list algorithms(nb::handle device, nb::handle type) {
  const auto where = device_named(device);
  const auto wanted = type.is_none() ? std::nullopt : std::optional(type_named(text_of(type, "type")));
  nb::list list;
  for (const auto* algorithm : gpu::sat_algorithms()) {
    if (where && !gpu::runs_on(*algorithm, *where)) continue;
    if (wanted && std::ranges::find(algorithm->types, *wanted) == algorithm->types.end()) continue;
    nb::dict entry;
    entry["name"] = str_of(algorithm->name);
    entry["year"] = algorithm->year;
    entry["paper"] = str_of(algorithm->paper);
    entry["idea"] = str_of(algorithm->idea);
    entry["device"] = str_of(gpu::name(algorithm->device));
    entry["reads"] = str_of(algorithm->reads);
    entry["writes"] = str_of(algorithm->writes);
    entry["repeatable"] = algorithm->repeatable;
    nb::list types;
    for (const auto one : algorithm->types) types.append(name_of(one));
    entry["types"] = nb::tuple(types);
    nb::dict parameters;
    for (const auto& parameter : algorithm->parameters) parameters[str_of(parameter.name)] = str_of(parameter.help);
    entry["parameters"] = parameters;
    entry["unavailable"] = gpu::why_unavailable(*algorithm);
    list.append(entry);
  }
  return list;
}

// None, or why there is no GPU.
nb::object why_no_gpu() {
  const auto probe = gpu::probe_gpu();
  return probe.gpu ? nb::none() : nb::object(nb::str(probe.reason.c_str()));
}

nb::dict simulate(State& state, nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters,
                  nb::handle width, nb::handle latency, nb::handle blocks, nb::handle seed) {
  const auto count = [](nb::handle number, const char* name) {
    return static_cast<int>(integer_of(number, name, 1, std::numeric_limits<int>::max()));
  };
  gpu::simulated::SimulationRequest request;
  request.width = count(width, "width");
  request.latency = count(latency, "latency");
  request.gpu.resident_blocks = count(blocks, "blocks");
  if (!seed.is_none())
    request.gpu.schedule = {gpu::simulated::Schedule::Kind::random, static_cast<std::uint64_t>(integer_of(seed, "seed", 0))};
  if (algorithm.is_none()) type_error("algorithm: a name such as \"2r1w\", or one of satscope.algorithms(\"simulated\")");
  const auto& chosen = algorithm_on(algorithm_name(algorithm), gpu::Device::cuda);
  if (!gpu::runs_on(chosen, gpu::Device::simulated))
    throw Error(std::string(chosen.name) + " does not run on the simulated GPU: " + std::string(chosen.not_simulated));
  request.algorithm = chosen.name;
  if (chosen.version)
    request.of_user = chosen.version->simulated_algorithm[static_cast<std::size_t>(gpu::simulated::Build::observed)];
  request.arguments = arguments_of(chosen, parameter_text(parameters));
  if (PyTuple_Check(image.ptr()) || PyList_Check(image.ptr())) {
    const auto like = array_of_shape(image);
    if (like.axes != 2) value_error("a simulation is of one image: its shape is (H, W)");
    request.size = size_of_planes(like);
  } else {
    const auto like = state.libraries.describe(image, "image", false);
    if (like.axes != 2) value_error("a simulation is of one image, (H, W), not " + shape_text(like.shape, like.axes));
    request.size = size_of_planes(like);
    request.type = type_of(like.element, size_of(like.element) < 4 ? Element::u32 : like.element, false);
  }
  if (!type.is_none()) request.type = type_named(text_of(type, "type"));
  if (request.width < 4 || request.width > 32 || (request.width & (request.width - 1)) != 0)
    value_error("width: 4, 8, 16 or 32");

  gpu::simulated::Simulation found;
  {
    const nb::gil_scoped_release released;
    const auto& driver = simulated_driver(gpu::simulated::Build::observed);
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    try {
      found = driver.simulate(request);
    } catch (const std::invalid_argument&) {
      throw;
    } catch (const std::exception& error) {  // a fault of the kernel: its first line
      const std::string message = error.what();
      throw Error(std::string(chosen.name) + ": " + message.substr(0, message.find('\n')));
    }
  }
  const auto& counts = found.counts;
  const auto pixels = static_cast<double>(request.size.pixels());
  const auto per_pixel = [&](std::uint64_t count) { return static_cast<double>(count) / pixels; };
  nb::dict result;
  result["algorithm"] = str_of(chosen.name);
  nb::dict values;
  for (const auto& parameter : request.arguments.parameters())
    values[str_of(parameter.name)] = request.arguments.text(parameter.name);
  result["parameters"] = values;
  result["shape"] = nb::make_tuple(request.size.height, request.size.width);
  result["type"] = name_of(request.type);
  result["equal"] = found.equal;
  if (!found.equal) result["mismatch"] = found.mismatch;
  result["launches"] = found.launches;
  result["read_bytes_per_pixel"] = per_pixel(counts.read.bytes);
  result["written_bytes_per_pixel"] = per_pixel(counts.written.bytes);
  result["read_sectors_per_pixel"] = per_pixel(counts.read.sectors);
  result["written_sectors_per_pixel"] = per_pixel(counts.written.sectors);
  result["sectors_written_in_part_per_pixel"] = per_pixel(counts.written.in_part);
  result["coalescing"] = ratio(static_cast<double>(counts.read.bytes + counts.written.bytes),
                               32.0 * static_cast<double>(counts.read.sectors + counts.written.sectors));
  result["bank_conflict_factor"] = ratio(static_cast<double>(counts.shared_stages),
                                         static_cast<double>(counts.shared_stages_without_conflicts));
  result["barriers_per_pixel"] = per_pixel(counts.barriers);
  result["shuffles_per_pixel"] = per_pixel(counts.shuffles);
  result["atomics_per_pixel"] = per_pixel(counts.atomics);
  result["polls_per_pixel"] = per_pixel(counts.polls);
  nb::list races;
  for (const auto& race : found.races) {
    nb::dict entry;
    entry["what"] = race.what;
    entry["first"] = race.first;
    entry["second"] = race.second;
    entry["times"] = race.times;
    races.append(entry);
  }
  result["races"] = races;
  result["umm_units"] = found.umm_units;
  result["dmm_umm_units"] = found.dmm_umm_units;
  result["formula_units"] = found.formula_units ? nb::object(nb::float_(*found.formula_units)) : nb::none();
  if (const auto bound = gpu::simulated::paper_bound(chosen.name, {})) {
    result["formula"] = str_of(bound->formula);
    result["formula_source"] = str_of(bound->source);
  }
  return result;
}

// `function` with the state that every call shares.
template <class Result, class... Arguments>
auto with(const std::shared_ptr<State>& state, Result (*function)(State&, Arguments...)) {
  return [state, function](Arguments... arguments) { return function(*state, arguments...); };
}

}  // namespace
}  // namespace satscope::python

NB_MODULE(_core, m) {
  using namespace satscope::python;
  nb::set_leak_warnings(false);  // a program may keep plans until it ends
  nb::exception<satscope::Error>(m, "Error", PyExc_RuntimeError);
  nb::register_exception_translator(
      [](const std::exception_ptr& pointer, void* type) {
        try {
          std::rethrow_exception(pointer);
        } catch (const gpu::CudaError& error) {
          PyErr_SetString(static_cast<PyObject*>(type), error.what());
        } catch (const std::invalid_argument& error) {
          PyErr_SetString(PyExc_ValueError, error.what());
        }
      },
      m.attr("Error").ptr());
  m.attr("__version__") = SATSCOPE_VERSION;

  const auto state = std::make_shared<State>();
  const auto optional = [](const char* name) { return nb::arg(name).none() = nb::none(); };
  const auto flag = [](const char* name) { return nb::arg(name).none() = false; };
  m.def("integral", with(state, &integral), nb::arg("image").none(), optional("algorithm"), optional("parameters"),
        optional("dtype"), flag("padded"), optional("out"), optional("stream"), optional("device"), flag("copy"),
        flag("squares"), optional("layout"), flag("tilted"));
  m.def("algorithms", &algorithms, optional("device"), optional("type"));
  m.def("simulate", with(state, &simulate), nb::arg("algorithm").none(), nb::arg("image").none(), optional("type"),
        optional("parameters"), nb::arg("width").none() = 32, nb::arg("latency").none() = 400,
        nb::arg("blocks").none() = 264, optional("seed"));
  m.def("box_filter", with(state, &box_filter), nb::arg("image").none(), nb::arg("size").none(),
        nb::arg("border").none() = "reflect101", optional("out"), optional("stream"), flag("copy"));
  m.def("box_sum", with(state, &box_sum), nb::arg("table").none(), nb::arg("boxes").none(), flag("padded"), optional("out"),
        optional("stream"), optional("device"), flag("copy"), optional("layout"), flag("tilted"));
  m.def("why_no_gpu", &why_no_gpu);
  m.def("judge", &judge_file, nb::arg("file").none(), nb::arg("folder"), nb::arg("child"), nb::arg("seconds").none(),
        nb::arg("memory_bytes").none(), nb::arg("sizes").none(), nb::arg("timed").none(), nb::arg("seed").none());
  m.def("load", with(state, &load_file), nb::arg("file").none(), nb::arg("folder"), nb::arg("child"));
  m.def("judge_child", &judge_child, nb::arg("words"));
  m.def("clear_plans", [state] {
    const nb::gil_scoped_release released;
    state->plans.clear();
  });
  m.def("kept_plans", [state] { return state->plans.size(); });
  m.def("forget_in_child", [state] { state->plans.forget_in_child(); });

  nb::class_<PyPlan>(
      m, "Plan",
      R"(Tables of one shape and type, by one algorithm on one device, for loops: a call looks nothing up and allocates nothing.

    plan = satscope.Plan(image)              # shape, type and device of an array
    plan = satscope.Plan((H, W), "u8_u32")   # or these by name
    table = plan(image)                      # a new table
    plan(image, out=table)                   # into memory that is there

image: an array like those that the plan is for, or their shape, (H, W), (..., H, W) or (H, W, C).
type: "u8_u32", "u8_f32", "u32_u32", "f32_f32", "f64_f64", or "u8_u64", the sums of squared pixels; "u16_u32", "u16_u64",
    "u8_f64", "f32_f64", "u8_u64_plain", "u16_u64_squares", "f32_f64_squares"; None: of an array, its usual sums. A shape needs
    it.
algorithm, parameters, layout, tilted: as for integral().
padded: a row and a column of zeros first, as OpenCV's.
device: "host", "cuda" or "simulated"; None: the array's; of a shape, the GPU where there is one.
threads: of the host; 0: one per core.

One call at a time: threads that share a plan wait for each other. On a GPU calls on several streams follow one another, too, as do
launches of CUDA graphs that captured one. Such a graph needs the plan and the arrays as long as it is launched.

Raises TypeError (no array, other element types), ValueError (shapes, layouts), satscope.Error (no such device, algorithm or
parameter, no memory).)")
      .def(
          "__init__",
          [state](PyPlan* self, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
                  nb::handle padded, nb::handle device, nb::handle threads, nb::handle layout, nb::handle tilted) {
            new (self) PyPlan(state, image, type, algorithm, parameters, padded, device, threads, layout, tilted);
          },
          nb::arg("image").none(), optional("type"), optional("algorithm"), optional("parameters"), flag("padded"),
          optional("device"), nb::arg("threads").none() = 0, optional("layout"), flag("tilted"),
          nb::sig("def __init__(self, image: typing.Any, type: str | None = None, algorithm: typing.Any = None, "
                  "parameters: str | dict[str, typing.Any] | None = None, padded: bool = False, device: str | None = None, "
                  "threads: int = 0, layout: str | None = None, tilted: bool = False) -> None"))
      .def("__call__", &PyPlan::call, nb::arg("image").none(), optional("out"), optional("stream"), flag("copy"),
           nb::sig("def __call__(self, image: typing.Any, out: typing.Any = None, stream: typing.Any = None, "
                   "copy: bool = False) -> typing.Any"),
           R"(The table of an image: `out`, or a new array of the image's library. out, stream, copy: as for integral().

On a GPU the work is queued on the stream, and the call does not wait, except for a copy of an array of JAX and others.)")
      .def("time", &PyPlan::time, nb::arg("image").none(), optional("out"), nb::arg("runs").none() = 20, optional("stream"),
           nb::sig("def time(self, image: typing.Any, out: typing.Any = None, runs: int = 20, stream: typing.Any = None) "
                   "-> list[float]"),
           "The times of `runs` runs in microseconds: the GPU's by events, else the clock's.")
      .def(
          "tune", &PyPlan::tune,
          R"(Measures every algorithm for this shape and type here and now, then the parameters of the three fastest, and changes
to the fastest of all. Graphs that captured the plan end here.)")
      .def_prop_ro("origin", &PyPlan::origin, "Why that algorithm: \"the fastest at 4096x4096 on an NVIDIA H200\".")
      .def_prop_ro("algorithm", &PyPlan::algorithm, "The algorithm in use.")
      .def_prop_ro("parameters", &PyPlan::parameters, "Its parameters in use, \"W=64 rows=8\".")
      .def_prop_ro("device", &PyPlan::device, "\"host\", \"cuda\" or \"simulated\".")
      .def_prop_ro("type", &PyPlan::type, "\"u8_u32\": the types of pixels and sums.")
      .def_prop_ro("dtype", &PyPlan::dtype,
                   "The sums' type: of a plan for an array, its tables' (\"int32\" for PyTorch); for a shape, \"uint32\", "
                   "which PyTorch gets as int32.")
      .def_prop_ro("padded", &PyPlan::padded, "Whether the table has a row and a column of zeros first.")
      .def_prop_ro(
          "shape", [](const PyPlan& plan) { return plan.shape(false); }, "The images' shape.")
      .def_prop_ro(
          "table_shape", [](const PyPlan& plan) { return plan.shape(true); }, "The tables' shape.")
      .def_prop_ro("memory_bytes", &PyPlan::memory_bytes, "Held by the plan.")
      .def("__repr__", &PyPlan::text);
}
