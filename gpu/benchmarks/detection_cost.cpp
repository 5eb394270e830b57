#include "gpu/benchmarks/satscope_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/benchmarks/results.h"
#include "gpu/choice/meter.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/vision/detector.h"

namespace gpu::benchmarks {
namespace {

struct Picture {
  std::string name, file;    // absolute; not of a file: empty
  Image<std::uint8_t> gray;  // on the host
};

std::string name_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// A binary PGM file of 8 bits per pixel.
Picture read_picture(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string magic;
  int width = 0, height = 0, most = 0;
  const auto skip_comments = [&] {
    while ((in >> std::ws).peek() == '#') in.ignore(1 << 20, '\n');
  };
  in >> magic;
  for (int* number : {&width, &height, &most}) {
    skip_comments();
    in >> *number;
  }
  in.get();
  constexpr int largest = 1 << 16;
  if (!in || magic != "P5" || most != 255 || width < 1 || height < 1 || width >= largest || height >= largest)
    throw ArgumentError(
        file + " is not a gray picture: --pictures takes binary PGM files (P5) of 8 bits, which any converter writes");
  Picture picture{name_of(file), std::filesystem::absolute(file).string(),
                  Image<std::uint8_t>({width, height}, Device::host)};
  for (int y = 0; y < height; ++y) in.read(reinterpret_cast<char*>(picture.gray.view().row(y)), width);
  if (!in) throw ArgumentError(file + " ends before its last pixel");
  return picture;
}

// Waves and noise: something of what pictures have, at every scale.
Picture synthetic_picture(Size size) {
  Picture picture{"waves", "", Image<std::uint8_t>(size, Device::host)};
  std::uint32_t state = 1;
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const double waves = std::sin(x * 0.21) + std::sin(y * 0.17 + x * 0.05) + std::sin((x + y) * 0.031);
      const auto noise = (state = state * 1664525u + 1013904223u) >> 27;
      picture.gray.view()(x, y) = static_cast<std::uint8_t>(100 + 30 * waves + noise);
    }
  return picture;
}

// A folder's PGM files, in the order of their names; a file itself.
std::vector<std::string> picture_files(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return {path};
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator at(path, error), end; !error && at != end; at.increment(error))
    if (at->path().extension() == ".pgm") files.push_back(at->path().string());
  if (error) throw ArgumentError(path + " cannot be read: " + error.message());
  if (files.empty()) throw ArgumentError(path + " has no pictures (*.pgm)");
  std::ranges::sort(files);
  return files;
}

std::vector<Picture> pictures_of(const Options& options) {
  std::vector<Picture> pictures;
  for (const auto& path : options.pictures)
    for (const auto& file : picture_files(path)) pictures.push_back(read_picture(file));
  if (pictures.empty())
    for (const auto size : options.sizes) pictures.push_back(synthetic_picture(size));
  return pictures;
}

// A detector and its frame, on one device.
class Bench {
 public:
  Bench(const vision::Cascade& cascade, const Picture& picture, const Options& options, Meter& meter)
      : options_(options),
        meter_(meter),
        cascade_(cascade),
        picture_(picture),
        detector_(cascade, {}, picture.gray.size()),
        frame_(picture.gray.size(), options.device) {
    if (options.device == Device::host)
      std::ranges::copy(picture.gray.span(), frame_.span().begin());
    else
      check(cudaMemcpyAsync(frame_.span().data(), picture.gray.span().data(), frame_.span().size(), cudaMemcpyHostToDevice,
                            meter.stream()));
    auto dry = Context::dry(options.device);
    detector_.run(dry, frame_.view());
    workspace_ = Buffer<std::byte>(dry.workspace_bytes(), options.device);
  }

  DetectionCost measure(const std::atomic<bool>& stop) {
    DetectionCost cost;
    cost.picture = picture_.name, cost.picture_file = picture_.file, cost.size = picture_.gray.size();
    for (const auto& level : detector_.levels()) {
      ++cost.levels;
      cost.windows += static_cast<std::size_t>(level.across) * static_cast<std::size_t>(level.down);
    }
    std::vector<double> times;
    auto context = new_context(nullptr);
    for (int sample = -3; sample < options_.samples; ++sample) {  // the first ones warm up
      if (stop) throw Interrupted();
      const auto start = std::chrono::steady_clock::now();
      detector_.run(context, frame_.view());
      const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
      if (sample >= 0) times.push_back(time.count());
    }
    cost.median_us = percentile(times, 50);
    cost.least_us = *std::ranges::min_element(times);
    cost.found = detector_.hits().size();
    cost.detections = detector_.detections().size();
    if (options_.device == Device::cuda) {
      cost.parts = parts();
      cost.failure = difference();
    }
    return cost;
  }

