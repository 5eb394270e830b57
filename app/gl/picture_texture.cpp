#include "app/gl/picture_texture.h"

#include <algorithm>
#include <string>
#include <utility>

#include "app/gl/gl_object.h"
#include "gpu/execution/readback.h"

namespace app::gl {
namespace {

std::string text(gpu::Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

// Writes to the columns from `x` on.
void write(gpu::ImageView<const gpu::Rgba> pixels, int x) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, static_cast<GLint>(pixels.stride));
  glTexSubImage2D(GL_TEXTURE_2D, 0, x, 0, pixels.width, pixels.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data);
  glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

}  // namespace

int largest_texture_side() {
  GLint side = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &side);
  return side;
}

void require_texture_size(gpu::Size size) {
  const int max_side = largest_texture_side();
  if (size.width < 1 || size.height < 1 || size.width > max_side || size.height > max_side)
    throw GlError(GL_INVALID_VALUE, "a picture of " + text(size) + " cannot be shown: this OpenGL's textures have at most " +
                                        text({max_side, max_side}) + " pixels; request a smaller --size");
}

PictureTexture::PictureTexture(gpu::Size size) : size_(size) {
  require_texture_size(size);
  clear_errors();
  texture_ = Texture::create();
  glBindTexture(GL_TEXTURE_2D, texture_.id());
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  check();
}

void TextureUpload::operator()(const PicturePixels& picture, const PictureTexture& texture) {
  glBindTexture(GL_TEXTURE_2D, texture.id());
  if (through_buffers_) {
    const auto [width, height] = picture.size();
    fill_next_buffer(picture);
    write({nullptr, width, height, width}, 0);
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
  } else {
    glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
    picture.each_side(write);
  }
  check();
}

void TextureUpload::fill_next_buffer(const PicturePixels& picture) {
  Buffer& buffer = ring_[next_];
  next_ = (next_ + 1) % static_cast<int>(std::size(ring_));
  if (!buffer) buffer = Buffer::create();
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer.id());
  // Orphaned: if the GPU still reads the old bytes of the buffer, the driver provides new memory, and nothing waits.
  const auto bytes = static_cast<GLsizeiptr>(picture.size().pixels() * sizeof(gpu::Rgba));
  glBufferData(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr, GL_STREAM_DRAW);
  auto* to = static_cast<gpu::Rgba*>(
      glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT));
  if (!to) {
    check();
    throw GlError(GL_OUT_OF_MEMORY, "a pixel buffer could not be mapped");
  }
  copy_on_host(picture, to, picture.size().width);
  glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
}

std::uint64_t ReadbackRing::queue(gpu::Context& context, const PicturePixels& picture) {
  if (!slots_) slots_.emplace();
  Slot& slot = slot_for_next();
  if (slot.pixels.size() < picture.size().pixels()) {
    if (slot.order) slot.arrived.wait();  // its memory may still be written
    slot.order = 0;
    slot.pixels = {};
    slot.pixels = gpu::PinnedBuffer<gpu::Rgba>(picture.size().pixels(), true);
  }
  context.call({"copy to texture", gpu::SpanKind::transfer}, [&](cudaStream_t stream) {
    return queue_copy_to_host(picture, slot.pixels.data(), picture.size().width, stream);
  });
  slot.arrived.record(context.stream());
  slot.size = picture.size();
  return slot.order = ++queued_;
}

// A free slot; otherwise the newest: its copy runs before the new one, in stream order, and is not read yet.
ReadbackRing::Slot& ReadbackRing::slot_for_next() {
  for (Slot& slot : slots_->slots)
    if (slot.order == 0) return slot;
  return *newest();
}

ReadbackRing::Slot* ReadbackRing::newest() {
  if (!slots_) return nullptr;
  Slot* slot = std::ranges::max_element(slots_->slots, {}, &Slot::order);
  return slot->order ? slot : nullptr;
}

std::optional<ReadbackRing::Picture> ReadbackRing::take() {
  if (!slots_) return std::nullopt;
  Slot* latest = nullptr;
  for (Slot& slot : slots_->slots) {
    if (slot.order == 0) continue;
    if (!slot.arrived.passed()) continue;
    if (latest && latest->order > slot.order) {
      slot.order = 0;
      continue;
    }
    if (latest) latest->order = 0;
    latest = &slot;
  }
  if (!latest) return std::nullopt;
  taken_ = std::exchange(latest->order, 0);
  return Picture{latest->pixels.data(), latest->size.width, latest->size.height, latest->size.width};
}

std::optional<ReadbackRing::Picture> ReadbackRing::wait_and_take() {
  if (Slot* slot = newest()) slot->arrived.wait();
  return take();
}

void ReadbackRing::drop() noexcept {
  if (!newest()) return;
  gpu::settle(newest()->arrived);  // a slot may be reused only when nothing writes it
  for (Slot& slot : slots_->slots) slot.order = 0;
}

}  // namespace app::gl
