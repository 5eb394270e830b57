// Hover: the pixel under the mouse, and the box of the effect around it: which values of the picture are asked for, what of them is
// known, and the words for it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "app/capture/capture.h"
#include "app/control/selection.h"
#include "app/gl/view.h"
#include "app/pipeline/pixel_probe.h"

namespace app {

// What is known of a pixel: from a GPU values arrive some frames later.
struct PixelFigures {
  PixelPosition at;
  std::optional<gpu::Rgba> shown;          // in the picture
  std::optional<int> gray;                 // before the effect
  std::optional<std::uint32_t> sum;        // the table's entry
  std::vector<std::uint16_t> values = {};  // the source's own where it has 16 bits: gray, or red, green, blue
};
// `frame`: that the picture is of; may be null.
PixelFigures figures_of(PixelPosition at, const ProbedPixels& pixels, const capture::Frame* frame);

class Hover {
 public:
  struct Box {
    RectangleSum sum;
    PixelFigures pixel;
  };

  // Once per frame that is drawn. Asks for the corners of the box that the effect of `in_use` reads around a pixel; of one that
  // reads none it is that pixel.
  void point_at(PixelPosition mouse, const Selection& in_use, gpu::Size picture, gpu::PixelPlaces& places);
  void clear();  // the mouse is elsewhere
  // What has arrived.
  void take(const ProbedPixels& pixels, gpu::Size picture, const capture::Frame* frame);
  // All of it of one frame; null: nothing is known.
  const Box* box() const { return box_ ? &*box_ : nullptr; }

 private:
  struct Pointed {
    PixelPosition at;
    PixelBox box;
    friend bool operator==(const Pointed&, const Pointed&) = default;
  };
  std::deque<Pointed> pointed_;  // lately, the latest last
  std::optional<Box> box_;
};

// The pieces of the line about a box, the most important first: the box, its sum, and what else is known of the pixel.
struct HoverWords {
  std::string text;
  std::optional<gpu::Rgba> sample = {};  // a colour that is shown before them
};
std::vector<HoverWords> words_of(const Hover::Box& box);

}  // namespace app
