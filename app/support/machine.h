// Names of the machine's components, for reports.
#pragma once

#include <string>

namespace app {

std::string processor_name();         // "AMD EPYC 7B13 64-Core Processor"
std::string nvidia_driver_version();  // "580.65.06"; empty if there is none
std::string cuda_versions();          // "runtime 13.0, driver supports 13.0"

}  // namespace app
