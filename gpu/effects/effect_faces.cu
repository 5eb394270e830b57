// faces: a rectangle around each face, or around whatever else a cascade of Haar-like features or of local binary patterns was trained
// for, and the number of windows that it stands for.
//
// Source: P. Viola, M. Jones, Rapid object detection using a boosted cascade of simple features, CVPR 2001; grouping and numbers as
// in OpenCV: gpu/vision/detector.h. `blurred` and `pixelated` hide what is inside the rectangles: the mean of a window around every
// pixel, or of a square, from the tables of the channels, so that its cost does not depend on the rectangle's size.
// `depth` colours each pixel by how many stages of the cascade the window passed that has its centre there.
//
// A rectangle has a colour, which it keeps while it overlaps itself from one frame to the next.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "gpu/effect.h"
#include "gpu/effects/colour_map.h"
#include "gpu/effects/face_list.h"
#include "gpu/effects/window_sums.h"
#include "gpu/parameter.h"
#include "gpu/pictures/for_each_pixel.cuh"
#include "gpu/vision/cascade_files.h"
#include "gpu/vision/detector.h"

namespace gpu::effects {
namespace {

using vision::Detector, vision::DetectorOptions;

constexpr std::string_view nothing_inside = "none";
constexpr int depth_tint = 160;                   // of 256, over the gray frame
constexpr int most_annotations = 2 * most_faces;  // a rectangle and a label for each detection

enum class Show { frame, blurred, pixelated, depth };

CascadeSearch search(const Arguments& arguments) {
  const bool depths = arguments.chosen<Show>("show") == Show::depth;
  const int level = depths ? arguments.integer("level") : 0;
  return {arguments.text("cascade"),
          {arguments.real("scale_factor"), arguments.size("min_size"), arguments.size("max_size")},
          level > 0 ? std::optional(level - 1) : std::nullopt,
          depths};
}

// What determines the detections.
struct Request {
  std::string cascade, inside;
  double scale_factor;
  int min_neighbors;
  Size min_size, max_size, frame;
  bool global_tables;
  bool depths;  // of the faces' windows
  friend bool operator==(const Request&, const Request&) = default;
};

// The windows of a level, and how many stages each passed, row by row.
struct DepthLevel {
  vision::WindowGrid grid;
  const std::uint8_t* depths;

  // The depth of the window whose centre is nearest; -1 if it is not visited (the first stage rejects the one to its left),
  // refused because its pixels have no deviation, or if there is none, and if it is no more than `least`.
  constexpr int above(int least, int x, int y) const {
    const int column = grid.column(x), row = grid.row(y);
    if (column < 0 || row < 0) return -1;
    const int depth = row_of(row)[column];
    if (depth <= least || depth == vision::refused_depth) return -1;
    return vision::is_visited(rejections_before(row_of(row), column)) ? depth : -1;
  }
  // The same for neighbouring pixels of row y, from x on, into those of `deepest` that are less.
  constexpr void raise(int x, int y, std::span<int> deepest) const {
    const int row = grid.row(y);
    if (row < 0) return;
    const auto* const of_row = row_of(row);
    int last = -1, depth = -1, rejections = 0;
    for (auto& here : deepest) {
      const int column = grid.column(x++);
      if (column != last) {
        if (last >= 0 && column == last + 1)
          rejections = of_row[last] == 0 ? rejections + 1 : 0;
        else if (column >= 0)
          rejections = rejections_before(of_row, column);
        const bool counts = column >= 0 && vision::is_visited(rejections) && of_row[column] != vision::refused_depth;
        depth = counts ? of_row[column] : -1;
        last = column;
      }
      here = depth > here ? depth : here;
    }
  }

