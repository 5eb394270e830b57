#include "gpu/context.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "gpu/cuda/launch.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"

namespace gpu {
namespace {

constexpr std::size_t alignment = 256;

std::span<std::byte> aligned(std::span<std::byte> workspace) {
  if (reinterpret_cast<std::uintptr_t>(workspace.data()) % alignment != 0)
    throw std::invalid_argument("a workspace must begin at a multiple of " + std::to_string(alignment) + " bytes");
  return workspace;
}

// A kernel needs permission for more than 48 KB, static and dynamic together (CUDA C++ Programming Guide, "Shared Memory").
// The limit is always raised to the device's maximum, so that no thread lowers what another has raised.
void allow_shared_bytes(const void* kernel, std::size_t bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel));
  if (bytes <= static_cast<std::size_t>(attributes.maxDynamicSharedSizeBytes)) return;
  int device = 0, most = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(attributes.sharedSizeBytes)));
}

auto same(std::string_view name, std::size_t bytes) {
  return [=](const PersistentMemory::Piece& piece) { return piece.name == name && piece.bytes == bytes; };
}

}  // namespace

// A library of the simulated GPU has a copy of these functions, of which those that a library of users' kernels calls go on to the
// program's where the context is of a device of the program.
#ifdef SATSCOPE_SIMULATED
constexpr bool is_program = false;
const Context::Calls Context::calls_of_program{};
#else
constexpr bool is_program = true;

namespace {

// What CUDA launches for an address of the host's code.
const void* on_cuda(const LoadedKernels* loaded, const void* kernel) {
  if (!loaded) return kernel;
  const auto found = loaded->on_cuda.find(kernel);
  return found == loaded->on_cuda.end() ? kernel : found->second;
}

}  // namespace

const Context::Calls Context::calls_of_program = {
    .take = [](Context& context, std::size_t bytes) { return context.take(bytes); },
    .persist = [](Context& context, std::string_view name, std::size_t bytes) { return context.persist(name, bytes); },
    .resident_blocks =
        [](const Context& context, const void* kernel, int threads, int per_multiprocessor) {
          return context.resident_blocks(on_cuda(context.loaded_, kernel), threads, per_multiprocessor);
        },
    .launch_pointers =
        [](Context& context, const SpanLabel& label, const void* kernel, const Grid& shape, void** arguments) {
          context.launch_pointers(label, on_cuda(context.loaded_, kernel), shape, arguments);
        },
    .copy_bytes = [](Context& context, const SpanLabel& label, const void* from, std::size_t from_pitch, void* to,
                     std::size_t to_pitch, std::size_t width_bytes,
                     std::size_t height) { context.copy_bytes(label, from, from_pitch, to, to_pitch, width_bytes, height); },
    .parallel_parts = [](Context& context, const SpanLabel& label, int parts,
                         const Part& part) { context.parallel_parts(label, parts, part); },
    .threads = [](const Context& context) { return context.threads(); },
    .begin_span = [](Context& context, const SpanLabel& label, SpanTiming timing,
                     const void* started) { context.begin_span(label, timing, started); },
    .end_span = [](Context& context) { context.end_span(); },
};
#endif

Context Context::on_stream(cudaStream_t stream, std::span<std::byte> workspace, Timeline* timeline) {
  Context context(Device::cuda, aligned(workspace));
  context.calls_ = is_program ? &calls_of_program : nullptr;
  context.stream_ = stream;
  context.limits_ = current_gpu_limits();
  context.timeline_ = timeline;
  return context;
}

Context Context::on_host(ThreadPool& pool, std::span<std::byte> workspace, Timeline* timeline) {
  Context context(Device::host, aligned(workspace));
  context.calls_ = is_program ? &calls_of_program : nullptr;
  context.pool_ = &pool;
  context.timeline_ = timeline;
  return context;
}

Context Context::on_simulated(const simulated::Driver& driver, std::span<std::byte> workspace, Timeline* timeline) {
  Context context(Device::simulated, aligned(workspace));
  context.driver_ = &driver;
  context.timeline_ = timeline;
  return context;
}

Context Context::dry(Device device, int threads, std::optional<GpuLimits> limits) {
  Context context(device, {});
  context.dry_ = true;
  if (is_program && device != Device::simulated) context.calls_ = &calls_of_program;
  context.limits_ = limits ? *limits : device == Device::cuda ? current_gpu_limits() : GpuLimits{};
  if (device == Device::host) context.dry_threads_ = ThreadPool::thread_count(threads);
  return context;
}

