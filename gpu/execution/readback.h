// Readback: an asynchronous copy of a few bytes from a context's device to the host.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "gpu/context.h"
#include "gpu/cuda/event.h"
#include "gpu/cuda/memory.h"

namespace gpu {

// Waits until `event` has passed or the GPU has failed: then what was queued before it writes no more.
void settle(const Event& event) noexcept;

class Readback {
 public:
  // Room for `bytes`, page-locked if there is a GPU to read from.
  Readback(Device device, std::size_t bytes);
  ~Readback();  // waits for what is on its way
  Readback(const Readback&) = delete;
  Readback& operator=(const Readback&) = delete;

  // Copies at once (host), or queues the copy, timed under `name`. `from` is memory of the context's device, which work
  // queued later may overwrite. The previous copy must have arrived. On a dry context nothing is copied, and what had arrived
  // stays.
  void queue(Context& context, std::string_view name, const void* from, std::size_t bytes);
  bool arrived() const;
  void wait() const;                                                            // until it has
  std::span<const std::byte> bytes() const { return {memory_.data(), size_}; }  // once it has
  std::size_t capacity() const { return memory_.size(); }

 private:
  PinnedBuffer<std::byte> memory_;
  std::size_t size_ = 0;
  std::optional<Event> event_;  // on a GPU only
};

}  // namespace gpu
