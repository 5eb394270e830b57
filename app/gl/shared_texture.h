// SharedTexture: the RGBA8 texture that shows the pipeline's picture. On CUDA it is registered once per size, mapped
// for the copy and unmapped before anything is drawn (OpenGL may not touch a mapped resource). Where interop does not
// work, pixels pass through host memory instead: the staged path. On the host they are there already.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "app/control/settings.h"
#include "gpu/annotation.h"
#include "gpu/context.h"
#include "gpu/image.h"

namespace app::gl {

// Can CUDA write into this OpenGL context's textures?
struct Interop {
  bool works = false;
  int cuda_device = 0;   // the GPU that draws (cudaGLGetDevices), where there is one
  std::string reason;    // why not, one line; empty where it works
};
// Asks the current OpenGL context for its GPU, and proves interop by a 16x16 round trip. Leaves no error behind.
Interop probe_interop();

class SharedTexture {
 public:
  // `interop`: whether to map. A later failure to register or map turns it off, with the reason.
  SharedTexture(bool interop, std::string reason_if_not);
  ~SharedTexture();

  // Queues the copy of `picture` (on context.device()) into the texture, timed as "copy to texture". On the staged CUDA
  // path the texture shows it one or two frames later, as soon as it has arrived; nothing waits. Where it throws
  // (GlError: larger than OpenGL's textures; CudaError), the texture keeps the picture before. `annotations`: of the picture.
  void show(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture,
            std::span<const gpu::Annotation> annotations = {});

  // GL_TEXTURE_2D, 0 before the first picture. Once a frame: on the staged path it takes in what has arrived.
  unsigned texture();
  gpu::Size size() const;       // of what the texture holds
  std::span<const gpu::Annotation> annotations() const;  // likewise
  bool interop() const;
  const std::string& reason() const;  // why staged; empty with interop
  void flush();                 // staged CUDA path: waits until the newest picture is in the texture (screenshots)

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace app::gl
