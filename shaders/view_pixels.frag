#version 330 core
// Pixels as squares; with a grid from a scale of 8, and with their values in them from 40: one line if red, green and blue
// are equal, otherwise three.
uniform sampler2D picture;
uniform float scale;  // screen pixels per image pixel
in vec2 position;
out vec4 colour;

const float grid_from = 8.0, values_from = 40.0;

// Digits of 3 columns and 5 rows; the highest of 15 bits is the top left dot.
const int digits[10] = int[](0x7B6F, 0x2C97, 0x73E7, 0x73CF, 0x5BC9, 0x79CF, 0x79EF, 0x7249, 0x7BEF, 0x7BCF);

bool has_dot(int digit, ivec2 spot) { return ((digits[digit] >> (14 - spot.y * 3 - spot.x)) & 1) == 1; }

// Whether this dot belongs to a number, right-aligned in three digits. Digits are 4 dots apart.
bool ink(int number, ivec2 spot) {
  if (spot.x < 0 || spot.x >= 12 || spot.y < 0 || spot.y >= 5 || spot.x % 4 == 3) return false;
  int place = 2 - spot.x / 4;
  int power = place == 2 ? 100 : place == 1 ? 10 : 1;
  if (place > 0 && number < power) return false;  // no leading zeros
  return has_dot(number / power % 10, ivec2(spot.x % 4, spot.y));
}

bool ink_of_values(ivec3 value, vec2 inside) {
  bool gray = value.r == value.g && value.g == value.b;
  ivec2 text = gray ? ivec2(11, 5) : ivec2(11, 17);  // dots
  float dot_size = floor(scale / 20.0);
  ivec2 spot = ivec2(floor((inside - 0.5 * (scale - vec2(text) * dot_size)) / dot_size));
  if (gray) return ink(value.r, spot);
  int line = spot.y < 0 ? 3 : spot.y / 6;
  return line < 3 && ink(line == 0 ? value.r : line == 1 ? value.g : value.b, ivec2(spot.x, spot.y % 6));
}

void main() {
  ivec2 pixel = clamp(ivec2(floor(position)), ivec2(0), textureSize(picture, 0) - 1);
  vec3 value = texelFetch(picture, pixel, 0).rgb;
  colour = vec4(value, 1.0);
  if (scale < grid_from) return;

  vec2 inside = (position - vec2(pixel)) * scale;  // screen pixels from the corner of the square
  vec3 contrast = vec3(dot(value, vec3(0.299, 0.587, 0.114)) > 0.45 ? 0.0 : 1.0);
  if (inside.x < 1.0 || inside.y < 1.0)
    colour.rgb = mix(value, contrast, clamp((scale - grid_from) / 40.0, 0.0, 0.15) + 0.1);
  else if (scale >= values_from && ink_of_values(ivec3(round(value * 255.0)), inside))
    colour.rgb = mix(value, contrast, 0.85);
}
