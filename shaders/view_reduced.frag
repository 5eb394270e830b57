#version 330 core
// The picture, reduced: the average of a regular grid of linear lookups over the image pixels that this screen pixel covers.
uniform sampler2D picture;
uniform float scale;  // screen pixels per image pixel
uniform int lookups;  // per side
in vec2 position;
out vec4 colour;

void main() {
  vec2 size = vec2(textureSize(picture, 0));
  float apart = 1.0 / (scale * float(lookups));  // image pixels between two lookups
  vec2 corner = position - 0.5 * apart * float(lookups - 1);
  vec3 sum = vec3(0.0);
  for (int y = 0; y < lookups; ++y)
    for (int x = 0; x < lookups; ++x) sum += texture(picture, (corner + apart * vec2(x, y)) / size).rgb;
  colour = vec4(sum / float(lookups * lookups), 1.0);
}
