// The check of a script before its first line runs: the form of every line, the names in it, values, what commands take, and
// results of one name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/control/change.h"
#include "app/support/exit_code.h"

namespace app {

struct CheckedScript {
  struct Fault {
    std::uint64_t line;
    ExitCode code;
    std::string why;  // one line
  };
  std::uint64_t lines = 0, wrong = 0;  // lines: those that are not blank, up to one that quits
  std::vector<Fault> faults;           // the first of the wrong ones
};

// `path`: as --script names it; the lines are read up to the end. `start`: the settings that the script begins with. `results`:
// the files that the run writes besides. Settings and results are followed through the lines, so that nothing is called wrong
// that lines before it make right; what depends on pictures, files and times is not known yet. Throws ExitError (usage) where the
// file cannot be read.
CheckedScript check_script(const std::string& path, const Settings& start, const ChangeContext& machine,
                           std::vector<std::filesystem::path> results = {});

}  // namespace app