 private:
  constexpr const std::uint8_t* row_of(int row) const { return depths + std::ptrdiff_t{row} * grid.across; }
  static constexpr int rejections_before(const std::uint8_t* of_row, int column) {
    return vision::rejections_before(column, [of_row](int i) { return of_row[i] == 0; });
  }
};

// Detectors for the request, and what is remembered of the last frame, which each run changes.
class Prepared {
 public:
  // On a dry context: what it takes to list launches.
  Prepared(Context& context, const Request& request, const Prepared* before)
      : request_(request), memory_(1, context.is_dry() ? Device::host : context.device()) {
    DetectorOptions options;
    options.levels = {request.scale_factor, request.min_size, request.max_size};
    options.global_tables = request.global_tables;
    options.depths = request.depths;
    faces_ = detector(context, request.cascade, options, before, &Prepared::faces_);
    options.levels = {request.scale_factor};
    options.depths = false;
    if (request.inside != nothing_inside) inside_ = detector(context, request.inside, options, before, &Prepared::inside_);
    if (request.depths) list_levels(context);
    if (!is_gpu(memory_.device())) {
      std::memset(static_cast<void*>(memory_.data()), 0, sizeof(FaceMemory));
      return;
    }
    check(cudaMemsetAsync(memory_.data(), 0, sizeof(FaceMemory), context.stream()));
  }

  const Request& request() const { return request_; }
  // Into the memory that it returns.
  FaceMemory* detect(Context& context, const EffectInput& input) const {
    auto* memory = memory_.data();
    faces_->want_depths(request_.depths);
    const auto queue = [&](Detector& detector, auto& list) {
      detector.group_by(request_.min_neighbors);
      if (request_.global_tables) detector.compute_tables_by(*input.algorithm, *input.algorithm_arguments);
      detector.queue(context, input.gray, vision::DetectionList{list.items, &list.count, most_faces});
    };
    queue(*faces_, memory->faces);
    if (inside_) queue(*inside_, memory->inside);
    return memory;
  }

  // The depths of the faces' windows, on the device, if the request asks for them.
  const Buffer<DepthLevel>& depth_levels() const { return levels_; }
  int stages() const { return static_cast<int>(faces_->cascade().stages.size()); }

 private:
  // That of the preparation before, which may use it too, where only what each search says has changed; else a new one, of a
  // cascade that is there already if possible: to make either takes longer than a frame.
  std::shared_ptr<Detector> detector(Context& context, const std::string& cascade, const DetectorOptions& options,
                                     const Prepared* before, std::shared_ptr<Detector> Prepared::*role) const {
    auto made = before ? before->*role : nullptr;
    auto shared = before ? before->cascade_named(cascade) : nullptr;
    if (!shared) shared = vision::find_shared_cascade(cascade);
    const auto same = [](const DetectorOptions& a, const DetectorOptions& b) {
      return a.levels.scale_factor == b.levels.scale_factor && a.levels.min_size == b.levels.min_size &&
             a.levels.max_size == b.levels.max_size && a.global_tables == b.global_tables;
    };
    if (!made || made->shared_cascade() != shared || made->frame() != request_.frame || !same(made->options(), options))
      made = std::make_shared<Detector>(std::move(shared), options, request_.frame);
    made->want_depths(options.depths);
    made->reserve(context);
    return made;
  }
  vision::SharedCascade cascade_named(const std::string& name) const {
    if (request_.cascade == name) return faces_->shared_cascade();
    return inside_ && request_.inside == name ? inside_->shared_cascade() : nullptr;
  }
  void list_levels(const Context& context) {
    std::vector<DepthLevel> levels;
    for (const auto& level : faces_->levels())
      levels.push_back(
          {grid_of(level, faces_->cascade().window), faces_->queued_depths(context, static_cast<int>(levels.size())).data});
    levels_ = Buffer<DepthLevel>(levels.size(), memory_.device());
    if (levels.empty()) return;
    if (is_gpu(memory_.device()))
      check(cudaMemcpyAsync(levels_.data(), levels.data(), levels.size() * sizeof(DepthLevel), cudaMemcpyHostToDevice,
                            context.stream()));
    else
      std::ranges::copy(levels, levels_.data());
  }

