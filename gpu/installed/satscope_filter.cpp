#include <cuda_runtime_api.h>

#include <limits>
#include <optional>
#include <utility>

#include "gpu/effect.h"
#include "gpu/installed/satscope_backend.h"
#include "gpu/parameter.h"
#include "gpu/pictures/check_views.h"
#include "gpu/sat.h"
#include "gpu/sat_runner.h"
#include "gpu/satscope.h"
#include "gpu/tables/tables.h"

namespace satscope {
namespace {

using namespace detail;

// A filter computes a picture and nothing else.
bool is_filter(const gpu::Effect& effect) { return !effect.most_annotations && !effect.prepare; }

}  // namespace

struct Filter::State {
  State(Size size, Pixels pixels, const std::string& name, const std::string& parameters, const Options& options,
        const std::optional<gpu::GpuInfo>& gpu)
      : size{size.width, size.height},
        pixels(pixels),
        effect(effect_of(name)),
        arguments(effect.parameters),
        choice(choice_of(options, gpu, this->size, gpu::SatType::u8_u32)),
        backend(gpu, options.threads, "the filter") {
    if (pixels != gray && pixels != bgr) throw Error("pixels are satscope::Filter::gray or satscope::Filter::bgr");
    if (options.padded || options.tilted) throw Error("a filter makes its own table: leave Options::padded and tilted off");
    gpu::set_from_text(arguments, parameters);
    if (pixels == gray && arguments.has("colour") && arguments.text("colour") == gpu::automatic_choice)
      arguments.set("colour", "off");
    arguments = gpu::arguments_on(effect, std::move(arguments), backend.device());
    channels = effect.channels(arguments) == 1 ? 1 : 4;
    backend.reserve([&](gpu::Context& context) {
      const auto canvas = gpu::view_without_memory<gpu::Rgba>(this->size);
      compute(context, nullptr, gpu::view_without_memory<gpu::Bgr>(this->size).stride * std::ptrdiff_t{sizeof(gpu::Bgr)},
              {{}, canvas});
    });
  }

  static const gpu::Effect& effect_of(const std::string& name) {
    const auto* effect = gpu::find_effect(name);
    if (!effect) throw Error("no filter '" + name + "': satscope::filters() lists them");
    if (!is_filter(*effect)) throw Error(name + " is not a pixel filter: satscope::filters() lists them");
    return *effect;
  }

  void compute(gpu::Context& context, const void* image, std::ptrdiff_t pitch, const gpu::Canvas& canvas) const {
    const gpu::Context::ScratchScope scope(context);
    gpu::EffectInput input;
    input.algorithm = choice.algorithm;
    input.algorithm_arguments = &choice.arguments;
    const bool needs_gray = effect.needs_gray(arguments);
    if (pixels == gray)
      input.gray = {static_cast<const std::uint8_t*>(image), size.width, size.height, pitch};
    else
      input.colour = {static_cast<const gpu::Bgr*>(image), size.width, size.height, pitch};
    if (pixels == bgr && needs_gray) {
      const auto levels = context.scratch_image<std::uint8_t>(size);
      gpu::luma(context, input.colour, levels);
      input.gray = levels;
    }
    if (needs_gray) {
      const auto table = context.scratch_image<std::uint32_t>(size);
      input.compute_sat(context, input.gray, table);
      input.tables.sum = table;
    }
    gpu::run_effect(context, effect, input, canvas, arguments);
  }

