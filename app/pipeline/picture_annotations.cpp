#include "app/pipeline/picture_annotations.h"

#include <utility>

namespace app {

PictureAnnotations::PictureAnnotations(List list) : state_(std::make_shared<State>(State{std::move(list), {}})) {}
PictureAnnotations::PictureAnnotations(Source source) : state_(std::make_shared<State>(State{{}, std::move(source)})) {}

bool PictureAnnotations::take(bool wait) const {
  if (!state_ || !state_->source) return true;
  auto list = state_->source(wait);
  if (!list) return false;
  state_->list = *std::move(list);
  state_->source = nullptr;  // releases what it holds
  return true;
}

bool PictureAnnotations::arrived() const { return take(false); }
void PictureAnnotations::wait() const { take(true); }

std::span<const gpu::Annotation> PictureAnnotations::list() const {
  wait();
  return state_ ? std::span<const gpu::Annotation>(state_->list) : std::span<const gpu::Annotation>();
}

}  // namespace app
