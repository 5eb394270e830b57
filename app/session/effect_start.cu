// Vertical edges: what is left of a pixel minus what is right of it, with zero in mid-gray.
//
// satscope compiles this file whenever it is saved, and draws every picture with it. Each box costs four reads of the table, however
// large it is: boxes.mean(around(x, y, 15, 15)) is the mean of 15 x 15 pixels, boxes.gray(x, y) a pixel itself.
#include <satscope_kernel.cuh>

// What is drawn at a pixel: a gray level, or Pixel(red, green, blue).
Pixel effect(Boxes boxes, int x, int y) {
  const int width = 8, height = 16;
  const int difference = boxes.pattern({
      {1, {x - width, y - height / 2, width, height}},
      {-1, {x, y - height / 2, width, height}},
  });
  return signed_pixel(difference, 64 * width * height);
}
