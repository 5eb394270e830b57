#include "app/output/trace_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/control/selection.h"
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

double as_microseconds(std::uint64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1000; }

json event(const std::string& name, const std::string& category, std::uint64_t from, std::uint64_t to, std::uint32_t process,
           std::size_t thread) {
  return {
      {"name", name},   {"cat", category}, {"ph", "X"}, {"ts", as_microseconds(from)}, {"dur", as_microseconds(to - from)},
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
    tile["args"] = {{"row", I},
                    {"column", J},
                    {"launch", record->launch},
                    {"wait_us", as_microseconds(record->carried - record->started)}};
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
                   {"version", history.version > 0 ? json(history.version) : json()},
                   {"parameters", history.parameters},
                   {"width", history.image.width},
                   {"height", history.image.height},
                   {"simulated", simulated}}}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

void write_trace(const std::filesystem::path& path, const TileHistory& history) { write_file(path, trace_json(history)); }

namespace {

enum Thread { queued = 2, device = 3 };  // of process 1; frames overlap: they are tracks of their own

json metadata(const char* what, int thread, const std::string& name) {
  return {{"ph", "M"}, {"pid", 1}, {"tid", thread}, {"name", what}, {"args", {{"name", name}}}};
}

json slice(const std::string& name, int thread, double begin, double duration) {
  return {{"ph", "X"}, {"pid", 1}, {"tid", thread}, {"name", name}, {"ts", begin}, {"dur", duration}};
}

// A part of a frame's way; parts of one frame are on one track.
void part(json& events, const FrameRecord& frame, const std::string& name, double begin, double end) {
  const auto event = [&](const char* phase, double when) {
    return json{{"ph", phase}, {"pid", 1}, {"tid", 1}, {"cat", "frame"}, {"id", frame.id}, {"name", name}, {"ts", when}};
  };
  events.push_back(event("b", begin));
  events.push_back(event("e", end));
}

void add(json& events, const FrameRecord& frame, FrameRecord::Clock::time_point start) {
  const auto at = [&](FrameRecord::Clock::time_point when) {
    return std::chrono::duration<double, std::micro>(when - start).count();
  };
  part(events, frame, "frame " + std::to_string(frame.id), at(frame.captured), at(frame.presented));
  events.back()["args"] = {{"selection", text_of(*frame.selection, frame.size)}, {"work_us", frame.work_us}};
  if (frame.taken > frame.captured) part(events, frame, "waits to be taken", at(frame.captured), at(frame.taken));
  part(events, frame, "is made", at(frame.enqueued), at(frame.presented));
  if (!frame.times.timed) return;
  const auto begun = at(frame.enqueued), first_point = begun + frame.times.first_point;
  for (const auto& span : frame.times.spans) {
    const auto& path = frame.times.path(span);
    const auto name = path.substr(path.rfind('/') + 1);
    events.push_back(slice(name, queued, begun + span.enqueued, std::max(0.0, span.queued - span.enqueued)));
    events.back()["args"] = {{"frame", frame.id}};
    if (!span.timed) continue;
    events.push_back(slice(name, device, first_point + span.started, span.microseconds()));
    events.back()["args"] = {{"frame", frame.id}, {"path", path}};
    if (span.lost > 0) events.back()["args"]["lost_us"] = span.lost;
  }
}

}  // namespace

std::string frame_trace(std::span<const FrameRecord> frames) {
  auto events = json::array({metadata("process_name", 0, "satscope"), metadata("thread_name", 1, "frames"),
                             metadata("thread_name", queued, "CPU: queued"), metadata("thread_name", device, "device")});
  if (!frames.empty())
    for (const auto& frame : frames) add(events, frame, frames.front().captured);
  const json trace{{"traceEvents", std::move(events)},
                   {"displayTimeUnit", "ns"},
                   {"otherData", {{"program", "satscope " SATSCOPE_VERSION}, {"frames", frames.size()}}}};
  return trace.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

}  // namespace app
