#include "app/output/detection_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

using gpu::Annotation;

TEST(DetectionTextAnnotationsTest, HasEveryAnnotation) {
  Annotation rectangle;
  rectangle.x0 = 10, rectangle.y0 = 10, rectangle.x1 = 30, rectangle.y1 = 20;
  rectangle.stroke = {0, 0, 0, 0}, rectangle.fill = {255, 170, 60, 112};
  auto label = rectangle;
  label.kind = Annotation::Kind::label;
  label.has = Annotation::Value::signed_number;
  label.value = -407;

  const auto json = nlohmann::json::parse(annotations_json({60, 40}, std::vector{rectangle, label}));
  EXPECT_EQ(json["size"], (nlohmann::json{60, 40}));
  const auto& all = json["annotations"];
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0]["kind"], "rectangle");
  EXPECT_EQ(all[0]["from"], (nlohmann::json{10.0, 10.0}));
  EXPECT_EQ(all[0]["to"], (nlohmann::json{30.0, 20.0}));
  EXPECT_EQ(all[0]["fill"], "#ffaa3c70");
  EXPECT_FALSE(all[0].contains("stroke") || all[0].contains("value") || all[0].contains("text"));
  EXPECT_EQ(all[1]["kind"], "label");
  EXPECT_EQ(all[1]["value"], -407);
}

}  // namespace
}  // namespace app
