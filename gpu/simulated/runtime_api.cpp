// CUDA's runtime API on the simulated GPU: every call does its work synchronously, on the calling thread.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "gpu/simulated/block.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/heap.h"
#include "gpu/simulated/kernel_launch.h"

using gpu::simulated::SurfaceMemory;
using gpu::simulated::the_gpu;

struct CUstream_st {
  bool waits_for_default;
};
struct CUevent_st {
  std::chrono::steady_clock::time_point moment;
};

namespace {

// Per host thread, as in CUDA.
thread_local cudaError_t last_error = cudaSuccess;

cudaError_t note(cudaError_t code) {
  if (code != cudaSuccess) last_error = code;
  return code;
}

// What CUDA does on the default stream after a call has returned: cudaMemset(), and cudaMemcpy() from pageable memory. Streams that
// were created as non-blocking do not wait for it. The simulated GPU does it as late as CUDA may: before the next work that waits
// for the default stream, or when the host waits for that. Code that relies on more fails in every run, not just in a few.
struct Late {
  void* to;
  int value;
  std::size_t bytes;
  std::vector<std::byte> from;  // empty: it is cleared
};

std::mutex late_mutex;
std::vector<Late> late_work;  // in its order

void do_later(Late&& late) {
  if (late.bytes == 0) return;
  const std::lock_guard lock(late_mutex);
  late_work.push_back(std::move(late));
}

// Does all that is left to do.
void finish_default_stream() {
  const std::lock_guard lock(late_mutex);
  for (const auto& late : late_work) {
    if (late.from.empty())
      std::memset(late.to, late.value, late.bytes);
    else
      std::memcpy(late.to, late.from.data(), late.bytes);
  }
  late_work.clear();
}

// Before work on a stream, or waiting for it.
void finish_what_it_waits_for(cudaStream_t stream) {
  if (!stream || stream->waits_for_default) finish_default_stream();
}

constexpr int opt_in_shared_bytes = 227 * 1024, multiprocessors = 132, l2_bytes = 50 << 20, major = 9, cuda_version = 13000;
constexpr std::size_t memory_bytes = std::size_t{16} << 30;

cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                      std::size_t rows) {
  the_gpu().note_queued();
  for (std::size_t y = 0; y < rows; ++y)
    std::memcpy(static_cast<char*>(to) + y * to_pitch, static_cast<const char*>(from) + y * from_pitch, bytes);
  return cudaSuccess;
}

cudaError_t launch(const gpu::simulated::LaunchedKernel& launched, void** arguments, cudaStream_t stream) {
  finish_what_it_waits_for(stream);
  return note(the_gpu().launch(launched, arguments));
}

}  // namespace

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

cudaError_t cudaDriverGetVersion(int* version) { return *version = cuda_version, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = cuda_version, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
cudaError_t cudaGetDevice(int* index) { return *index = 0, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int index) {
  if (index != 0) return note(cudaErrorInvalidDevice);
  *properties = {};
  std::strcpy(properties->name, "simulated GPU");
  properties->major = major;
  properties->multiProcessorCount = multiprocessors;
  properties->l2CacheSize = l2_bytes;
  properties->totalGlobalMem = memory_bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrL2CacheSize: *value = l2_bytes; return cudaSuccess;
    case cudaDevAttrMultiProcessorCount: *value = multiprocessors; return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = opt_in_shared_bytes; return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor: *value = major; return cudaSuccess;
    default: return note(cudaErrorInvalidValue);
  }
}
cudaError_t cudaDeviceSynchronize() { return finish_default_stream(), cudaSuccess; }

