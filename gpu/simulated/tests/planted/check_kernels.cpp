// Runs one algorithm of an observed build, or luma, a tilted table, box blur on a surface, or a detector, on small images, in order
// and in random schedules, and reports whether anything goes wrong: a wrong result, a race, a fault, a store beside the result. It has to
// detect the planted faults.
//
//   check_kernels 1r1w_skss_lb 8u32u W=32 seeds=8 100x130 33x200
//   check_kernels luma 300x21
//   check_kernels box_blur 71x41
//   check_kernels detect_tile_search tilted=1 stages=14 60x50
//
// KEY=VALUE: the algorithm's parameters; seeds: how many random schedules (4); runs: how many images, one after another (1);
// runs_left: after the first of them, so many are left until the numbers of runs (run_slots.cuh) start again;
// of a detector (detect_FILE, whichever): window (the side of its cascade's), stages, trees (of the first stage), tilted, lbp, larger_trees;
// multiprocessors, shared (KiB per block): limits of the GPU for which launches are planned. Exit status: 0 all correct, 1 something was found, 2 it could not run.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/checks/verify.h"
#include "gpu/effect.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat/block/run_slots.cuh"
#include "gpu/sat_runner.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/observed/recording_observer.h"
#include "gpu/simulated/observed/simulate.h"
#include "gpu/tests/sat/impatient_algorithms.h"
#include "gpu/tests/surface_array.h"
#include "gpu/tests/vision/random_cascade.h"
#include "gpu/vision/detector.h"

