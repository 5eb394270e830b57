// What the session itself can save: the settings, the picture, the matrix that is shown, and the frame whose table was wrong.
#include <array>
#include <stdexcept>
#include <utility>

#include "app/capture/matrix.h"
#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/source_request.h"
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
  const auto text = [&](const capture::Matrix& matrix) {
    return capture::matrix_header(requested_, matrix.size.width) + capture::matrix_text(matrix, '\n') + '\n';
  };
  if (!settings_.matrix.empty() && capture::owns_matrix(requested_))
    return text(capture::matrix_from(settings_.matrix, ';', "matrix"));
  if (feed_.status().kind != capture::SourceKind::matrix || !feed_.last())
    throw std::invalid_argument("the source is no matrix; choose matrix:8x8 or a CSV file");
  return text(capture::matrix_of(feed_.last()->view()));
}

void Session::save_matrix(const std::filesystem::path& to) {
  const auto saving = std::make_shared<Saving>();
  const auto fail = [](Saving& failed, const std::string& because) {
    failed.problem = because;
    failed.state = Saving::failed;
  };
  const auto why = outputs_.save(
      "matrix", ".csv",
      [text = matrix_text(), saving, fail](const auto& path) {
        try {
          write_file(path, text);
          saving->state = Saving::there;
        } catch (const std::exception& error) {
          fail(*saving, error.what());
          throw;
        }
      },
      to);
  if (!why.empty()) fail(*saving, why);
  saved_matrix_ = {settings_.matrix, saving};
}

bool Session::matrix_unsaved() const {
  const auto& now = settings_.matrix;
  if (now.empty() || now == started_.matrix || !capture::owns_matrix(requested_)) return false;
  return !saved_matrix_.saving || saved_matrix_.saving->state != Saving::there || saved_matrix_.matrix != now;
}

std::string Session::matrix_problem() const {
  const auto& [matrix, saving] = saved_matrix_;
  return saving && saving->state == Saving::failed && matrix == settings_.matrix ? saving->problem : "";
}

// Where nobody is asked: saves a changed matrix at once, in the first of the folders that takes it. Returns why the first one
// did not, where none does. The line is also for the terminal: after a signal the window shows it to nobody.
std::string Session::keep_matrix(std::span<const std::filesystem::path> folders) {
  if (run_.offscreen || !matrix_unsaved()) return {};
  std::string why;
  for (const auto& folder : folders) try {
      const auto text = matrix_text();
      const auto path = write_new_file(outputs_.new_file(folder, "matrix", ".csv"),
                                       [&](const auto& to) { write_file(to, text); });
      tell((why.empty() ? "" : why + ": ") + "saved the changed matrix: " + path.string());
      messages_.info("Saved " + path.string());
      const auto saving = std::make_shared<Saving>();
      saving->state = Saving::there;
      saved_matrix_ = {settings_.matrix, saving};
      return {};
    } catch (const capture::SourceError&) {  // its error is the source's to report
      return {};
    } catch (const std::runtime_error& error) {
      if (why.empty()) why = error.what();
    }
  return why;
}

// Nobody can choose another place any more.
void Session::keep_matrix_at_end() {
  std::error_code ignored;
  std::vector<std::filesystem::path> folders{outputs_.folder()};
  if (run_.config) folders.push_back(std::filesystem::absolute(*run_.config, ignored).parent_path());
  folders.push_back(std::filesystem::temp_directory_path(ignored));
  if (const auto why = keep_matrix(folders); !why.empty()) outputs_.fail("the changed matrix is lost: " + why);
}

// For another source. False: the matrix would be lost, and stays.
bool Session::leaves_matrix() {
  const auto why = keep_matrix(std::array{outputs_.folder()});
  if (why.empty()) return true;
  const auto says = "the matrix stays open: it was changed and cannot be saved: " + why +
                    " (\"Save to\"), or quit without saving to open " + capture::describe_source(request());
  if (!script_.fail(ExitCode::failed, says)) messages_.error(says);
  put_request(requested_, settings_);
  start_ = 0;
  return false;
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
