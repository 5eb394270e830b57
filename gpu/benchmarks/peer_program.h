// satscope-bench-host, the benchmark that is built with OpenCV, as another program of the same build or installation.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpu::benchmarks {

// Empty: it is not there.
std::filesystem::path find_peer_program();
// Runs it to its end, without what it prints to the standard output. False: it failed; why, it has said.
bool run_peer_program(const std::filesystem::path& program, std::vector<std::string> words);

}  // namespace gpu::benchmarks
