#include "gpu/benchmarks/satscope_bench.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/benchmarks/reports.h"
#include "gpu/benchmarks/results.h"
#include "gpu/choice/meter.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/execution/timeline.h"
#include "gpu/vision/detector.h"

namespace gpu::benchmarks {
namespace {

// satscope-bench-host, the benchmark that is built with OpenCV, as another program of the same build or installation. Empty: it
// is not there.
std::filesystem::path find_peer_program() {
  std::error_code error;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const auto* place : {"satscope-bench-host", "../app/satscope-bench-host"})
    if (auto program = folder / place;
        std::filesystem::is_regular_file(program, error) && ::access(program.c_str(), X_OK) == 0)
      return program;
  return {};
}

// Runs it to its end, without what it prints to the standard output. False: it failed; why, it has said.
bool run_peer_program(const std::filesystem::path& program, std::vector<std::string> words) {
  words.insert(words.begin(), program.string());
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (failed) return false;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct Picture {
  std::string name;
  Image<std::uint8_t> gray;  // on the host
};

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
    throw UsageError(file +
                     " is not a gray picture: --pictures takes binary PGM files (P5) of 8 bits, which any converter writes");
  Picture picture{std::filesystem::path(file).stem().string(), Image<std::uint8_t>({width, height}, Device::host)};
  for (int y = 0; y < height; ++y) in.read(reinterpret_cast<char*>(picture.gray.view().row(y)), width);
  if (!in) throw UsageError(file + " ends before its last pixel");
  return picture;
}

// Waves and noise: something of what pictures have, at every scale.
Picture synthetic_picture(Size size) {
  Picture picture{"waves", Image<std::uint8_t>(size, Device::host)};
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
  if (error) throw UsageError(path + " cannot be read: " + error.message());
  if (files.empty()) throw UsageError(path + " has no pictures (*.pgm)");
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

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
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
    cost.picture = picture_.name, cost.size = picture_.gray.size();
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
    cost.median_us = median(times);
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
    for (const auto& name : names) medians.emplace_back(name, median(times[name]));
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

// A folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "satscope-bench-XXXXXX") {
    auto name = path_.string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("cannot make a folder in " + path_.parent_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_picture(const Picture& picture, const std::string& file) {
  const auto gray = picture.gray.view();
  std::ofstream out(file, std::ios::binary);
  out << "P5\n" << gray.width << ' ' << gray.height << "\n255\n";
  for (int y = 0; y < gray.height; ++y) out.write(reinterpret_cast<const char*>(gray.row(y)), gray.width);
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
}

// By satscope-bench-host, of these very pictures. None where it is not there, or fails.
std::vector<PeerDetection> measure_peers(const Options& options, const std::vector<Picture>& pictures) try {
  const auto program = find_peer_program();
  if (program.empty()) return {};
  const TemporaryFolder folder;
  const auto times = folder.file("times");
  std::vector<std::string> words{"--detect", "--csv", times};
  for (const auto& cascade : options.cascades) words.insert(words.end(), {"--cascade", cascade});
  for (std::size_t i = 0; i < pictures.size(); ++i) {  // of the same name, but in size
    words.insert(words.end(), {"--pictures", folder.file(std::to_string(i) + ".pgm")});
    write_picture(pictures[i], words.back());
  }
  if (!run_peer_program(program, words)) return {};
  auto peers = read_peer_detections(times);
  for (auto& peer : peers) peer.picture = pictures.at(static_cast<std::size_t>(whole_field(peer.picture, 0))).name;
  return peers;
} catch (const std::exception& error) {
  std::fprintf(stderr, "satscope-bench: without OpenCV's times: %s\n", error.what());
  return {};
}

constexpr const char* how_to_get_peers =
    "satscope-bench-host --detect --csv F --scenes FOLDER writes them for --peer-times F, and the pictures for --pictures "
    "FOLDER";

std::string cascade_name(const std::string& file) { return std::filesystem::path(file).stem().string(); }

std::optional<PeerDetection> find_peer(const std::vector<PeerDetection>& peers, const Picture& picture,
                                       const std::string& cascade) {
  for (const auto& peer : peers)
    if (peer.picture == picture.name && peer.size == picture.gray.size() && peer.cascade == cascade) return peer;
  return {};
}

// Reports a file that has no time of any picture and cascade before they are measured.
std::vector<PeerDetection> peers_of(const Options& options, const std::vector<Picture>& pictures) {
  if (options.peer_times.empty()) return measure_peers(options, pictures);
  if (!options.reads_peer_times()) return {};
  auto peers = read_peer_detections(options.peer_times);
  for (const auto& cascade : options.cascades)
    for (const auto& picture : pictures)
      if (find_peer(peers, picture, cascade_name(cascade))) return peers;
  throw std::runtime_error(options.peer_times + " has no times of these pictures and cascades: " + how_to_get_peers);
}

// A picture of the same name in which OpenCV found something else is another one, unless what was found here is wrong.
std::string opencv_text(const DetectionCost& cost) {
  if (!cost.peer) return {};
  if (cost.failure.empty() && static_cast<std::size_t>(cost.peer->detections) != cost.detections)
    return "of another picture";
  return number(cost.peer->opencv) + " (" + number(cost.peer->opencv * 1000 / cost.median_us) + "x)";
}

// What the last column is. Empty: there is none.
std::string opencv_note(const std::vector<DetectionCost>& costs) {
  std::vector<std::string> origins;
  for (const auto& cost : costs)
    if (cost.peer)
      if (auto origin = "OpenCV " + cost.peer->version + " on " + cost.peer->processor;
          std::ranges::find(origins, origin) == origins.end())
        origins.push_back(std::move(origin));
  if (origins.empty()) return {};
  std::string text = "OpenCV, CPU: ms, and how many times as long as here; ";
  for (const auto& origin : origins) text += (&origin == origins.data() ? "" : "; ") + origin;
  return text + '\n';
}

TextTable table_of(const std::vector<DetectionCost>& costs) {
  TextTable table{{"picture", "size", "cascade", "windows", "found", "detections", "ms", "least"}};
  const bool peers = std::ranges::any_of(costs, [](const auto& cost) { return cost.peer.has_value(); });
  if (peers) table[0].push_back("OpenCV, CPU");
  for (const auto& cost : costs) {
    table.push_back({cost.picture, text(cost.size), cost.cascade, std::to_string(cost.windows), std::to_string(cost.found),
                     std::to_string(cost.detections) + (cost.failure.empty() ? "" : " WRONG: " + cost.failure),
                     number(cost.median_us / 1000), number(cost.least_us / 1000)});
    if (peers) table.back().push_back(opencv_text(cost));
  }
  return table;
}

// One column for each part that any of them has.
TextTable parts_of(const std::vector<DetectionCost>& costs) {
  std::vector<std::string> names;
  for (const auto& cost : costs)
    for (const auto& part : cost.parts)
      if (std::ranges::find(names, part.first) == names.end()) names.push_back(part.first);
  TextTable table{{"us", "cascade"}};
  table[0].insert(table[0].end(), names.begin(), names.end());
  for (const auto& cost : costs) {
    table.push_back({cost.picture + " " + text(cost.size), cost.cascade});
    for (const auto& name : names) {
      const auto part = std::ranges::find(cost.parts, name, [](const auto& p) { return p.first; });
      table.back().push_back(part == cost.parts.end() ? "" : number(part->second));
    }
  }
  return names.empty() ? TextTable() : table;
}

constexpr const char* explanation =
    "Detection, scale factor 1.1, 3 neighbours: from gray pixels in the device's memory to detections on the host, "
    "medians\n\n";

}  // namespace

std::vector<DetectionCost> measure_detections(const Options& options, const std::atomic<bool>& stop) {
  if (options.cascades.empty())
    throw UsageError("--detect needs a cascade: --cascade FILE, such as those of OpenCV's package opencv-data");
  Meter meter(options.device, stop);
  const auto pictures = pictures_of(options);
  const auto peers = peers_of(options, pictures);
  std::vector<DetectionCost> costs;
  for (const auto& file : options.cascades) {
    const auto cascade = vision::read_cascade(file);
    for (const auto& picture : pictures) {
      costs.push_back(Bench(cascade, picture, options, meter).measure(stop));
      costs.back().cascade = cascade_name(file);
      costs.back().peer = find_peer(peers, picture, costs.back().cascade);
    }
  }
  return costs;
}

std::string detections_text(const std::vector<DetectionCost>& costs) {
  const auto parts = parts_of(costs);
  auto note = opencv_note(costs);
  if (note.empty())
    note = std::string("OpenCV's times beside these: ") + how_to_get_peers + "; beside this program it is run\n";
  return explanation + aligned(table_of(costs)) + note + (parts.empty() ? "" : '\n' + aligned(parts));
}

std::string detections_markdown(const std::vector<DetectionCost>& costs) {
  const auto parts = parts_of(costs);
  const auto note = opencv_note(costs);
  return explanation + piped(table_of(costs)) + (note.empty() ? "" : '\n' + note) +
         (parts.empty() ? "" : '\n' + piped(parts));
}

}  // namespace gpu::benchmarks
