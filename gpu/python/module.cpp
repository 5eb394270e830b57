// The extension satscope._core: what satscope/__init__.py offers, as near to the library as can be. A call from Python to a plan's
// launch passes through here and array.cpp alone.
#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "gpu/effect.h"
#include "gpu/error.h"
#include "gpu/event.h"
#include "gpu/python/array.h"
#include "gpu/python/plans.h"
#include "gpu/sat.h"
#include "gpu/satscope.h"
#include "gpu/simulated/paper_bound.h"
#include "gpu/stream_capture.h"

namespace satscope::python {
namespace {

constexpr std::int64_t longest_side = std::int64_t{1} << 30;

[[noreturn]] void value_error(const std::string& message) { throw nb::value_error(message.c_str()); }
[[noreturn]] void type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

// What every function of the module uses.
struct State {
  Libraries libraries;
  PlanStore plans;
  bool has_gpu = false;  // once it was found
};

// --- Arguments ---

std::string_view text_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (!letters) throw nb::python_error();
  return {letters, static_cast<std::size_t>(size)};
}

// A name, or an Algorithm. `held` keeps the text.
std::string_view algorithm_name(nb::handle algorithm, nb::object& held) {
  if (algorithm.is_none()) return {};
  held = nb::isinstance<nb::str>(algorithm) ? nb::borrow(algorithm) : nb::getattr(algorithm, "name", nb::none());
  if (!nb::isinstance<nb::str>(held)) type_error("algorithm: a name such as \"2r1w\", or one of satscope.algorithms()");
  return text_of(held);
}

// "W=64 rows=8", or a dict.
std::string_view parameter_text(nb::handle parameters, nb::object& held) {
  if (parameters.is_none()) return {};
  if (nb::isinstance<nb::str>(parameters)) {
    held = nb::borrow(parameters);
  } else if (nb::isinstance<nb::dict>(parameters)) {
    std::string text;
    for (const auto& [key, value] : nb::borrow<nb::dict>(parameters)) {
      auto written = nb::cast<std::string>(nb::str(value));
      if (value.is(nb::handle(Py_True))) written = "on";
      if (value.is(nb::handle(Py_False))) written = "off";
      text += (text.empty() ? "" : " ") + nb::cast<std::string>(nb::str(key)) + '=' + written;
    }
    held = nb::str(text.c_str());
  } else {
    type_error("parameters: \"W=64 rows=8\", or {\"W\": 64, \"rows\": 8}");
  }
  return text_of(held);
}

std::optional<gpu::Device> device_named(nb::handle device) {
  if (device.is_none()) return {};
  if (!nb::isinstance<nb::str>(device)) type_error("device: \"host\", \"cuda\" or \"simulated\"");
  const auto name = text_of(device);
  if (name == "host" || name == "cpu") return gpu::Device::host;
  if (name == "cuda" || name == "gpu") return gpu::Device::cuda;
  if (name == "simulated") return gpu::Device::simulated;
  value_error("no device '" + std::string(name) + "': \"host\", \"cuda\" or \"simulated\"");
}

// Where an array is computed on.
gpu::Device device_of(const Array& image, std::optional<gpu::Device> wanted) {
  const auto own = image.gpu < 0 ? gpu::Device::host : gpu::Device::cuda;
  if (!wanted || *wanted == own) return own;
  if (own == gpu::Device::cuda)
    value_error("the image is in a GPU's memory, and device=\"" + std::string(gpu::name(*wanted)) +
                "\" computes on the CPU: copy it there, or leave device= away");
  if (*wanted == gpu::Device::cuda)
    value_error(
        "the image is in the host's memory, and device=\"cuda\" computes on a GPU: cupy.asarray() or cuda() copies it "
        "there");
  return *wanted;
}

// A handle as an integer, or an object of CuPy, PyTorch, Numba or cuda.core.
std::uintptr_t stream_of(nb::handle stream) {
  if (PyLong_Check(stream.ptr())) return nb::cast<std::uintptr_t>(stream);
  if (nb::hasattr(stream, "__cuda_stream__")) {
    const nb::object pair = stream.attr("__cuda_stream__");
    return nb::cast<std::uintptr_t>((PyCallable_Check(pair.ptr()) ? nb::object(pair()) : pair)[1]);
  }
  for (const char* name : {"cuda_stream", "ptr", "handle"})
    if (nb::hasattr(stream, name)) {
      const nb::object handle = stream.attr(name);
      return PyLong_Check(handle.ptr()) ? nb::cast<std::uintptr_t>(handle) : nb::cast<std::uintptr_t>(handle.attr("value"));
    }
  type_error("stream: a stream of CuPy, PyTorch, Numba or cuda.core, or its handle as an integer");
}

// --- Shapes and types ---

// Whether the last axis has the channels of each pixel.
bool has_channels(const Array& image, nb::handle layout) {
  if (image.axes < 2)
    value_error("an image has at least two axes, (H, W), not " + std::to_string(image.axes) + ": its shape is " +
                shape_text(image.shape, image.axes));
  if (layout.is_none()) return image.axes == 3 && image.shape[2] <= 4;
  const auto name = text_of(layout);
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

// The sums that a library is given if it names none.
Element usual_sum(const Array& image, bool squares) {
  const bool torch = image.kind == Kind::torch;  // which computes little with unsigned numbers
  if (squares) return torch ? Element::i64 : Element::u64;
  if (image.element == Element::u8) return torch ? Element::i32 : Element::u32;
  return image.element;
}

gpu::SatType type_of(Element image, Element sum, bool squares) {
  const auto pixel = unsigned_of(image), total = unsigned_of(sum);
  const auto are = [&](Element one, Element other) { return pixel == one && total == other; };
  if (squares) {
    if (are(Element::u8, Element::u64)) return gpu::SatType::u8_u64;
    type_error("sums of squares are uint64 or int64, of images of uint8; these are " + std::string(name(sum)) + " of " +
               std::string(name(image)));
  }
  if (are(Element::u8, Element::u32)) return gpu::SatType::u8_u32;
  if (are(Element::u8, Element::f32)) return gpu::SatType::u8_f32;
  if (are(Element::u32, Element::u32)) return gpu::SatType::u32_u32;
  if (are(Element::f32, Element::f32)) return gpu::SatType::f32_f32;
  if (are(Element::f64, Element::f64)) return gpu::SatType::f64_f64;
  if (are(Element::u8, Element::u64)) type_error("sums of uint64 are those of the squared pixels: squares=True");
  type_error("there are no " + std::string(name(sum)) + " tables of " + std::string(name(image)) +
             " images: uint8 has uint32, int32 and float32 (and uint64 of squares), the others their own type");
}

constexpr std::string_view type_names[] = {"u8_u32",  "u8_f32",  "u32_u32",
                                           "f32_f32", "f64_f64", "u8_u64"};  // as gpu::SatType

// "u8_u32", or as the literature writes it.
gpu::SatType type_named(std::string_view name) {
  if (const auto at = std::ranges::find(type_names, name); at != std::end(type_names))
    return static_cast<gpu::SatType>(at - type_names);
  if (const auto* found = gpu::find_sat_type(name)) return found->type;
  value_error("no type '" + std::string(name) + "': u8_u32, u8_f32, u32_u32, f32_f32, f64_f64 or u8_u64 (of squares)");
}
std::string name_of(gpu::SatType type) { return std::string(type_names[static_cast<int>(type)]); }
Element element_of(gpu::ElementType type) {
  switch (type) {
    case gpu::ElementType::u8: return Element::u8;
    case gpu::ElementType::u32: return Element::u32;
    case gpu::ElementType::f32: return Element::f32;
    case gpu::ElementType::f64: return Element::f64;
    default: return Element::u64;
  }
}

// --- Memory ---

// Why the rows of the last two axes cannot be taken as they are; empty if they can.
std::string why_not_rows(const Array& array) {
  const auto bytes = static_cast<std::int64_t>(size_of(array.element));
  const auto width = array.shape[array.axes - 1], height = array.shape[array.axes - 2];
  const auto column = array.strides[array.axes - 1], row = array.strides[array.axes - 2];
  if (width > 1 && column != bytes)
    return "has pixels that do not follow each other in a row: " + std::to_string(column) +
           " bytes from one to the next, not " + std::to_string(bytes);
  if (height > 1 && row < width * bytes)
    return "has rows that run backwards or overlap: " + std::to_string(row) + " bytes from one to the next";
  if ((height > 1 && row % bytes != 0) ||
      reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::size_t>(bytes) != 0)
    return "does not begin every row at a multiple of its elements' " + std::to_string(bytes) + " bytes";
  for (int i = 0; i + 2 < array.axes; ++i)
    if (array.strides[i] % bytes != 0) return "has planes that begin between elements";
  return {};
}

std::size_t pitch_of(const Array& array) {
  const auto row = array.shape[array.axes - 1] * static_cast<std::int64_t>(size_of(array.element));
  return static_cast<std::size_t>(array.shape[array.axes - 2] > 1 ? array.strides[array.axes - 2] : row);
}

// The bytes from the first to behind the last element.
std::pair<std::uintptr_t, std::uintptr_t> extent(const Array& array) {
  auto begin = reinterpret_cast<std::uintptr_t>(array.data), end = begin + size_of(array.element);
  for (int i = 0; i < array.axes; ++i) {
    const auto reach = (array.shape[i] - 1) * array.strides[i];
    (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, end};
}

void check_table(const Array& image, const Array& table, bool padded) {
  if (const auto why = why_not_rows(table); !why.empty()) value_error("the table " + why + ": out= takes none that is so");
  if (table.gpu != image.gpu) {
    const auto place = [](int gpu) {
      return gpu < 0 ? std::string("the host's memory") : "the memory of GPU " + std::to_string(gpu);
    };
    value_error("the image is in " + place(image.gpu) + ", and the table in " + place(table.gpu));
  }
  std::int64_t wanted[most_axes];
  std::copy_n(image.shape, image.axes, wanted);
  for (int i = std::max(image.axes - 2, 0); i < image.axes; ++i) wanted[i] += padded;
  if (table.axes != image.axes || !std::equal(wanted, wanted + image.axes, table.shape))
    value_error("the table of this image has the shape " + shape_text(wanted, image.axes) + ", not " +
                shape_text(table.shape, table.axes) + (image.axes > 2 ? " (planes first)" : ""));
  if (image.axes == 2) return;  // the plan looks for what overlaps
  for (int i = 0; i + 2 < table.axes; ++i)
    if (table.shape[i] > 1 && table.strides[i] == 0) value_error("the planes of the table overlap");
  const auto [image_begin, image_end] = extent(image);
  const auto [table_begin, table_end] = extent(table);
  if (image_begin < table_end && table_begin < image_end) value_error("the image and the table overlap");
}

// f(image, table) with the addresses of every plane.
template <class F>
void for_each_plane(const Array& image, const Array& table, const F& f) {
  const int leading = image.axes - 2;
  std::int64_t at[most_axes] = {};
  for (;;) {
    std::int64_t from = 0, to = 0;
    for (int i = 0; i < leading; ++i) {
      if (image.shape[i] == 0) return;
      from += at[i] * image.strides[i];
      to += at[i] * table.strides[i];
    }
    f(static_cast<const std::byte*>(image.data) + from, static_cast<std::byte*>(table.data) + to);
    int axis = leading - 1;
    while (axis >= 0 && ++at[axis] == image.shape[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

// --- One call ---

// The image of a call, its planes first, and the table that it gets.
class Call {
 public:
  Call(State& state, nb::handle image, nb::handle stream, nb::handle layout, bool copy)
      : state_(state), given_(!stream.is_none()), stream_(given_ ? stream_of(stream) : 0) {
    image_ = state.libraries.describe(image, "image", false, stream_);
    if (image_.gpu >= 0 && !state.has_gpu) {
      const auto probe = gpu::probe_gpu(image_.gpu);
      if (!probe.gpu) throw Error("the image is on a GPU, and there is none for satscope: " + probe.reason);
      state.has_gpu = true;
    }
    if (!given_) stream_ = state.libraries.current_stream(image_);
    channels_ = has_channels(image_, layout);
    if (channels_) image_.permute({2, 0, 1});
    size_ = size_of_planes(image_);
    const auto why = why_not_rows(image_);
    if (why.empty()) return;
    // Interleaved channels have to be separated.
    if (!copy && !channels_) value_error("the image " + why + ": copy=True copies it first");
    nb::object planes = image_.object;
    if (channels_) planes = state.libraries.permuted(image_, {2, 0, 1});
    auto plain = state.libraries.describe(planes, "image", false, stream_);
    planes = state.libraries.contiguous(plain);
    image_ = state.libraries.describe(planes, "image", false, stream_);
    if (const auto still = why_not_rows(image_); !still.empty()) value_error("a copy of the image " + still);
  }

  const Array& image() const { return image_; }
  gpu::Size size() const { return size_; }
  std::uintptr_t stream() const { return stream_; }

  // The caller's, or a new one.
  void set_table(nb::handle out, std::optional<Element> element, bool padded) {
    if (out.is_none()) {
      std::int64_t shape[most_axes];
      std::copy_n(image_.shape, image_.axes, shape);
      shape[image_.axes - 2] += padded;
      shape[image_.axes - 1] += padded;
      made_ = state_.libraries.empty(image_, shape, image_.axes, *element);
      table_ = state_.libraries.describe(made_, "table", true, stream_);
    } else {
      out_ = nb::borrow(out);
      table_ = state_.libraries.describe(out, "table", true, stream_);
      if (element && *element != table_.element)
        type_error("the sums of this call are " + std::string(name(*element)) + ", and the table has " +
                   std::string(name(table_.element)));
      if (channels_ && table_.axes == 3) {
        table_.permute({2, 0, 1});
        if (!why_not_rows(table_).empty()) return into_channels(padded);
      }
    }
    check_table(image_, table_, padded);
  }
  const Array& table() const { return table_; }

  void run(DevicePlan& plan) {
    const nb::gil_scoped_release released;
    const auto image_pitch = pitch_of(image_), table_pitch = pitch_of(table_);
    for_each_plane(image_, table_, [&](const void* image, void* table) {
      plan.run(image, image_pitch, table, table_pitch, reinterpret_cast<CUstream_st*>(stream_));
    });
    // DLPack's arrays have no current stream on which their library would wait.
    if (image_.kind == Kind::dlpack && image_.gpu >= 0 && !given_)
      gpu::check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream_)));
  }

  nb::object result() {
    if (interleaved_.axes > 0) {
      const auto planes = state_.libraries.permuted(table_, {1, 2, 0});
      state_.libraries.copy(state_.libraries.describe(planes, "table", false, stream_), interleaved_);
      return out_;
    }
    if (out_.is_valid()) return out_;
    auto result = state_.libraries.finished(image_, made_);
    if (!channels_) return result;
    Array whole;
    whole.object = result;
    whole.kind = image_.kind;
    return state_.libraries.permuted(whole, {1, 2, 0});
  }

 private:
  // The caller's table has its channels in every pixel: planes first, then a copy.
  void into_channels(bool padded) {
    interleaved_ = std::move(table_);
    const nb::object out = std::exchange(out_, {});
    set_table(nb::none(), interleaved_.element, padded);
    out_ = out;
    for (int i = 0; i < 3; ++i)
      if (interleaved_.shape[i] != table_.shape[i])
        value_error(
            "the table of this image has the shape " +
            shape_text(std::initializer_list<std::int64_t>{table_.shape[1], table_.shape[2], table_.shape[0]}.begin(), 3));
  }

  State& state_;
  bool given_;
  std::uintptr_t stream_;
  Array image_, table_, interleaved_;
  bool channels_ = false;
  gpu::Size size_;
  nb::object out_, made_;
};

// By a plan that is kept for the next call.
void run_kept(State& state, Call& call, const PlanStore::Wanted& wanted) {
  std::unique_ptr<PlanStore::Entry> entry;
  {
    const nb::gil_scoped_release released;
    if (wanted.device == gpu::Device::cuda && gpu::is_captured(reinterpret_cast<cudaStream_t>(wanted.stream)))
      throw Error("the stream is being captured: a graph needs a satscope.Plan, which you keep as long as the graph");
    entry = state.plans.take(wanted);
  }
  call.run(*entry->plan);
  state.plans.give_back(std::move(entry));
}

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

// --- Filters ---

void check_bytes(const Array& image, const char* function) {
  if (image.element != Element::u8)
    type_error(std::string(function) + "() takes images of uint8, not " + std::string(name(image.element)));
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

// As OpenCV's third table.
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

// --- Plan ---

// The axes that a plan's images have, and where they are.
struct Shape {
  std::vector<std::int64_t> axes;
  Element element = Element::u8;
  bool has_element = false;
  int gpu = -1;
  bool known_place = false;
};

class PyPlan {
 public:
  PyPlan(std::shared_ptr<State> state, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
         bool padded, nb::handle device, int threads, nb::handle layout)
      : state_(std::move(state)), generation_(state_->plans.generation()) {
    Array like;
    const bool is_shape = PyTuple_Check(image.ptr()) || PyList_Check(image.ptr());
    const auto wanted = device_named(device);
    if (is_shape) {
      for (const auto side : nb::borrow<nb::sequence>(image)) {
        if (like.axes == most_axes) value_error("the image has more than 8 axes");
        like.shape[like.axes++] = nb::cast<std::int64_t>(side);
      }
      if (type.is_none()) type_error("a plan for a shape needs a type, \"u8_u32\"; one for an image has the image's");
    } else {
      like = state_->libraries.describe(image, "image", false);
    }
    shape_.assign(like.shape, like.shape + like.axes);
    layout_ = nb::str(has_channels(like, layout) ? "HWC" : "NHW");
    if (has_channels(like, layout)) like.permute({2, 0, 1});
    request_.size = size_of_planes(like);
    request_.type = type.is_none() ? type_of(like.element, usual_sum(like, false), false) : type_named(text_of(type));
    request_.padded = padded;
    request_.threads = threads;
    nb::object held;
    request_.algorithm = algorithm_name(algorithm, held);
    request_.parameters = parameter_text(parameters, held);
    if (is_shape) {
      const auto probe = wanted ? gpu::GpuProbe{} : gpu::probe_gpu();
      request_.device = wanted ? *wanted : probe.gpu ? gpu::Device::cuda : gpu::Device::host;
      if (request_.device == gpu::Device::cuda) cudaGetDevice(&request_.gpu);
    } else {
      request_.device = device_of(like, wanted);
      request_.gpu = std::max(like.gpu, 0);
    }
    const nb::gil_scoped_release released;
    plan_ = make_plan(request_);
  }
  ~PyPlan() {
    // In a child process its threads do not exist, and cannot be joined.
    if (generation_ != state_->plans.generation()) static_cast<void>(plan_.release());
  }

  nb::object call(nb::handle image, nb::handle out, nb::handle stream, bool copy) {
    Call call(*state_, image, stream, layout_, copy);
    prepare(call, out);
    run(call);
    return call.result();
  }

  std::vector<double> time(nb::handle image, nb::handle out, int runs, nb::handle stream) {
    if (runs < 1 || runs > 1'000'000) value_error("runs: from 1 to 1000000");
    Call call(*state_, image, stream, layout_, false);
    prepare(call, out);
    run(call);  // loads and warms what a first run does
    std::vector<double> times(static_cast<std::size_t>(runs));
    if (request_.device == gpu::Device::cuda) {
      const CurrentGpu current(request_.gpu);
      auto* const queue = reinterpret_cast<cudaStream_t>(call.stream());
      std::vector<gpu::Event> events;
      for (int i = 0; i < 2 * runs; ++i) events.emplace_back(gpu::Event::Timing::on);
      for (std::size_t i = 0; i < times.size(); ++i) {
        events[2 * i].record(queue);
        run(call);
        events[2 * i + 1].record(queue);
      }
      const nb::gil_scoped_release released;
      events.back().wait();
      for (std::size_t i = 0; i < times.size(); ++i) times[i] = events[2 * i + 1].microseconds_since(events[2 * i]);
      return times;
    }
    for (auto& time : times) {
      const auto begin = std::chrono::steady_clock::now();
      run(call);
      time = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }
    return times;
  }

  // What a call costs from C++, for comparison: the CPU's microseconds, the least of several parts.
  double call_cost(nb::handle image, nb::handle out, int runs) {
    Call call(*state_, image, nb::none(), layout_, false);
    prepare(call, out);
    const auto& pixels = call.image();
    const auto& table = call.table();
    double least = std::numeric_limits<double>::infinity();
    const nb::gil_scoped_release released;  // whoever has the lock may wait for the GIL
    const std::lock_guard lock(mutex_);
    for (int part = 0; part < std::max(runs / 100, 1); ++part) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 100; ++i)
        plan_->run(pixels.data, pitch_of(pixels), table.data, pitch_of(table),
                   reinterpret_cast<CUstream_st*>(call.stream()));
      least = std::min(least,
                       std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / 100);
      if (pixels.gpu >= 0) gpu::check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(call.stream())));
    }
    return least;
  }

  void tune() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    check_process();
    plan_->tune();
  }

