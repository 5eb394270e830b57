#include "app/gl/shared_texture.h"

#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/gl/context_info.h"
#include "app/gl/gl_error.h"
#include "app/gl/mapped_texture.h"
#include "app/gl/picture_texture.h"
#include "app/gl/readback_ring.h"

namespace app::gl {

using Picture = gpu::ImageView<const gpu::Rgba>;

// If anything throws here, the texture keeps the previous picture.
struct SharedTexture::State {
  State(bool interop, std::string reason) : interop(interop), reason(std::move(reason)) {}

  bool interop;
  std::string reason;
  PictureTexture texture;
  std::unique_ptr<MappedTexture> mapped;  // after the texture: it is unregistered first
  TextureUpload upload{!describe_context().software};
  ReadbackRing readback;
  std::vector<gpu::Annotation> annotations;                                    // of the picture in the texture
  std::deque<std::pair<std::uint64_t, std::vector<gpu::Annotation>>> pending;  // of pictures in flight, by number

  void fill_from_host(Picture picture);
  void fill_mapped(gpu::Context& context, Picture picture);
  void take_arrived(std::optional<Picture> picture);
  void stage(std::string why) {
    interop = false;
    reason = std::move(why);
    mapped.reset();
  }
};

void SharedTexture::State::fill_from_host(Picture picture) {
  if (texture.size() == picture.size()) return upload(picture, texture);
  PictureTexture next(picture.size());
  upload(picture, next);
  mapped.reset();
  texture = std::move(next);
}

void SharedTexture::State::take_arrived(std::optional<Picture> picture) {
  if (!picture) return;
  fill_from_host(*picture);
  for (; !pending.empty() && pending.front().first <= readback.taken(); pending.pop_front())
    annotations = std::move(pending.front().second);
}

void SharedTexture::State::fill_mapped(gpu::Context& context, Picture picture) {
  if (texture.size() == picture.size()) {
    if (!mapped) mapped = std::make_unique<MappedTexture>(texture);
    return mapped->copy(context, picture);
  }
  PictureTexture next(picture.size());
  auto next_mapped = std::make_unique<MappedTexture>(next);
  next_mapped->copy(context, picture);
  mapped = std::move(next_mapped);
  texture = std::move(next);
}

SharedTexture::SharedTexture(bool interop, std::string reason_if_not)
    : state_(std::make_unique<State>(interop, interop ? std::string() : std::move(reason_if_not))) {}

SharedTexture::~SharedTexture() = default;

void SharedTexture::show(gpu::Context& context, Picture picture, std::span<const gpu::Annotation> annotations) {
  require_texture_size(picture.size());
  const auto shown = [&] {
    state_->annotations.assign(annotations.begin(), annotations.end());
    state_->pending.clear();
  };
  if (context.device() != gpu::Device::cuda) {
    state_->readback.drop();
    context.call("copy to texture", [&](cudaStream_t) { state_->fill_from_host(picture); });
    return shown();
  }
  if (state_->interop) {
    try {
      state_->fill_mapped(context, picture);
      return shown();
    } catch (const gpu::CudaError& error) {
      state_->stage(error.what());
      clear_errors();
    }
  }
  state_->take_arrived(state_->readback.take());
  state_->pending.emplace_back(state_->readback.queue(context, picture),
                               std::vector(annotations.begin(), annotations.end()));
}

// A lost GPU costs the pictures in flight; the pipeline reports it.
unsigned SharedTexture::texture() {
  try {
    state_->take_arrived(state_->readback.take());
  } catch (const gpu::CudaError&) {
    state_->readback.drop();
  }
  return state_->texture.id();
}

void SharedTexture::flush() { state_->take_arrived(state_->readback.wait_and_take()); }

gpu::Size SharedTexture::size() const { return state_->texture.size(); }
std::span<const gpu::Annotation> SharedTexture::annotations() const { return state_->annotations; }
bool SharedTexture::interop() const { return state_->interop; }
const std::string& SharedTexture::reason() const { return state_->reason; }

}  // namespace app::gl
