// KernelFiles: users' files with kernels of their own while the program runs: watched, compiled and tried in the background, and taken
// into the tables of algorithms and effects where they work. Until then, and where they do not, the last version that works stays.
//
// A version whose table is wrong is taken, with its verdict: its author looks at the picture to see why. One that could harm the
// program (a fault, a kernel without an end, too much memory) is not, nor is it used for pictures of another size before it was tried
// on that.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/control/selection.h"
#include "app/support/threads.h"
#include "gpu/cuda/device.h"
#include "gpu/image.h"
#include "gpu/user_kernels/judge.h"
#include "gpu/user_kernels/kernel_version.h"

namespace app {

class FileWatch;
class ScratchFolder;

// One file, as it is now.
struct KernelFile {
  enum class Phase { compiling, trying, idle };

  std::filesystem::path path;      // absolute
  std::string name;                // of its algorithm or effect
  bool is_effect = false;          // of the version that was taken; before the first, of what it contains
  Phase phase = Phase::compiling;  // of the version that was saved last
  // The last version that was taken: 0: none yet. Its text, and what was found out about it: counts by line, races, the table.
  int version = 0;
  std::vector<std::string> lines;
  gpu::Verdict verdict;
  // The version that was saved last and was not taken: why, in one sentence, and the compiler's messages; empty where it was taken.
  std::string refusal;
  std::vector<gpu::SourceMessage> messages;
  std::vector<std::string> refused_lines;  // its text
  double compile_seconds = 0;              // of the last one that was compiled
};

class KernelFiles {
 public:
  // How a file becomes kernels that run. By default the functions of gpu/user_kernels/; tests have others. All but `take` are
  // called on other threads, all but `prepare` one at a time, and end soon once `stop` is set.
  struct Steps {
    std::function<gpu::KernelTools()> find_tools;
    std::function<gpu::CompiledKernel(const gpu::KernelSource&, int number, const gpu::KernelTools&,
                                      const std::filesystem::path& folder, const std::atomic<bool>& stop, gpu::KernelTypes)>
        compile;
    std::function<gpu::Verdict(const gpu::CompiledKernel&, std::span<const gpu::Size> sizes, const gpu::KernelTools&,
                               const std::atomic<bool>& stop)>
        judge;
    // Loads it into this process, which reads files and runs its constructors. Throws std::exception.
    std::function<const gpu::KernelVersion&(const gpu::CompiledKernel&)> load;
    // Puts what was loaded into the tables. Throws std::exception.
    std::function<void(const gpu::KernelVersion&)> take = gpu::add_user_kernel;
    // Makes later versions compile faster; on a thread of its own, once, as soon as a file was saved again. Null: nothing does.
    std::function<void(const gpu::KernelTools&, const std::atomic<bool>& stop)> prepare = {};
    // A version that is compiled for several types is taken with the first one, with which pictures are made, and again with all
    // of them as soon as these are there, too.
    bool first_type_first = false;
  };
  static Steps usual_steps(
      const gpu::GpuProbe& probe);  // `probe`: of the GPU for which it is compiled, too, if there is one

  explicit KernelFiles(Steps steps);
  ~KernelFiles();  // ends what is under way
  KernelFiles(const KernelFiles&) = delete;
  KernelFiles& operator=(const KernelFiles&) = delete;

  // Begins to watch it, and to compile it; one that is watched stays as it is. Throws std::invalid_argument where that cannot be: no
  // such file, or another one has its name. Returns the name of its algorithm or effect, which is in the tables once the first
  // version works.
  std::string open(const std::filesystem::path& file);
  // Leaves the file of that name alone: it is not watched, and its kernel leaves the tables. Who has a version may use it on.
  void close(std::string_view name);
  std::span<const KernelFile> files() const { return shown_; }
  const KernelFile* find(std::string_view name) const;  // null: there is none

  // What has become of a version.
  struct News {
    std::string name;
    bool taken = false;  // else it was refused: KernelFile::refusal
    bool first = false;  // the first of its file that was taken
  };
  // What has happened since the last call, on the main thread: versions that work are taken, others refused. `frame`: the size on
  // which versions are tried, too; empty: none is known.
  std::vector<News> follow(gpu::Size frame);
  bool busy() const;                       // something is compiled or tried, or soon is
  bool busy(std::string_view name) const;  // of this file alone, other types than its first one aside
  // Waits up to `patience` for what is under way; then follow() has something to do.
  void wait(std::chrono::microseconds patience);

