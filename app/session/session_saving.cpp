// What the session itself can save: the settings, the picture, the matrix that is shown, and the frame whose table was wrong.
#include <stdexcept>
#include <utility>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/output/png.h"
#include "app/pipeline/matrix_picture.h"
#include "app/session/session.h"
#include "app/support/console.h"
#include "app/support/files.h"

namespace app {

Settings Session::settings_to_save() const {
  return engine_.refusal().empty() ? settings_ : without_refused(settings_, engine_.selection(), started_);
}

void Session::save_picture(const std::filesystem::path& to) {
  if (!engine_.has_picture()) throw std::invalid_argument("there is no picture yet");
  pictures_to_save_.push_back(to);
  save_pictures();
}

// A matrix is no picture that can be seen at its own size.
bool Session::in_squares() const {
  const auto* frame = feed_.last();
  return frame && fits_squares(frame->view().size()) && capture::owns_matrix(requested_);
}

// With the rectangle where its numbers are drawn, too.
Picture Session::for_files(const Picture& picture) const {
  auto drawn = picture;
  if (settings_.rectangle && in_squares())
    drawn.annotations = picture.annotations.with(rectangle_annotations(*settings_.rectangle, feed_.last()->view()));
  return drawn;
}

// While a picture is under way the one before cannot be copied: soon.
void Session::save_pictures() {
  if (engine_.busy()) return;
  for (const auto& to : std::exchange(pictures_to_save_, {})) try {
      engine_.show([&](gpu::Context& context, const Picture& picture) {
        outputs_.save_picture(context, for_files(picture), to, in_squares());
      });
    } catch (const gpu::CudaError&) {
      engine_.explain(std::current_exception());
    }
}

// What was set last, which may not be shown yet; else what is shown.
std::string Session::matrix_text() const {
  if (!settings_.matrix.empty() && capture::owns_matrix(requested_))
    return capture::matrix_text(capture::matrix_from(settings_.matrix, ';', "matrix"), '\n') + '\n';
  if (feed_.status().kind != capture::SourceKind::matrix || !feed_.last())
    throw std::invalid_argument("the source is no matrix; choose matrix:8x8 or a CSV file");
  return capture::matrix_text(capture::matrix_of(feed_.last()->view()), '\n') + '\n';
}

void Session::save_matrix(const std::filesystem::path& to, bool tells) {
  const auto there = std::make_shared<std::atomic<bool>>(false);
  outputs_.save(
      "matrix", ".csv",
      [text = matrix_text(), there, tells](const auto& path) {
        write_file(path, text);
        *there = true;
        if (tells) tell("saved the changed matrix: " + path.string());
      },
      to);
  saved_matrix_ = {settings_.matrix, there};
}

bool Session::matrix_unsaved() const {
  const auto& now = settings_.matrix;
  if (now.empty() || now == started_.matrix || !capture::owns_matrix(requested_)) return false;
  return !saved_matrix_.there || !*saved_matrix_.there || saved_matrix_.matrix != now;
}

// Where nobody is asked. The line is also for the terminal: after a signal the window shows it to nobody.
void Session::keep_matrix() {
  if (attended_ && matrix_unsaved()) try {
      save_matrix({}, true);
    } catch (const capture::SourceError&) {  // its error is the source's to report
    }
}

void Session::save_wrong_frame(const std::filesystem::path& to) {
  const auto& wrong = light_.first_wrong();
  if (!wrong) throw std::invalid_argument("no table was wrong: there is no frame to save");
  outputs_.save(
      "wrong-frame", ".png",
      [size = wrong->size, pixels = wrong->pixels](const auto& path) {
        std::vector<gpu::Rgba> rgba;
        for (const auto& [b, g, r] : pixels) rgba.push_back({r, g, b, 255});
        write_png(path, gpu::ImageView<const gpu::Rgba>{rgba.data(), size.width, size.height, size.width});
      },
      to);
}

}  // namespace app
