// KernelLoader: a thread that loads kernels from the program's start on, so that a choice costs no frame. First come those of the
// present choice, then, if asked for, all that may be chosen, until a choice asks for some that are missing: those are next.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_set>
#include <vector>

#include "app/control/selection.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"

namespace app {

// The kernels of pictures, found by dry replays of the code that launches them: nothing runs, and no GPU is needed. Their
// addresses, by which CUDA knows them; each once, in the order in which they are launched. Those of NVIDIA's libraries are
// not among them: only the libraries know them.
using Kernels = std::vector<const void*>;

// What frames of `size` need for a selection of a GPU or the simulated GPU; `traced`: and to record its tiles. Empty for the
// host's.
Kernels kernels_of(const Selection& selection, gpu::Size size, bool traced = false);
// Whatever can be chosen on `device`, with each combination of choices, for frames of any size, and for the race: first what every
// frame needs, then effects and algorithms with their initial arguments. `take` gets the kernels of one after another, some of
// them more than once, until it returns false.
void list_kernels(gpu::Device device, const std::function<bool(const Kernels&)>& take);

class KernelLoader {
 public:
  using Load = std::function<void(const void* kernel)>;  // may throw: then no more are loaded
  // `start` makes it, on the thread; it may throw likewise.
  KernelLoader(gpu::Device device, std::function<Load()> start) : device_(device), start_(std::move(start)) {}
  ~KernelLoader() { stop(); }  // waits for the kernel that is being loaded

  gpu::Device device() const { return device_; }

  // Starts the thread, once. Where there can be none, nothing is loaded ahead. `others`: not only the kernels of `chosen`.
  void begin(const Selection& chosen, gpu::Size size, bool others = true);
  // Whether kernels_of() the arguments are loaded, or nothing will load them any more: then their first launch does. If not, they
  // are next.
  bool have(const Selection& selection, gpu::Size size, bool traced);
  void stop() { thread_.request_stop(); }  // does not wait

 private:
  void work(const std::stop_token& stop, bool others);
  // Urgent kernels come between them. False once it is to stop.
  bool load_all(const Kernels& kernels, const Load& load, const std::stop_token& stop);
  const void* take_urgent();  // null if none is

  gpu::Device device_;
  std::function<Load()> start_;
  struct Asked {
    Selection selection;
    gpu::Size size;
    bool traced;
    Kernels kernels;
  };
  std::optional<Asked> asked_;
  bool begun_ = false;
  std::mutex mutex_;  // guards what follows
  std::unordered_set<const void*> loaded_;
  Kernels urgent_;  // the next one last
  bool ended_ = false;
  std::jthread thread_;  // last: it uses what is above
};

// The loader for the GPU with CUDA's number `index`.
std::unique_ptr<KernelLoader> gpu_kernel_loader(int index);

}  // namespace app
