// Messages over the picture: beside the sum that the rectangle tool works out.
#include <imgui.h>
#include <imgui_internal.h>

#include "app/tests/ui/matrix_example.h"
#include "app/tests/ui/panels_test.h"
#include "app/tests/ui/text_check.h"
#include "app/ui/layout.h"
#include "app/ui/rectangle.h"
#include "app/ui/theme.h"

namespace app::ui {
namespace {

class MessageListTest : public PanelsTest {
 protected:
  Rect picture() const {
    const auto& size = ImGui::GetIO().DisplaySize;
    return layout(settings_, static_cast<int>(size.x), static_cast<int>(size.y)).picture;
  }
  void draw_under_panels() override {
    if (!box_) return;
    const auto rect = picture();
    const View view{2, {0.5, 0.5}, {640, 480}, {rect.x, rect.y, rect.width, rect.height}};
    RectangleSum sum{.box = *box_, .corners = corners_of(*box_), .known = true, .plain = 1'234'567, .sum = 1'234'567};
    for (auto& corner : sum.corners) corner.entry = 12'345'678;
    state_.notes = draw_rectangle(view, sum, true);
  }
  static std::optional<Rect> place_of(const std::string& text) {
    const auto place = TextCheck::place_of(text, "messages");
    if (!place) return {};
    constexpr float pad = 4;  // the card is larger than its text
    return Rect{place->Min.x - pad, place->Min.y - pad, place->GetWidth() + 2 * pad, place->GetHeight() + 2 * pad};
  }

  std::optional<PixelBox> box_;
};

TEST_F(MessageListTest, ALongNameLosesItsMiddle) {
  ImGui::GetIO().DisplaySize = {1280, 1000};
  state_.messages.push_back({Message::Kind::info, "Saved /home/" + std::string(300, 'x') + "/end.png in 1 s", 0});
  draw(2);
  EXPECT_TRUE(place_of("Saved"));
  EXPECT_TRUE(place_of("end.png in 1 s"));
  EXPECT_TRUE(place_of("x...x"));
  EXPECT_FALSE(place_of(std::string(60, 'x')));
}

TEST_F(MessageListTest, NoneLiesOnTheSumOfTheRectangleOrOnAnotherOne) {
  const std::vector<std::string> texts{"the first of three messages", "the second one, which is an error", "the last one"};
  for (const auto& text : texts) state_.messages.push_back({Message::Kind::error, text, 0});
  settings_.dock_open = false;  // in a small window it has most of the height
  for (const ImVec2 size : {ImVec2(800, 600), ImVec2(1280, 1000)})
    for (const bool panels : {true, false})
      for (int y = 120; y < 340; y += 20)
        for (int x = 60; x < 560; x += 50) {
          ImGui::GetIO().DisplaySize = size;
          settings_.panels = panels;
          box_ = PixelBox{x, y, 30, 20};
          draw(2);
          std::vector<Rect> seen;
          if (!state_.notes.empty())
            seen.push_back(state_.notes.front());  // in a small window it is out of view here and there
          const auto notes = seen.size();
          for (const auto& text : texts)
            if (const auto place = place_of(text)) {
              EXPECT_FALSE(overlaps(*place, seen)) << text << ' ' << size.x << ' ' << x << ' ' << y;
              seen.push_back(*place);
            }
          EXPECT_EQ(seen.size() - notes, 3u) << size.x << ' ' << x << ' ' << y;
        }
}

TEST_F(MessageListTest, NoneLiesOnTheExplanationOfAMatrix) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  for (const char* text : {"one", "two", "three"}) state_.messages.push_back({Message::Kind::info, text, 0});
  draw(3);
  const auto hint = TextCheck::place_of("Type a number in place of the first", "matrix");
  ASSERT_TRUE(hint);
  const Rect line{hint->Min.x, hint->Min.y, hint->GetWidth(), hint->GetHeight()};
  for (const char* text : {"one", "two", "three"}) {
    const auto place = place_of(text);
    ASSERT_TRUE(place) << text;
    EXPECT_FALSE(overlaps(*place, std::vector{line})) << text;
  }
}

TEST_F(MessageListTest, NoneHidesANumberOfAMatrix) {
  ProbedPixels pixels;
  pixels.picture = {8, 8};
  pixels.places.width = pixels.places.height = 8;
  for (std::uint32_t y = 1; y <= 8; ++y)
    for (std::uint32_t x = 1; x <= 8; ++x) pixels.values.push_back({x * y, {1, 1, 1, 255}, 1});
  show_matrix(state_);
  settings_.dock_open = false;
  state_.picture = state_.capture.size = pixels.picture;
  state_.probed = &pixels;
  std::vector<std::string> said;
  for (const char* text : {"the first", "the second", "the third", "the fourth", "saved lesson.csv"}) {
    said.emplace_back("message " + std::to_string(said.size()) + ": " + text + ", as long as what is said usually is");
    state_.messages.push_back({Message::Kind::info, said.back(), 0});
  }
  for (const ImVec2 size : {ImVec2(1280, 800), ImVec2(1000, 700)}) {
    ImGui::GetIO().DisplaySize = size;
    draw(3);
    std::vector<Rect> texts;
    for (const char* text : {"64", "Table:", "Matrix:", "Type a number"}) {
      const auto there = TextCheck::place_of(text, "matrix");
      ASSERT_TRUE(there) << text;
      texts.push_back({there->Min.x, there->Min.y, there->GetWidth(), there->GetHeight()});
    }
    // From the first to the last number of both grids.
    texts.push_back(
        {picture().x, texts[1].y, texts[0].x + texts[0].width - picture().x, texts[0].y + texts[0].height - texts[1].y});
    int seen = 0;
    for (const auto& text : said)
      if (const auto place = place_of(text)) {
        EXPECT_FALSE(overlaps(*place, texts)) << text << ' ' << size.x;
        ++seen;
      }
    EXPECT_TRUE(place_of(said.back())) << "the latest";
    EXPECT_GE(seen, 2) << size.x;
  }
}

TEST_F(MessageListTest, TheyLieOverAMatrixThatIsShownFromTheStart) {
  show_matrix(state_);
  settings_.source = "matrix:3x2";
  state_.messages.push_back({Message::Kind::info, "saved", 0});
  draw(3);
  std::vector<std::string_view> windows;  // from the lowest to the highest
  const auto* data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) windows.emplace_back(data->CmdLists[i]->_OwnerName);
  const auto matrix = std::ranges::find(windows, "matrix"), messages = std::ranges::find(windows, "messages");
  ASSERT_TRUE(matrix != windows.end() && messages != windows.end());
  EXPECT_LT(matrix - windows.begin(), messages - windows.begin());
}

