#include "app/control/palette_entries.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <stdexcept>
#include <vector>

#include "app/capture/source.h"
#include "app/capture/source_text.h"
#include "app/control/fields.h"
#include "app/control/key_table.h"
#include "app/control/names.h"
#include "app/control/selection.h"
#include "app/support/address.h"
#include "app/support/text.h"
#include "gpu/effect.h"
#include "gpu/sat.h"

namespace app {
namespace {

constexpr int word_start = 8, adjacent = 10, letter = 1, skipped = 1;
constexpr int least_per_letter = 7;  // less is letters that happen to follow each other somewhere in a sentence
constexpr int none = std::numeric_limits<int>::min() / 2;

bool starts_word(std::string_view text, std::size_t at) {
  return at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
}

// Both in lower case. The best sum over all ways to find the word's letters in this order. best[j]: of the letters so far, the
// last at j.
std::optional<int> score_of_word(std::string_view word, std::string_view text) {
  std::vector<int> best(text.size(), none), next(text.size());
  for (std::size_t i = 0; i < word.size(); ++i) {
    int before = i == 0 ? 0 : none;  // the best one that ends left of j - 1, less what is skipped after it
    for (std::size_t j = 0; j < text.size(); ++j) {
      const int just_before = i > 0 && j > 0 ? best[j - 1] : none;
      const int from = std::max(before, just_before == none ? none : just_before + adjacent);
      const bool same = word[i] == text[j] && from != none;
      next[j] = same ? from + letter + (starts_word(text, j) ? word_start : 0) : none;
      if (before != none && i > 0) before -= skipped;
      if (just_before != none) before = std::max(before, just_before - skipped);
    }
    std::swap(best, next);
  }
  const int score = text.empty() ? none : *std::max_element(best.begin(), best.end());
  return score < least_per_letter * (static_cast<int>(word.size()) - 1) ? std::nullopt : std::optional(score);
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view of) {
  const auto words = lower(typed), text = lower(of);
  std::string_view query = words;
  int sum = 0;
  bool any = false;
  while (!query.empty()) {
    const auto space = std::min(query.find(' '), query.size());
    const auto word = query.substr(0, space);
    query.remove_prefix(std::min(space + 1, query.size()));
    if (word.empty()) continue;
    const auto score = score_of_word(word, text);
    if (!score) return {};
    sum += *score;
    any = true;
  }
  return any ? sum : 0;
}

namespace {

using Entries = std::vector<PaletteEntry>;

constexpr auto in_use = "in use";

// Of any that is named: "toggle", and not "toggle loop".
bool of_a_setting(const ActionInfo& about) {
  return Action::set <= about.action && about.action <= Action::reset && !about.is_line();
}

void add_actions(Entries& entries, const Settings& settings, const ChangeContext& context, const WhyNot& why_not) {
  for (const auto& action : actions()) {
    const auto command = command_of(action);
    if (command.setting == "palette" || command.action == Action::close) continue;  // it is what is on top
    if (of_a_setting(action)) continue;                                             // every setting has its entry
    PaletteEntry entry{
        std::string(action.description), std::string(action.group), labels(command, settings.keys), {}, {}, command};
    if (!action.takes.empty()) {
      entry.title = label_of(action.name) + ": " + entry.title + "...";
      entry.does = PaletteEntry::Ask{std::string(action.name), {}, true};
    }
    try {
      if (action.takes.empty()) changes_of(command, settings, context);  // or throws why it is refused
      if (why_not) entry.why_not = why_not(command);
    } catch (const std::invalid_argument& error) {
      entry.why_not = error.what();
    }
    entries.push_back(std::move(entry));
  }
}

const std::string& algorithm_in_use(const Settings& settings, const ChangeContext& context) {
  return device_for(settings, context) == gpu::Device::host ? settings.host_algorithm : settings.cuda_algorithm;
}

void add_algorithms(Entries& entries, const Settings& settings, const ChangeContext& context) {
  const auto& current = algorithm_in_use(settings, context);
  for (const auto* algorithm : gpu::sat_algorithms())
    entries.push_back({"Algorithm: " + std::string(algorithm->name),
                       std::string(algorithm->idea),
                       {},
                       algorithm->name == current ? std::string(in_use) : std::to_string(algorithm->year),
                       why_unavailable(*algorithm, context),
                       Change{"algorithm", std::string(algorithm->name)}});
}

void add_effects(Entries& entries, const Settings& settings) {
  for (const auto* effect : gpu::all_effects())
    entries.push_back({"Effect: " + std::string(effect->title),
                       std::string(effect->idea),
                       {},
                       effect->name == settings.effect ? in_use : "",
                       {},
                       Change{"effect", std::string(effect->name)}});
  // As in the list of effects: what hides faces. The effect alone only shows where they are.
  const auto* faces = gpu::find_effect("faces");
  const auto set = settings.effect_values.find("faces");
  for (const std::string show : {"pixelated", "blurred"}) {
    if (!faces) break;
    const bool used = settings.effect == "faces" && set != settings.effect_values.end() && set->second.contains("show") &&
                      set->second.at("show") == show;
    entries.push_back({"Effect: " + std::string(faces->title) + ", " + show,
                       std::string(faces->idea),
                       {},
                       used ? in_use : "",
                       {},
                       Change{"faces.show", show}});
  }
}

void add_sources(Entries& entries, const Settings& settings, std::span<const OfferedSource> offered) {
  const auto add = [&](const OfferedSource& each) {
    entries.push_back({"Source: " + each.title,
                       "Opens " + (each.source.empty() ? "what is there" : without_controls(shown_address(each.source))),
                       {},
                       each.source == settings.source ? in_use : "",
                       each.problem,
                       Change{"source", each.source}});
    entries.back().also = each.also;
  };
  for (const auto& each : offered) add(each);
  for (const auto& [title, source] : built_in_sources)
    add({std::string(title), std::string(source), {}, source.empty() ? "webcam" : ""});
}

// An action that turns exactly this setting on and off: the one that has its keys and its words.
PaletteEntry* toggle_of(Entries& entries, std::string_view path, const Settings& settings, const ChangeContext& context) {
  for (auto& entry : entries) try {
      const auto* command = std::get_if<Command>(&entry.does);
      const auto changes = command ? changes_of(*command, settings, context) : std::nullopt;
      if (changes && changes->size() == 1 && changes->front().path == path) return &entry;
    } catch (const std::invalid_argument&) {  // not now
    }
  return nullptr;
}

// Why the change cannot be made, as of a device that is missing; empty: it can.
std::string refusal(const Change& change, Settings settings, const ChangeContext& context) try {
  apply(settings, change, context);
  return {};
} catch (const std::invalid_argument& error) {
  return error.what();
}

// An entry per choice; for other values one that asks.
struct AddField {
  Entries& entries;
  const Field& field;
  const Settings& settings;
  const ChangeContext& context;
  std::string why_not;

