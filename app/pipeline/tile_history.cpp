#include "app/pipeline/tile_history.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "app/control/selection.h"
#include "app/support/text.h"
#include "gpu/sat_runner.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {

std::string why_no_tiles(const gpu::SatAlgorithm& algorithm) {
  if (algorithm.records_tiles) return {};
  std::string others;
  for (const auto* other : gpu::sat_algorithms())
    if (other->records_tiles) others += (others.empty() ? "" : ", ") + std::string(other->name);
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

namespace {

int version_of(const gpu::SatAlgorithm& algorithm) { return algorithm.version ? algorithm.version->number : 0; }

}  // namespace

void TileTracing::run(gpu::Context& context, gpu::ImageView<const std::uint8_t> gray) {
  if (std::exchange(under_way_, {})) readback_->wait();
  gpu::TileRecorder recorder(records_.span());
  gpu::compute_sat(context, *selection_.algorithm, gray, table_.view(), selection_.algorithm_arguments, recorder);
  readback_->queue(context, "tile records", records_.data(), recorder.records() * sizeof(gpu::TileRecord));
  under_way_.emplace();
  under_way_->algorithm = selection_.algorithm->name;
  under_way_->version = version_of(*selection_.algorithm);
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

namespace {

// Tiles that started at the same time are numbered row by row; those that were not recorded, last.
std::vector<std::uint32_t> serials_of(const TileHistory& history) {
  std::vector<std::uint32_t> serials(history.records.size());
  for (const auto& pass : history.passes) {
    const auto records = history.of(pass);
    std::vector<std::uint32_t> order(records.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {},
                             [&](std::uint32_t i) { return std::pair(records[i].launch == 0, records[i].started); });
    for (std::uint32_t serial = 0; serial < order.size(); ++serial) serials[pass.first + order[serial]] = serial;
  }
  return serials;
}

}  // namespace

const gpu::TilePass& TileHistory::pass_of(const gpu::TileRecord& record) const {
  return *std::ranges::find_if(passes, [number = number_of(record)](const gpu::TilePass& pass) {
    return number >= pass.first && number < pass.first + pass.tiles();
  });
}

std::size_t TileHistory::place_of(std::uint32_t multiprocessor) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(multiprocessors, multiprocessor) - multiprocessors.begin());
}

std::size_t TileHistory::begun_at(double nanoseconds) const {
  return static_cast<std::size_t>(std::ranges::count_if(records, [nanoseconds](const gpu::TileRecord& record) {
    return record.launch != 0 && static_cast<double>(record.started) <= nanoseconds;
  }));
}

void complete(TileHistory& history) {
  std::uint64_t first = ~std::uint64_t{0};
  for (const auto& record : history.records)
    if (record.launch > 0) first = std::min(first, record.started);
  for (auto& record : history.records) {
    if (record.launch == 0) continue;
    record.started -= first;
    record.carried -= first;
    record.finished -= first;
    history.end = std::max(history.end, record.finished);
    history.longest_wait = std::max(history.longest_wait, record.carried - record.started);
    history.launches = std::max(history.launches, record.launch);
    history.multiprocessors.push_back(record.multiprocessor);
    history.farthest.left = std::max(history.farthest.left, record.look_back.left);
    history.farthest.up = std::max(history.farthest.up, record.look_back.up);
    history.farthest.diagonal = std::max(history.farthest.diagonal, record.look_back.diagonal);
    ++history.recorded;
  }
  history.serials = serials_of(history);
  std::ranges::sort(history.multiprocessors);
  const auto same = std::ranges::unique(history.multiprocessors);
  history.multiprocessors.erase(same.begin(), same.end());
}

std::string depths_text(const gpu::LookBackDepths& depths) {
  std::string all;
  for (const auto& [tiles, direction] : {std::pair(depths.left, "left"), {depths.up, "up"}, {depths.diagonal, "diagonal"}})
    if (tiles > 0) all += (all.empty() ? "" : ", ") + std::to_string(tiles) + ' ' + direction;
  return all;
}

std::string earlier_words(const TileHistory& history, gpu::Size shown, const gpu::SatAlgorithm* algorithm) {
  if (history.image != shown) return "of a picture of " + text_of(history.image);
  if (!algorithm) return {};
  if (history.algorithm != algorithm->name) return "of an earlier algorithm";
  return history.version != version_of(*algorithm) ? "of an earlier version" : "";
}

TileState state_at(const gpu::TileRecord& record, double nanoseconds) {
  if (nanoseconds < static_cast<double>(record.started)) return TileState::waiting;
  if (nanoseconds < static_cast<double>(record.carried)) return TileState::started;
  return nanoseconds < static_cast<double>(record.finished) ? TileState::carried : TileState::finished;
}

// All passes of an algorithm have the same tiles.
std::optional<TileMoment> tile_at(const TileHistory& history, int I, int J, double nanoseconds) {
  std::optional<TileMoment> found;
  for (const auto& pass : history.passes) {
    const auto number = static_cast<std::size_t>(I) * static_cast<std::size_t>(pass.columns) + static_cast<std::size_t>(J);
    const auto& record = history.of(pass)[number];
    if (record.launch == 0) continue;
    const auto state = state_at(record, nanoseconds);
    if (!found || state != TileState::waiting)
      found = {&record, state, true};
    else
      found->last_pass = false;
  }
  return found;
}

}  // namespace app
