#include "app/highgui/module/highgui_window.h"

#include <dlfcn.h>

#include <opencv2/highgui.hpp>
#include <opencv2/imgproc.hpp>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace app {
namespace {

// Text on a picture of a few pixels could not be read, and many lines have no room on a small one: such pictures are enlarged.
cv::Mat enlarged(const cv::Mat& picture, std::span<const std::string> lines) {
  const int times = enlargement(picture.size(), lines);
  if (times <= 1) return picture;
  cv::Mat result;
  cv::resize(picture, result, {}, times, times, cv::INTER_NEAREST);
  return result;
}

// Behind the lines, so that they are read on any picture: a quarter of it shines through.
void darken(cv::Mat& picture, cv::Rect part) {
  part &= cv::Rect({}, picture.size());
  if (!part.empty()) picture(part) *= 0.25;
}

void write_lines(cv::Mat& picture, std::span<const std::string> lines) {
  const TextColumns columns(picture.size(), lines);
  int left = 0;
  const auto write = [&](const std::string& text, int x, int y) {
    cv::putText(picture, text, {x + columns.advance / 2, y}, cv::FONT_HERSHEY_SIMPLEX, columns.letters, {255, 255, 255},
                columns.thickness(), cv::LINE_AA);
  };
  for (const auto& column : columns.columns) {
    const auto part = lines.first(std::min(lines.size(), static_cast<std::size_t>(columns.rows)));
    lines = lines.subspan(part.size());
    darken(picture, {left, 0, column.width, columns.advance * static_cast<int>(part.size()) + columns.advance / 2});
    int y = 0;
    for (const auto& line : part) {
      const auto [first, second] = TextColumns::cells(line);
      write(first, left, y += columns.advance);
      write(second, left + columns.place(column, second), y);
    }
    left += column.width;
  }
}

// Qt, one of OpenCV's toolkits, gives letters without their Shift. Whether it is Qt is known only where the program runs, and its
// headers are not needed for a function that returns the bits of an enumeration: QGuiApplication::keyboardModifiers(). It is
// asked when OpenCV tells the key, after all waiting events: a Shift that is released within the same frame is missed.
bool shift_is_held() {
  constexpr unsigned shift = 0x02000000;  // Qt::ShiftModifier
  using Modifiers = unsigned();
  auto* const modifiers = reinterpret_cast<Modifiers*>(dlsym(RTLD_DEFAULT, "_ZN15QGuiApplication17keyboardModifiersEv"));
  return modifiers && (modifiers() & shift) != 0;
}

class OpencvWindow final : public HighguiWindow {
 public:
  explicit OpencvWindow(const char* title) : title_(title) {
    try {
      cv::namedWindow(title_, cv::WINDOW_NORMAL | cv::WINDOW_KEEPRATIO | cv::WINDOW_GUI_NORMAL);
    } catch (const cv::Exception& error) {
      throw std::runtime_error("OpenCV opens no window: " + error.err);
    }
  }
  ~OpencvWindow() override {
    try {
      cv::destroyWindow(title_);
    } catch (const cv::Exception&) {  // the user has closed it
    }
  }

  bool show(gpu::ImageView<const gpu::Rgba> picture, std::span<const std::string> lines) override {
    if (shown_ && cv::getWindowProperty(title_, cv::WND_PROP_VISIBLE) < 1) return false;
    const cv::Mat rgba(picture.height, picture.width, CV_8UC4, const_cast<gpu::Rgba*>(picture.data),
                       static_cast<std::size_t>(picture.stride) * sizeof(gpu::Rgba));
    cv::Mat bgr;
    cv::cvtColor(rgba, bgr, cv::COLOR_RGBA2BGR);
    bgr = enlarged(bgr, lines);
    write_lines(bgr, lines);
    if (!shown_) cv::resizeWindow(title_, std::min(bgr.cols, 1280), std::min(bgr.rows, 800));
    cv::imshow(title_, bgr);
    shown_ = true;
    return true;
  }
  int key() override {
    const int key = cv::waitKeyEx(1);
    return key >= 'a' && key <= 'z' && shift_is_held() ? key - 'a' + 'A' : key;
  }

 private:
  std::string title_;
  bool shown_ = false;
};

}  // namespace
}  // namespace app

extern "C" [[gnu::visibility("default")]] app::HighguiWindow* satscope_open_highgui_window(const char* version,
                                                                                           const char* title) {
  return std::string_view(version) == SATSCOPE_VERSION ? new app::OpencvWindow(title) : nullptr;
}
