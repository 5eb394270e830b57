// For render targets, after they have made a new context current: loads OpenGL's functions, checks the version, and sets
// the state on which the rest of the program relies.
#pragma once

#include <glad/gl.h>

#include <string>

#include "app/display/render_target.h"

namespace app::gl {

// Throws RenderTargetError(opengl_too_old) below 3.3, which names the version and the next step.
GlInfo start_context(GLADloadfunc get_proc_address);

// The error for an OpenGL older than 3.3.
RenderTargetError too_old(const std::string& found);

}  // namespace app::gl
