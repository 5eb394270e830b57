// What a thread finds in a frame, and what is left when it fails.
#include "app/session/frame_search.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace app {
namespace {

using Search = FrameSearch<int, std::string>;

TEST(FrameSearchTest, WhatWasFoundIsWhatWasAskedFor) {
  Search search;
  search.begin(1, [] { return std::string("one"); });
  EXPECT_TRUE(search.busy());
  search.take(Search::until_found);
  EXPECT_FALSE(search.busy());
  EXPECT_EQ(search.found(), "one");
  EXPECT_EQ(search.found_for(), 1);
}

TEST(FrameSearchTest, AfterAFailureNothingIsFoundAndTheNextSearchWorks) {
  Search search;
  search.set(1, "one");
  search.begin(2, []() -> std::string { throw std::runtime_error("no memory"); });
  EXPECT_THROW(search.take(Search::until_found), std::runtime_error);
  EXPECT_FALSE(search.busy());
  EXPECT_EQ(search.found_for(), std::nullopt);
  search.take(Search::until_found);
  EXPECT_EQ(search.found_for(), std::nullopt);
  search.begin(3, [] { return std::string("three"); });
  search.take(Search::until_found);
  EXPECT_EQ(search.found(), "three");
}

}  // namespace
}  // namespace app
