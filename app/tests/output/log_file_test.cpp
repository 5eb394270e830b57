// The log on disk: its format, and when rows are written.
#include "app/output/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/support/text.h"
#include "app/tests/support/reader_at_last.h"
#include "app/tests/support/small_files.h"
#include "app/tests/support/temporary_folder.h"

namespace app {
namespace {

using namespace std::chrono_literals;

FrameRecord example(std::uint64_t id) {
  Settings settings;
  settings.effect = "box_blur";
  FrameRecord record;
  record.id = id;
  record.source = std::make_shared<const std::string>("a \"quoted\" name, 64x48");
  record.selection = std::make_shared<const Selection>(make_selection(settings, gpu::Device::host));
  record.size = {64, 48};
  record.dropped_before = 3;
  record.of_work = 2;
  record.captured = FrameRecord::Clock::now();
  record.taken = record.captured + 1ms;
  record.enqueued = record.captured + 3ms;
  record.presented = record.captured + 12345678ns;
  record.interval_us = 16'666.667;
  record.work_us = 1234.5, record.cpu_us = 600;
  record.times.timed = true;
  record.times.paths = std::make_shared<std::vector<std::string>>(
      std::initializer_list<std::string>{"luma", "2r1w", "2r1w/tile sums"});
  record.times.spans = {{0, -1, 0, 0, 10, true}, {1, -1, 0, 10, 14, true}, {2, 1, 0, 10, 12, true}, {2, 1, 0, 12, 14, true}};
  return record;
}

std::string content_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class LogFileTest : public testing::Test {
 protected:
  // The lines of a file of two rows, the second of a frame without times, shown again.
  std::vector<std::string> lines_of(const char* name) const {
    LogFile file(path(name), "a machine");
    file.add(example(7));
    auto untimed = example(8);
    untimed.times = {};
    untimed.again = true;
    file.add(untimed);
    file.finish();
    std::istringstream text(content_of(path(name)));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  std::filesystem::path path(const char* name) const { return folder.path() / name; }
  const TemporaryFolder folder;
};

TEST_F(LogFileTest, CsvHasAHeadALineOfColumnNamesAndRows) {
  std::vector<std::string> head, lines;
  for (const auto& line : lines_of("log.csv")) (line.starts_with('#') ? head : lines).push_back(line);
  EXPECT_EQ(head.at(1), "# machine: a machine");
  EXPECT_EQ(head.at(2), "# source: a \"quoted\" name, 64x48");
  EXPECT_TRUE(head.at(3).starts_with("# started: 20")) << head[3];
  EXPECT_NE(head.at(4).find("microseconds"), std::string::npos);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0],
            "id,again,selection,size,source,captured_us,age_us,taken_us,enqueued_us,presented_us,interval_us,work_us,cpu_us,"
            "dropped_before,of_work,table,kernels_us,transfer_us,waiting_us,points,timing_us,lost,stages");
  EXPECT_TRUE(lines[1].starts_with("7,0,\"host host_parallel threads=all, box_blur window=15x15 ")) << lines[1];
  EXPECT_NE(lines[1].find(",64x48,\"a \"\"quoted\"\" name, 64x48\","), std::string::npos) << lines[1];
  EXPECT_NE(lines[1].find(",12345.678,"), std::string::npos) << lines[1];
  EXPECT_TRUE(lines[1].ends_with(
      ",16666.667,1234.500,600.000,3,2,,14.000,0.000,0.000,0,0.000,,luma=10.000;2r1w=4.000;2r1w/tile sums=4.000"))
      << lines[1];
  EXPECT_TRUE(lines[2].starts_with("8,1,"));
  EXPECT_TRUE(lines[2].ends_with(",3,2,,,,,,,,")) << lines[2];
}

// What a stage lost is named; the stage keeps all of its time, which all figures leave out.
TEST_F(LogFileTest, RowsSayWhatWasLostToDrawing) {
  auto frame = example(7);
  frame.times.spans[0].lost = 2.5;
  const auto line = csv_line({}, frame);
  EXPECT_TRUE(line.ends_with(",11.500,0.000,2.500,0,0.000,luma=2.500,luma=10.000;2r1w=4.000;2r1w/tile sums=4.000\n"))
      << line;
  const auto row = nlohmann::json::parse(json_line({}, frame));
  EXPECT_EQ(row["lost"], (nlohmann::json{{"luma", 2.5}}));
}

TEST_F(LogFileTest, JsonLinesHaveTheSameContents) {
  std::vector<nlohmann::json> lines;
  for (const auto& line : lines_of("log.jsonl")) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["head"]["machine"], "a machine");
  EXPECT_EQ(lines[1]["id"], 7);
  EXPECT_EQ(lines[1]["again"], false);
  EXPECT_EQ(lines[1]["age_us"], 12345.678);
  EXPECT_NEAR(lines[1]["taken_us"].get<double>() - lines[1]["captured_us"].get<double>(), 1000, 0.01);
  EXPECT_NEAR(lines[1]["enqueued_us"].get<double>() - lines[1]["captured_us"].get<double>(), 3000, 0.01);
  EXPECT_EQ(lines[1]["work_us"], 1234.5);
  EXPECT_EQ(lines[1]["size"], (std::vector{64, 48}));
  EXPECT_EQ(lines[1]["stages"]["2r1w/tile sums"], 4);
  EXPECT_EQ(lines[1]["kernels_us"], 14);
  EXPECT_TRUE(lines[2]["stages"].is_null());
}

