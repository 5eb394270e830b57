// CUDA's runtime API where there is no CUDA: no driver, no device, version 0 of the runtime. And what the kernels call: a build
// without CUDA needs their addresses and names, for dry replays, and starts none.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

#include "gpu/simulated/device_code.h"

namespace {

constexpr auto none = cudaErrorNoDevice;

}  // namespace

cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }

cudaError_t cudaDriverGetVersion(int* version) { return *version = 0, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 0, cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) { return *count = 0, none; }
cudaError_t cudaGetDevice(int*) { return none; }
cudaError_t cudaSetDevice(int) { return none; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp*, int) { return none; }
cudaError_t cudaDeviceGetAttribute(int*, cudaDeviceAttr, int) { return none; }
cudaError_t cudaDeviceSynchronize() { return none; }
cudaError_t cudaMemGetInfo(std::size_t*, std::size_t*) { return none; }

cudaError_t cudaMalloc(void**, std::size_t) { return none; }
cudaError_t cudaFree(void*) { return none; }
cudaError_t cudaHostAlloc(void**, std::size_t, unsigned) { return none; }
cudaError_t cudaFreeHost(void*) { return none; }
cudaError_t cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind) { return none; }
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t) { return none; }
cudaError_t cudaMemcpy2D(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind) {
  return none;
}
cudaError_t cudaMemcpy2DAsync(void*, std::size_t, const void*, std::size_t, std::size_t, std::size_t, cudaMemcpyKind,
                              cudaStream_t) {
  return none;
}
cudaError_t cudaMemset(void*, int, std::size_t) { return none; }
cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t) { return none; }
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*) { return none; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned) { return none; }
cudaError_t cudaStreamDestroy(cudaStream_t) { return none; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return none; }
cudaError_t cudaStreamQuery(cudaStream_t) { return none; }
cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned*) { return none; }
cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus*) { return none; }
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long*) { return none; }
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus*, unsigned long long*) { return none; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) { return none; }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode) { return none; }
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*) { return none; }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long) { return none; }
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return none; }
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t) { return none; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return none; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return none; }
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return none; }
cudaError_t cudaEventCreate(cudaEvent_t*) { return none; }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned) { return none; }
cudaError_t cudaEventDestroy(cudaEvent_t) { return none; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return none; }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) { return none; }
cudaError_t cudaEventQuery(cudaEvent_t) { return none; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return none; }
cudaError_t cudaEventElapsedTime(float*, cudaEvent_t, cudaEvent_t) { return none; }

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, const void*) { return none; }
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return none; }
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t) { return none; }
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return none; }
cudaError_t cudaLaunchCooperativeKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t) { return none; }

cudaError_t cudaMallocArray(cudaArray_t*, const cudaChannelFormatDesc*, std::size_t, std::size_t, unsigned) { return none; }
cudaError_t cudaFreeArray(cudaArray_t) { return none; }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t*, const cudaResourceDesc*) { return none; }
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t) { return none; }

cudaError_t cudaGLGetDevices(unsigned*, int*, unsigned, cudaGLDeviceList) { return none; }
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t*, unsigned, unsigned, unsigned) { return none; }
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t) { return none; }
cudaError_t cudaGraphicsMapResources(int, cudaGraphicsResource_t*, cudaStream_t) { return none; }
cudaError_t cudaGraphicsUnmapResources(int, cudaGraphicsResource_t*, cudaStream_t) { return none; }
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t, unsigned, unsigned) { return none; }

namespace gpu::simulated {

unsigned thread_x() { std::abort(); }
unsigned thread_y() { std::abort(); }
unsigned thread_z() { std::abort(); }
unsigned block_x() { std::abort(); }
unsigned block_y() { std::abort(); }
unsigned block_z() { std::abort(); }
unsigned block_extent_x() { std::abort(); }
unsigned block_extent_y() { std::abort(); }
unsigned block_extent_z() { std::abort(); }
unsigned grid_extent_x() { std::abort(); }
unsigned grid_extent_y() { std::abort(); }
unsigned grid_extent_z() { std::abort(); }
int lane() { std::abort(); }

void sync_threads(Source) { std::abort(); }
unsigned sync_threads_count(bool, Source) { std::abort(); }
void sync_warp(unsigned, Source) { std::abort(); }
unsigned ballot(unsigned, bool, Source) { std::abort(); }
std::uint64_t shuffle_bits(unsigned, std::uint64_t, int, Source) { std::abort(); }
LaneValues warp_exchange(unsigned, std::uint64_t, WarpExchange, Source) { std::abort(); }
unsigned warp_active(Source) { std::abort(); }
void add_product(std::uint32_t (&)[4], const std::uint32_t (&)[4], const std::uint32_t (&)[2], Source) { std::abort(); }
void let_others_run() { std::abort(); }
std::uint64_t nanoseconds() { std::abort(); }
std::uint32_t multiprocessor() { std::abort(); }
unsigned char* dynamic_shared_bytes() { std::abort(); }
void* static_shared_bytes(const void*, std::size_t, std::size_t) { std::abort(); }

std::uint64_t load_relaxed(const std::uint64_t*) { std::abort(); }
unsigned __int128 load_relaxed(const unsigned __int128*) { std::abort(); }
void store_relaxed(std::uint64_t*, std::uint64_t) { std::abort(); }
void store_relaxed(unsigned __int128*, unsigned __int128) { std::abort(); }
std::uint32_t atomic_change(std::uint32_t*, AtomicChange<std::uint32_t>) { std::abort(); }
std::uint64_t atomic_change(std::uint64_t*, AtomicChange<std::uint64_t>) { std::abort(); }
void fence() { std::abort(); }
void copy_async(void*, const void*, unsigned, unsigned) { std::abort(); }
void commit_async_copies() { std::abort(); }
void wait_for_async_copies(unsigned) { std::abort(); }
void require_aligned(const void*, unsigned) { std::abort(); }
void let_next_launch_start() { std::abort(); }
void wait_for_previous_launch() { std::abort(); }
void device_assert(const char* expression, const char* file, unsigned line, const char*) {
  std::fprintf(stderr, "%s:%u: assertion failed: %s\n", file, line, expression);
  std::abort();
}
void write_surface(unsigned long long, int, int, const void*, std::size_t) { std::abort(); }

}  // namespace gpu::simulated
