#include "gpu/python/user_kernels.h"

#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/python/plans.h"
#include "gpu/user_kernels/cuda_tokens.h"
#include "gpu/user_kernels/judge.h"

namespace satscope::python {
namespace {

using gpu::Verdict;

// f(stop) on another thread, without the GIL. Ctrl-C sets `stop`, and is raised when f has returned.
template <class F>
auto interruptible(F f) {
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] { return f(std::as_const(stop)); });
  const auto is_ready = [&] {
    const nb::gil_scoped_release released;
    return result.wait_for(std::chrono::milliseconds(50)) == std::future_status::ready;
  };
  bool interrupted = false;
  while (!is_ready())
    if (!interrupted && PyErr_CheckSignals() != 0) stop = interrupted = true;
  if (interrupted) throw nb::python_error();
  return result.get();
}

// What os.fspath() takes; and a path or a file's name, with bytes that are not UTF-8 as os.fsdecode() has them.
std::filesystem::path path_of(nb::handle file) {
  const auto bytes = nb::cast<nb::bytes>(nb::module_::import_("os").attr("fsencode")(file));
  return std::filesystem::absolute(std::filesystem::path(std::string(bytes.c_str(), bytes.size())));
}
nb::object text_of_path(const std::string& path) {
  auto* const text = PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size()));
  if (!text) throw nb::python_error();
  return nb::steal(text);
}

// As Python takes it, whatever bytes the user's file has brought into it.
std::string valid(std::string_view text) { return gpu::utf8_text(text, text.npos); }
[[noreturn]] void refuse(std::string_view why) { throw Error(valid(why)); }

gpu::KernelTools tools() {
  std::string architecture;
  if (const auto probe = gpu::probe_gpu(); probe.gpu)
    architecture = "sm_" + std::to_string(10 * probe.gpu->major + probe.gpu->minor);
  auto tools = gpu::find_kernel_tools(simulated_folders(), architecture);
  if (!tools.problem.empty()) throw Error("a user's kernel cannot be compiled: " + tools.problem);
  return tools;
}

// "mine.cu:7: expected ';'"
std::string text_of_message(const gpu::SourceMessage& message) {
  const auto line = message.line > 0 ? ':' + std::to_string(message.line) : std::string();
  const auto name = message.file_name();
  return name + line + ": " + message.text;
}

const char* name_of_outcome(Verdict::Outcome outcome) {
  switch (outcome) {
    case Verdict::Outcome::right: return "right";
    case Verdict::Outcome::wrong: return "wrong";
    case Verdict::Outcome::does_not_compile: return "does not compile";
    case Verdict::Outcome::too_slow: return "too slow";
    case Verdict::Outcome::interrupted: break;
  }
  return "interrupted";
}

const char* name_of_severity(gpu::SourceMessage::Severity severity) {
  switch (severity) {
    case gpu::SourceMessage::Severity::error: return "error";
    case gpu::SourceMessage::Severity::warning: return "warning";
    case gpu::SourceMessage::Severity::note: break;
  }
  return "note";
}

template <class Items, class Convert>
nb::list list_of(const Items& items, const Convert& convert) {
  nb::list list;
  for (const auto& item : items) list.append(convert(item));
  return list;
}

nb::dict dict_of(const gpu::SourceMessage& message) {
  nb::dict entry;
  entry["severity"] = name_of_severity(message.severity);
  entry["file"] = text_of_path(message.file.string());
  entry["line"] = message.line;
  entry["column"] = message.column;
  entry["text"] = valid(message.text);
  return entry;
}

nb::dict dict_of(const gpu::KernelRace& race) {
  nb::dict entry;
  entry["what"] = valid(race.what);
  entry["first_file"] = text_of_path(race.first_file);
  entry["first_line"] = race.first_line;
  entry["second_file"] = text_of_path(race.second_file);
  entry["second_line"] = race.second_line;
  entry["times"] = race.times;
  return entry;
}

