#include "app/session/cascade_view.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "app/support/size_text.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"
#include "gpu/vision/cascade_files.h"

namespace app {

using namespace std::chrono_literals;

int shown_stage(const gpu::vision::WindowStages& window, const Settings& settings) {
  const int stages = static_cast<int>(window.stages.size());
  const int reached = std::min(window.passed, stages - 1);
  return settings.cascade_stage > 0 ? std::min(settings.cascade_stage, stages) - 1 : reached;
}

void CascadeView::update(const capture::Frame& frame, std::uint64_t source, const Selection& in_use,
                         const Settings& settings) {
  take(0us);
  const auto* effect = in_use.effect;
  asked_.reset();
  if (shows(settings, Dock::cascade) && settings.cascade_at && effect && effect->search)
    asked_ = {number_of(frame, source), *settings.cascade_at, effect, in_use.effect_arguments};
  if (!asked_) return search_.forget();
  if (!busy() && asked_ != search_.found_for()) begin(frame);
}

void CascadeView::wait(const capture::Frame& frame, std::uint64_t source, const Selection& in_use,
                       const Settings& settings) {
  take(search_.until_found);  // of an earlier frame
  update(frame, source, in_use, settings);
  take(search_.until_found);
}

const std::shared_ptr<const CascadeWindow>& CascadeView::window() {
  take(0us);
  return search_.found().window;
}

const std::string& CascadeView::problem() {
  take(0us);
  return search_.found().problem;
}

// The gray frame is made here, once: a copy of the colours would take as long.
void CascadeView::begin(const capture::Frame& frame) try {
  if (gray_of_ != asked_->frame) {
    gray_of_.reset();
    if (gray_.size() != frame.size) gray_ = gpu::Image<std::uint8_t>(frame.size, gpu::Device::host);
    gpu::ThreadPool pool(1);  // the caller alone: others have the picture to compute
    auto context = gpu::Context::on_host(pool, {});
    gpu::luma(context, frame.view(), gray_.view());
    gray_of_ = asked_->frame;
  }
  search_.begin(*asked_, [this, asked = *asked_] { return look(asked); });
} catch (const std::exception& error) {  // memory is exhausted
  search_.set(*asked_, {nullptr, error.what()});
}

// What was asked for while another frame followed is shown all the same: else nothing would be while frames are fast.
void CascadeView::take(std::chrono::microseconds patience) {
  search_.take(patience);
  if (!asked_) search_.forget();
}

CascadeView::Seen CascadeView::look(const Asked& asked) try {
  const auto search = asked.effect->search(asked.arguments);
  if (!cascade_ || name_ != search.cascade) {
    const auto shared = gpu::vision::find_shared_cascade(search.cascade);  // the detector's, as a rule
    cascade_ = {shared, &shared->cascade()};
    name_ = search.cascade;
  }
  const auto size = gray_.size(), window = cascade_->window;
  const auto levels = gpu::vision::levels_of(size, window, search.levels);
  const int count = static_cast<int>(levels.size());
  const auto level = search.level && count > 0 ? std::optional(std::min(*search.level, count - 1)) : std::nullopt;
  if (size.width < window.width || size.height < window.height)
    return {nullptr, "the picture, " + text_of(size) + ", is too small for this cascade's " + text_of(window) + " window"};
  auto found = gpu::vision::deepest_window_at(*cascade_, levels, gray_.view(), asked.at.x, asked.at.y, level);
  if (!found) return {nullptr, "no window has its centre there: click further inside the picture"};
  return {std::make_shared<const CascadeWindow>(CascadeWindow{name_, cascade_, count, std::move(*found)}), {}};
} catch (const std::exception& error) {  // a file that is no cascade any more
  return {nullptr, error.what()};
}

}  // namespace app
