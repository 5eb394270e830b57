// The line of the source: what is typed there, and what stays when it fails.
#include <gtest/gtest.h>
#include <imgui.h>

#include <tuple>

#include "app/support/address.h"
#include "app/tests/ui/controls_test.h"

namespace app::ui {
namespace {

class SourceListTest : public ControlsTest {
 protected:
  void SetUp() override {
    ControlsTest::SetUp();
    open_list();
  }
  void open_list() {
    click(100, 22);
    rest();
  }
  // The line is below the first entry.
  static ImVec2 field() {
    const auto entry = middle_of("Open file", "##Popup");
    return {entry.x + 150, entry.y + 32};
  }
  void click_field() { click(field().x, field().y); }
  // In place of what the field has.
  void enter_source(const char* text) {
    click_field();
    for (int i = 0; i < 12; ++i) press(KeyCode::backspace);
    type(text);
    press(KeyCode::enter);
  }
};

TEST_F(SourceListTest, ATypedSourceIsOpenedOnEnterAndItsLettersStartNoActions) {
  click_field();
  ASSERT_TRUE(ImGui::GetIO().WantTextInput);
  for (int i = 0; i < 12; ++i) press(KeyCode::backspace);
  EXPECT_TRUE(type("requiems.mp4").empty());
  EXPECT_EQ(settings_.source, "lobby.mp4");  // not before it is complete
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "requiems.mp4");
}

TEST_F(SourceListTest, QuotesAroundATypedSourceAreTakenOff) {
  enter_source("'/films/a b.mp4'");
  EXPECT_EQ(settings_.source, "/films/a b.mp4");
}

TEST_F(SourceListTest, ASourceThatCouldNotBeOpenedStaysInTheFieldToBeCorrected) {
  enter_source("lobbi.mp4");
  ASSERT_EQ(settings_.source, "lobbi.mp4");
  draw();
  settings_.source = "lobby.mp4";  // which continues
  state_.context.failed_source = "lobbi.mp4";
  draw(2);
  open_list();
  click_field();
  type("x");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source.size(), 10u) << settings_.source;
  EXPECT_NE(settings_.source.find('i'), std::string::npos) << settings_.source;
}

TEST_F(SourceListTest, EscapeInTheFieldLeavesTheSourceAsItWas) {
  click_field();
  type("xyz");
  EXPECT_TRUE(press(KeyCode::escape).empty());
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "lobby.mp4");
}

TEST_F(SourceListTest, EnterOnTheSameSourceReopensIt) {
  click_field();
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
}

TEST_F(SourceListTest, ASourceSetElsewhereShowsInTheField) {
  settings_.source = "dropped.mp4";  // a file dropped on the window
  draw();
  click_field();
  press(KeyCode::enter);
  EXPECT_EQ(settings_.source, "dropped.mp4");
}

using SourceListFiguresTest = SourceListTest;

TEST_F(SourceListFiguresTest, AChoiceClosesTheListAndSoDoesEnter) {
  state_.recent = {"http://camera.local:8080/stream"};
  draw(2);
  click_text("HD Webcam", "##Popup");
  EXPECT_EQ(settings_.source, "/dev/video0");
  EXPECT_FALSE(top_window("##Popup"));
  open_list();
  click_text("Test scene", "##Popup");
  click_text("Test scene 1920x1080", "##Menu");
  EXPECT_EQ(settings_.source, "synthetic:1920x1080");
  EXPECT_FALSE(top_window("##Popup"));
  open_list();
  click_text("http://camera.local:8080/stream", "##Popup");
  EXPECT_EQ(settings_.source, "http://camera.local:8080/stream");
  open_list();
  enter_source("a.mp4");
  draw(2);
  EXPECT_FALSE(top_window("##Popup"));
  open_list();
  EXPECT_TRUE(click_text("Open file", "##Popup").empty());
  EXPECT_TRUE(settings_.browse);
}

