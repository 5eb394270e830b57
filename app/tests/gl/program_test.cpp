
#include "app/gl/gl_object.h"
#include "app/tests/display/offscreen_test.h"
#include "gpu/tests/refusal.h"

namespace app::gl {
namespace {

constexpr ShaderSource good_vertex = {"good.vert", "#version 330 core\nvoid main() { gl_Position = vec4(0.0); }\n"};
constexpr ShaderSource good_fragment = {"good.frag",
                                        "#version 330 core\nout vec4 colour;\nvoid main() { colour = vec4(1.0); }\n"};

class ProgramTest : public OffscreenTest {};

std::string error_of(ShaderSource vertex, ShaderSource fragment) {
  return gpu::test::refusal_of<ShaderError>([&] { Program(vertex, fragment); });
}

TEST_F(ProgramTest, GoodShadersLink) {
  const Program program(good_vertex, good_fragment);
  program.use();
  EXPECT_NO_THROW(check());
}

TEST_F(ProgramTest, ACompileErrorNamesTheShaderAndTheLine) {
  const auto message = error_of(
      good_vertex, {"bad.frag", "#version 330 core\nout vec4 colour;\nvoid main() {\n  colour = vec4(nowhere);\n}\n"});
  EXPECT_TRUE(message.starts_with("shaders/bad.frag:4: ")) << message;
  EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
  EXPECT_TRUE(message.ends_with("colour = vec4(nowhere);")) << message;
}

TEST_F(ProgramTest, ALinkErrorNamesBothShaders) {
  const auto message = error_of(
      {"gives.vert", "#version 330 core\nout vec2 value;\nvoid main() { value = vec2(1.0); gl_Position = vec4(0.0); }\n"},
      {"needs.frag", "#version 330 core\nin vec3 value;\nout vec4 colour;\nvoid main() { colour = vec4(value, 1.0); }\n"});
  EXPECT_TRUE(message.starts_with("shaders/gives.vert with shaders/needs.frag: ")) << message;
}

TEST_F(ProgramTest, AnOpenglErrorNamesItsSourceLineAndIsCleared) {
  glEnable(0xFFFF);
  try {
    check();
    FAIL() << "no error";
  } catch (const GlError& error) {
    EXPECT_EQ(error.code(), static_cast<GLenum>(GL_INVALID_ENUM));
    EXPECT_TRUE(std::string(error.what()).starts_with("app/tests/gl/program_test.cpp:")) << error.what();
    EXPECT_NE(std::string(error.what()).find("GL_INVALID_ENUM"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(check());
}

TEST_F(ProgramTest, OwnersMove) {
  Texture first = Texture::create();
  const auto id = first.id();
  Texture second = std::move(first);
  EXPECT_EQ(second.id(), id);
  first = std::move(second);
  EXPECT_EQ(first.id(), id);
  glBindTexture(GL_TEXTURE_2D, id);
  EXPECT_TRUE(glIsTexture(id));
  first = Texture();
  EXPECT_FALSE(glIsTexture(id));
}

}  // namespace
}  // namespace app::gl
