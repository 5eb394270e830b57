// satscope: commands/options.h has the command line, commands/ a file per command, live/app.h the window.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "app/capture/image_file.h"
#include "app/commands/commands.h"
#include "app/support/console.h"
#include "app/support/threads.h"
#include "gpu/user_kernels/judge.h"

namespace {

// With other limits of OpenCV, which it has read by now. Where that fails, the picture is refused.
void start_again_for_large_pictures(const app::Options& options, char** argv) {
  auto names = options.sources;
  names.push_back(options.image);
  names.push_back(options.value_of("source").value_or(""));
  if (std::ranges::none_of(names, app::capture::exceeds_opencv)) return;
  app::capture::lift_limits_of_opencv();
  ::execv("/proc/self/exe", argv);
}

app::ExitCode run(const app::Options& options, char** argv) {
  if (!options.text.empty()) {
    app::print(options.text);
    return app::ExitCode::ok;
  }
  start_again_for_large_pictures(options, argv);
  switch (options.command) {
    case app::Verb::live: return app::run_live(options);
    case app::Verb::sat: app::run_sat(options); break;
    case app::Verb::apply: app::run_apply(options); break;
    case app::Verb::detect: return app::run_detect(options);
    case app::Verb::list: app::run_list(options); break;
    case app::Verb::info: app::run_info(options); break;
    case app::Verb::simulate: return app::run_simulate(options);
    case app::Verb::judge: return app::run_judge(options);
    case app::Verb::tune: return app::run_tune(options);
    case app::Verb::new_kernel: app::run_new(options); break;
    case app::Verb::help: app::run_help(options); break;
  }
  return app::ExitCode::ok;
}

// Where the program was started without standard input, output or error, no file, socket or window that is opened later may
// get its number: what is meant for one would reach the other. What is printed or read then fails, and is reported. Returns
// whether the standard output was closed.
bool occupy_closed() {
  const bool output_closed = ::fcntl(STDOUT_FILENO, F_GETFD) < 0;
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {  // in this order open() gives the number itself
    if (::fcntl(number, F_GETFD) >= 0) continue;
    if (::open(number == STDOUT_FILENO ? "/dev/full" : "/dev/null", O_WRONLY) < 0) break;
  }
  return output_closed;
}

}  // namespace

int main(int argc, char** argv) {
  const bool closed = occupy_closed();
  // A kernel that nobody knows, tried on behalf of the program that has started this one.
  if (argc > 1 && argv[1] == app::judge_child_word)
    return gpu::judge_in_this_process(std::vector<std::string>(argv + 2, argv + argc));
  const app::KeptConsole console;
  app::capture::quiet_libraries();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow then makes writing fail, which is reported in one line
  auto code = app::ExitCode::ok;
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    code = run(app::parse_options(arguments), argv);
  } catch (const std::exception& error) {
    code = app::report_failure(error);
  }
  if (const int error = app::finish_printing(); error != 0 && code == app::ExitCode::ok) {
    const std::string cause = closed            ? "it is closed"
                              : error == EAGAIN ? "its reader has stopped reading"
                                                : std::strerror(error);
    app::tell("cannot write to the standard output: " + cause + "; choose a file or another program");
    code = app::ExitCode::failed;
  }
  app::finish_detached(static_cast<int>(code));
  return static_cast<int>(code);
}
