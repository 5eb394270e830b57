#include "app/gl/gl_object.h"

#include <glad/gl.h>

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace app::gl {
namespace {

std::string string_of(GLenum name) {
  const auto* text = reinterpret_cast<const char*>(glGetString(name));
  return text ? text : "unknown";
}

bool is_software(std::string_view renderer) {
  constexpr std::array<std::string_view, 4> names = {"llvmpipe", "softpipe", "swrast", "Software Rasterizer"};
  for (const auto name : names)
    if (renderer.find(name) != renderer.npos) return true;
  return false;
}

}  // namespace

GlInfo describe_context() {
  GlInfo info{string_of(GL_VENDOR), string_of(GL_RENDERER), string_of(GL_VERSION), false};
  info.software = is_software(info.renderer);
  return info;
}

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

namespace {

class Shader {
 public:
  explicit Shader(GLenum stage) : id_(glCreateShader(stage)) {}
  ~Shader() { glDeleteShader(id_); }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;
  GLuint id() const { return id_; }

 private:
  GLuint id_;
};

std::string without_trailing_space(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

std::string log_of_shader(GLuint id) {
  GLint length = 0;
  glGetShaderiv(id, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length), '\0');
  if (length) glGetShaderInfoLog(id, length, nullptr, log.data());
  return without_trailing_space(log.c_str());
}

std::string log_of_program(GLuint id) {
  GLint length = 0;
  glGetProgramiv(id, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length), '\0');
  if (length) glGetProgramInfoLog(id, length, nullptr, log.data());
  return without_trailing_space(log.c_str());
}

// Compilers print "0:12(5): ..." (Mesa), "0(12) : ..." (NVIDIA) or "ERROR: 0:12: ..." (others): the number of the string,
// 0, then that of the line. 0 if the log names no line.
int line_in(std::string_view log) {
  for (std::size_t i = 0; i + 2 < log.size(); ++i) {
    const bool number_before = i > 0 && std::isalnum(static_cast<unsigned char>(log[i - 1]));
    if (number_before || log[i] != '0' || (log[i + 1] != ':' && log[i + 1] != '(')) continue;
    int line = 0;
    for (auto at = i + 2; at < log.size() && std::isdigit(static_cast<unsigned char>(log[at])); ++at)
      line = line * 10 + (log[at] - '0');
    return line;
  }
  return 0;
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1 && text.find('\n') != text.npos; --line) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

void compile(const Shader& shader, ShaderSource source) {
  const char* text = source.text.data();
  const auto length = static_cast<GLint>(source.text.size());
  glShaderSource(shader.id(), 1, &text, &length);
  glCompileShader(shader.id());
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &compiled);
  if (compiled) return;
  const auto log = log_of_shader(shader.id());
  const int line = line_in(log);
  std::string message = "shaders/" + std::string(source.name);
  if (line) message += ":" + std::to_string(line);
  message += ": " + log;
  if (line) message += "\n  " + std::string(line_of(source.text, line));
  throw ShaderError(message);
}

}  // namespace

Program::Program(ShaderSource vertex, ShaderSource fragment) : program_(Object<ProgramKind>::create()) {
  const Shader vertex_shader(GL_VERTEX_SHADER), fragment_shader(GL_FRAGMENT_SHADER);
  compile(vertex_shader, vertex);
  compile(fragment_shader, fragment);
  glAttachShader(program_.id(), vertex_shader.id());
  glAttachShader(program_.id(), fragment_shader.id());
  glLinkProgram(program_.id());
  glDetachShader(program_.id(), vertex_shader.id());
  glDetachShader(program_.id(), fragment_shader.id());
  GLint linked = GL_FALSE;
  glGetProgramiv(program_.id(), GL_LINK_STATUS, &linked);
  if (!linked)
    throw ShaderError("shaders/" + std::string(vertex.name) + " with shaders/" + std::string(fragment.name) + ": " +
                      log_of_program(program_.id()));
}

}  // namespace app::gl
