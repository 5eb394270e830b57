// EffectPreparation: what effects build once is made by one thread, one after another.
#include "app/pipeline/effect_preparation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "app/tests/support/temporary_folder.h"
#include "gpu/effect.h"
#include "gpu/tests/vision/cascade_writer.h"
#include "gpu/vision/cascade_files.h"

namespace app {
namespace {

using namespace std::chrono_literals;

Selection faces_with(const char* cascade) {
  const auto* effect = gpu::find_effect("faces");
  gpu::Arguments arguments(effect->parameters);
  arguments.set("cascade", cascade);
  return {nullptr, {}, effect, arguments, TimingChoice::off, gpu::Device::host};
}

TEST(EffectPreparationTest, WhatEffectsAreFromTheStartWaitsForAFile) {
  EffectPreparation preparation;
  const auto faces = faces_with("frontalface_default"), none = faces_with("frontalface_alt2");
  ASSERT_FALSE(preparation.has(faces, none)) << "it is begun";
  EXPECT_FALSE(preparation.prepare_initial(gpu::Device::host)) << "the thread is busy";
  for (int i = 0; i < 100 && !preparation.has(faces, none); ++i) preparation.wait(100ms);
  EXPECT_TRUE(preparation.has(faces, none));
  EXPECT_TRUE(preparation.prepare_initial(gpu::Device::host));
}

// More files than are kept, each chosen again later.
TEST(EffectPreparationTest, TheFilesChosenLastAreKept) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 12; ++i) {
    files.push_back((folder.path() / (std::to_string(i) + ".xml")).string());
    std::ofstream(files.back()) << gpu::vision::new_format_text(gpu::vision::small_cascade());
  }
  EffectPreparation preparation;
  ASSERT_TRUE(preparation.prepare_initial(gpu::Device::host));
  preparation.wait(20s);
  const auto none = faces_with("frontalface_alt2");
  const auto choose = [&](const std::string& file) {  // true: it was there
    const auto faces = faces_with(file.c_str());
    const bool there = preparation.has(faces, none);
    for (int i = 0; i < 100 && !preparation.has(faces, none); ++i) preparation.wait(100ms);
    EXPECT_TRUE(preparation.has(faces, none)) << file;
    return there;
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& file : files) EXPECT_FALSE(choose(file)) << round << ": " << file;
    for (std::size_t i = 5; i < files.size(); ++i) EXPECT_TRUE(choose(files[i])) << round << ": " << i;
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(gpu::vision::find_shared_cascade(files[i]).use_count(), 1) << "nobody keeps it";
  }
  EXPECT_TRUE(preparation.prepare_initial(gpu::Device::host)) << "what effects are from the start stays";
}

// Of a script that names files: they are there when it sets them.
TEST(EffectPreparationTest, FilesThatAreExpectedAreReadAheadOneAfterAnother) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (const char* name : {"a.xml", "b.xml", "other.xml", "unnamed.xml"}) {
    files.push_back((folder.path() / name).string());
    std::ofstream(files.back()) << gpu::vision::new_format_text(gpu::vision::small_cascade());
  }
  const auto none = faces_with("frontalface_alt2");
  EffectPreparation preparation;
  preparation.expect(std::vector<Change>{{"faces.cascade", files[0]},
                                         {"cascade", files[1]},
                                         {"box_blur.cascade", files[2]},
                                         {"faces.window", files[2]},
                                         {"faces.cascade", "no such name"}});
  for (int i = 0; i < 20; ++i) {  // as a frame loop does
    preparation.go_on(gpu::Device::host);
    preparation.wait(20s);
  }
  EXPECT_TRUE(preparation.has(faces_with(files[0].c_str()), none));
  EXPECT_TRUE(preparation.has(faces_with(files[1].c_str()), none));
  EXPECT_EQ(gpu::vision::find_shared_cascade(files[2]).use_count(), 1) << "nobody keeps it";
  EXPECT_FALSE(preparation.has(faces_with(files[3].c_str()), none)) << "it was not expected";
}

}  // namespace
}  // namespace app
