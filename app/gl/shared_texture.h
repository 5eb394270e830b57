// SharedTexture: the RGBA8 texture that shows the pipeline's picture. With CUDA there are two, or up to four where annotations
// arrive later than their picture: an effect draws on one of them while OpenGL shows another. Each is registered once per size,
// mapped for the effect and unmapped before anything is drawn (OpenGL must not use a mapped resource). If interop does not
// work, pixels pass through host memory instead: the staged path. On the host they are already there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/control/settings.h"
#include "app/pipeline/picture.h"
#include "gpu/context.h"
#include "gpu/image.h"

namespace app::gl {

// Whether CUDA can write into textures of this OpenGL context.
struct Interop {
  bool works = false;
  int cuda_device = 0;  // the GPU that draws (cudaGLGetDevices), if any
  std::string reason;   // why not, one line; empty if it works
  bool draws = false;   // cuda_device is known to draw, whether or not interop works
};
// Queries the GPU of the current OpenGL context, and tests interop with a 16x16 round trip. Clears all errors.
Interop probe_interop();

class SharedTexture {
 public:
  // `interop`: whether to map. A later failure to register or map disables it, with the reason.
  SharedTexture(bool interop, std::string reason_if_not);
  ~SharedTexture();

  // The surface of a texture that is not shown, for the next picture, of this size: a PictureSurface. Nothing on the staged
  // path, or where OpenGL has no such texture. Does not throw.
  std::optional<cudaSurfaceObject_t> surface(gpu::Context& context, gpu::Size size);
  // Shows the picture that was drawn on that surface last, of this size, as show() does. False where there is none, or it cannot
  // be shown: then show() is to copy it.
  bool show_surface(gpu::Size size, const PictureAnnotations& annotations = {});

  // Queues the copy of `picture` (on context.device()) into the texture, timed as "copy to texture". On the staged CUDA path
  // the texture shows it one or two frames later, as soon as it has arrived; nothing waits. If it throws (GlError: larger
  // than OpenGL's textures; CudaError), the texture keeps the previous picture. `annotations`: of the picture, which is
  // shown when they have arrived. With interop, a wipe is drawn on a surface() instead, timed as "compose".
  void show(gpu::Context& context, const PicturePixels& picture, const PictureAnnotations& annotations = {});

  // GL_TEXTURE_2D; 0 before the first picture. Call once per frame: it takes over what has arrived, so that the texture may
  // be another one than before. Does not throw: what fails costs the picture that has arrived.
  unsigned texture();
  std::string take_error();  // of OpenGL, for which texture() lost a picture, one line, once; else empty
  gpu::Size size() const;    // of the picture in the texture
  std::span<const gpu::Annotation> annotations() const;  // likewise
  bool interop() const;
  const std::string& reason() const;  // why staged; empty with interop
  void flush();                       // waits until the newest picture is in the texture (screenshots)

 private:
  struct State;
  bool show_by_interop(gpu::Context& context, const PicturePixels& picture, const PictureAnnotations& annotations);
  std::unique_ptr<State> state_;
};

}  // namespace app::gl
