// satscope.Plan as Python sees it: one shape and type, for every kind of array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/python/arguments.h"
#include "gpu/python/call.h"
#include "gpu/python/plans.h"

namespace satscope::python {

class PyPlan {
 public:
  PyPlan(std::shared_ptr<State> state, nb::handle image, nb::handle type, nb::handle algorithm, nb::handle parameters,
         bool padded, nb::handle device, int threads, nb::handle layout, bool tilted);
  ~PyPlan();

  nb::object call(nb::handle image, nb::handle out, nb::handle stream, bool copy);
  // Microseconds of each run.
  std::vector<double> time(nb::handle image, nb::handle out, int runs, nb::handle stream);
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
