#version 330 core
// One triangle that covers the window; no vertex buffer is needed.
out vec2 screen;  // framebuffer pixels, y down, pixel centres at .5
uniform vec2 framebuffer;

void main() {
  vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  screen = vec2(corner.x + 1.0, 1.0 - corner.y) * 0.5 * framebuffer;
  gl_Position = vec4(corner, 0.0, 1.0);
}
