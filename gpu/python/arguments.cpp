#include "gpu/python/arguments.h"

#include <nanobind/stl/string.h>

#include <algorithm>

namespace satscope::python {
namespace {

constexpr std::int64_t longest_side = std::int64_t{1} << 30;

constexpr std::string_view type_names[] = {"u8_u32",       "u8_f32",          "u32_u32",        "f32_f32", "f64_f64",
                                           "u8_u64",       "u16_u32",         "u16_u64",        "u8_f64",  "f32_f64",
                                           "u8_u64_plain", "u16_u64_squares", "f32_f64_squares"};  // as gpu::SatType
static_assert(std::size(type_names) == std::size(gpu::sat_types));

}  // namespace

void value_error(const std::string& message) { throw nb::value_error(message.c_str()); }
void type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

std::string_view text_of(nb::handle text, const char* name) {
  if (!nb::isinstance<nb::str>(text)) type_error(std::string(name) + ": a text, not " + full_type_name(text));
  Py_ssize_t size = 0;
  const char* letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!letters) throw nb::python_error();
  return {letters, static_cast<std::size_t>(size)};
}

bool flag_of(nb::handle flag, const char* name) {
  if (flag.is(nb::handle(Py_True))) return true;
  if (flag.is(nb::handle(Py_False))) return false;
  const auto type = full_type_name(flag);
  int value = -1;
  if (type == "numpy.bool" || type == "numpy.bool_")
    value = PyObject_IsTrue(flag.ptr());
  else if (PyLong_Check(flag.ptr()))
    value = static_cast<int>(integer_of(flag, name, 0, 1));
  if (value < 0) type_error(std::string(name) + ": True or False, not " + type);
  return value > 0;
}

std::int64_t integer_of(nb::handle number, const char* name, std::int64_t least, std::int64_t most) {
  const auto whole = nb::steal<nb::object>(PyNumber_Index(number.ptr()));
  if (!whole.is_valid()) {
    PyErr_Clear();
    type_error(std::string(name) + ": an integer, not " + full_type_name(number));
  }
  int beyond = 0;
  const auto value = PyLong_AsLongLongAndOverflow(whole.ptr(), &beyond);
  if (beyond != 0 || value < least || value > most)
    value_error(std::string(name) + ": from " + std::to_string(least) + " to " + std::to_string(most));
  return value;
}

Array array_of_shape(nb::handle shape) {
  Array like;
  for (const auto side : nb::borrow<nb::sequence>(shape)) {
    if (like.axes == most_axes) value_error("the image has more than 8 axes");
    like.shape[like.axes++] = integer_of(side, "a side of the shape");
  }
  return like;
}

std::string algorithm_name(nb::handle algorithm) {
  if (algorithm.is_none()) return {};
  const auto held = nb::isinstance<nb::str>(algorithm) ? nb::borrow(algorithm) : nb::getattr(algorithm, "name", nb::none());
  if (!nb::isinstance<nb::str>(held)) type_error("algorithm: a name such as \"2r1w\", or one of satscope.algorithms()");
  return std::string(text_of(held, "algorithm"));
}

std::string parameter_text(nb::handle parameters) {
  if (parameters.is_none()) return {};
  if (nb::isinstance<nb::str>(parameters)) return std::string(text_of(parameters, "parameters"));
  if (!nb::isinstance<nb::dict>(parameters)) type_error("parameters: \"W=64 rows=8\", or {\"W\": 64, \"rows\": 8}");
  std::string text;
  for (const auto& [key, value] : nb::borrow<nb::dict>(parameters)) {
    auto written = nb::cast<std::string>(nb::str(value));
    if (value.is(nb::handle(Py_True))) written = "on";
    if (value.is(nb::handle(Py_False))) written = "off";
    text += (text.empty() ? "" : " ") + nb::cast<std::string>(nb::str(key)) + '=' + written;
  }
  return text;
}

std::optional<gpu::Device> device_named(nb::handle device) {
  if (device.is_none()) return {};
  if (!nb::isinstance<nb::str>(device)) type_error("device: \"host\", \"cuda\" or \"simulated\"");
  const auto name = text_of(device, "device");
  if (name == "host" || name == "cpu") return gpu::Device::host;
  if (name == "cuda" || name == "gpu") return gpu::Device::cuda;
  if (name == "simulated") return gpu::Device::simulated;
  value_error("no device '" + std::string(name) + "': \"host\", \"cuda\" or \"simulated\"");
}

gpu::Device device_of(const Array& array, std::optional<gpu::Device> wanted, const char* what) {
  const auto own = array.gpu < 0 ? gpu::Device::host : gpu::Device::cuda;
  if (!wanted || *wanted == own) return own;
  const auto the = "the " + std::string(what);
  if (own == gpu::Device::cuda)
    value_error(the + " is in a GPU's memory, and device=\"" + std::string(gpu::name(*wanted)) +
                "\" computes on the CPU: copy it there, or leave device= away");
  if (*wanted == gpu::Device::cuda)
    value_error(the +
                " is in the host's memory, and device=\"cuda\" computes on a GPU: cupy.asarray() or cuda() copies it "
                "there");
  return *wanted;
}

