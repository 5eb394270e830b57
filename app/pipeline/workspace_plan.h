// WorkspacePlan: how much memory frames of a size can need, whatever algorithm or effect is chosen next. It is allocated
// ahead, so that a choice in the window allocates nothing.
#pragma once

#include <cstddef>
#include <functional>

#include "app/pipeline/lane.h"
#include "gpu/context.h"

namespace app {

class WorkspacePlan {
 public:
  // Replays every algorithm and every effect of `device` with initial arguments, and with each choice and limit of each
  // parameter. Those that need more than `budget` bytes are left out. `persistent` notes what they ask for, while all that it
  // has noted stays within the budget. `threads`: of the host's pool.
  WorkspacePlan(gpu::Device device, int threads, gpu::Size size, gpu::PersistentMemory& persistent, std::size_t budget);

  gpu::Size size() const { return size_; }
  std::size_t bytes() const { return most_; }  // scratch memory for any algorithm with any effect
  // Scratch memory for any algorithm with the effect of `plan` and its arguments; 0 where that exceeds the budget.
  std::size_t bytes_under(const LanePlan& plan) const;
  // Host memory for the annotations of one picture, by any effect.
  std::size_t annotation_bytes() const { return annotations_; }
  void give_up() { most_ = budget_ = 0; }  // from now on no scratch memory is planned

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

// How much scratch memory a pipeline may allocate for selections that nobody has made yet: a quarter of the GPU's free
// memory, or of what is available to this program on the host and for the simulated GPU, at most 1 GiB. Of the host's only what is
// touched is taken.
std::size_t workspace_budget(gpu::Device device);

}  // namespace app
