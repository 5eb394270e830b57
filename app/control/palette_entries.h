// What the command palette offers: every action, algorithm, effect, setting and parameter, with the choices of each, from the
// tables that everything else uses.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/capture/camera_list.h"
#include "app/control/command.h"
#include "gpu/sat.h"

namespace app {

struct PaletteEntry {
  // A setting, or a command that takes something, whose value is typed: the palette asks for it.
  struct Ask {
    std::string path, value;  // the current one
    bool command = false;
  };
  using Does = std::variant<Change, Command, Ask>;

  std::string title;    // "Effect: Box blur"
  std::string help;     // one line
  std::string keys;     // "Ctrl+P"; empty if it has none
  std::string value;    // the current one of a setting; "in use" of a choice
  std::string why_not;  // why it cannot be chosen now; empty if it can
  Does does;
  bool parameter = false, out_of_use = false;  // of an algorithm or an effect; of one that is not in use
  std::string also = {};                       // what else people call it: it is found by these words, too
};

// What can be opened, besides what is typed: a camera, a test scene.
struct OfferedSource {
  std::string title, source, problem;  // why it cannot be opened; empty if it can
  std::string also = {};               // as of an entry
};
// The cameras, and those that were open before.
std::vector<OfferedSource> offered_sources(std::span<const capture::CameraInfo> cameras,
                                           std::span<const std::string> recent);
struct BuiltInSource {
  std::string_view title, source;
};
inline constexpr BuiltInSource built_in_sources[] = {{"First camera, otherwise the bundled clip", ""},
                                                     {"Test scene 960x540", "synthetic:960x540"},
                                                     {"Test scene 1920x1080", "synthetic:1920x1080"},
                                                     {"Test scene 3840x2160", "synthetic:3840x2160"},
                                                     {"Test scene 7680x4320", "synthetic:7680x4320"},
                                                     {"Matrix 4x4", "matrix:4x4"},
                                                     {"Matrix 8x8", "matrix:8x8"}};

// Why an action cannot be done now although the settings allow it, one line; empty if it can.
using WhyNot = std::function<std::string(const Command&)>;
// All of them, in the order of the tables; last the parameters that are not in use. A setting that an action toggles has no
// entry of its own. Of sources those that are built in, and `offered`.
std::vector<PaletteEntry> palette_entries(const Settings& settings, const ChangeContext& context, const WhyNot& why_not = {},
                                          std::span<const OfferedSource> offered = {});
// The entries that match, the best first: those whose title has every word of the query, then those that have words which begin
// so, then those that people call so, before others; of equal ones actions that
// begin with it, then those that are not parameters, then those that can be chosen, then those in use, then the shortest. All in
// their order if the query is empty.
std::vector<PaletteEntry> matching(std::vector<PaletteEntry> entries, std::string_view query);

// What is changed with the setting or parameter of that name so that its change is seen: a parameter's effect or algorithm is
// chosen, and whoever names a tab wants to see it.
std::vector<Change> changes_with(std::string_view path, const ChangeContext& context);

// Why this machine cannot run it, one line; empty if it can. Without a GPU, the simulated GPU runs CUDA's algorithms.
std::string why_unavailable(const gpu::SatAlgorithm& algorithm, const ChangeContext& context);

// "path = value" as the command palette takes it: the syntax of --set, for every setting and every parameter; and
// "seek = 12.5" or "seek 1:30", a time to go to. The entry that makes this change, or goes to this time; disabled with the
// reason where it would be refused. Nothing if there is no equals sign, or neither a setting nor a parameter before it.
std::optional<PaletteEntry> typed_change(std::string_view query, const Settings& settings, const ChangeContext& context);

// Fuzzy matching of typed words, for the command palette: every word of the query is a subsequence of the text, "bxbl" of
// "Effect: Box blur". Case does not matter. How well `text` matches, larger is better; nullopt if a word of the query does not
// match. Letters at the beginnings of words and letters that are adjacent count more; every letter skipped between two of a
// word counts against it, so that a match within one word ranks above one that is scattered over a sentence. An empty query
// matches everything with 0.
std::optional<int> fuzzy_score(std::string_view query, std::string_view text);

}  // namespace app
