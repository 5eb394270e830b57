#include "gpu/simulated/observed/access_log.h"

#include <algorithm>

namespace gpu::simulated {
namespace {

constexpr std::size_t first_slots = 64;

// Addresses of code have 47 bits.
std::uint64_t make_key(const void* place, AccessKind kind, unsigned bytes) {
  return reinterpret_cast<std::uintptr_t>(place) << 16 | static_cast<std::uint64_t>(kind) << 8 | bytes;
}
std::size_t hash(std::uint64_t key) { return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> 32); }

}  // namespace

void WarpLog::add(unsigned lane, const void* place, AccessKind kind, unsigned bytes, std::uint64_t address) {
  const auto key = make_key(place, kind, bytes);
  Lane& who = lanes_[lane];
  WarpRequest* request = nullptr;
  if (who.expected < requests_.size()) {
    WarpRequest* const expected = requests_[who.expected];
    if (expected->key == key && sites_[expected->site].next[lane] == expected->occurrence) request = expected;
  }
  if (!request) request = find(lane, key, kind, bytes);
  request->lanes |= 1u << lane;
  request->addresses[lane] = address;
  ++sites_[request->site].next[lane];
  who.expected = request->position + 1;
  ++who.accesses;
}

WarpRequest* WarpLog::find(unsigned lane, std::uint64_t key, AccessKind kind, unsigned bytes) {
  const auto index = site_of(key);
  Site& site = sites_[index];
  const std::uint32_t occurrence = site.next[lane];
  if (occurrence < site.requests.size()) return site.requests[occurrence];
  WarpRequest* const request = pool_.take();
  request->kind = kind;
  request->bytes = static_cast<std::uint8_t>(bytes);
  request->lanes = 0;
  request->key = key;
  request->site = index;
  request->position = static_cast<std::uint32_t>(requests_.size());
  request->occurrence = occurrence;
  requests_.push_back(request);
  site.requests.push_back(request);
  return request;
}

std::uint32_t WarpLog::site_of(std::uint64_t key) {
  if (2 * (site_count_ + 1) > slots_.size()) rehash(std::max(first_slots, 2 * slots_.size()));
  std::size_t slot = hash(key) & (slots_.size() - 1);
  while (slots_[slot] >= 0 && sites_[static_cast<std::size_t>(slots_[slot])].key != key)
    slot = (slot + 1) & (slots_.size() - 1);
  if (slots_[slot] < 0) {
    if (site_count_ == sites_.size()) sites_.emplace_back();
    Site& site = sites_[site_count_];
    site.key = key;
    site.requests.clear();
    site.next.fill(0);
    slots_[slot] = static_cast<std::int32_t>(site_count_++);
  }
  return static_cast<std::uint32_t>(slots_[slot]);
}

void WarpLog::rehash(std::size_t slots) {
  slots_.assign(slots, -1);
  for (std::size_t i = 0; i < site_count_; ++i) {
    std::size_t slot = hash(sites_[i].key) & (slots - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<std::int32_t>(i);
  }
}

void WarpLog::clear() {
  for (WarpRequest* request : requests_) pool_.give_back(request);
  requests_.clear();
  lanes_.fill({});
  if (site_count_ > 0) std::fill(slots_.begin(), slots_.end(), -1);
  site_count_ = 0;
}

}  // namespace gpu::simulated
