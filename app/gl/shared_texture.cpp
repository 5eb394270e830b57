#include "app/gl/shared_texture.h"

#include <glad/gl.h>

#include <cuda_gl_interop.h>  // after glad, which refuses to come after OpenGL's own header
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/gl/gl_object.h"
#include "app/gl/picture_texture.h"
#include "gpu/context.h"
#include "gpu/cuda/device.h"
#include "gpu/cuda/memory.h"
#include "gpu/pictures/canvas.h"

namespace app::gl {

namespace {

// Interop of CUDA and OpenGL: registers one texture with CUDA, which can then write into it.
class MappedTexture {
 public:
  // Registers the texture, once; it must outlive this. Throws gpu::CudaError.
  explicit MappedTexture(const PictureTexture& texture);
  ~MappedTexture();  // unmaps it, and waits for the work that writes to it
  MappedTexture(const MappedTexture&) = delete;
  MappedTexture& operator=(const MappedTexture&) = delete;

  // Maps the texture, where it is not yet, and returns its surface. Work that is queued on `stream` afterwards may write to
  // it, and waits until OpenGL has drawn what is in it; OpenGL must not use it before unmap(). Throws gpu::CudaError; then
  // this is to be destroyed.
  cudaSurfaceObject_t map(cudaStream_t stream);
  // What OpenGL draws afterwards sees what was queued on the stream before. Throws likewise.
  void unmap();
  // Maps it, queues the copy of `picture` (of its size, on the context's GPU), timed as "copy to texture", and unmaps it
  // again. Throws likewise.
  void copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture);

 private:
  cudaGraphicsResource_t resource_ = nullptr;
  std::optional<cudaStream_t> mapped_on_;
  std::optional<gpu::Surface> surface_;  // of the most recently mapped array
};

MappedTexture::MappedTexture(const PictureTexture& texture) {
  gpu::check(
      cudaGraphicsGLRegisterImage(&resource_, texture.id(), GL_TEXTURE_2D, cudaGraphicsRegisterFlagsSurfaceLoadStore));
}

MappedTexture::~MappedTexture() {
  if (mapped_on_) cudaGraphicsUnmapResources(1, &resource_, *mapped_on_);
  if (surface_) cudaDeviceSynchronize();  // work that is queued may write to it
  surface_.reset();
  cudaGraphicsUnregisterResource(resource_);
  cudaGetLastError();  // of any of these: the GPU may be lost
}

cudaSurfaceObject_t MappedTexture::map(cudaStream_t stream) {
  if (mapped_on_ == stream && surface_) return surface_->object();
  if (mapped_on_) unmap();
  gpu::check(cudaGraphicsMapResources(1, &resource_, stream));
  mapped_on_ = stream;
  cudaArray_t array = nullptr;
  gpu::check(cudaGraphicsSubResourceGetMappedArray(&array, resource_, 0, 0));
  // In practice every mapping returns the same array, but this is not guaranteed.
  if (!surface_ || surface_->array() != array) surface_.emplace(array);
  return surface_->object();
}

void MappedTexture::unmap() {
  if (const auto stream = std::exchange(mapped_on_, std::nullopt))
    gpu::check(cudaGraphicsUnmapResources(1, &resource_, *stream));
}

void MappedTexture::copy(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture) {
  map(context.stream());  // not within the timed call: it may wait for OpenGL
  try {
    gpu::copy_to_surface(context, "copy to texture", picture, *surface_);
  } catch (...) {
    unmap();
    throw;
  }
  unmap();
}

// The side of the picture in probe_interop(), in pixels.
constexpr int side = 16;
using Pattern = std::array<gpu::Rgba, side * side>;

Pattern make_pattern() {
  Pattern pattern{};
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x)
      pattern[static_cast<std::size_t>(y * side + x)] = {
          static_cast<std::uint8_t>(x * 16), static_cast<std::uint8_t>(y * 16), static_cast<std::uint8_t>(x ^ y), 255};
  return pattern;
}

