// satscope.judge() and satscope.load(): users' files with kernels of their own.
#pragma once

#include <string>
#include <vector>

#include "gpu/python/call.h"

namespace satscope::python {

// The words that start Python again as judge_child(), in front of the words that this gets.
using ChildWords = std::vector<std::string>;

// Both compile into `folder`. The entries of the dictionary are those of satscope.Verdict. Throws Error where nothing can be
// compiled.
nb::dict judge_file(nb::handle file, nb::handle folder, const ChildWords& child, nb::handle seconds, nb::handle memory_bytes,
                    nb::handle sizes, nb::handle timed, nb::handle seed);
// The name of its algorithm. Plans that are kept for it end here: they have the version before. Throws Error for a file that
// does not work.
nb::str load_file(State& state, nb::handle file, nb::handle folder, const ChildWords& child);
// Of words in bytes, because names of files may be no text. Ends the process.
[[noreturn]] void judge_child(nb::list words);

}  // namespace satscope::python
