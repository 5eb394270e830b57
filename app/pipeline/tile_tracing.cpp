#include "app/pipeline/tile_tracing.h"

#include <cstring>
#include <utility>

#include "app/control/arguments_text.h"
#include "gpu/sat_runner.h"

namespace app {

std::string why_no_tiles(const gpu::SatAlgorithm& algorithm) {
  if (gpu::find_traced_sat(algorithm.name)) return {};
  std::string others;
  for (const auto* traced : gpu::traced_sats()) others += (others.empty() ? "" : ", ") + std::string(traced->name);
  return std::string(algorithm.name) + " records no tiles; these do, on a GPU or the simulated GPU: " + others;
}

void TileTracing::prepare(gpu::Size size, const Selection& selection, int threads) {
  const auto plan = gpu::plan_tiles(device_, threads, *selection.algorithm, size, selection.algorithm_arguments);
  if (table_.size() != size) table_ = gpu::Image<std::uint32_t>(size, device_);
  if (records_.size() < plan.records()) records_ = gpu::Buffer<gpu::TileRecord>(plan.records(), device_);
  const auto bytes = plan.records() * sizeof(gpu::TileRecord);
  if (!readback_ || readback_->capacity() < bytes) readback_ = std::make_unique<gpu::Readback>(device_, bytes);
  workspace_bytes_ = gpu::plan_sat(device_, threads, *selection.algorithm, size, gpu::SatType::u8_u32,
                                   selection.algorithm_arguments)
                         .workspace_bytes;
  selection_ = selection;
}

void TileTracing::run(gpu::Context& context, gpu::ImageView<const std::uint8_t> gray) {
  if (std::exchange(under_way_, {})) readback_->wait();
  gpu::TileRecorder recorder(records_.span());
  gpu::compute_sat(context, *selection_.algorithm, gray, table_.view(), selection_.algorithm_arguments, recorder);
  readback_->queue(context, "tile records", records_.data(), recorder.records() * sizeof(gpu::TileRecord));
  under_way_.emplace();
  under_way_->algorithm = selection_.algorithm->name;
  under_way_->parameters = text_of(selection_.algorithm_arguments);
  under_way_->device = device_;
  under_way_->image = gray.size();
  under_way_->passes = recorder.passes();
}

std::shared_ptr<const TileHistory> TileTracing::take(bool wait) {
  if (!under_way_) return {};
  if (wait) readback_->wait();
  if (!readback_->arrived()) return {};
  auto history = std::make_shared<TileHistory>(std::move(*std::exchange(under_way_, {})));
  const auto bytes = readback_->bytes();
  history->records.resize(bytes.size() / sizeof(gpu::TileRecord));
  std::memcpy(history->records.data(), bytes.data(), bytes.size());
  complete(*history);
  return history;
}

}  // namespace app
