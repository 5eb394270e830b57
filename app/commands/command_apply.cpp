// satscope apply: one effect on one image, through the same pipeline as in the window.
#include <opencv2/core.hpp>

#include "app/capture/convert.h"
#include "app/capture/image_file.h"
#include "app/commands/commands.h"
#include "app/control/settings_file.h"
#include "app/output/detection_text.h"
#include "app/output/picture_files.h"
#include "app/pipeline/picture_drawing.h"
#include "app/pipeline/pipeline.h"
#include "app/support/console.h"
#include "app/support/files.h"

namespace app {
namespace {

// `pixels` is released.
capture::Frame as_frame(cv::Mat& pixels, const std::optional<capture::ValueWindow>& values) {
  capture::Frame frame;
  capture::store(pixels, frame, false, {});
  pixels.release();
  capture::ShownValues().show(frame, values, false);
  return frame;
}

}  // namespace

void run_apply(const Options& given) {
  outlive_readers();
  auto options = given;
  const auto kernels = options.kernels.empty() ? nullptr : load_kernels(options, gpu::probe_gpu());
  if (!options.value_of("effect")) refuse("apply draws an effect, and no kernel is one: give --effect NAME, too");
  const auto [selection, notice] = selection_of_command(options);
  std::vector<std::filesystem::path> results{options.output};
  if (options.annotations) results.emplace_back(*options.annotations);
  const auto image = capture::image_path(options.image);
  check_results(results, image);
  for (const auto& result : results) check_kept(result, files_of(selection.effect_arguments));
  auto file = capture::read_image(image, {}, picture_memory(options));
  check_png(options.output, {file.pixels.cols, file.pixels.rows});
  const auto frame = as_frame(file.pixels, shown_values(options));
  if (!file.warning.empty()) tell(file.warning);
  if (!notice.empty()) tell(notice);
  require_tried(kernels.get(), selection, frame.size);
  Pipeline pipeline(selection.device);
  gpu::Image<gpu::Rgba> picture;
  std::string annotations;
  auto wait = tell_if_simulation_is_long(selection.device);
  pipeline.process(frame, selection, [&](auto& context, auto& made) {
    picture = download(context, made.pixels);
    draw_annotations(picture.view(), made.annotations.list());
    annotations = annotations_json(made.size(), made.annotations.list());
  });
  wait.reset();
  // A gray picture stays gray, unless the effect gives it colours.
  const bool gray = file.gray || selection.effect->channels(selection.effect_arguments) == 1;
  write_png(options.output, gpu::ImageView<const gpu::Rgba>(picture.view()), gray);
  if (options.annotations) write_file(*options.annotations, annotations);
}

}  // namespace app
