// The file of satscope tune: read as it was written, refused as a whole where it is damaged, and never in the way of a plan.
#include "gpu/choice/tuned.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gpu/cuda/device.h"
#include "gpu/installed/satscope_backend.h"

namespace gpu {
namespace {

namespace fs = std::filesystem;

const Tuned two_gpus{{{"NVIDIA H200",
                       "2026-05-31",
                       {{"8u32u", {1920, 1080}, {"one_wave", 6.99}, {"2r1w", 9.125}},
                        {"64f64f", {256, 256}, {"row_waves", 1234}, {"row_waves", 1240}}}},
                      {"A GPU (of another make)", "2025-01-02", {}}}};
const std::string of_two_gpus =
    "satscope tune 1\n"
    "gpu NVIDIA H200\n"
    "measured 2026-05-31\n"
    "8u32u 1920x1080 one_wave 6.99 2r1w 9.125\n"
    "64f64f 256x256 row_waves 1234 row_waves 1240\n"
    "gpu A GPU (of another make)\n"
    "measured 2025-01-02\n";

// A folder of the user's files, and a file in it.
class TunedFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto name = (fs::temp_directory_path() / "satscope-tuned-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    if (const char* config = std::getenv("XDG_CONFIG_HOME")) before_ = config;
    setenv("XDG_CONFIG_HOME", folder_.c_str(), 1);
    fs::create_directory(folder_ / "satscope");
  }
  void TearDown() override {
    before_ ? setenv("XDG_CONFIG_HOME", before_->c_str(), 1) : unsetenv("XDG_CONFIG_HOME");
    fs::remove_all(folder_);
  }
  fs::path path() const { return tuned_path().value(); }
  void put(const std::string& text) const { std::ofstream(path(), std::ios::binary) << text; }

