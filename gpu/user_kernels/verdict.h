// Verdict: what was found out about a user's kernel: whether its table is right, where it first goes wrong, races, traffic, time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/image.h"
#include "gpu/sat.h"
#include "gpu/simulated/observed/simulation.h"
#include "gpu/user_kernels/kernel_source.h"

namespace gpu {

// The first entry, in the order of rows, that differs from the reference.
struct WrongEntry {
  int x = 0, y = 0;
  std::string expected, got;  // numbers; got "nothing" where the entry was never written
  std::uint64_t count = 0;    // of entries that differ
  // A small matrix around it, at most 5x5: what was got and expected, row by row; `left` and `top` are the place of its first entry.
  int left = 0, top = 0, columns = 0;
  std::vector<std::string> around_got, around_expected;
  std::string where = {};  // as Verdict::where, of which it need not be: not every run that goes wrong shows an entry
};

// A race, by lines of the user's file.
struct KernelRace {
  std::string what;                     // "shared read after write"
  std::string first_file, second_file;  // of names, without folders; empty: not known
  int first_line = 0, second_line = 0;
  std::uint64_t times = 0;
};

struct KernelTime {
  double microseconds = 0;         // of one table, the median
  double bound_microseconds = 0;   // of reading the image once and writing the table once, measured on the same GPU
  double beside_microseconds = 0;  // of JudgeRequest::beside; 0: none was asked for
  Size size;
  std::string gpu;  // its name
};

struct Verdict {
  // interrupted: nothing is known of the kernel, for a reason that lies elsewhere. The sentence says which.
  enum class Outcome { right, wrong, does_not_compile, too_slow, interrupted };

  std::string name;
  Outcome outcome = Outcome::right;
  bool is_effect = false;  // there is no reference: it is compared with itself on the host
  std::string sentence;    // "right", "wrong: a data race", "does not end within 10 s", one line
  std::string where;       // of the failure: "257x1, image stride 260, 8u32u, random:3"; empty where it is right
  std::vector<SourceMessage> messages;
  std::optional<WrongEntry> wrong;
  std::vector<KernelRace> races;
  std::string fault;          // of the simulated GPU, or of the process: "out of bounds: a load of 4 bytes ... (mine.cu:14)"
  bool harmless = false;      // every run came to its end by itself: what is wrong is the table, or a race
  bool deterministic = true;  // floating-point tables: the same in every run
  // Of one run on the observed simulated GPU, on `counted` pixels of this type: totals, and by source line; and the totals of
  // JudgeRequest::beside, nothing where that has no such type or none was asked for.
  SatType type = SatType::u8_u32;
  Size counted;
  int launches = 0;
  simulated::Counts counts;
  std::vector<simulated::LineCounts> lines;
  std::optional<simulated::Counts> counts_beside;
  int tables = 0, observed_runs = 0;  // that were compared with the reference
  Size largest;                       // of these tables: slow kernels are not tried on all sizes
  double compile_seconds = 0, seconds = 0;
  std::optional<KernelTime> time;  // where there is a GPU, and that was asked for
  std::string no_cuda = {};  // why only the simulated GPU has judged it, though a GPU was to; empty: none was, or it has
};

}  // namespace gpu
