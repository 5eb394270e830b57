// satscope sat: the summed area table of an image, as a NumPy array.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <opencv2/core.hpp>
#include <type_traits>

#include "app/capture/image_file.h"
#include "app/commands/commands.h"
#include "app/control/fields.h"
#include "app/control/settings_file.h"
#include "app/output/picture_files.h"
#include "app/output/trace_json.h"
#include "app/pipeline/tile_history.h"
#include "app/support/console.h"
#include "app/support/exit_code.h"
#include "app/support/files.h"
#include "app/support/machine.h"
#include "app/support/simulated_gpu.h"
#include "app/support/text.h"
#include "gpu/choice/fastest_algorithm.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat_runner.h"

namespace app {
namespace {

constexpr double modulus_of_u32 = 4294967296.0;

bool is_floating(const cv::Mat& gray) { return gray.depth() == CV_32F || gray.depth() == CV_64F; }

void check_content(const cv::Mat& gray, const gpu::SatTypeInfo& type, const std::string& path) {
  const bool floating = is_floating(gray);
  if (gray.depth() == CV_16U && gpu::stored(type.input) == gpu::ElementType::u8)
    throw ExitError(ExitCode::usage, "'" + path + "' has 16-bit pixels: choose --type 16u32u" +
                                         (cv::sum(gray)[0] < modulus_of_u32 ? "" : ", or 16u64u, which holds their sum"));
  if (floating && !cv::checkRange(gray))
    throw ExitError(ExitCode::source, "'" + path + "' has NaN or infinite pixels, which have no sum; replace them first");
  if (floating && !gpu::is_floating(type.input))
    throw ExitError(ExitCode::usage, "'" + path + "' has floating-point pixels: choose --type 32f32f or 64f64f");
  double least = 0, largest = 0;
  if (gpu::stored(type.input) == gpu::ElementType::f32) cv::minMaxLoc(gray, &least, &largest);
  if (std::max(-least, largest) > FLT_MAX)
    throw ExitError(ExitCode::usage, "'" + path + "' has pixels that no 32-bit number holds: choose --type 64f64f");
}

// The pixels in the algorithm's input type.
template <class Input>
gpu::Image<Input> as_input(const cv::Mat& gray) {
  gpu::Image<Input> image({gray.cols, gray.rows}, gpu::Device::host);
  const auto fill = [&]<class From>(const From*) {
    for (int y = 0; y < gray.rows; ++y)
      std::transform(gray.ptr<From>(y), gray.ptr<From>(y) + gray.cols, image.view().row(y),
                     [](From value) { return Input{static_cast<gpu::PixelValue<Input>>(value)}; });
  };
  switch (gray.depth()) {
    case CV_8U: fill(static_cast<const std::uint8_t*>(nullptr)); break;
    case CV_16U: fill(static_cast<const std::uint16_t*>(nullptr)); break;
    case CV_32F: fill(static_cast<const float*>(nullptr)); break;
    case CV_64F: fill(static_cast<const double*>(nullptr)); break;
    default: throw ExitError(ExitCode::source, "tables cannot be computed from the image's pixel type; convert it to PNG");
  }
  return image;
}

// Runs the algorithm a second time: `runner` has run it before.
void trace_tiles(gpu::SatRunner& runner, gpu::ImageView<const std::uint8_t> gray, const Selection& selection,
                 const std::string& path) {
  TileTracing tracing(runner.device());
  tracing.prepare(gray.size(), selection, 0);
  auto& context = runner.context();
  tracing.run(context, gray);
  write_trace(path, *tracing.take(true));
}

// Computes the table, into host memory, on the selection's device. `trace`: where a tile trace goes.
template <class Input, class Sum>
void compute_table(const gpu::Image<Input>& image, gpu::ImageView<Sum> table, const Selection& selection,
                   const std::optional<std::string>& trace) {
  const auto run = [&](gpu::SatRunner runner, gpu::ImageView<const Input> from, gpu::ImageView<Sum> to) {
    runner.run(*selection.algorithm, from, to, selection.algorithm_arguments);
    if constexpr (std::is_same_v<Input, std::uint8_t>)
      if (trace) trace_tiles(runner, from, selection, *trace);
  };
  if (selection.device == gpu::Device::simulated)
    return run(gpu::SatRunner::on_simulated(simulated_gpu()), image.view(), table);
  if (selection.device == gpu::Device::host) {
    gpu::ThreadPool pool;
    return run(gpu::SatRunner::on_host(pool), image.view(), table);
  }
  const gpu::Image<Input> image_there(image.size(), gpu::Device::cuda);  // same size and type: same pitch
  const gpu::Image<Sum> table_there(image.size(), gpu::Device::cuda);
  gpu::check(cudaMemcpy(image_there.view().data, image.view().data, image.span().size_bytes(), cudaMemcpyHostToDevice));
  run(gpu::SatRunner::on_stream(nullptr), image_there.view(), table_there.view());
  const auto row = [](std::ptrdiff_t elements) { return static_cast<std::size_t>(elements) * sizeof(Sum); };
  gpu::check(cudaMemcpy2D(table.data, row(table.stride), table_there.view().data, row(table_there.view().stride),
                          row(table.width), static_cast<std::size_t>(table.height), cudaMemcpyDeviceToHost));
}

// Sums of finite pixels that the table's type cannot hold.
template <class Sum>
void note_overflow(gpu::ImageView<const Sum> table) {
  std::int64_t count = 0;
  for (int y = 0; y < table.height; ++y)
    count += std::count_if(table.row(y), table.row(y) + table.width, [](Sum sum) { return !std::isfinite(sum); });
  if (count == 0) return;
  tell(counted(static_cast<std::uint64_t>(count), "sum") + (count == 1 ? " is" : " are") + " not finite: beyond what " +
       (sizeof(Sum) == sizeof(float) ? "32-bit numbers hold; --type 64f64f holds more"
                                     : "64-bit numbers hold; scale the image down"));
}

// The table is computed where the file's bytes are: it may be most of the memory that there is. `gray` is released.
template <class Input, class Sum>
std::string npy_of(cv::Mat& gray, const Selection& selection, const Options& options) {
  const auto image = as_input<Input>(gray);
  gray.release();
  NpyBytes file(gpu::element_type<Sum>(), image.size(), options.exclusive);
  const auto table = file.view<Sum>(image.size());
  compute_table<Input, Sum>(image, table, selection, options.trace);
  if constexpr (std::is_floating_point_v<Sum>) note_overflow<Sum>(table);
  return std::move(file.bytes);
}

std::string npy_of(gpu::SatType type, cv::Mat& gray, const Selection& selection, const Options& options) {
  switch (type) {
    case gpu::SatType::u8_u32: return npy_of<std::uint8_t, std::uint32_t>(gray, selection, options);
    case gpu::SatType::u8_f32: return npy_of<std::uint8_t, float>(gray, selection, options);
    case gpu::SatType::u32_u32: return npy_of<std::uint32_t, std::uint32_t>(gray, selection, options);
    case gpu::SatType::f32_f32: return npy_of<float, float>(gray, selection, options);
    case gpu::SatType::f64_f64: return npy_of<double, double>(gray, selection, options);
    case gpu::SatType::u8_u64: return npy_of<std::uint8_t, std::uint64_t>(gray, selection, options);
    case gpu::SatType::u16_u32: return npy_of<std::uint16_t, std::uint32_t>(gray, selection, options);
    case gpu::SatType::u16_u64: return npy_of<std::uint16_t, std::uint64_t>(gray, selection, options);
    case gpu::SatType::u8_f64: return npy_of<std::uint8_t, double>(gray, selection, options);
    case gpu::SatType::f32_f64: return npy_of<float, double>(gray, selection, options);
    case gpu::SatType::u8_u64_plain: return npy_of<gpu::Plain<std::uint8_t>, std::uint64_t>(gray, selection, options);
    case gpu::SatType::u16_u64_squares: return npy_of<gpu::Squared<std::uint16_t>, std::uint64_t>(gray, selection, options);
    case gpu::SatType::f32_f64_squares: return npy_of<gpu::Squared<float>, double>(gray, selection, options);
  }
  return {};
}

// The tables of a picture that fits may not.
void check_room(const cv::Mat& gray, const gpu::SatTypeInfo& type, const std::string& path) {
  const auto bytes = gpu::size_of(type.input) + gpu::size_of(type.sum);
  require_memory(static_cast<double>(gray.total()) * static_cast<double>(bytes), "the table of '" + path + "'",
                 "choose a smaller picture, or a --type with smaller numbers");
}

// Entries that are not the sums themselves, and the type that has them: one line, or nothing.
std::string what_is_inexact(const cv::Mat& gray, const gpu::SatTypeInfo& type) {
  constexpr double exact_to = 16777216.0;  // of whole numbers of f32
  const auto sum = type.term == gpu::Term::pixel && !is_floating(gray) ? cv::sum(gray)[0] : 0;
  const bool wraps = type.sum == gpu::ElementType::u32 && sum >= modulus_of_u32;
  if (!wraps && (type.sum != gpu::ElementType::f32 || sum <= exact_to)) return {};
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.0f", sum);
  return "sums reach " + std::string(digits) + (wraps ? ": entries are modulo 2^32" : ": entries above 2^24 are rounded") +
         "; --type " + (gray.depth() == CV_16U ? "16u64u" : "64f64f") + " holds them";
}

// An algorithm that nobody named is one that has the type.
void find_able(const Options& options, const gpu::SatTypeInfo& type, int height, Selection& selection) {
  const auto names_algorithm = [](const Change& change) {
    return change.path == "algorithm" || change.path.ends_with("_algorithm") ||
           !find_field(change.path);  // a parameter of it
  };
  if (std::ranges::any_of(options.changes, names_algorithm)) return;
  const auto& able = gpu::table_algorithm(*selection.algorithm, type.type, height, selection.device);
  if (&able == selection.algorithm) return;
  selection.algorithm = &able;
  selection.algorithm_arguments = gpu::Arguments(able.parameters);
}

void check_trace(const Options& options, const gpu::SatTypeInfo& type, const Selection& selection) {
  check_kept(*options.trace, {});
  if (type.type != gpu::SatType::u8_u32) throw ExitError(ExitCode::usage, "--trace records tiles of --type 8u32u only");
  if (const auto why = why_no_tiles(*selection.algorithm); !why.empty()) throw ExitError(ExitCode::usage, why);
  const std::filesystem::path others[] = {options.output};
  check_result(*options.trace, capture::image_path(options.image), others);
}

}  // namespace

void run_sat(const Options& given) {
  outlive_readers();
  auto options = given;
  const auto kernels = options.kernels.empty() ? nullptr : load_kernels(options, gpu::probe_gpu());
  const auto& type = named_type(options.type);
  auto [selection, notice] = selection_of_command(options);
  const auto image = capture::image_path(options.image);
  check_result(options.output, image);
  check_kept(options.output, {});
  if (options.trace) check_trace(options, type, selection);
  auto gray = capture::read_gray(image, picture_memory(options));
  check_content(gray, type, options.image);
  check_room(gray, type, options.image);
  find_able(options, type, gray.rows, selection);
  const auto inexact = what_is_inexact(gray, type);
  require_tried(kernels.get(), selection, {gray.cols, gray.rows});
  if (!notice.empty()) tell(notice);
  auto wait = tell_if_simulation_is_long(selection.device);
  const auto table = npy_of(type.type, gray, selection, options);
  wait.reset();
  write_file(options.output, table);
  if (!inexact.empty()) tell(inexact);
}

}  // namespace app