std::uintptr_t stream_of(nb::handle stream) {
  const auto handle = [](nb::handle number) {
    return static_cast<std::uintptr_t>(integer_of(number, "the handle of a stream", 0));
  };
  if (PyLong_Check(stream.ptr())) return handle(stream);
  if (nb::hasattr(stream, "__cuda_stream__")) {
    const nb::object pair = stream.attr("__cuda_stream__");
    return handle(nb::object((PyCallable_Check(pair.ptr()) ? nb::object(pair()) : pair)[1]));
  }
  for (const char* name : {"cuda_stream", "ptr", "handle"})
    if (nb::hasattr(stream, name)) {
      const nb::object number = stream.attr(name);
      return handle(PyLong_Check(number.ptr()) ? number : nb::getattr(number, "value", number));
    }
  type_error("stream: a stream of CuPy, PyTorch, Numba or cuda.core, or its handle as an integer");
}

bool has_channels(const Array& image, nb::handle layout) {
  if (image.axes < 2)
    value_error("an image has at least two axes, (H, W), not " + std::to_string(image.axes) + ": its shape is " +
                shape_text(image.shape, image.axes));
  if (layout.is_none()) return image.axes == 3 && image.shape[2] <= 4;
  const auto name = text_of(layout, "layout");
  if (name == "HWC") {
    if (image.axes != 3)
      value_error("layout=\"HWC\" has three axes, and the shape is " + shape_text(image.shape, image.axes));
    return true;
  }
  if (name != "NHW" && name != "HW") value_error("layout: \"HW\", \"NHW\" or \"HWC\", not '" + std::string(name) + "'");
  return false;
}

gpu::Size size_of_planes(const Array& image) {
  const auto height = image.shape[image.axes - 2], width = image.shape[image.axes - 1];
  if (width < 1 || height < 1) value_error("the image is empty: its shape is " + shape_text(image.shape, image.axes));
  if (width > longest_side || height > longest_side) value_error("the image has more than 2^30 rows or columns");
  return {static_cast<int>(width), static_cast<int>(height)};
}

Element usual_sum(const Array& image, bool squares) {
  const bool torch = image.kind == Kind::torch;  // which computes little with unsigned numbers
  if (squares && image.element == Element::f32) return Element::f64;
  if (squares) return torch ? Element::i64 : Element::u64;
  if (image.element == Element::u8 || image.element == Element::u16) return torch ? Element::i32 : Element::u32;
  return image.element;
}

gpu::SatType type_of(Element image, Element sum, bool squares) {
  const auto term = squares ? gpu::Term::square : gpu::Term::pixel;
  for (const auto& known : gpu::sat_types)
    if (known.term == term && element_of(known.input) == unsigned_of(image) && element_of(known.sum) == unsigned_of(sum))
      return known.type;
  if (squares)
    type_error("sums of squares are uint64 or int64, of images of uint8 or uint16, and float64, of float32; these are " +
               std::string(name(sum)) + " of " + std::string(name(image)));
  type_error(
      "there are no " + std::string(name(sum)) + " tables of " + std::string(name(image)) +
      " images: uint8 and uint16 have uint32, int32, uint64 and int64, uint8 also float32 and float64, float32 itself "
      "and float64, the others their own type");
}

void check_tilted(gpu::SatType type, nb::handle algorithm, nb::handle parameters) {
  if (type != gpu::SatType::u8_u32)
    type_error("tilted tables are of images of uint8, with sums of uint32 or int32, not " + name_of(type));
  if (!algorithm.is_none() || !parameters.is_none())
    value_error("tilted tables have an algorithm of their own: leave algorithm= and parameters= away");
}

gpu::SatType type_named(std::string_view name) {
  if (const auto at = std::ranges::find(type_names, name); at != std::end(type_names))
    return static_cast<gpu::SatType>(at - type_names);
  if (const auto* found = gpu::find_sat_type(name)) return found->type;
  value_error("no type '" + std::string(name) +
              "': u8_u32, u8_f32, u32_u32, f32_f32, f64_f64, u8_u64 (of squares), u16_u32, u16_u64, u8_f64, "
              "f32_f64, u8_u64_plain, u16_u64_squares or f32_f64_squares");
}
std::string name_of(gpu::SatType type) { return std::string(type_names[static_cast<int>(type)]); }
Element element_of(gpu::ElementType type) {
  switch (gpu::stored(type)) {
    case gpu::ElementType::u8: return Element::u8;
    case gpu::ElementType::u16: return Element::u16;
    case gpu::ElementType::u32: return Element::u32;
    case gpu::ElementType::f32: return Element::f32;
    case gpu::ElementType::f64: return Element::f64;
    default: return Element::u64;
  }
}

}  // namespace satscope::python