  fs::path folder_;
  std::optional<std::string> before_;
};

TEST(TunedTest, IsReadAsItWasWritten) {
  EXPECT_EQ(text_of(two_gpus), of_two_gpus);
  const auto again = parse_tuned(of_two_gpus);
  EXPECT_EQ(again.problem, "");
  EXPECT_EQ(text_of(again), of_two_gpus);
  ASSERT_NE(again.find("NVIDIA H200"), nullptr);
  EXPECT_EQ(again.find("NVIDIA H200")->sizes.at(0).launched.microseconds, 9.125);
  EXPECT_EQ(again.find("NVIDIA"), nullptr);
  EXPECT_EQ(parse_tuned("satscope tune 1\n").problem, "");
}

TEST(TunedTest, ANewMeasurementReplacesThatOfTheSameGpu) {
  auto tuned = two_gpus;
  tuned.put({"NVIDIA H200", "2026-06-01", {}});
  tuned.put({"A third one", "2026-06-02", {}});
  EXPECT_EQ(text_of(tuned),
            "satscope tune 1\ngpu A GPU (of another make)\nmeasured 2025-01-02\ngpu NVIDIA H200\nmeasured 2026-06-01\n"
            "gpu A third one\nmeasured 2026-06-02\n");
}

// Nothing of a damaged text is used.
TEST(TunedTest, ADamagedTextIsRefusedWithItsLine) {
  const auto problem = [](const std::string& text) {
    const auto tuned = parse_tuned(text);
    EXPECT_TRUE(tuned.gpus.empty()) << text;
    return tuned.problem;
  };
  for (const auto* foreign : {"", "\n", "satscope tune 1", "satscope tune 2\n", "{\"version\": 1}\n", "satscope tune 1 \n"})
    EXPECT_EQ(problem(foreign), "it was written by another version of satscope tune") << foreign;
  const std::string begin = "satscope tune 1\ngpu Mine\nmeasured 2026-05-31\n";
  for (const auto line : split_choices("8u32u,8u32u 1920x1080 one_wave 6.99,8u32u 1920x1080 one_wave 6.99 2r1w,"
                                       "8u32u 1920x1080 one_wave 6.99 2r1w x,8u32u 1920 one_wave 6.99 2r1w 9,"
                                       "8u32u 0x1080 one_wave 6.99 2r1w 9,8u32u 1920x-1 one_wave 6.99 2r1w 9,"
                                       "8u32u 1920x9999999999 one_wave 6.99 2r1w 9,8u32u 1920x1080 one_wave nan 2r1w 9,"
                                       "8u32u 1920x1080 one_wave inf 2r1w 9,8u32u 1920x1080 one_wave -1 2r1w 9,"
                                       "8u32u 1920x1080 one_wave 0 2r1w 9,8u32u 1920x1080 one_wave 6.99 2r1w 9 more,"
                                       "8u32u 1920x1080  one_wave 6.99 2r1w 9,8u32u 1920x1080 ../one 6.99 2r1w 9,"
                                       "measured today,measured 2026-05-31T,gpu ,gpu \x1b[2J,gpuMine"))
    EXPECT_EQ(problem(begin + std::string(line) + "\n"), "line 4 is not a measurement") << line;
  EXPECT_EQ(problem("satscope tune 1\nmeasured 2026-05-31\n"), "line 2 is not a measurement");
  EXPECT_EQ(problem("satscope tune 1\ngpu Mine\n8u32u 8x8 one_wave 6.99 2r1w 9\n"), "line 3 is not a measurement");
  // Wherever it was cut off within a line. What is left at the end of one is written as it was read, if it is taken.
  for (std::size_t size = 0; size < of_two_gpus.size(); ++size) {
    const auto cut = of_two_gpus.substr(0, size);
    if (size == 0 || cut.back() != '\n') {
      EXPECT_NE(problem(cut), "") << size;
    } else if (const auto taken = parse_tuned(cut); taken.problem.empty()) {
      EXPECT_EQ(parse_tuned(text_of(taken)).problem, "") << cut;
    }
  }
  EXPECT_NE(problem("satscope tune 1\ngpu Mine\n"), "");
  EXPECT_NE(problem("satscope tune 1\ngpu Mine\ngpu Another\nmeasured 2026-05-31\n"), "");
}

TEST_F(TunedFileTest, WhatIsNoFileOfItsKindCostsOneLine) {
  const auto problem = [&] { return load_tuned(path()).problem; };
  EXPECT_EQ(problem(), "") << "there is none";
  EXPECT_EQ(load_tuned({}).problem, "") << "nor a place for one";
  put(of_two_gpus);
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(load_tuned(path()).gpus.size(), 2u);
  put("not ours\n");
  EXPECT_EQ(problem(), path().string() +
                           " is not used: it was written by another version of satscope tune; satscope tune measures again");
  put("satscope tune 1\n" + std::string(1 << 20, '#'));
  EXPECT_NE(problem().find("it is not a file of at most 1 MiB"), std::string::npos) << problem();
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_NE(problem().find("it is not a file of at most 1 MiB"), std::string::npos) << problem();
  fs::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_NE(problem().find("it is not a file"), std::string::npos) << "and is not waited for";
  fs::remove(path());
  fs::create_symlink(path(), path());
  EXPECT_NE(problem(), "");
}

TEST_F(TunedFileTest, IsInTheFolderOfTheUser) {
  EXPECT_EQ(path(), folder_ / "satscope" / "tuned.txt");
  const std::string home = std::getenv("HOME") ? std::getenv("HOME") : "";
  setenv("XDG_CONFIG_HOME", "relative", 1);
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(user_folder(), fs::path("/home/me/.config/satscope"));
  unsetenv("HOME");
  EXPECT_EQ(tuned_path(), std::nullopt);
  setenv("HOME", home.c_str(), 1);
}

// A plan, or a filter, that chooses its algorithm itself reads the file each time; what is wrong with it is in origin().
TEST_F(TunedFileTest, APlanUsesItAndNeverFailsBecauseOfIt) {
  GpuInfo gpu;
  gpu.name = "Mine", gpu.major = 8, gpu.multiprocessors = 40;
  const auto choice = [&](const satscope::Options& options = {}) {
    return satscope::detail::choice_of(options, gpu, {1920, 1080}, SatType::u8_u32);
  };
  const auto without = choice();
  EXPECT_EQ(without.algorithm->name, "row_waves");
  put("satscope tune 1\ngpu Mine\nmeasured 2026-05-31\n8u32u 1024x1024 2r1w 5 1r1w 6\n");
  const auto with = choice();
  EXPECT_EQ(with.algorithm->name, "2r1w");
  EXPECT_EQ(with.origin, "the fastest at 1024x1024 on this GPU (satscope tune, 2026-05-31)");
  satscope::Options named;
  named.algorithm = "1r1w";
  EXPECT_EQ(choice(named).algorithm->name, "1r1w");
  EXPECT_EQ(satscope::detail::choice_of({}, {}, {1920, 1080}, SatType::u8_u32).algorithm->device, Device::host);
  put("damaged");
  const auto damaged = choice();
  EXPECT_EQ(damaged.algorithm, without.algorithm);
  EXPECT_EQ(damaged.origin, without.origin + "; " + load_tuned(path()).problem);
  EXPECT_EQ(damaged.origin.find('\n'), std::string::npos);
  fs::remove(path());
  EXPECT_EQ(choice().origin, without.origin);
}

}  // namespace
}  // namespace gpu
