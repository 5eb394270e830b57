// DeviceDetector: what Detector (gpu/vision/detector.h) does on a GPU, real or simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/context.h"
#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/vision/grouping.h"
#include "gpu/vision/levels.h"
#include "gpu/vision/packed_cascade.h"

namespace gpu::vision {

class DeviceDetector {
 public:
  virtual ~DeviceDetector() = default;
  // From the next search on, in place of the request's; depths take memory when it is reserved, or when a frame comes.
  virtual void ask_for(int min_neighbors, bool depths) = 0;
  // Likewise, where the tables are global.
  virtual void compute_tables_by(const SatAlgorithm& algorithm, const Arguments& arguments) = 0;
  // Searches the gray frame, in the device's memory, and waits for the result. On a dry context nothing is found.
  virtual void run(Context& context, ImageView<const std::uint8_t> gray) = 0;
  // Takes the memory that queue() needs, with lists sized for the worst case, capped, and queues what fills them.
  virtual void reserve(Context& context) = 0;
  // After reserve() on this stream, or on a dry context: queues the search, and leaves the detections on the device.
  virtual void queue(Context& context, ImageView<const std::uint8_t> gray, const DetectionList& detections) = 0;
  // Where it leaves the depths of a level, which stays the same after reserve(); null unless they are asked for.
  virtual const std::uint8_t* queued_depths(int level) const = 0;
  // The results of the last run.
  virtual std::vector<Window> hits() = 0;  // level by level, row by row
  virtual std::vector<Detection> detections() const = 0;
  virtual std::vector<std::uint8_t> depths(int level) const = 0;  // of all windows of a level, row by row
};

struct DeviceDetectorRequest {
  SharedCascade cascade;
  // For GPUs with the context's limits. Null: tables in the device's memory, level by level, instead of tables of tiles. They take
  // scratch memory, as much as a dry replay counts.
  std::shared_ptr<const DeviceCascade> packed;
  std::span<const Level> levels;
  Size frame;
  int min_neighbors;
  bool depths;
  std::size_t most_entries = std::size_t{16} << 20;  // of global tables at once, as in queue_global_search()
};

// Lists of windows have room for one of so many windows at first, but for 65 536 at most. They are made longer, and the frame is
// searched again, where a cascade rejects fewer.
inline constexpr std::size_t windows_per_place = 64;

// For contexts of this device. Its kernels are those of this build, or of the context's driver. What the request refers to is
// copied. Memory is taken when a frame comes.
std::unique_ptr<DeviceDetector> make_device_detector(const Context& context, const DeviceDetectorRequest& request);

}  // namespace gpu::vision