  Request request_;
  Buffer<FaceMemory> memory_;
  std::shared_ptr<Detector> faces_, inside_;
  Buffer<DepthLevel> levels_;
};

std::shared_ptr<const void> prepare(Context& context, const Arguments& arguments, Size frame,
                                    std::shared_ptr<const void> previous) {
  const auto* before = static_cast<const Prepared*>(previous.get());
  const Request request{arguments.text("cascade"),
                        arguments.text("inside"),
                        arguments.real("scale_factor"),
                        arguments.integer("min_neighbors"),
                        arguments.size("min_size"),
                        arguments.size("max_size"),
                        frame,
                        arguments.text("tables") == "global",
                        arguments.text("show") == "depth"};
  if (before && before->request() == request) return previous;
  return std::make_shared<Prepared>(context, request, before);
}

template <Show show>
struct Draw {
  SatView channels[3];
  const FaceMemory* memory;
  Canvas canvas;

  constexpr std::uint8_t mean(const SatView& sat, const Box& box) const {
    const auto area = static_cast<std::uint32_t>(box.width() * box.height());
    return static_cast<std::uint8_t>((box_sum(sat, box.x0, box.y0, box.x1, box.y1) + area / 2) / area);
  }
  constexpr Rgba mean(const Box& box) const {
    return {mean(channels[2], box), mean(channels[1], box), mean(channels[0], box), 255};
  }
  constexpr void operator()(int x, int y, const Bgr& pixel) const {
    if constexpr (show != Show::frame)
      if (const auto* face = memory->now().at(x, y))
        return canvas.put(x, y, mean(show == Show::blurred ? face->around(x, y, canvas.size()) : face->square_of(x, y)));
    canvas.put(x, y, Rgba{pixel.r, pixel.g, pixel.b, 255});
  }
};

template <Show show>
void draw(Context& context, const EffectInput& input, const Canvas& canvas, const FaceMemory* memory) {
  const auto& [b, g, r] = input.tables.channels;
  context.for_each_colour("faces", input.colour, Draw<show>{{b, g, r}, memory, canvas});
}

// Where no window was evaluated, the gray frame shows as it is.
struct DrawDepths {
  const DepthLevel* levels;
  int count;
  float unit;  // 1 / the number of stages
  ImageView<const std::uint8_t> gray;
  Canvas canvas;