  std::string algorithm() const { return plan_->algorithm(); }
  std::string origin() const { return plan_->origin(); }
  std::string parameters() const { return plan_->parameters(); }
  std::string device() const { return std::string(gpu::name(request_.device)); }
  std::string type() const { return name_of(request_.type); }
  std::string dtype() const { return std::string(name(element_of(gpu::info(request_.type).sum))); }
  bool padded() const { return request_.padded; }
  std::size_t memory_bytes() const { return plan_->memory_bytes(); }
  nb::tuple shape(bool of_table) const {
    nb::list sides;
    const auto channels = text_of(layout_) == "HWC";
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      const bool side = channels ? i < 2 : i + 2 >= shape_.size();
      sides.append(shape_[i] + (of_table && side && request_.padded));
    }
    return nb::tuple(sides);
  }
  std::string text() const {
    return "satscope.Plan(" + nb::cast<std::string>(nb::str(shape(false))) + ", \"" + type() + "\", algorithm=\"" +
           algorithm() + "\", parameters=\"" + parameters() + "\", padded=" + (request_.padded ? "True" : "False") +
           ", device=\"" + device() + "\")";
  }

 private:
  void prepare(Call& call, nb::handle out) const {
    const auto& image = call.image();
    const bool channels = text_of(layout_) == "HWC";
    const auto wanted = [&](int axis) { return shape_[static_cast<std::size_t>(channels ? (axis + 2) % 3 : axis)]; };
    bool same = image.axes == static_cast<int>(shape_.size());
    for (int i = 0; same && i < image.axes; ++i) same = image.shape[i] == wanted(i);
    if (!same)
      value_error("the plan is for images of the shape " + shape_text(shape_.data(), static_cast<int>(shape_.size())) +
                  ", and this has " + shape_text(image.shape, image.axes) + (channels ? " (planes first)" : ""));
    const auto& type = gpu::info(request_.type);
    if (unsigned_of(image.element) != element_of(type.input))
      type_error("the plan is for " + std::string(name(element_of(type.input))) + " images, and this has " +
                 std::string(name(image.element)));
    const bool on_gpu = request_.device == gpu::Device::cuda;
    if (on_gpu != (image.gpu >= 0) || (on_gpu && image.gpu != request_.gpu))
      value_error("the plan is for " + (on_gpu ? "GPU " + std::to_string(request_.gpu) : "the host's memory") +
                  ", and the image is in " +
                  (image.gpu < 0 ? "the host's memory" : "the memory of GPU " + std::to_string(image.gpu)) +
                  ": satscope.Plan(image) makes one for its device");
    auto sum = element_of(type.sum);
    if (image.kind == Kind::torch || image.element == Element::i32) {
      if (sum == Element::u32) sum = Element::i32;
      if (sum == Element::u64) sum = Element::i64;
    }
    call.set_table(out, out.is_none() ? std::optional(sum) : std::nullopt, request_.padded);
    if (unsigned_of(call.table().element) != unsigned_of(sum))
      type_error("the plan's sums are " + std::string(name(element_of(type.sum))) + ", and the table has " +
                 std::string(name(call.table().element)));
  }
  void check_process() const {
    if (generation_ != state_->plans.generation())
      throw Error("the plan was made before this process was forked: make one in each process");
  }
  void run(Call& call) {
    check_process();
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) {
      const nb::gil_scoped_release released;  // whoever has it needs the GIL to end
      lock.lock();
    }
    call.run(*plan_);
  }

  std::shared_ptr<State> state_;
  int generation_;
  std::vector<std::int64_t> shape_;
  nb::str layout_{""};
  PlanRequest request_;
  std::unique_ptr<DevicePlan> plan_;
  std::mutex mutex_;
};

