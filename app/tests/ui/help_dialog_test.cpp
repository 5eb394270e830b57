#include "app/ui/panel.h"

#include <gtest/gtest.h>

namespace app::ui {
namespace {

using Columns = std::vector<std::vector<std::size_t>>;

Columns columns(std::vector<float> heights, std::size_t count) { return balanced_columns(heights, count); }

TEST(HelpDialogColumnsTest, GroupsStayInTheirOrderWhereThatIsBalanced) {
  EXPECT_EQ(columns({9, 1, 1, 1, 5, 4}, 2), (Columns{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(columns({2, 3, 2, 3, 5}, 3), (Columns{{0, 1}, {2, 3}, {4}}));
}

TEST(HelpDialogColumnsTest, AnotherOrderIsUsedWhereItIsLower) {
  EXPECT_EQ(columns({15, 10, 12, 8, 5}, 3), (Columns{{0}, {1, 3}, {2, 4}}));
}

TEST(HelpDialogColumnsTest, OneColumnHasAllGroups) { EXPECT_EQ(columns({3, 1, 4}, 1), (Columns{{0, 1, 2}})); }

TEST(HelpDialogColumnsTest, NoColumnIsEmpty) {
  EXPECT_EQ(columns({3, 3}, 4), (Columns{{0}, {1}}));
  EXPECT_TRUE(columns({}, 2).empty());
}

}  // namespace
}  // namespace app::ui