  // Whether what a selection has of users' kernels may make pictures of a size.
  struct Trial {
    enum class State { passed, under_way, failed };
    State state = State::passed;
    std::string why;  // failed: one line
  };
  // Where that is not known it is tried next, for which this waits up to `patience`.
  Trial trial(const Selection& selection, gpu::Size size, std::chrono::microseconds patience = {});
  Trial trial(const gpu::KernelVersion& version, gpu::Size size, std::chrono::microseconds patience = {});
  // A picture of that size failed, although trials had passed: from now on they have failed, for `why`. Of several files it
  // is the one that `why` names, else all.
  void note_failure(const Selection& selection, gpu::Size size, const std::string& why);

 private:
  using Clock = std::chrono::steady_clock;

  struct TriedSize {
    gpu::Size size;
    std::string why{};      // it failed; empty: it passed
    bool may_pass = false;  // it did for no reason of its own, and is tried again once its file is saved
  };
  // A version in the tables, and on which sizes it was tried.
  struct Tried {
    const gpu::KernelVersion* version = nullptr;
    gpu::CompiledKernel compiled{};
    std::filesystem::path folder{};  // with its libraries
    std::vector<TriedSize> sizes{};
  };
  // What is done about a file on the other thread, and what came of it.
  struct Task {
    static constexpr std::size_t closed = -1;
    std::size_t file = 0;  // its place in the list
    std::filesystem::path path, folder;
    int number = 0;                   // of the version; 0: that of `compiled` is tried on another size
    bool others = false;              // `compiled` has the first type: all types of that version are compiled
    std::optional<gpu::Size> size{};  // on which it is tried, too
    std::string text_before{};        // of all of its files, when they were compiled last
    std::atomic<bool> stop = false, trying = false;
    gpu::CompiledKernel compiled{};
    gpu::Verdict verdict{};
    const gpu::KernelVersion* loaded = nullptr;  // null: it may not run
    std::string text{};
    std::vector<std::string> lines{};  // of the file itself
    std::string problem{};             // why nothing came of it, whatever the file contains: one line
  };
  struct Watched {
    std::vector<std::filesystem::path> places{};   // of it and of what it includes, or would include; also behind links
    std::optional<Clock::time_point> changed{};    // not looked at since
    int number = 0;                                // of the last version that was compiled
    std::string text{};                            // of all of its files then; empty: it is compiled whatever it is
    Tried now{};                                   // the version in the tables
    std::vector<Tried> before{};                   // those that it replaced, which are not tried any more
    std::vector<gpu::Size> wanted{};               // sizes on which it is to be tried, one after another
    bool lacks_types = false;                      // it was compiled for the first type, and is to be for all
    std::vector<std::filesystem::path> folders{};  // with what was compiled last
  };

  void go_on();
  void note_change(const std::filesystem::path& place);
  void begin_next();
  void begin(std::size_t file, int number);
  void begin_others(std::size_t file);
  void run(Task& task);
  bool compile(Task& task);
  void end(Task& task);
  void end_version(Task& task);
  void end_others(Task& task);
  void end_size(Task& task);
  void replace(Task& task);
  void refuse(Task& task, std::string why, bool for_its_text);
  bool watch(Watched& file, std::span<const std::filesystem::path> paths);
  std::filesystem::path new_folder(std::size_t file, int number);

  Steps steps_;
  std::vector<KernelFile> shown_;
  std::vector<Watched> watched_;                     // likewise
  std::vector<News> news_;                           // that follow() has not returned
  std::map<std::string, int, std::less<>> numbers_;  // of the last version of files that were closed: no other has its label
  gpu::Size frame_;
  std::unique_ptr<FileWatch> watch_;       // null: no file was opened
  std::unique_ptr<ScratchFolder> folder_;  // for what is compiled; null: nothing was
  std::optional<gpu::KernelTools> tools_;  // of the other thread
  std::unique_ptr<Task> task_;             // under way; null: none
  bool is_prepared_ = false;               // steps_.prepare has begun
  std::atomic<bool> ending_ = false;       // for it
  TaskThread worker_, preparer_;           // last: their tasks use what is above
};

}  // namespace app