namespace gpu::simulated {
namespace {

struct Request {
  const SatAlgorithm* algorithm = nullptr;
  bool detects = false, blurs = false, tilts = false;
  vision::RandomCascadeKind cascade;
  SatType type{};
  Arguments arguments;
  GpuLimits limits;
  int seeds = 4, runs = 1, runs_left = 0;
  int room = 0;  // for so many blocks, as other work has the rest of the GPU; 0: few are resident, and launches know it
  std::vector<Size> sizes;
};

// Rows of a view are dense, or start at multiples of four elements, for which kernels have code of their own. The padding
// between the rows must then stay unchanged.
std::ptrdiff_t stride_of(Size size, bool aligned) { return aligned ? (size.width + 3) / 4 * 4 : size.width; }

// Like used scratch memory: every word is 2, which as the status of a look-back slot means a global sum.
void make_used(std::span<std::byte> workspace) {
  constexpr std::uint32_t word = 2;
  for (std::size_t i = 0; i + sizeof word <= workspace.size(); i += sizeof word)
    std::memcpy(workspace.data() + i, &word, sizeof word);
}

// The first race of the run; empty if there is none.
std::string race_in(const RecordingObserver& observer) {
  const auto seen = observer.results();
  if (seen.races.empty()) return {};
  const auto& race = seen.races.front();
  return race.what + ": " + (race.first.empty() ? "" : race.first + ", then ") + race.second;
}

// A race, or changed padding of the result; empty if there is neither.
std::string wrong_accesses(const RecordingObserver& observer, const PoisonedImage& written) {
  if (auto race = race_in(observer); !race.empty()) return race;
  return written.padding_is_untouched() ? "" : "stores beside the table";
}

// The memory that persists between runs of an algorithm that has one piece of it, with tickets at its begin.
std::span<std::byte> persistent(SatRunner& runner, SatType type) {
  const auto bytes = runner.persistent_bytes();
  const auto name = size_of(info(type).sum) == 4 ? sat::RunSlots<std::uint32_t>::name : sat::RunSlots<std::uint64_t>::name;
  return {runner.context().persistent<std::byte>(name, bytes), bytes};
}

// What is wrong with the runs of an algorithm; empty if nothing is.
std::string wrong_table(const Request& request, Size size, bool aligned, std::uint64_t seed,
                        const RecordingObserver& observer) {
  const auto& types = info(request.type);
  const PoisonedImage image(size, types.input, stride_of(size, aligned)), table(size, types.sum, stride_of(size, aligned));
  auto runner = SatRunner::on_stream(nullptr);
  runner.reserve(runner.plan(*request.algorithm, image.view(), table.view(), request.arguments).workspace_bytes);
  auto& context = runner.context();
  context.set_limits(request.limits);
  for (int run = 0; run < request.runs; ++run) {
    if (request.runs_left > 0 && run == 1) {
      const auto completed = sat::RunTickets::last_run - static_cast<std::uint32_t>(request.runs_left);
      reinterpret_cast<sat::RunTickets*>(persistent(runner, request.type).data())->word = std::uint64_t{completed} << 32;
    }
    fill_with_noise(image.view(), seed + static_cast<std::uint64_t>(run));
    make_used(runner.workspace());
    compute_sat(context, *request.algorithm, image.view(), table.view(), request.arguments);
    if (const auto found = wrong_accesses(observer, table); !found.empty()) return found;
    if (const auto found = Verifier(Device::host, nullptr, image.view(), types.sum, true).wrong(table.view());
        !found.empty())
      return found;
    if (request.runs_left > 0 && run == request.runs_left &&
        std::ranges::any_of(persistent(runner, request.type), [](std::byte byte) { return byte != std::byte{}; }))
      return "slots of the last run remain";
  }
  return {};
}

// The same for luma, on behalf of all effects that read colours; the host computes the reference. A colour has three bytes.
std::string wrong_gray(Size size, bool aligned, std::uint64_t seed, const RecordingObserver& observer) {
  const Size bytes{size.width * 3, size.height};
  const PoisonedImage image(bytes, ElementType::u8, stride_of(size, aligned) * 3),
      gray(size, ElementType::u8, stride_of(size, aligned)), right(size, ElementType::u8, stride_of(size, aligned));
  fill_with_noise(image.view(), seed);
  const ImageView<const Bgr> colour{static_cast<const Bgr*>(image.view().data), size.width, size.height,
                                    stride_of(size, aligned)};
  auto context = Context::on_stream(nullptr, {});
  luma(context, colour, gray.view().as<std::uint8_t>());
  if (const auto found = wrong_accesses(observer, gray); !found.empty()) return found;
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {});
  luma(host, colour, right.view().as<std::uint8_t>());
  const auto seen = gray.view().as<std::uint8_t>(), expected = right.view().as<std::uint8_t>();
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      if (seen(x, y) != expected(x, y)) return "wrong gray at (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  return {};
}

// The same for a tilted table.
std::string wrong_tilted(Size size, bool aligned, std::uint64_t seed, const RecordingObserver& observer) {
  const auto stride = stride_of(size, aligned);
  const PoisonedImage image(size, ElementType::u8, stride), table(size, ElementType::u32, stride),
      right(size, ElementType::u32, stride);
  fill_with_noise(image.view(), seed);
  const auto pixels = image.view().as<const std::uint8_t>();
  const auto seen = table.view().as<std::uint32_t>(), expected = right.view().as<std::uint32_t>();
  auto runner = SatRunner::on_stream(nullptr);
  const auto work = [&](Context& context) { compute_tilted(context, pixels, seen); };
  runner.reserve(runner.plan(work).workspace_bytes);
  make_used(runner.workspace());
  work(runner.context());
  if (const auto found = wrong_accesses(observer, table); !found.empty()) return found;
  ThreadPool pool(1);
  auto host = SatRunner::on_host(pool);
  const auto on_host = [&](Context& context) { compute_tilted(context, pixels, expected); };
  host.reserve(host.plan(on_host).workspace_bytes);
  on_host(host.context());
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      if (seen(x, y) != expected(x, y)) return "wrong sum at (" + std::to_string(x) + ", " + std::to_string(y) + ")";
  return {};
}

// The same for box blur, on behalf of all effects that draw on a surface.
std::string wrong_picture(Size size, std::uint64_t seed, const RecordingObserver& observer) {
  const PoisonedImage gray(size, ElementType::u8, size.width), table(size, ElementType::u32, size.width);
  fill_with_noise(gray.view(), seed);
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {});
  const auto& serial = *find_sat_algorithm("host_serial");
  const Arguments none(serial.parameters);
  compute_sat(host, serial, gray.view(), table.view(), none);
  EffectInput input;
  input.gray = gray.view().as<std::uint8_t>();
  input.algorithm = &serial, input.algorithm_arguments = &none;
  input.tables.sum = table.view().as<std::uint32_t>();
  const auto& blur = *find_effect("box_blur");
  Arguments of_gray(blur.parameters);
  of_gray.set("colour", "off");
  const Image<Rgba> expected(size, Device::host);
  run_effect(host, blur, input, Canvas{{}, expected.view()}, of_gray);

