#include "gpu/python/array.h"

#include <cuda_runtime_api.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "gpu/cuda/error.h"
#include "gpu/python/arguments.h"

namespace satscope::python {
namespace {

struct ElementInfo {
  std::string_view name;
  nb::dlpack::dtype type;
};
constexpr ElementInfo elements[] = {{"uint8", nb::dtype<std::uint8_t>()},   {"uint16", nb::dtype<std::uint16_t>()},
                                    {"uint32", nb::dtype<std::uint32_t>()}, {"int32", nb::dtype<std::int32_t>()},
                                    {"float32", nb::dtype<float>()},        {"float64", nb::dtype<double>()},
                                    {"uint64", nb::dtype<std::uint64_t>()}, {"int64", nb::dtype<std::int64_t>()}};
constexpr int element_count = std::size(elements);

std::string text_of(const nb::object& object) {
  return nb::cast<std::string>(nb::steal<nb::str>(PyObject_Str(object.ptr())));
}

[[noreturn]] void refuse_element(const char* what, const std::string& found) {
  type_error(std::string("the elements of the ") + what + " are " + found +
             (what == std::string_view("boxes")
                  ? ": boxes have int32 or int64; astype() converts"
                  : ": images have uint8, bool, uint16, uint32, int32, float32 or float64, tables "
                    "uint32, int32, float32, float64, uint64 or int64; astype() converts"));
}

// "the image is", "the boxes are".
std::string the(std::string_view what, const char* verb, const char* verb_of_many) {
  return "the " + std::string(what) + ' ' + (what.ends_with('s') ? verb_of_many : verb);
}

std::int64_t integer(nb::handle number) {
  const auto value = PyLong_AsLongLong(number.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

int checked_axes(std::int64_t count, const char* what) {
  if (count > most_axes) value_error(the(what, "has", "have") + " more than 8 axes");
  return static_cast<int>(count);
}

// Reads the numbers of a tuple, times `unit`; returns how many there are.
int numbers(nb::handle tuple, std::int64_t* values, std::int64_t unit, const char* what) {
  const auto count = PyTuple_Size(tuple.ptr());
  if (count < 0) throw nb::python_error();
  const int axes = checked_axes(count, what);
  for (Py_ssize_t i = 0; i < axes; ++i) values[i] = integer(PyTuple_GetItem(tuple.ptr(), i)) * unit;
  return axes;
}

bool find_element(nb::dlpack::dtype type, Element& element) {
  if (type == nb::dtype<bool>()) type = nb::dtype<std::uint8_t>();
  const auto* const found = std::ranges::find(elements, type, &ElementInfo::type);
  element = static_cast<Element>(found - elements);
  return found != std::end(elements);
}

// By a letter of the struct module, which are NumPy's too.
bool find_element(std::string_view format, std::int64_t bytes, Element& element) {
  format.remove_prefix(std::min(format.find_first_not_of("@=<"), format.size()));
  if (format.size() != 1) return false;
  const auto is_one_of = [&](std::string_view letters) { return letters.find(format[0]) != letters.npos; };
  using nb::dlpack::dtype_code;
  dtype_code code{};
  if (is_one_of("BHILQ"))
    code = dtype_code::UInt;
  else if (is_one_of("ilq"))
    code = dtype_code::Int;
  else if (is_one_of("fd"))
    code = dtype_code::Float;
  else if (is_one_of("?"))
    code = dtype_code::Bool;
  else
    return false;
  return find_element({static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(bytes * 8), 1}, element);
}

nb::tuple tuple_of(const std::int64_t* values, int count) {
  auto tuple = nb::steal<nb::tuple>(PyTuple_New(count));
  if (!tuple.is_valid()) throw nb::python_error();
  for (int i = 0; i < count; ++i) PyTuple_SetItem(tuple.ptr(), i, PyLong_FromLongLong(values[i]));
  return tuple;
}

nb::tuple tuple_of(std::initializer_list<int> order) {
  std::int64_t values[most_axes] = {};
  std::copy(order.begin(), order.end(), values);
  return tuple_of(values, static_cast<int>(order.size()));
}

bool is_of_jax(nb::handle object) { return full_type_name(object).starts_with("jax"); }

}  // namespace

std::string_view name(Element element) { return elements[static_cast<int>(element)].name; }
std::size_t size_of(Element element) { return elements[static_cast<int>(element)].type.bits / 8; }
Element unsigned_of(Element element) {
  return element == Element::i32 ? Element::u32 : element == Element::i64 ? Element::u64 : element;
}

std::string full_type_name(nb::handle object) {
  const auto type = nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())));
  const auto module = text_of(nb::getattr(type, "__module__", nb::str("")));
  const auto plain = text_of(type.attr("__name__"));
  return module.empty() || module == "builtins" ? plain : module + '.' + plain;
}

