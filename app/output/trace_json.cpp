#include "app/output/trace_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/support/files.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

struct Slice {
  const gpu::TileRecord* record;
  const gpu::TilePass* pass;
  int I, J;
};

std::vector<Slice> slices_of(const TileHistory& history) {
  std::vector<Slice> slices;
  for (const auto& pass : history.passes)
    for (int I = 0; I < pass.rows; ++I)
      for (int J = 0; J < pass.columns; ++J) {
        const auto number = static_cast<std::size_t>(I) * static_cast<std::size_t>(pass.columns) +
                            static_cast<std::size_t>(J);
        const auto& record = history.of(pass)[number];
        if (record.launch > 0) slices.push_back({&record, &pass, I, J});
      }
  std::ranges::stable_sort(slices, {}, [](const Slice& slice) { return slice.record->started; });
  return slices;
}

double microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

json event(const std::string& name, const std::string& category, std::uint64_t from, std::uint64_t to, std::uint32_t process,
           std::size_t thread) {
  return {{"name", name},   {"cat", category}, {"ph", "X"}, {"ts", microseconds(from)}, {"dur", microseconds(to - from)},
          {"pid", process}, {"tid", thread}};
}

// The first thread of a multiprocessor that is free when a tile starts: slices of one thread must not overlap.
std::size_t thread_for(const gpu::TileRecord& record, std::vector<std::uint64_t>& busy_until) {
  const auto free = std::ranges::find_if(busy_until, [&](std::uint64_t until) { return until <= record.started; });
  const auto thread = static_cast<std::size_t>(free - busy_until.begin());
  if (free == busy_until.end()) busy_until.push_back(0);
  busy_until[thread] = record.finished;
  return thread;
}

}  // namespace

std::string trace_json(const TileHistory& history) {
  const bool simulated = history.device == gpu::Device::simulated;
  auto events = json::array();
  for (const auto number : history.multiprocessors)
    events.push_back({{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", number},
                      {"args", {{"name", (simulated ? "resident block " : "SM ") + std::to_string(number)}}}});
  std::vector<std::vector<std::uint64_t>> busy(history.multiprocessors.size());
  for (const auto& [record, pass, I, J] : slices_of(history)) {
    const auto thread = thread_for(*record, busy[history.place_of(record->multiprocessor)]);
    auto tile = event("tile " + std::to_string(I) + "," + std::to_string(J), pass->name, record->started, record->finished,
                      record->multiprocessor, thread);
    tile["args"] = {
        {"row", I}, {"column", J}, {"launch", record->launch}, {"wait_us", microseconds(record->carried - record->started)}};
    if (history.looks_back()) {
      tile["args"]["look_back_left"] = record->look_back.left;
      tile["args"]["look_back_up"] = record->look_back.up;
      tile["args"]["look_back_diagonal"] = record->look_back.diagonal;
    }
    events.push_back(std::move(tile));
    if (record->carried > record->started)
      events.push_back(
          event("waits for carries", pass->name, record->started, record->carried, record->multiprocessor, thread));
  }
  const json all{{"traceEvents", std::move(events)},
                 {"displayTimeUnit", "ns"},
                 {"otherData",
                  {{"program", "satscope " SATSCOPE_VERSION},
                   {"algorithm", history.algorithm},
                   {"parameters", history.parameters},
                   {"width", history.image.width},
                   {"height", history.image.height},
                   {"simulated", simulated}}}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_trace(const std::filesystem::path& path, const TileHistory& history) { write_file(path, trace_json(history)); }

}  // namespace app
