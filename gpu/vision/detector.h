// Objects of one kind found in a frame: a cascade on every window of every level, the windows grouped. Raw windows and detections
// are those of cv::CascadeClassifier::detectMultiScale() on the CPU (OpenCV 4), as sets, with the same numbers of neighbours.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/context.h"
#include "gpu/parameter.h"
#include "gpu/sat.h"
#include "gpu/vision/cascade.h"
#include "gpu/vision/evaluation.h"
#include "gpu/vision/grouping.h"
#include "gpu/vision/levels.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

struct DetectorOptions {
  LevelOptions levels;
  int min_neighbors = 3;  // see group_windows()
  bool depths = false;    // whether depths() is wanted, which takes time
  // One of host_codes(); empty: the last. All give the same result.
  std::string_view host_code = {};
  // Tables of whole levels in memory, by a summed area table algorithm (compute_tables_by()), instead of tables of tiles, which
  // are faster. Both give the same result.
  bool global_tables = false;
};

// The ways in which this processor can evaluate cascades on the host, the fastest last: "as written" first.
std::vector<std::string_view> host_codes();

class Detector {
 public:
  // For frames of one size. Throws std::invalid_argument as levels_of() does, and for a host code that is not there. A frame
  // smaller than the cascade's window has no levels, and nothing is found in it.
  Detector(SharedCascade cascade, const DetectorOptions& options, Size frame);
  Detector(Cascade cascade, const DetectorOptions& options, Size frame)
      : Detector(std::make_shared<const PreparedCascade>(std::move(cascade)), options, frame) {}
  ~Detector();
  Detector(Detector&&) noexcept;
  Detector& operator=(Detector&&) noexcept;

  const Cascade& cascade() const { return shared_cascade()->cascade(); }
  const SharedCascade& shared_cascade() const;
  const DetectorOptions& options() const;
  Size frame() const;
  std::span<const Level> levels() const;

  // From the next search on, what the options said before; depths are a reason to reserve() again, which takes no other memory.
  void group_by(int min_neighbors);
  void want_depths(bool wanted);
  // What computes global tables from the next search on: an algorithm of that search's device. At first 1r1w_skss_lb, on the host
  // host_parallel.
  void compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments);

  // Searches the frame's gray pixels (luma(), which are cv's), on the context's device, and returns when it is done. It takes
  // memory of its own there, and scratch memory only for global tables, with which a GPU also evaluates cascades that
  // IntegerCascade cannot hold exactly, or that are too large for tiles. Throws std::invalid_argument for a frame of another
  // size. On a dry context nothing is found.
  void run(Context& context, ImageView<const std::uint8_t> gray);

  // For callers that must not wait, such as effects: takes the memory that queue() needs on the context's device, and makes the
  // form of the cascade that it evaluates; on a dry context that alone.
  void reserve(Context& context);
  // After reserve() with a context of the same stream, and on dry contexts: queues the same search, and leaves the detections on
  // the device; on the host it is done when this returns. hits() and the like are not of this search. Neither allocates nor waits
  // on a device.
  void queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections);

  // The windows of the last run, valid until the next: those that passed all stages, level by level, row by row, not clipped to
  // the frame.
  std::span<const Window> hits() const;
  std::span<const Detection> detections() const;
  // For each window of a level, row by row: how many stages it passed, or refused_depth; also where no window is visited, because
  // the one to the left failed at the first stage. Empty unless options().depths.
  ImageView<const std::uint8_t> depths(int level) const;
  // Where queue() leaves them, in memory of the context's device; after reserve() with such a context. Without data on a dry one.
  ImageView<const std::uint8_t> queued_depths(const Context& context, int level) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gpu::vision
