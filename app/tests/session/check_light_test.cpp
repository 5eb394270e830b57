// The check light: what it counts, keeps and says, and how a wrong table ends a run.
#include "app/session/check_light.h"

#include <gtest/gtest.h>

#include "app/tests/pipeline/frames.h"
#include "app/tests/session/session_steps.h"

namespace app {
namespace {

using Answer = CheckAnswer;

// An answer that comes once `there` says so, or somebody waits.
PictureCheck comes_later(const bool& there, Answer answer) {
  return PictureCheck(PictureCheck::Source([&there, answer](bool wait) -> std::optional<Answer> {
    return there || wait ? std::optional(answer) : std::nullopt;
  }));
}
const PictureCheck right = Answer{};
const PictureCheck wrong = Answer{gpu::WrongTable{4, 3, 2, 110, 120}};

TEST(CheckLightTest, StaysRedAndKeepsTheFirstWrongFrame) {
  CheckLight light;
  const auto frame = noise_frame({8, 6}, 1), later = noise_frame({8, 6}, 2);
  light.add({}, 1, frame);  // not asked for
  EXPECT_EQ(light.checked(), 0u);
  light.add(right, 2, frame);
  light.add(wrong, 3, frame);
  light.add(wrong, 4, later);
  light.add(right, 5, later);
  light.add(Answer{.wrong = {}, .lost = true}, 6, later);  // the GPU failed
  light.add(both(right, Answer{.wrong = {}, .lost = true}), 7, later);
  EXPECT_EQ(light.checked(), 4u);
  EXPECT_EQ(light.wrong(), 2u);
  ASSERT_TRUE(light.first_wrong());
  EXPECT_EQ(light.first_wrong()->id, 3u);
  EXPECT_EQ(light.first_wrong()->size, (gpu::Size{8, 6}));
  ASSERT_EQ(light.first_wrong()->pixels.size(), 48u);
  EXPECT_EQ(light.first_wrong()->pixels[5].g, frame.pixels.data()[5].g);
  EXPECT_EQ(text_of(*light.first_wrong()),
            "the table of frame 3 is wrong at (3, 2): 120 instead of 110; the four-point identity fails in 4 places");
  light.reset();
  EXPECT_EQ(light.checked() + light.wrong(), 0u);
  EXPECT_FALSE(light.first_wrong());
}

// Either table of a comparison may be wrong, whichever comes first.
TEST(CheckLightTest, OfTwoTablesEitherMayBeWrong) {
  const PictureCheck other = Answer{gpu::WrongTable{1, 0, 0, 1, 2}}, none;
  const struct {
    const PictureCheck &a, &b;
    int wrong;  // so many places; 0: right
  } cases[] = {{right, right, 0}, {wrong, right, 4}, {right, wrong, 4}, {wrong, other, 4},
               {other, wrong, 1}, {none, wrong, 4},  {wrong, none, 4},  {none, right, 0}};
  for (const auto& [a, b, places] : cases)
    for (const bool late_a : {false, true})
      for (const bool late_b : {false, true}) {
        bool there = false;
        const auto given = [&](const PictureCheck& check, bool late) {
          return check.none() || !late ? check : comes_later(there, *check.take());
        };
        const auto all = both(given(a, late_a), given(b, late_b));
        const bool late = (late_a && !a.none()) || (late_b && !b.none());
        EXPECT_EQ(all.take() == nullptr, late);
        there = true;
        const auto* answer = all.take();
        ASSERT_TRUE(answer) << &a - &right;
        EXPECT_EQ(answer->wrong ? static_cast<int>(answer->wrong->count) : 0, places);
      }
  EXPECT_TRUE(both(none, none).none());
}

TEST(CheckLightTest, GroupsDigitsAsOtherMessagesDo) {
  CheckLight light;
  light.add(Answer{gpu::WrongTable{12'345, 3, 2, 110, 4'294'967'295}}, 1'234'567, noise_frame({8, 6}, 1));
  EXPECT_EQ(text_of(*light.first_wrong()),
            "the table of frame 1\u2009234\u2009567 is wrong at (3, 2): 4\u2009294\u2009967\u2009295 instead of 110; the "
            "four-point identity fails in 12\u2009345 places");
}

// As a GPU's: frames are kept until their answers arrive, though the capture uses their memory again.
TEST(CheckLightTest, AnswersMayArriveLater) {
  CheckLight light;
  bool there = false;
  const auto late = comes_later(there, {gpu::WrongTable{1, 7, 5, 1, 2}});
  auto frame = noise_frame({8, 6}, 1);
  const auto green = frame.pixels.data()[0].g;
  light.add(late, 7, frame);
  frame.pixels.data()[0].g = static_cast<std::uint8_t>(~green);
  light.update();
  EXPECT_EQ(light.checked(), 0u);
  there = true;
  light.update();
  EXPECT_EQ(light.checked(), 1u);
  ASSERT_TRUE(light.first_wrong());
  EXPECT_EQ(light.first_wrong()->pixels[0].g, green);
}

// Whatever was still to come when it was reset, it is red only with a frame.
TEST(CheckLightTest, AfterAResetItIsAsNew) {
  bool there = false;
  const auto late = [&] { return comes_later(there, *wrong.take()); };  // its own: one that was answered has its answer
  const auto frame = noise_frame({8, 6}, 1), other = noise_frame({4, 4}, 2);
  CheckLight light;
  for (int time = 0; time < 2; ++time) {
    there = false;
    light.add(late(), 1, frame);
    light.add(wrong, 2, frame);
    light.add(late(), 3, frame);
    there = true;
    light.update();
    EXPECT_EQ(light.wrong(), 3u);
    EXPECT_EQ(light.first_wrong()->id, 2u) << "that was known first";
    there = false;
    light.add(late(), 4, frame);
    light.reset();
    EXPECT_EQ(light.bytes(), 0u);
    there = true;
    light.update();
    EXPECT_EQ(light.wrong(), 0u) << "it would be red without a frame";
    EXPECT_FALSE(light.first_wrong());
    there = false;
    light.add(late(), 5, frame);  // while it is green
    light.reset();
    there = true;
    light.update();
    EXPECT_EQ(light.wrong(), 1u);
    ASSERT_TRUE(light.first_wrong());
    EXPECT_EQ(light.first_wrong()->id, 5u);
    light.reset();
    light.add(right, 5, other);
    light.add(wrong, 6, other);
    CheckLight fresh;
    fresh.add(right, 5, other);
    fresh.add(wrong, 6, other);
    EXPECT_EQ(light.checked(), fresh.checked());
    EXPECT_EQ(light.wrong(), fresh.wrong());
    ASSERT_TRUE(light.first_wrong());
    EXPECT_EQ(text_of(*light.first_wrong()), text_of(*fresh.first_wrong()));
    EXPECT_EQ(light.first_wrong()->pixels.size(), fresh.first_wrong()->pixels.size());
    light.reset();
  }
}

// On a GPU the answer of a frame arrives while the next one is computed: two frames are kept at a time, and none of those
// that follow a wrong one.
TEST(CheckLightTest, NoMemoryIsAllocatedPerFrameAndNoFrameIsCopiedAfterAWrongOne) {
  CheckLight light;
  const auto frame = noise_frame({64, 48}, 1);
  const auto size = frame.size.pixels() * sizeof(gpu::Bgr);
  bool there = false;
  const auto late = [&](Answer answer) { return comes_later(there, answer); };
  for (std::uint64_t id = 1; id < 10; ++id) {
    there = false;
    light.add(late({}), id, frame);
    light.add(late({}), id, frame);
    EXPECT_EQ(light.bytes(), 2 * size) << id;
    there = true;
    light.update();
    EXPECT_EQ(light.bytes(), 2 * size) << "for the next ones";
  }
  there = false;
  light.add(late({gpu::WrongTable{1, 7, 5, 1, 2}}), 10, frame);
  light.wait();
  ASSERT_TRUE(light.first_wrong());
  EXPECT_EQ(light.bytes(), size);
  for (std::uint64_t id = 11; id < 20; ++id) light.add(late({gpu::WrongTable{1, 7, 5, 1, 2}}), id, frame);
  EXPECT_EQ(light.bytes(), size);
  light.wait();
  EXPECT_EQ(light.wrong(), 10u);
  EXPECT_EQ(light.first_wrong()->id, 10u);
  light.reset();
  light.add({}, 20, frame);
  EXPECT_EQ(light.bytes(), 0u);
}

TEST(CheckLightTest, AWrongTableFailsAnOffscreenRunAndNoOther) {
  for (const bool off : {true, false}) {
    app::Run run;
    run.offscreen = off;
    run.frames = 2;
    auto settings = host_settings("synthetic:64x48");
    settings.max_speed = settings.check = true;
    Session session(settings, {{}, "no driver"}, run, false, [](auto&, auto&) {});
    session.maker().light().add(wrong, 1, noise_frame({64, 48}));
    EXPECT_TRUE(step_until(session, [&] { return session.done(); }));
    session.finish();
    EXPECT_EQ(session.exit_code(), off ? ExitCode::failed : ExitCode::ok);
    EXPECT_TRUE(said(session, "the table of frame 1 is wrong"));
    session.act(Action::reset_statistics);
    EXPECT_FALSE(session.maker().light().first_wrong());
    EXPECT_EQ(session.exit_code(), off ? ExitCode::failed : ExitCode::ok);
  }
}

// Once; a green tick alone is overlooked.
TEST(CheckLightTest, AfterTheFirstTablesTheWindowSaysThatTheyAreRight) {
  constexpr auto words = "tables are checked: all right so far";
  ShownSession session("synthetic:64x48");
  EXPECT_FALSE(said(session, words)) << "nothing is checked";
  const auto turn = [&](const char* check) {
    session.change({"check", check});
    session.messages().age(60);
    const auto enough = session.maker().light().checked() + (std::string_view(check) == "on" ? 3 : 0);
    EXPECT_TRUE(step_until(session, [&] { return session.maker().light().checked() >= enough; }));
  };
  turn("on");
  EXPECT_TRUE(said(session, words));
  turn("on");
  EXPECT_FALSE(said(session, words)) << "it was said";
  turn("off");
  EXPECT_TRUE(step_until(session, [&, until = session.pictures() + 2] { return session.pictures() > until; }));
  EXPECT_FALSE(said(session, words));
  turn("on");
  EXPECT_TRUE(said(session, words)) << "it was switched on again";
  session.maker().light().add(wrong, 1, noise_frame({64, 48}));
  turn("on");
  EXPECT_FALSE(said(session, words));
}

}  // namespace
}  // namespace app