TEST_F(LogFileTest, RowsAreOnDiskWithinASecond) {
  LogFile file(path("log.csv"), "a machine");
  file.add(example(1));
  const auto end = std::chrono::steady_clock::now() + 5s;
  while (content_of(path("log.csv")).empty() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
  const auto text = content_of(path("log.csv"));
  EXPECT_TRUE(text.ends_with("sums=4.000\n")) << text;
}

TEST_F(LogFileTest, AFileStaysWhatItIsUntilTheFirstRow) {
  std::ofstream(path("log.csv")) << "1,2\n";
  { const LogFile file(path("log.csv"), "a machine"); }
  EXPECT_EQ(content_of(path("log.csv")), "1,2\n");
  {
    LogFile file(path("log.csv"), "a machine");
    file.add(example(1));
  }
  EXPECT_TRUE(content_of(path("log.csv")).starts_with("# satscope ")) << content_of(path("log.csv"));
}

TEST_F(LogFileTest, AFileThatCannotBeBegunIsReportedWithTheCause) {
  LogFile file(folder.path(), "a machine");  // a folder
  file.add(example(1));
  file.finish();
  EXPECT_EQ(file.failure(), "cannot write " + folder.path().string() + ": Is a directory; give the name of a file");
}

TEST_F(LogFileTest, AFullDiskIsReportedAndEndsTheLog) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  LogFile file("/dev/full", "a machine");
  file.add(example(1));
  file.finish();
  const auto why = file.failure();
  EXPECT_NE(why.find("/dev/full"), std::string::npos);
  EXPECT_NE(why.find("No space"), std::string::npos) << why;
  file.add(example(2));
  EXPECT_EQ(file.failure(), why);
}

// Also of those that came after others were written.
TEST_F(LogFileTest, ADiskThatFillsLaterKeepsAllWholeRowsAndNoPartOfOne) {
  LogFile file(path("log.csv"), "a machine");
  for (std::uint64_t id = 1; id <= 20; ++id) file.add(example(id));
  while (content_of(path("log.csv")).find("\n20,") == std::string::npos) std::this_thread::sleep_for(10ms);
  const auto first = content_of(path("log.csv"));
  {
    const SmallFiles disk(first.size() + 1000);
    for (std::uint64_t id = 21; id <= 320; ++id) file.add(example(id));
    file.finish();
  }
  EXPECT_EQ(file.failure(), "the log ends here: cannot write " + path("log.csv").string() +
                                ": File too large; raise the limit (ulimit -f), or write to another disk");
  const auto text = content_of(path("log.csv"));
  ASSERT_TRUE(text.starts_with(first));
  EXPECT_GT(text.size(), first.size() + 500) << "whole rows that fit";
  std::istringstream rows(text.substr(text.find("\n1,") + 1));
  std::uint64_t id = 0;
  for (std::string row; std::getline(rows, row);) {
    EXPECT_TRUE(row.starts_with(std::to_string(++id) + ',')) << row;
    EXPECT_TRUE(row.ends_with("2r1w/tile sums=4.000")) << row;
  }
  EXPECT_GT(id, 20u);
  EXPECT_EQ(text.back(), '\n');
}