  void run(const void* image, std::size_t image_pitch, const gpu::Canvas& canvas, cudaStream_t stream) {
    // A row of colours, too, may begin at any byte: cudaMallocPitch() knows of no three bytes.
    const auto pitch = stride_of(image_pitch, 1, "the pitch of the image");
    auto& context = backend.context(stream);
    backend.check_memory(image, "the image");
    // All that compute() would refuse, as for a plan.
    if (pixels == gray)
      gpu::check_canvas(context, "the filter", canvas,
                        {{"the image", gpu::ImageView<const std::uint8_t>{static_cast<const std::uint8_t*>(image),
                                                                          size.width, size.height, pitch}}});
    else
      gpu::check_canvas(context, "the filter", canvas,
                        {{"the image", gpu::BgrView(static_cast<const gpu::Bgr*>(image), size.width, size.height, pitch)}});
    // Likewise what the algorithm does not take of rows so far apart: a library may count bytes in an int.
    if (pixels == gray && effect.needs_gray(arguments) && pitch > std::numeric_limits<int>::max())
      gpu::plan_sat(backend.device(), 0, *choice.algorithm,
                    gpu::ImageView<const std::uint8_t>{nullptr, size.width, size.height, pitch},
                    gpu::view_without_memory<std::uint32_t>(size), choice.arguments);
    backend.run([&] { compute(context, image, pitch, canvas); });
  }
  void run(const void* image, std::size_t image_pitch, void* result, std::size_t result_pitch, cudaStream_t stream) {
    const auto pixel = static_cast<std::size_t>(channels);
    const auto stride = stride_of(result_pitch, pixel, "the pitch of the result");
    backend.check_memory(result, "the result");
    gpu::Canvas canvas;
    if (channels == 1)
      canvas.gray = {static_cast<std::uint8_t*>(result), size.width, size.height, stride};
    else
      canvas.rgba = {static_cast<gpu::Rgba*>(result), size.width, size.height, stride};
    run(image, image_pitch, canvas, stream);
  }
  // A surface that is too small, or has other pixels, would end the GPU's context.
  void check_surface([[maybe_unused]] cudaSurfaceObject_t surface) const {
    if (backend.on_host()) throw Error("the filter is for the host, and only a GPU draws on a surface: pass memory");
#ifdef CUDART_VERSION
    cudaResourceDesc resource{};
    gpu::check(cudaGetSurfaceObjectResourceDesc(&resource, surface));
    if (resource.resType != cudaResourceTypeArray)
      throw Error("the surface does not belong to a CUDA array: make it from the array of a texture");
    cudaChannelFormatDesc format{};
    cudaExtent extent{};
    unsigned flags = 0;
    gpu::check(cudaArrayGetInfo(&format, &extent, &flags, resource.res.array.array));
    if (format.x + format.y + format.z + format.w != 32)
      throw Error("a pixel of the surface has " + std::to_string(format.x + format.y + format.z + format.w) +
                  " bits, and the filter draws 32: use the format GL_RGBA8");
    if (extent.width < static_cast<std::size_t>(size.width) || extent.height < static_cast<std::size_t>(size.height))
      throw Error("the surface has " + std::to_string(extent.width) + "x" + std::to_string(extent.height) +
                  " pixels, and the filter draws " + std::to_string(size.width) + "x" + std::to_string(size.height));
#endif
  }
  void run_once() {
    if (backend.on_host()) return;
    const auto bytes = pixels == gray ? std::size_t{1} : sizeof(gpu::Bgr);
    const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
    const auto pitch = width * bytes, result_pitch = width * static_cast<std::size_t>(channels);
    const gpu::Stream stream;
    const gpu::Buffer<std::byte> image(pitch * height, backend.device()), result(result_pitch * height, backend.device());
    gpu::check(cudaMemsetAsync(image.data(), 0, image.size(), stream));
    run(image.data(), pitch, result.data(), result_pitch, stream);
    gpu::check(cudaStreamSynchronize(stream));
  }

  gpu::Size size;
  Pixels pixels;
  const gpu::Effect& effect;
  gpu::Arguments arguments;
  Choice choice;
  Backend backend;
  int channels = 1;
};

Filter::Filter(Size size, Pixels pixels, const std::string& name, const std::string& parameters, const Options& options) {
  as_error(size, [&] {
    const auto gpu = gpu_of(options.device);
    const BesideCaptures beside(gpu.has_value());
    state_ = std::make_unique<State>(size, pixels, name, parameters, options, gpu);
    state_->run_once();
  });
}
Filter::State& Filter::state() const {
  if (!state_) throw Error("the filter was moved to another one");
  return *state_;
}
Filter::~Filter() = default;
Filter::Filter(Filter&&) noexcept = default;
Filter& Filter::operator=(Filter&&) noexcept = default;

void Filter::operator()(const void* image, std::size_t image_pitch, void* result, std::size_t result_pitch,
                        CUstream_st* stream) {
  as_error([&] {
    const auto lock = state().backend.lock();
    state().run(image, image_pitch, result, result_pitch, stream);
  });
}

void Filter::draw(const void* image, std::size_t image_pitch, unsigned long long surface, CUstream_st* stream) {
  as_error([&] {
    const auto lock = state().backend.lock();
    state().check_surface(surface);
    state().run(image, image_pitch, gpu::Canvas::on_surface(surface, state().size), stream);
  });
}

Device Filter::device() const { return state().backend.on_host() ? host : cuda; }

int Filter::result_channels() const { return state().channels; }

std::string Filter::parameters() const {
  return text_of(gpu::used_arguments(state().effect, state().arguments, state().size));
}

std::size_t Filter::memory_bytes() const { return state().backend.memory_bytes(); }

std::vector<std::string> filters() {
  std::vector<std::string> names;
  for (const auto* effect : gpu::all_effects())
    if (is_filter(*effect)) names.emplace_back(effect->name);
  return names;
}

}  // namespace satscope
