#include "app/capture/source.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "app/capture/camera_list.h"
#include "app/capture/matrix.h"
#include "app/capture/source_text.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/text.h"
#include "app/support/threads.h"

namespace app::capture {
namespace {

struct SourceType {
  SourceKind kind;
  std::string_view name;
  bool (*owns)(const Request& request);
  std::unique_ptr<Source> (*open)(const Request& request, const Opening& opening);
};
constexpr SourceType table[] = {
    {SourceKind::synthetic, synthetic_word, owns_synthetic, open_synthetic},
    {SourceKind::matrix, matrix_word, owns_matrix, open_matrix},
    {SourceKind::camera, "camera", owns_camera, open_camera},
    {SourceKind::image, "image", owns_image, open_image},
    {SourceKind::video, "video", owns_video, open_video},
};

// A camera that has delivered its first frame, or nullptr if it has not by `deadline`; the attempt then continues on its
// own thread, and its result is dropped.
std::unique_ptr<Source> try_camera(const Request& request, const Opening& opening,
                                   std::chrono::steady_clock::time_point deadline) {
  std::stop_source stop;
  const std::stop_callback forward(opening.stop, [&stop] { stop.request_stop(); });
  auto promise = std::make_shared<std::promise<std::unique_ptr<Source>>>();
  auto result = promise->get_future();
  start_detached([promise, request, token = stop.get_token(), claim = opening.claim] {
    try {
      promise->set_value(open_camera(request, {token, [](const std::string&) {}, claim}));
    } catch (...) {
      promise->set_value(nullptr);
    }
  });
  while (std::chrono::steady_clock::now() < deadline && !opening.stop.stop_requested())
    if (result.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) return result.get();
  stop.request_stop();
  return nullptr;
}

// A source that was chosen because none was named: its message says why.
class Explained : public Source {
 public:
  Explained(std::unique_ptr<Source> source, std::string message)
      : source_(std::move(source)), message_(std::move(message)) {}
  Read read(Frame& frame, std::stop_token stop) override { return source_->read(frame, std::move(stop)); }
  void rewind() override { source_->rewind(); }
  void seek(double seconds, std::stop_token stop) override { source_->seek(seconds, std::move(stop)); }
  void step_back(double position, int count, std::stop_token stop) override {
    source_->step_back(position, count, std::move(stop));
  }
  SourceInfo info() const override {
    SourceInfo info = source_->info();
    if (info.message.empty()) info.message = message_;
    return info;
  }

 private:
  std::unique_ptr<Source> source_;
  std::string message_;
};

std::unique_ptr<Source> open_default(const Request& request, const Opening& opening) {
  auto cameras = list_cameras();
  if (!cameras.empty()) {
    opening.claim(camera_device);  // held by this program a camera looks busy
    cameras = list_cameras();
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (const CameraInfo& camera : cameras) {
    if (!camera.available) continue;
    opening.say("trying camera " + std::to_string(camera.number) + " (" + one_line(camera.name) + ")");
    Request wanted = request;
    wanted.source = camera.path;
    if (auto source = try_camera(wanted, opening, deadline)) return source;
  }
  Request clip = request;
  clip.source = asset("clip.mp4").string();
  return std::make_unique<Explained>(open_video(clip, opening),
                                     cameras.empty()
                                         ? "no camera here: the bundled clip plays"
                                         : "no camera sends frames (see `satscope list cameras`): the bundled clip plays");
}

}  // namespace

std::string_view name(SourceKind kind) {
  const auto entry = std::ranges::find(table, kind, &SourceType::kind);
  return entry == std::end(table) ? std::string_view() : entry->name;
}

std::unique_ptr<Source> open_source(const Request& request, const Opening& opening) {
  if (request.source.empty()) return open_default(request, opening);
  return std::ranges::find_if(table, [&](const SourceType& entry) { return entry.owns(request); })->open(request, opening);
}

std::filesystem::path source_file(const std::string& source) {
  if (source.empty()) return asset("clip.mp4");
  const auto name = named_in_matrix(source);
  return name.empty() || is_url(name) ? std::filesystem::path() : local_path(name);
}

void check_size(gpu::Size size, const std::string& name, int largest_side) {
  if (size.width < 1 || size.height < 1) throw SourceError(name + " has no pixels; try another source");
  const bool wide = size.width >= size.height;
  if (largest_side > 0 && std::max(size.width, size.height) > largest_side)
    throw SourceError(name + " is " + app::text_of(size) + "; at most " + std::to_string(largest_side) +
                      " pixels per side are possible; make it smaller, e.g. ffmpeg -i IN -vf scale=" +
                      (wide ? "7680:-1" : "-1:7680") + " OUT");
}

std::uint64_t usual_memory() { return machine_memory() / 4; }

void check_memory(double needed, std::uint64_t memory, const std::string& name, const std::string& what) {
  const auto budget = static_cast<double>(memory > 0 ? memory : usual_memory());
  if (needed <= budget) return;
  needed = std::ceil(needed / 1e6) * 1e6;  // else it could be shown as the budget
  const auto megabytes = std::to_string(static_cast<std::uint64_t>(std::min(needed / 1e6, 1e12)));
  throw SourceError(name + " is " + what + ": reading it takes " + memory_text(needed) + " of memory, and the budget is " +
                    memory_text(budget) + (memory > 0 ? "" : ", a quarter of what there is") +
                    "; make it smaller, or raise the budget: --memory-budget " + megabytes + " (setting memory_budget)");
}

void check_frames(gpu::Size size, std::uint64_t memory, const std::string& name, int values) {
  constexpr double frames = 3, bgr = 3;  // of a mailbox, at least (mailbox.h)
  check_memory(frames * (bgr + values) * static_cast<double>(size.pixels()), memory, name, app::text_of(size));
}

}  // namespace app::capture
