#include "gpu/simulated/shared_space.h"

#include <sys/mman.h>

#include <algorithm>

#include "gpu/simulated/pages.h"

namespace gpu::simulated {
namespace {

// Twice all 32 banks, so that every area begins in the first bank. (On a GPU static arrays follow each other directly.)
constexpr std::size_t gap = 256;

}  // namespace

SharedSpace::SharedSpace() : pages_(static_cast<std::byte*>(map_pages(page_bytes))) { begin(0, usual_capacity); }
SharedSpace::~SharedSpace() { munmap(pages_, page_bytes); }

void SharedSpace::begin(std::size_t dynamic_bytes, std::size_t limit) {
  areas_.assign(1, {nullptr, gap, dynamic_bytes});
  dynamic_bytes_ = used_ = dynamic_bytes;
  limit_ = limit;
}

std::byte* SharedSpace::find_or_place(const void* key, std::size_t bytes, std::size_t alignment) {
  for (const auto& area : areas_)
    if (area.key == key) return pages_ + area.offset;
  const std::size_t coarse = std::max(alignment, gap);
  const std::size_t offset = (extent() + gap + coarse - 1) / coarse * coarse;
  const bool fits = used_ + bytes <= limit_ && used_ - dynamic_bytes_ + bytes <= usual_capacity;
  if (!fits || offset + bytes > page_bytes) return nullptr;
  used_ += bytes;
  areas_.push_back({key, offset, bytes});
  return pages_ + offset;
}

bool SharedSpace::in_one_area(std::size_t offset, std::size_t bytes) const {
  return std::any_of(areas_.begin(), areas_.end(),
                     [&](const Area& area) { return offset >= area.offset && offset + bytes <= area.offset + area.bytes; });
}

// The nearer of the areas before and after.
std::string SharedSpace::describe(std::size_t offset) const {
  const auto of = [](const Area& area) { return " a shared array of " + std::to_string(area.bytes) + " bytes"; };
  std::string text = "in shared memory, of which the block has none";
  std::size_t nearest = page_bytes;
  for (const auto& area : areas_) {
    if (area.bytes == 0) continue;
    const std::size_t end = area.offset + area.bytes;
    if (offset >= area.offset && offset < end) return "at offset " + std::to_string(offset - area.offset) + " of" + of(area);
    const std::size_t away = offset < area.offset ? area.offset - offset : offset - end;
    if (away >= nearest) continue;
    nearest = away;
    text = std::to_string(away) + " bytes " + (offset < area.offset ? "before the start of" : "past the end of") + of(area);
  }
  return text;
}

}  // namespace gpu::simulated
