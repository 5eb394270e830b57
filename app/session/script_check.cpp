#include "app/session/script_check.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <variant>

#include "app/control/change.h"
#include "app/control/command.h"
#include "app/control/feature_gallery.h"
#include "app/control/fields.h"
#include "app/control/script.h"
#include "app/output/report.h"
#include "app/session/outputs.h"
#include "app/support/files.h"

namespace app {
namespace {

constexpr std::size_t most_faults = 20;
constexpr gpu::Size usual_picture{1920, 1080};  // where there will be one whose size is not known

// The settings as the lines change them, without a run.
class Rehearsal {
 public:
  Rehearsal(const Settings& start, const ChangeContext& machine, std::vector<std::filesystem::path> results)
      : settings_(start), context_(machine), results_(std::move(results)), undo_(start) {
    context_.running = true;
    context_.picture = usual_picture;
  }

  // Throws what is wrong with the line.
  void take(const script::Step& step) {
    if (const auto* set = std::get_if<script::Set>(&step)) change(set->changes);
    if (const auto* asked = std::get_if<script::Get>(&step); asked && !guesses_)
      check_asked(asked->paths, settings_, context_);
    if (const auto* action = std::get_if<script::Do>(&step)) {
      carry_out(*action);
      if (!action->to.empty()) name_result(*action);
    }
    undo_.note(settings_);
  }

 private:
  void change(std::span<const Change> changes) {
    const auto sets = [&](std::string_view path) { return std::ranges::count(changes, path, &Change::path) > 0; };
    // A source that does not open leaves the one before, whose matrix this may be.
    const bool of_unknown_source = other_source_ && sets("matrix") && !sets("source");
    other_source_ |= sets("source");
    try {
      apply(settings_, changes, context_);
    } catch (const std::invalid_argument&) {
      if (!guesses_ && !of_unknown_source) throw;
      check_values(changes);
    }
  }

  // Throws for values that are wrong whatever the settings are.
  void check_values(std::span<const Change> changes) const {
    for (const auto& one : changes) {
      auto any = settings_;
      if (const auto* field = find_field(one.path); field && field->kept != Field::Kept::at_start)
        set_field(*field, any, one.text, one.path);
      else if (!depends_on_machine(one))
        apply(any, one, context_);
    }
  }

  void carry_out(const Command& command) {
    switch (command.action) {
      case Action::undo: return go_back([this] { undo_.undo(settings_); });
      case Action::redo: return go_back([this] { undo_.redo(settings_); });
      case Action::reset_everything: app::apply(command, settings_, context_); return;
      case Action::show_feature: return show_feature(0);
      case Action::next_feature: return show_feature(1);
      case Action::previous_feature: return show_feature(-1);
      default: break;
    }
    other_source_ |= command.action == Action::open;
    try {
      if (const auto changes = changes_of(command, settings_, context_)) change(*changes);
    } catch (const std::invalid_argument&) {
      if (!guesses_) throw;
    }
  }

  void name_result(const Command& command) {
    check_no_other(command.to, results_);
    named_.check(command);
    named_.note(command);
  }

  // The run may have made a change of its own, and others have none that is known here.
  template <class Go>
  void go_back(const Go& go) {
    try {
      go();
    } catch (const std::invalid_argument&) {
      guesses_ = true;
    }
  }

  // Where in the picture is not known; its effect is in use from then on.
  void show_feature(int step) {
    apply(settings_,
          changes_to_show_feature(settings_, next_feature(settings_.feature, step), settings_.feature_scale, usual_picture),
          context_);
  }

  Settings settings_;
  ChangeContext context_;
  std::vector<std::filesystem::path> results_;  // of the run
  NamedResults named_;
  Undo undo_;
  bool guesses_ = false;       // the settings may be others by then
  bool other_source_ = false;  // than that of the start was named
};

}  // namespace

CheckedScript check_script(const std::string& path, const Settings& start, const ChangeContext& machine,
                           std::vector<std::filesystem::path> results) {
  script::Input input(path);
  Rehearsal rehearsal(start, machine, std::move(results));
  CheckedScript checked;
  const auto refuse = [&](std::uint64_t line, ExitCode code, const std::string& why) {
    ++checked.wrong;
    if (checked.faults.size() < most_faults) checked.faults.push_back({line, code, why});
  };
  for (std::uint64_t number = 1; !input.ended();) {
    const auto line = input.next();
    if (!line) {
      input.wait(std::chrono::milliseconds(100));
      continue;
    }
    const auto at = number++;
    if (script::is_blank(*line)) continue;
    ++checked.lines;
    try {
      const auto step = script::parse(*line);
      rehearsal.take(step);
      if (const auto* action = std::get_if<script::Do>(&step); action && action->action == Action::quit) break;
    } catch (const ExitError& error) {
      refuse(at, error.code(), error.what());
    } catch (const MissingDevice& error) {
      refuse(at, ExitCode::no_gpu, error.what());
    } catch (const std::invalid_argument& error) {
      refuse(at, ExitCode::usage, error.what());
    }
  }
  return checked;
}

}  // namespace app
