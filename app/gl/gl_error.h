// OpenGL error handling: one function, called after a group of calls. If the context has KHR_debug, the message includes
// the driver's text.
#pragma once

#include <glad/gl.h>

#include <source_location>
#include <stdexcept>
#include <string>

namespace app::gl {

// what() reads "app/gl/upload.cpp:31: GL_OUT_OF_MEMORY: <the driver's text>".
class GlError : public std::runtime_error {
 public:
  GlError(GLenum code, const std::string& message) : std::runtime_error(message), code_(code) {}
  GLenum code() const { return code_; }

 private:
  GLenum code_;
};

// Throws GlError if an error was raised since the last check, and clears it. Does not wait for the GPU.
void check(std::source_location where = std::source_location::current());

// Clears the errors of calls that were allowed to fail. Never throws.
void clear_errors();

// Makes the driver log its messages about errors, for check(). Once per context; does nothing without KHR_debug.
void keep_error_messages();

}  // namespace app::gl
