// Move-only owners of OpenGL objects: Texture, Buffer, VertexArray, Framebuffer, Renderbuffer. Each is made by create()
// and deleted with its owner, while its context must still be current.
#pragma once

#include <glad/gl.h>

#include <utility>

namespace app::gl {

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

}  // namespace app::gl