  const test::SurfaceArray array(size);
  auto context = Context::on_stream(nullptr, {});
  run_effect(context, blur, input, Canvas::on_surface(array.object(), size), of_gray);
  const auto drawn = array.bytes();
  const auto row = static_cast<std::size_t>(size.width) * sizeof(Rgba);
  if (auto race = race_in(observer); !race.empty()) return race;
  for (int y = 0; y < size.height; ++y)
    if (std::memcmp(&drawn[static_cast<std::size_t>(y) * row], std::as_const(expected).view().row(y), row) != 0)
      return "a wrong picture in row " + std::to_string(y);
  return {};
}

// The same for a detector, which is given one image after another.
std::string wrong_detections(const Request& request, Size size, std::uint64_t seed, const RecordingObserver& observer) {
  const auto cascade = vision::RandomCascade(request.cascade, 3).make();
  const vision::DetectorOptions options{.levels = {.scale_factor = 1.2}, .depths = true};
  vision::Detector on_gpu(cascade, options, size), on_host(cascade, options, size);
  auto context = Context::on_stream(nullptr, {});
  context.set_limits(request.limits);
  ThreadPool pool(1);
  auto host = Context::on_host(pool, {});
  for (int run = 0; run < request.runs; ++run) {
    const auto picture = vision::wavy_picture(size, static_cast<unsigned>(seed) + static_cast<unsigned>(run));
    const Image<std::uint8_t> there(size, Device::cuda);  // whose memory is the host's, too
    std::copy(picture.span().begin(), picture.span().end(), there.span().begin());
    on_gpu.run(context, there.view());
    if (auto race = race_in(observer); !race.empty()) return race;
    on_host.run(host, picture.view());
    if (!std::ranges::equal(on_gpu.hits(), on_host.hits())) return "wrong windows";
    if (!std::ranges::equal(on_gpu.detections(), on_host.detections())) return "wrong detections";
    for (std::size_t level = 0; level < on_host.levels().size(); ++level) {
      const auto found = on_gpu.depths(static_cast<int>(level)), expected = on_host.depths(static_cast<int>(level));
      if (!std::equal(found.data, found.data + found.size().pixels(), expected.data)) return "wrong depths";
    }
    // What stays on the device, in a list that has room for all, and for the first ones.
    for (const int most : {64, 3}) {
      const Buffer<vision::Detection> listed(static_cast<std::size_t>(most), Device::cuda);
      const Buffer<int> count(1, Device::cuda);
      on_gpu.reserve(context);
      on_gpu.queue(context, there.view(), {listed.data(), count.data(), most});
      if (auto race = race_in(observer); !race.empty()) return race;
      const auto all = on_host.detections();
      const auto first = all.first(std::min(all.size(), static_cast<std::size_t>(most)));
      if (*count.data() != static_cast<int>(all.size()) || !std::equal(first.begin(), first.end(), listed.data()))
        return "wrong list of detections";
    }
  }
  return {};
}

std::string wrong(const Request& request, Size size, bool aligned, const GpuSettings& settings,
                  RecordingObserver& observer) {
  the_gpu().set(settings);
  observer.reset(32, 1, settings.resident_blocks);
  const auto seed = settings.schedule.seed + 1;
  try {
    if (request.blurs) return wrong_picture(size, seed, observer);
    if (request.tilts) return wrong_tilted(size, aligned, seed, observer);
    if (request.detects) return wrong_detections(request, size, seed, observer);
    return request.algorithm ? wrong_table(request, size, aligned, seed, observer)
                             : wrong_gray(size, aligned, seed, observer);
  } catch (const Fault& fault) {
    return fault.what();
  }
}