// --- Algorithms ---

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

// --- Simulation ---

nb::object ratio(double part, double whole) { return whole > 0 ? nb::object(nb::float_(part / whole)) : nb::none(); }

nb::dict simulate(State& state, nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters, int width,
                  int latency, int blocks, std::optional<std::uint64_t> seed) {
  gpu::simulated::SimulationRequest request;
  nb::object name_held, text_held;
  const auto& chosen = algorithm_on(algorithm_name(algorithm, name_held), gpu::Device::cuda);
  if (!gpu::runs_on(chosen, gpu::Device::simulated))
    throw Error(std::string(chosen.name) + " does not run on the simulated GPU: " + std::string(chosen.not_simulated));
  request.algorithm = chosen.name;
  request.arguments = arguments_of(chosen, parameter_text(parameters, text_held));
  if (PyTuple_Check(image.ptr()) || PyList_Check(image.ptr())) {
    Array like;
    for (const auto side : nb::borrow<nb::sequence>(image))
      if (like.axes < most_axes) like.shape[like.axes++] = nb::cast<std::int64_t>(side);
    if (like.axes != 2) value_error("a simulation is of one image: its shape is (H, W)");
    request.size = size_of_planes(like);
  } else {
    const auto like = state.libraries.describe(image, "image", false);
    if (like.axes != 2) value_error("a simulation is of one image, (H, W), not " + shape_text(like.shape, like.axes));
    request.size = size_of_planes(like);
    request.type = type_of(like.element, unsigned_of(like.element) == Element::u8 ? Element::u32 : like.element, false);
  }
  if (!type.is_none()) request.type = type_named(text_of(type));
  if (width < 4 || width > 32 || (width & (width - 1)) != 0) value_error("width: 4, 8, 16 or 32");
  if (latency < 1 || blocks < 1) value_error("latency and blocks: at least 1");
  request.width = width;
  request.latency = latency;
  request.gpu.resident_blocks = blocks;
  if (seed) request.gpu.schedule = {gpu::simulated::Schedule::Kind::random, *seed};

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
  result["algorithm"] = nb::str(chosen.name.data(), chosen.name.size());
  nb::dict values;
  for (const auto& parameter : request.arguments.parameters())
    values[nb::str(parameter.name.data(), parameter.name.size())] = request.arguments.text(parameter.name);
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
    result["formula"] = nb::str(bound->formula.data(), bound->formula.size());
    result["formula_source"] = nb::str(bound->source.data(), bound->source.size());
  }
  return result;
}

