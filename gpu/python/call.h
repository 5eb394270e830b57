// One call: the image that Python passes, the table that it gets, and the plan that computes it, kept for later calls or Python's own.
// This and array.h are all that a call passes through on its way to a plan's launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "gpu/python/arguments.h"
#include "gpu/python/array.h"
#include "gpu/python/plans.h"

namespace satscope::python {

// What every function of the module uses.
struct State {
  Libraries libraries;
  PlanStore plans;
  bool has_gpu = false;  // once it was found
};

// For the last two axes: why their rows cannot be taken as they are, empty if they can; the bytes from one row to the next.
std::string why_not_rows(const Array& array);
std::size_t pitch_of(const Array& array);
std::string place_of(const Array& array);  // "the memory of GPU 0"
// What is written, the `what`, is on the GPU of what is read, has the shape, rows that can be taken, and planes that overlap nothing.
// `read_what`: "image" or "table".
void check_written(const Array& read, const char* read_what, const Array& written, const char* what,
                   const std::int64_t* shape);

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

// The image of a call, its planes first, and the table that it gets. Or a table, which is read as an image is.
class Call {
 public:
  // `what`: "image" or "table", for messages. `keeps_channels`: those of an image on a GPU stay interleaved until run(), whose plan may
  // take them as they are.
  Call(State& state, nb::handle image, nb::handle stream, nb::handle layout, bool copy, const char* what = "image",
       bool keeps_channels = false);

  const Array& image() const { return image_; }
  bool has_channels() const { return channels_; }
  gpu::Size size() const { return size_; }
  std::uintptr_t stream() const { return stream_; }
  // A copy in C order, on the call's stream; that of DLPack's arrays on a stream of their library, which may use the memory for
  // something else as soon as the call returns: then it waits, and such a call cannot be captured.
  nb::object contiguous(const Array& array);

  // The caller's, or a new one.
  void set_table(nb::handle out, std::optional<Element> element, bool padded);
  const Array& table() const { return table_; }

  void run(DevicePlan& plan);
  // f(image, result) for every plane, without the GIL; `result` has the image's planes.
  template <class F>
  void run_planes(const Array& result, const F& f) {
    const nb::gil_scoped_release released;
    for_each_plane(image_, result, f);
    wait_if_nobody_would();
  }
  nb::object result();

 private:
  void into_channels(bool padded);
  void copy_planes(const char* what);
  void run_channels(DevicePlan& plan);
  void wait_if_nobody_would() const;
  void wait_for_gpu(const std::string& why) const;  // throws while the stream is captured
  // What makes the caller's stream the current one of the array's library.
  std::vector<nb::object> contexts_of(const Array& array) const;

  State& state_;
  bool given_;
  std::uintptr_t stream_;
  Array image_, table_, interleaved_;
  bool channels_ = false;
  bool is_interleaved_ = false;    // image_ still has its channels in every pixel
  bool has_foreign_copy_ = false;  // on a GPU, by a library with a stream of its own
  gpu::Size size_;
  nb::object out_, made_;
};

// Runs the call by a plan that is kept for the next call.
void run_kept(State& state, Call& call, const PlanRequest& request);

// PyPlan: satscope.Plan as Python sees it: one shape and type, for every kind of array.
class PyPlan {
 public:
  PyPlan(std::shared_ptr<State> state, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
         nb::handle is_padded, nb::handle device, nb::handle threads, nb::handle layout, nb::handle is_tilted);
  ~PyPlan();

  nb::object call(nb::handle image, nb::handle out, nb::handle stream, nb::handle copy);
  // Microseconds of each run.
  std::vector<double> time(nb::handle image, nb::handle out, nb::handle runs, nb::handle stream);
  void tune();

  std::string algorithm() const { return plan_->plan().algorithm(); }
  std::string origin() const { return plan_->plan().origin(); }
  std::string parameters() const { return plan_->plan().parameters(); }
  std::string device() const { return std::string(gpu::name(request_.device)); }
  std::string type() const { return name_of(request_.type); }
  std::string dtype() const { return std::string(name(sums_of(signed_))); }
  bool padded() const { return request_.options.padded; }
  std::size_t memory_bytes() const { return plan_->plan().memory_bytes(); }
  nb::tuple shape(bool of_table) const;
  std::string text() const;

 private:
  // The elements of tables, for images whose sums are signed, or not.
  Element sums_of(bool is_signed) const;
  void prepare(Call& call, nb::handle out) const;
  void check_process() const;
  void run(Call& call);

  std::shared_ptr<State> state_;
  int generation_;
  std::vector<std::int64_t> shape_;
  nb::str layout_{""};
  bool signed_ = false;  // the sums of the image that it was made for
  PlanRequest request_;
  std::unique_ptr<DevicePlan> plan_;
  std::mutex mutex_;
};

}  // namespace satscope::python
