// A box filter drawn into an OpenGL texture, without a copy: opengl_box_filter PICTURE.pgm RESULT.ppm
//
// The program has an OpenGL context of its own, without a window; what counts for others is from "register" to "unregister". It
// needs an NVIDIA GPU, on which CUDA and OpenGL both run.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <satscope.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

// The first GPU that EGL names, for this thread.
void make_opengl_context() {
  const auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
  const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
  EGLDeviceEXT device{};
  EGLint count = 0;
  if (!query || !get || !query(1, &device, &count) || count < 1) throw std::runtime_error("EGL finds no device");
  const auto display = get(EGL_PLATFORM_DEVICE_EXT, device, nullptr);
  if (!eglInitialize(display, nullptr, nullptr) || !eglBindAPI(EGL_OPENGL_API))
    throw std::runtime_error("EGL could not be initialised");
  const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
  EGLConfig config{};
  if (!eglChooseConfig(display, wanted, &config, 1, &count) || count < 1)
    throw std::runtime_error("EGL does not offer OpenGL");
  const auto context = eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) throw std::runtime_error("no OpenGL context");
}

void run(const char* from, const char* to) {
  std::ifstream file(from, std::ios::binary);
  std::string kind;
  satscope::Size size;
  int most = 0;
  file >> kind >> size.width >> size.height >> most;
  if (!file || kind != "P5" || most != 255 || size.width < 1 || size.height < 1)
    throw std::runtime_error(std::string(from) + " is not a binary PGM file of 8 bits");
  file.get();
  const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
  std::vector<char> pixels(width * height);
  if (!file.read(pixels.data(), static_cast<std::streamsize>(pixels.size())))
    throw std::runtime_error(std::string(from) + " is truncated");

  make_opengl_context();
  unsigned count = 0;  // the GPU of the OpenGL context; the filter is made for the current one
  int gpu = 0;
  if (const auto code = cudaGLGetDevices(&count, &gpu, 1, cudaGLDeviceListAll); code != cudaSuccess || count == 0)
    throw std::runtime_error(std::string("OpenGL does not run on a CUDA GPU: ") + cudaGetErrorString(code));
  check(cudaSetDevice(gpu));
  satscope::Filter filter(size, satscope::Filter::gray, "box_blur", "window=31x31", {.device = satscope::cuda});
  GLuint texture = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);

  // Once per texture: register.
  cudaGraphicsResource_t shared{};
  check(cudaGraphicsGLRegisterImage(&shared, texture, GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
  void* image = nullptr;
  std::size_t pitch = 0;
  check(cudaMallocPitch(&image, &pitch, width, height));
  cudaStream_t stream{};
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  // Once per frame: map, draw, unmap.
  check(cudaMemcpy2DAsync(image, pitch, pixels.data(), width, width, height, cudaMemcpyHostToDevice, stream));
  check(cudaGraphicsMapResources(1, &shared, stream));
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  check(cudaGraphicsSubResourceGetMappedArray(&resource.res.array.array, shared, 0, 0));
  cudaSurfaceObject_t surface{};
  check(cudaCreateSurfaceObject(&surface, &resource));
  filter.draw(image, pitch, surface, stream);
  check(cudaGraphicsUnmapResources(1, &shared, stream));  // OpenGL's later calls come after the filter
  check(cudaDestroySurfaceObject(surface));

  check(cudaGraphicsUnregisterResource(shared));
  check(cudaStreamDestroy(stream));
  check(cudaFree(image));

  // Instead of showing it.
  std::vector<char> result(width * height * 3);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGB, GL_UNSIGNED_BYTE, result.data());
  std::ofstream out(to, std::ios::binary);
  out << "P6\n" << size.width << ' ' << size.height << "\n255\n";
  if (!out.write(result.data(), static_cast<std::streamsize>(result.size())).flush())
    throw std::runtime_error(std::string(to) + " cannot be written");
  std::printf("%dx%d pixels drawn into a texture\n", size.width, size.height);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return std::puts("usage: opengl_box_filter PICTURE.pgm RESULT.ppm"), 2;
  try {
    run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
