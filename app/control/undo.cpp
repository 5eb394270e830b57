#include "app/control/undo.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "app/control/fields.h"

namespace app {
namespace {

constexpr std::size_t most_steps = 200;
constexpr std::chrono::milliseconds one_change{700};  // the longest pause of a drag

// The layout of the window is not undone: an undo is meant for what is computed and shown.
bool is_layout(std::string_view path) {
  constexpr std::string_view names[] = {"panels",    "left_width",   "dock_height",        "simple",    "hints", "dock",
                                        "dock_open", "kernels_sort", "kernels_descending", "card_order"};
  return std::ranges::find(names, path) != std::end(names) || path.starts_with("graph_") || path.starts_with("trace_");
}

bool can_be_undone(const Field& field) {
  constexpr std::string_view of_run[] = {"source", "speed", "matrix", "pointer", "rectangle"};
  if (field.kept == Field::Kept::run) return std::ranges::find(of_run, field.path) != std::end(of_run);
  return field.kept == Field::Kept::saved && !is_layout(field.path);
}

// Texts of the settings by path. The algorithm's and the effect's parameters are there where they are not initial.
std::map<std::string, std::string> texts_of(const Settings& settings) {
  std::map<std::string, std::string> texts;
  for (const auto& field : fields())
    if (can_be_undone(field)) texts[std::string(field.path)] = text_of(field, settings);
  for (const auto* values : {&settings.algorithm_values, &settings.effect_values})
    for (const auto& [owner, parameters] : *values)
      for (const auto& [name, text] : parameters) texts[owner + '.' + name] = text;
  return texts;
}

std::vector<std::string> changes_between(const Settings& before, const Settings& after) {
  const auto old = texts_of(before), now = texts_of(after);
  std::vector<std::pair<std::string, std::string>> different;
  std::ranges::set_symmetric_difference(old, now, std::back_inserter(different));
  std::vector<std::string> paths;
  for (const auto& [path, text] : different)
    if (paths.empty() || paths.back() != path) paths.push_back(path);
  return paths;
}

// The settings `now`, with what can be undone as it is in `other`.
Settings with(const Settings& other, Settings now) {
  for (const auto& field : fields())
    if (can_be_undone(field)) set_field(field, now, text_of(field, other), field.path);
  now.compare = other.compare;  // its sides, too, where it is off
  now.algorithm_values = other.algorithm_values;
  now.effect_values = other.effect_values;
  return now;
}

}  // namespace

void Undo::note(const Settings& now, bool drags, Clock::time_point time) {
  if (now == seen_) return;
  auto changed = changes_between(seen_, now);
  if (!changed.empty()) {
    const bool goes_on = drags && changed == changed_ && time - changed_at_ < one_change;
    if (!goes_on) past_.push_back(seen_);
    if (past_.size() > most_steps) past_.erase(past_.begin());
    future_.clear();
    changed_ = std::move(changed);
    changed_at_ = time;
  }
  seen_ = now;
}

std::string Undo::undo(Settings& settings) { return go(settings, past_, future_, "there is nothing to undo"); }

std::string Undo::redo(Settings& settings) { return go(settings, future_, past_, "there is nothing to redo"); }

std::string Undo::go(Settings& settings, std::vector<Settings>& from, std::vector<Settings>& to, const char* nothing) {
  note(settings);
  while (!from.empty() && changes_between(settings, from.back()).empty()) from.pop_back();  // a drag that came back
  if (from.empty()) throw std::invalid_argument(nothing);
  auto back = with(from.back(), settings);
  from.pop_back();
  to.push_back(settings);
  std::string names;
  for (const auto& path : changes_between(settings, back)) names += (names.empty() ? "" : ", ") + path;
  settings = seen_ = std::move(back);
  changed_.clear();
  return names;
}

}  // namespace app
