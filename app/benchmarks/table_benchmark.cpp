#include "app/benchmarks/host_benchmarks.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>

#include "gpu/execution/thread_pool.h"
#include "gpu/sat.h"

namespace app::benchmarks {
namespace {

void clear_in_parallel(gpu::ThreadPool& pool, std::span<std::uint32_t> table) {
  const auto parts = static_cast<std::size_t>(pool.threads());
  pool.run(pool.threads(), [&](int part) {
    const auto begin = table.size() * static_cast<std::size_t>(part) / parts;
    const auto end = table.size() * static_cast<std::size_t>(part + 1) / parts;
    std::memset(table.data() + begin, 0, (end - begin) * sizeof(std::uint32_t));
  });
}

// An algorithm with a table and scratch memory of its own, so that one contender's table in the caches does not affect the next.
class OwnTable {
 public:
  OwnTable(const gpu::SatAlgorithm& algorithm, gpu::ThreadPool& pool, gpu::ImageView<const std::uint8_t> image)
      : algorithm_(algorithm),
        arguments_(algorithm.parameters),
        pool_(pool),
        image_(image),
        table_(image.size(), gpu::Device::host) {
    auto dry = gpu::Context::dry(gpu::Device::host, pool.threads());
    gpu::compute_sat(dry, algorithm, image, table_.view(), arguments_);
    workspace_ = gpu::Buffer<std::byte>(dry.workspace_bytes(), gpu::Device::host);
  }

  void compute() {
    auto context = gpu::Context::on_host(pool_, workspace_.span());
    gpu::compute_sat(context, algorithm_, image_, table_.view(), arguments_);
  }
  std::string name() const { return std::string(algorithm_.name); }

  // The table of cv::integral has one more row and column, of zeros.
  void check_equal(const cv::Mat& theirs) const {
    const auto ours = table_.view();
    for (int y = 0; y < ours.height; ++y)
      if (std::memcmp(ours.row(y), theirs.ptr<int>(y + 1) + 1, static_cast<std::size_t>(ours.width) * sizeof(int)) != 0)
        throw std::runtime_error(name() + " and cv::integral differ in row " + std::to_string(y));
  }

 private:
  const gpu::SatAlgorithm& algorithm_;
  gpu::Arguments arguments_;
  gpu::ThreadPool& pool_;
  gpu::ImageView<const std::uint8_t> image_;
  gpu::Image<std::uint32_t> table_;
  gpu::Buffer<std::byte> workspace_;
};

}  // namespace

void compare_tables(gpu::Size size, double seconds) {
  cv::Mat pixels(size.height, size.width, CV_8U);
  cv::randu(pixels, 0, 256);
  const gpu::ImageView<const std::uint8_t> image{pixels.ptr<std::uint8_t>(), size.width, size.height,
                                                 static_cast<std::ptrdiff_t>(pixels.step)};
  const gpu::Image<std::uint32_t> cleared(size, gpu::Device::host);
  gpu::ThreadPool pool;
  cv::Mat integral;
  std::vector<std::unique_ptr<OwnTable>> tables;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (algorithm->device == gpu::Device::host) tables.push_back(std::make_unique<OwnTable>(*algorithm, pool, image));

  std::vector<Contender> contenders{{"cv::integral", [&] { cv::integral(pixels, integral, CV_32S); }}};
  for (const auto& table : tables) contenders.push_back({table->name(), [own = table.get()] { own->compute(); }});
  contenders.push_back({"memset", [&] { clear_in_parallel(pool, cleared.span()); }});
  const auto check = [&] {
    contenders[0].run();
    for (const auto& table : tables) {
      table->compute();
      table->check_equal(integral);
    }
  };
  check();
  alternate(contenders, seconds);
  check();

  std::printf("%dx%d, 8u32u, %zu rounds\n", size.width, size.height, contenders[0].microseconds.size());
  const double peer = contenders[0].median();
  for (const auto& contender : contenders)
    std::printf("  %-14s median %9.1f us   min %9.1f us   %.2fx cv::integral\n", contender.name.c_str(), contender.median(),
                contender.minimum(), peer / contender.median());
}

namespace {

struct Kind {
  const char* type;
  int input, sum;
};
constexpr Kind kinds[] = {
    {"8u32u", CV_8U, CV_32S}, {"8u32f", CV_8U, CV_32F}, {"32f32f", CV_32F, CV_32F}, {"64f64f", CV_64F, CV_64F}};
constexpr gpu::Size sizes[] = {{256, 256},   {512, 512},   {1024, 1024}, {1920, 1080},
                               {2048, 2048}, {3840, 2160}, {4096, 4096}, {8192, 8192}};

double median_of(const Kind& kind, gpu::Size size) {
  cv::Mat image(size.height, size.width, kind.input), table;
  cv::randu(image, 0, kind.input == CV_8U ? 256 : 1);
  std::vector<Contender> one{{"cv::integral", [&] { cv::integral(image, table, kind.sum); }}};
  alternate(one, 0.5);
  return one[0].median();
}

}  // namespace

void write_opencv_times(const std::string& file) {
  std::ofstream out(file);
  if (!out) throw std::runtime_error("cannot write " + file);  // now, not after the measurement
  for (const auto& kind : kinds)
    for (const auto size : sizes) {
      out << "cv::integral," << kind.type << ',' << size.width << ',' << size.height << ',' << median_of(kind, size) << '\n';
      std::printf("%s %dx%d\n", kind.type, size.width, size.height);
      std::fflush(stdout);
    }
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file);
}

}  // namespace app::benchmarks
