// The commands that end by themselves (not live). Each throws ExitError or another std::exception, whose what() is the one
// line for the user; report_failure() prints it and chooses the exit code.
#pragma once

#include <exception>
#include <string>

#include "app/commands/options.h"
#include "app/support/exit_code.h"

namespace app {

void run_sat(const Options& options);
void run_apply(const Options& options);
// Failed where it was interrupted; a source that fails costs one line, and the others are searched.
ExitCode run_detect(const Options& options);
void run_list(const Options& options);
void run_info(const Options& options);
void run_help(const Options& options);
// A section of the manual; of an empty topic, the list of topics. Throws ExitError (usage) if there is none.
std::string help_text(const std::string& topic);
ExitCode run_simulate(const Options& options);  // failed: a table is wrong, a race was found, or it was interrupted

// Prints "satscope: cause; next step" on stderr, always as one line.
ExitCode report_failure(const std::exception& error);

}  // namespace app
