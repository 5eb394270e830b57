// Pictures whose annotations arrive after them: a texture never shows the one with those of another.
#include <optional>

#include "app/tests/gl/texture_test.h"
#include "gpu/cuda/error.h"

namespace app::gl {
namespace {

// Annotations that come when the test says so, or when they are waited for.
struct LateAnnotations {
  explicit LateAnnotations(double value) : value(value) {}

  double value;
  bool there = false;
  PictureAnnotations handle{[this](bool wait) -> std::optional<PictureAnnotations::List> {
    there = there || wait;
    if (!there) return {};
    return annotations_of(value);
  }};
};

class LateAnnotationsTest : public SharedTextureTest {
 protected:
  void SetUp() override {
    SharedTextureTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) texture_.emplace(false, "host");  // in the context that is current now
  }
  void TearDown() override { texture_.reset(); }

  void show(int seed, const PictureAnnotations& annotations) {
    texture_->show(host_, make_picture({50, 40}, seed).view(), annotations);
  }
  // The picture and the annotations that are shown are the ones of that number.
  void expect_shown(int seed) {
    EXPECT_EQ(differences(*texture_, make_picture({50, 40}, seed).view()), 0) << seed;
    ASSERT_EQ(texture_->annotations().size(), 1u);
    EXPECT_EQ(texture_->annotations()[0].value, seed);
  }

  std::optional<SharedTexture> texture_;
  LateAnnotations second_{2}, third_{3}, fourth_{4};
};

TEST_F(LateAnnotationsTest, APictureIsShownWhenItsAnnotationsHaveArrived) {
  show(1, annotations_of(1));
  show(2, second_.handle);
  expect_shown(1);
  second_.there = true;
  expect_shown(2);
  show(3, third_.handle);
  expect_shown(2);
  show(4, fourth_.handle);
  third_.there = true;
  expect_shown(3);
  fourth_.there = true;
  expect_shown(4);
}

// However late they are, there is always one that is shown next.
TEST_F(LateAnnotationsTest, OfMoreThanTwoPicturesTheOldestAndTheNewestAreShown) {
  show(1, annotations_of(1));
  LateAnnotations between{5};
  for (const auto* late : {&second_, &between, &third_, &fourth_}) show(static_cast<int>(late->value), late->handle);
  expect_shown(1);
  for (auto* late : {&second_, &between, &third_}) late->there = true;
  expect_shown(2);
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, FlushWaitsForTheNewestPicture) {
  show(1, annotations_of(1));
  show(2, second_.handle);
  show(3, third_.handle);
  texture_->flush();
  expect_shown(3);
}

TEST_F(LateAnnotationsTest, APictureWhoseAnnotationsAreThereComesBeforeOlderOnes) {
  show(1, annotations_of(1));
  show(2, second_.handle);
  show(3, annotations_of(3));
  second_.there = true;
  expect_shown(3);
  show(4, fourth_.handle);
  expect_shown(3);
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, ALostGpuCostsThePicturesUnderWayAndNothingElse) {
  bool lost = false;
  const PictureAnnotations failing([&](bool) -> std::optional<PictureAnnotations::List> {
    if (lost) gpu::check(cudaErrorIllegalAddress);
    return {};
  });
  show(1, annotations_of(1));
  show(2, failing);
  lost = true;
  EXPECT_NO_THROW(show(3, annotations_of(3)));
  expect_shown(3);
  lost = false;
  show(2, failing);
  lost = true;
  expect_shown(3);
  EXPECT_NO_THROW(show(4, fourth_.handle));
  fourth_.there = true;
  expect_shown(4);
}

TEST_F(LateAnnotationsTest, FlushWaitsForTheNewest) {
  show(2, second_.handle);
  EXPECT_EQ(texture_->texture(), 0u);
  show(3, third_.handle);
  second_.there = true;
  texture_->flush();
  expect_shown(3);
  EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR));
}

}  // namespace
}  // namespace app::gl
