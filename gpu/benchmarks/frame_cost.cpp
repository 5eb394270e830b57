#include "gpu/benchmarks/satscope_bench.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <utility>

#include "gpu/benchmarks/results.h"
#include "gpu/benchmarks/stage.h"
#include "gpu/checks/verify.h"
#include "gpu/choice/meter.h"
#include "gpu/cuda/memory.h"
#include "gpu/effect.h"
#include "gpu/pictures/canvas.h"
#include "gpu/tables/tables.h"

namespace gpu::benchmarks {
namespace {

constexpr int live_samples = 50;

// The array of a texture.
class TextureArray {
 public:
  explicit TextureArray(Size size) {
    const auto pixels = cudaCreateChannelDesc(8, 8, 8, 8, cudaChannelFormatKindUnsigned);
    check(cudaMallocArray(&array_, &pixels, static_cast<std::size_t>(size.width), static_cast<std::size_t>(size.height),
                          cudaArraySurfaceLoadStore));
  }
  ~TextureArray() { cudaFreeArray(array_); }
  TextureArray(const TextureArray&) = delete;
  TextureArray& operator=(const TextureArray&) = delete;
  cudaArray_t get() const { return array_; }

 private:
  cudaArray_t array_ = nullptr;
};

// The images of one frame, and work on them: the parts of a frame, and what frames with other effects have besides.
class Frame {
 public:
  struct Part {
    const char* name;
    std::size_t bytes_per_pixel;
    MeasuredWork work;
  };