// None, or why there is no GPU.
nb::object why_no_gpu() {
  const auto probe = gpu::probe_gpu();
  return probe.gpu ? nb::none() : nb::object(nb::str(probe.reason.c_str()));
}

}  // namespace
}  // namespace satscope::python

NB_MODULE(_core, m) {
  using namespace satscope::python;
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
      [state](nb::handle image, nb::handle algorithm, nb::handle parameters, nb::handle dtype, bool padded, nb::handle out,
              nb::handle stream, nb::handle device, bool copy, bool squares, nb::handle layout) {
        return integral(*state, image, algorithm, parameters, dtype, padded, out, stream, device, copy, squares, layout);
      },
      nb::arg("image").none(), nb::arg("algorithm").none() = nb::none(), nb::arg("parameters").none() = nb::none(),
      nb::arg("dtype").none() = nb::none(), nb::arg("padded") = false, nb::arg("out").none() = nb::none(),
      nb::arg("stream").none() = nb::none(), nb::arg("device").none() = nb::none(), nb::arg("copy") = false,
      nb::arg("squares") = false, nb::arg("layout").none() = nb::none());
  m.def("algorithms", &algorithms, nb::arg("device").none() = nb::none(), nb::arg("type").none() = nb::none());
  m.def(
      "simulate",
      [state](nb::handle algorithm, nb::handle image, nb::handle type, nb::handle parameters, int width, int latency,
              int blocks, std::optional<std::uint64_t> seed) {
        return simulate(*state, algorithm, image, type, parameters, width, latency, blocks, seed);
      },
      nb::arg("algorithm").none(), nb::arg("image").none(), nb::arg("type").none() = nb::none(),
      nb::arg("parameters").none() = nb::none(), nb::arg("width") = 32, nb::arg("latency") = 400, nb::arg("blocks") = 264,
      nb::arg("seed").none() = nb::none());
  m.def(
      "box_filter",
      [state](nb::handle image, nb::handle size, nb::handle border, nb::handle out, nb::handle stream, bool copy) {
        return box_filter(*state, image, size, border, out, stream, copy);
      },
      nb::arg("image").none(), nb::arg("size").none(), nb::arg("border") = "reflect101", nb::arg("out").none() = nb::none(),
      nb::arg("stream").none() = nb::none(), nb::arg("copy") = false);
  m.def(
      "tilted", [state](nb::handle image, bool copy) { return tilted(*state, image, copy); }, nb::arg("image").none(),
      nb::arg("copy") = false);
  m.def("why_no_gpu", &why_no_gpu);
  m.def("clear_plans", [state] { state->plans.clear(); });
  m.def("forget_in_child", [state] { state->plans.forget_in_child(); });

  nb::class_<PyPlan>(
      m, "Plan",
      "One image shape and type, computed by one algorithm on one device, for loops: a call looks nothing up and allocates "
      "nothing.\n\nPlan(image) takes shape, type and device of an array, Plan((H, W), \"u8_u32\") names them. Types: "
      "u8_u32, "
      "u8_f32, u32_u32, f32_f32, f64_f64, and u8_u64, the sums of squared pixels. device: \"host\", \"cuda\", "
      "\"simulated\"; "
      "for a shape, the GPU where there is one. padded: a row and a column of zeros first, as OpenCV's. threads: of the "
      "host, 0: one per core.\n\nOne call at a time: threads that share a plan wait for each other. On a GPU the calls of a "
      "plan belong to one stream. A CUDA graph that captured a call needs the plan and the arrays as long as it is "
      "replayed.\n\nRaises satscope.Error: no such device, algorithm or parameter, or no memory.")
      .def(
          "__init__",
          [state](PyPlan* self, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters, bool padded,
                  nb::handle device, int threads, nb::handle layout) {
            new (self) PyPlan(state, image, type, algorithm, parameters, padded, device, threads, layout);
          },
          nb::arg("image").none(), nb::arg("type").none() = nb::none(), nb::arg("algorithm").none() = nb::none(),
          nb::arg("parameters").none() = nb::none(), nb::arg("padded") = false, nb::arg("device").none() = nb::none(),
          nb::arg("threads") = 0, nb::arg("layout").none() = nb::none())
      .def("__call__", &PyPlan::call, nb::arg("image").none(), nb::arg("out").none() = nb::none(),
           nb::arg("stream").none() = nb::none(), nb::arg("copy") = false,
           "The table of the image: `out`, or a new array of the image's library. On a GPU the work is queued on `stream`.")
      .def("time", &PyPlan::time, nb::arg("image").none(), nb::arg("out").none() = nb::none(), nb::arg("runs") = 20,
           nb::arg("stream").none() = nb::none(),
           "The times of `runs` runs in microseconds: the GPU's by events, else the clock's.")
      .def("tune", &PyPlan::tune,
           "Measures every algorithm for this shape and type here and now, and the parameters of the three fastest, and "
           "changes to the "
           "fastest. Graphs that captured the plan end here.")
      .def_prop_ro("origin", &PyPlan::origin, "Why that algorithm: \"the fastest at 4096x4096 on an NVIDIA H200\".")
      .def_prop_ro("algorithm", &PyPlan::algorithm, "The algorithm in use.")
      .def_prop_ro("parameters", &PyPlan::parameters, "Its parameters in use, \"W=64 rows=8\".")
      .def_prop_ro("device", &PyPlan::device, "\"host\", \"cuda\" or \"simulated\".")
      .def_prop_ro("type", &PyPlan::type, "\"u8_u32\": the types of pixels and sums.")
      .def_prop_ro("dtype", &PyPlan::dtype, "The sums' type, \"uint32\".")
      .def_prop_ro("padded", &PyPlan::padded, "Whether the table has a row and a column of zeros first.")
      .def_prop_ro(
          "shape", [](const PyPlan& plan) { return plan.shape(false); }, "The images' shape.")
      .def_prop_ro(
          "table_shape", [](const PyPlan& plan) { return plan.shape(true); }, "The tables' shape.")
      .def_prop_ro("memory_bytes", &PyPlan::memory_bytes, "Held by the plan.")
      .def("__repr__", &PyPlan::text);
  m.def("call_cost", &PyPlan::call_cost, nb::arg("plan"), nb::arg("image"), nb::arg("out"), nb::arg("runs"));
}
