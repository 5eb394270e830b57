// faces on a photograph, and a cascade that cannot be used in the pipeline.
#include <opencv2/imgcodecs.hpp>

#include "app/pipeline/pipeline.h"
#include "app/support/files.h"
#include "app/tests/pipeline/effect_opencv.h"
#include "app/tests/pipeline/frames.h"
#include "gpu/vision/cascade_files.h"

namespace app::test {
namespace {

HostFrame astronaut() { return frame_of(cv::imread(asset("astronaut.png").string(), cv::IMREAD_COLOR)); }

std::vector<gpu::Annotation> faces(std::initializer_list<Setting> settings, const HostFrame& frame) {
  return gpu::test::annotations_on_host(effect_named("faces"), arguments_of(effect_named("faces"), settings), frame);
}

TEST(EffectFacesTest, TheAstronautHasOneFace) {
  const auto found = faces({}, astronaut());
  ASSERT_EQ(found.size(), 2u);
  const auto& face = found[0];
  EXPECT_TRUE(face.x0 > 150 && face.x0 < 200 && face.x1 > 250 && face.x1 < 300) << face.x0 << ' ' << face.x1;
  EXPECT_TRUE(face.y0 > 50 && face.y0 < 90 && face.y1 > 150 && face.y1 < 200) << face.y0 << ' ' << face.y1;
  EXPECT_GT(found[1].value, 10);
}

TEST(EffectFacesTest, EyesAreInsideTheFace) {
  if (gpu::vision::known_cascades().size() == 1) GTEST_SKIP() << "opencv-data is not installed";
  const auto found = faces({{"inside", "eye"}}, astronaut());
  ASSERT_EQ(found.size(), 6u) << "a face and two eyes";
  for (const auto& eye : {found[2], found[4]}) {
    EXPECT_GE(eye.x0, found[0].x0);
    EXPECT_LE(eye.x1, found[0].x1);
    EXPECT_LT(eye.y1, (found[0].y0 + found[0].y1) / 2 + 10);
  }
}

TEST(EffectFacesTest, ACascadeThatCannotBeUsedLeavesThePictureAsItWas) {
  const auto frame = ramp_frame({64, 48});
  auto selection = selection_of("host_serial", "faces");
  Pipeline pipeline(gpu::Device::host);
  pipeline.process(frame, selection);
  const auto level = pipeline.picture().pixels(5, 5).g;
  selection.effect_arguments.set("cascade", "/nowhere/mine.xml");
  try {
    pipeline.process(frame, selection);
    ADD_FAILURE() << "nothing was refused";
  } catch (const gpu::ArgumentError& error) {
    EXPECT_STREQ(error.what(), "there is no cascade file '/nowhere/mine.xml': check the path");
  }
  EXPECT_EQ(pipeline.picture().pixels(5, 5).g, level);
}

}  // namespace
}  // namespace app::test