  Frame(const SatAlgorithm& algorithm, const Arguments& arguments, Size size, Layout layout, Device device)
      : colour(size, image_rows_in(layout, size.width, sizeof(Bgr)), device),
        gray(size, image_rows_in(layout, size.width, 1), device),
        blue(size, image_rows_in(layout, size.width, 1), device),
        green(size, image_rows_in(layout, size.width, 1), device),
        red(size, image_rows_in(layout, size.width, 1), device),
        sat(size, table_rows_in(layout, size.width, sizeof(std::uint32_t)), device) {
    if (device == Device::cuda) {
      array.emplace(size);
      surface.emplace(array->get());
    } else {
      picture = Image<Rgba>(size, device);
    }
    parts.push_back({"luma", 3 + 1, [this](Context& context, int) { luma(context, colour.view(), gray.view()); }});
    parts.push_back({"table", 1 + 4, [this, &algorithm, arguments](Context& context, int) {
                       compute_sat(context, algorithm, gray.view(), sat.view(), arguments);
                     }});
    const auto canvas = surface ? Canvas::on_surface(surface->object(), size) : Canvas::with_surface(picture.view(), {});
    const auto drawn_by = [&](const char* name, Arguments settings) {
      return [this, name, settings, &algorithm, arguments, canvas](Context& context, int) {
        EffectInput input{colour.view(), gray.view(), {}, nullptr, &algorithm, &arguments};
        input.tables.sum = sat.view();
        run_effect(context, *find_effect(name), input, canvas, settings);
      };
    };
    Arguments of_gray(find_effect("box_blur")->parameters);
    of_gray.set("colour", "off");
    parts.push_back({"box blur", 4 + 4, drawn_by("box_blur", of_gray)});
    others.push_back({"channels", 3 + 3, [this](Context& context, int) {
                        split_channels(context, colour.view(), {blue.view(), green.view(), red.view()});
                      }});
    others.push_back({"tables of channels", 3 + 3 * 4, [this, &algorithm, arguments](Context& context, int) {
                        const Context::ScratchScope scope(context);
                        TableTargets tables;
                        for (auto& table : tables.channels)
                          table = context.scratch_image<std::uint32_t>(colour.view().size());
                        compute_tables(context, algorithm, arguments, {.channels = true}, colour.view(), gray.view(),
                                       tables);
                      }});
    const auto& threshold = *find_effect("adaptive_threshold");
    others.push_back({"adaptive threshold", 4 + 1 + 4, drawn_by("adaptive_threshold", Arguments(threshold.parameters))});
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  PlacedImage<Bgr> colour;
  PlacedImage<std::uint8_t> gray, blue, green, red;
  PlacedImage<std::uint32_t> sat;
  Image<Rgba> picture;  // where there is no surface
  std::optional<TextureArray> array;
  std::optional<Surface> surface;
  std::vector<Part> parts, others;
};

// Any colours; none is as fast or slow as another.
void fill(const Frame& frame, Device device) {
  const auto memory = std::as_writable_bytes(frame.colour.memory());
  std::vector<std::byte> bytes(memory.size());
  std::uint32_t state = 1;
  for (auto& byte : bytes) byte = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 24);
  if (device != Device::cuda) return void(std::ranges::copy(bytes, memory.begin()));
  check(cudaMemcpy(memory.data(), bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  check(cudaDeviceSynchronize());  // a copy from pageable memory may return before it has arrived
}

FrameCost measure_frame(Meter& meter, const SatAlgorithm& algorithm, Size size, const Options& options) {
  Frame frame(algorithm, options.arguments_of(algorithm), size, options.layout, meter.device());
  fill(frame, meter.device());
  const MeasuredWork all = [&](Context& context, int copy) {
    for (const auto& part : frame.parts) part.work(context, copy);
  };
  FrameCost cost{std::string(algorithm.name), size, {}, {}};
  std::size_t bytes = 0;
  const auto measure = [&](const char* name, std::size_t bytes_per_pixel, const MeasuredWork& work) {
    const auto graph = meter.measure(work, 1, options.samples).median;
    cost.parts.push_back({name, graph, meter.measure_live(work, 1, live_samples), bytes_per_pixel * size.pixels()});
    bytes += cost.parts.back().bytes;
  };
  meter.run_all(all, 1);  // every part then has its input
  for (const auto& other : frame.others) meter.run_all(other.work, 1);
  for (const auto& part : frame.parts) measure(part.name, part.bytes_per_pixel, part.work);
  const auto of_parts = bytes / size.pixels();
  measure("frame", of_parts, all);
  for (const auto& other : frame.others) measure(other.name, other.bytes_per_pixel, other.work);
  cost.failure = Verifier(meter.device(), meter.stream(), ImageView<const std::uint8_t>(frame.gray.view()), ElementType::u32,
                          true)
                     .wrong(frame.sat.view());
  return cost;
}

}  // namespace

std::vector<FrameCost> measure_frames(const Options& options, const std::atomic<bool>& stop) {
  Meter meter(options.device, stop);
  std::vector<FrameCost> costs;
  for (const auto size : options.sizes)
    for (const auto* algorithm : options.algorithms) costs.push_back(measure_frame(meter, *algorithm, size, options));
  return costs;
}

std::string frames_text(const std::vector<FrameCost>& frames) {
  std::string text =
      "Medians in us; graph: many runs in one; live: launched on an idle device; GB/s: of the bytes that must move\n";
  for (const auto& cost : frames) {
    TextTable table{{gpu::benchmarks::text(cost.size) + ", " + cost.algorithm, "graph", "live", "GB/s"}};
    for (const auto& part : cost.parts)
      table.push_back({part.name, number(part.graph_us), number(part.live_us),
                       number(static_cast<double>(part.bytes) / part.graph_us * 1e-3)});
    text += '\n' + aligned(table) + (cost.failure.empty() ? "" : "WRONG TABLE: " + cost.failure + '\n');
  }
  return text;
}

std::string frames_json(const std::vector<FrameCost>& frames) {
  std::string text = "[";
  char line[256];
  for (const auto& cost : frames)
    for (const auto& part : cost.parts) {
      std::snprintf(line, sizeof line,
                    "%s\n  {\"width\": %d, \"height\": %d, \"algorithm\": \"%s\", \"part\": \"%s\", \"graph_us\": %.3f, "
                    "\"live_us\": %.3f, \"bytes\": %zu, \"right\": %s",
                    text.size() > 1 ? "," : "", cost.size.width, cost.size.height, cost.algorithm.c_str(), part.name.c_str(),
                    part.graph_us, part.live_us, part.bytes, cost.failure.empty() ? "true" : "false");
      text += line + std::string(", \"failure\": ") + in_quotes(cost.failure) + "}";
    }
  return text + "\n]\n";
}

}  // namespace gpu::benchmarks
