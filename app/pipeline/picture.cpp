#include "app/pipeline/picture.h"

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

PictureAnnotations PictureAnnotations::with(List more) const {
  if (more.empty()) return *this;
  if (none()) return more;
  return Source([own = *this, more = std::move(more)](bool wait) -> std::optional<List> {
    if (!wait && !own.arrived()) return {};
    List all(own.list().begin(), own.list().end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
  });
}

bool PictureAnnotations::arrived() const { return take(false); }
void PictureAnnotations::wait() const { take(true); }

std::span<const gpu::Annotation> PictureAnnotations::list() const {
  wait();
  return state_ ? std::span<const gpu::Annotation>(state_->list) : std::span<const gpu::Annotation>();
}

}  // namespace app
