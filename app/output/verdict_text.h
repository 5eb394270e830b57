// What a judge found out about users' kernels, as text for the terminal, as JSON, and as JUnit's XML for CI.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "gpu/user_kernels/verdict.h"

namespace app {

struct JudgedFile {
  std::filesystem::path file;  // as it was named
  gpu::Verdict verdict;
  std::string compared;  // with --at-most, one line: "1.24 times 2r1w, of at most 1.5"; empty: it was not compared
};

// Bytes or sectors per pixel, read and written. Sectors have 32 bytes; `least` is what the image and the table take.
struct MovedPerPixel {
  double read_bytes = 0, written_bytes = 0, sectors = 0;
  double least_read = 0, least_written = 0;

  double sectors_over_least() const { return sectors * 32 / (least_read + least_written); }
};
std::optional<MovedPerPixel> moved_per_pixel(const gpu::Verdict& verdict);  // nothing: it was not counted

std::string verdict_text(const JudgedFile& judged);            // at most a screen
std::string ranking_text(std::span<const JudgedFile> files);   // a row for each file, the best one first
std::string verdicts_json(std::span<const JudgedFile> files);  // an object, whose `files` has one for each
// A test case for each file; `left`: names of those that were not judged, which are skipped tests.
std::string verdicts_junit(std::span<const JudgedFile> files, std::span<const std::string> left = {});
std::string_view outcome_name(gpu::Verdict::Outcome outcome);  // "does not compile"
std::string_view severity_name(gpu::SourceMessage::Severity severity);
std::string comparison_with_bound(const gpu::KernelTime& measured);  // "1.8 times the bound"

}  // namespace app