// Writes the pattern with CUDA and reads it back with OpenGL.
bool round_trip() {
  const PictureTexture texture({side, side});
  const Pattern pattern = make_pattern();
  gpu::Buffer<gpu::Rgba> on_gpu(pattern.size(), gpu::Device::cuda);
  gpu::check(cudaMemcpyAsync(on_gpu.data(), pattern.data(), sizeof pattern, cudaMemcpyHostToDevice, cudaStreamPerThread));
  gpu::Context context = gpu::Context::on_stream(cudaStreamPerThread, {});
  MappedTexture(texture).copy(context, {on_gpu.data(), side, side, side});
  gpu::check(cudaStreamSynchronize(cudaStreamPerThread));
  Pattern seen{};
  glBindTexture(GL_TEXTURE_2D, texture.id());
  glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, seen.data());
  check();
  return std::equal(pattern.begin(), pattern.end(), seen.begin(),
                    [](gpu::Rgba a, gpu::Rgba b) { return a.r == b.r && a.g == b.g && a.b == b.b && a.a == b.a; });
}

// The CUDA device that also draws, or the reason why there is none.
Interop find_device(const gpu::GpuInfo& gpu) {
  const GlInfo gl = describe_context();
  const Interop elsewhere{false, gpu.index, "OpenGL draws on " + gl.renderer + ", CUDA computes on " + gpu.name};
  // Only NVIDIA's driver is sure to support the query.
  if (gl.vendor.find("NVIDIA") == gl.vendor.npos) return elsewhere;
  unsigned count = 0;
  int device = gpu.index;
  const cudaError_t code = cudaGLGetDevices(&count, &device, 1, cudaGLDeviceListAll);
  if (code != cudaSuccess) {
    cudaGetLastError();
    if (code == cudaErrorNoDevice) return elsewhere;
    return {false, gpu.index, std::string("cudaGLGetDevices: ") + cudaGetErrorName(code) + ": " + cudaGetErrorString(code)};
  }
  if (count == 0) return elsewhere;
  return {true, device, "", true};
}

}  // namespace

Interop probe_interop() {
  const gpu::GpuProbe probe = gpu::probe_gpu();
  if (!probe.gpu) return {false, 0, probe.reason};
  Interop interop = find_device(*probe.gpu);
  if (!interop.works) return interop;
  int device_before = 0;
  cudaGetDevice(&device_before);
  try {
    gpu::check(cudaSetDevice(interop.cuda_device));
    if (!round_trip()) interop = {false, interop.cuda_device, "OpenGL does not see what CUDA writes into a texture", true};
  } catch (const std::exception& error) {
    interop = {false, interop.cuda_device, error.what(), true};
    clear_errors();
    cudaGetLastError();
  }
  cudaSetDevice(device_before);
  return interop;
}

namespace {

using Picture = gpu::ImageView<const gpu::Rgba>;

// A picture in a texture.
struct Filled {
  PictureTexture texture;
  std::unique_ptr<MappedTexture> mapped;  // after the texture: it is unregistered first
  PictureAnnotations annotations;
};

// Two pictures may be under way on the GPU: where a third is made, the annotations of the first have arrived.
constexpr std::size_t most_coming = 2;

}  // namespace

// If anything throws here, the texture keeps the previous picture.
struct SharedTexture::State {
  State(bool interop, std::string reason) : interop(interop), reason(std::move(reason)) {}

  bool interop;
  std::string reason, error;
  Filled shown;
  std::deque<Filled> coming;  // pictures whose annotations have not arrived, oldest first; not drawn until they have
  std::vector<Filled> spare;
  std::optional<Filled> drawn;  // a mapped one, for the picture under way
  TextureUpload upload{!describe_context().software};
  ReadbackRing readback;
  std::deque<std::pair<std::uint64_t, PictureAnnotations>> pending;  // of pictures in flight, by number

