#include "gpu/python/python_plan.h"

#include <cuda_runtime_api.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "gpu/installed/satscope_backend.h"

namespace satscope::python {
namespace {

// PyTorch computes little with unsigned numbers.
bool has_signed_sums(const Array& image) { return image.kind == Kind::torch || image.element == Element::i32; }

}  // namespace

PyPlan::PyPlan(std::shared_ptr<State> state, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
               bool padded, nb::handle device, int threads, nb::handle layout, bool tilted)
    : state_(std::move(state)), generation_(state_->plans.generation()) {
  Array like;
  const bool is_shape = PyTuple_Check(image.ptr()) || PyList_Check(image.ptr());
  const auto wanted = device_named(device);
  if (is_shape) {
    like = array_of_shape(image);
    if (type.is_none()) type_error("a plan for a shape needs a type, \"u8_u32\"; one for an image has the image's");
  } else {
    like = state_->libraries.describe(image, "image", false);
    signed_ = has_signed_sums(like);
  }
  shape_.assign(like.shape, like.shape + like.axes);
  layout_ = nb::str(has_channels(like, layout) ? "HWC" : "NHW");
  if (has_channels(like, layout)) like.permute({2, 0, 1});
  request_.size = size_of_planes(like);
  request_.type = type.is_none() ? type_of(like.element, usual_sum(like, false), false) : type_named(text_of(type, "type"));
  if (tilted) check_tilted(request_.type, algorithm, parameters);
  request_.options = {.algorithm = algorithm_name(algorithm),
                      .parameters = parameter_text(parameters),
                      .padded = padded,
                      .tilted = tilted,
                      .threads = threads};
  if (is_shape) {
    const auto probe = wanted ? gpu::GpuProbe{} : gpu::probe_gpu();
    request_.device = wanted ? *wanted : probe.gpu ? gpu::Device::cuda : gpu::Device::host;
    if (request_.device == gpu::Device::cuda && cudaGetDevice(&request_.gpu) != cudaSuccess) request_.gpu = 0;
  } else {
    request_.device = device_of(like, wanted);
    request_.gpu = like.gpu;
  }
  const nb::gil_scoped_release released;
  plan_ = std::make_unique<DevicePlan>(request_);
}

PyPlan::~PyPlan() {
  // In a child process its threads do not exist, and cannot be joined.
  if (generation_ != state_->plans.generation()) static_cast<void>(plan_.release());
  if (!plan_) return;
  const nb::gil_scoped_release released;  // memory of a GPU is released when the GPU has done what uses it
  plan_.reset();
}

Element PyPlan::sums_of(bool is_signed) const {
  const auto sum = element_of(gpu::info(request_.type).sum);
  if (is_signed && sum == Element::u32) return Element::i32;
  return is_signed && sum == Element::u64 ? Element::i64 : sum;
}

nb::object PyPlan::call(nb::handle image, nb::handle out, nb::handle stream, bool copy) {
  Call call(*state_, image, stream, layout_, copy, "image", true);
  prepare(call, out);
  run(call);
  return call.result();
}

std::vector<double> PyPlan::time(nb::handle image, nb::handle out, int runs, nb::handle stream) {
  Call call(*state_, image, stream, layout_, false, "image", true);
  prepare(call, out);
  run(call);  // loads and warms what a first run does
  const CurrentGpu current(request_.gpu);
  const auto wait = [](const gpu::Event& last) {
    const nb::gil_scoped_release released;
    last.wait();
  };
  return detail::times_of_runs(
      request_.gpu >= 0, reinterpret_cast<cudaStream_t>(call.stream()), runs, [&] { run(call); }, wait);
}

void PyPlan::tune() {
  const nb::gil_scoped_release released;
  const std::lock_guard lock(mutex_);
  check_process();
  const CurrentGpu current(request_.gpu);
  plan_->plan().tune();
}

nb::tuple PyPlan::shape(bool of_table) const {
  nb::list sides;
  const auto channels = text_of(layout_, "layout") == "HWC";
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    const bool side = channels ? i < 2 : i + 2 >= shape_.size();
    sides.append(shape_[i] + (of_table && side && request_.options.padded));
  }
  return nb::tuple(sides);
}

std::string PyPlan::text() const {
  const auto how = request_.options.tilted ? std::string("tilted=True")
                                           : "algorithm=\"" + algorithm() + "\", parameters=\"" + parameters() + '"';
  return "satscope.Plan(" + nb::cast<std::string>(nb::str(shape(false))) + ", \"" + type() + "\", " + how +
         ", padded=" + (request_.options.padded ? "True" : "False") + ", device=\"" + device() + "\")";
}

void PyPlan::prepare(Call& call, nb::handle out) const {
  const auto& image = call.image();
  const bool channels = text_of(layout_, "layout") == "HWC";
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
  if (image.gpu != request_.gpu)
    value_error("the plan is for " + (request_.gpu < 0 ? "the host's memory" : "GPU " + std::to_string(request_.gpu)) +
                ", and the image is in " + place_of(image) + ": satscope.Plan(image) makes one for its device");
  const auto sum = sums_of(has_signed_sums(image));
  call.set_table(out, out.is_none() ? std::optional(sum) : std::nullopt, request_.options.padded);
  if (unsigned_of(call.table().element) != unsigned_of(sum))
    type_error("the plan's sums are " + std::string(name(element_of(type.sum))) + ", and the table has " +
               std::string(name(call.table().element)));
}

void PyPlan::check_process() const {
  if (generation_ != state_->plans.generation())
    throw Error("the plan was made before this process was forked: make one in each process");
}

void PyPlan::run(Call& call) {
  check_process();
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) {
    const nb::gil_scoped_release released;  // whoever has it needs the GIL to end
    lock.lock();
  }
  call.run(*plan_);
}

}  // namespace satscope::python
