#include "gpu/python/call.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <utility>

#include "gpu/cuda/device.h"
#include "gpu/cuda/error.h"
#include "gpu/cuda/stream_order.h"
#include "gpu/python/arguments.h"
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

}  // namespace satscope::python