  std::string title() const { return title_of_setting(field.path); }
  void add(std::string title, std::string value, PaletteEntry::Does does) const {
    entries.push_back({std::move(title), std::string(field.help), {}, std::move(value), why_not, std::move(does)});
  }
  void operator()(const Field::Toggle& toggle) const {
    const bool on = settings.*toggle.member;
    if (auto* entry = toggle_of(entries, field.path, settings, context)) {
      entry->value = on ? "on" : "off";
      entry->also = title() + ' ' + std::string(field.path) + (on ? " turn off" : " turn on");
      return;
    }
    add(title() + (on ? ": turn off" : ": turn on"), on ? "on" : "off", Change{std::string(field.path), on ? "off" : "on"});
  }
  void operator()(const Field::Choice& choice) const {
    for (std::size_t i = 0; i < choice.names.size(); ++i) {
      const Change change{std::string(field.path), std::string(choice.names[i])};
      add(title() + ": " + title_of_value(change.path, change.text), choice.get(settings) == i ? in_use : "", change);
      if (auto& why = entries.back().why_not; why.empty()) why = refusal(change, settings, context);
    }
  }
  void operator()(const Field::Algorithm&) const {}  // algorithms are in the list already
  void operator()(const Field::Name& name) const {
    if (name.kind != "effect") ask();  // effects likewise
  }
  void operator()(const auto&) const { ask(); }
  void ask() const {
    const auto value = field.path == "source" ? shown_address(text_of(field, settings)) : text_of(field, settings);
    add(title() + "...", value, PaletteEntry::Ask{std::string(field.path), value});
  }
};

void add_settings(Entries& entries, const Settings& settings, const ChangeContext& context) {
  for (const auto& field : fields()) {
    constexpr std::string_view of_actions[] = {"palette", "hints"};  // which do the same, and more
    if (std::ranges::find(of_actions, field.path) != std::end(of_actions)) continue;
    const bool fixed = field.kept == Field::Kept::at_start;
    std::visit(AddField{entries, field, settings, context, fixed ? "It is read when the program starts" : ""}, field.value);
  }
}

std::string_view title_of(const gpu::SatAlgorithm& algorithm) { return algorithm.name; }
std::string_view title_of(const gpu::Effect& effect) { return effect.title; }

void add_parameter(Entries& entries, std::string_view owner, std::string_view owner_title, const gpu::Parameter& parameter,
                   std::span<const gpu::ParameterDisplay> display, const gpu::Arguments& arguments, gpu::Device device) {
  const auto path = std::string(owner) + '.' + std::string(parameter.name);
  const auto title = std::string(owner_title) + ": " + label_of(parameter.name);
  const auto& value = arguments.text(parameter.name);
  const auto why_not = gpu::why_unused(display, parameter.name, arguments);
  const auto add = [&](std::string title, std::string shown, PaletteEntry::Does does) {
    entries.push_back({std::move(title), std::string(parameter.help), {}, std::move(shown), why_not, std::move(does)});
  };
  if (parameter.kind == gpu::Parameter::Kind::choice || parameter.initial == gpu::automatic_choice)
    for (const auto choice : gpu::split_choices(parameter.choices))
      add(title + ": " + gpu::label_of_choice(parameter, gpu::display_of(display, parameter.name), choice, device),
          choice == value ? in_use : "", Change{path, std::string(choice)});
  else if (parameter.kind == gpu::Parameter::Kind::toggle)
    add(title + (value == "on" ? ": turn off" : ": turn on"), value, Change{path, value == "on" ? "off" : "on"});
  else
    add(title + "...", value, PaletteEntry::Ask{path, value});
  if (parameter.known)
    for (const auto& known : parameter.known())
      add(title + ": " + known.title, known.name == value ? in_use : "", Change{path, known.name});
}

std::span<const gpu::ParameterDisplay> displays_of(const gpu::SatAlgorithm&) { return {}; }
std::span<const gpu::ParameterDisplay> displays_of(const gpu::Effect& effect) { return effect.display; }

template <class Item>
void add_parameters(Entries& entries, const Item& item, const Settings& settings, gpu::Device device, bool used) try {
  const auto arguments = arguments_of(item, settings);
  const auto first = entries.size();
  for (const auto& parameter : item.parameters)
    add_parameter(entries, item.name, title_of(item), parameter, displays_of(item), arguments, device);
  for (auto& entry : std::span(entries).subspan(first)) {
    entry.parameter = true;
    entry.out_of_use = !used;
  }
} catch (const gpu::ArgumentError&) {  // values that do not fit are reported where they are set
}

// Adds the parameters of the algorithm and the effect in use, or of all others.
void add_parameters(Entries& entries, const Settings& settings, const ChangeContext& context, bool used) {
  const auto& current = algorithm_in_use(settings, context);
  const auto device = device_for(settings, context);
  for (const auto* algorithm : gpu::sat_algorithms())
    if ((algorithm->name == current) == used) add_parameters(entries, *algorithm, settings, device, used);
  for (const auto* effect : gpu::all_effects())
    if ((effect->name == settings.effect) == used) add_parameters(entries, *effect, settings, device, used);
}

std::optional<Command> command_in(std::string_view line) try {
  return parse_command(line);
} catch (const std::invalid_argument&) {
  return {};
}

// As scripts write it: "sat_view.scale modulo"; the path alone where a value is asked for; an action's name.
std::string path_of(const PaletteEntry::Does& does) {
  if (const auto* command = std::get_if<Command>(&does)) return std::string(info(*command).name);
  if (const auto* change = std::get_if<Change>(&does)) return change->path + ' ' + change->text;
  if (const auto* ask = std::get_if<PaletteEntry::Ask>(&does)) return ask->path;
  return {};
}

}  // namespace

std::vector<OfferedSource> offered_sources(std::span<const capture::CameraInfo> cameras,
                                           std::span<const std::string> recent) {
  std::vector<OfferedSource> all;
  for (const auto& camera : cameras)
    all.push_back({camera.name + "  (" + camera.path + ")", camera.path, camera.reason, "camera webcam"});
  for (const auto& source : recent)
    if (!source.empty() && std::ranges::find(all, source, &OfferedSource::source) == all.end())
      all.push_back({shown_address(source), source, {}, "recent"});
  return all;
}

std::vector<Change> changes_with(std::string_view path, const ChangeContext& context) {
  if (path == "dock") return {{"dock_open", "on"}, {"panels", "on"}};
  const std::string owner(path.substr(0, path.find('.')));
  if (owner.size() == path.size()) return {};
  if (gpu::find_effect(owner)) return {{"effect", owner}};
  const auto* algorithm = gpu::find_sat_algorithm(owner);
  if (!algorithm || !why_unavailable(*algorithm, context).empty()) return {};
  return {{"algorithm", owner}};
}

std::string why_unavailable(const gpu::SatAlgorithm& algorithm, const ChangeContext& context) {
  if (auto why = gpu::why_unavailable(algorithm); !why.empty()) return why;
  if (algorithm.device != gpu::Device::cuda || context.no_cuda.empty()) return {};
  if (!algorithm.not_simulated.empty()) return "needs CUDA: " + context.no_cuda;
  return context.no_simulated.empty() ? ""
                                      : "needs CUDA (" + context.no_cuda + ") or the simulated GPU: " + context.no_simulated;
}

std::vector<PaletteEntry> palette_entries(const Settings& settings, const ChangeContext& context, const WhyNot& why_not,
                                          std::span<const OfferedSource> offered) {
  Entries entries;
  add_actions(entries, settings, context, why_not);
  add_algorithms(entries, settings, context);
  add_effects(entries, settings);
  add_sources(entries, settings, offered);
  add_parameters(entries, settings, context, true);
  add_settings(entries, settings, context);
  add_parameters(entries, settings, context, false);
  return entries;
}

namespace {

// How the query is in the title: 0: each of its words is one of the title's, 1: each begins one, 2: in pieces.
int apart(std::string_view title, std::string_view query) {
  const auto text = lower(title), words = lower(query);
  const auto ends_word = [&](std::size_t at) {
    return at >= text.size() || !std::isalnum(static_cast<unsigned char>(text[at]));
  };
  int most = 0;
  for (std::size_t from = 0; from < words.size();) {
    const auto end = std::min(words.find(' ', from), words.size());
    const auto word = std::string_view(words).substr(from, end - from);
    int least = 2;
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1))
      if (starts_word(text, at)) least = std::min(least, ends_word(at + word.size()) ? 0 : 1);
    most = std::max(most, least);
    from = end + 1;
  }
  return most;
}

}  // namespace

