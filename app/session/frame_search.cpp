#include "app/session/frame_search.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <span>
#include <utility>

#include "app/support/text.h"
#include "gpu/execution/thread_pool.h"
#include "gpu/sat_runner.h"
#include "gpu/tables/tables.h"
#include "gpu/vision/cascade_files.h"

namespace app {

using namespace std::chrono_literals;

int shown_stage(const gpu::vision::WindowStages& window, const Settings& settings) {
  const int stages = static_cast<int>(window.stages.size());
  const int reached = std::min(window.passed, stages - 1);
  return settings.cascade_stage > 0 ? std::min(settings.cascade_stage, stages) - 1 : reached;
}

namespace {

// The detection around a place, of several the one whose centre is nearest. What lies inside of another one was found there by
// another cascade, as eyes in a face.
std::optional<gpu::vision::Window> detection_around(Pointer at, std::span<const gpu::Annotation> all) {
  const auto is_rectangle = [](const auto& a) { return a.kind == gpu::Annotation::Kind::rectangle; };
  const auto holds = [&](const auto& a) {
    const auto x = static_cast<float>(at.x), y = static_cast<float>(at.y);
    return is_rectangle(a) && x >= a.x0 && x < a.x1 && y >= a.y0 && y < a.y1;
  };
  const auto is_inside_another = [&](const auto& a) {
    return std::ranges::any_of(all, [&](const auto& b) {
      const bool larger = (b.x1 - b.x0) * (b.y1 - b.y0) > (a.x1 - a.x0) * (a.y1 - a.y0);
      return is_rectangle(b) && larger && a.x0 >= b.x0 && a.y0 >= b.y0 && a.x1 <= b.x1 && a.y1 <= b.y1;
    });
  };
  const auto off_centre = [&](const auto& a) {
    const auto across = std::abs(2 * (static_cast<float>(at.x) + 0.5f) - a.x0 - a.x1) / (a.x1 - a.x0);
    return std::max(across, std::abs(2 * (static_cast<float>(at.y) + 0.5f) - a.y0 - a.y1) / (a.y1 - a.y0));
  };
  const gpu::Annotation* nearest = nullptr;
  for (const auto& a : all)
    if (holds(a) && !is_inside_another(a) && (!nearest || off_centre(a) < off_centre(*nearest))) nearest = &a;
  if (!nearest) return {};
  const auto whole = [](float side) { return static_cast<int>(std::lround(side)); };
  return gpu::vision::Window{whole(nearest->x0), whole(nearest->y0), whole(nearest->x1 - nearest->x0),
                             whole(nearest->y1 - nearest->y0)};
}

}  // namespace

void CascadeView::take_found(const PictureAnnotations& annotations) {
  if (!annotations.arrived()) return;
  const auto list = annotations.list();
  annotations_.assign(list.begin(), list.end());
}

void CascadeView::update(const capture::Frame& frame, std::uint64_t source, const Selection& in_use,
                         const Settings& settings) {
  take();
  const auto* effect = in_use.effect;
  asked_.reset();
  if (shows(settings, Dock::detector) && settings.cascade_at && effect && effect->search)
    asked_ = {number_of(frame, source), *settings.cascade_at, effect, in_use.effect_arguments,
              detection_around(*settings.cascade_at, annotations_)};
  if (!asked_) return search_.forget();
  if (!busy() && asked_ != search_.found_for()) begin(frame);
}

void CascadeView::wait(const capture::Frame& frame, std::uint64_t source, const Selection& in_use,
                       const Settings& settings) {
  search_.wait();  // of an earlier frame
  update(frame, source, in_use, settings);
  search_.wait();
  take();
}

const std::shared_ptr<const CascadeWindow>& CascadeView::window() {
  take();
  return search_.found().window;
}

const std::string& CascadeView::problem() {
  take();
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
void CascadeView::take() {
  search_.take(0us);
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
  auto found = gpu::vision::deepest_window_at(*cascade_, levels, gray_.view(), asked.at.x, asked.at.y, level,
                                              asked.detected);
  if (!found) return {nullptr, "no window has its centre there: choose a pixel further inside the picture"};
  return {std::make_shared<const CascadeWindow>(CascadeWindow{name_, cascade_, count, std::move(*found)}), {}};
} catch (const std::exception& error) {  // the file is no longer a cascade
  return {nullptr, error.what()};
}

namespace {

using namespace std::chrono_literals;

constexpr auto period = 200ms;  // between the searches of frames that follow one another

// The values of a feature at all places where it lies inside, and the strongest of each row among those that are left.
class ResponseMap {
 public:
  ResponseMap(const gpu::effects::SatView& sat, HaarFeature feature)
      : feature_(feature),
        columns_(std::max(0, sat.width - feature.full_width() + 1)),
        rows_(columns_ > 0 ? std::max(0, sat.height - feature.full_height() + 1) : 0) {
    values_.reserve(static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_));
    for (feature.y = 0; feature.y < rows_; ++feature.y)
      for (feature.x = 0; feature.x < columns_; ++feature.x) values_.push_back(feature.value(sat));
    for (int y = 0; y < rows_; ++y) of_rows_.push_back(strongest_of(y));
  }

  // A response of value 0 says that there is no other.
  Response strongest() const {
    const auto largest = std::ranges::max_element(of_rows_, {}, [](const Response& r) { return std::abs(r.value); });
    return largest == of_rows_.end() ? Response() : *largest;
  }
  void remove_around(const Response& response) {
    removed_.push_back(response);
    const int reach = feature_.full_height() - 1;
    for (int y = std::max(0, response.y - reach); y <= std::min(rows_ - 1, response.y + reach); ++y)
      of_rows_[static_cast<std::size_t>(y)] = strongest_of(y);
  }

 private:
  bool is_removed(int x, int y) const {
    return std::ranges::any_of(removed_, [&](const Response& r) {
      return std::abs(r.x - x) < feature_.full_width() && std::abs(r.y - y) < feature_.full_height();
    });
  }
  Response strongest_of(int y) const {
    const auto* row = values_.data() + static_cast<std::ptrdiff_t>(y) * columns_;
    Response strongest;
    for (int x = 0; x < columns_; ++x)
      if (std::abs(row[x]) > std::abs(strongest.value) && !is_removed(x, y)) strongest = {x, y, row[x]};
    return strongest;
  }

  HaarFeature feature_;
  int columns_, rows_;
  std::vector<int> values_;
  std::vector<Response> of_rows_, removed_;
};

void find_in(const capture::Frame& frame, FoundResponses& found) try {
  gpu::ThreadPool pool(1);  // the caller alone: others have the picture to compute
  auto runner = gpu::SatRunner::on_host(pool);
  const gpu::Image<std::uint8_t> gray(frame.size, gpu::Device::host);
  const gpu::Image<std::uint32_t> sat(frame.size, gpu::Device::host);
  gpu::luma(runner.context(), frame.view(), gray.view());
  const auto& algorithm = *gpu::find_sat_algorithm("host_serial");
  runner.run(algorithm, gray.view(), sat.view(), gpu::Arguments(algorithm.parameters));
  found.strongest = strongest_responses(sat.view(), found.feature, FoundResponses::most);
} catch (const std::exception& error) {  // memory is exhausted
  found.problem = error.what();
}

}  // namespace

std::vector<Response> strongest_responses(const gpu::effects::SatView& sat, const HaarFeature& feature, std::size_t count) {
  ResponseMap map(sat, feature);
  std::vector<Response> strongest;
  while (strongest.size() < count) {
    const auto next = map.strongest();
    if (next.value == 0) break;
    strongest.push_back(next);
    map.remove_around(next);
  }
  return strongest;
}

void ResponseSearch::update(const capture::Frame& frame, std::uint64_t source, bool at_once) {
  search_.take(0us);
  shown_.frame = number_of(frame, source);
  if (shown_.feature == 0) return search_.forget();
  if (busy() || of_shown()) return;
  const auto& before = search_.found_for();
  const bool same_feature = before && before->feature == shown_.feature && before->scale == shown_.scale;
  if (same_feature && !at_once && Clock::now() - begun_ < period) return;
  begin(frame);
}

const std::shared_ptr<const FoundResponses>& ResponseSearch::found() {
  search_.take(0us);
  return search_.found();
}

void ResponseSearch::wait(const capture::Frame& frame, std::uint64_t source) {
  search_.wait();  // of an earlier frame
  update(frame, source, true);
  search_.wait();
}

void ResponseSearch::begin(const capture::Frame& frame) {
  frame_.resize(frame.size, false);
  std::ranges::copy_n(frame.pixels.data(), static_cast<std::ptrdiff_t>(frame.size.pixels()), frame_.pixels.data());
  begun_ = Clock::now();
  const auto feature = on_picture(feature_at(shown_.feature), shown_.scale);
  const auto found = std::make_shared<FoundResponses>(
      FoundResponses{{feature.type, 0, 0, feature.width, feature.height}, frame.size});
  search_.begin(shown_, [this, found] {
    find_in(frame_, *found);
    return found;
  });
}

}  // namespace app
