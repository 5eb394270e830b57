#include "app/gl/interop.h"

#include <glad/gl.h>

#include <cuda_gl_interop.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "app/gl/context_info.h"
#include "app/gl/gl_error.h"
#include "app/gl/shared_texture.h"
#include "gpu/device.h"
#include "gpu/memory.h"

namespace app::gl {

MappedTexture::MappedTexture(const PictureTexture& texture) {
  gpu::check(
      cudaGraphicsGLRegisterImage(&resource_, texture.id(), GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
}

MappedTexture::~MappedTexture() {
  if (mapped_on_) cudaGraphicsUnmapResources(1, &resource_, *mapped_on_);
  if (surface_) cudaDeviceSynchronize();  // work that is queued may write to it
  surface_.reset();
  cudaGraphicsUnregisterResource(resource_);
  cudaGetLastError();  // of any of these: the GPU may be lost
}

cudaSurfaceObject_t MappedTexture::map(cudaStream_t stream) {
  if (mapped_on_ == stream && surface_) return surface_->object();
  if (mapped_on_) unmap();
  gpu::check(cudaGraphicsMapResources(1, &resource_, stream));
  mapped_on_ = stream;
  cudaArray_t array = nullptr;
  gpu::check(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0));
  // In practice every mapping returns the same array, but this is not guaranteed.
  if (!surface_ || surface_->array() != array) surface_.emplace(array);
  return surface_->object();
}

void MappedTexture::unmap() {
  if (const auto stream = std::exchange(mapped_on_, std::nullopt))
    gpu::check(cudaGraphicsUnmapResources(1, &resource_, *stream));
}

void MappedTexture::copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  map(context.stream());  // not within the timed call: it may wait for OpenGL
  try {
    gpu::copy_to_surface(context, "copy to texture", picture, *surface_);
  } catch (...) {
    unmap();
    throw;
  }
  unmap();
}

// probe_interop(): tests whether CUDA can write into textures of the current OpenGL context.

namespace {

constexpr int side = 16;
using Pattern = std::array<gpu::Rgba, side * side>;

Pattern make_pattern() {
  Pattern pattern{};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      pattern[static_cast<std::size_t>(y * side + x)] = {
          static_cast<std::uint8_t>(x * 16), static_cast<std::uint8_t>(y * 16), static_cast<std::uint8_t>(x ^ y), 255};
  return pattern;
}

// Writes the pattern with CUDA and reads it back with OpenGL.
bool round_trip() {
  const PictureTexture texture({side, side});
  const Pattern pattern = make_pattern();
  gpu::Buffer<gpu::Rgba> on_gpu(pattern.size(), gpu::Device::cuda);
  gpu::check(cudaMemcpy(on_gpu.data(), pattern.data(), sizeof pattern, cudaMemcpyHostToDevice));
  gpu::Context context = gpu::Context::on_stream(cudaStreamPerThread, {});
  MappedTexture(texture).copy(context, {on_gpu.data(), side, side, side});
  gpu::check(cudaStreamSynchronize(cudaStreamPerThread));
  Pattern seen{};
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
  check();
  return std::equal(pattern.begin(), pattern.end(), seen.begin(),
                    [](gpu::Rgba a, gpu::Rgba b) { return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a; });
}

// The CUDA device that also draws, or the reason why there is none.
Interop find_device(const gpu::GpuInfo& gpu) {
  const GlInfo gl = describe_context();
  const Interop elsewhere{false, gpu.index, "OpenGL draws on " + gl.renderer + ", CUDA computes on " + gpu.name};
  // Only NVIDIA's driver is sure to support the query.
  if (gl.vendor.find("NVIDIA") == gl.vendor.npos) return elsewhere;
  unsigned count = 0;
  int device = gpu.index;
  const cudaError_t code = cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll);
  if (code != cudaSuccess) {
    cudaGetLastError();
    if (code == cudaErrorNoDevice) return elsewhere;
    return {false, gpu.index, std::string("cudaGLGetDevices: ") + cudaGetErrorName(code) + ": " + cudaGetErrorString(code)};
  }
  if (count == 0) return elsewhere;
  return {true, device, ""};
}

}  // namespace

Interop probe_interop() {
  const gpu::GpuProbe probe = gpu::probe_gpu();
  if (!probe.gpu) return {false, 0, probe.reason};
  Interop interop = find_device(*probe.gpu);
  if (!interop.works) return interop;
  int device_before = 0;
  cudaGetDevice(&device_before);
  try {
    gpu::check(cudaSetDevice(interop.cuda_device));
    if (!round_trip()) interop = {false, interop.cuda_device, "OpenGL does not see what CUDA writes into a texture"};
  } catch (const std::exception& error) {
    interop = {false, interop.cuda_device, error.what()};
    clear_errors();
    cudaGetLastError();
  }
  cudaSetDevice(device_before);
  return interop;
}

}  // namespace app::gl
