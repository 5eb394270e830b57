#include "gpu/sat_runner.h"

namespace gpu {
namespace {

SatPlan replay(Device device, int threads, PersistentMemory* persistent, const std::function<void(Context&)>& work) {
  auto dry = Context::dry(device, threads);
  dry.set_persistent(persistent);
  work(dry);
  return {dry.workspace_bytes(), static_cast<int>(dry.launches().size())};
}

}  // namespace

SatPlan plan_sat(Device device, int threads, const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                 const Arguments& arguments) {
  return replay(device, threads, nullptr, [&](Context& context) { compute_sat(context, algorithm, image, sat, arguments); });
}

SatPlan plan_sat(Device device, int threads, const SatAlgorithm& algorithm, Size size, SatType type,
                 const Arguments& arguments) {
  return plan_sat(device, threads, algorithm, view_without_memory(size, info(type).input),
                  view_without_memory(size, info(type).sum), arguments);
}

SatRunner SatRunner::on_stream(cudaStream_t stream, Timeline* timeline) {
  SatRunner runner(Device::cuda, timeline);
  runner.stream_ = stream;
  return runner;
}

SatRunner SatRunner::on_host(ThreadPool& pool, Timeline* timeline) {
  SatRunner runner(Device::host, timeline);
  runner.pool_ = &pool;
  return runner;
}

SatRunner SatRunner::on_simulated(const simulated::Driver& driver, Timeline* timeline) {
  SatRunner runner(Device::simulated, timeline);
  runner.driver_ = &driver;
  return runner;
}

SatPlan SatRunner::plan(const SatAlgorithm& algorithm, Size size, SatType type, const Arguments& arguments) const {
  return plan(algorithm, view_without_memory(size, info(type).input), view_without_memory(size, info(type).sum), arguments);
}

SatPlan SatRunner::plan(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat,
                        const Arguments& arguments) const {
  return plan([&](Context& context) { compute_sat(context, algorithm, image, sat, arguments); });
}

SatPlan SatRunner::plan(const std::function<void(Context&)>& work) const {
  return replay(device_, pool_ ? pool_->threads() : 0, persistent_.get(), work);
}

void SatRunner::reserve(std::size_t workspace_bytes) {
  persistent_->reserve();
  if (workspace_bytes <= workspace_.size()) return;
  context_.reset();
  workspace_ = {};  // first: there may not be room for both
  workspace_ = Buffer<std::byte>(workspace_bytes, device_);
}

Context& SatRunner::context() {
  if (context_) return *context_;
  switch (device_) {
    case Device::host: context_.emplace(Context::on_host(*pool_, workspace_.span(), timeline_)); break;
    case Device::cuda: context_.emplace(Context::on_stream(stream_, workspace_.span(), timeline_)); break;
    case Device::simulated: context_.emplace(Context::on_simulated(*driver_, workspace_.span(), timeline_)); break;
  }
  context_->set_persistent(persistent_.get());
  return *context_;
}

Context& SatRunner::context(cudaStream_t stream) {
  if (stream != stream_) context_.reset();
  stream_ = stream;
  return context();
}

void SatRunner::run(const SatAlgorithm& algorithm, AnyConstImageView image, AnyImageView sat, const Arguments& arguments) {
  reserve(plan(algorithm, image, sat, arguments).workspace_bytes);
  auto& here = context();
  try {
    compute_sat(here, algorithm, image, sat, arguments);
  } catch (...) {
    invalidate();
    throw;
  }
}

}  // namespace gpu
