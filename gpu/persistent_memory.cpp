#include "gpu/persistent_memory.h"

#include <algorithm>

namespace gpu {
namespace {

auto same(std::string_view name, std::size_t bytes) {
  return [=](const PersistentMemory::Piece& piece) { return piece.name == name && piece.bytes == bytes; };
}

}  // namespace

void PersistentMemory::note(std::string_view name, std::size_t bytes) {
  if (std::ranges::none_of(pieces_, same(name, bytes))) pieces_.push_back({std::string(name), bytes, {}, 0});
}

void PersistentMemory::note(const PersistentMemory& others) {
  for (const auto& piece : others.pieces_) note(piece.name, piece.bytes);
}

void PersistentMemory::reserve() {
  try {
    for (auto& piece : pieces_)
      if (piece.memory.size() == 0) piece.memory = Buffer<std::byte>(piece.bytes, device_);
  } catch (...) {  // what needs less must not fail for this
    std::erase_if(pieces_, [](const Piece& piece) { return piece.memory.size() == 0; });
    throw;
  }
}

void PersistentMemory::distrust() {
  for (auto& piece : pieces_) piece.runs = 0;
}

std::size_t PersistentMemory::bytes() const {
  std::size_t sum = 0;
  for (const auto& piece : pieces_) sum += piece.memory.size();
  return sum;
}

std::size_t PersistentMemory::noted_bytes() const {
  std::size_t sum = 0;
  for (const auto& piece : pieces_) sum += piece.bytes;
  return sum;
}

PersistentMemory::Piece* PersistentMemory::find(std::string_view name, std::size_t bytes) {
  const auto found = std::ranges::find_if(pieces_, same(name, bytes));
  return found != pieces_.end() && found->memory.size() > 0 ? &*found : nullptr;
}

}  // namespace gpu
