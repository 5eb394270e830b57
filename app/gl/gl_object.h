// OpenGL: what the context is, errors, and move-only owners of objects: Texture, Buffer, VertexArray, Framebuffer, Renderbuffer,
// Program. Each of the former is made by create() and deleted with its owner, while its context must still be current.
#pragma once

#include <glad/gl.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace app::gl {

// Who provides an OpenGL context, and which version.
struct GlInfo {
  std::string vendor, renderer, version;
  bool software = false;  // llvmpipe, softpipe, swrast
};

GlInfo describe_context();  // the current one

// Errors: one function, called after a group of calls. If the context has KHR_debug, the message includes the driver's text.
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

// Kind has static create() -> GLuint and remove(GLuint).
template <class Kind>
class Object {
 public:
  Object() = default;  // none
  static Object create() {
    Object object;
    object.id_ = Kind::create();
    return object;
  }
  ~Object() {
    if (id_) Kind::remove(id_);
  }
  Object(Object&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  Object& operator=(Object&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }

  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

namespace detail {
struct TextureKind {
  static GLuint create() {
    GLuint id = 0;
    glGenTextures(1, &id);
    return id;
  }
  static void remove(GLuint id) { glDeleteTextures(1, &id); }
};
struct BufferKind {
  static GLuint create() {
    GLuint id = 0;
    glGenBuffers(1, &id);
    return id;
  }
  static void remove(GLuint id) { glDeleteBuffers(1, &id); }
};
struct VertexArrayKind {
  static GLuint create() {
    GLuint id = 0;
    glGenVertexArrays(1, &id);
    return id;
  }
  static void remove(GLuint id) { glDeleteVertexArrays(1, &id); }
};
struct FramebufferKind {
  static GLuint create() {
    GLuint id = 0;
    glGenFramebuffers(1, &id);
    return id;
  }
  static void remove(GLuint id) { glDeleteFramebuffers(1, &id); }
};
struct RenderbufferKind {
  static GLuint create() {
    GLuint id = 0;
    glGenRenderbuffers(1, &id);
    return id;
  }
  static void remove(GLuint id) { glDeleteRenderbuffers(1, &id); }
};
}  // namespace detail

using Texture = Object<detail::TextureKind>;
using Buffer = Object<detail::BufferKind>;
using VertexArray = Object<detail::VertexArrayKind>;
using Framebuffer = Object<detail::FramebufferKind>;
using Renderbuffer = Object<detail::RenderbufferKind>;

// what() names the shader and the line, with the driver's message and the text of that line.
class ShaderError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ShaderSource {
  std::string_view name;  // its file, for messages: "view.frag"
  std::string_view text;
};

// A linked pair of shaders, and its uniforms by name.
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
