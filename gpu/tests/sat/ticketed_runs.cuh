// TicketedRuns: runs in slots that persist (run_slots.cuh), whose numbers can be read and set.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/sat/block/run_slots.cuh"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/sat/persistent_runs.cuh"

namespace gpu {

// What the tickets hold after so many runs.
constexpr unsigned long long completed(std::uint32_t runs) { return static_cast<unsigned long long>(runs) << 32; }

// Images that follow one another differ everywhere, so that slots of an earlier run have wrong sums.
inline Content content_of(std::size_t run) {
  constexpr Content::Kind kinds[] = {Content::Kind::random, Content::Kind::ones, Content::Kind::ramp};
  return {kinds[run % std::size(kinds)]};
}

// The slots' memory has to be the only one allocated.
template <class Input, class Sum>
class TicketedRuns : public PersistentRuns<Input, Sum> {
 public:
  using PersistentRuns<Input, Sum>::PersistentRuns;

  sat::RunTickets tickets() {
    sat::RunTickets tickets{};
    check(cudaMemcpy(&tickets, memory(), sizeof tickets, cudaMemcpyDefault));
    return tickets;
  }
  void set_tickets(const sat::RunTickets& tickets) { test::copy_bytes(memory(), &tickets, sizeof tickets); }
  // How many bytes of the slots are not zero.
  std::size_t used_bytes() {
    std::vector<unsigned char> bytes(this->persistent().bytes() - sat::RunSlots<Sum>::tickets_bytes);
    check(cudaMemcpy(bytes.data(), memory() + sat::RunSlots<Sum>::tickets_bytes, bytes.size(), cudaMemcpyDefault));
    return bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, 0));
  }

 private:
  std::byte* memory() { return PersistentRuns<Input, Sum>::memory(sat::RunSlots<Sum>::name); }
};

}  // namespace gpu