TEST_F(MessageListTest, WithoutARectangleTheLastOneStandsBelowTheOthers) {
  for (const char* text : {"one", "two"}) state_.messages.push_back({Message::Kind::info, text, 0});
  draw(2);
  const auto one = place_of("one"), two = place_of("two");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->x, two->x);
  EXPECT_LT(one->y, two->y);
  EXPECT_GT(two->y, picture().y + picture().height - 60);
}

TEST_F(MessageListTest, EachKindHasItsColourAndTheLastMomentsFade) {
  using enum Message::Kind;
  for (const auto& [kind, edge] :
       {std::pair{info, ImU32(colour::accent)}, {warning, colour::warning}, {error, colour::bad}}) {
    state_.messages = {{kind, "a message", 0}};
    draw(2);
    EXPECT_TRUE(has(*ImGui::FindWindowByName("messages")->DrawList, edge)) << static_cast<int>(kind);
    state_.messages.front().age = message_seconds(kind) - 0.2;
    draw(2);
    EXPECT_FALSE(has(*ImGui::FindWindowByName("messages")->DrawList, edge)) << static_cast<int>(kind);
    EXPECT_TRUE(place_of("a message"));
  }
}

TEST_F(MessageListTest, ASavedFileIsShownAndItsPathCopied) {
  const std::string file = "/home/me/satscope-out/clip##1.png";
  state_.messages = {{Message::Kind::info, "Saved " + file, 0, file}};
  draw(3);
  const auto click_on = [&](const char* words) {
    const auto place = TextCheck::place_of(words, "file 1");
    ASSERT_TRUE(place) << words;
    const auto card = place_of("Saved");
    ASSERT_TRUE(card);
    EXPECT_GE(place->Min.x, card->x + card->width - 4) << "beside the text";
    click(place->GetCenter().x, place->GetCenter().y);
  };
  click_on("Copy");
  EXPECT_EQ(ImGui::GetClipboardText(), file);
  click_on("Show file");
  EXPECT_EQ(shown_, std::vector{file});
  state_.no_folder = "there is no desktop";
  draw(2);
  click_on("Show file");
  EXPECT_EQ(shown_.size(), 1u);
}

// Dear ImGui keeps every window that it has ever seen.
TEST_F(MessageListTest, ManySavedFilesHaveNoWindowEach) {
  const auto save = [&](int number) {
    const auto file = "/home/me/satscope-out/" + std::to_string(number) + ".png";
    state_.messages = {{Message::Kind::info, "Saved " + file, 0, file}};
    draw(2);
    return ImGui::GetCurrentContext()->Windows.Size;
  };
  const auto windows = save(1);
  EXPECT_EQ(save(2), windows);
  EXPECT_EQ(save(3), windows);
}

TEST_F(MessageListTest, WhyASourceFailedStandsInTheMiddleOfThePicture) {
  state_.picture = {};
  state_.capture.phase = capture::Status::Phase::failed;
  state_.capture.message = "No such file: lobby.mp4";
  draw(2);
  const auto place = place_of("No such file: lobby.mp4");
  ASSERT_TRUE(place);
  EXPECT_NEAR(place->x + place->width / 2, picture().x + picture().width / 2, 10);
  EXPECT_NEAR(place->y + place->height / 2, picture().y + picture().height / 2, 10);
}

}  // namespace
}  // namespace app::ui