  void fill_from_host(Filled& filled, const PicturePixels& picture);
  void fill_mapped(Filled& filled, gpu::Context& context, Picture picture);
  void take_arrived(std::optional<Picture> picture);
  void show_arrived();
  Filled take_spare();
  void keep_spare(std::size_t most) { spare.resize(std::min(spare.size(), most)); }
  void put_drawn(const PictureAnnotations& annotations);
  template <class Fill>
  void put(const PictureAnnotations& annotations, const Fill& fill);
  template <class Use>
  bool through_interop(const Use& use);
  void stage(std::string why) {
    interop = false;
    reason = std::move(why);
    shown.mapped.reset();
    coming.clear();
    spare.clear();
    drawn.reset();
  }
};

void SharedTexture::State::fill_from_host(Filled& filled, const PicturePixels& picture) {
  if (filled.texture.size() == picture.size()) return upload(picture, filled.texture);
  PictureTexture next(picture.size());
  upload(picture, next);
  filled.mapped.reset();
  filled.texture = std::move(next);
}

// Annotations arrive before the copy of their picture. They are fetched here, where a GPU that failed is expected: those of
// the shown picture can be read without fail.
void SharedTexture::State::take_arrived(std::optional<Picture> picture) {
  if (!picture) return;
  auto annotations = shown.annotations;
  for (; !pending.empty() && pending.front().first <= readback.taken(); pending.pop_front())
    annotations = std::move(pending.front().second);
  annotations.wait();
  fill_from_host(shown, *picture);
  shown.annotations = std::move(annotations);
}

void SharedTexture::State::fill_mapped(Filled& filled, gpu::Context& context, Picture picture) {
  if (filled.texture.size() == picture.size()) {
    if (!filled.mapped) filled.mapped = std::make_unique<MappedTexture>(filled.texture);
    return filled.mapped->copy(context, picture);
  }
  PictureTexture next(picture.size());
  auto next_mapped = std::make_unique<MappedTexture>(next);
  next_mapped->copy(context, picture);
  filled.mapped = std::move(next_mapped);
  filled.texture = std::move(next);
}

void SharedTexture::State::show_arrived() {
  for (; !coming.empty() && coming.front().annotations.arrived(); coming.pop_front()) {
    std::swap(shown, coming.front());
    spare.push_back(std::move(coming.front()));
  }
}

// Shows what fill(Filled&) puts into a texture: at once, or in another texture when its annotations have arrived.
template <class Fill>
void SharedTexture::State::put(const PictureAnnotations& annotations, const Fill& fill) {
  if (annotations.arrived()) {  // older pictures are not asked for theirs: their GPU may be lost
    fill(shown);
    shown.annotations = annotations;
    std::ranges::move(coming, std::back_inserter(spare));
    coming.clear();
    if (annotations.list().empty()) keep_spare(interop ? 1 : 0);  // the next picture may be drawn on it
    return;
  }
  show_arrived();
  if (coming.size() < most_coming) {
    auto next = take_spare();
    fill(next);
    coming.push_back(std::move(next));
  } else {
    fill(coming.back());
  }
  coming.back().annotations = annotations;
}

Filled SharedTexture::State::take_spare() {
  if (spare.empty()) return {};
  auto one = std::move(spare.back());
  spare.pop_back();
  return one;
}

// As put(), of a texture that is filled already.
void SharedTexture::State::put_drawn(const PictureAnnotations& annotations) {
  drawn->mapped->unmap();
  auto next = *std::exchange(drawn, std::nullopt);
  next.annotations = annotations;
  if (annotations.arrived()) {
    std::swap(shown, next);
    std::ranges::move(coming, std::back_inserter(spare));
    coming.clear();
    if (annotations.list().empty()) keep_spare(0);
    spare.push_back(std::move(next));
    return;
  }
  show_arrived();
  if (coming.size() == most_coming) {
    spare.push_back(std::move(coming.back()));
    coming.pop_back();
  }
  coming.push_back(std::move(next));
}

