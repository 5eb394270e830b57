// Fuzzy matching of typed words, for the command palette: every word of the query is a subsequence of the text, "bxbl" of
// "Effect: Box blur". Case does not matter.
#pragma once

#include <optional>
#include <string_view>

namespace app {

// How well `text` matches, larger is better; nullopt if a word of the query does not match. Letters at the beginnings of
// words and letters that are adjacent count more; every letter skipped between two of a word counts against it, so that a
// match within one word ranks above one that is scattered over a sentence. An empty query matches everything with 0.
std::optional<int> fuzzy_score(std::string_view query, std::string_view text);

// Whether `text` begins with all of `query`, in capitals or not.
bool begins_with(std::string_view text, std::string_view query);

}  // namespace app
