// Options: the command line as it was written. Parsing looks at words only; whether an algorithm, a parameter or a GPU
// of that name exists is asked later, in overrides.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/control/settings.h"
#include "gpu/simulated/schedule.h"

namespace app {

enum class Command { live, sat, apply, list, info, simulate };
enum class Listing { algorithms, effects, cameras };
enum class Model { latency };

// KEY=VALUE of one --set.
struct Assignment {
  std::string key, value;
};

struct Options {
  Command command = Command::live;
  std::string text;  // --help, --version: print this and end; nothing else is set

  // Shared. `type` and `size` have a default where a command has one.
  std::optional<std::string> algorithm, effect;
  std::vector<Assignment> set;
  std::optional<DeviceChoice> device;

  // live
  std::optional<std::string> source;
  std::optional<InteropChoice> interop;
  std::optional<gpu::Size> size;
  std::optional<double> fps;
  bool loop = false, max_speed = false, offscreen = false;
  std::optional<bool> vsync;
  std::optional<std::uint64_t> frames;
  std::optional<std::string> screenshot, record, export_file;
  std::optional<Viewer> viewer;
  std::optional<std::string> config;
  bool no_config = false;

  // sat, apply; output and type of simulate too
  std::string image, output, type = "8u32u";
  bool exclusive = false;
  std::optional<std::string> annotations;  // apply: file for them

  // simulate
  std::vector<std::string> algorithms;  // empty: all
  int latency = 400, width = 32;        // of the memory machine
  int blocks = 264;                     // resident
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