nb::dict dict_of(const gpu::WrongEntry& wrong) {
  // A list per row.
  const auto matrix = [&](const std::vector<std::string>& all) {
    nb::list rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i % static_cast<std::size_t>(wrong.columns) == 0) rows.append(nb::list());
      nb::cast<nb::list>(rows[nb::len(rows) - 1]).append(all[i]);
    }
    return rows;
  };
  nb::dict entry;
  entry["x"] = wrong.x;
  entry["y"] = wrong.y;
  entry["expected"] = wrong.expected;
  entry["got"] = wrong.got;
  entry["count"] = wrong.count;
  entry["left"] = wrong.left;
  entry["top"] = wrong.top;
  entry["around_expected"] = matrix(wrong.around_expected);
  entry["around_got"] = matrix(wrong.around_got);
  return entry;
}

nb::dict dict_of(const gpu::simulated::LineCounts& line) {
  nb::dict entry;
  entry["file"] = text_of_path(line.file);
  entry["line"] = line.line;
  entry["read_bytes"] = line.read.bytes;
  entry["read_sectors"] = line.read.sectors;
  entry["written_bytes"] = line.written.bytes;
  entry["written_sectors"] = line.written.sectors;
  entry["shared_bytes"] = line.shared_reads + line.shared_writes;
  entry["bank_conflicts"] = line.shared_stages - line.shared_stages_without_conflicts;
  entry["barriers"] = line.barriers;
  entry["barrier_waits"] = line.barrier_waits;
  entry["atomics"] = line.atomics;
  return entry;
}

nb::object traffic_of(const Verdict& verdict) {
  if (verdict.counted.pixels() == 0) return nb::none();
  const auto per_pixel = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(verdict.counted.pixels());
  };
  nb::dict entry;
  entry["shape"] = nb::make_tuple(verdict.counted.height, verdict.counted.width);
  entry["launches"] = verdict.launches;
  entry["read_bytes_per_pixel"] = per_pixel(verdict.counts.read.bytes);
  entry["written_bytes_per_pixel"] = per_pixel(verdict.counts.written.bytes);
  entry["read_sectors_per_pixel"] = per_pixel(verdict.counts.read.sectors);
  entry["written_sectors_per_pixel"] = per_pixel(verdict.counts.written.sectors);
  return entry;
}

nb::dict dict_of(const Verdict& verdict) {
  const auto each = [](const auto& item) { return dict_of(item); };
  nb::dict entry;
  entry["name"] = valid(verdict.name);
  entry["outcome"] = name_of_outcome(verdict.outcome);
  entry["sentence"] = valid(verdict.sentence);
  entry["where"] = valid(verdict.where);
  entry["fault"] = valid(verdict.fault);
  entry["wrong"] = verdict.wrong ? nb::object(dict_of(*verdict.wrong)) : nb::none();
  entry["races"] = list_of(verdict.races, each);
  entry["messages"] = list_of(verdict.messages, each);
  entry["traffic"] = traffic_of(verdict);
  entry["lines"] = list_of(verdict.lines, each);
  entry["deterministic"] = verdict.deterministic;
  entry["tables"] = verdict.tables;
  entry["microseconds"] = verdict.time ? nb::object(nb::float_(verdict.time->microseconds)) : nb::none();
  entry["bound_microseconds"] = verdict.time ? nb::object(nb::float_(verdict.time->bound_microseconds)) : nb::none();
  entry["seconds"] = verdict.compile_seconds + verdict.seconds;
  return entry;
}

