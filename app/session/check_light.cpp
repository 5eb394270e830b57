#include "app/session/check_light.h"

#include <utility>

#include "gpu/error.h"

namespace app {
namespace {

WrongFrame copy_of(std::uint64_t id, const capture::Frame& frame) {
  const auto* const pixels = frame.pixels.data();
  return {id, frame.position, {}, frame.size, {pixels, pixels + frame.size.pixels()}};
}

}  // namespace

std::string text_of(const WrongFrame& frame) {
  return "the table of frame " + std::to_string(frame.id) + " is " + gpu::text(frame.wrong);
}

void CheckLight::add(const PictureCheck& check, std::uint64_t id, const capture::Frame& frame) {
  if (!check.asked()) return;
  const auto* answer = check.answer();
  if (!answer)
    pending_.push_back({check, copy_of(id, frame)});
  else
    note(*answer, answer->wrong && !first_wrong_ ? copy_of(id, frame) : WrongFrame());
}

void CheckLight::update() try {
  for (; !pending_.empty(); pending_.pop_front()) {
    auto& [check, frame] = pending_.front();
    const auto* answer = check.answer();
    if (!answer) return;
    note(*answer, std::move(frame));
  }
} catch (const gpu::CudaError&) {  // a GPU that failed answers no more; the pipeline reports it
  pending_.clear();
}

void CheckLight::wait() {
  for (const auto& pending : pending_) try {
      pending.check.wait();
    } catch (const gpu::CudaError&) {}
  update();
}

void CheckLight::note(const PictureCheck::Answer& answer, WrongFrame frame) {
  ++checked_;
  if (!answer.wrong) return;
  ++wrong_;
  ever_wrong_ = true;
  if (first_wrong_) return;
  first_wrong_ = std::move(frame);
  first_wrong_->wrong = *answer.wrong;
  news_ = true;
}

void CheckLight::reset() {
  checked_ = wrong_ = 0;
  first_wrong_.reset();
  news_ = false;
}

std::optional<std::string> CheckLight::take_news() {
  if (!std::exchange(news_, false)) return {};
  return text_of(*first_wrong_);
}

}  // namespace app
