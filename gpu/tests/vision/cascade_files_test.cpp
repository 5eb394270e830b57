// Cascades by name and by path.
#include "gpu/vision/cascade_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <set>

#include "gpu/tests/refusal.h"
#include "gpu/tests/vision/cascade_writer.h"

namespace gpu::vision {
namespace {

namespace fs = std::filesystem;

fs::path new_folder() {
  std::string folder = testing::TempDir() + "cascade_files_XXXXXX";
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

std::string refusal(std::string_view name) {
  return test::refusal_of<ArgumentError>([&] { find_cascade(name); });
}

TEST(CascadeFilesTest, TheLibrarysOwnNeedsNoFile) {
  EXPECT_TRUE(cascade_path(bundled_cascade).empty());
  const auto cascade = find_cascade(bundled_cascade);
  EXPECT_EQ(cascade.window, (Size{20, 20}));
  EXPECT_EQ(cascade.stages.size(), 20u);
  EXPECT_EQ(cascade.features.size(), 2094u);
  EXPECT_EQ(find_cascade("haarcascade_frontalface_alt2.xml").stages, cascade.stages);
}

TEST(CascadeFilesTest, TheLibrarysOwnIsReadOnce) {
  const auto first = find_shared_cascade(bundled_cascade);
  EXPECT_EQ(find_shared_cascade("haarcascade_frontalface_alt2.xml"), first);
  EXPECT_EQ(&first->integers(), &find_shared_cascade(bundled_cascade)->integers());
}

TEST(CascadeFilesTest, AFileIsReadOnceWhileItsCascadeIsInUse) {
  const auto folder = new_folder();
  const auto file = folder / "mine.xml", other = folder / "other.xml";
  for (const auto& path : {file, other}) std::ofstream(path) << new_format_text(small_cascade());
  const auto first = find_shared_cascade(file.string());
  EXPECT_EQ(find_shared_cascade(file.string()), first);
  EXPECT_EQ(find_shared_cascade((folder / "." / "mine.xml").string()), first);
  EXPECT_NE(find_shared_cascade(other.string()), first);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::seconds(1));
  EXPECT_NE(find_shared_cascade(file.string()), first) << "it was written to";
  std::ofstream(file) << "<opencv_storage>\n<cascade>";
  EXPECT_THROW(find_shared_cascade(file.string()), CascadeError);
  fs::remove_all(folder);
  EXPECT_THROW(find_shared_cascade(file.string()), ArgumentError) << "the file is not there any more";
}

TEST(CascadeFilesTest, EveryNameIsFound) {
  const auto& known = known_cascades();
  ASSERT_FALSE(known.empty());
  EXPECT_EQ(known.front().name, bundled_cascade);
  EXPECT_TRUE(std::ranges::is_sorted(known.begin() + 1, known.end(), {}, &NamedFile::name));
  std::set<std::string> names, titles;
  for (const auto& [name, title, path] : known) {
    EXPECT_TRUE(names.insert(name).second && titles.insert(title).second) << name;
    EXPECT_EQ(cascade_path(name), path);
    EXPECT_FALSE(find_cascade(name).stages.empty()) << name;
  }
}

// Two families have files of one name: each is called by its own.
TEST(CascadeFilesTest, LocalBinaryPatternsHaveNamesOfTheirOwn) {
  const auto& known = known_cascades();
  const auto installed = [&](std::string_view name) {
    return std::ranges::find(known, name, &NamedFile::name) != known.end();
  };
  if (!installed("lbp_profileface")) {
    EXPECT_EQ(refusal("lbp_profileface"), "no cascade 'lbp_profileface' is installed: install opencv-data, or name a file");
    EXPECT_EQ(refusal("lbpcascade_profileface.xml"),
              "no cascade 'lbpcascade_profileface.xml' is installed: install opencv-data, or name a file");
    GTEST_SKIP() << "opencv-data is not installed";
  }
  for (const auto* name : {"lbp_profileface", "lbpcascade_profileface", "lbpcascade_profileface.xml"}) {
    EXPECT_EQ(cascade_path(name).filename(), "lbpcascade_profileface.xml") << name;
    EXPECT_EQ(find_cascade(name).kind, FeatureKind::lbp) << name;
  }
  EXPECT_EQ(cascade_path("profileface").filename(), "haarcascade_profileface.xml");
  EXPECT_EQ(find_cascade("profileface").kind, FeatureKind::haar);
  for (const auto* name : {"lbp_frontalface", "lbp_frontalface_improved", "lbp_frontalcatface", "lbp_silverware"})
    EXPECT_TRUE(installed(name)) << name;
  EXPECT_EQ(refusal("lbp_frontalfaces"), "no cascade 'lbp_frontalfaces' (did you mean 'lbp_frontalface'?)");
  EXPECT_NE(refusal("lbpcascade_"), test::nothing_refused);
}

TEST(CascadeFilesTest, APathIsThatOfAFile) {
  const auto folder = new_folder();
  const auto file = folder / "mine.xml";
  std::ofstream(file) << new_format_text(small_cascade());
  EXPECT_EQ(find_cascade(file.string()).stages, small_cascade().stages);
  std::ofstream(file) << "<opencv_storage>\n<cascade>";
  EXPECT_TRUE(refusal(file.string()).starts_with(file.string() + ": line 2: ")) << refusal(file.string());
  fs::remove_all(folder);
  EXPECT_EQ(refusal(file.string()), "there is no cascade file '" + file.string() + "': check the path");
  EXPECT_EQ(refusal("/usr/share/"), "the cascade '/usr/share/' is not a file: name one");
  if (const char* home = std::getenv("HOME")) {
    EXPECT_NE(refusal("~nobody/a.xml").find("'~nobody/a.xml'"), std::string::npos);
    EXPECT_NE(refusal("~/nowhere/a.xml").find("'" + std::string(home) + "/nowhere/a.xml'"), std::string::npos);
  }
}

// What somebody calls a file of notes changes no default.
TEST(CascadeFilesTest, AFileInTheCurrentFolderDoesNotReplaceAName) {
  const auto folder = new_folder();
  const auto before = fs::current_path();
  fs::current_path(folder);
  std::ofstream(std::string(bundled_cascade)) << "notes";
  std::ofstream("mine") << new_format_text(small_cascade());
  const auto bundled = cascade_path(bundled_cascade), mine = cascade_path("mine");
  fs::current_path(before);
  fs::remove_all(folder);
  EXPECT_TRUE(bundled.empty());
  EXPECT_EQ(mine, "mine");
}

TEST(CascadeFilesTest, AnUnknownNameIsRefusedWithTheNextStep) {
  EXPECT_EQ(refusal("frontalface_alt3"), "no cascade 'frontalface_alt3' (did you mean 'frontalface_alt2'?)");
  EXPECT_EQ(refusal("zzzz"), "no cascade 'zzzz': name a file, or one that satscope list cascades prints");
  EXPECT_EQ(refusal("haarcascade_zzzz.xml"),
            "no cascade 'haarcascade_zzzz.xml': name a file, or one that satscope list cascades prints");
  EXPECT_EQ(refusal("a\nb").find('\n'), std::string::npos);
  const bool installed = std::ranges::find(known_cascades(), "smile", &NamedFile::name) != known_cascades().end();
  if (!installed) {
    EXPECT_EQ(refusal("smile"), "no cascade 'smile' is installed: install opencv-data, or name a file");
  }
}

}  // namespace
}  // namespace gpu::vision