void Array::permute(std::initializer_list<int> order) {
  std::int64_t new_shape[most_axes], new_strides[most_axes];
  int axis = 0;
  for (const int from : order) {
    new_shape[axis] = shape[from];
    new_strides[axis++] = strides[from];
  }
  std::copy_n(new_shape, axis, shape);
  std::copy_n(new_strides, axis, strides);
}

std::string shape_text(const std::int64_t* shape, int axes) {
  std::string text = "(";
  for (int i = 0; i < axes; ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (axes == 1 ? ",)" : ")");
}

Libraries::Libraries() {
  const std::pair<nb::object*, const char*> all[] = {
      {&names_.data, "data"},          {&names_.ptr, "ptr"},
      {&names_.shape, "shape"},        {&names_.strides, "strides"},
      {&names_.stride, "stride"},      {&names_.dtype, "dtype"},
      {&names_.character, "char"},     {&names_.itemsize, "itemsize"},
      {&names_.data_ptr, "data_ptr"},  {&names_.get_device, "get_device"},
      {&names_.device, "device"},      {&names_.requires_grad, "requires_grad"},
      {&names_.is_cuda, "is_cuda"},    {&names_.new_empty, "new_empty"},
      {&names_.device_id, "device_id"}};
  for (const auto& [object, text] : all) *object = nb::steal(PyUnicode_InternFromString(text));
  dtype_keyword_ = nb::make_tuple(names_.dtype);
}

Kind Libraries::kind_of(nb::handle object) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()));
  for (const auto& known : types_)
    if (known.type.ptr() == type) return known.kind;

  const auto remember = [&](Kind kind) {
    types_.push_back({nb::borrow(type), kind});
    return kind;
  };
  for (const auto base : nb::borrow<nb::tuple>(nb::handle(type).attr("__mro__"))) {
    const auto module = text_of(nb::getattr(base, "__module__", nb::str("")));
    const auto root = module.substr(0, module.find('.'));
    const auto plain = text_of(base.attr("__name__"));
    if (plain == "MaskedArray") type_error("the image is masked: filled() gives the pixels that are masked out a value");
    if (root == "numpy" && plain == "ndarray") return remember(Kind::buffer);
    if (root == "cupy" && plain == "ndarray") return load_cupy(), remember(Kind::cupy);
    if (root == "torch" && plain == "Tensor") return load_torch(nb::module_::import_("torch")), remember(Kind::torch);
  }
  if (nb::hasattr(object, "__dlpack__") && nb::hasattr(object, "__dlpack_device__")) return remember(Kind::dlpack);
  if (PyObject_CheckBuffer(object.ptr())) return remember(Kind::buffer);
  type_error("an image or table is an array of NumPy, CuPy, PyTorch, JAX or another library with DLPack, not " +
             full_type_name(object) + ": numpy.asarray() makes one");
}

const nb::object& Libraries::numpy() {
  if (numpy_.module.is_valid()) return numpy_.module;
  const nb::object module = nb::module_::import_("numpy");
  for (int i = 0; i < element_count; ++i) numpy_.dtypes[i] = module.attr("dtype")(nb::str(elements[i].name.data()));
  numpy_.empty = module.attr("empty");
  return numpy_.module = module;
}

void Libraries::load_cupy() {
  if (cupy_.module.is_valid()) return;
  numpy();
  const nb::object module = nb::module_::import_("cupy");
  cupy_.empty = module.attr("ndarray");
  cupy_.current_stream = module.attr("cuda").attr("get_current_stream");
  cupy_.module = module;
}

void Libraries::load_torch(nb::handle module) {
  if (torch_.module.is_valid()) return;
  for (int i = 0; i < element_count; ++i) torch_.dtypes[i] = nb::getattr(module, elements[i].name.data(), nb::object());
  torch_.boolean = module.attr("bool");
  torch_.current_stream = nb::getattr(module.attr("_C"), "_cuda_getCurrentRawStream", nb::object());  // not in its documents
  torch_.module = nb::borrow(module);
}

