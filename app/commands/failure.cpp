// report_failure(): from an exception to one line and an exit code.
#include <new>
#include <opencv2/core.hpp>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/commands/commands.h"
#include "app/display/render_target.h"
#include "app/support/console.h"
#include "gpu/cuda/error.h"
#include "gpu/parameter.h"

namespace app {
namespace {

struct Failure {
  ExitCode code;
  std::string text;
};

Failure explain(const std::exception& error) {
  if (const auto* exit = dynamic_cast<const ExitError*>(&error)) return {exit->code(), exit->what()};
  if (dynamic_cast<const capture::SourceError*>(&error)) return {ExitCode::source, error.what()};
  if (dynamic_cast<const RenderTargetError*>(&error)) return {ExitCode::no_display, error.what()};
  if (const auto* cuda = dynamic_cast<const gpu::CudaError*>(&error))
    return {ExitCode::failed, cuda->out_of_memory()
                                  ? "the GPU's memory is exhausted: choose a smaller picture, or --device host"
                                  : std::string("GPU error: ") + cuda->what()};
  if (dynamic_cast<const std::bad_alloc*>(&error))
    return {ExitCode::failed, "memory is exhausted: choose a smaller picture"};
  if (const auto* opencv = dynamic_cast<const cv::Exception*>(&error)) return {ExitCode::failed, "OpenCV: " + opencv->err};
  if (dynamic_cast<const std::invalid_argument*>(&error)) return {ExitCode::usage, error.what()};
  return {ExitCode::failed, error.what()};
}

}  // namespace

ExitCode report_failure(const std::exception& error) {
  const auto failure = explain(error);
  tell(capture::one_line(failure.text));
  return failure.code;
}

}  // namespace app
