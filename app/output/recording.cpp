#include "app/output/recording.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "app/output/recorder.h"
#include "app/support/count_text.h"

namespace app {
namespace {

constexpr std::size_t most_prepared = 32;  // copies of small pictures: enough for a writer that is late by a second

}  // namespace

// What the writer's tasks do, one after the other.
struct Recording::Encoding {
  std::unique_ptr<Recorder> recorder;  // the tasks' alone
  std::atomic<bool> ended = false;
  mutable std::mutex mutex;
  std::string error, left_out;
  std::filesystem::path target;

  // Does `step`, where nothing failed before.
  template <class Step>
  void attempt(Step&& step) {
    if (ended) return;
    try {
      step();
    } catch (const std::exception& thrown) {
      recorder.reset();
      const std::lock_guard lock(mutex);
      error = thrown.what();
      ended = true;
    }
  }
  void add(const PictureCopies::Copy& copy, double position, std::span<const gpu::Annotation> annotations) {
    attempt([&] { recorder->add(copy.view(), position, annotations); });
  }
  void hold(double position) {
    attempt([&] { recorder->hold(position); });
  }
  void finish() {
    attempt([&] {
      recorder->finish();
      const std::lock_guard lock(mutex);
      target = recorder->target();
      // A camera's pictures do not come evenly: some follow one another too soon, and are not missed.
      const auto frames = recorder->seconds() * recorder->fps();
      if (const auto count = recorder->left_out(); static_cast<double>(count) > 0.02 * frames) {
        char rate[32];
        std::snprintf(rate, sizeof rate, "%.4g/s", recorder->fps());
        left_out = counted(count, "frame") + " came too soon after another for its " + rate + ", and " +
                   (count == 1 ? "is" : "are") + " not in it";
      }
    });
    recorder.reset();
    ended = true;
  }
};

Recording::Recording(WriterThread& writer, std::filesystem::path target, gpu::Size size, double fps, bool squares,
                     bool is_new)
    : writer_(writer), encoding_(std::make_shared<Encoding>()) {
  encoding_->target = target;
  writer_.add([encoding = encoding_, target, size, fps, squares, is_new] {
    encoding->attempt(
        [&] { encoding->recorder = std::make_unique<Recorder>(target, size, fps, squares, reserve_space, is_new); });
  });
}

void Recording::add(gpu::Context& context, gpu::ImageView<const gpu::Rgba> picture, double position,
                    const PictureAnnotations& annotations) {
  hand_on();
  // Room is asked for here, for the pictures on their way as well: what was accepted is encoded.
  if (!writer_.wait_for_room((on_the_way_.size() + 1) * picture.size().pixels() * sizeof(gpu::Rgba), {})) {
    ++dropped_;
    return;
  }
  try {
    if (!std::exchange(prepared_, true)) {
      const auto fit = writer_.room() / (picture.size().pixels() * sizeof(gpu::Rgba));
      copies_.prepare(context, picture.size(), std::min(fit, most_prepared));
    }
    on_the_way_.push_back({copies_.make(context, picture), position, annotations});
  } catch (const gpu::CudaError& error) {
    drop(1, error);
  }
  hand_on();
}

void Recording::drop(std::uint64_t count, const gpu::CudaError& error) {
  dropped_ += count;
  if (drop_error_.empty()) drop_error_ = error.what();
}

void Recording::hand_on(bool wait) {
  if (ended()) on_the_way_.clear();  // it failed: nobody needs them, and the memory is released below
  try {
    for (; !on_the_way_.empty(); on_the_way_.pop_front()) {
      if (wait) on_the_way_.front().copy->wait();
      if (!on_the_way_.front().copy->ready()) return;
      encode(on_the_way_.front());
    }
  } catch (const gpu::CudaError& error) {
    drop(on_the_way_.size(), error);
    on_the_way_.clear();
  }
  // With the copies' memory, which takes its time to be released.
  if (stopped_ && !std::exchange(finishing_, true))
    writer_.add(
        [encoding = encoding_, copies = std::make_shared<PictureCopies>(std::move(copies_))] { encoding->finish(); });
}

// The annotations are copied: they belong to this thread.
void Recording::encode(const OnTheWay& picture) {
  const auto list = picture.annotations.list();
  writer_.add([encoding = encoding_, copy = picture.copy, position = picture.position,
               annotations = std::vector(list.begin(), list.end())] { encoding->add(*copy, position, annotations); },
              picture.copy->bytes());
}

void Recording::hold(double position) {
  hand_on();
  if (on_the_way_.empty()) writer_.add([encoding = encoding_, position] { encoding->hold(position); });
}

void Recording::stop() {
  stopped_ = true;
  hand_on();
}

bool Recording::ended() const { return encoding_->ended; }

std::filesystem::path Recording::target() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->target;
}

std::string Recording::left_out() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->left_out;
}

std::string Recording::error() const {
  const std::lock_guard lock(encoding_->mutex);
  return encoding_->error;
}

}  // namespace app