std::vector<PaletteEntry> matching(std::vector<PaletteEntry> entries, std::string_view typed) {
  const auto query = trimmed(typed);
  if (query.empty()) return entries;
  const auto asked = command_in(query);
  struct Found {
    bool other;       // than the command that the query is, to the letter
    int apart;        // the words of the query, in the title; in what else people call it they count after those
    bool by_path;     // not by what people read
    int against;      // the score, negated
    bool no_command;  // that begins so: whoever types "stop recording" wants nothing started
    bool parameter, disabled, out_of_use;
    std::size_t length, index;
    auto operator<=>(const Found&) const = default;
  };
  std::vector<Found> found;
  const auto add = [&](std::size_t i, const std::string& path, bool by_path, int score) {
    const auto& entry = entries[i];
    const auto in_title = apart(entry.title + ' ' + entry.also, query);
    const bool called_so = apart(words_for(path), query) == 0;
    const auto* does = std::get_if<Command>(&entry.does);
    const bool command = does && begins_with(entry.title, query);
    found.push_back({!does || !asked || *does != *asked,
                     in_title < 2 ? (called_so ? 0 : in_title)
                     : called_so  ? 2
                                  : 3,
                     by_path, -score, !command, entry.parameter, !entry.why_not.empty(), entry.out_of_use,
                     entry.title.size(), i});
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto path = path_of(entries[i].does);
    const auto title = std::max({fuzzy_score(query, entries[i].title), fuzzy_score(query, window_words(path)),
                                 fuzzy_score(query, words_for(path)), fuzzy_score(query, entries[i].also)});
    if (title)
      add(i, path, false, *title);
    else if (const auto score = fuzzy_score(query, path))
      add(i, path, true, *score);
    else if (const auto* does = std::get_if<Command>(&entries[i].does); does && asked && *does == *asked)
      add(i, path, true, 0);  // by a name of an earlier version
  }
  std::sort(found.begin(), found.end());
  Entries chosen;
  for (const auto& match : found) chosen.push_back(std::move(entries[match.index]));
  return chosen;
}

