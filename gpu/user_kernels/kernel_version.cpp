#include "gpu/user_kernels/kernel_version.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <vector>

namespace gpu {
namespace {

// Replaced as a whole, and never freed: whoever goes through one of its lists goes on with it.
struct KernelTables {
  const KernelTables* before = nullptr;  // that it replaced; so that all of them are reachable
  std::vector<const SatAlgorithm*> algorithms;
  std::vector<const Effect*> effects;
  std::vector<const KernelVersion*> versions;  // the last ones, in the order in which their files came
  std::uint64_t changes = 0;
};

// Null: there are none but those that are built in.
std::atomic<const KernelTables*>& tables() {
  static std::atomic<const KernelTables*> all = nullptr;
  return all;
}

// `f` changes the list of versions.
template <class F>
void change(const F& f) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto* before = tables().load();
  auto all = std::make_unique<KernelTables>();
  all->before = before;
  if (before) all->versions = before->versions;
  f(all->versions);
  all->algorithms.assign(built_in_sat_algorithms().begin(), built_in_sat_algorithms().end());
  all->effects.assign(built_in_effects().begin(), built_in_effects().end());
  for (const auto* each : all->versions) {
    if (each->algorithm) all->algorithms.push_back(each->algorithm);
    if (each->effect) all->effects.push_back(each->effect);
  }
  all->changes = before ? before->changes + 1 : 1;
  tables() = all.release();
}

template <class Descriptor>
bool has(std::span<const Descriptor* const> all, std::string_view name) {
  return std::ranges::any_of(all, [&](const auto* one) { return one->name == name; });
}

}  // namespace

std::span<const SatAlgorithm* const> sat_algorithms() {
  const auto* all = tables().load();
  return all ? std::span(all->algorithms) : built_in_sat_algorithms();
}

std::span<const Effect* const> all_effects() {
  const auto* all = tables().load();
  return all ? std::span(all->effects) : built_in_effects();
}

void add_user_kernel(const KernelVersion& version) {
  if (has(built_in_sat_algorithms(), version.name) || has(built_in_effects(), version.name))
    throw std::invalid_argument(version.file.string() + ": '" + version.name +
                                "' is the name of an algorithm or effect of satscope: give the file another name");
  change([&](std::vector<const KernelVersion*>& versions) {
    const auto same = std::ranges::find(versions, version.name, &KernelVersion::name);
    if (same == versions.end())
      versions.push_back(&version);
    else if ((*same)->file == version.file)
      *same = &version;
    else
      throw std::invalid_argument(version.file.string() + ": " + (*same)->file.string() + " has the same name, '" +
                                  version.name + "': give one of the files another name");
  });
}

void remove_user_kernel(std::string_view name) {
  change([&](std::vector<const KernelVersion*>& versions) {
    std::erase_if(versions, [&](const auto* version) { return version->name == name; });
  });
}

const KernelVersion* find_user_kernel(std::string_view name) {
  const auto* all = tables().load();
  if (!all) return nullptr;
  const auto found = std::ranges::find(all->versions, name, &KernelVersion::name);
  return found == all->versions.end() ? nullptr : *found;
}

std::uint64_t user_kernel_changes() {
  const auto* all = tables().load();
  return all ? all->changes : 0;
}

}  // namespace gpu
