#include "app/output/frame_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/output/frame_text.h"

namespace app {
namespace {

using json = nlohmann::ordered_json;

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
  events.back()["args"] = {{"selection", text_of(*frame.selection)}, {"work_us", frame.work_us}};
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
