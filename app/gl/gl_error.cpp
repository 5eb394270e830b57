#include "app/gl/gl_error.h"

#include <array>

namespace app::gl {
namespace {

std::string name_of(GLenum code) {
  switch (code) {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    default: return "OpenGL error " + std::to_string(code);
  }
}

// A lost context reports errors forever: loops need a limit.
constexpr int max_errors = 16;

// The oldest message of the driver's log, or an empty one.
std::string take_message() {
  if (!GLAD_GL_KHR_debug) return {};
  std::array<char, 4096> text{};  // a longer message would never leave the log
  if (glGetDebugMessageLog(1, text.size(), nullptr, nullptr, nullptr, nullptr, nullptr, text.data()) == 0) return {};
  return text.data();
}

void drop_messages() {
  for (int i = 0; i < max_errors && !take_message().empty(); ++i) {}
}

}  // namespace

void check(std::source_location where) {
  const GLenum code = glGetError();
  if (code == GL_NO_ERROR) return;
  const auto message = take_message();
  clear_errors();
  // The path relative to the repository's root, for every build folder.
  std::string file = where.file_name();
  if (const auto start = file.rfind("app/"); start != std::string::npos) file.erase(0, start);
  throw GlError(code,
                file + ":" + std::to_string(where.line()) + ": " + name_of(code) + (message.empty() ? "" : ": " + message));
}

void clear_errors() {
  for (int i = 0; i < max_errors && glGetError() != GL_NO_ERROR; ++i) {}
  drop_messages();
}

void keep_error_messages() {
  if (!GLAD_GL_KHR_debug) return;
  glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, nullptr, GL_FALSE);
  glDebugMessageControl(GL_DONT_CARE, GL_DEBUG_TYPE_ERROR, GL_DONT_CARE, 0, nullptr, GL_TRUE);
  glEnable(GL_DEBUG_OUTPUT);
  clear_errors();
}

}  // namespace app::gl