Array Libraries::describe(nb::handle object, const char* what, bool written, std::uintptr_t stream) {
  switch (kind_of(object)) {
    case Kind::buffer: return of_buffer(object, what, written);
    case Kind::cupy: return of_cupy(object, what);
    case Kind::torch: return of_torch(object, what);
    case Kind::dlpack: break;
  }
  if (written && is_of_jax(object)) type_error("JAX's arrays are immutable: leave out= away, and the table is a new array");
  return of_dlpack(object, what, stream);
}

Array Libraries::of_buffer(nb::handle object, const char* what, bool written) {
  struct Export {
    Py_buffer buffer{};
    ~Export() { PyBuffer_Release(&buffer); }
  };
  const auto exported = std::make_shared<Export>();
  auto& buffer = exported->buffer;
  if (PyObject_GetBuffer(object.ptr(), &buffer, PyBUF_STRIDES | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0)) != 0) {
    PyErr_Clear();
    if (written) value_error(the(what, "is", "are") + " read-only");
    refuse_element(what, text_of(nb::getattr(object, "dtype", nb::none())));
  }
  Array array;
  if (!find_element(buffer.format ? buffer.format : "B", buffer.itemsize, array.element))
    refuse_element(what,
                   nb::hasattr(object, "dtype") ? text_of(object.attr("dtype")) : '\'' + std::string(buffer.format) + '\'');
  array.object = nb::borrow(object);
  array.exported = exported;
  array.kind = Kind::buffer;
  array.data = buffer.buf;
  array.axes = checked_axes(buffer.ndim, what);
  std::copy_n(buffer.shape, buffer.ndim, array.shape);
  std::copy_n(buffer.strides, buffer.ndim, array.strides);
  return array;
}

Array Libraries::of_cupy(nb::handle object, const char* what) {
  Array array;
  const nb::object memory = object.attr(names_.data);
  const nb::object dtype = object.attr(names_.dtype);
  const nb::object letter = dtype.attr(names_.character);
  if (!find_element(text_of(letter, "char"), integer(nb::object(dtype.attr(names_.itemsize))), array.element))
    refuse_element(what, text_of(dtype));
  array.object = nb::borrow(object);
  array.kind = Kind::cupy;
  array.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(integer(nb::object(memory.attr(names_.ptr)))));
  array.gpu = static_cast<int>(integer(nb::object(memory.attr(names_.device_id))));
  array.axes = numbers(nb::object(object.attr(names_.shape)), array.shape, 1, what);
  numbers(nb::object(object.attr(names_.strides)), array.strides, 1, what);
  return array;
}

Array Libraries::of_torch(nb::handle object, const char* what) {
  Array array;
  const nb::object dtype = object.attr(names_.dtype);
  const nb::object* const begin = torch_.dtypes;
  const auto* const end = begin + element_count;
  const auto* found = std::find_if(begin, end, [&](const nb::object& known) { return known.ptr() == dtype.ptr(); });
  if (found == end && dtype.ptr() != torch_.boolean.ptr()) refuse_element(what, text_of(dtype));
  array.element = found == end ? Element::u8 : static_cast<Element>(found - begin);
  if (nb::object(object.attr(names_.requires_grad)).is(nb::handle(Py_True)) &&
      nb::cast<bool>(torch_.module.attr("is_grad_enabled")()))
    value_error(std::string("the ") + what + " requires a gradient, and tables have none: detach() it");
  if (nb::object(object.attr(names_.is_cuda)).is(nb::handle(Py_True)))
    array.gpu = static_cast<int>(integer(nb::object(object.attr(names_.get_device)())));
  else if (const auto device = text_of(object.attr(names_.device)); device != "cpu")
    type_error(std::string("the ") + what + " is on " + device + ": cpu() or cuda() copies it");
  array.object = nb::borrow(object);
  array.kind = Kind::torch;
  array.data = reinterpret_cast<void*>(static_cast<std::uintptr_t>(integer(nb::object(object.attr(names_.data_ptr)()))));
  array.axes = numbers(nb::object(object.attr(names_.shape)), array.shape, 1, what);
  numbers(nb::object(object.attr(names_.stride)()), array.strides, static_cast<std::int64_t>(size_of(array.element)), what);
  return array;
}

