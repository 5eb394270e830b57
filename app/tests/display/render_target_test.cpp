// What of ImGui's lists is drawn again, without OpenGL: lists are drawn by hand.
#include "app/display/render_target.h"

#include <gtest/gtest.h>

#include <memory>

namespace app {
namespace {

class RenderTargetRepaintTest : public ::testing::Test {
 protected:
  void SetUp() override { ImGui::CreateContext(); }
  void TearDown() override { ImGui::DestroyContext(); }

  // Begins a frame of 200x100 pixels; then box() and window(); then repainted().
  void frame() {
    owned_.clear();
    lists_.clear();
  }
  void window(const char* name, ImVec4 clip = {0, 0, 200, 100}) {
    owned_.push_back(std::make_unique<ImDrawList>(ImGui::GetDrawListSharedData()));
    auto& list = *owned_.back();
    list._OwnerName = name;
    list._ResetForNewFrame();
    list.PushClipRect({clip.x, clip.y}, {clip.z, clip.w});
    lists_.push_back(&list);
  }
  void box(float left, float top, float right, float bottom, ImU32 colour = IM_COL32_WHITE) {
    owned_.back()->AddRectFilled({left, top}, {right, bottom}, colour);
  }
  // As ImGui does up to 1.89.7, and later.
  static void put(std::vector<ImDrawList*>& lists, ImDrawList**& all) { all = lists.data(); }
  static void put(std::vector<ImDrawList*>& lists, ImVector<ImDrawList*>& all) {
    for (auto* list : lists) all.push_back(list);
  }
  std::vector<PixelRect> repainted(const PixelRect& filled = {}) {
    ImDrawData data;
    put(lists_, data.CmdLists);
    data.CmdListsCount = static_cast<int>(lists_.size());
    data.DisplaySize = {200, 100};
    auto parts = repaint_.keep_damaged(data, filled);
    triangles_ = 0;
    for (int i = 0; i < data.CmdListsCount; ++i)
      for (const auto& command : data.CmdLists[i]->CmdBuffer) triangles_ += command.ElemCount / 3;
    EXPECT_EQ(parts.front(), intersection(filled, parts.front()));
    parts.erase(parts.begin());
    return parts;
  }

