#include "app/control/cards.h"

#include <data.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/support/files.h"

namespace app {
namespace {

using Json = nlohmann::ordered_json;  // kernels and notes keep the order in which they are written

std::vector<SpanNote> notes_of(const Json& object) {
  std::vector<SpanNote> notes;
  for (const auto& [name, text] : object.items()) notes.push_back({name, text.get<std::string>()});
  return notes;
}

std::vector<Change> changes_of(const Json& object) {
  std::vector<Change> changes;
  for (const auto& [path, text] : object.items()) changes.push_back({path, text.get<std::string>()});
  return changes;
}

// `begin`: of every lesson.
Lesson lesson_from(const Json& data, const Json& begin) {
  constexpr std::string_view names[] = {"", "sum", "steps", "race"};
  Lesson lesson{data.at("title"),
                data.at("statement"),
                data.value("text", ""),
                {},
                data.value("card", ""),
                changes_of(begin),
                changes_of(data.value("without_gpu", Json::object())),
                data.value("do", "")};
  lesson.shows = static_cast<Lesson::Shows>(std::ranges::find(names, data.value("shows", "")) - std::begin(names));
  for (auto& change : changes_of(data.at("set"))) {
    // A file that comes with the program.
    if (change.path == "source" && change.text.find(':') == change.text.npos) change.text = asset(change.text).string();
    lesson.changes.push_back(std::move(change));
  }
  return lesson;
}

struct Cards {
  std::vector<SatFamily> families;
  std::vector<SatCard> algorithms;
  std::vector<Lesson> lessons;
  std::vector<SpanNote> spans;  // of frames, effects and checks; and of kernels whose algorithm the path does not name

  explicit Cards(const Json& data) : spans(notes_of(data.at("spans"))) {
    for (const auto& [key, family] : data.at("families").items())
      families.push_back({key, family.at("name"), family.at("description")});
    for (const auto& lesson : data.at("lessons")) lessons.push_back(lesson_from(lesson, data.at("lesson_begin")));
    for (const auto& [name, card] : data.at("algorithms").items()) {
      const auto family = std::ranges::find(families, card.at("family").get<std::string>(), &SatFamily::key);
      std::vector<SatStep> steps;
      for (const auto& step : card.at("steps")) steps.push_back({step.at("move"), step.at("text")});
      algorithms.push_back({name, &*family, card.value("doi", ""), std::move(steps), notes_of(card.at("kernels"))});
    }
  }
};

const Cards& cards() {
  static const Cards cards(Json::parse(data::cards_json));
  return cards;
}

bool is_within_an_algorithm(std::string_view path) {
  for (auto slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
    if (gpu::find_sat_algorithm(path.substr(0, slash))) return true;
    path.remove_prefix(slash + 1);
  }
  return false;
}

// What the card of the innermost algorithm in the path says of the kernel.
std::string_view note_of_innermost_algorithm(std::string_view path, std::string_view kernel) {
  for (auto rest = path; !rest.empty();) {
    const auto slash = rest.rfind('/');
    if (const auto* card = find_sat_card(rest.substr(slash + 1)))
      if (const auto text = note_of(card->kernels, kernel); !text.empty()) return text;
    rest = rest.substr(0, slash == rest.npos ? 0 : slash);
  }
  return {};
}

}  // namespace

std::vector<const gpu::SatAlgorithm*> SatFamily::algorithms() const {
  std::vector<const gpu::SatAlgorithm*> all;
  for (const auto* algorithm : gpu::sat_algorithms())
    if (const auto* card = find_sat_card(algorithm->name); card && card->family == this) all.push_back(algorithm);
  std::ranges::stable_sort(all, {}, &gpu::SatAlgorithm::year);
  return all;
}

const std::vector<Lesson>& lessons() { return cards().lessons; }
const std::vector<SatFamily>& sat_families() { return cards().families; }
const std::vector<SatCard>& sat_cards() { return cards().algorithms; }

const SatCard* find_sat_card(std::string_view algorithm) {
  const auto at = std::ranges::find(sat_cards(), algorithm, &SatCard::algorithm);
  return at == sat_cards().end() ? nullptr : &*at;
}

std::string_view note_of(const std::vector<SpanNote>& notes, std::string_view name) {
  const auto at = std::ranges::find_if(notes, [&](const SpanNote& note) {
    const std::string_view pattern = note.name;
    return pattern.ends_with('*') ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
  });
  return at == notes.end() ? std::string_view() : at->text;
}

std::string_view explanation(std::string_view path) {
  const auto name = path.substr(path.rfind('/') + 1);
  const auto* algorithm = gpu::find_sat_algorithm(name);
  if (algorithm && !is_within_an_algorithm(path)) return algorithm->idea;  // its kernel may have its name
  if (const auto text = note_of_innermost_algorithm(path, name); !text.empty()) return text;
  return note_of(cards().spans, name);
}

}  // namespace app
