// What the program says of algorithms and of a timeline's spans, besides the descriptors of gpu/: the texts of cards.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/control/change.h"
#include "gpu/sat.h"

namespace app {

struct SatFamily {
  std::string key;          // "rows_and_columns"
  std::string name;         // "Rows and columns"
  std::string description;  // one sentence
  // Those that have a card of this family, by year.
  std::vector<const gpu::SatAlgorithm*> algorithms() const;
};

struct SatStep {
  std::string move;  // how sums move in it: see carry_scene()
  std::string text;  // one sentence
};
struct SpanNote {
  std::string name;  // as timed; "add at distance *" stands for every name that begins so
  std::string text;  // what it does, one sentence
};

struct SatCard {
  std::string algorithm;
  const SatFamily* family = nullptr;
  std::string doi;  // of the paper that the idea is from; empty: none is known
  std::vector<SatStep> steps;
  std::vector<SpanNote> kernels;
};

// A lesson of the presentation: a state of the program, and one statement about it.
struct Lesson {
  enum class Shows { nothing, sum, steps, race };  // below the statement

  std::string title, statement, text;
  Shows shows = Shows::nothing;
  std::string card;                         // whose steps are shown
  std::vector<Change> changes;              // of the settings before the first lesson
  std::vector<Change> changes_without_gpu;  // also, where the CPU is in use and there is a simulated GPU
  std::string command;                      // once its picture is there; empty: none
};
const std::vector<Lesson>& lessons();
inline constexpr int lesson_count = 6;

const std::vector<SatFamily>& sat_families();  // in the order in which they build on each other
const std::vector<SatCard>& sat_cards();
const SatCard* find_sat_card(std::string_view algorithm);  // nullptr if there is none

// What the notes say of the span `name`; empty if nothing.
std::string_view note_of(const std::vector<SpanNote>& notes, std::string_view name);

// The explanation of a span by its path: "2r1w/tile sums", "lane 1/luma". An algorithm's own span has its idea; a kernel has a
// sentence of its algorithm where the path names one, otherwise one that suits every algorithm that has a kernel of this name.
// Empty for unknown names.
std::string_view explanation(std::string_view path);

}  // namespace app