namespace {

// "1 becomes 4; 0.25 to 4 is possible": a product stays in the range.
std::string becomes(const Setting& before, const Setting& after) {
  const auto range = after.range();
  return before.value + " becomes " + after.value +
         (range ? "; " + number_as_text(range->least) + " to " + number_as_text(range->most) + " is possible" : "");
}

// "record to clip" as "record to clip.mp4": while a name is typed it is not wrong.
std::string with_ending(const std::string& line, std::string_view ending) {
  const auto at = line.find(" to ");
  const auto name = at == line.npos ? std::string_view() : trimmed(std::string_view(line).substr(at + 4));
  const bool whole = name.empty() || name.ends_with('/') || name.substr(name.rfind('/') + 1).find('.') != name.npos;
  return whole ? line : line + std::string(ending);
}

// A command that takes something, as far as it is typed: "seek 1:30", "seek = 1:30", "add haar.x 8", "speed *2".
std::optional<PaletteEntry> typed_command(std::string_view query, const Settings& settings, const ChangeContext& context) {
  std::string line(query);
  if (const auto equals = line.find('='); equals != line.npos && trimmed(line.substr(0, equals)) == info(Action::seek).name)
    line.replace(equals, 1, " ");
  const auto end = std::min(line.find(' '), line.size());
  const auto about = std::ranges::find(actions(), std::string_view(line).substr(0, end), &ActionInfo::name);
  const bool known = about != actions().end(), sets = known && of_a_setting(*about);
  const bool takes = known && !about->takes.empty() && (end < line.size() || sets);
  const bool writes = line.find(" to ") != line.npos;
  const std::string rest(trimmed(std::string_view(line).substr(end)));  // `line` may become longer
  const bool scales = (rest.starts_with('*') || rest.starts_with('/')) &&
                      find_setting(line.substr(0, end), settings, context);
  if (!takes && !writes && !scales) return {};
  if (known && about->writes()) line = with_ending(line, about->ending);
  PaletteEntry entry{without_secrets(line), {}, {}, {}, {}, Command(Action::seek)};
  try {
    const auto command = parse_command(line);
    // "open photo" names no file: these are words to be looked for. A file of such a name is ./photo.
    const bool words = std::ranges::all_of(command.text, [](unsigned char c) { return std::isalpha(c) || c == ' '; });
    const bool a_word = std::ranges::find(capture::source_words, command.text) != std::end(capture::source_words);
    if (command.action == Action::open && words && !a_word && !matching(palette_entries(settings, context), query).empty())
      return {};
    // In one piece: a password may have blanks in it.
    const bool of_source = command.action == Action::open || (command.action == Action::set && command.setting == "source");
    if (const auto at = line.find(command.text); of_source && at != line.npos)
      entry.title = line.substr(0, at) + shown_address(command.text) + line.substr(at + command.text.size());
    entry.help = description(command);
    entry.does = command;
    auto copy = settings;
    apply(command, copy, context);
    if (scales)
      entry.value = becomes(*find_setting(command.setting, settings, context),
                            *find_setting(command.setting, copy, context));
  } catch (const std::invalid_argument& error) {
    if (!takes && !(writes && known) && !scales) return {};
    // "toggle looping" names no setting: these are words to be looked for, where something has them.
    const bool names_setting = find_setting(rest.substr(0, rest.find(' ')), settings, context).has_value();
    if (sets && !rest.empty() && !names_setting && !matching(palette_entries(settings, context), query).empty()) return {};
    entry.why_not = without_secrets(error.what());
  }
  return entry;
}

}  // namespace

std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context) {
  if (auto command = typed_command(trimmed(query), settings, context)) return command;
  query = trimmed(query);
  const auto equals = query.find('='), end = std::min(equals, query.find(' '));
  if (end == query.npos) return {};
  const auto path = query.substr(0, equals == query.npos ? end : equals);
  const Change change{std::string(trimmed(path)), std::string(trimmed(query.substr(path.size() + (equals != query.npos))))};
  auto named = find_setting(change.path, settings, context);
  if (!named) return {};
  if (equals == query.npos && !(named->range() && number_from_text(change.text))) return {};  // words to be looked for
  const bool of_source = named->field && named->field->path == "source";
  const auto shown = [&](const std::string& text) { return of_source ? shown_address(text) : text; };
  return PaletteEntry{change.path + " = " + shown(change.text),
                      std::string(named->help()),
                      {},
                      shown(named->value),
                      refusal(change, settings, context),
                      change};
}

}  // namespace app
