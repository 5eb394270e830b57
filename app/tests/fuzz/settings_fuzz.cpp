// Any bytes as the settings file: parsing never throws, each problem is one line, and the resulting settings can be written
// and read again without a problem or a change.
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/control/settings_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const app::ParsedSettings parsed = app::parse_settings({reinterpret_cast<const char*>(data), size});
  for (const std::string& problem : parsed.problems) {
    if (problem.empty() || problem.find('\n') != std::string::npos) std::abort();
  }
  const app::ParsedSettings again = app::parse_settings(app::settings_to_json(parsed.settings).dump());
  if (!again.problems.empty() || !(again.settings == parsed.settings)) std::abort();
  return 0;
}