TEST_F(LogFileTest, AFileThatIsNotThereAnyMoreAtTheEndIsReported) {
  namespace fs = std::filesystem;
  const auto failure_after = [&](auto&& change) {
    fs::remove(path("log.csv"));
    LogFile file(path("log.csv"), "a machine");
    file.add(example(1));
    while (content_of(path("log.csv")).empty()) std::this_thread::sleep_for(10ms);
    change();
    file.add(example(2));
    file.finish();
    return file.failure();
  };
  const auto name = path("log.csv").string(), moved = path("moved.csv").string();
  EXPECT_EQ(failure_after([&] { fs::create_hard_link(name, moved); }), "");
  EXPECT_EQ(failure_after([&] { fs::remove(name); }), name + " was removed while it was written; run again");
  EXPECT_EQ(failure_after([&] { fs::rename(name, moved); }), name + " was moved while it was written; it is now " + moved);
  EXPECT_NE(content_of(moved).find("\n2,"), std::string::npos) << "with all its rows";
  EXPECT_EQ(failure_after([&] {
              std::ofstream(moved) << "of another program";
              fs::rename(moved, name);
            }),
            name + " was removed while it was written; run again");
}

TEST_F(LogFileTest, AReaderWhoNeverComesIsNotWaitedForInAHurryAndTheRowsThatAreMissingAreCounted) {
  const ReaderAtLast reader(path("pipe"));
  LogFile file(reader.pipe(), "a machine");
  for (std::uint64_t id = 1; id <= 300; ++id) file.add(example(id));
  file.finish_soon();
  EXPECT_EQ(file.failure(), "the log lacks its last 300 rows: cannot write " + reader.pipe().string() +
                                ": nobody reads this pipe; start a program that does, or name a file");
}

TEST_F(LogFileTest, NorIsOneWhoTakesNothing) {
  const ReaderAtLast at_last(path("pipe"));
  const int reader = ::open(at_last.pipe().c_str(), O_RDONLY | O_NONBLOCK);
  constexpr std::size_t rows = 2000;  // more than a pipe holds
  LogFile file(at_last.pipe(), "a machine");
  for (std::uint64_t id = 1; id <= rows; ++id) file.add(example(id));
  file.finish_soon();
  std::string text(std::size_t{1} << 20, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(reader, text.data(), text.size()))));
  ::close(reader);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  const auto names = text.substr(0, text.find("\nid,"));
  const auto head = static_cast<std::size_t>(std::ranges::count(names, '\n')) + 2;
  EXPECT_EQ(file.failure(), "the log lacks its last " + counted(rows - (lines - head), "row") + ": cannot write " +
                                at_last.pipe().string() + ": its reader has stopped reading; end it, or name a file");
}

// Rows of frames with many spans are large.
// More than may wait, but never at once.
TEST_F(LogFileTest, RowsThatAreWrittenMakeRoomForOthers) {
  auto record = example(1);
  record.times.spans.resize(20'000, {2, 1, 0, 12, 14, true});
  const auto half = (std::size_t{32} << 20) / (record.times.spans.size() * sizeof record.times.spans[0]);
  const auto lines = [&] {
    const auto text = content_of(path("log.jsonl"));
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  };
  LogFile file(path("log.jsonl"), "a machine");
  std::size_t rows = 0;
  for (int part = 0; part < 3; ++part) {
    for (std::size_t i = 0; i < half; ++i, ++rows) file.add(record);
    for (int wait = 0; wait < 2000 && lines() < 1 + rows; ++wait) std::this_thread::sleep_for(10ms);
    ASSERT_EQ(lines(), 1 + rows) << part;
  }
  EXPECT_EQ(file.failure(), "");
}

TEST_F(LogFileTest, RowsThatWaitForAReaderAreBoundedInBytes) {
  const ReaderAtLast at_last(path("pipe"));
  const int reader = ::open(at_last.pipe().c_str(), O_RDONLY | O_NONBLOCK);
  auto record = example(1);
  record.times.spans.resize(20'000, {2, 1, 0, 12, 14, true});
  const auto bytes = record.times.spans.size() * sizeof record.times.spans[0];
  const auto most = (std::size_t{64} << 20) / bytes;
  LogFile file(at_last.pipe(), "a machine");
  std::size_t rows = 0;
  for (; rows < 3 * most && file.failure().empty(); ++rows) file.add(record);
  EXPECT_EQ(file.failure(),
            at_last.pipe().string() + ": its disk or its reader is too slow for a row per frame; the log ends here");
  EXPECT_GE(rows, most);
  file.finish_soon();
  ::close(reader);
}

}  // namespace
}  // namespace app