Context::Span::Span(Context& context, const SpanLabel& label, SpanTiming timing, const void* started) : context_(context) {
  context.begin_span(label, timing, started);
}

Context::Span::~Span() { context_.end_span(); }

void Context::begin_span(const SpanLabel& label, SpanTiming timing, const void* started) {
  if (dry_) return;
  if (const auto* calls = calls_elsewhere()) return calls->begin_span(*this, label, timing, started);
  if (device_ == Device::cuda) push_profiler_range(label.name);
  if (timeline_) timeline_->begin(label, timing, device_ == Device::cuda ? started : nullptr);
}

void Context::end_span() {
  if (dry_) return;
  if (const auto* calls = calls_elsewhere()) return calls->end_span(*this);
  if (timeline_) timeline_->end();
  if (device_ == Device::cuda) pop_profiler_range();
}

// Null: this copy of the functions is the one that the context is for.
const Context::Calls* Context::calls_elsewhere() const { return is_program ? nullptr : calls_; }

std::byte* Context::take(std::size_t bytes) {
  if (const auto* calls = calls_elsewhere()) return calls->take(*this, bytes);
  const auto start = used_;
  used_ += (bytes + alignment - 1) / alignment * alignment;
  most_ = std::max(most_, used_);
  if (dry_) return reinterpret_cast<std::byte*>(alignment + start);  // aligned, never null, never dereferenced
  if (used_ > workspace_.size())
    throw std::length_error("workspace of " + std::to_string(workspace_.size()) +
                            " bytes is too small: " + std::to_string(used_) + " needed");
  return workspace_.data() + start;
}

std::byte* Context::persist(std::string_view name, std::size_t bytes) {
  if (const auto* calls = calls_elsewhere()) return calls->persist(*this, name, bytes);
  bytes = (bytes + alignment - 1) / alignment * alignment;  // because clear() may round up
  std::string own_name;
  if (loaded_) name = own_name = loaded_->label + '/' + std::string(name);
  if (dry_ && persistent_) {
    persistent_->note(name, bytes);
    note({.kind = LaunchRecord::Kind::clear,
          .name = "clear",
          .shape = {},
          .kernel = is_gpu(device_) ? clear_kernel() : nullptr,
          .first_run_only = true});
    return reinterpret_cast<std::byte*>(alignment);
  }
  auto* piece = persistent_ ? persistent_->find(name, bytes) : nullptr;
  if (!piece) {
    auto* const data = take(bytes);
    clear(data, bytes);
    return data;
  }
  if (!piece->cleared) {
    if (device_ == Device::cuda && is_captured(stream_))
      throw std::logic_error("the first run with '" + std::string(name) +
                             "' clears persistent memory, which a capture must not contain: run it once before the capture");
    clear(piece->memory.data(), bytes);
    piece->cleared = true;
  }
  return piece->memory.data();
}

void Context::clear(void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const void* const kernel = is_gpu(device_) ? clear_kernel() : nullptr;
  if (dry_) return note({LaunchRecord::Kind::clear, "clear", {}, kernel});
  const Span span(*this, "clear", SpanTiming::whole, kernel);
  if (is_gpu(device_))
    clear_on_device(data, bytes, stream_);  // rounds up to 16 bytes, less than take() and persist() do
  else
    std::memset(data, 0, bytes);
}

void Context::launch_pointers(const SpanLabel& label, const void* kernel, const Grid& shape, void** arguments) {
  if (const auto* calls = calls_elsewhere()) return calls->launch_pointers(*this, label, kernel, shape, arguments);
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0) return;
  if (dry_) return note({LaunchRecord::Kind::kernel, std::string(label.name), shape, kernel});
  if (!is_gpu(device_))
    throw std::logic_error("kernel '" + std::string(label.name) + "' started on a context of the device " +
                           std::string(gpu::name(device_)));
  if (shape.shared_bytes > 0) allow_shared_bytes(kernel, shape.shared_bytes);
  const Span span(*this, label, SpanTiming::whole, kernel);
  queue_kernel(stream_, kernel, shape, arguments);
}

int Context::threads() const {
  if (const auto* calls = calls_elsewhere()) return calls->threads(*this);
  return pool_ ? pool_->threads() : dry_threads_;
}

