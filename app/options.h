// Options: the command line as it was written. Parsing looks at words only; whether an algorithm, a parameter or a GPU
// of that name exists is asked later, in overrides.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/settings.h"

namespace app {

enum class Command { live, sat, apply, list, info };
enum class Listing { algorithms, effects, cameras };

// KEY=VALUE of one --set.
struct Assignment {
  std::string key, value;
};

struct Options {
  Command command = Command::live;
  std::string text;  // --help, --version: print this and end; nothing else is set

  // Shared.
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

  // sat, apply
  std::string image, output, type = "8u32u";
  bool exclusive = false;

  // list, info
  Listing listing = Listing::algorithms;
  bool json = false;
};

// `arguments` without the program's name. Throws ExitError (usage) with one line.
Options parse_options(std::span<const std::string> arguments);

}  // namespace app
