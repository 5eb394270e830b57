#include "app/output/picture_files.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "app/capture/image_header.h"
#include "app/pipeline/picture_drawing.h"
#include "app/support/files.h"
#include "app/support/text.h"
#include "app/support/threads.h"
#include "gpu/cuda/error.h"
#include "gpu/execution/readback.h"

namespace app {
namespace {

std::vector<unsigned char> encoded(const std::filesystem::path& path, const cv::Mat& pixels) {
  check_png(path, {pixels.cols, pixels.rows});
  std::vector<unsigned char> bytes;
  if (!cv::imencode(".png", pixels, bytes))
    throw std::runtime_error("cannot write " + path.string() + ": OpenCV cannot encode it as PNG");
  return bytes;
}

// OpenCV has no constant images; nothing is written through this one.
template <class T>
cv::Mat as_mat(gpu::ImageView<const T> view, int type) {
  return {view.height, view.width, type, const_cast<T*>(view.data), static_cast<std::size_t>(view.stride) * sizeof(T)};
}

static_assert(std::endian::native == std::endian::little, "the descriptions below say little endian");

const char* description(gpu::ElementType type) {
  switch (gpu::stored(type)) {
    case gpu::ElementType::u8: return "|u1";
    case gpu::ElementType::u16: return "<u2";
    case gpu::ElementType::u32: return "<u4";
    case gpu::ElementType::u64: return "<u8";
    case gpu::ElementType::f32: return "<f4";
    default: return "<f8";
  }
}

// Magic, version, length and dictionary, padded so that the data starts at a multiple of 64 bytes.
std::string header(gpu::ElementType type, std::size_t height, std::size_t width) {
  constexpr std::size_t before = 10, unit = 64;
  std::string dictionary = std::string("{'descr': '") + description(type) + "', 'fortran_order': False, 'shape': (" +
                           std::to_string(height) + ", " + std::to_string(width) + "), }";
  const auto total = (before + dictionary.size() + 1 + unit - 1) / unit * unit;
  dictionary.append(total - before - dictionary.size() - 1, ' ');
  dictionary += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary;
}

bool has_colour(gpu::ImageView<const gpu::Rgba> picture) {
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x)
      if (const auto& [r, g, b, a] = picture(x, y); r != g || g != b) return true;
  return false;
}

}  // namespace

void check_png(const std::filesystem::path& path, gpu::Size size) {
  using capture::longest_of_libpng;
  if (static_cast<std::uint64_t>(std::max(size.width, size.height)) > longest_of_libpng)
    throw std::runtime_error("cannot write " + path.string() + ": its picture is " + text_of(size) +
                             ", and libpng writes at most " + std::to_string(longest_of_libpng) +
                             " pixels per side; make it smaller");
}

std::vector<unsigned char> png_of(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture, bool gray) {
  const auto rgba = as_mat(picture, CV_8UC4);
  cv::Mat written;
  if (gray && !has_colour(picture))
    cv::extractChannel(rgba, written, 0);
  else
    cv::cvtColor(rgba, written, cv::COLOR_RGBA2BGR);
  return encoded(path, written);
}

void write_png(const std::filesystem::path& path, gpu::ImageView<const gpu::Rgba> picture, bool gray) {
  write_file(path, png_of(path, picture, gray));
}

void write_png(const std::filesystem::path& path, gpu::ImageView<const std::uint8_t> gray) {
  write_file(path, encoded(path, as_mat(gray, CV_8UC1)));
}

NpyBytes::NpyBytes(gpu::ElementType type, gpu::Size size, bool exclusive) {
  const std::size_t element = gpu::size_of(type), extra = exclusive ? 1 : 0;
  const auto width = static_cast<std::size_t>(size.width) + extra, height = static_cast<std::size_t>(size.height) + extra;
  bytes = header(type, height, width);
  first = bytes.size() + extra * (width + 1) * element;
  stride = static_cast<std::ptrdiff_t>(width);
  bytes.resize(bytes.size() + height * width * element);  // zeros
}

void PictureFiles::add(gpu::Context& context, const Picture& picture, ResultName name, bool squares, bool gray, Put put) {
  on_the_way_.push_back({std::move(name), copies_.make(context, picture.pixels), with_side_labels(picture, squares), squares,
                         gray, std::move(put)});
}

void PictureFiles::hand_on(const Write& write, bool wait) {
  for (; !on_the_way_.empty(); on_the_way_.pop_front()) {
    const auto& first = on_the_way_.front();
    Job job;
    try {
      if (wait) first.copy->wait();
      if (!first.copy->ready()) return;
      job = writing(first);
    } catch (const gpu::CudaError& error) {
      job = [why = std::string(error.what())](const auto& path) {
        throw std::runtime_error("cannot write " + path.string() + ": " + why);
      };
    }
    write(first.name, std::move(job));
  }
}