int Context::resident_blocks(const void* kernel, int threads, int per_multiprocessor) const {
  if (const auto* calls = calls_elsewhere()) return calls->resident_blocks(*this, kernel, threads, per_multiprocessor);
  const int wanted = per_multiprocessor * limits_.multiprocessors;
  return dry_ ? wanted : std::max(std::min(wanted, room_for_blocks(kernel, threads, 0)), 1);
}

void Context::parallel_parts(const SpanLabel& label, int parts, const Part& part) {
  if (const auto* calls = calls_elsewhere()) return calls->parallel_parts(*this, label, parts, part);
  if (parts <= 0) return;
  if (dry_) return note({LaunchRecord::Kind::host, std::string(label.name), {}, nullptr, parts});
  if (!pool_) throw std::logic_error("host work '" + std::string(label.name) + "' started on a device context");
  const Span span(*this, label);
  pool_->run(parts, [&](int i) { part.call(part.object, i); });
}

void Context::copy_bytes(const SpanLabel& label, const void* from, std::size_t from_pitch, void* to, std::size_t to_pitch,
                         std::size_t width_bytes, std::size_t height) {
  if (const auto* calls = calls_elsewhere())
    return calls->copy_bytes(*this, label, from, from_pitch, to, to_pitch, width_bytes, height);
  if (dry_) return note({LaunchRecord::Kind::library, std::string(label.name), {}});
  const Span span(*this, label);
  if (is_gpu(device_))
    return check(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width_bytes, height, cudaMemcpyDeviceToDevice, stream_));
  for (std::size_t y = 0; y < height; ++y)
    std::memcpy(static_cast<std::byte*>(to) + y * to_pitch, static_cast<const std::byte*>(from) + y * from_pitch,
                width_bytes);
}

void PersistentMemory::note(std::string_view name, std::size_t bytes) { add(name, bytes, false); }

void PersistentMemory::note(const PersistentMemory& others) {
  for (const auto& piece : others.pieces_) add(piece.name, piece.bytes, false);
}

void PersistentMemory::note_ahead(const PersistentMemory& others) {
  for (const auto& piece : others.pieces_) add(piece.name, piece.bytes, true);
}

void PersistentMemory::add(std::string_view name, std::size_t bytes, bool ahead) {
  const auto known = std::ranges::find_if(pieces_, same(name, bytes));
  if (known == pieces_.end())
    pieces_.push_back({std::string(name), bytes, {}, ahead});
  else
    known->ahead &= ahead;
}

void PersistentMemory::reserve() {
  const auto allocate = [&](Piece& piece) {
    if (piece.memory.size() == 0) piece.memory = Buffer<std::byte>(piece.bytes, device_);
  };
  try {
    for (auto& piece : pieces_)
      if (!piece.ahead) allocate(piece);
  } catch (...) {  // what needs less must not fail for this
    forget_what_is_missing();
    throw;
  }
  for (auto& piece : pieces_) try {
      allocate(piece);
    } catch (const std::exception&) {  // memory is short: it is allocated once it is needed
    }
  forget_what_is_missing();
}

void PersistentMemory::forget_what_is_missing() {
  std::erase_if(pieces_, [](const Piece& piece) { return piece.memory.size() == 0; });
}

void PersistentMemory::invalidate() {
  for (auto& piece : pieces_) piece.cleared = false;
}

std::size_t PersistentMemory::bytes() const {
  std::size_t sum = 0;
  for (const auto& piece : pieces_) sum += piece.memory.size();
  return sum;
}

std::size_t PersistentMemory::noted_bytes() const {
  std::size_t sum = 0;
  for (const auto& piece : pieces_) sum += piece.bytes;
  return sum;
}

std::size_t PersistentMemory::noted_bytes_with(const PersistentMemory& others) const {
  auto sum = noted_bytes();
  for (const auto& piece : others.pieces_)
    if (std::ranges::none_of(pieces_, same(piece.name, piece.bytes))) sum += piece.bytes;
  return sum;
}

PersistentMemory::Piece* PersistentMemory::find(std::string_view name, std::size_t bytes) {
  const auto found = std::ranges::find_if(pieces_, same(name, bytes));
  return found != pieces_.end() && found->memory.size() > 0 ? &*found : nullptr;
}

}  // namespace gpu
