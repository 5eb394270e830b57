// Cascade files: both formats read as the same cascade, and everything malformed refused with its line and cause.
#include "gpu/vision/cascade.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "gpu/tests/refusal.h"
#include "gpu/tests/vision/cascade_writer.h"

namespace gpu::vision {
namespace {

std::string refusal(const std::string& text) {
  const auto why = test::refusal_of<CascadeError>([&] { parse_cascade(text); });
  EXPECT_EQ(why.find('\n'), why.npos) << why;
  return why;
}

// The text with its first `from` replaced.
std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

void expect_refused(const std::string& text, const std::string& part) {
  test::expect_refused<CascadeError>([&] { parse_cascade(text); }, part);
}

// New format, changed in one place.
void expect_change_refused(const std::string& from, const std::string& to, const std::string& part) {
  expect_refused(with(new_format_text(small_cascade()), from, to), part);
}

TEST(CascadeTest, NewFormat) {
  const Cascade expected = small_cascade(), cascade = parse_cascade(new_format_text(expected));
  EXPECT_EQ(cascade.name, "cascade");
  EXPECT_FALSE(cascade.old_format);
  EXPECT_EQ(cascade.window, expected.window);
  EXPECT_TRUE(cascade.tilted);
  EXPECT_EQ(cascade.features, expected.features);
  EXPECT_EQ(cascade.stages, expected.stages);
  EXPECT_EQ(cascade.nodes(), 5);
}

TEST(CascadeTest, LocalBinaryPatterns) {
  const Cascade expected = small_lbp_cascade();
  for (const auto& text :
       {new_format_text(expected), with(new_format_text(expected), "</maxCatCount>", "</maxCatCount><featSize>1</featSize>"),
        with(new_format_text(expected), " type_id=\"opencv-cascade-classifier\"", "")}) {
    const Cascade cascade = parse_cascade(text);
    EXPECT_EQ(cascade.kind, FeatureKind::lbp);
    EXPECT_EQ(cascade.window, expected.window);
    EXPECT_FALSE(cascade.tilted);
    EXPECT_EQ(cascade.features, expected.features);
    EXPECT_EQ(cascade.stages, expected.stages);
  }
  EXPECT_EQ(parse_cascade(new_format_text(small_cascade())).kind, FeatureKind::haar);
}

// A set says each code by itself.
TEST(CascadeTest, AnLbpNodeGoesLeftByItsCodes) {
  CascadeTree tree{{{0, -1, 0, 0}}, {1.f, 2.f}, {CodeSet{}}};
  for (unsigned code = 0; code < 256; ++code) {
    tree.code_sets[0] = {};
    tree.code_sets[0].words[code / 32] = 1u << code % 32;
    for (unsigned other = 0; other < 256; ++other)
      ASSERT_EQ(tree.goes_left(0, static_cast<float>(other)), other == code) << code << ' ' << other;
  }
}

TEST(CascadeTest, MalformedPatternsAreRefused) {
  const auto text = new_format_text(small_lbp_cascade());
  const auto expect_change = [&](const char* from, const char* to, const char* part) {
    expect_refused(with(text, from, to), part);
  };
  expect_change("<maxCatCount>256", "<maxCatCount>255", "maxCatCount of LBP features must be 256, not 255");
  expect_change("<maxCatCount>256</maxCatCount>", "", "line 4: maxCatCount of LBP features must be 256: it is missing");
  expect_change("<maxCatCount>256", "<maxCatCount>-1", "maxCatCount must be 0 to 65536: -1");
  expect_change("0 -1 0 -1 -1 -1 -1 0 0 0 0", "0 -1 0 -1 -1 -1 -1 0 0 0", "a number is missing in <internalNodes>");
  expect_change("0 -1 0 -1 -1 -1 -1 0 0 0 0", "0 -1 0 -1 -1 -1 -1 0 0 0 2147483648",
                "a word of a node's set of codes must be -2147483648 to 2147483647: 2.14748e+09");
  expect_change("0 -1 0 -1 -1 -1 -1 0 0 0 0", "0 -1 0 -1 -1 -1 -1 0 0 0 0.5",
                "a word of a node's set of codes is not an integer: 0.5");
  expect_change("0 -1 0 -1 -1 -1 -1 0 0 0 0", "0 -1 0 -1 -1 -1 -1 0 0 0 0 0", "a number is missing in <internalNodes>");
  expect_change("0 -1 0 -1", "0 -1 3 -1", "a node's feature must be 0 to 2: 3");
  expect_change("<rect>0 0 2 2", "<rect>0 0 3 2", "the nine blocks of a feature are not inside the window of 8x7");
  expect_change("<rect>0 0 2 2", "<rect>0 2 2 2", "the nine blocks of a feature are not inside the window of 8x7");
  expect_change("<rect>0 0 2 2", "<rect>0 0 0 2", "a rectangle has no pixels");
  expect_change("<rect>0 0 2 2", "<rect>-1 0 2 2", "a rectangle's x must be 0 to 256: -1");
  expect_change("<rect>0 0 2 2", "<rect>0 0 2", "a number is missing in <rect>");
  expect_change("<rect>0 0 2 2", "<rect>0 0 2 2 1", "too many numbers in <rect>");
  expect_change("<rect>0 0 2 2</rect>", "<rects><_>0 0 2 2 1.</_></rects>", "<_> has no <rect>");
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    ASSERT_NE(refusal(text.substr(0, length)), test::nothing_refused) << length;
}

// It gives every node a feature of its own.
TEST(CascadeTest, OldFormat) {
  const Cascade expected = small_cascade(), cascade = parse_cascade(old_format_text(expected));
  EXPECT_EQ(cascade.name, "by_hand");
  EXPECT_TRUE(cascade.old_format);
  EXPECT_EQ(cascade.window, expected.window);
  EXPECT_TRUE(cascade.tilted);
  ASSERT_EQ(cascade.features.size(), 5u);
  ASSERT_EQ(cascade.stages.size(), 2u);
  int feature = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    EXPECT_EQ(cascade.stages[s].threshold, expected.stages[s].threshold);
    for (std::size_t t = 0; t < expected.stages[s].trees.size(); ++t) {
      const auto &tree = cascade.stages[s].trees[t], &same = expected.stages[s].trees[t];
      ASSERT_EQ(tree.nodes.size(), same.nodes.size());
      for (std::size_t n = 0; n < same.nodes.size(); ++n) {
        EXPECT_EQ(tree.nodes[n].feature, feature++);
        EXPECT_EQ(tree.nodes[n].threshold, same.nodes[n].threshold);
        EXPECT_EQ(cascade.features[static_cast<std::size_t>(tree.nodes[n].feature)],
                  expected.features[static_cast<std::size_t>(same.nodes[n].feature)]);
      }
      EXPECT_EQ(tree.leaves, same.leaves);
    }
  }
}

TEST(CascadeTest, OpenCvsMarginIsSubtractedInFloat) {
  const Cascade cascade = parse_cascade(
      with(new_format_text(small_cascade()), stage_threshold_text(-0.25f), "3.5069230198860168e-01"));
  EXPECT_EQ(cascade.stages[0].threshold, 3.5069230198860168e-01f - 1e-5f);
}

// As OpenCV's own files have them: no type_id, comments, attributes, blank lines of Windows, leaves in any order.
TEST(CascadeTest, AcceptsWhatFilesHave) {
  const std::string text = new_format_text(small_cascade());
  EXPECT_EQ(refusal(with(text, " type_id=\"opencv-cascade-classifier\"", "")), test::nothing_refused);
  EXPECT_EQ(refusal(with(old_format_text(small_cascade()), " type_id=\"opencv-haar-classifier\"", "")),
            test::nothing_refused);
  EXPECT_EQ(refusal("\xef\xbb\xbf" + with(text, "<stages>", "<stages><!-- <_> 3 > 2 -->\r\n")), test::nothing_refused);
  EXPECT_EQ(refusal(with(text, "<stages>", "<stages comment='>' >")), test::nothing_refused);
  EXPECT_EQ(refusal(with(text, "0 -1 0", "-1 0 0")), test::nothing_refused);
  EXPECT_EQ(refusal(with(text, "<featureParams><maxCatCount>0</maxCatCount></featureParams>", "")), test::nothing_refused);
  EXPECT_EQ(refusal(with(text, "<_>0 0 8 6", "<_>0 0 0 0 0.</_><_>0 0 8 6")), test::nothing_refused)
      << "a rectangle that is not used";
  EXPECT_EQ(parse_cascade(with(text, number_text(0.0125f), "+0.5")).stages[0].trees[0].nodes[0].threshold, 0.5f);
  const auto weightless = parse_cascade(with(text, "<_>0 0 8 6 " + number_text(-1), "<_>0 0 8 6 0"));
  EXPECT_EQ(weightless.features[0].rectangles.size(), 2u) << "one that is used, though it has no weight";
}

TEST(CascadeTest, EveryTruncationIsRefused) {
  for (const std::string& text : {new_format_text(small_cascade()), old_format_text(small_cascade())})
    for (std::size_t length = 0; length + 2 < text.size(); ++length)
      ASSERT_NE(refusal(text.substr(0, length)), test::nothing_refused) << length;
  expect_refused("", "no XML element");
  expect_refused("<opencv_storage>\n<cascade", "line 2: the file ends inside a tag");
  expect_refused("<opencv_storage>\n<cascade>\n", "line 3: the file ends inside <cascade> of line 2: it is truncated");
}

TEST(CascadeTest, ForeignFilesAreRefused) {
  expect_refused("P5 3 3", "text outside of all elements");
  expect_refused("<html></html>", "line 1: the root is not <opencv_storage>");
  expect_refused("<opencv_storage/>", "<opencv_storage> is empty");
  expect_refused("<opencv_storage><camera_matrix type_id=\"opencv-matrix\"/></opencv_storage>",
                 "<camera_matrix> is not a cascade");
  expect_refused("<!DOCTYPE a><a/>", "not XML");
  expect_change_refused("HAAR", "HOG", "line 4: features of type HOG are not supported: only HAAR and LBP");
  expect_change_refused("HAAR", "H\n\x1b[31m", "features of type H??[31m are not supported");
  expect_change_refused("HAAR", std::string(41, 'X'), "features of type " + std::string(40, 'X') + "... are not supported");
  expect_change_refused("HAAR", std::string(40, 'X'), "features of type " + std::string(40, 'X') + " are not supported");
  expect_change_refused("BOOST", "FOREST", "stages of type FOREST are not supported");
  expect_change_refused("<maxCatCount>0", "<maxCatCount>256", "maxCatCount of HAAR features must be 0, not 256");
}

TEST(CascadeTest, MalformedXmlIsRefused) {
  expect_change_refused("</stages>", "</stage>", "</stage> ends <stages>");
  expect_change_refused("</opencv_storage>", "</opencv_storage></a>", "</a> ends no element");
  expect_change_refused("</opencv_storage>", "</opencv_storage><a/>", "a second element after <opencv_storage>");
  expect_change_refused("<width>8", "<width>8<!-- -->8", "a second run of text in <width>");
  expect_change_refused("<width>8</width>", "<width>8</width><width>8</width>", "a second <width>");
  EXPECT_NE(refusal(with(new_format_text(small_cascade()), "<width>", "<?xml?><width>")), test::nothing_refused);
  expect_change_refused("<width>", "<width a>", "an attribute of <width> has no value");
  expect_change_refused("<width>", "<width a=3>", "is not in quotes");
  expect_change_refused("<width>", "<!-- <width>", "a comment is not closed");
  expect_change_refused("<width>", "<\x1b[31m>", "a name is missing");
  std::string deep = "<opencv_storage>";
  for (int i = 0; i < 100000; ++i) deep += "<_>";
  expect_refused(deep, "nested more than 32 deep");
}

TEST(CascadeTest, NumbersThatAreNoneOrTooLargeAreRefused) {
  const std::string threshold = number_text(0.0125f), leaf = number_text(0.75f);
  for (const char* number : {"nan", "inf", "-inf", "1e400", "1e-400", ".Nan", "-.Inf"})
    EXPECT_NE(refusal(with(new_format_text(small_cascade()), threshold, number)), test::nothing_refused) << number;
  expect_change_refused(threshold, "1e39", "too large: 1e+39");
  expect_change_refused(leaf, "nan", "is not finite");
  expect_change_refused(leaf, "12x", "no number in <leafValues>");
  expect_change_refused(stage_threshold_text(-0.25f), "inf", "line 12: a number in <stageThreshold> is not finite");
  expect_change_refused(stage_threshold_text(-0.25f), "", "a number is missing in <stageThreshold>");
  expect_change_refused(number_text(-1), "1e9", "weight is too large");
  expect_change_refused("0 -1 0", "0 -1 0.5", "a node's feature is not an integer: 0.5");
}

TEST(CascadeTest, SizesAndCountsOutOfRangeAreRefused) {
  for (const char* width : {"0", "-8", "2", "257", "1e30", "8.5", ""})
    EXPECT_NE(refusal(with(new_format_text(small_cascade()), "<width>8", std::string("<width>") + width)),
              test::nothing_refused)
        << width;
  expect_change_refused("<width>8", "<width>0", "the window's width must be 3 to 256: 0");
  expect_refused(with(old_format_text(small_cascade()), "<size>8 6", "<size>8"), "a number is missing in <size>");
  expect_refused(with(old_format_text(small_cascade()), "<size>8 6", "<size>8 6 6"), "too many numbers in <size>");
  std::string stages = "<stages>";
  for (int i = 0; i < 1'000'000; ++i) stages += "<_/>";
  expect_change_refused("<stages>", stages, "<stages> has 1000002 elements; at most 254 are possible");
  std::string nodes = "<internalNodes>", leaves = "<leafValues>";
  for (int i = 0; i < 256; ++i) nodes += std::to_string(i + 2) + " 0 0 0 ";
  expect_change_refused("<internalNodes>", nodes, "a node's left child must be -256 to 256: 257");
  Cascade many = small_cascade();
  many.stages.back() = many.stages.front();
  for (auto& stage : many.stages) stage.trees.assign(most_trees / 2, stage.trees.front());
  EXPECT_EQ(refusal(new_format_text(many)), test::nothing_refused);
  many.stages.back().trees.push_back(many.stages.back().trees.front());
  expect_refused(new_format_text(many), "more than 65536 trees");
  expect_change_refused("<weakClassifiers>", "<weakClassifiers>3", "<weakClassifiers> is not a sequence");
  expect_change_refused("<features>", "<features><a/>", "<features> has an element that is not <_>");
}

TEST(CascadeTest, TreesThatAreNoneAreRefused) {
  const std::string root = "1 2 1 ", line = "line 30: ";  // of the tree with three nodes
  expect_change_refused(root, "1 1 1 ", line + "a node or leaf of a tree is the child of two nodes, or of itself: 1");
  expect_change_refused(root, "1 0 1 ", line + "a node or leaf of a tree is the child of two nodes, or of itself: 0");
  expect_change_refused(root, "3 2 1 ", "a node's child is out of range: 3");
  expect_change_refused("-2 -3 3", "-2 2 3", "the child of two nodes, or of itself: 2");
  expect_change_refused("-2 -3 3", "1 -3 3", "the child of two nodes, or of itself: 1");
  expect_change_refused("-2 -3 3", "-2 -4 3", "a node's child is out of range: -4");
  // A root of which both children are leaves, beside two nodes that are each other's child.
  const std::string cut_off = with(with(with(new_format_text(small_cascade()), root, "0 -1 1 "), "0 -1 2", "2 -2 2"),
                                   "-2 -3 3", "1 -3 3");
  expect_refused(cut_off, "a tree has nodes that its root does not reach");
  expect_change_refused(number_text(0.75f), "", "a tree of 1 nodes must have 2 leaves, not 1");
  expect_change_refused(number_text(0.75f), "1 2", "a tree of 1 nodes must have 2 leaves, not 3");
  expect_change_refused("0 -1 0", "0 -1 4", "a node's feature must be 0 to 3: 4");
  expect_change_refused("0 -1 0", "0 -1 -1", "a node's feature must be 0 to 3: -1");
  const std::string old = old_format_text(small_cascade());
  expect_refused(with(old, "<left_node>1", "<left_node>0"), "a node's child must be 1 to 256: 0");
  expect_refused(with(old, "<left_val>", "<left_node>1</left_node><left_val>"),
                 "a node has both <left_val> and <left_node>");
}

TEST(CascadeTest, RectanglesOutsideTheWindowAreRefused) {
  const std::string upright = "<_>0 0 8 6 ", tilted = "<_>4 0 2 2 ";
  const auto refusal_with = [](const std::string& rectangle, const char* numbers) {
    return refusal(with(new_format_text(small_cascade()), rectangle, std::string("<_>") + numbers + ' '));
  };
  for (const char* numbers : {"1 0 8 6", "0 1 8 6", "0 0 9 6", "0 0 8 7", "-1 0 8 6", "0 -1 8 6", "0 0 0 6", "0 0 8 0",
                              "0 0 -1 6", "200 200 200 200", "2147483647 0 2147483647 6"})
    EXPECT_NE(refusal_with(upright, numbers), test::nothing_refused) << numbers;
  // Its corners reach `height` to the left, `width` to the right, and both downwards.
  for (const char* numbers : {"1 0 2 2", "7 0 2 2", "4 3 2 2", "4 0 5 1", "4 0 0 2"})
    EXPECT_NE(refusal_with(tilted, numbers), test::nothing_refused) << numbers;
  for (const char* numbers : {"2 0 2 2", "6 0 2 2", "4 2 2 2"})
    EXPECT_EQ(refusal_with(tilted, numbers), test::nothing_refused) << numbers;
  expect_change_refused(upright, "<_>1 0 8 6 ", "a rectangle is not inside the window of 8x6");
  expect_change_refused(tilted, "<_>1 0 2 2 ", "a tilted rectangle is not inside the window of 8x6");
  expect_change_refused(upright, "<_>0 0 8 0 ", "a rectangle has no pixels");
  expect_change_refused("<tilted>0", "<tilted>2", "tilted must be 0 to 1: 2");
  expect_change_refused("<_>0 2 8 2", "<_>0 0 1 1 1</_><_>0 0 1 1 1</_><_>0 2 8 2", "<rects> has 4 elements; at most 3");
}

TEST(CascadeTest, MessagesOfFilesBeginWithTheName) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("cascade_test_" + std::to_string(getpid()) + ".xml");
  std::ofstream(file) << with(new_format_text(small_cascade()), "HAAR", "HOG");
  EXPECT_EQ(test::refusal_of<CascadeError>([&] { read_cascade(file); }),
            file.string() + ": line 4: features of type HOG are not supported: only HAAR and LBP");
  std::ofstream(file) << new_format_text(small_cascade());
  EXPECT_EQ(read_cascade(file).stages, small_cascade().stages);
  std::filesystem::resize_file(file, (64 << 20) + 1);
  EXPECT_EQ(test::refusal_of<CascadeError>([&] { read_cascade(file); }),
            file.string() + ": is larger than 64 MiB: not a cascade file");
  std::filesystem::remove(file);
  EXPECT_THROW(read_cascade(file), CascadeError);
  EXPECT_THROW(read_cascade(file.parent_path()), CascadeError);
}

}  // namespace
}  // namespace gpu::vision
