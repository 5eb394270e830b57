#include "app/output/detection_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

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
  EXPECT_EQ(all[0],
            (nlohmann::json{{"kind", "rectangle"}, {"from", {10.0, 10.0}}, {"to", {30.0, 20.0}}, {"fill", "#ffaa3c70"}}));
  EXPECT_EQ(all[1]["kind"], "label");
  EXPECT_EQ(all[1]["value"], -407);
}

std::vector<SearchedPicture> searched_pictures() {
  std::vector<SearchedPicture> pictures(2);
  pictures[0] = {"a,b.png", 0, "host", {{1, 2, 30, 40, 5}, {6, 7, 80, 90, 10}}, 10.5, 200.25, 3000.0004};
  pictures[1] = {"http://u:SECRET@h/clip.mp4", 12345, "cuda", {}, 1, 2, 3};
  return pictures;
}

std::string text_in(DetectionForm form, std::size_t count) {
  const std::string sources[] = {"a,b.png", "http://u:SECRET@h/clip.mp4"};
  DetectionText text(form, sources);
  std::string all;
  const auto pictures = searched_pictures();
  for (std::size_t i = 0; i < count; ++i) all += text.add(pictures[i]);
  return all + text.end();
}

// Each with the head once, before the first.
TEST(DetectionTextTest, ARowOfCsvPerDetectionAndOneOfAPictureWithout) {
  EXPECT_EQ(text_in(DetectionForm::csv, 2),
            "source,frame,x,y,width,height,neighbors,read_us,gray_us,detection_us,total_us,device\n"
            "\"a,b.png\",0,1,2,30,40,5,10.5,200.25,3000.0,3210.75,host\n"
            "\"a,b.png\",0,6,7,80,90,10,10.5,200.25,3000.0,3210.75,host\n"
            "http://u:***@h/clip.mp4,12345,,,,,,1.0,2.0,3.0,6.0,cuda\n");
  EXPECT_EQ(text_in(DetectionForm::csv, 0), "");
}

TEST(DetectionTextTest, ALineOrAnElementOfJsonPerPicture) {
  const auto array = nlohmann::json::parse(text_in(DetectionForm::json, 2));
  ASSERT_EQ(array.size(), 2u);
  const auto& first = array[0];
  EXPECT_EQ(first["source"], "a,b.png");
  EXPECT_EQ(first["frame"], 0);
  EXPECT_EQ(first["device"], "host");
  EXPECT_EQ(first["detections"][1], (nlohmann::json{{"x", 6}, {"y", 7}, {"width", 80}, {"height", 90}, {"neighbors", 10}}));
  EXPECT_EQ(first["us"], (nlohmann::json{{"read", 10.5}, {"gray", 200.25}, {"detection", 3000.0}, {"total", 3210.75}}));
  EXPECT_EQ(array[1]["source"], "http://u:***@h/clip.mp4");
  EXPECT_EQ(array[1]["detections"], nlohmann::json::array());
  EXPECT_EQ(nlohmann::json::parse(text_in(DetectionForm::json, 1)).size(), 1u);
  EXPECT_EQ(text_in(DetectionForm::json, 0), "[\n]\n");
  std::istringstream lines(text_in(DetectionForm::lines, 2));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) EXPECT_EQ(nlohmann::json::parse(line), array[count]);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(text_in(DetectionForm::lines, 0), "");
}

// The time is that of the picture, beside its first row.
TEST(DetectionTextTest, ATableHasItsColumnsBelowTheirTitles) {
  std::istringstream table(text_in(DetectionForm::table, 2));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4u);
  const auto words = [](const std::string& line) {
    std::istringstream text(line);
    std::vector<std::string> all;
    for (std::string word; text >> word;) all.push_back(word);
    return all;
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(words(lines[0]), (Words{"source", "frame", "x", "y", "width", "height", "neighbors", "total", "us"}));
  EXPECT_EQ(words(lines[1]), (Words{"a,b.png", "0", "1", "2", "30", "40", "5", "3211"}));
  EXPECT_EQ(words(lines[2]), (Words{"a,b.png", "0", "6", "7", "80", "90", "10"}));
  EXPECT_EQ(words(lines[3]), (Words{"http://u:***@h/clip.mp4", "12\u2009345", "-", "-", "-", "-", "-", "6.00"}));
  EXPECT_EQ(lines[1].size(), lines[0].size());
  EXPECT_EQ(lines[2].find(" 80") + 3, lines[0].find("width") + 5) << "numbers are right-aligned";
}

TEST(DetectionTextAnnotationsTest, EachHasWhatIsItsOwn) {
  Annotation line;
  line.kind = Annotation::Kind::line;
  line.x0 = 1, line.y0 = 2, line.x1 = 3, line.y1 = 4;
  line.stroke = {1, 2, 3, 4}, line.fill = {9, 9, 9, 0};
  const auto json = nlohmann::json::parse(annotations_json({60, 40}, std::vector{line}))["annotations"][0];
  EXPECT_EQ(json, (nlohmann::json{{"kind", "line"}, {"from", {1.0, 2.0}}, {"to", {3.0, 4.0}}, {"stroke", "#01020304"}}));
  EXPECT_TRUE(nlohmann::json::parse(annotations_json({1, 1}, {}))["annotations"].empty());
}

}  // namespace
}  // namespace app
