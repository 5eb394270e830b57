#version 330 core
// The picture, interpolated: one linear lookup per screen pixel. A program of its own, because software renderers run both
// sides of a branch.
uniform sampler2D picture;
uniform float gain;  // of the levels
in vec2 position;
out vec4 colour;

void main() { colour = vec4(texture(picture, position / vec2(textureSize(picture, 0))).rgb * gain, 1.0); }