cudaError_t cudaMalloc(void** data, std::size_t bytes) {
  the_gpu().note_queued();
  *data = bytes > 0 ? the_gpu().heap().allocate(bytes) : nullptr;
  if (bytes > 0 && !*data) return note(cudaErrorMemoryAllocation);
  if (auto* observer = the_gpu().observer(); observer && *data) observer->allocated(*data, bytes);
  return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
  if (!data) return cudaSuccess;
  the_gpu().note_queued();
  finish_default_stream();
  const auto range = the_gpu().heap().at_or_before(data);
  if (!the_gpu().heap().release(data)) return note(cudaErrorInvalidValue);
  if (auto* observer = the_gpu().observer(); observer && range) observer->released(data, range->bytes);
  return cudaSuccess;
}
cudaError_t cudaHostAlloc(void** data, std::size_t bytes, unsigned) {
  constexpr std::size_t page = 4096;
  *data = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  return *data ? cudaSuccess : note(cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void* data) { return std::free(data), cudaSuccess; }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  the_gpu().note_queued();
  if (kind == cudaMemcpyHostToDevice) {
    const auto* const first = static_cast<const std::byte*>(from);
    return do_later({to, 0, bytes, {first, first + bytes}}), cudaSuccess;
  }
  finish_default_stream();
  return std::memcpy(to, from, bytes), cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  finish_what_it_waits_for(stream);
  return copy_rows(to, bytes, from, bytes, bytes, 1);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                         std::size_t rows, cudaMemcpyKind) {
  finish_default_stream();
  return copy_rows(to, to_pitch, from, from_pitch, bytes, rows);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t bytes,
                              std::size_t rows, cudaMemcpyKind, cudaStream_t stream) {
  finish_what_it_waits_for(stream);
  return copy_rows(to, to_pitch, from, from_pitch, bytes, rows);
}
cudaError_t cudaMemset(void* data, int value, std::size_t bytes) {
  the_gpu().note_queued();
  return do_later({data, value, bytes, {}}), cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* data, int value, std::size_t bytes, cudaStream_t stream) {
  the_gpu().note_queued();
  finish_what_it_waits_for(stream);
  return std::memset(data, value, bytes), cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return *stream = new CUstream_st{(flags & cudaStreamNonBlocking) == 0}, cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return delete stream, cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return finish_what_it_waits_for(stream), cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return *event = new CUevent_st, cudaSuccess; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return delete event, cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  finish_what_it_waits_for(stream);
  return event->moment = std::chrono::steady_clock::now(), cudaSuccess;
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  *milliseconds = std::chrono::duration<float, std::milli>(to->moment - from->moment).count();
  return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel) {
  *attributes = {.sharedSizeBytes = 0,
                 .maxDynamicSharedSizeBytes = static_cast<int>(the_gpu().allowed_shared(kernel)),
                 .ptxVersion = 10 * major};
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute, int value) {
  if (value < 0 || value > opt_in_shared_bytes) return note(cudaErrorInvalidValue);
  the_gpu().allow_shared(kernel, static_cast<std::size_t>(value));
  return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                             cudaStream_t stream) {
  return launch({kernel, grid, block, shared_bytes}, arguments, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared_bytes, cudaStream_t stream) {
  return launch({kernel, grid, block, shared_bytes, true}, arguments, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments) {
  const bool dependent = config->numAttrs > 0 && config->attrs->val.programmaticStreamSerializationAllowed != 0;
  return launch({kernel, config->gridDim, config->blockDim, config->dynamicSmemBytes, false, dependent}, arguments,
                config->stream);
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height,
                            unsigned) {
  *array = reinterpret_cast<cudaArray_t>(new SurfaceMemory(width, height, static_cast<std::size_t>(format->bytes)));
  return cudaSuccess;
}
cudaError_t cudaFreeArray(cudaArray_t array) { return delete reinterpret_cast<SurfaceMemory*>(array), cudaSuccess; }
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_t array, std::size_t x, std::size_t y,
                                  std::size_t bytes, std::size_t rows, cudaMemcpyKind) {
  finish_default_stream();
  auto& memory = *reinterpret_cast<SurfaceMemory*>(array);
  return copy_rows(to, pitch, memory.at(x, y), memory.row_bytes(), bytes, rows);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t array, std::size_t x, std::size_t y, const void* from, std::size_t pitch,
                                std::size_t bytes, std::size_t rows, cudaMemcpyKind) {
  finish_default_stream();
  auto& memory = *reinterpret_cast<SurfaceMemory*>(array);
  return copy_rows(memory.at(x, y), memory.row_bytes(), from, pitch, bytes, rows);
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
  return *surface = reinterpret_cast<cudaSurfaceObject_t>(resource->res.array.array), cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return cudaSuccess; }
