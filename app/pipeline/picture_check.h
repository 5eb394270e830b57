// PictureCheck: whether the table of one picture is right, where that was asked for. A GPU's answer reaches the host some
// time after the picture was queued; nobody needs to wait for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/support/text_table.h"
#include "gpu/check_table.h"

namespace app {

// gpu::text(), for people: "wrong at (3, 2): 12 345 instead of 110; the four-point identity fails in 4 places".
inline std::string text_of(const gpu::WrongTable& wrong) { return with_grouped_numbers(gpu::text(wrong)); }

// Copies are handles of the same answer. Until it has arrived, use all copies on the thread that uses the GPU.
class PictureCheck {
 public:
  struct Answer {
    std::optional<gpu::WrongTable> wrong;  // nothing: the table is right
  };
  // Returns the answer, or nothing where it has not arrived; with `wait` it waits. Not called again once it has returned
  // one. Throws CudaError where the GPU failed.
  using Source = std::function<std::optional<Answer>(bool wait)>;

  PictureCheck() = default;  // not asked for
  PictureCheck(Answer answer) : state_(std::make_shared<State>(State{answer, {}})) {}
  PictureCheck(Source source) : state_(std::make_shared<State>(State{{}, std::move(source)})) {}

  bool asked() const { return state_ != nullptr; }
  // The answer for two tables of one picture: wrong if either is, as the first that is.
  static PictureCheck both(const PictureCheck& a, const PictureCheck& b) {
    if (!a.asked() || !b.asked()) return a.asked() ? a : b;
    return PictureCheck(Source([a, b](bool wait) -> std::optional<Answer> {
      const auto *first = a.take(wait), *second = b.take(wait);
      if (!first || !second) return {};
      return first->wrong ? *first : *second;
    }));
  }

  // Null where it was not asked for, or has not arrived. Does not wait. Throws what the source throws.
  const Answer* answer() const { return take(false); }
  void wait() const { take(true); }  // until it has arrived; likewise

 private:
  struct State {
    std::optional<Answer> answer;
    Source source;  // null once the answer has arrived
  };
  const Answer* take(bool wait) const {
    if (!state_) return nullptr;
    if (!state_->answer && (state_->answer = state_->source(wait))) state_->source = nullptr;  // releases what it holds
    return state_->answer ? &*state_->answer : nullptr;
  }

  std::shared_ptr<State> state_;
};

}  // namespace app