// False where it does not work, and from then on.
template <class Use>
bool SharedTexture::State::through_interop(const Use& use) {
  if (!interop) return false;
  try {
    use();
    return true;
  } catch (const gpu::CudaError& error) {
    stage(error.what());
    clear_errors();
    return false;
  }
}

SharedTexture::SharedTexture(bool interop, std::string reason_if_not)
    : state_(std::make_unique<State>(interop, interop ? std::string() : std::move(reason_if_not))) {}

SharedTexture::~SharedTexture() = default;

void SharedTexture::show(gpu::Context& context, const PicturePixels& picture, const PictureAnnotations& annotations) {
  require_texture_size(picture.size());
  if (context.device() != gpu::Device::cuda) {
    state_->readback.drop();
    state_->drawn.reset();
    context.call({"copy to texture", gpu::SpanKind::transfer}, [&](cudaStream_t) {
      state_->put(annotations, [&](Filled& filled) { state_->fill_from_host(filled, picture); });
    });
    return state_->pending.clear();
  }
  if (show_by_interop(context, picture, annotations)) return;
  state_->take_arrived(state_->readback.take());
  state_->pending.emplace_back(state_->readback.queue(context, picture), annotations);
}

// False where it does not work.
bool SharedTexture::show_by_interop(gpu::Context& context, const PicturePixels& picture,
                                    const PictureAnnotations& annotations) {
  if (picture.wiped()) {
    const auto to = surface(context, picture.size());
    if (!to) return false;
    gpu::draw_wipe(context, picture, gpu::Canvas::on_surface(*to, picture.size()));
    return show_surface(picture.size(), annotations);
  }
  const auto copy = [&](Filled& filled) { state_->fill_mapped(filled, context, picture.left); };
  if (!state_->through_interop([&] { state_->put(annotations, copy); })) return false;
  state_->pending.clear();
  return true;
}

std::optional<cudaSurfaceObject_t> SharedTexture::surface(gpu::Context& context, gpu::Size size) {
  std::optional<cudaSurfaceObject_t> surface;
  auto& drawn = state_->drawn;
  const auto make = [&] {
    if (!drawn) drawn = state_->take_spare();
    if (drawn->texture.size() != size) {
      drawn.reset();
      drawn = Filled{PictureTexture(size), nullptr, {}};
    }
    if (!drawn->mapped) drawn->mapped = std::make_unique<MappedTexture>(drawn->texture);
    surface = drawn->mapped->map(context.stream());
  };
  try {
    if (!state_->through_interop(make)) return {};
  } catch (const GlError&) {  // too large: the copy will say so
    drawn.reset();
  }
  return surface;
}

bool SharedTexture::show_surface(gpu::Size size, const PictureAnnotations& annotations) {
  if (!state_->drawn || state_->drawn->texture.size() != size ||
      !state_->through_interop([&] { state_->put_drawn(annotations); }))
    return false;
  state_->pending.clear();
  return true;
}

// A lost GPU costs the pictures in flight; the pipeline reports it.
unsigned SharedTexture::texture() {
  try {
    state_->show_arrived();
    state_->take_arrived(state_->readback.take());
  } catch (const gpu::CudaError&) {
    state_->coming.clear();
    state_->readback.drop();
    state_->pending.clear();
  } catch (const GlError& error) {  // the picture before stays
    state_->error = error.what();
  }
  return state_->shown.texture.id();
}

std::string SharedTexture::take_error() { return std::exchange(state_->error, {}); }

void SharedTexture::flush() {
  for (const auto& one : state_->coming) one.annotations.wait();
  state_->show_arrived();
  state_->take_arrived(state_->readback.wait_and_take());
}

gpu::Size SharedTexture::size() const { return state_->shown.texture.size(); }
std::span<const gpu::Annotation> SharedTexture::annotations() const { return state_->shown.annotations.list(); }
bool SharedTexture::interop() const { return state_->interop; }
const std::string& SharedTexture::reason() const { return state_->reason; }

}  // namespace app::gl
