// Annotations over the picture, in the pixels of the screen.
#include <imgui.h>

#include "app/tests/ui/text_check_window.h"
#include "app/ui/layout.h"

namespace app::ui {
namespace {

class AnnotationOverlayTest : public TextCheckTest {
 protected:
  static constexpr gpu::Rgba orange{255, 170, 60, 255};

  static gpu::Annotation box() {
    gpu::Annotation box;
    box.x0 = 40, box.y0 = 30, box.x1 = 80, box.y1 = 60;
    box.stroke = orange;
    return box;
  }
  static View view(double zoom) { return {zoom, {0.375, 0.375}, {160, 120}, {100, 50, 600, 400}}; }
  // What is drawn in that colour encloses.
  ImRect drawn(double zoom, const gpu::Annotation& annotation) {
    ImGui::NewFrame();
    labels_ = draw_annotations(view(zoom), std::span(&annotation, 1), numbers_, explains_);
    ImRect all(1e6f, 1e6f, -1e6f, -1e6f);
    std::vector<ImVec2> drawn;
    for (const auto& v : ImGui::GetBackgroundDrawList()->VtxBuffer)
      if (v.col == IM_COL32(orange.r, orange.g, orange.b, orange.a)) drawn.push_back(v.pos);
    for (const auto& at : drawn) all.Add(at);
    auto within = all;
    within.Expand(-2.5f);
    fine_ = std::ranges::none_of(drawn, [&](const ImVec2& at) { return within.Contains(at); });
    ImGui::Render();
    return all;
  }

  std::vector<Rect> labels_, numbers_;
  bool fine_ = false;  // nothing is drawn deep inside
  bool explains_ = true;
};

TEST_F(AnnotationOverlayTest, LinesEncloseThePixelsAndAreEquallyFineAtAnyZoom) {
  for (const double zoom : {2.0, 5.0, 10.0}) {
    const auto all = drawn(zoom, box());
    const auto from = view(zoom).image_to_screen({40, 30}), to = view(zoom).image_to_screen({80, 60});
    EXPECT_NEAR(all.Min.x, from.x, 3) << zoom;
    EXPECT_NEAR(all.Min.y, from.y, 3) << zoom;
    EXPECT_NEAR(all.Max.x, to.x, 3) << zoom;
    EXPECT_NEAR(all.Max.y, to.y, 3) << zoom;
    EXPECT_LE(all.Min.x, from.x) << zoom;
    EXPECT_GE(all.Max.x, to.x) << zoom;
    EXPECT_TRUE(fine_) << zoom;
  }
}

TEST_F(AnnotationOverlayTest, ALabelHasItsValueAndStaysInSight) {
  auto label = box();
  label.kind = gpu::Annotation::Kind::label;
  label.has = gpu::Annotation::Value::signed_number;
  label.value = -4071;
  for (const double zoom : {2.0, 10.0, 40.0}) {
    drawn(zoom, label);
    ASSERT_EQ(labels_.size(), 1u);
    const auto& place = labels_.front();
    const auto seen = view(zoom).visible();
    EXPECT_GE(place.x, seen.x) << zoom;
    EXPECT_GE(place.y, seen.y) << zoom;
    EXPECT_LE(place.x + place.width, seen.x + seen.width) << zoom;
    EXPECT_LE(place.y + place.height, seen.y + seen.height) << zoom;
    EXPECT_GT(place.width, ImGui::CalcTextSize("-4071").x);
  }
}

TEST_F(AnnotationOverlayTest, ALabelIsBesideTheNumbersInTheCells) {
  auto label = box();
  label.kind = gpu::Annotation::Kind::label;
  label.has = gpu::Annotation::Value::number;
  label.value = 36;
  constexpr double zoom = 60;
  label.x0 = 58, label.y0 = 43, label.x1 = 62, label.y1 = 45;
  const auto rows = [&](double height) {
    numbers_.clear();
    for (int y = 40; y < 50; ++y) {
      const auto middle = view(zoom).image_to_screen({0, y + 0.5}).y;
      numbers_.push_back({100, static_cast<float>(middle - height / 2), 600, static_cast<float>(height)});
    }
  };
  for (const double height : {20.0, 28.0}) {
    rows(height);
    drawn(zoom, label);
    ASSERT_EQ(labels_.size(), 1u);
    EXPECT_FALSE(overlaps(labels_.front(), numbers_)) << height;
  }
  rows(58);
  drawn(zoom, label);
  EXPECT_EQ(labels_.size(), 1u) << "there is no other place";
}

TEST_F(AnnotationOverlayTest, WhatIsOutOfSightHasNoLabel) {
  auto label = box();
  label.kind = gpu::Annotation::Kind::label;
  label.has = gpu::Annotation::Value::number;
  for (const float left : {0.f, 140.f}) {
    label.x0 = left, label.x1 = left + 10;
    drawn(20, label);
    EXPECT_TRUE(labels_.empty()) << left;
  }
  drawn(2, label);
  EXPECT_EQ(labels_.size(), 1u);
}

TEST_F(AnnotationOverlayTest, APartIsFilledWithoutALine) {
  auto part = box();
  part.stroke.a = 0;
  part.fill = orange;
  const auto all = drawn(4, part);
  const auto from = view(4).image_to_screen({40, 30}), to = view(4).image_to_screen({80, 60});
  EXPECT_EQ(all.Min.x, static_cast<float>(from.x));
  EXPECT_EQ(all.Max.y, static_cast<float>(to.y));
}

// "34" below a face says nothing to who sees it first.
TEST_F(AnnotationOverlayTest, TheMouseOnTheNumberOfAFaceTellsWhatItCounts) {
  auto label = box();
  label.kind = gpu::Annotation::Kind::label;
  label.value = 34;
  const auto explained = [&](gpu::Annotation::Value has, bool explains, ImVec2 off = {}) {
    label.has = has;
    explains_ = explains;
    ImGui::GetIO().MousePos = {-1, -1};
    drawn(5, label);
    EXPECT_EQ(labels_.size(), 1u);
    if (labels_.empty()) return false;
    const auto& place = labels_.front();
    ImGui::GetIO().MousePos = {place.x + place.width / 2 + off.x, place.y + place.height / 2 + off.y};
    for (int i = 0; i < 3; ++i) drawn(5, label);
    return TextCheck::place_of("34 windows", "##Tooltip").has_value();
  };
  using Value = gpu::Annotation::Value;
  EXPECT_TRUE(explained(Value::number, true));
  EXPECT_FALSE(explained(Value::number, true, {200, 100})) << "the mouse is elsewhere";
  EXPECT_FALSE(explained(Value::number, false)) << "in the presentation";
  EXPECT_FALSE(explained(Value::signed_number, true)) << "the value of a feature";
}

}  // namespace
}  // namespace app::ui
