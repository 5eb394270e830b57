// AccessLog: the lanes of a warp run one after another; this combines their accesses into the instructions that the warp
// would execute.
//
// Lanes that execute the same instruction equally often since the warp last synchronised belong together: the n-th access
// of one lane from one place joins the n-th of the others from there. This is exact for a warp in lockstep, and an
// approximation where lanes diverge in a loop.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "gpu/simulated/thread.h"

namespace gpu::simulated {

enum class AccessKind : std::uint8_t { global_load, global_store, global_atomic, shared_load, shared_store, shared_atomic };
constexpr bool is_shared(AccessKind kind) { return kind >= AccessKind::shared_load; }

// One instruction of a warp.
struct WarpRequest {
  AccessKind kind{};
  std::uint8_t bytes = 0;                               // of each access, 16 at most
  std::uint32_t lanes = 0;                              // one bit per participating lane
  std::array<std::uint64_t, lanes_per_warp> addresses;  // of those lanes

  std::uint64_t key = 0;  // of its place; for WarpLog
  std::uint32_t site = 0, position = 0, occurrence = 0;
};

// Requests are many, and live only until their warp synchronises.
class RequestPool {
 public:
  WarpRequest* take() {
    if (free_.empty()) return &all_.emplace_back();
    WarpRequest* request = free_.back();
    free_.pop_back();
    return request;
  }
  void give_back(WarpRequest* request) { free_.push_back(request); }

 private:
  std::deque<WarpRequest> all_;
  std::vector<WarpRequest*> free_;
};

// The accesses of one warp, since it last synchronised.
class WarpLog {
 public:
  static constexpr unsigned max_accesses = 512;  // of a lane, until the others should catch up

  explicit WarpLog(RequestPool& pool) : pool_(pool) {}
  ~WarpLog() { clear(); }
  WarpLog(const WarpLog&) = delete;
  WarpLog& operator=(const WarpLog&) = delete;

  void add(unsigned lane, const void* place, AccessKind kind, unsigned bytes, std::uint64_t address);
  bool full(unsigned lane) const { return lanes_[lane].accesses >= max_accesses; }
  // Calls f(const WarpRequest&) for every request, in the order in which its first lane reached it.
  template <class F>
  void drain(F&& f) {
    if (requests_.empty()) return;
    for (const WarpRequest* request : requests_) f(*request);
    clear();
  }
  void clear();

 private:
  struct Lane {
    std::uint32_t accesses = 0;
    std::uint32_t expected = 0;  // the request that it joins next if it follows the other lanes
  };
  struct Site {  // a place in the code
    std::uint64_t key = 0;
    std::vector<WarpRequest*> requests;
    std::array<std::uint16_t, lanes_per_warp> next{};  // each lane's
  };
  WarpRequest* find(unsigned lane, std::uint64_t key, AccessKind kind, unsigned bytes);
  std::uint32_t site_of(std::uint64_t key);
  void rehash(std::size_t slots);

  RequestPool& pool_;
  std::vector<WarpRequest*> requests_;
  std::array<Lane, lanes_per_warp> lanes_;
  std::vector<Site> sites_;  // the first site_count_ are in use; the others keep their memory
  std::size_t site_count_ = 0;
  std::vector<std::int32_t> slots_;  // hash table of sites: -1 is free
};

}  // namespace gpu::simulated
