// Options: the command line as it was written. What it says of settings are changes (control/change.h), which overrides.h
// applies; the rest is of one run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "gpu/simulated/schedule.h"

namespace app {

enum class Command { live, sat, apply, list, info, simulate };
enum class Listing { algorithms, effects, cameras };
enum class Model { latency };

struct Options {
  Command command = Command::live;
  std::string text;  // --help, --version: print this and end; nothing else is set

  // Of settings: by their flags, by SOURCE and by --set, in this order.
  std::vector<Change> changes;
  std::optional<std::string> value_of(std::string_view path) const;  // the last change of it; nullopt where there is none

  // live
  bool offscreen = false;
  std::optional<std::uint64_t> frames;
  std::optional<std::string> script, screenshot, record, export_file, log;
  std::optional<std::string> config;
  bool no_config = false;

  // sat, apply; output and type of simulate too
  std::string image, output, type = "8u32u";
  bool exclusive = false;
  std::optional<std::string> annotations;  // apply: file for them

  // simulate
  std::vector<std::string> algorithms;  // empty: all
  std::optional<gpu::Size> size;
  int latency = 400, width = 32;  // of the memory machine
  int blocks = 264;               // resident
  gpu::simulated::Schedule schedule;
  std::optional<Model> model;
  std::optional<std::string> latencies;  // file of a GPU's, for the model

  // list, info, simulate
  Listing listing = Listing::algorithms;
  bool json = false;
};

// `arguments` without the program's name. Throws ExitError (usage) with one line.
Options parse_options(std::span<const std::string> arguments);

}  // namespace app