// The annotations are copied: they belong to this thread.
PictureFiles::Job PictureFiles::writing(const OnTheWay& picture) {
  const auto list = picture.annotations.list();
  return [copy = picture.copy, annotations = std::vector(list.begin(), list.end()), squares = picture.squares,
          gray = picture.gray, put = picture.put](const auto& path) {
    const auto pixels = copy->view();
    const auto drawn = drawn_for_file(pixels, annotations, squares);
    auto png = png_of(path, drawn.size().pixels() > 0 ? gpu::ImageView<const gpu::Rgba>(drawn.view()) : pixels, gray);
    put ? put(std::move(png)) : write_file(path, png);
  };
}

struct PictureCopies::Unused {
  std::mutex mutex;
  std::vector<std::unique_ptr<Copy>> copies;
  std::size_t made = 0;       // in all
  std::optional<int> device;  // of CUDA, where they belong to one

  // By whichever thread held the last copy: to release page-locked memory must not begin to use another GPU.
  ~Unused() {
    if (device) cudaSetDevice(*device);
    copies.clear();
  }

  std::unique_ptr<Copy> take(bool from_gpu) {
    const std::lock_guard lock(mutex);
    const auto fits = std::ranges::find_if(copies, [&](const auto& copy) { return copy->arrived_.has_value() == from_gpu; });
    if (fits == copies.end()) {
      ++made;
      return std::make_unique<Copy>(from_gpu);
    }
    auto copy = std::move(*fits);
    copies.erase(fits);
    return copy;
  }
  void put(std::unique_ptr<Copy> copy) {
    const std::lock_guard lock(mutex);
    copies.push_back(std::move(copy));
  }
  // Whether one more is to be made, counting those that take() made meanwhile.
  bool wants_more(std::size_t count) {
    const std::lock_guard lock(mutex);
    return made < count && ++made;
  }
};

PictureCopies::PictureCopies() : unused_(std::make_shared<Unused>()) {}
PictureCopies::~PictureCopies() = default;

void PictureCopies::prepare(gpu::Context& context, gpu::Size size, std::size_t count) {
  const bool from_gpu = context.device() == gpu::Device::cuda;
  if (int device = 0; from_gpu && cudaGetDevice(&device) == cudaSuccess) unused_->device = device;
  const auto make_ready = [unused = unused_, from_gpu, size, count](const std::stop_token& stop) {
    try {
      if (unused->device) gpu::check(cudaSetDevice(*unused->device));  // of this thread
      while (!stop.stop_requested() && unused->wants_more(count)) {
        auto copy = std::make_unique<Copy>(from_gpu);
        copy->reserve(size);
        unused->put(std::move(copy));
      }
    } catch (const std::exception&) {  // make() finds no memory either, and says so
    }
  };
  try {
    preparing_ = start_thread(make_ready);
  } catch (const std::runtime_error&) {  // make() makes each when it is needed
  }
}

std::shared_ptr<const PictureCopies::Copy> PictureCopies::make(gpu::Context& context, const PicturePixels& picture) {
  auto copy = unused_->take(context.device() == gpu::Device::cuda);
  copy->fill(context, picture);
  return {copy.release(), [unused = unused_](Copy* used) { unused->put(std::unique_ptr<Copy>(used)); }};
}

PictureCopies::Copy::Copy(bool from_gpu) {
  if (from_gpu) arrived_.emplace();
}

PictureCopies::Copy::~Copy() {
  if (arrived_) gpu::settle(*arrived_);  // nothing may still write to the memory that goes
}

std::size_t PictureCopies::unused() const {
  const std::lock_guard lock(unused_->mutex);
  return unused_->copies.size();
}

void PictureCopies::Copy::reserve(gpu::Size size) {
  if (pixels_.size() < size.pixels()) pixels_ = gpu::PinnedBuffer<gpu::Rgba>(size.pixels(), arrived_.has_value());
}

void PictureCopies::Copy::fill(gpu::Context& context, const PicturePixels& picture) {
  size_ = picture.size();
  reserve(size_);
  context.call({"copy to recording", gpu::SpanKind::transfer}, [&](cudaStream_t stream) {
    if (arrived_) return queue_copy_to_host(picture, pixels_.data(), size_.width, stream);
    copy_on_host(picture, pixels_.data(), size_.width);
    return cudaSuccess;
  });
  if (arrived_) arrived_->record(context.stream());
}

bool PictureCopies::Copy::ready() const { return !arrived_ || arrived_->passed(); }

void PictureCopies::Copy::wait() const {
  if (arrived_) arrived_->wait();
}

}  // namespace app
