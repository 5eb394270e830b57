// Change: the only way to change a setting, for the command line, the settings file, keys, panels and scripts alike; and Undo.
// apply() checks a batch as a whole, and applies all of it or nothing.
//
// Paths: a setting of fields.h ("interop"); a parameter of an algorithm or an effect ("2r1w.W", "haar.type"), or of the one
// in use ("algorithm.W", "effect.window", or the name alone where only one of the two has it).
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/control/settings.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"
#include "gpu/parameter.h"

namespace app {

struct Field;

struct Change {
  std::string path, text;
  friend bool operator==(const Change&, const Change&) = default;
};

// What changes and actions depend on besides the settings. By default: a machine that has everything.
struct ChangeContext {
  std::string no_cuda, no_simulated;  // why there is no GPU, or no simulated GPU, one line; empty if there is one
  double zoom = 1;                    // as drawn, also if Settings::zoom is 0 (fit)
  bool running = false;               // settings that are read only when the program starts can no longer change
  double display_scale = 1;           // used if Settings::ui_scale is 0
  double most_scale = 4;              // of text, for which the window has room
  std::string failed_source = {};     // the latest one that was asked for, where it could not be opened; else empty
  gpu::Size picture = {};             // the latest; empty: there is none yet
  bool by_hand = false;               // asked in the window: an effect may begin uncompared, the bundled clip loops
};

// A change that needs a GPU, or a simulated GPU, which this machine does not have.
class MissingDevice : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The order within a batch does not matter: settings are applied first, then the algorithm and the effect, then their
// parameters. If a path occurs twice, the later change counts. An algorithm also chooses the device, unless the batch names
// one; a tab of the dock opens it, unless the batch says whether it is open. Throws std::invalid_argument with one line that
// suggests the nearest word; then nothing is changed.
void apply(Settings& settings, std::span<const Change> batch, const ChangeContext& context = {});
void apply(Settings& settings, const Change& change, const ChangeContext& context = {});

// Whether it is a setting of an earlier version, which changes nothing.
bool is_retired(std::string_view path);

// Whether an effect marks what it finds, which is best seen on the whole picture: it begins without a comparison.
bool begins_uncompared(std::string_view effect);

// The source that `text` means: it may be a form that was shown and perhaps edited, of the source that failed or of the one in
// use, and has what that hides.
std::string named_source(const std::string& text, const Settings& settings, const ChangeContext& context);

// The device that `settings` use on the machine that `context` describes; the host replaces a device that is missing.
gpu::Device device_for(const Settings& settings, const ChangeContext& context);

struct NumberRange {
  double least, most;
  bool whole;
};

// What a path leads to, as it is now.
struct Setting {
  const Field* field;               // null: a parameter
  const gpu::Parameter* parameter;  // null: a field
  std::string value;                // its text form
  std::string initial;              // that of its default
  // What is used now: where `value` leaves that to the program, what it chooses for the device, or for the picture; then empty before
  // there is one.
  std::string used = {};
  bool least_is_automatic = false;  // the least value is the one that leaves it to the program

  bool is_automatic() const;  // `value` is that one
  std::string_view help() const;
  bool is_toggle() const;                    // on or off, or also auto
  bool is_number() const;                    // also a choice of numbers
  std::optional<NumberRange> range() const;  // nullopt: no number, or a choice of them
};
std::optional<Setting> find_setting(std::string_view path, const Settings& settings, const ChangeContext& context = {});

// Whether the change is of a parameter of the current algorithm or effect, which can be applied only when the device is
// known.
bool depends_on_machine(const Change& change);

// Owners that are whichever algorithm and effect are in use.
inline constexpr std::string_view of_algorithm = "algorithm", of_effect = "effect";

// The parts of a parameter's path: "2r1w.W" is W of 2r1w; "W" has no owner, and is that of the algorithm or effect in use. They
// are parts of the text that it is made from, which must outlive it.
struct ParameterPath {
  constexpr explicit ParameterPath(std::string_view path) {
    const auto dot = path.find('.');
    has_owner = dot != path.npos;
    owner = has_owner ? path.substr(0, dot) : std::string_view();
    name = has_owner ? path.substr(dot + 1) : path;
  }
  std::string_view owner, name;
  bool has_owner = false;
};

// A command line, for a shell, that gives a program without a settings file these settings: all that can be undone. Without the
// passwords of an address.
std::string command_line_of(const Settings& settings);

// Undo: the settings as they were before each change, and the way back. Not undone are the state of a run (a popup, the place of
// the mouse, the zoom) and the layout of the window; undone are also the source, the matrix, the speed, and positions set with
// the mouse.
class Undo {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Undo(const Settings& start) : seen_(start) {}

  // Looks at the settings after whatever may have changed them. `drags`: by the mouse, perhaps; what it changes again and again
  // is one change.
  void note(const Settings& now, bool drags = false, Clock::time_point time = Clock::now());
  // A change by the program itself, as after a source that could not be opened, is not a step.
  void settle(const Settings& now) {
    if (now != seen_) seen_ = now;  // every frame asks, and a copy allocates
  }
  // Sets back the last change, or what was set back last. Returns the names of what changed, "effect, haar.type". Throws
  // std::invalid_argument where there is nothing.
  std::string undo(Settings& settings);
  std::string redo(Settings& settings);
  // The setting that each of them would change now, the first of several; empty: there is nothing.
  std::string undoes(const Settings& now) const { return first_change(now, past_); }
  std::string redoes(const Settings& now) const { return first_change(now, future_); }

 private:
  static std::string first_change(const Settings& now, const std::vector<Settings>& to);
  std::string go(Settings& settings, std::vector<Settings>& from, std::vector<Settings>& to, const char* nothing);

  Settings seen_;
  std::vector<Settings> past_, future_;  // the latest last
  std::vector<std::string> changed_;     // last, since undo() and redo()
  Clock::time_point changed_at_;
};

}  // namespace app
