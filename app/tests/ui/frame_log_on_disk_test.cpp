// The figures in the panels equal those computed from the log on disk.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "app/output/log_file.h"
#include "app/tests/session/frame_log_example.h"
#include "app/tests/support/temporary_folder.h"
#include "app/ui/frame_graph_state.h"
#include "app/ui/widgets.h"
#include "gpu/percentile.h"

namespace app {
namespace {

using Row = std::map<std::string, std::string>;  // by column

// Splits a line of CSV, whose quoted cells contain no quotes.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

std::vector<Row> rows_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> names;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    const auto cells = cells_of(line);
    if (names.empty()) {
      names = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < cells.size(); ++i) row[names.at(i)] = cells[i];
  }
  return rows;
}

// Values since the work last changed, by stage; also "frame" and "work".
std::map<std::string, std::vector<double>> values_of(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<double>> values;
  for (const auto& row : rows) {
    if (row.at("of_work") == "1") values.clear();
    values["work"].push_back(std::stod(row.at("work_us")));
    values["frame"].push_back(std::stod(row.at("kernels_us")));
    std::istringstream stages(row.at("stages"));
    for (std::string stage; std::getline(stages, stage, ';');)
      values[stage.substr(0, stage.find('='))].push_back(std::stod(stage.substr(stage.find('=') + 1)));
  }
  return values;
}

using FrameLogOnDiskTest = FrameLogTest;

TEST_F(FrameLogOnDiskTest, PercentilesInThePanelsEqualThoseOfTheLogOnDisk) {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  {
    LogFile file(folder.path() / "log.csv", "a machine");
    also = [&](const FrameRecord& record) { file.add(record); };
    for (std::uint64_t id = 1; id <= 30; ++id) frame(id, "box_blur"), log.take(times_of(id, 1e6));
    for (std::uint64_t id = 31; id <= 2000; ++id) {
      frame(id);
      log.take(times_of(id, 1 + random() % 1'000'000 / 7000.0));  // sevenths have endless digits
    }
    log.flush();
    also = {};
  }
  const auto rows = rows_of(folder.path() / "log.csv");
  ASSERT_EQ(rows.size(), 2000u);
  auto values = values_of(rows);
  ASSERT_EQ(values["work"].size(), 1970u);
  auto shown = log.figures().stages.rows();
  EXPECT_EQ(shown.size(), 2u);
  shown.push_back(log.figures().stages.total());
  for (const auto& row : shown)
    for (const auto& [percent, value] : {std::pair{50u, row.p50}, {90u, row.p90}, {99u, row.p99}, {100u, row.max}}) {
      const auto expected = gpu::percentile(values[row.name], percent);
      EXPECT_EQ(ui::microseconds(value), ui::microseconds(expected)) << row.name << ' ' << percent;
      EXPECT_EQ(value, expected) << "all digits";
    }
  const auto work = ui::summarise(log.figures(), GraphShows::work, 16);
  for (const auto& [percent, value] : {std::pair{50u, work.p50}, {90u, work.p90}, {99u, work.p99}, {100u, work.max}})
    EXPECT_EQ(ui::number(value, 2), ui::number(gpu::percentile(values["work"], percent) / 1000, 2));
}

}  // namespace
}  // namespace app
