// Preloader: makes ready what the next choice needs, so that it costs no frame: kernels are loaded, and what effects build
// once is built, such as a cascade in the host's form. One thread does one piece after the other: first what a choice waits
// for, then files that will be chosen, then whatever else may be.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "app/control/change.h"
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
// Whatever is built in and can be chosen on `device`, with each combination of choices, for frames of any size, and for the race: first what
// every frame needs, then effects and algorithms with their initial arguments. `take` gets the kernels of one after another,
// some of them more than once, until it returns false.
void list_kernels(gpu::Device device, const std::function<bool(const Kernels&)>& take);

// How kernels of a device are loaded.
struct KernelLoader {
  using Load = std::function<void(const void* kernel)>;  // may throw: then no more are loaded
  gpu::Device device;
  std::function<Load()> start;  // makes it, on the thread; may throw likewise
};
// For the GPU with CUDA's number `index`.
KernelLoader gpu_kernel_loader(int index);

class Preloader {
 public:
  explicit Preloader(std::optional<KernelLoader> kernels = {}) : loader_(std::move(kernels)) {}  // none: of no device
  ~Preloader() { stop(); }  // waits for the piece that is being made ready

  // Begins with the kernels of `chosen` on the loader's device, once, and with what effects are from the start on another one,
  // once. `others`: not only what is chosen. The list of kernels includes what effects are from the start.
  void begin(const Selection& chosen, bool others = true);
  // Whether kernels_of() the arguments are loaded, or nothing will load them any more: then their first launch does. If not,
  // they are next.
  bool has_kernels(const Selection& selection, gpu::Size size, bool traced);
  // Whether what the effects of `selection` build from files is there; else it is next. Files of `in_use`, with which a
  // picture was made, are there.
  bool has_files(const Selection& selection, const Selection& in_use);
  void wait(std::chrono::microseconds patience);  // for what was chosen
  // These will be set later: files that they name are read ahead, one after another, once something was chosen.
  void expect(std::span<const Change> changes);
  void end_kernels();                      // no more are loaded: the GPU is lost
  void stop() { thread_.request_stop(); }  // nothing more is made ready; does not wait

 private:
  // What an effect builds, kept so that whoever needs the same finds it.
  struct Built {
    std::string file;  // from this, whatever other files its effect has; empty: as it is from the start
    Selection selection;
    bool done = false;
    std::shared_ptr<const void> kept = {};
  };

  void wake();
  void work(const std::stop_token& stop);
  void load_kernels(const std::stop_token& stop);
  void load_once(const void* kernel, const KernelLoader::Load& load);
  bool do_urgent(const KernelLoader::Load* load, const std::stop_token& stop);
  void build();
  // These need the mutex.
  bool choose(const std::string& file, const Selection& selection);  // true: it is built
  Built* next_to_build();                                            // null: nothing is

  std::optional<KernelLoader> loader_;
  bool loading_begun_ = false;
  struct Asked {
    Selection selection;
    gpu::Size size;
    bool traced;
    Kernels kernels;
  };
  std::optional<Asked> asked_;
  std::mutex mutex_;                  // guards what follows
  std::condition_variable_any wake_;  // something is due, or done
  std::unordered_set<const void*> loaded_;
  Kernels urgent_;  // the next one last
  bool kernels_due_ = false, other_kernels_ = false, kernels_ended_ = false;
  std::list<Built> chosen_;            // what was chosen last comes last
  std::list<Built> initial_, ahead_;   // from the start; before it is chosen
  std::list<Built> expected_;          // each with a file that is still to be read ahead
  Built* under_way_ = nullptr;         // stays where it is in memory
  std::optional<gpu::Device> device_;  // of what was chosen last
  std::jthread thread_;                // last: it uses what is above
};

}  // namespace app