TEST_F(SourceListFiguresTest, ACameraThatCannotBeOpenedSaysWhyAndCannotBeChosen) {
  click_text("Capture card", "##Popup");
  EXPECT_EQ(settings_.source, "lobby.mp4");
  ImGui::GetIO().MousePos = middle_of("Capture card", "##Popup");
  draw(3);
  EXPECT_TRUE(shown("in use by another program", "##Tooltip"));
  state_.cameras.clear();
  draw(2);
  EXPECT_TRUE(shown("none is connected", "##Popup"));
  EXPECT_TRUE(shown("Bundled clip", "##Popup"));
}

TEST_F(SourceListFiguresTest, WhyASourceFailedIsNotHiddenByWhatTheFieldTakes) {
  const auto rest_on_field = [&] {
    ImGui::GetIO().MousePos = field();
    draw(3);
    return shown("Files can be dropped on the window", "##Tooltip");
  };
  EXPECT_TRUE(rest_on_field());
  settings_.source = "lobbi.mp4";
  draw(2);
  settings_.source = "lobby.mp4";
  state_.context.failed_source = "lobbi.mp4";
  state_.failed_because = "No such file: lobbi.mp4";
  draw(2);
  EXPECT_FALSE(rest_on_field());
  EXPECT_TRUE(shown("No such file: lobbi.mp4", "##Popup"));
}

TEST_F(SourceListFiguresTest, APasswordIsHiddenAlsoWhileTheFieldIsEditedAndStays) {
  settings_.source = "rtsp://a:secret@b/1";
  draw(2);
  EXPECT_TRUE(shown("rtsp://a:***@b/1", "##Popup"));
  click_field();
  EXPECT_FALSE(shown("secret", "##Popup"));
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
  EXPECT_EQ(settings_.source, "rtsp://a:secret@b/1");
  for (const char* before : {"rtsp://a:secret@b/1", "rtsp://a:other@b/1"}) {
    settings_.source = before;
    draw(2);
    open_list();
    click_field();
    press(KeyCode::end);
    type("2");
    draw();
    EXPECT_FALSE(shown("secret", "##Popup") || shown("other@", "##Popup"));
    press(KeyCode::enter);
    EXPECT_EQ(settings_.source, std::string(before) + "2");
  }
}

TEST_F(SourceListFiguresTest, AFileThatLooksLikeAnAddressIsShownAsItIsWhenItIsFound) {
  const std::string name = "11:45 you@home.mp4";
  settings_.source = name;
  draw(2);
  EXPECT_TRUE(shown("11:***@home.mp4", "##Popup"));
  note_file("/films/" + name);
  draw(2);
  EXPECT_TRUE(shown(name, "##Popup"));
  click_field();
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
  EXPECT_EQ(settings_.source, name);
}

TEST_F(SourceListFiguresTest, TheFormOfTheSourceThatFailedAndOfTheOneInUseIsCompleted) {
  settings_.source = "rtsp://a:secret@b/1";
  state_.context.failed_source = "rtsp://a:other@c/1";
  for (const auto& [typed, meant] :
       {std::pair("rtsp://a:***@c/2", "rtsp://a:other@c/2"), {"rtsp://a:***@b/2", "rtsp://a:secret@b/2"}}) {
    settings_.source = "rtsp://a:secret@b/1";
    draw(2);
    panels_.open_source(typed);
    draw();
    EXPECT_EQ(settings_.source, meant);
  }
}

// What is out of sight is not measured, character by character.
TEST_F(SourceListFiguresTest, ANameAsLongAsAFileCanBeDrawn) {
  settings_.source.assign(1 << 19, 'x').append("end.mp4");
  state_.capture.description = settings_.source;
  draw(2);
  EXPECT_TRUE(shown("end.mp4", "##Popup"));
}

