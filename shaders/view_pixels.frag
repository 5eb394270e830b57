#version 330 core
// Pixels as squares; with a grid from a scale of 8.
uniform sampler2D picture;
uniform float scale;  // screen pixels per image pixel
uniform float gain;   // of the levels
in vec2 position;
out vec4 colour;

const float grid_from = 8.0;

void main() {
  ivec2 pixel = clamp(ivec2(floor(position)), ivec2(0), textureSize(picture, 0) - 1);
  vec3 value = min(texelFetch(picture, pixel, 0).rgb * gain, 1.0);
  colour = vec4(value, 1.0);
  if (scale < grid_from) return;

  vec2 inside = (position - vec2(pixel)) * scale;  // screen pixels from the corner of the square
  vec3 contrast = vec3(dot(value, vec3(0.299, 0.587, 0.114)) > 0.45 ? 0.0 : 1.0);
  if (inside.x < 1.0 || inside.y < 1.0)
    colour.rgb = mix(value, contrast, clamp((scale - grid_from) / 40.0, 0.0, 0.15) + 0.1);
}
