// What every render target does with a context that it has just made current: load OpenGL's functions, look at what it
// is, and set what the rest of the program relies on.
#pragma once

#include <glad/gl.h>

#include <string>

#include "app/display/render_target.h"

namespace app::gl {

// Throws SurfaceError(opengl_too_old) below 3.3, naming what was found and the next step.
GlInfo start_context(GLADloadfunc get_proc_address);

// The sentence for an OpenGL older than 3.3.
SurfaceError too_old(const std::string& found);

}  // namespace app::gl
