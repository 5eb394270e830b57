// Program: a linked pair of shaders, and its uniforms by name.
#pragma once

#include <glad/gl.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "app/gl/gl_object.h"

namespace app::gl {

// what() names the shader and the line, with the driver's message and the text of that line.
class ShaderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ShaderSource {
  std::string_view name;  // its file, for messages: "view.frag"
  std::string_view text;
};

class Program {
 public:
  // Throws ShaderError.
  Program(ShaderSource vertex, ShaderSource fragment);

  void use() const { glUseProgram(program_.id()); }
  // Call after use(). They do nothing if the linker removed the uniform because nothing reads it.
  void set(const char* uniform, int value) const { glUniform1i(location(uniform), value); }
  void set(const char* uniform, float value) const { glUniform1f(location(uniform), value); }
  void set(const char* uniform, float x, float y) const { glUniform2f(location(uniform), x, y); }

 private:
  struct ProgramKind {
    static GLuint create() { return glCreateProgram(); }
    static void remove(GLuint id) { glDeleteProgram(id); }
  };
  GLint location(const char* uniform) const { return glGetUniformLocation(program_.id(), uniform); }

  Object<ProgramKind> program_;
};

}  // namespace app::gl