  using Parts = std::vector<PixelRect>;
  Repaint repaint_;
  std::vector<std::unique_ptr<ImDrawList>> owned_;
  std::vector<ImDrawList*> lists_;
  unsigned triangles_ = 0;
};

const PixelRect all{0, 0, 200, 100};

TEST_F(RenderTargetRepaintTest, TheFirstFrameIsDrawnAsAWholeAndTheSameAgainNotAtAll) {
  for (const unsigned expected : {2u, 0u}) {
    frame();
    window("a");
    box(10, 10, 20, 20);
    EXPECT_EQ(repainted(), expected ? Parts{all} : Parts{});
    EXPECT_EQ(triangles_, expected);
  }
}

TEST_F(RenderTargetRepaintTest, ForgettingDrawsTheWholeAgain) {
  for (int i = 0; i < 2; ++i) {
    frame();
    window("a");
    box(10, 10, 20, 20);
    EXPECT_EQ(repainted(), Parts{all});
    repaint_.forget();
  }
}

TEST_F(RenderTargetRepaintTest, ABoxThatChangesBetweenTwoOthersIsDrawnWithWhatLiesUnderIt) {
  for (const ImU32 colour : {IM_COL32_WHITE, IM_COL32_BLACK}) {
    frame();
    window("under");
    box(0, 0, 40, 20);
    window("over");
    box(0, 0, 5, 5);
    box(10, 10, 20, 20, colour);
    box(30, 10, 40, 20);
    repainted();
  }
  EXPECT_EQ(triangles_, 4u);
}

TEST_F(RenderTargetRepaintTest, ABoxThatMovesOrGoesLeavesNothingBehind) {
  for (const float x : {10.f, 50.f, -1.f}) {
    frame();
    window("a");
    box(0, 0, 5, 5);
    if (x > 0) box(x, 10, x + 10, 20);
    const auto parts = repainted();
    if (x == 50) {
      EXPECT_EQ(parts, (Parts{{10, 10, 20, 20}, {50, 10, 60, 20}}));
    }
    if (x < 0) {
      EXPECT_EQ(parts, (Parts{{50, 10, 60, 20}}));
    }
  }
}

TEST_F(RenderTargetRepaintTest, ABoxWithOneEdgeMovedIsDrawnWhole) {
  for (const float right : {20.f, 30.f}) {
    frame();
    window("a");
    box(10, 10, right, 20);
    const auto parts = repainted();
    if (right == 30) {
      EXPECT_EQ(parts, (Parts{{10, 10, 20, 20}, {20, 10, 30, 20}}));
    }
  }
}

TEST_F(RenderTargetRepaintTest, AnotherClipRectangleDrawsAllThatItShowedAndShows) {
  for (const float right : {100.f, 50.f}) {
    frame();
    window("a", {0, 0, right, 50});
    box(0, 0, 200, 100);
    const auto parts = repainted();
    if (right == 50) {
      EXPECT_EQ(parts, (Parts{{0, 0, 100, 50}}));
    }
  }
}

TEST_F(RenderTargetRepaintTest, ABoxThatAnotherClipRectangleShowsIsDrawn) {
  for (const int of_first : {2, 1}) {
    frame();
    window("a");
    auto& list = *owned_.back();
    list.PushClipRect({0, 0}, {60, 100});
    for (int i = 0; i < 3; ++i) {
      if (i == of_first) list.PushClipRect({0, 0}, {200, 100});
      box(static_cast<float>(50 * i), 10, static_cast<float>(50 * i) + 20, 20);
    }
    const auto parts = repainted();
    if (of_first == 1) {
      EXPECT_EQ(parts, (Parts{{50, 10, 60, 20}, {60, 10, 70, 20}}));
    }
  }
}

TEST_F(RenderTargetRepaintTest, AWindowMoreOrLessDrawsEverything) {
  for (const int windows : {1, 2, 1}) {
    frame();
    window("a");
    box(0, 0, 10, 10);
    if (windows == 2) window("b"), box(50, 50, 60, 60);
    EXPECT_EQ(repainted(), Parts{all});
  }
}

TEST_F(RenderTargetRepaintTest, WindowsInAnotherOrderDrawEverything) {
  for (const bool swapped : {false, true}) {
    frame();
    window(swapped ? "b" : "a");
    window(swapped ? "a" : "b");
    box(0, 0, 10, 10);
    EXPECT_EQ(repainted(), Parts{all});
  }
}

TEST_F(RenderTargetRepaintTest, WhatLiesOverTheDrawnPartIsDrawnAndWhatLiesBesideItIsNot) {
  for (int i = 0; i < 2; ++i) {
    frame();
    window("a");
    box(60, 10, 70, 20);
    box(0, 10, 10, 20);
    const auto parts = repainted({50, 0, 100, 100});
    EXPECT_EQ(parts, i ? Parts{} : (Parts{{0, 0, 50, 100}, {100, 0, 200, 100}}));
    EXPECT_EQ(triangles_, i ? 2u : 4u);
  }
}

TEST_F(RenderTargetRepaintTest, WhereTheDrawnPartWasBeforeIsCleared) {
  for (const int right : {100, 80}) {
    frame();
    window("a");
    const auto parts = repainted({50, 0, right, 100});
    if (right == 80) {
      EXPECT_EQ(parts, (Parts{{80, 0, 100, 100}}));
    }
  }
}

TEST(RenderTargetRepaintPixelRectsTest, WithoutLeavesTheSidesOfAHole) {
  EXPECT_EQ(without({0, 0, 10, 10}, {2, 3, 5, 7}),
            (std::vector<PixelRect>{{0, 0, 10, 3}, {0, 7, 10, 10}, {0, 3, 2, 7}, {5, 3, 10, 7}}));
  EXPECT_EQ(without({0, 0, 10, 10}, {20, 0, 30, 10}), (std::vector<PixelRect>{{0, 0, 10, 10}}));
  EXPECT_TRUE(without({0, 0, 10, 10}, {-5, -5, 15, 15}).empty());
}

}  // namespace
}  // namespace app