// Dear ImGui hides what follows ## in a label, and takes two labels that differ only before it for one control.
TEST_F(SourceListFiguresTest, NamesAreDrawnWholeAndInOneLine) {
  settings_.source = "two\nlines##1.mp4";
  state_.recent = {"two\nlines##1.mp4", "film##1.mp4", "film##2.mp4"};
  state_.cameras = {example_camera(0, "Cam##1")};
  draw(2);
  EXPECT_TRUE(shown("two lines##1.mp4", "##Popup"));
  for (const char* name : {"two lines##1.mp4", "film##1.mp4", "Cam##1"}) EXPECT_TRUE(shown(name, "##Popup")) << name;
  click_text("film##2.mp4", "##Popup");
  EXPECT_EQ(settings_.source, "film##2.mp4");
}

TEST_F(SourceListFiguresTest, ANameOfTwoLinesStaysTheOneThatIsOpened) {
  settings_.source = "two\nlines.mp4";
  draw(2);
  click_field();
  EXPECT_EQ(press(KeyCode::enter), std::vector{Action::reopen});
  EXPECT_EQ(settings_.source, "two\nlines.mp4");
}

TEST_F(SourceListFiguresTest, TheListOffersAMatrix) {
  click_text("Matrix 8x8", "##Popup");
  EXPECT_EQ(settings_.source, "matrix:8x8");
}

TEST_F(SourceListFiguresTest, WhatIsRequestedIsEmptyForTheSourcesOwn) {
  state_.capture.kind = capture::SourceKind::synthetic;
  click_text("Size, rate and memory", "##Popup");
  EXPECT_TRUE(shown("the source's own", "##Popup"));
  click_control("Size");
  type("1280x720");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.size, (gpu::Size{1280, 720}));
  click_control("Rate");
  type("12.5");
  click_text("Cameras", "##Popup");  // elsewhere
  EXPECT_EQ(settings_.fps, 12.5);
  draw(2);
  EXPECT_TRUE(shown("1280x720", "##Popup"));
  EXPECT_TRUE(shown("12.5", "##Popup"));
  EXPECT_FALSE(shown("the source's own", "##Popup"));
  click_control("Size");
  for (int i = 0; i < 8; ++i) press(KeyCode::backspace);
  press(KeyCode::enter);
  EXPECT_EQ(settings_.size, gpu::Size());
  EXPECT_TRUE(refusals_.empty());
  click_control("Size");
  type("wide");
  press(KeyCode::enter);
  EXPECT_EQ(settings_.size, gpu::Size());
  EXPECT_EQ(refusals_.size(), 1u);
}

TEST_F(SourceListFiguresTest, WhyNoSizeCanBeRequestedIsSaidOfWhatPlays) {
  click_text("Size, rate and memory", "##Popup");
  using enum capture::SourceKind;
  for (const auto& [kind, live, why] : {std::tuple{video, true, "A live stream has its own size and rate"},
                                        {video, false, "A file has its own size and rate"},
                                        {matrix, false, "A matrix has its own size"}}) {
    state_.capture.kind = kind;
    state_.capture.live = live;
    draw(2);
    for (const char* label : {"Size", "Rate"}) {
      const auto at = middle_of(label, "##Popup");
      ImGui::GetIO().MousePos = {at.x + 120, at.y};
      draw(3);
      EXPECT_TRUE(shown(why, "##Tooltip")) << label;
    }
  }
}

TEST_F(SourceListFiguresTest, AStillPictureHasNeitherRateNorLatency) {
  EXPECT_TRUE(shown("latency", "##Popup"));
  for (const auto kind : {capture::SourceKind::image, capture::SourceKind::matrix}) {
    state_.capture.kind = kind;
    draw(2);
    for (const char* word : {"latency", "source fps", "dropped"}) EXPECT_FALSE(shown(word, "##Popup")) << word;
  }
}

