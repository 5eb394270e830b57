#include "gpu/simulated/observed/address_space.h"

#include <link.h>

#include <algorithm>

namespace gpu::simulated {
namespace {

// The segments of the program or library that contains `inside`.
std::vector<Heap::Range> segments_around(const void* inside) {
  struct Search {
    const void* inside;
    std::vector<Heap::Range> segments;
  } search{inside, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& search = *static_cast<Search*>(data);
        std::vector<Heap::Range> segments;
        bool found = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          segments.push_back({reinterpret_cast<std::byte*>(info->dlpi_addr + header.p_vaddr), header.p_memsz});
          found = found || segments.back().contains(search.inside, 1);
        }
        if (found) search.segments = std::move(segments);
        return found ? 1 : 0;
      },
      &search);
  return search.segments;
}

const char here = 0;  // in this image

std::string bytes_text(std::size_t bytes) { return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes"); }

}  // namespace

AddressSpace::AddressSpace(const Heap& heap) : heap_(heap), image_(segments_around(&here)) {}

bool AddressSpace::in_allocation(const void* at, std::size_t bytes) {
  for (std::size_t i = 1; i < known_.size(); ++i)
    if (known_[i].contains(at, bytes)) {
      std::rotate(known_.begin(), known_.begin() + static_cast<std::ptrdiff_t>(i),
                  known_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return true;
    }
  const auto range = heap_.at_or_before(at);
  if (!range || !range->contains(at, bytes)) return false;
  std::rotate(known_.begin(), known_.end() - 1, known_.end());
  known_[0] = *range;
  return true;
}

bool AddressSpace::in_image(const void* at, std::size_t bytes) const {
  return std::any_of(image_.begin(), image_.end(), [&](const auto& segment) { return segment.contains(at, bytes); });
}

std::string AddressSpace::describe(const Block& block, const void* at) const {
  const auto* address = static_cast<const std::byte*>(at);
  if (const auto offset = block.shared().offset_of(at); offset < SharedSpace::page_bytes)
    return block.shared().describe(offset);
  if (!heap_.owns(at)) return "at an address that is not in the GPU's memory";
  const auto before = heap_.at_or_before(at), after = heap_.first_after(at);
  const auto past = [&] { return static_cast<std::size_t>(address - before->data) - before->bytes; };
  const auto ahead = [&] { return static_cast<std::size_t>(after->data - address); };
  if (before && address < before->data + before->bytes)
    return "at offset " + std::to_string(address - before->data) + " of an allocation of " + bytes_text(before->bytes);
  if (before && (!after || past() <= ahead()))
    return bytes_text(past()) + " past the end of an allocation of " + bytes_text(before->bytes);
  if (after) return bytes_text(ahead()) + " before the start of an allocation of " + bytes_text(after->bytes);
  return "in memory that is not allocated";
}

void AddressSpace::forget() { known_ = {}; }

}  // namespace gpu::simulated
