#include "app/pipeline/effect_preparation.h"

#include <algorithm>
#include <utility>

#include "gpu/context.h"
#include "gpu/effect.h"

namespace app {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_kept = 8;       // preparations with files
constexpr std::size_t most_expected = 64;  // of a script without an end; what is not prepared ahead is when it is chosen

// Every effect as it is from the start.
std::vector<Selection> initial_selections(gpu::Device device) {
  std::vector<Selection> all;
  for (const auto* effect : gpu::all_effects())
    all.push_back({nullptr, {}, effect, gpu::Arguments(effect->parameters), TimingChoice::off, device});
  return all;
}

// The files that its effects name, but for those of an initial value, which are prepared from the start.
std::vector<std::string> chosen_files(const Selection& selection) {
  std::vector<std::string> files;
  const auto& sides = selection.sides;
  for (const auto& s : sides.empty() ? std::span(&selection, 1) : std::span(sides))
    for (const auto& parameter : s.effect_arguments.parameters())
      if (const auto& text = s.effect_arguments.text(parameter.name);
          parameter.kind == gpu::Parameter::Kind::file && text != parameter.initial)
        files.push_back(text);
  return files;
}

}  // namespace

bool EffectPreparation::prepare_initial(gpu::Device device) {
  if (initial_ || !thread_.wait(0us)) return initial_;
  initial_ = true;
  begin({}, initial_selections(device), true);
  return true;
}

// The thread is idle.
void EffectPreparation::begin(std::vector<std::string> files, std::vector<Selection> selections, bool chosen) {
  prepared_.push_back({std::move(files), chosen, {}});
  thread_.begin([&kept = prepared_.back().kept, selections = std::move(selections), limits = gpu::current_gpu_limits()] {
    for (const auto& selection : selections) try {
        auto dry = gpu::Context::dry(selection.device, 0, limits);
        kept.push_back(gpu::prepare_effect(dry, *selection.effect, selection.effect_arguments, {640, 480}));
      } catch (const std::exception&) {  // whoever makes a picture with it is told why
      }
  });
}

bool EffectPreparation::is_there(const std::vector<std::string>& files, bool chosen) {
  const bool idle = thread_.wait(0us);
  const auto done = std::span(prepared_).first(idle || prepared_.empty() ? prepared_.size() : prepared_.size() - 1);
  for (const auto& file : files) {
    const auto at = std::ranges::find_if(done, [&](const Prepared& one) { return std::ranges::count(one.files, file) > 0; });
    if (at == done.end()) return false;
    at->chosen |= chosen;
  }
  return true;
}

// Preparations without files, made at the start, stay. False where all others are still expected. The thread is idle.
bool EffectPreparation::make_room() {
  if (prepared_.size() < most_kept) return true;
  const auto first = std::ranges::find_if(prepared_, [](const Prepared& one) { return one.chosen && !one.files.empty(); });
  if (first == prepared_.end()) return false;
  prepared_.erase(first);
  return true;
}

// Files that the last picture was made with are there.
bool EffectPreparation::has(const Selection& selection, const Selection& in_use) {
  const auto files = chosen_files(selection), used = chosen_files(in_use);
  if (std::ranges::all_of(files, [&](const auto& file) { return std::ranges::find(used, file) != used.end(); })) return true;
  if (is_there(files, true)) return true;
  if (!thread_.wait(0us)) return false;
  if (is_there(files, true)) return true;  // meanwhile
  if (!make_room()) prepared_.erase(std::ranges::find_if(prepared_, [](const Prepared& one) { return !one.files.empty(); }));
  begin(files, selection.sides.empty() ? std::vector{selection} : selection.sides, true);
  return false;
}

void EffectPreparation::expect(std::span<const Change> changes) {
  for (const auto& change : changes) {
    const ParameterPath path(change.path);
    for (const auto* effect : gpu::all_effects())
      for (const auto& parameter : effect->parameters) {
        if (parameter.kind != gpu::Parameter::Kind::file || parameter.name != path.name) continue;
        if (path.has_owner && path.owner != effect->name && path.owner != of_effect) continue;
        if (expected_.size() == most_expected) return;
        gpu::Arguments arguments(effect->parameters);
        try {
          arguments.set(parameter.name, change.text);
          expected_.push_back({nullptr, {}, effect, arguments, TimingChoice::off, gpu::Device::host});
        } catch (const gpu::ArgumentError&) {  // whoever sets it is told why
        }
      }
  }
}

// The next one of what is expected, where there is nothing else to prepare.
void EffectPreparation::go_on(gpu::Device device) {
  while (!expected_.empty() && thread_.wait(0us)) {
    auto& next = expected_.front();
    auto files = chosen_files(next);
    const bool known = is_there(files);
    if (!known && !make_room()) return;
    next.device = device;
    if (!known) begin(std::move(files), {next}, false);
    expected_.pop_front();
  }
}

}  // namespace app