Array Libraries::of_dlpack(nb::handle object, const char* what, std::uintptr_t stream) {
  const auto device = integer(nb::object(object.attr("__dlpack_device__")()[0]));
  const bool on_gpu = device == nb::device::cuda::value || device == nb::device::cuda_managed::value;
  if (!on_gpu && device != nb::device::cpu::value && device != nb::device::cuda_host::value)
    type_error(std::string("the ") + what + " is neither on the CPU nor on an NVIDIA GPU");
  // nanobind's own call would not tell the library the stream.
  const nb::object capsule = on_gpu ? object.attr("__dlpack__")(nb::arg("stream") = stream ? stream : 1)
                                    : object.attr("__dlpack__")();
  const auto tensor = std::make_shared<nb::ndarray<nb::ro>>();
  if (!nb::try_cast(capsule, *tensor, false) || !tensor->is_valid())
    type_error("__dlpack__() of the " + std::string(what) + " gives no tensor of DLPack");
  Array array;
  if (!find_element(tensor->dtype(), array.element))
    refuse_element(what, text_of(nb::getattr(object, "dtype", nb::str("unknown"))));
  array.object = nb::borrow(object);
  array.exported = tensor;
  array.kind = Kind::dlpack;
  array.data = const_cast<void*>(tensor->data());
  array.gpu = on_gpu ? tensor->device_id() : -1;
  array.axes = checked_axes(static_cast<std::int64_t>(tensor->ndim()), what);
  for (int i = 0; i < array.axes; ++i) {
    array.shape[i] = tensor->shape_ptr()[i];
    array.strides[i] = tensor->stride_ptr()[i] * static_cast<std::int64_t>(size_of(array.element));
  }
  return array;
}

std::uintptr_t Libraries::current_stream(const Array& array) {
  if (array.gpu < 0) return 0;
  if (array.kind == Kind::cupy) {
    const nb::object stream = cupy_.current_stream(array.gpu);
    return static_cast<std::uintptr_t>(integer(nb::object(stream.attr(names_.ptr))));
  }
  if (array.kind == Kind::torch) {
    if (torch_.current_stream.is_valid())
      return static_cast<std::uintptr_t>(integer(nb::object(torch_.current_stream(array.gpu))));
    return nb::cast<std::uintptr_t>(torch_.module.attr("cuda").attr("current_stream")(array.gpu).attr("cuda_stream"));
  }
  return 0;
}

nb::object Libraries::dtype(Kind kind, Element element) {
  if (kind != Kind::torch) return numpy(), numpy_.dtypes[static_cast<int>(element)];
  const auto& found = torch_.dtypes[static_cast<int>(element)];
  if (!found.is_valid())
    type_error("this PyTorch has no torch." + std::string(name(element)) +
               ": dtype=\"int32\" or \"int64\" has the same bits");
  return found;
}

nb::object Libraries::empty(const Array& like, const std::int64_t* shape, int axes, Element element) {
  const auto size = tuple_of(shape, axes);
  const auto type = dtype(like.kind, element);
  if (like.kind == Kind::torch) {
    PyObject* arguments[] = {like.object.ptr(), size.ptr(), type.ptr()};
    PyObject* made = PyObject_VectorcallMethod(names_.new_empty.ptr(), arguments, 2, dtype_keyword_.ptr());
    if (!made) throw nb::python_error();
    return nb::steal(made);
  }
  if (like.kind == Kind::cupy) {
    int current = 0;
    gpu::check(cudaGetDevice(&current));
    if (current == like.gpu) return cupy_.empty(size, type);
    const Entered device({cupy_.module.attr("cuda").attr("Device")(like.gpu)});
    return cupy_.empty(size, type);
  }
  if (like.gpu < 0) return numpy_.empty(size, type);

  std::size_t sizes[most_axes] = {}, bytes = size_of(element);
  for (int i = 0; i < axes; ++i) bytes *= sizes[i] = static_cast<std::size_t>(shape[i]);
  int before = 0;
  gpu::check(cudaGetDevice(&before));
  gpu::check(cudaSetDevice(like.gpu));
  void* memory = nullptr;
  const auto error = cudaMalloc(&memory, bytes);
  cudaSetDevice(before);
  gpu::check(error);
  const nb::capsule owner(memory, [](void* held) noexcept { cudaFree(held); });  // waits for what uses it
  // With __dlpack__(), which from_dlpack() of every library asks for; an ndarray of no framework becomes a bare capsule.
  return nb::cast(nb::ndarray<nb::array_api>(memory, static_cast<std::size_t>(axes), sizes, owner, nullptr,
                                             elements[static_cast<int>(element)].type, nb::device::cuda::value, like.gpu));
}

