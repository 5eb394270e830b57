#include "gpu/simulated/default_stream.h"

#include <cstring>
#include <mutex>
#include <vector>

namespace gpu::simulated {
namespace {

struct Late {
  void* to;
  int value;
  std::size_t bytes;
  std::vector<std::byte> from;  // empty: it is cleared
};

std::mutex late_mutex;
std::vector<Late> late_work;  // in its order

void do_later(Late&& late) {
  const std::lock_guard lock(late_mutex);
  late_work.push_back(std::move(late));
}

}  // namespace

void clear_later(void* data, int value, std::size_t bytes) {
  if (bytes > 0) do_later({data, value, bytes, {}});
}

void copy_later(void* to, const void* from, std::size_t bytes) {
  const auto* first = static_cast<const std::byte*>(from);
  if (bytes > 0) do_later({to, 0, bytes, {first, first + bytes}});
}

void finish_default_stream() {
  const std::lock_guard lock(late_mutex);
  for (const auto& late : late_work) {
    if (late.from.empty())
      std::memset(late.to, late.value, late.bytes);
    else
      std::memcpy(late.to, late.from.data(), late.bytes);
  }
  late_work.clear();
}

}  // namespace gpu::simulated