 private:
  Context new_context(Timeline* timeline) {
    if (options_.device == Device::host) return Context::on_host(pool_, workspace_.span(), timeline);
    return Context::on_stream(meter_.stream(), workspace_.span(), timeline);
  }

  // The outermost spans of some frames.
  std::vector<std::pair<std::string, double>> parts() {
    Timeline timeline(cuda_clock(meter_.stream()));
    auto context = new_context(&timeline);
    std::vector<std::string> names;
    std::map<std::string, std::vector<double>> times;
    for (int frame = 0; frame < 20; ++frame) {
      timeline.begin_frame();
      detector_.run(context, frame_.view());
      timeline.end_frame();
      check(cudaStreamSynchronize(meter_.stream()));
      while (const auto done = timeline.take())
        for (const auto& span : done->spans) {
          if (span.parent >= 0) continue;
          const auto& name = done->path(span);
          if (!times.contains(name)) names.push_back(name);
          times[name].push_back(span.microseconds());
        }
    }
    std::vector<std::pair<std::string, double>> medians;
    for (const auto& name : names) medians.emplace_back(name, percentile(times[name], 50));
    return medians;
  }

  std::string difference() {
    vision::Detector on_host(cascade_, {}, picture_.gray.size());
    auto host = Context::on_host(pool_, {});
    on_host.run(host, picture_.gray.view());
    if (!std::ranges::equal(detector_.hits(), on_host.hits())) return "other windows than on the host";
    return std::ranges::equal(detector_.detections(), on_host.detections()) ? "" : "other detections than on the host";
  }

  const Options& options_;
  Meter& meter_;
  const vision::Cascade& cascade_;
  const Picture& picture_;
  vision::Detector detector_;
  Image<std::uint8_t> frame_;
  Buffer<std::byte> workspace_;
  ThreadPool pool_;
};

}  // namespace

std::vector<DetectionCost> measure_detections(const Options& options, const std::atomic<bool>& stop) {
  if (options.cascades.empty())
    throw ArgumentError("--detect needs a cascade: --cascade FILE, such as those of OpenCV's package opencv-data");
  Meter meter(options.device, stop);
  const auto pictures = pictures_of(options);
  std::vector<DetectionCost> costs;
  for (const auto& file : options.cascades) {
    const auto cascade = vision::read_cascade(file);
    for (const auto& picture : pictures) {
      costs.push_back(Bench(cascade, picture, options, meter).measure(stop));
      costs.back().cascade = name_of(file);
      costs.back().cascade_file = std::filesystem::absolute(file).string();
    }
  }
  return costs;
}

std::string detections_text(const std::vector<DetectionCost>& costs) {
  TextTable table{{"picture", "size", "cascade", "windows", "found", "detections", "ms", "least"}};
  for (const auto& cost : costs)
    table.push_back({cost.picture, text(cost.size), cost.cascade, std::to_string(cost.windows), std::to_string(cost.found),
                     std::to_string(cost.detections) + (cost.failure.empty() ? "" : " WRONG: " + cost.failure),
                     number(cost.median_us / 1000), number(cost.least_us / 1000)});
  return "Detection, scale factor 1.1, 3 neighbours: from gray pixels in the device's memory to detections on the host, "
         "medians\n\n" +
         aligned(table);
}

std::string detections_json(const std::vector<DetectionCost>& costs) {
  std::string text = "[";
  for (const auto& cost : costs) {
    text += text.size() > 1 ? ",\n  {" : "\n  {";
    for (const auto& [name, value] : {std::pair("picture", cost.picture),
                                      {"picture_file", cost.picture_file},
                                      {"cascade", cost.cascade},
                                      {"cascade_file", cost.cascade_file},
                                      {"failure", cost.failure}})
      text += in_quotes(name) + ": " + in_quotes(value) + ", ";
    for (const auto& [name, value] : {std::pair("width", static_cast<std::size_t>(cost.size.width)),
                                      {"height", static_cast<std::size_t>(cost.size.height)},
                                      {"levels", cost.levels},
                                      {"windows", cost.windows},
                                      {"found", cost.found},
                                      {"detections", cost.detections}})
      text += in_quotes(name) + ": " + std::to_string(value) + ", ";
    text += "\"median_us\": " + std::to_string(cost.median_us) + ", \"least_us\": " + std::to_string(cost.least_us) +
            ", \"parts\": {";
    for (const auto& part : cost.parts)
      text += (&part == cost.parts.data() ? "" : ", ") + in_quotes(part.first) + ": " + std::to_string(part.second);
    text += "}}";
  }
  return text + "\n]\n";
}

}  // namespace gpu::benchmarks