nb::object Libraries::finished(const Array& like, nb::object made) {
  if (like.kind != Kind::dlpack) return made;
  if (is_of_jax(like.object)) return nb::module_::import_("jax.dlpack").attr("from_dlpack")(made);
  if (nb::hasattr(like.object, "__array_namespace__"))
    if (const nb::object library = like.object.attr("__array_namespace__")(); nb::hasattr(library, "from_dlpack"))
      return library.attr("from_dlpack")(made);
  const auto path = full_type_name(like.object), root = path.substr(0, path.find('.'));
  const nb::object library = nb::module_::import_(root.c_str());
  if (!nb::hasattr(library, "from_dlpack"))
    type_error(root + " has no from_dlpack(), which would take the table: pass out=");
  return library.attr("from_dlpack")(made);
}

nb::object Libraries::permuted(const Array& array, std::initializer_list<int> order) {
  const auto axes = tuple_of(order);
  if (array.kind == Kind::torch) return array.object.attr("permute")(axes);
  if (array.kind == Kind::buffer) return numpy().attr("asarray")(array.object).attr("transpose")(axes);
  if (!nb::hasattr(array.object, "transpose"))
    type_error(full_type_name(array.object) + " has no transpose(): pass the channels as (N, H, W)");
  return array.object.attr("transpose")(axes);
}

nb::object Libraries::contiguous(const Array& array) {
  if (array.kind == Kind::torch) return array.object.attr("contiguous")();
  if (array.kind == Kind::buffer) return numpy().attr("array")(array.object, nb::arg("order") = "C");  // aligned too
  if (array.kind == Kind::cupy) return cupy_.module.attr("ascontiguousarray")(array.object);
  return array.object.attr("copy")();
}

void Libraries::copy(const Array& from, const Array& to) {
  if (to.kind == Kind::torch)
    to.object.attr("copy_")(from.object);
  else if (to.kind == Kind::buffer)
    numpy().attr("copyto")(to.object, from.object);
  else if (to.kind == Kind::cupy)
    cupy_.module.attr("copyto")(to.object, from.object);
  else
    type_error("a table with channels last in every pixel is written only into arrays of NumPy, CuPy and PyTorch");
}

std::vector<nb::object> Libraries::contexts_of(const Array& array, std::uintptr_t stream) {
  if (array.gpu < 0 || (array.kind != Kind::cupy && array.kind != Kind::torch) || stream == current_stream(array)) return {};
  if (array.kind == Kind::cupy) {
    const nb::object cuda = cupy_.module.attr("cuda");
    return {cuda.attr("Device")(array.gpu), cuda.attr("ExternalStream")(stream)};
  }
  constexpr std::uintptr_t legacy = 1;  // cudaStreamLegacy: the default stream, as 0
  const nb::object cuda = torch_.module.attr("cuda");
  const nb::object of_torch = stream <= legacy ? cuda.attr("default_stream")(array.gpu)
                                               : cuda.attr("ExternalStream")(stream, nb::arg("device") = array.gpu);
  return {cuda.attr("stream")(of_torch)};
}

Element Libraries::element(nb::handle dtype) {
  std::string text;
  if (nb::isinstance<nb::str>(dtype))
    text = text_of(nb::borrow(dtype));
  else if (nb::hasattr(dtype, "name"))
    text = text_of(dtype.attr("name"));
  else if (nb::hasattr(dtype, "__name__"))
    text = text_of(dtype.attr("__name__"));
  else if (text = text_of(nb::borrow(dtype)); text.starts_with("torch."))
    text = text.substr(6);
  else
    type_error("dtype: \"uint32\" or another type of sums, not " + full_type_name(dtype));
  for (int i = 0; i < element_count; ++i)
    if (elements[i].name == text) return static_cast<Element>(i);
  type_error("tables have no elements of type " + text + ": uint32, int32, float32, float64, uint64 or int64");
}

Entered::Entered(const std::vector<nb::object>& contexts) : Entered() {
  for (const auto& context : contexts) {
    context.attr("__enter__")();
    entered_.push_back(context);
  }
}
Entered::~Entered() {
  for (; !entered_.empty(); entered_.pop_back()) try {
      entered_.back().attr("__exit__")(nb::none(), nb::none(), nb::none());
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("satscope: back to the library's stream");
    }
}

}  // namespace satscope::python
