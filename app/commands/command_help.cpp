// satscope help: a section of the manual. The text is made of app/README.md and app/output/README.md, by
// assets/make_documents.py.
#include <manual.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/commands.h"
#include "app/support/console.h"
#include "app/support/text.h"

namespace app {
namespace {

struct Section {
  std::string_view topic, summary, text;
};

// A section begins with a line "# topic", a tab, and its summary.
std::vector<Section> sections() {
  std::vector<Section> found;
  for (std::string_view rest = manual::manual_txt; rest.starts_with("# ");) {
    const auto tab = rest.find('\t'), line_ends = rest.find('\n');
    const auto next = rest.find("\n# ", line_ends);
    const auto text_ends = next == rest.npos ? rest.size() : next;
    found.push_back({rest.substr(2, tab - 2), rest.substr(tab + 1, line_ends - tab - 1),
                     rest.substr(line_ends + 1, text_ends - line_ends - 1)});
    rest.remove_prefix(next == rest.npos ? rest.size() : next + 1);
  }
  return found;
}

std::string list_of(const std::vector<Section>& sections) {
  std::size_t width = 0;
  for (const auto& section : sections) width = std::max(width, section.topic.size());
  std::string text = "satscope help TOPIC prints a section of the manual:\n\n";
  for (const auto& section : sections)
    text += "  " + std::string(section.topic) + std::string(width - section.topic.size() + 2, ' ') +
            std::string(section.summary) + '\n';
  return text + "\nsatscope COMMAND --help lists the options of a command.\n";
}

// The sections that mention a word most, at most three; empty where none does.
std::string mentioned_in(const std::vector<Section>& sections, const std::string& word) {
  constexpr std::size_t most = 3;
  std::vector<std::pair<int, std::string_view>> counts;
  const auto wanted = lower(word);
  for (const auto& section : sections) {
    const auto text = lower(section.text);
    int count = 0;
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) ++count;
    if (count > 0) counts.emplace_back(-count, section.topic);
  }
  std::ranges::stable_sort(counts, {}, &std::pair<int, std::string_view>::first);
  std::string list;
  for (std::size_t i = 0; i < std::min(most, counts.size()); ++i)
    list += (i == 0 ? "" : ", ") + ("'" + std::string(counts[i].second)) + "'";
  return list;
}

}  // namespace

std::string help_text(const std::string& topic) {
  const auto all = sections();
  if (topic.empty()) return list_of(all);
  std::vector<std::string_view> topics;
  std::vector<const Section*> begin_so;
  for (const auto& section : all) {
    if (section.topic == topic) return std::string(section.text);
    topics.push_back(section.topic);
    if (section.topic.starts_with(topic)) begin_so.push_back(&section);
  }
  if (find_name<Verb>(verb_names, topic))
    refuse("'" + topic + "' is a command: satscope " + topic + " --help lists its options");
  if (begin_so.size() == 1) return std::string(begin_so.front()->text);
  const auto near = did_you_mean(topic, topics);
  if (const auto about = near.empty() ? mentioned_in(all, topic) : ""; !about.empty())
    refuse("no topic '" + topic + "'; it is mentioned in " + about);
  refuse("no topic '" + topic + "'" + near + "; topics: " + or_list(topics));
}

void run_help(const Options& options) { print(help_text(options.topic)); }

}  // namespace app
