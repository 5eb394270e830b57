#include "gpu/simulated/shared_space.h"

#include <sys/mman.h>

#include <algorithm>

#include "gpu/simulated/pages.h"

namespace gpu::simulated {
namespace {

// All 32 banks once or more: the bank of a word does not depend on the gaps before it.
constexpr std::size_t gap = 256;

}  // namespace

SharedSpace::SharedSpace() : pages_(static_cast<std::byte*>(map_pages(page_bytes))) { begin(0); }
SharedSpace::~SharedSpace() { munmap(pages_, page_bytes); }

void SharedSpace::begin(std::size_t dynamic_bytes) {
  areas_.assign(1, {nullptr, gap, dynamic_bytes});
  used_ = dynamic_bytes;
}

std::byte* SharedSpace::find_or_place(const void* key, std::size_t bytes, std::size_t alignment) {
  for (const auto& area : areas_)
    if (area.key == key) return pages_ + area.offset;
  const std::size_t coarse = std::max(alignment, gap);
  const std::size_t offset = (extent() + gap + coarse - 1) / coarse * coarse;
  if (used_ + bytes > capacity || offset + bytes > page_bytes) return nullptr;
  used_ += bytes;
  areas_.push_back({key, offset, bytes});
  return pages_ + offset;
}

bool SharedSpace::in_one_area(std::size_t offset, std::size_t bytes) const {
  return std::any_of(areas_.begin(), areas_.end(), [&](const Area& area) {
    return offset >= area.offset && offset + bytes <= area.offset + area.bytes;
  });
}

std::string SharedSpace::describe(std::size_t offset) const {
  const auto array = [](const Area& area) { return "a shared array of " + std::to_string(area.bytes) + " bytes"; };
  const auto after = std::find_if(areas_.begin(), areas_.end(), [&](const Area& area) { return offset < area.offset; });
  if (after == areas_.begin()) return std::to_string(after->offset - offset) + " bytes before the start of " + array(*after);
  const auto& before = *(after - 1);
  const auto into = offset - before.offset;
  if (into < before.bytes) return "at offset " + std::to_string(into) + " of " + array(before);
  return std::to_string(into - before.bytes) + " bytes past the end of " + array(before);
}

}  // namespace gpu::simulated
