// Any bytes as a line of a script: it is a step, or refused with one line.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "app/control/script.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    app::script::parse({reinterpret_cast<const char*>(data), size});
  } catch (const std::invalid_argument& error) {
    const std::string message = error.what();
    if (message.empty() || message.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