// A number would be that of the last picture, long ago.
TEST_F(SourceListFiguresTest, WhereNoPictureIsDueThereIsNoLatency) {
  const auto expect = [&](bool number, const char* what) {
    draw(2);
    for (const char* window : {"##Popup"}) {
      EXPECT_EQ(shown("latency 11.4 ms", window), number) << what << " in " << window;
      EXPECT_EQ(shown("latency -", window), !number) << what << " in " << window;
    }
  };
  expect(true, "playing");
  state_.paused = true;
  expect(false, "paused");
  state_.paused = false;
  state_.capture.phase = capture::Status::Phase::ended;
  expect(false, "ended");
  state_.capture.phase = capture::Status::Phase::playing;
  state_.capture.silent = true;
  expect(false, "silent");
}

// A window that shows the last picture of it is idle, too.
TEST_F(SourceListFiguresTest, ASourceThatIsLostOrSilentIsNotCalledIdle) {
  state_.idle = true;
  state_.messages.clear();
  draw(2);
  EXPECT_TRUE(shown("idle", "playback"));
  state_.capture.phase = capture::Status::Phase::retrying;
  state_.capture.loss = "lost 'cam': it is gone; trying again";
  state_.capture.message = state_.capture.loss + ", at least every 30 s";
  draw(2);
  EXPECT_TRUE(shown("lost", "bar"));
  EXPECT_FALSE(shown("idle", "playback"));
  EXPECT_TRUE(shown("O tries", "##Popup") || shown("tries at once", "##Popup"));
  state_.idle = false;  // it is asked for pictures all the time
  state_.capture.phase = capture::Status::Phase::playing;
  state_.capture.loss.clear();
  state_.capture.silent = true;
  draw(2);
  EXPECT_TRUE(shown("no signal", "bar"));
}

TEST_F(SourceListFiguresTest, WithoutPanelsALostSourceIsSaidOnceOverThePictureAsLongAsItLasts) {
  settings_.panels = false;
  state_.messages.clear();
  draw(2);
  EXPECT_FALSE(shown("lost", "messages"));
  state_.capture.phase = capture::Status::Phase::retrying;
  state_.capture.loss = "lost 'cam': it is gone; trying again";
  state_.messages = {{Message::Kind::warning, state_.capture.loss, 1}};
  const auto letters = [] { return ImGui::FindWindowByName("messages")->DrawList->VtxBuffer.Size; };
  draw(2);
  const auto both = letters();
  EXPECT_TRUE(shown("trying again; O tries at once", "messages"));
  state_.messages.clear();
  draw(2);
  EXPECT_TRUE(shown("trying again; O tries at once", "messages"));
  EXPECT_EQ(letters(), both) << "the message said the same";
  state_.capture.loss.clear();
  state_.capture.phase = capture::Status::Phase::playing;
  state_.capture.silent = true;
  state_.capture.message = "'cam' has sent no frames for 4 s";
  draw(2);
  EXPECT_TRUE(shown("has sent no frames", "messages"));
}

TEST_F(SourceListFiguresTest, TheRateOfALiveSourceIsMeasured) {
  EXPECT_FALSE(shown("measured", "##Popup")) << "a file states its rate";
  state_.capture.live = true;
  draw(2);
  EXPECT_TRUE(shown("not known yet", "##Popup"));
  state_.capture.measured_fps = 9.9;
  draw(2);
  EXPECT_TRUE(shown("sends 9.9/s", "##Popup"));
  EXPECT_TRUE(shown("measured", "##Popup"));
}

TEST_F(SourceListFiguresTest, ASourceWithItsOwnRateOrASinglePictureHasNoMaxSpeed) {
  click_text("Size, rate and memory", "##Popup");
  using enum capture::SourceKind;
  for (const auto& [kind, live] : {std::pair{video, true}, {camera, true}, {image, false}, {matrix, false}}) {
    state_.capture.kind = kind;
    state_.capture.live = live;
    draw(2);
    click_text("Max speed", "##Popup");
    EXPECT_FALSE(settings_.max_speed) << name(kind);
  }
  state_.capture.kind = video;
  state_.capture.live = false;
  draw(2);
  click_text("Max speed", "##Popup");
  EXPECT_TRUE(settings_.max_speed);
}

}  // namespace
}  // namespace app::ui
