// WorkspacePlan: how much scratch memory frames of a size can need, whatever is chosen next: memory for every algorithm is
// there before it is chosen.
#pragma once

#include <cstddef>
#include <functional>

#include "app/pipeline/lane.h"
#include "gpu/context.h"

namespace app {

class WorkspacePlan {
 public:
  // Replays every algorithm and every effect of `device`, each with each of its parameters' values, and leaves out what needs
  // more than `budget`. `persistent` notes what they ask for. `threads`: of the host's pool.
  WorkspacePlan(gpu::Device device, int threads, gpu::Size size, gpu::PersistentMemory& persistent, std::size_t budget);

  gpu::Size size() const { return size_; }
  std::size_t bytes() const { return most_; }  // the most that any algorithm needs under any effect
  // The most that any algorithm needs under the effect of `plan` and its arguments; 0 beyond the budget.
  std::size_t bytes_under(const LanePlan& plan) const;
  // In host memory, for one picture: the most that the annotations of any effect need.
  std::size_t annotation_bytes() const { return annotations_; }
  void give_up() { most_ = budget_ = 0; }  // all of it is 0

 private:
  std::size_t scratch(const std::function<void(gpu::Context&)>& work) const;
  std::size_t of_algorithms(gpu::SatType type) const;
  std::size_t of_effect(const gpu::Effect& effect, const gpu::Arguments& arguments, const void* prepared) const;

  gpu::Device device_;
  int threads_;
  gpu::Size size_;
  gpu::PersistentMemory& persistent_;
  std::size_t budget_;
  std::size_t sums_ = 0, squares_ = 0, most_ = 0, annotations_ = 0;
};

// What a pipeline may hold for selections that nobody has made yet: a quarter of a GPU's free memory, and no more than
// 1 GiB. (On the host and the simulated GPU, memory that nobody touches is only reserved.)
std::size_t workspace_budget(gpu::Device device);

}  // namespace app
