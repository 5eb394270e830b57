#include "gpu/python/call.h"

#include <cuda_runtime_api.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>

#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/stream_order.h"
#include "gpu/installed/satscope_backend.h"
#include "gpu/sat.h"

namespace satscope::python {
namespace {

// The bytes from the first element to the end of the last one; none if there are no elements.
std::pair<std::uintptr_t, std::uintptr_t> extent(const Array& array) {
  auto begin = reinterpret_cast<std::uintptr_t>(array.data), end = begin + size_of(array.element);
  if (std::find(array.shape, array.shape + array.axes, 0) != array.shape + array.axes) return {begin, begin};
  for (int i = 0; i < array.axes; ++i) {
    const auto reach = (array.shape[i] - 1) * array.strides[i];
    (reach < 0 ? begin : end) += static_cast<std::uintptr_t>(reach);
  }
  return {begin, end};
}

// Planes that are equally far apart in both, more than one of them, and no more than a Batch may have.
std::optional<Batch> batch_of(const Array& image, const Array& table) {
  std::int64_t count = 1, image_stride = 0, table_stride = 0;
  for (int i = image.axes - 3; i >= 0; --i) {
    if (image.shape[i] == 1) continue;
    if (count == 1) {
      image_stride = image.strides[i];
      table_stride = table.strides[i];
    } else if (image.strides[i] != count * image_stride || table.strides[i] != count * table_stride) {
      return {};
    }
    count *= image.shape[i];
  }
  if (count < 2 || count > gpu::ImageBatch::most_images || image_stride < 0 || table_stride < 0) return {};
  return Batch{static_cast<int>(count), static_cast<std::size_t>(image_stride), static_cast<std::size_t>(table_stride)};
}

// For planes that are the channels of pixels: whether each pixel is followed by the next one, in rows that begin at elements.
bool are_whole_pixels(const Array& planes) {
  const auto bytes = static_cast<std::int64_t>(size_of(planes.element)), pixel = planes.shape[0] * bytes;
  const auto row = planes.strides[1];
  return planes.strides[0] == bytes && planes.strides[2] == pixel &&
         (planes.shape[1] == 1 || (row >= planes.shape[2] * pixel && row % bytes == 0)) &&
         reinterpret_cast<std::uintptr_t>(planes.data) % static_cast<std::size_t>(bytes) == 0;
}

// PyTorch computes little with unsigned numbers.
bool has_signed_sums(const Array& image) { return image.kind == Kind::torch || image.element == Element::i32; }

}  // namespace

std::string place_of(const Array& array) {
  return array.gpu < 0 ? std::string("the host's memory") : "the memory of GPU " + std::to_string(array.gpu);
}

std::string why_not_rows(const Array& array) {
  const auto bytes = static_cast<std::int64_t>(size_of(array.element));
  const auto width = array.shape[array.axes - 1], height = array.shape[array.axes - 2];
  const auto column = array.strides[array.axes - 1], row = array.strides[array.axes - 2];
  if (width > 1 && column != bytes)
    return "has pixels that are not contiguous in their row: " + std::to_string(column) + " bytes apart, not " +
           std::to_string(bytes);
  if (height > 1 && row < width * bytes)
    return "has rows that run backwards or overlap: " + std::to_string(row) + " bytes apart";
  if ((height > 1 && row % bytes != 0) ||
      reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::size_t>(bytes) != 0)
    return "has rows that are not aligned to its elements of " + std::to_string(bytes) + " bytes";
  for (int i = 0; i + 2 < array.axes; ++i)
    if (array.strides[i] % bytes != 0) return "has planes that are not aligned to its elements";
  return {};
}

std::size_t pitch_of(const Array& array) {
  const auto row = array.shape[array.axes - 1] * static_cast<std::int64_t>(size_of(array.element));
  return static_cast<std::size_t>(array.shape[array.axes - 2] > 1 ? array.strides[array.axes - 2] : row);
}

void check_written(const Array& read, const char* read_what, const Array& written, const char* what,
                   const std::int64_t* shape) {
  const auto the = "the " + std::string(what);
  if (const auto why = why_not_rows(written); !why.empty()) value_error(the + ' ' + why + ": out= needs contiguous rows");
  if (written.gpu != read.gpu)
    value_error("the " + std::string(read_what) + " is in " + place_of(read) + ", and " + the + " in " + place_of(written));
  if (written.axes != read.axes || !std::equal(shape, shape + read.axes, written.shape))
    value_error(the + " of this " + read_what + " has the shape " + shape_text(shape, read.axes) + ", not " +
                shape_text(written.shape, written.axes) + (read.axes > 2 ? " (planes first)" : ""));
  if (read.axes == 2) return;  // the plan looks for what overlaps
  for (int i = 0; i + 2 < written.axes; ++i)
    if (written.shape[i] > 1 && written.strides[i] == 0) value_error("the planes of " + the + " overlap");
  const auto [read_begin, read_end] = extent(read);
  const auto [written_begin, written_end] = extent(written);
  if (read_begin < written_end && written_begin < read_end)
    value_error("the " + std::string(read_what) + " and " + the + " overlap");
}

Call::Call(State& state, nb::handle image, nb::handle stream, nb::handle layout, bool copy, const char* what,
           bool keeps_channels)
    : state_(state), given_(!stream.is_none()), stream_(given_ ? stream_of(stream) : 0) {
  image_ = state.libraries.describe(image, what, false, stream_);
  if (image_.gpu >= 0 && !state.has_gpu) {
    const auto probe = gpu::probe_gpu(image_.gpu);
    if (!probe.gpu) throw Error("the " + std::string(what) + " is on a GPU that satscope cannot use: " + probe.reason);
    state.has_gpu = true;
  }
  if (!given_) stream_ = state.libraries.current_stream(image_);
  channels_ = python::has_channels(image_, layout);
  if (channels_) image_.permute({2, 0, 1});
  size_ = size_of_planes(image_);
  const auto why = why_not_rows(image_);
  if (why.empty()) return;
  is_interleaved_ = keeps_channels && channels_ && image_.gpu >= 0 && are_whole_pixels(image_);
  if (is_interleaved_) return;
  if (!copy && !channels_) value_error("the " + std::string(what) + ' ' + why + ": copy=True copies it first");
  copy_planes(what);
}

// Copies the planes into rows that can be taken. Interleaved channels are separated.
void Call::copy_planes(const char* what) {
  nb::object planes = image_.object;
  if (channels_) planes = state_.libraries.permuted(image_, {2, 0, 1});
  planes = contiguous(state_.libraries.describe(planes, what, false, stream_));
  image_ = state_.libraries.describe(planes, what, false, stream_);
  is_interleaved_ = false;
  if (const auto still = why_not_rows(image_); !still.empty())
    value_error("a copy of the " + std::string(what) + ' ' + still);
}

std::vector<nb::object> Call::contexts_of(const Array& array) const {
  return given_ ? state_.libraries.contexts_of(array, stream_) : std::vector<nb::object>();
}

nb::object Call::contiguous(const Array& array) {
  const Entered current(contexts_of(array));
  if (array.kind == Kind::dlpack && array.gpu >= 0) {
    has_foreign_copy_ = true;
    wait_for_gpu("copying an array of " +
                 full_type_name(array.object));  // what its library does not know of may still write it
  }
  return state_.libraries.contiguous(array);
}

void Call::set_table(nb::handle out, std::optional<Element> element, bool padded) {
  if (out.is_none()) {
    std::int64_t shape[most_axes];
    std::copy_n(image_.shape, image_.axes, shape);
    shape[image_.axes - 2] += padded;
    shape[image_.axes - 1] += padded;
    const Entered current(contexts_of(image_));  // its pool has memory that no other stream still uses
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
  std::int64_t wanted[most_axes];
  std::copy_n(image_.shape, image_.axes, wanted);
  for (int i = std::max(image_.axes - 2, 0); i < image_.axes; ++i) wanted[i] += padded;
  check_written(image_, "image", table_, "table", wanted);
}

void Call::run(DevicePlan& plan) {
  if (is_interleaved_ && plan.takes_channels() && table_.strides[0] >= 0) return run_channels(plan);
  if (is_interleaved_) copy_planes("image");
  const auto image_pitch = pitch_of(image_), table_pitch = pitch_of(table_);
  auto* const stream = reinterpret_cast<CUstream_st*>(stream_);
  if (const auto batch = batch_of(image_, table_)) {
    const nb::gil_scoped_release released;
    plan.run(image_.data, image_pitch, table_.data, table_pitch, *batch, stream);
    return wait_if_nobody_would();
  }
  run_planes(table_, [&](const void* image, void* table) { plan.run(image, image_pitch, table, table_pitch, {}, stream); });
}

void Call::run_channels(DevicePlan& plan) {
  const auto row = image_.shape[2] * image_.strides[2];
  const auto image_pitch = static_cast<std::size_t>(image_.shape[1] > 1 ? image_.strides[1] : row);
  const Batch batch{.table_stride = static_cast<std::size_t>(table_.strides[0]),
                    .channels = static_cast<int>(image_.shape[0])};
  const nb::gil_scoped_release released;
  plan.run(image_.data, image_pitch, table_.data, pitch_of(table_), batch, reinterpret_cast<CUstream_st*>(stream_));
  wait_if_nobody_would();
}

// Arrays that only DLPack describes have no current stream on which their library would wait.
void Call::wait_if_nobody_would() const {
  if (has_foreign_copy_ || (image_.kind == Kind::dlpack && image_.gpu >= 0 && !given_))
    gpu::check(cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream_)));
}