int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(std::string(text) + " is not a number");
  return value;
}

void parse_setting(std::string_view key, std::string_view value, Request& request) {
  if (key == "seeds")
    request.seeds = number(value);
  else if (key == "runs")
    request.runs = number(value);
  else if (key == "runs_left")
    request.runs_left = number(value);
  else if (key == "room")
    request.room = number(value);
  else if (key == "multiprocessors")
    request.limits.multiprocessors = number(value);
  else if (key == "shared")
    request.limits.shared_bytes = static_cast<std::size_t>(number(value)) * 1024;
  else if (request.detects && key == "window")
    request.cascade.window = {number(value), number(value)};
  else if (request.detects && key == "stages")
    request.cascade.stages = number(value);
  else if (request.detects && key == "trees")
    request.cascade.trees = number(value);
  else if (request.detects && key == "tilted")
    request.cascade.tilted = number(value) != 0;
  else if (request.detects && key == "lbp")
    request.cascade.lbp = number(value) != 0;
  else if (request.detects && key == "larger_trees")
    request.cascade.larger_trees = number(value) != 0;
  else
    request.arguments.set(key, value);
}

Request parse(const std::vector<std::string_view>& words) {
  if (words.size() < 2)
    throw std::invalid_argument(
        "usage: check_kernels ALGORITHM TYPE|luma|tilted|box_blur|detect_FILE [KEY=VALUE...] WxH...");
  Request request;
  std::size_t settings = 1;
  request.detects = words[0].starts_with("detect_");
  request.blurs = words[0] == "box_blur";
  request.tilts = words[0] == "tilted";
  if (words[0] != "luma" && !request.blurs && !request.tilts && !request.detects) {
    request.algorithm = sat::find_algorithm(words[0]);
    const auto* type = find_sat_type(words[settings++]);
    if (!request.algorithm || !type) throw std::invalid_argument("no such algorithm, or no such type");
    request.type = type->type;
    request.arguments = Arguments(request.algorithm->parameters);
  }
  for (const auto word : std::span(words).subspan(settings)) {
    const auto equals = word.find('='), x = word.find('x');
    if (equals != word.npos)
      parse_setting(word.substr(0, equals), word.substr(equals + 1), request);
    else if (x != word.npos)
      request.sizes.push_back({number(word.substr(0, x)), number(word.substr(x + 1))});
    else
      throw std::invalid_argument(std::string(word) + " is not a size");
  }
  return request;
}

int check(const Request& request) {
  RecordingObserver observer(the_gpu().heap());
  the_gpu().set_observer(&observer);
  const auto runs_right = [&](Size size, bool aligned, const GpuSettings& settings) {
    const auto found = wrong(request, size, aligned, settings, observer);
    if (found.empty()) return true;
    const bool random = settings.schedule.kind == Schedule::Kind::random;
    std::printf("%dx%d, %s rows, %s, %d resident blocks:\n%s\n", size.width, size.height, aligned ? "aligned" : "dense",
                random ? ("seed " + std::to_string(settings.schedule.seed)).c_str() : "in order", settings.resident_blocks,
                found.c_str());
    return false;
  };
  bool right = true;
  for (const auto size : request.sizes) {
    for (const bool aligned : {true, false}) right = right && runs_right(size, aligned, {});
    constexpr int residents[] = {2, 3, 5, 8, 16, 64};
    for (int seed = 0; right && seed < request.seeds; ++seed) {
      GpuSettings settings;
      if (request.room > 0)
        settings.taken = settings.resident_blocks - request.room;
      else
        settings.resident_blocks = residents[static_cast<std::size_t>(seed) % std::size(residents)];
      settings.schedule = {Schedule::Kind::random, static_cast<std::uint64_t>(seed)};
      right = runs_right(size, seed % 2 == 0, settings);
    }
  }
  the_gpu().set_observer(nullptr);
  return right ? 0 : 1;
}

}  // namespace
}  // namespace gpu::simulated

int main(int count, char** words) {
  try {
    return gpu::simulated::check(gpu::simulated::parse({words + 1, words + count}));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