gpu::JudgeRequest request_of(nb::handle seconds, nb::handle memory_bytes, nb::handle sizes, nb::handle timed,
                             nb::handle seed) {
  constexpr std::int64_t least_memory = 1 << 20, day = 86'400;
  if (!PyNumber_Check(seconds.ptr()) || PyUnicode_Check(seconds.ptr())) type_error("seconds: a number");
  const auto limit = nb::cast<double>(nb::float_(seconds));
  if (!(limit >= 0.1 && limit <= static_cast<double>(day))) value_error("seconds: from 0.1 to 86400");
  gpu::JudgeRequest request;
  request.limits.time = std::chrono::milliseconds(static_cast<std::int64_t>(1000 * limit));
  request.limits.memory_bytes = static_cast<std::size_t>(integer_of(memory_bytes, "memory_bytes", least_memory));
  for (const nb::handle shape : nb::borrow<nb::sequence>(sizes)) {
    const auto like = array_of_shape(shape);
    if (like.axes != 2) value_error("sizes: shapes (H, W)");
    request.sizes.push_back(size_of_planes(like));
  }
  request.on_gpu = true;
  request.timed = flag_of(timed, "timed");
  request.seed = static_cast<std::uint64_t>(integer_of(seed, "seed", 0));
  return request;
}

// What is wrong with a file that does not work, one line.
std::string text_of_refusal(const std::filesystem::path& file, const Verdict& verdict) {
  auto text = file.filename().string() + ": " + verdict.sentence;
  for (const auto& message : verdict.messages)
    if (message.severity == gpu::SourceMessage::Severity::error) return text + ": " + text_of_message(message);
  if (!verdict.fault.empty()) text += ": " + verdict.fault.substr(0, verdict.fault.find('\n'));
  return text + (verdict.where.empty() ? "" : " (" + verdict.where + ")") + "; satscope.judge() says more";
}

}  // namespace

nb::dict judge_file(nb::handle file, nb::handle folder, const ChildWords& child, nb::handle seconds, nb::handle memory_bytes,
                    nb::handle sizes, nb::handle timed, nb::handle seed) {
  const auto path = path_of(file), into = path_of(folder);
  const auto request = request_of(seconds, memory_bytes, sizes, timed, seed);
  return dict_of(interruptible([&](const std::atomic<bool>& stop) {
    const auto tools = python::tools();
    const auto compiled = gpu::compile_kernel(gpu::read_kernel_source(path), 1, tools, gpu::KernelLimits(), into, stop);
    return gpu::judge(compiled, request, {child}, tools, stop);
  }));
}

nb::str load_file(State& state, nb::handle file, nb::handle folder, const ChildWords& child) {
  const auto path = path_of(file), into = path_of(folder);
  const auto name = interruptible([&](const std::atomic<bool>& stop) {
    const auto tools = python::tools();
    const auto source = gpu::read_kernel_source(path);
    if (source.form == gpu::KernelSource::Form::effect && source.messages.empty())
      refuse(path.filename().string() + " is an effect: satscope.load() takes files that compute tables");
    const auto* before = gpu::find_user_kernel(source.name);
    const auto compiled = gpu::compile_kernel(source, before ? before->number + 1 : 1, tools, gpu::KernelLimits(), into,
                                              stop);
    gpu::JudgeRequest trial;
    trial.depth = gpu::JudgeRequest::Depth::trial;
    trial.on_gpu = true;
    const auto verdict = gpu::judge(compiled, trial, {child}, tools, stop);
    if (verdict.outcome != Verdict::Outcome::right) refuse(text_of_refusal(path, verdict));
    try {
      const auto& version = gpu::load_kernel(compiled);
      gpu::add_user_kernel(version);
      return version.name;
    } catch (const std::exception& error) {
      refuse(error.what());
    }
  });
  {
    const nb::gil_scoped_release released;
    state.plans.clear();
  }
  return nb::str(name.c_str());
}

void judge_child(nb::list words) {
  std::vector<std::string> taken;
  for (const auto word : words) {
    const auto bytes = nb::cast<nb::bytes>(word);
    taken.emplace_back(bytes.c_str(), bytes.size());
  }
  const nb::gil_scoped_release released;
  std::exit(gpu::judge_in_this_process(taken));
}

}  // namespace satscope::python
