// Values of an export by their paths.
#include "app/output/query.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

const auto document = nlohmann::ordered_json::parse(R"({
  "fps": 59.5, "low_0.1_percent_fps": 30, "size": [640, 480], "empty": [],
  "kernels": [{"name": "2r1w", "p50": 12, "p99.9": 15}, {"name": "2r1w.columns", "p50": 7}],
  "race": [{"name": "one_wave", "us": 3}, {"name": "one_wave", "us": 4}]})");

TEST(QueryTest, APathLeadsThroughNamesAndNumbers) {
  for (const auto& [path, value] : {std::pair{"fps", 59.5},
                                    {"low_0.1_percent_fps", 30},
                                    {"size.1", 480},
                                    {"kernels.2r1w.p50", 12},
                                    {"kernels.2r1w.p99.9", 15},
                                    {"kernels.2r1w.columns.p50", 7},
                                    {"kernels.1.p50", 7},
                                    {"race.one_wave.us", 3},
                                    {"race.1.us", 4}}) {
    const auto* found = find_value(document, path);
    ASSERT_TRUE(found) << path;
    EXPECT_EQ(*found, value) << path;
  }
  EXPECT_TRUE(find_value(document, "race.0")->is_object());
}

TEST(QueryTest, WhereItLeadsNoFurtherTheNearestNameIsNamed) {
  for (const auto& [path, says] : {std::pair{"fsp", "no value 'fsp' (did you mean 'fps'?)"},
                                   {"kernels.2r1v.p50", "no value 'kernels.2r1v.p50' (did you mean 'kernels.2r1w.p50'?)"},
                                   {"kernels.2r1v.p51.x", "no value 'kernels.2r1v.p51.x' (did you mean 'kernels.2r1w'?)"},
                                   {"kernels.2r1w.p51", "no value 'kernels.2r1w.p51' (did you mean 'kernels.2r1w.p50'?)"},
                                   {"size.-1", "no value 'size.-1' (did you mean 'size.1'?)"},
                                   {"fps.mean", "no value 'fps.mean': there is nothing in fps"},
                                   {"empty.0.us", "no value 'empty.0.us': there is nothing in empty"},
                                   {"race.7.us", "no value 'race.7.us'"},
                                   {"", "no value ''"},
                                   {".", "no value '.'"},
                                   {"fps.", "no value 'fps.'"}}) {
    EXPECT_FALSE(find_value(document, path)) << path;
    EXPECT_EQ(no_value(document, path).substr(0, std::string_view(says).size()), says);
  }
}

TEST(QueryTest, WhatComesLaterHasANumberOrAName) {
  for (const auto* path : {"kernels", "kernels.0.name", "race.17", "kernels.2r1w.p50", "race.one_wave.us", "kernels.0x.p50"})
    EXPECT_TRUE(may_come(path)) << path;
  for (const auto* path : {"kernels.-1.name", "kernels.01", "race.+1.us", "kernels.", "kernels..name", "race. .us"})
    EXPECT_FALSE(may_come(path)) << path;
}

}  // namespace
}  // namespace app
