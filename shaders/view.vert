#version 330 core
// The visible part of the picture: a rectangle between two corners, made from the vertex number.
uniform vec2 framebuffer;                // size in pixels
uniform vec2 screen_first, screen_last;  // corners on the screen, pixels from the top left
uniform vec2 image_first, image_last;    // the same corners in the picture
out vec2 position;                       // in the picture; the centre of its first pixel is (0.5, 0.5)

void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  position = mix(image_first, image_last, corner);
  vec2 screen = mix(screen_first, screen_last, corner) / framebuffer;
  gl_Position = vec4(screen.x * 2.0 - 1.0, 1.0 - screen.y * 2.0, 0.0, 1.0);
}
