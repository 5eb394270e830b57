// The presentation: each lesson sets a state of the program, and leaving it sets everything back.
#include "app/session/lessons.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "app/control/cards.h"
#include "app/control/settings_file.h"
#include "app/tests/session/session_steps.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

class LessonsTest : public testing::Test {
 protected:
  LessonsTest() {
    auto settings = host_settings("synthetic:64x48");
    settings.effect = "adaptive_threshold";
    settings.rectangle = PixelBox{1, 2, 30, 20};
    settings.compare.on = true;
    settings.zoom = 3;
    settings.dock_open = true;
    session_.emplace(settings, gpu::GpuProbe{{}, "no driver"}, app::Run{}, true, [](auto&, auto&) {});
  }
  void present(bool on) { session_->set(std::array{Change{"presentation", on ? "on" : "off"}}); }
  void go_to(int lesson) { session_->set(std::array{Change{"lesson", std::to_string(lesson)}}); }
  bool shows(std::string_view source) {
    return step_until(*session_, [&] {
      return session_->maker().has_picture_of_source() && session_->settings().source.ends_with(source);
    });
  }

  std::optional<Session> session_;
};

TEST(LessonTextTest, ThereAreSixAndEachSetsWhatThereIs) {
  ASSERT_EQ(lessons().size(), static_cast<std::size_t>(lesson_count));
  for (const auto& lesson : lessons()) {
    EXPECT_TRUE(lesson.statement.ends_with('.')) << lesson.statement;
    EXPECT_EQ(lesson.shows == Lesson::Shows::steps, find_sat_card(lesson.card) != nullptr) << lesson.title;
    Settings settings;
    EXPECT_NO_THROW(app::apply(settings, lesson.changes)) << lesson.title;
    EXPECT_NO_THROW(app::apply(settings, lesson.changes_without_gpu)) << lesson.title;
    if (!lesson.command.empty()) {
      EXPECT_NO_THROW(parse_command(lesson.command)) << lesson.title;
    }
  }
}

TEST_F(LessonsTest, LeftEverythingIsAsItWasAlsoAfterSeveralLessons) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  const auto before = session_->settings();
  present(true);
  EXPECT_EQ(session_->settings().source, "matrix:8x8");
  EXPECT_FALSE(session_->settings().compare.on);
  for (int lesson = 1; lesson <= lesson_count; ++lesson) {
    go_to(lesson);
    EXPECT_EQ(session_->settings().lesson, lesson);
    session_->step(5ms);
  }
  EXPECT_EQ(session_->settings().effect, "faces");
  present(false);
  auto after = session_->settings();
  EXPECT_EQ(after.lesson, lesson_count);
  after.lesson = before.lesson;
  EXPECT_EQ(after, before);
  EXPECT_TRUE(shows("synthetic:64x48"));
}

TEST_F(LessonsTest, EnteredAndLeftTwiceInQuickSuccessionNothingHasChanged) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  const auto before = session_->settings();
  for (int i = 0; i < 2; ++i) {
    present(true);
    present(true);
    present(false);
    EXPECT_EQ(session_->settings(), before);
  }
  present(true);
  go_to(2);
  go_to(1);
  go_to(2);
  EXPECT_EQ(session_->settings().rectangle, (PixelBox{182, 52, 100, 120}));
  EXPECT_TRUE(shows("astronaut.png"));
  present(false);
  EXPECT_EQ(session_->settings().rectangle, before.rectangle);
  EXPECT_TRUE(shows("synthetic:64x48"));
}

TEST_F(LessonsTest, ALessonIsNoStepThatIsUndoneAndNothingThatIsSaved) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  session_->set(std::array{Change{"effect", "box_blur"}});
  const auto before = session_->settings();
  present(true);
  go_to(2);
  session_->step(5ms);
  EXPECT_EQ(session_->lessons().as_before(session_->settings()).source, before.source);
  EXPECT_EQ(session_->lessons().as_before(session_->settings()).effect, "box_blur");
  present(false);
  session_->step(5ms);
  EXPECT_EQ(session_->lessons().as_before(session_->settings()), session_->settings());
  session_->act(Command(Action::undo));
  EXPECT_EQ(session_->settings().effect, "adaptive_threshold");
  EXPECT_EQ(session_->settings().source, before.source);
}

