#include "app/session/cascade_view.h"

#include <algorithm>
#include <exception>
#include <stdexcept>

#include "app/support/size_text.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"
#include "gpu/vision/cascade_files.h"

namespace app {

void CascadeView::update(const capture::Frame& frame, std::uint64_t picture, const Selection& in_use,
                         const Settings& settings) {
  const auto* effect = in_use.effect;
  std::optional<Asked> asked;
  if (shows(settings, Dock::cascade) && settings.cascade_at && effect && effect->search)
    asked = {picture, *settings.cascade_at, effect, in_use.effect_arguments};
  if (asked == asked_) return;
  asked_ = std::move(asked);
  window_ = nullptr;
  problem_.clear();
  if (!asked_) return;
  try {
    look(frame, *asked_);
  } catch (const std::exception& error) {  // a file that is no cascade any more
    problem_ = error.what();
  }
}

void CascadeView::look(const capture::Frame& frame, const Asked& asked) {
  const auto search = asked.effect->search(asked.arguments);
  if (!cascade_ || name_ != search.cascade) {
    cascade_ = std::make_shared<const gpu::vision::Cascade>(gpu::vision::find_cascade(search.cascade));
    name_ = search.cascade;
  }
  if (gray_.size() != frame.size) gray_ = gpu::Image<std::uint8_t>(frame.size, gpu::Device::host);
  gpu::ThreadPool pool(1);  // the caller alone: others have the picture to compute
  auto context = gpu::Context::on_host(pool, {});
  gpu::luma(context, frame.view(), gray_.view());
  const auto levels = gpu::vision::levels_of(frame.size, cascade_->window, search.levels);
  const int count = static_cast<int>(levels.size());
  const auto level = search.level && count > 0 ? std::optional(std::min(*search.level, count - 1)) : std::nullopt;
  if (frame.size.width < cascade_->window.width || frame.size.height < cascade_->window.height)
    throw std::invalid_argument("the picture, " + text_of(frame.size) + ", is too small for this cascade's " +
                                text_of(cascade_->window) + " window");
  auto found = gpu::vision::deepest_window_at(*cascade_, levels, gray_.view(), asked.at.x, asked.at.y, level);
  if (found)
    window_ = std::make_shared<const CascadeWindow>(CascadeWindow{name_, cascade_, count, std::move(*found)});
  else
    problem_ = "no window has its centre there: click further inside the picture";
}

}  // namespace app
