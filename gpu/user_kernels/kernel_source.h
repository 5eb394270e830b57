// KernelSource: a user's file with kernels of his own, as the compilers get it. It is CUDA C++: `<<<>>>`, `__shared__`,
// `__constant__`. For the simulated GPU, which is C++, its tokens are rewritten; line numbers stay. A file has one of these
// forms:
//
//   void run(Image image, Table table)                      8-bit pixels, 32-bit sums (satscope_kernel.cuh)
//   template <class Image, class Table> void run(...)       every usual type
//   Pixel effect(Boxes boxes, int x, int y)                 an effect: what it draws at a pixel, from sums of boxes
//   a SatAlgorithm sat_<name>                               with gpu/'s own headers, as the files gpu/sat/sat_*.cu
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gpu {

// What a compiler, or the reader of a source, says about a line.
struct SourceMessage {
  enum class Severity { error, warning, note };

  Severity severity = Severity::error;
  std::filesystem::path file;     // absolute
  int line = 0, column = 0;       // from 1; 0: of none
  std::string text;               // one line, without place and severity
  std::string name_of_file = {};  // KernelSource::name_of()

  bool is_error() const { return severity == Severity::error; }
  // What the file is called where it is shown.
  std::string file_name() const { return name_of_file.empty() ? file.filename().string() : name_of_file; }
};

// "mine.cu:7: expected ';'"; empty: there is no error. Warnings come with a kernel that works.
std::string first_error(const std::vector<SourceMessage>& messages);

// For which pairs of types tables are compiled: each costs time. first: for 8u32u alone, where that is less.
enum class KernelTypes { all, first };

struct KernelSource {
  enum class Form { run, run_template, effect, descriptor };

  std::filesystem::path file;  // absolute
  std::string name;            // of the algorithm or effect: the file's, without its ending
  std::string idea;            // the first sentence of its first comment; empty: there is none
  Form form = Form::run;
  // It, and the files that it includes with "" from its own folder or below. Each is rewritten.
  std::vector<std::filesystem::path> files;
  std::vector<std::string> texts = {};  // of these files, as they were read: what is compiled
  bool several_types = false;           // KernelTypes::first is less than all
  // Why it cannot be compiled: a missing file, no run(), something that the simulated GPU does not have, by file and line.
  std::vector<SourceMessage> messages;
  // What it includes likewise, and what is not there or cannot be read: once it can, the source is another one.
  std::vector<std::filesystem::path> missing = {};

  // What a file is called where it is shown: without folders, but for one that has the name of another file of the source:
  // "parts/sums.cuh", from the source's own folder on.
  std::string name_of(const std::filesystem::path& file) const;
};

// Reads it and its files: at most 64 of them, 4 MiB in all. Does not throw for what a file contains.
KernelSource read_kernel_source(const std::filesystem::path& file);

// The texts for the compilers: `simulated.cpp` (for both builds of the simulated GPU, with what the library of a kernel
// exports) and `cuda.cu`, and the rewritten files that they include. They come from `source`, which has no messages: no file
// of the user's is read again. Throws std::filesystem::filesystem_error.
void write_kernel_source(const KernelSource& source, const std::filesystem::path& folder,
                         KernelTypes types = KernelTypes::all);

}  // namespace gpu
