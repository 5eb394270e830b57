// Any words as the command line, one per line of input: they are accepted, or refused with one line and exit code 2.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "app/commands/options.h"
#include "app/support/exit_code.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream words(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> arguments;
  for (std::string word; std::getline(words, word);) arguments.push_back(word);
  try {
    const app::Options options = app::parse_options(arguments);
    app::Settings settings;
    app::override_settings(options, settings);
    app::assign_parameters(options, gpu::Device::host, settings);
  } catch (const app::ExitError& error) {
    const std::string message = error.what();
    if (error.code() != app::ExitCode::usage || message.empty() || message.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