TEST_F(LessonsTest, NoChangeInThePresentationIsAStep) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  session_->set(std::array{Change{"effect", "box_blur"}});
  present(true);
  EXPECT_THROW(session_->act(Command(Action::undo)), std::invalid_argument);
  EXPECT_THROW(session_->act(Command(Action::redo)), std::invalid_argument);
  session_->set(std::array{Change{"effect", "haar"}});
  session_->step(5ms);
  present(false);
  session_->act(Command(Action::undo));
  EXPECT_EQ(session_->settings().effect, "adaptive_threshold");
  EXPECT_EQ(session_->settings().source, "synthetic:64x48");
}

// Without a GPU and a camera. Whatever faces were shown as, the lesson marks them.
TEST_F(LessonsTest, EveryLessonShowsWhatItIsAbout) {
  session_->set(std::array{Change{"faces.show", "pixelated"}});
  ASSERT_TRUE(shows("synthetic:64x48"));
  present(true);
  for (int number = 1; number <= lesson_count; ++number) {
    go_to(number);
    const auto& lesson = lessons()[static_cast<std::size_t>(number - 1)];
    const auto before = session_->trace_runner().trace();
    const auto done = [&] {
      const auto& maker = session_->maker();
      if (!maker.has_picture_of_source() || maker.goes_elsewhere() || !session_->engine().shows(session_->settings()))
        return false;
      if (lesson.command == "trace") return session_->trace_runner().trace() != before;
      return lesson.command.empty() || session_->race().on();
    };
    EXPECT_TRUE(step_until(*session_, done)) << lesson.title;
    for (const auto& message : session_->messages().age(0))
      EXPECT_EQ(message.kind, Message::Kind::info) << lesson.title << ": " << message.text;
  }
  const auto& selection = session_->engine().selection();
  EXPECT_EQ(selection.effect->name, "faces");
  EXPECT_EQ(selection.effect_arguments.text("show"), "frame");
  EXPECT_FALSE(session_->settings().compare.on);
}

TEST_F(LessonsTest, TheThemeChosenMeanwhileStays) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  present(true);
  session_->set(std::array{Change{"theme", "light"}});
  go_to(3);
  EXPECT_EQ(session_->settings().theme, Theme::light);
  present(false);
  EXPECT_EQ(session_->settings().theme, Theme::light);
}

TEST_F(LessonsTest, WhatNoLessonSetsStaysAsItWasChangedMeanwhile) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  present(true);
  session_->set(std::array{Change{"record_size", "720p"}});
  go_to(3);
  session_->settings().dock_width = 400;
  EXPECT_EQ(session_->lessons().as_before(session_->settings()).dock_width, 400);
  present(false);
  EXPECT_EQ(session_->settings().record_size, RecordSize::lines_720);
  EXPECT_EQ(session_->settings().dock_width, 400);
  EXPECT_EQ(session_->settings().effect, "adaptive_threshold");
}

TEST_F(LessonsTest, EverythingIsResetAlsoWhatThePresentationReplaced) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  present(true);
  session_->act(Command(Action::reset_everything));
  EXPECT_FALSE(session_->settings().presentation);
  EXPECT_EQ(session_->settings().source, "synthetic:64x48");
  EXPECT_EQ(session_->settings(), as_at_first_start(session_->settings()));
}

TEST_F(LessonsTest, NumbersThatALessonReplacedAreSavedAtTheEnd) {
  const TemporaryFolder folder;
  session_->set(std::array{Change{"source", "matrix:3x2"}, Change{"output_folder", folder.path().string()}});
  ASSERT_TRUE(shows("matrix:3x2"));
  session_->set(std::array{Change{"matrix", "1,2,3;4,5,7"}});
  ASSERT_TRUE(shows("matrix:3x2"));
  present(true);
  ASSERT_TRUE(shows("matrix:8x8"));
  EXPECT_FALSE(session_->saver().matrix_unsaved());
  present(false);
  EXPECT_TRUE(session_->saver().matrix_unsaved()) << "before its source is open again";
  present(true);
  ASSERT_TRUE(shows("matrix:8x8"));
  testing::internal::CaptureStderr();
  session_->finish();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("saved the changed matrix: "), std::string::npos);
  EXPECT_TRUE(session_->settings().presentation);
}

TEST_F(LessonsTest, TheRaceOfALessonEndsWithIt) {
  ASSERT_TRUE(shows("synthetic:64x48"));
  present(true);
  go_to(5);
  ASSERT_TRUE(step_until(*session_, [&] { return session_->race().on(); }));
  go_to(6);
  EXPECT_FALSE(session_->race().running());
  go_to(5);
  ASSERT_TRUE(step_until(*session_, [&] { return session_->race().on(); }));
  present(false);
  EXPECT_FALSE(session_->race().running());
}

}  // namespace
}  // namespace app