void Call::wait_for_gpu(const std::string& why) const {
  auto* const stream = reinterpret_cast<cudaStream_t>(stream_);
  if (gpu::capture_of(stream) != 0)
    throw Error(why + " waits for the GPU, and the stream is being captured: copy it before, and pass the copy");
  const nb::gil_scoped_release released;
  gpu::check(cudaStreamSynchronize(stream));
}

nb::object Call::result() {
  if (interleaved_.axes > 0) {
    const Entered current(contexts_of(table_));
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

// The caller's table has its channels in every pixel: planes first, then a copy.
void Call::into_channels(bool padded) {
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

void run_kept(State& state, Call& call, const PlanRequest& request) {
  std::unique_ptr<PlanStore::StoredPlan> entry;
  // Making, dropping and destroying a plan may wait for a GPU.
  const auto without_gil = [](const auto& f) {
    const nb::gil_scoped_release released;
    f();
  };
  without_gil([&] {
    if (request.device == gpu::Device::cuda && gpu::capture_of(reinterpret_cast<cudaStream_t>(call.stream())) != 0)
      throw Error("the stream is being captured: a graph needs a satscope.Plan, which you keep as long as the graph");
    entry = state.plans.take(request, call.stream());
  });
  try {
    call.run(entry->plan);
  } catch (...) {
    without_gil([&] { entry.reset(); });
    throw;
  }
  without_gil([&] { state.plans.give_back(std::move(entry)); });
}

PyPlan::PyPlan(std::shared_ptr<State> state, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
               nb::handle is_padded, nb::handle device, nb::handle threads, nb::handle layout, nb::handle is_tilted)
    : state_(std::move(state)), generation_(state_->plans.generation()) {
  constexpr int most_threads = 1 << 16;
  request_.options = {.padded = flag_of(is_padded, "padded"),
                      .tilted = flag_of(is_tilted, "tilted"),
                      .threads = static_cast<int>(integer_of(threads, "threads", 0, most_threads))};
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
  if (request_.options.tilted) check_tilted(request_.type, algorithm, parameters);
  request_.options.algorithm = algorithm_name(algorithm);
  request_.options.parameters = parameter_text(parameters);
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

nb::object PyPlan::call(nb::handle image, nb::handle out, nb::handle stream, nb::handle copy) {
  Call call(*state_, image, stream, layout_, flag_of(copy, "copy"), "image", true);
  prepare(call, out);
  run(call);
  return call.result();
}

std::vector<double> PyPlan::time(nb::handle image, nb::handle out, nb::handle runs, nb::handle stream) {
  const auto times = static_cast<int>(integer_of(runs, "runs", 1, 1'000'000));
  Call call(*state_, image, stream, layout_, false, "image", true);
  prepare(call, out);
  run(call);  // loads and warms what a first run does
  const CurrentGpu current(request_.gpu);
  const auto wait = [](const gpu::Event& last) {
    const nb::gil_scoped_release released;
    last.wait();
  };
  return detail::times_of_runs(
      request_.gpu >= 0, reinterpret_cast<cudaStream_t>(call.stream()), times, [&] { run(call); }, wait);
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
