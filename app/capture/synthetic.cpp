// The source `synthetic[:WxH]`.
#include <algorithm>
#include <cmath>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/capture/synthetic_scene.h"
#include "app/support/size_text.h"

namespace app::capture {
namespace {

constexpr gpu::Size usual_size{1280, 720}, largest{maximum_side, maximum_side};
constexpr double usual_rate = 60;

class SyntheticSource : public Source {
 public:
  SyntheticSource(gpu::Size size, double rate, bool page_locked, std::string warning)
      : size_(size), rate_(rate), page_locked_(page_locked), warning_(std::move(warning)) {}

  Read read(Frame& frame, std::stop_token) override {
    frame.resize(size_, page_locked_);
    scene_.draw(number_, frame.writable());
    frame.position = static_cast<double>(number_) / rate_;
    ++number_;
    return Read::frame;
  }

  void seek(double seconds, std::stop_token) override {
    number_ = static_cast<std::uint64_t>(std::max(0.0, std::floor(seconds * rate_ + 1e-6)));
  }
  void step_back(double position, int count, std::stop_token) override { seek(position - count / rate_, {}); }

  SourceInfo info() const override {
    SourceInfo info;
    info.no_seek.clear();
    info.kind = SourceKind::synthetic;
    info.name = synthetic_word;
    info.description = describe(synthetic_word, size_, rate_);
    info.size = size_;
    info.fps = rate_;
    info.warning = warning_;
    return info;
  }

 private:
  gpu::Size size_;
  double rate_;
  bool page_locked_;
  std::string warning_;
  SyntheticScene scene_;
  std::uint64_t number_ = 0;
};

}  // namespace

bool owns_synthetic(const Request& request) {
  const std::string_view source = request.source;
  return source.substr(0, synthetic_word.size()) == synthetic_word &&
         (source.size() == synthetic_word.size() || source[synthetic_word.size()] == ':');
}

std::unique_ptr<Source> open_synthetic(const Request& request, const Opening&) {
  gpu::Size size = request.size.pixels() > 0 ? request.size : usual_size;
  if (request.source.size() > synthetic_word.size()) {
    const auto wanted = size_from_text(std::string_view(request.source).substr(synthetic_word.size() + 1));
    if (!wanted)
      throw SourceError(describe_source(request) + " is not understood; write synthetic:WxH, at most " + text_of(largest) +
                        ", e.g. synthetic:1920x1080");
    size = *wanted;
  }
  std::string warning;
  if (request.size.pixels() > 0 && request.size != size)
    warning = describe_source(request) + " names its own size: the size " + text_of(request.size) +
              " is not used; write synthetic to choose it by --size";
  return std::make_unique<SyntheticSource>(size, request.fps > 0 ? request.fps : usual_rate, request.page_locked,
                                           std::move(warning));
}

}  // namespace app::capture
