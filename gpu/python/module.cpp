// The extension satscope._core: what satscope/__init__.py offers, as near to the library as can be.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "gpu/cuda/error.h"
#include "gpu/python/arguments.h"
#include "gpu/python/functions.h"
#include "gpu/python/python_plan.h"
#include "gpu/satscope.h"

constexpr int most_threads = 1 << 16;

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
  m.def(
      "integral",
      [state](nb::handle image, nb::handle algorithm, nb::handle parameters, nb::handle dtype, nb::handle padded,
              nb::handle out, nb::handle stream, nb::handle device, nb::handle copy, nb::handle squares, nb::handle layout,
              nb::handle tilted) {
        return integral(*state, image, algorithm, parameters, dtype, flag_of(padded, "padded"), out, stream, device,
                        flag_of(copy, "copy"), flag_of(squares, "squares"), layout, flag_of(tilted, "tilted"));
      },
      nb::arg("image").none(), nb::arg("algorithm").none() = nb::none(), nb::arg("parameters").none() = nb::none(),
      nb::arg("dtype").none() = nb::none(), nb::arg("padded").none() = false, nb::arg("out").none() = nb::none(),
      nb::arg("stream").none() = nb::none(), nb::arg("device").none() = nb::none(), nb::arg("copy").none() = false,
      nb::arg("squares").none() = false, nb::arg("layout").none() = nb::none(), nb::arg("tilted").none() = false);
  m.def("algorithms", &algorithms, nb::arg("device").none() = nb::none(), nb::arg("type").none() = nb::none());
  m.def(
      "simulate",
      [state](nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters, nb::handle width,
              nb::handle latency, nb::handle blocks, nb::handle seed) {
        const auto count = [](nb::handle number, const char* name) {
          return static_cast<int>(integer_of(number, name, 1, std::numeric_limits<int>::max()));
        };
        return simulate(*state, algorithm, image, type, parameters, count(width, "width"), count(latency, "latency"),
                        count(blocks, "blocks"),
                        seed.is_none() ? std::nullopt : std::optional<std::uint64_t>(integer_of(seed, "seed", 0)));
      },
      nb::arg("algorithm").none(), nb::arg("image").none(), nb::arg("type").none() = nb::none(),
      nb::arg("parameters").none() = nb::none(), nb::arg("width").none() = 32, nb::arg("latency").none() = 400,
      nb::arg("blocks").none() = 264, nb::arg("seed").none() = nb::none());
  m.def(
      "box_filter",
      [state](nb::handle image, nb::handle size, nb::handle border, nb::handle out, nb::handle stream, nb::handle copy) {
        return box_filter(*state, image, size, border, out, stream, flag_of(copy, "copy"));
      },
      nb::arg("image").none(), nb::arg("size").none(), nb::arg("border").none() = "reflect101",
      nb::arg("out").none() = nb::none(), nb::arg("stream").none() = nb::none(), nb::arg("copy").none() = false);
  m.def(
      "box_sum",
      [state](nb::handle table, nb::handle boxes, nb::handle padded, nb::handle out, nb::handle stream, nb::handle device,
              nb::handle copy, nb::handle layout, nb::handle tilted) {
        return box_sum(*state, table, boxes, flag_of(padded, "padded"), out, stream, device, flag_of(copy, "copy"), layout,
                       flag_of(tilted, "tilted"));
      },
      nb::arg("table").none(), nb::arg("boxes").none(), nb::arg("padded").none() = false, nb::arg("out").none() = nb::none(),
      nb::arg("stream").none() = nb::none(), nb::arg("device").none() = nb::none(), nb::arg("copy").none() = false,
      nb::arg("layout").none() = nb::none(), nb::arg("tilted").none() = false);
  m.def("why_no_gpu", &why_no_gpu);
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
            new (self)
                PyPlan(state, image, type, algorithm, parameters, flag_of(padded, "padded"), device,
                       static_cast<int>(integer_of(threads, "threads", 0, most_threads)), layout, flag_of(tilted, "tilted"));
          },
          nb::arg("image").none(), nb::arg("type").none() = nb::none(), nb::arg("algorithm").none() = nb::none(),
          nb::arg("parameters").none() = nb::none(), nb::arg("padded").none() = false, nb::arg("device").none() = nb::none(),
          nb::arg("threads").none() = 0, nb::arg("layout").none() = nb::none(), nb::arg("tilted").none() = false,
          nb::sig("def __init__(self, image: typing.Any, type: str | None = None, algorithm: typing.Any = None, "
                  "parameters: str | dict[str, typing.Any] | None = None, padded: bool = False, device: str | None = None, "
                  "threads: int = 0, layout: str | None = None, tilted: bool = False) -> None"))
      .def(
          "__call__",
          [](PyPlan& plan, nb::handle image, nb::handle out, nb::handle stream, nb::handle copy) {
            return plan.call(image, out, stream, flag_of(copy, "copy"));
          },
          nb::arg("image").none(), nb::arg("out").none() = nb::none(), nb::arg("stream").none() = nb::none(),
          nb::arg("copy").none() = false,
          nb::sig("def __call__(self, image: typing.Any, out: typing.Any = None, stream: typing.Any = None, "
                  "copy: bool = False) -> typing.Any"),
          R"(The table of an image: `out`, or a new array of the image's library. out, stream, copy: as for integral().

On a GPU the work is queued on the stream, and the call does not wait, except for a copy of an array of JAX and others.)")
      .def(
          "time",
          [](PyPlan& plan, nb::handle image, nb::handle out, nb::handle runs, nb::handle stream) {
            return plan.time(image, out, static_cast<int>(integer_of(runs, "runs", 1, 1'000'000)), stream);
          },
          nb::arg("image").none(), nb::arg("out").none() = nb::none(), nb::arg("runs").none() = 20,
          nb::arg("stream").none() = nb::none(),
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
  m.def("call_cost", &PyPlan::call_cost, nb::arg("plan"), nb::arg("image"), nb::arg("out"), nb::arg("runs"));
}
