// CUDA's runtime API where there is no CUDA: no driver, no device, version 0 of the runtime.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>

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
