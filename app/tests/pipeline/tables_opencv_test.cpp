// Tables against OpenCV's integral(): sums, squares and tilted.
#include "app/tests/pipeline/effect_opencv.h"
#include "gpu/tables.h"
#include "gpu/thread_pool.h"

namespace app::test {
namespace {

// Without the first row and column.
cv::Mat inner(const cv::Mat& table) { return table(cv::Rect(1, 1, table.cols - 1, table.rows - 1)); }

TEST(TablesOpencvTest, EqualOpenCVsIntegrals) {
  for (const auto size : {cv::Size{1, 1}, cv::Size{1, 50}, cv::Size{60, 1}, cv::Size{2, 2}, cv::Size{333, 77}}) {
    SCOPED_TRACE(size_text(size));
    const auto image = random_image(size.width, size.height, CV_8UC1, 11);
    const auto frame = frame_of(image);
    cv::Mat sum, squares, tilted;
    cv::integral(image, sum, squares, tilted, CV_32S, CV_64F);

    const gpu::Image<std::uint32_t> ours(frame.size(), gpu::Device::host);
    gpu::ThreadPool pool(1);
    auto context = gpu::Context::on_host(pool, {});
    gpu::compute_tilted(context, frame.gray.view(), ours.view());
    const auto theirs = inner(tilted);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        ASSERT_EQ(ours.view()(x, y), static_cast<std::uint32_t>(theirs.at<int>(y, x))) << x << "," << y;
    // What OpenCV's table has besides: the first column and the end of the rows.
    for (int y = 1; y < size.height; ++y)
      ASSERT_EQ(ours.view()(0, y - 1), static_cast<std::uint32_t>(tilted.at<int>(y + 1, 0))) << y;

    const gpu::Image<std::uint64_t> our_squares(frame.size(), gpu::Device::host);
    gpu::compute_sat(context, gpu::test::host_algorithm(), frame.gray.view(), our_squares.view(), gpu::Arguments());
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x)
        ASSERT_EQ(static_cast<double>(our_squares.view()(x, y)), inner(squares).at<double>(y, x)) << x << "," << y;
  }
}

}  // namespace
}  // namespace app::test
