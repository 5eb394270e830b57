#include "app/session/check_light.h"

#include <utility>

#include "app/support/text.h"

namespace app {

std::string text_of(const WrongFrame& frame) {
  return "the table of frame " + grouped(frame.id) + " is " + text_of(frame.wrong);
}

void CheckLight::add(const PictureCheck& check, std::uint64_t id, const capture::Frame& frame) {
  if (check.none()) {
    unused_.clear();
    return;
  }
  const auto* answer = check.take();
  if (!answer)
    pending_.push_back({check, first_wrong_ ? WrongFrame() : copy_of(id, frame)});
  else
    note(*answer, answer->wrong && !first_wrong_ ? copy_of(id, frame) : WrongFrame());
}

void CheckLight::update() {
  for (; !pending_.empty(); pending_.pop_front()) {
    auto& [check, frame] = pending_.front();
    const auto* answer = check.take();
    if (!answer) return;
    note(*answer, std::move(frame));
  }
}

void CheckLight::wait() {
  for (const auto& pending : pending_) pending.check.wait();
  update();
}

WrongFrame CheckLight::copy_of(std::uint64_t id, const capture::Frame& frame) {
  WrongFrame copy{id, frame.position, {}, frame.size, {}};
  if (!unused_.empty()) {
    copy.pixels = std::move(unused_.back());
    unused_.pop_back();
  }
  copy.pixels.assign(frame.pixels.data(), frame.pixels.data() + frame.size.pixels());
  return copy;
}

void CheckLight::note(const CheckAnswer& answer, WrongFrame frame) {
  if (answer.lost) return;
  ++checked_;
  if (!answer.wrong) {
    if (!first_wrong_ && frame.pixels.capacity() > 0) unused_.push_back(std::move(frame.pixels));
    return;
  }
  ++wrong_;
  if (first_wrong_ || frame.pixels.empty()) return;
  unused_.clear();  // no other frame is copied
  first_wrong_ = std::move(frame);
  first_wrong_->wrong = *answer.wrong;
}

std::size_t CheckLight::bytes() const {
  std::size_t pixels = first_wrong_ ? first_wrong_->pixels.capacity() : 0;
  for (const auto& pending : pending_) pixels += pending.frame.pixels.capacity();
  for (const auto& memory : unused_) pixels += memory.capacity();
  return pixels * sizeof(gpu::Bgr);
}

// A table that was begun while the light was red has no frame to keep: it would be red again without one.
void CheckLight::reset() {
  if (first_wrong_) std::erase_if(pending_, [](const Pending& pending) { return pending.frame.pixels.empty(); });
  checked_ = wrong_ = 0;
  first_wrong_.reset();
}

}  // namespace app
