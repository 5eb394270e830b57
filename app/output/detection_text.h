// Detections as text, picture by picture: a table to read, CSV, or JSON. app/README.md (Detection) has the columns.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/image.h"
#include "gpu/pictures/annotation.h"
#include "gpu/vision/grouping.h"

namespace app {

struct SearchedPicture {
  std::string source;       // as the user named it
  std::uint64_t frame = 0;  // of the source, from 0
  std::string_view device;
  std::vector<gpu::vision::Detection> detections;
  double read_us = 0, gray_us = 0, detection_us = 0;
  double total_us() const { return read_us + gray_us + detection_us; }
};

// `lines`: JSON, an object per line. `json`: the same as one array.
enum class DetectionForm { table, csv, lines, json };

class DetectionText {
 public:
  // `sources`: all of the run, whose names need room in a table.
  DetectionText(DetectionForm form, std::span<const std::string> sources);

  // Whole lines, before the first picture's with the head.
  std::string add(const SearchedPicture& picture);
  std::string end() const;  // what follows the last picture, and is all where there is none; mostly nothing

 private:
  std::string table_rows(const SearchedPicture& picture) const;

  DetectionForm form_;
  std::size_t name_width_ = 0;
  bool begun_ = false;
};

// Annotations as JSON, for programs: the picture's size, then one object per annotation, in pixels of the picture.
// {"size": [W, H], "annotations": [{"kind": "rectangle", "from": [x, y], "to": [x, y], "stroke": "#rrggbbaa",
//  "fill": "#rrggbbaa"}, {"kind": "label", ..., "text": "...", "value": 18}]}; what an annotation does not have is left out.
std::string annotations_json(gpu::Size size, std::span<const gpu::Annotation> annotations);

}  // namespace app
