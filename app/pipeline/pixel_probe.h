// PixelProbe: values of a few pixels of the picture shown, on the host: those under the mouse, of a rectangle's corners, in
// the cells of an enlarged picture. Where pictures are in host memory they are read at once; a GPU gathers them, and they
// arrive some frames later. Nobody waits, and nothing is read back unless pixels are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "gpu/image.h"
#include "gpu/pictures/pixel_values.h"

namespace app {

class Pipeline;

struct ProbedPixels {
  gpu::Size picture;
  gpu::PixelPlaces places;
  std::vector<gpu::PixelValues> values;  // places.count() of them; none before the first

  const gpu::PixelValues* at(int x, int y) const;  // null if that pixel is not among them
};

class PixelProbe {
 public:
  PixelProbe();
  ~PixelProbe();  // waits for what is under way

  // Asks for the pixels `wanted` of the last picture, the number `number` in this run; places outside the picture are left out.
  // Once per frame that is drawn. Asks a GPU only for what has not been asked before, and not while two read-backs are under
  // way; the picture is drawn into memory for it, if it is not there. True: of the next picture, memory is needed too, so that
  // it need not be drawn twice. Throws CudaError, std::bad_alloc.
  bool update(Pipeline& pipeline, std::uint64_t number, const gpu::PixelPlaces& wanted);
  void wait();   // until all that was asked for has arrived (screenshots)
  void clear();  // nothing is asked for, or the GPU failed

  const ProbedPixels& pixels() const { return arrived_; }

 private:
  struct OnGpu;

  void take_arrived();

  ProbedPixels arrived_;
  gpu::PixelPlaces asked_;
  std::uint64_t asked_number_ = 0;
  const void* asked_of_ = nullptr;
  std::unique_ptr<OnGpu> on_gpu_;  // null until a GPU is asked
};

// RectangleSum: the sum of a rectangle by its four entries in the table, as Crow (1984) works it out:
//     sum = D - B - C + A
// D is the entry of the last pixel inside, B of the one above the right end, C of the one left of the lower end, A of the
// one above and to the left. Entries are modulo 2^32. So the sum of a large rectangle is added up from strips that each have a
// sum below 2^32.

// The part of `box` in the picture; nothing if there is none.
std::optional<PixelBox> inside_picture(const PixelBox& box, gpu::Size picture);

struct RectangleCorner {
  char letter;
  int x, y;  // of the entry
  bool outside() const { return x < 0 || y < 0; }
  bool is_added() const { return is_added(letter); }  // to the sum; else it is subtracted
  static bool is_added(char letter) { return letter == 'A' || letter == 'D'; }
  std::optional<std::uint32_t> entry{};  // 0 outside; nothing until it is known
};
// A, B, C, D of a box that lies in the picture, without entries.
std::array<RectangleCorner, 4> corners_of(const PixelBox& box);
// The corners inside the picture are asked for, and those of the strips.
void ask_for_corners(const PixelBox& box, gpu::PixelPlaces& places);

struct RectangleSum {
  PixelBox box;  // the part in the picture
  bool clipped = false;
  bool of_original = false;  // the picture shows something else: the text says so
  std::array<RectangleCorner, 4> corners;
  bool known = false;      // all entries are; else what follows is 0
  std::int64_t plain = 0;  // in whole numbers: below 0 or above 2^32 - 1 where entries have wrapped around
  std::uint64_t sum = 0;   // as it is
  double mean = 0;

  bool wraps() const { return known && plain != static_cast<std::int64_t>(sum); }
};
std::optional<RectangleSum> rectangle_sum(const PixelBox& box, gpu::Size picture, const ProbedPixels& pixels);

// "D - B - C + A", or of its `values` "154 - 74 - 63 + 36", in pieces: terms, and between them signs with spaces around them.
// `ascii`: for a font without a minus sign and thin spaces between thousands.
struct FormulaPart {
  std::string text;
  char letter = 0;  // of the entry; 0: a sign
};
std::vector<FormulaPart> formula_parts(const std::array<RectangleCorner, 4>& corners, bool values, bool ascii = false);

// What is written beside the rectangle, a line each. `flat`: in fewer and longer lines.
std::vector<std::string> text_of(const RectangleSum& sum, bool flat = false);

// "table(3, 2)"
std::string cell_name(const char* grid, int x, int y);
// How an entry of the table comes from its neighbours, which are among the pixels:
// "table(3, 2) = 5 + 12 + 8 - 3 = 22    the sum of 12 pixels"; empty: it is not among them itself.
std::string text_of_addition(const ProbedPixels& pixels, int x, int y);

}  // namespace app
