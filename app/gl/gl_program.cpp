#include "app/gl/gl_program.h"

#include <cctype>
#include <utility>

namespace app::gl {
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