  constexpr void put(int x, int y, int deepest) const {
    const auto frame = gray_level(gray(x, y));
    canvas.put(x, y, deepest < 0 ? frame : mixed(frame, viridis(static_cast<float>(deepest) * unit), depth_tint));
  }
  constexpr void pixel(int x, int y) const {
    int deepest = -1;
    for (int i = 0; i < count; ++i) {
      const int depth = levels[i].above(deepest, x, y);
      deepest = depth > deepest ? depth : deepest;
    }
    put(x, y, deepest);
  }
  // On the host level by level: neighbouring pixels have the same window.
  constexpr void pixels(int y) const {
    int deepest[256] = {};
    const int width = canvas.size().width, most = static_cast<int>(std::size(deepest));
    for (int first = 0; first < width; first += most) {
      const std::span here(deepest, static_cast<std::size_t>(std::min(most, width - first)));
      std::ranges::fill(here, -1);
      for (int i = 0; i < count; ++i) levels[i].raise(first, y, here);
      for (std::size_t i = 0; i < here.size(); ++i) put(first + static_cast<int>(i), y, here[i]);
    }
  }
  template <class Spans>
  constexpr void row(int y, const Spans& spans) const {
    const auto self = *this;
    if constexpr (requires { Spans::loops; })
      self.pixels(y);
    else
      spans.within(0, canvas.size().width, [=](int x) { self.pixel(x, y); });
  }
};

// `level`: from 1 on; 0: all.
void draw_depths(Context& context, const EffectInput& input, const Canvas& canvas, const Prepared& prepared, int level) {
  const auto& all = prepared.depth_levels();
  const int count = static_cast<int>(all.size()), chosen = std::min(level, count);
  const auto* const first = chosen > 0 ? all.data() + chosen - 1 : all.data();
  context.for_each_pixel(
      "cascade depths", canvas.size(),
      DrawDepths{first, chosen > 0 ? 1 : count, 1.0f / static_cast<float>(prepared.stages()), input.gray, canvas});
}

void run(Context& context, const EffectInput& input, const EffectOutput& output, const Arguments& arguments) {
  const auto& prepared = *static_cast<const Prepared*>(input.prepared);
  auto* const memory = prepared.detect(context, input);
  context.for_each_pixel("list faces", {1, 1}, ListFaces{memory, output.annotations});
  switch (arguments.chosen<Show>("show")) {
    case Show::frame: return draw<Show::frame>(context, input, output.canvas, memory);
    case Show::blurred: return draw<Show::blurred>(context, input, output.canvas, memory);
    case Show::pixelated: return draw<Show::pixelated>(context, input, output.canvas, memory);
    case Show::depth: return draw_depths(context, input, output.canvas, prepared, arguments.integer("level"));
  }
}

// What detections, the list, hidden faces and depths take depends on the frame.
std::vector<LaunchTraffic> traffic(const Arguments& arguments, Size frame, int drawn_bytes) {
  if (arguments.chosen<Show>("show") != Show::frame) return {};
  const auto pixels = frame.pixels();
  return {{"faces", {sizeof(Bgr) * pixels, static_cast<std::uint64_t>(drawn_bytes) * pixels, 1}}};
}

Tables tables(const Arguments& arguments, Device) {
  const auto show = arguments.chosen<Show>("show");
  return {.channels = show == Show::blurred || show == Show::pixelated};
}

const std::vector<NamedFile>& known_inside() {
  static const auto all = [] {
    auto known = vision::known_cascades();
    known.insert(known.begin(), {std::string(nothing_inside), "None", {}});
    return known;
  }();
  return all;
}

constexpr Parameter parameters[] = {
    file("cascade", vision::bundled_cascade, vision::known_cascades,
         "What is looked for: the name of a cascade (eye; lbp_frontalface, of local binary patterns) or the path of a file "
         "of OpenCV's"),
    file("inside", nothing_inside, known_inside, "A second cascade, for what lies inside a rectangle of the first: eye"),
    real("scale_factor", "1.1", 1.02, 2, 0.01,
         "From each size of window to the next; closer to 1 finds more and takes longer"),
    integer("min_neighbors", "3", 0, 100, "Found only where more than this many windows agree; 0: every window by itself"),
    size("min_size", "0x0", 0, vision::most_frame_side, "Smallest window, in pixels; 0x0: that of the cascade"),
    size("max_size", "0x0", 0, vision::most_frame_side, "Largest window, in pixels; 0x0: the whole frame"),
    choice(
        "tables", "local,global",
        "local: tables of small parts, the fast way; global: of each size of the frame as a whole, by the chosen algorithm"),
    choice("show", "frame,blurred,pixelated,depth",
           "The frame as it is, without what is inside the rectangles, or how many stages the window around a pixel passed"),
    integer("level", "0", 0, 999, "Depth of the windows of one size: 1 is the smallest; 0: the deepest of all sizes"),
};
constexpr ParameterDisplay display[] = {
    {.parameter = "cascade", .prominent = true},
    {.parameter = "min_neighbors", .prominent = true},
    {.parameter = "tables", .labels = "Local,Global"},
    {.parameter = "show", .labels = "Frame,Blurred,Pixelated,Depth in the cascade", .prominent = true},
    {.parameter = "level", .applies = "show=depth"},
};

constexpr Paper papers[] = {
    {"Viola, Jones, Rapid object detection using a boosted cascade of simple features, CVPR 2001",
     "10.1109/CVPR.2001.990517"},
    {"Lienhart, Maydt, An extended set of Haar-like features for rapid object detection, ICIP 2002",
     "10.1109/ICIP.2002.1038171"},
    {"Liao, Zhu, Lei, Zhang, Li, Learning multi-scale block local binary patterns for face recognition, ICB 2007",
     "10.1007/978-3-540-74549-5_87"},
};

}  // namespace

extern constinit const Effect effect_faces{
    .name = "faces",
    .title = "Faces",
    .idea =
        "A rectangle around each face, from thousands of Haar-like features, each a few entries of a table (Viola and Jones "
        "2001).",
    .papers = papers,
    .parameters = parameters,
    .channels = [](const Arguments&) { return 3; },
    .tables = tables,
    .most_annotations = [](const Arguments&) { return most_annotations; },
    .display = display,
    .reads_colour = true,
    .search = search,
    .traffic = traffic,
    .prepare = prepare,
    .run = run,
};

}  // namespace gpu::effects
