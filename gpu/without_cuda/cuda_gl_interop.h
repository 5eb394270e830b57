// CUDA's interoperation with OpenGL for a build without the CUDA Toolkit: there is none.
#pragma once

#include <cuda_runtime_api.h>

enum cudaGLDeviceList { cudaGLDeviceListAll = 1 };
enum : unsigned { cudaGraphicsRegisterFlagsSurfaceLoadStore = 4 };

cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned most, cudaGLDeviceList);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t*, unsigned texture, unsigned target, unsigned flags);
cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
cudaError_t cudaGraphicsMapResources(int count, cudaGraphicsResource_t*, cudaStream_t = nullptr);
cudaError_t cudaGraphicsUnmapResources(int count, cudaGraphicsResource_t*, cudaStream_t = nullptr);
cudaError_t cudaGraphicsSubResourceGetMappedArray(cudaArray_t*, cudaGraphicsResource_t, unsigned index, unsigned level);
