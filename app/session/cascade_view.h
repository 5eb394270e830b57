// CascadeView: the window of a cascade that the settings choose, stage by stage, in the frame whose picture is shown.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/capture/frame.h"
#include "app/control/selection.h"
#include "gpu/vision/window_stages.h"

namespace app {

struct CascadeWindow {
  std::string name;  // of the cascade, as the effect's parameter says it
  std::shared_ptr<const gpu::vision::Cascade> cascade;
  int levels = 0;
  gpu::vision::WindowStages stages;
};

class CascadeView {
 public:
  // `frame`: of the picture that is shown, the number `picture` in this run; `in_use`: what it was made with. Evaluates the window only
  // while the Cascade tab is shown, and once.
  void update(const capture::Frame& frame, std::uint64_t picture, const Selection& in_use, const Settings& settings);

  const std::shared_ptr<const CascadeWindow>& window() const { return window_; }  // null: none is chosen, or there is none
  const std::string& problem() const { return problem_; }  // why there is none where one is chosen, one line; else empty

 private:
  struct Asked {
    std::uint64_t picture = 0;
    Pointer at;
    const gpu::Effect* effect = nullptr;
    gpu::Arguments arguments;
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  void look(const capture::Frame& frame, const Asked& asked);

  std::optional<Asked> asked_;
  std::string name_;
  std::shared_ptr<const gpu::vision::Cascade> cascade_;  // of that name; null before the first
  gpu::Image<std::uint8_t> gray_;
  std::shared_ptr<const CascadeWindow> window_;
  std::string problem_;
};

}  // namespace app
