#include "gpu/simulated/observed/race_detector.h"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "gpu/simulated/heap.h"
#include "gpu/simulated/place.h"
#include "gpu/simulated/thread.h"

namespace gpu::simulated {
namespace {

const char anchor = 0;

// Compares counters modulo 2^16.
bool before(std::uint16_t a, std::uint16_t b) { return static_cast<std::int16_t>(a - b) < 0; }

bool same_warp(std::uint32_t a, std::uint32_t b) { return a / lanes_per_warp == b / lanes_per_warp; }

// How far apart the readers of a cell are when `now`, which is not ordered after them, joins them.
Touch::Spread joined(const Touch& earlier, const Touch& now) {
  if (earlier.block != now.block) return Touch::several_blocks;
  const auto spread = static_cast<Touch::Spread>(earlier.spread);
  if (!same_warp(earlier.thread, now.thread)) return std::max(spread, Touch::one_block);
  return earlier.thread == now.thread ? spread : std::max(spread, Touch::one_warp);
}

}  // namespace

void Touch::set_place(const void* address) {
  const auto offset = reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(&anchor);
  place_low = static_cast<std::uint32_t>(offset);
  place_high = offset >> 32 & 0x7ff;
}

const void* Touch::place() const {
  constexpr unsigned unused = 64 - 43;
  const auto bits = (std::uint64_t{place_high} << 32 | place_low) << unused;
  return reinterpret_cast<const void*>(reinterpret_cast<std::intptr_t>(&anchor) +
                                       (static_cast<std::int64_t>(bits) >> unused));
}

ShadowMemory::ShadowMemory(std::size_t bytes) : bytes_(bytes / word_bytes * sizeof(ShadowCell)) {
  cells_ = static_cast<ShadowCell*>(reserve_addresses(bytes_));  // zero: a cell of an untouched word
}

ShadowMemory::~ShadowMemory() { munmap(cells_, bytes_); }

void ShadowMemory::clear() { madvise(cells_, bytes_, MADV_DONTNEED); }

bool RaceDetector::ordered(const Touch& earlier, const Toucher& who, Memory memory) const {
  // Data of earlier blocks in shared memory causes no race; reading it is reported as never_written.
  if (earlier.block != who.block) return memory == Memory::shared || earlier.block < who.first_block;
  if (earlier.spread == Touch::several_blocks) return false;
  if (earlier.spread == Touch::one_thread && earlier.thread == who.thread) return true;
  if (earlier.barriers != who.barriers_before) return before(earlier.barriers, who.barriers_before);
  return earlier.spread <= Touch::one_warp && same_warp(earlier.thread, who.thread) &&
         before(earlier.warp_epoch, who.warp_epoch_before) &&
         (!who.known || before(earlier.warp_epoch, who.known[earlier.thread % lanes_per_warp]));
}

void RaceDetector::read(ShadowCell& cell, const Touch& now, const Toucher& who, Memory memory, const void* place) {
  const Touch& writer = cell.writer;
  if (memory == Memory::shared && (writer.block != now.block || (writer.ever & now.bytes) == 0))
    report(What::never_written, memory, nullptr, place);
  else if (writer.block && (writer.bytes & now.bytes) && !(writer.strong && now.strong) && !ordered(writer, who, memory))
    report(What::read_after_write, memory, &writer, place);

  Touch& reader = cell.reader;
  const bool same_moment = reader.block == now.block && reader.thread == now.thread && reader.spread == Touch::one_thread &&
                           reader.barriers == now.barriers && reader.warp_epoch == now.warp_epoch;
  if (same_moment) {
    reader.bytes |= now.bytes;
    reader.strong &= now.strong;
    reader.set_place(place);
  } else if (reader.block && reader.bytes == now.bytes && !ordered(reader, who, memory)) {
    const auto spread = joined(reader, now);
    const void* const kept_place = reader.strong ? place : reader.place();  // a plain access races with more accesses
    const bool strong = reader.strong && now.strong;
    reader = now;
    reader.set_place(kept_place);
    reader.spread = spread;
    reader.strong = strong;
  } else {
    reader = now;
  }
}

void RaceDetector::write(ShadowCell& cell, const Touch& now, const Toucher& who, Memory memory, const void* place) {
  Touch& writer = cell.writer;
  const Touch& reader = cell.reader;
  const auto races = [&](const Touch& earlier) {
    return earlier.block && (earlier.bytes & now.bytes) && !(earlier.strong && now.strong) && !ordered(earlier, who, memory);
  };
  if (races(writer)) report(What::write_after_write, memory, &writer, place);
  if (races(reader)) report(What::write_after_read, memory, &reader, place);

  const bool same_block = writer.block == now.block;
  const bool same_moment = same_block && writer.thread == now.thread && writer.barriers == now.barriers &&
                           writer.warp_epoch == now.warp_epoch && writer.strong == now.strong;
  const std::uint32_t ever = (same_block ? writer.ever : 0u) | now.bytes;
  const std::uint32_t bytes = now.bytes | (same_moment ? writer.bytes : 0u);
  writer = now;
  writer.ever = ever & 0xf;
  writer.bytes = bytes & 0xf;
}

void RaceDetector::touch(Memory memory, ShadowCell* cells, std::size_t offset, std::size_t bytes, Access access,
                         const Toucher& who, const void* place) {
  Touch now;
  now.block = who.block;
  now.set_place(place);
  now.barriers = who.barriers;
  now.warp_epoch = who.warp_epoch;
  now.thread = who.thread & (max_threads - 1);
  now.strong = access.strong;
  for (const auto end = offset + bytes; offset < end;) {
    const auto word = offset / word_bytes, word_end = std::min(end, (word + 1) * word_bytes);
    now.bytes = (((1u << (word_end - offset)) - 1) << offset % word_bytes) & 0xf;
    if (access.reads) read(cells[word], now, who, memory, place);
    if (access.writes) write(cells[word], now, who, memory, place);
    offset = word_end;
  }
}

void RaceDetector::read_early(const void* copy_place, const void* place) {
  ++found_[{What::read_early, Memory::shared, copy_place, place, false}];
}

void RaceDetector::report(What what, Memory memory, const Touch* earlier, const void* second) {
  const bool other_launch = earlier && memory == Memory::global && earlier->block < first_block_;
  ++found_[{what, memory, earlier ? earlier->place() : nullptr, second, other_launch}];
}

std::size_t RaceDetector::Hash::operator()(const Found& found) const {
  const auto mix = [](std::uint64_t bits) { return bits * 0x9e3779b97f4a7c15u; };
  return static_cast<std::size_t>(
      mix(mix(reinterpret_cast<std::uintptr_t>(found.first)) ^ reinterpret_cast<std::uintptr_t>(found.second)) ^
      (static_cast<std::uint64_t>(found.what) << 1 | static_cast<std::uint64_t>(found.memory)));
}

std::string RaceDetector::text(const Found& found) {
  const std::string where = found.memory == Memory::global ? "global " : "shared ";
  const std::string launch = found.other_launch ? " by a launch before, without wait_for_previous_launch()" : "";
  switch (found.what) {
    case What::read_after_write: return where + "read after write" + launch;
    case What::write_after_write: return where + "write after write" + launch;
    case What::write_after_read: return where + "write after read" + launch;
    case What::never_written: return "read of uninitialised shared memory";
    case What::read_early: return "shared read before an asynchronous copy is waited for";
  }
  return {};
}

// Unrolled loops have many addresses for one source line.
std::vector<Race> RaceDetector::races(std::span<const std::string> lines_of) const {
  std::vector<const void*> addresses;
  for (const auto& [found, times] : found_) {
    addresses.push_back(found.second);
    if (found.first) addresses.push_back(found.first);
  }
  learn_places(addresses);
  std::map<std::tuple<std::string, std::string, std::string, SourceLine, SourceLine>, std::uint64_t> merged;
  for (const auto& [found, times] : found_)
    merged[{text(found), found.first ? place_of(found.first) : "", place_of(found.second),
            found.first ? line_of(found.first, lines_of) : SourceLine(), line_of(found.second, lines_of)}] += times;
  std::vector<Race> races;
  for (const auto& [key, times] : merged) {
    const auto& [what, first, second, first_line, second_line] = key;
    races.push_back({what, first, second, times, first_line, second_line});
  }
  std::stable_sort(races.begin(), races.end(), [](const Race& a, const Race& b) { return a.times > b.times; });
  return races;
}

}  // namespace gpu::simulated
