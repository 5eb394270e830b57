// Runs one algorithm of an observed build on small images, in order and in random schedules, and tells whether anything
// goes wrong: a wrong table, a race, a fault, a store beside the table. What planted faults are held against.
//
//   check_kernels 1r1w_skss_lb 8u32u W=32 seeds=8 100x130 33x200
//
// KEY=VALUE: the algorithm's parameters; seeds: how many random schedules (4); multiprocessors, shared (KiB per block):
// limits of the GPU that launches are planned for. Exit status: 0 all is right, 1 something was found, 2 it could not run.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/sat_runner.h"
#include "gpu/simulated/gpu.h"
#include "gpu/simulated/kernel_launch.h"
#include "gpu/simulated/observed/recording_observer.h"
#include "gpu/verify.h"

namespace gpu::simulated {
namespace {

struct Request {
  const SatAlgorithm* algorithm = nullptr;
  SatType type{};
  Arguments arguments;
  GpuLimits limits;
  int seeds = 4;
  std::vector<Size> sizes;
};

// Rows of a view follow each other as closely as may be, and memory ends with the last pixel: so a step beyond an edge
// leaves the allocation, or changes what another thread writes. `aligned`: rows start on the boundary of four elements,
// which kernels have a way of their own for; what is between them then must stay as it was.
class Matrix {
 public:
  Matrix(Size size, ElementType type, bool aligned)
      : view_(nullptr, size.width, size.height, aligned ? (size.width + 3) / 4 * 4 : size.width, type),
        bytes_((static_cast<std::size_t>(view_.stride) * static_cast<std::size_t>(size.height - 1) +
                static_cast<std::size_t>(size.width)) *
                   size_of(type),
               Device::cuda) {
    view_.data = bytes_.data();
    std::memset(bytes_.data(), untouched, bytes_.size());
  }
  AnyImageView view() const { return view_; }
  bool padding_is_untouched() const {
    const auto element = size_of(view_.type), row = static_cast<std::size_t>(view_.stride) * element;
    for (std::size_t y = 0; y + 1 < static_cast<std::size_t>(view_.height); ++y)
      for (std::size_t i = static_cast<std::size_t>(view_.width) * element; i < row; ++i)
        if (bytes_.data()[y * row + i] != std::byte{untouched}) return false;
    return true;
  }

 private:
  static constexpr unsigned char untouched = 0xa5;
  AnyImageView view_;
  Buffer<std::byte> bytes_;
};

template <class T>
void fill(ImageView<T> image, std::uint64_t seed) {
  Random random(seed);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image(x, y) = static_cast<T>(random.below(256));
}
void fill(AnyImageView image, std::uint64_t seed) {
  switch (image.type) {
    case ElementType::u8: return fill(image.as<std::uint8_t>(), seed);
    case ElementType::u32: return fill(image.as<std::uint32_t>(), seed);
    case ElementType::u64: return fill(image.as<std::uint64_t>(), seed);
    case ElementType::f32: return fill(image.as<float>(), seed);
    case ElementType::f64: return fill(image.as<double>(), seed);
  }
}

// Scratch memory that was used before: every word says 2, which as the status of a look-back's slot is a global sum.
Buffer<std::byte> used_workspace(std::size_t bytes) {
  Buffer<std::byte> workspace(bytes, Device::cuda);
  constexpr std::uint32_t word = 2;
  for (std::size_t i = 0; i + sizeof word <= bytes; i += sizeof word)
    std::memcpy(workspace.data() + i, &word, sizeof word);
  return workspace;
}

// What is wrong with one run; empty where nothing is.
std::string wrong(const Request& request, Size size, bool aligned, const GpuSettings& settings,
                  RecordingObserver& observer) {
  const auto& types = info(request.type);
  const Matrix image(size, types.input, aligned), table(size, types.sum, aligned);
  fill(image.view(), settings.schedule.seed + 1);
  const auto workspace = used_workspace(
      plan_sat(Device::cuda, 0, *request.algorithm, image.view(), table.view(), request.arguments).workspace_bytes);
  auto context = Context::on_stream(nullptr, {workspace.data(), workspace.size()});
  context.set_limits(request.limits);

  the_gpu().set(settings);
  observer.reset(32, 1, settings.resident_blocks);
  try {
    compute_sat(context, *request.algorithm, image.view(), table.view(), request.arguments);
  } catch (const Fault& fault) {
    return fault.what();
  }
  if (const auto seen = observer.results(); !seen.races.empty()) {
    const auto& race = seen.races.front();
    return race.what + ": " + (race.first.empty() ? "" : race.first + ", then ") + race.second;
  }
  if (!table.padding_is_untouched()) return "stores beside the table";
  return Verifier(Device::host, nullptr, image.view(), types.sum, true).wrong(table.view());
}

int number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument(std::string(text) + " is no number");
  return value;
}

Request parse(const std::vector<std::string_view>& words) {
  if (words.size() < 3) throw std::invalid_argument("usage: check_kernels ALGORITHM TYPE [KEY=VALUE...] WxH...");
  Request request;
  request.algorithm = find_sat_algorithm(words[0]);
  const auto* type = find_sat_type(words[1]);
  if (!request.algorithm || !type) throw std::invalid_argument("no such algorithm, or no such type");
  request.type = type->type;
  request.arguments = Arguments(request.algorithm->parameters);
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto word = words[i];
    if (const auto equals = word.find('='); equals != word.npos) {
      const auto key = word.substr(0, equals), value = word.substr(equals + 1);
      if (key == "seeds") request.seeds = number(value);
      else if (key == "multiprocessors") request.limits.multiprocessors = number(value);
      else if (key == "shared") request.limits.shared_bytes = static_cast<std::size_t>(number(value)) * 1024;
      else request.arguments.set(key, value);
    } else {
      const auto x = word.find('x');
      if (x == word.npos) throw std::invalid_argument(std::string(word) + " is no size");
      request.sizes.push_back({number(word.substr(0, x)), number(word.substr(x + 1))});
    }
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
