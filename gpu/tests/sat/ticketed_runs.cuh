// PersistentRuns: runs of algorithms, one after another in one stream and over one PersistentMemory, whose tables are checked.
// TicketedRuns: those in slots that persist (run_slots.cuh), whose numbers can be read and set.
#pragma once

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/sat/block/run_slots.cuh"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/device_space.cuh"
#include "gpu/tests/gpu_test.h"
#include "gpu/tests/sat/sat_cases.h"

namespace gpu {

template <class Input, class Sum>
class PersistentRuns {
 public:
  explicit PersistentRuns(GpuLimits limits = {}) : limits_(limits) {}
  PersistentMemory& persistent() { return persistent_; }

  // Draws an image, and queues one run, after its memory has been reserved.
  void start(const SatAlgorithm& algorithm, const Arguments& arguments, Size size,
             Content content = {Content::Kind::random}) {
    prepared_.emplace(space_, Layout{size, size.width + 3, size.width + 5, 1, 1}, content);
    const auto stride = static_cast<std::ptrdiff_t>(size.width) + 5;
    table_ = Buffer<Sum>(static_cast<std::size_t>(stride * size.height), Device::cuda);
    space_.fill({reinterpret_cast<std::byte*>(table_.data()), table_.size() * sizeof(Sum)}, guard_byte);
    view_ = {table_.data(), size.width, size.height, stride};
    auto dry = space_.dry();
    dry.set_persistent(&persistent_);
    compute_sat(dry, algorithm, prepared_->image(), view_, arguments);
    persistent_.reserve();
    const auto bytes = dry.workspace_bytes();
    EXPECT_LE(bytes, 4096u) << "what is to persist is in scratch memory";
    if (workspace_.size() < bytes) workspace_ = Buffer<std::byte>(bytes, Device::cuda);
    auto context = space_.context(workspace_.span());
    context.set_limits(limits_);
    context.set_persistent(&persistent_);
    compute_sat(context, algorithm, prepared_->image(), view_, arguments);
    space_.compare(prepared_->comparison(view_), &verdicts_.next()->table);
  }
  void expect_right() {
    if (!done_within(std::chrono::seconds(60), space_.stream())) give_up("PersistentRuns");
    EXPECT_EQ(verdicts_.wrong(space_, view_.width), "");
  }
  void run(const SatAlgorithm& algorithm, const Arguments& arguments, Size size, Content content = {Content::Kind::random}) {
    SCOPED_TRACE(std::string(algorithm.name) + text(arguments) + ", " + std::to_string(size.width) + "x" +
                 std::to_string(size.height) + ", " + content.text());
    start(algorithm, arguments, size, content);
    expect_right();
  }

  // The persistent memory with this name. Throws std::logic_error if another is allocated.
  std::byte* memory(std::string_view name) {
    auto* const piece = persistent_.find(name, persistent_.bytes());
    if (!piece) throw std::logic_error("the persistent memory is not one piece named " + std::string(name));
    return piece->memory.data();
  }

 private:
  DeviceSpace space_;
  Verdicts<DeviceSpace> verdicts_{space_, 1};
  GpuLimits limits_;
  PersistentMemory persistent_{Device::cuda};
  std::optional<Prepared<DeviceSpace, Input, Sum>> prepared_;
  Buffer<Sum> table_;
  Buffer<std::byte> workspace_;
  ImageView<Sum> view_;
};

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
