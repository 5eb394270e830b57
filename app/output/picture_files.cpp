#include "app/output/picture_files.h"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <vector>

#include "app/output/png.h"
#include "app/pipeline/draw_annotations.h"
#include "app/pipeline/matrix_picture.h"
#include "app/pipeline/side_labels.h"
#include "gpu/error.h"

namespace app {

void PictureFiles::add(gpu::Context& context, const Picture& picture, std::filesystem::path path, bool squares) {
  on_the_way_.push_back(
      {std::move(path), copies_.make(context, picture.pixels), with_side_labels(picture, squares), squares});
}

void PictureFiles::hand_on(const Write& write, bool wait) {
  for (; !on_the_way_.empty(); on_the_way_.pop_front()) {
    const auto& first = on_the_way_.front();
    Job job;
    try {
      if (wait) first.copy->wait();
      if (!first.copy->ready()) return;
      job = writing(first);
    } catch (const gpu::CudaError& error) {
      job = [why = std::string(error.what())](const auto& path) {
        throw std::runtime_error("cannot write " + path.string() + ": " + why);
      };
    }
    write(first.path, std::move(job));
  }
}

// The annotations are copied: they belong to this thread.
PictureFiles::Job PictureFiles::writing(const OnTheWay& picture) {
  const auto list = picture.annotations.list();
  return [copy = picture.copy, annotations = std::vector(list.begin(), list.end()),
          squares = picture.squares](const auto& path) {
    const auto pixels = copy->view();
    if (squares) return write_png(path, gpu::ImageView<const gpu::Rgba>(in_squares(pixels, annotations).view()));
    if (annotations.empty()) return write_png(path, pixels);
    gpu::Image<gpu::Rgba> drawn(pixels.size(), gpu::Device::host);
    for (int y = 0; y < pixels.height; ++y) std::copy_n(pixels.row(y), pixels.width, drawn.view().row(y));
    draw_annotations(drawn.view(), annotations);
    write_png(path, gpu::ImageView<const gpu::Rgba>(drawn.view()));
  };
}

}  // namespace app
