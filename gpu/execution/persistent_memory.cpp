#include "gpu/execution/persistent_memory.h"

#include <algorithm>
#include <exception>

namespace gpu {
namespace {

auto same(std::string_view name, std::size_t bytes) {
  return [=](const PersistentMemory::Piece& piece) { return piece.name == name && piece.bytes == bytes; };
}

}  // namespace

void PersistentMemory::note(std::string_view name, std::size_t bytes) { add(name, bytes, false); }

void PersistentMemory::note(const PersistentMemory& others) {
  for (const auto& piece : others.pieces_) add(piece.name, piece.bytes, false);
}

void PersistentMemory::note_ahead(const PersistentMemory& others) {
  for (const auto& piece : others.pieces_) add(piece.name, piece.bytes, true);
}

void PersistentMemory::add(std::string_view name, std::size_t bytes, bool ahead) {
  const auto known = std::ranges::find_if(pieces_, same(name, bytes));
  if (known == pieces_.end())
    pieces_.push_back({std::string(name), bytes, {}, ahead});
  else
    known->ahead &= ahead;
}

void PersistentMemory::reserve() {
  const auto allocate = [&](Piece& piece) {
    if (piece.memory.size() == 0) piece.memory = Buffer<std::byte>(piece.bytes, device_);
  };
  try {
    for (auto& piece : pieces_)
      if (!piece.ahead) allocate(piece);
  } catch (...) {  // what needs less must not fail for this
    forget_what_is_missing();
    throw;
  }
  for (auto& piece : pieces_) try {
      allocate(piece);
    } catch (const std::exception&) {  // memory is short: it is allocated once it is needed
    }
  forget_what_is_missing();
}

void PersistentMemory::forget_what_is_missing() {
  std::erase_if(pieces_, [](const Piece& piece) { return piece.memory.size() == 0; });
}

void PersistentMemory::invalidate() {
  for (auto& piece : pieces_) piece.cleared = false;
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

std::size_t PersistentMemory::noted_bytes_with(const PersistentMemory& others) const {
  auto sum = noted_bytes();
  for (const auto& piece : others.pieces_)
    if (std::ranges::none_of(pieces_, same(piece.name, piece.bytes))) sum += piece.bytes;
  return sum;
}

PersistentMemory::Piece* PersistentMemory::find(std::string_view name, std::size_t bytes) {
  const auto found = std::ranges::find_if(pieces_, same(name, bytes));
  return found != pieces_.end() && found->memory.size() > 0 ? &*found : nullptr;
}

}  // namespace gpu
